"""Numbers with partial derivatives: forward differentiation on any scalar.

A tangent number carries a value and its partials by some variables; what it does not name
has partial zero.  A text run on tangent numbers yields its exact partials.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jounce.algebra.scalar import sincos, sqrt


class Tangent:
    """A value and its partials, ``parts[k] = ∂value/∂x_k``."""

    __slots__ = ("parts", "value")
    __array_ufunc__ = None  # NumPy scalars on the left defer to the tangent

    def __init__(self, value: Any, parts: Mapping[int, Any]) -> None:
        self.value = value
        self.parts = dict(parts)

    def __repr__(self) -> str:
        return f"Tangent({self.value!r}, {self.parts!r})"

    def __add__(self, other: Any) -> Tangent:
        if not isinstance(other, Tangent):
            return Tangent(self.value + other, self.parts)
        return Tangent(self.value + other.value, _sum(self.parts, other.parts))

    def __sub__(self, other: Any) -> Tangent:
        return self + (-other)

    def __rsub__(self, other: Any) -> Tangent:
        return -self + other

    def __neg__(self) -> Tangent:
        return Tangent(-self.value, {k: -x for k, x in self.parts.items()})

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, Tangent):
            return Tangent(self.value * other, _scaled(self.parts, other))
        parts = _sum(_scaled(self.parts, other.value), _scaled(other.parts, self.value))
        return Tangent(self.value * other.value, parts)

    def __truediv__(self, other: Any) -> Any:
        if not isinstance(other, Tangent):
            return Tangent(self.value / other, {k: x / other for k, x in self.parts.items()})
        return self * (1.0 / other)

    def __rtruediv__(self, other: Any) -> Tangent:
        value = other / self.value
        return Tangent(value, _scaled(self.parts, -value / self.value))

    def sincos(self) -> tuple[Tangent, Tangent]:
        """Return sine and cosine."""
        s, c = sincos(self.value)
        return Tangent(s, _scaled(self.parts, c)), Tangent(c, _scaled(self.parts, -s))

    def sqrt(self) -> Tangent:
        """Return the square root."""
        root = sqrt(self.value)
        return Tangent(root, _scaled(self.parts, 0.5 / root))

    __radd__ = __add__
    __rmul__ = __mul__


def partial(x: Any, variable: int) -> Any:
    """Return the partial of a number by a variable; zero for what is no tangent number."""
    return x.parts.get(variable, 0.0) if isinstance(x, Tangent) else 0.0


def _scaled(parts: Mapping[int, Any], factor: Any) -> dict[int, Any]:
    return {k: x * factor for k, x in parts.items()}


def _sum(a: Mapping[int, Any], b: Mapping[int, Any]) -> dict[int, Any]:
    result = dict(a)
    for k, x in b.items():
        result[k] = result[k] + x if k in result else x
    return result
