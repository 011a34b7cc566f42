"""The same work on many logs: Dask moves the data, files and triangles are the results."""

from jounce.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
