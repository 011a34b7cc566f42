"""Motion tables and logs: columns, files, clocks, units, and the rates of logged positions."""

from jounce.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
