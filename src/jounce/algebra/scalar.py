"""The whole backend seam: what a number must be able to do.

An algorithm text runs on anything closed under ``+ - *`` with itself and with floats:
floats, NumPy arrays (one array per scalar), mpmath, SymPy, jets, traced expressions.
Numbers of other libraries divide by integers as well, to their own precision.
"""

from __future__ import annotations

import math
import sys
from typing import Any, Protocol


class Scalar(Protocol):
    """Anything closed under ``+``, ``-`` and ``*`` with itself and with floats."""

    def __add__(self, other: Any, /) -> Any: ...
    def __sub__(self, other: Any, /) -> Any: ...
    def __mul__(self, other: Any, /) -> Any: ...
    def __neg__(self) -> Any: ...


def sincos(x: Any) -> tuple[Any, Any]:
    """Sine and cosine; a scalar type with its own rule provides ``sincos()``."""
    if isinstance(x, float | int):
        return math.sin(x), math.cos(x)
    if hasattr(x, "sincos"):
        return x.sincos()
    library = _library(x)
    return library.sin(x), library.cos(x)


def sqrt(x: Any) -> Any:
    """Square root; a scalar type with its own rule provides ``sqrt()``."""
    if isinstance(x, float | int):
        return math.sqrt(x)
    if hasattr(x, "sqrt"):
        return x.sqrt()
    return _library(x).sqrt(x)


def _library(x: Any) -> Any:
    """Return the package a number comes from: numpy, mpmath and sympy all have sin, cos, sqrt."""
    return sys.modules[type(x).__module__.partition(".")[0]]
