"""Trace arithmetic into a graph and run it as machine code, NumPy or C; knows no robots."""

from jounce.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
