"""Other people's programs: their conventions, and our kernels as their functions."""

from jounce.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
