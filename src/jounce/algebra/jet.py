"""Truncated Taylor series in time ("jets") over any scalar type.

A jet stores the coefficients ``x(t) = c[0] + c[1] t + ... + c[N] t^N``.  Products are
Cauchy products, so the Leibniz sums of n-th order derivatives never appear in algorithm
text.  The scalar may be a float, a NumPy array of samples, a traced expression, ...

A constant may stay a plain float: it acts as a jet of any order.  Factors that are exactly
zero or one vanish here, so constant geometry costs nothing when a text is traced.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from math import comb, factorial
from typing import Any

from jounce.algebra.scalar import Scalar, sincos, sqrt
from jounce.algebra.tangent import Tangent


class Jet:
    """Taylor coefficients of a scalar function of time, lowest order first."""

    __slots__ = ("_rate", "coeffs")
    __array_ufunc__ = None  # NumPy scalars on the left defer to the jet

    def __init__(self, coeffs: Iterable[Any], rate: Jet | None = None) -> None:
        self.coeffs: tuple[Any, ...] = tuple(coeffs)
        self._rate = rate  # the time derivative, where it is known without multiplying

    def __repr__(self) -> str:
        return f"Jet{self.coeffs!r}"

    @classmethod
    def from_derivatives(cls, derivatives: Iterable[Scalar]) -> Jet:
        """Build from ``x, dx/dt, d2x/dt2, ...``."""
        return cls(divided(d, factorial(k)) for k, d in enumerate(derivatives))

    def derivatives(self) -> tuple[Any, ...]:
        """Return ``x, dx/dt, d2x/dt2, ...`` at ``t = 0``."""
        return tuple(_times(c, factorial(k)) for k, c in enumerate(self.coeffs))

    @property
    def order(self) -> int:
        """Highest power of t that is kept."""
        return len(self.coeffs) - 1

    def dt(self) -> Jet:
        """Time derivative; the result is one order shorter."""
        if self._rate is not None:
            return self._rate
        return Jet(_times(c, k) for k, c in enumerate(self.coeffs) if k)

    def at_start(self) -> Jet:
        """Return the value at ``t = 0`` as a jet that does not change."""
        return Jet((self.coeffs[0], *[0.0] * self.order))

    def sincos(self) -> tuple[Jet, Jet]:
        """Sine and cosine by the coupled recurrence ``s' = u' c``, ``c' = -u' s``."""
        return self._sincos(*sincos(self.coeffs[0]))

    def sincos_onwards(self) -> tuple[Jet, Jet]:
        """Sine and cosine of ``x(t) − x(0)``."""
        return self._sincos(0.0, 1.0)

    def _sincos(self, s0: Any, c0: Any) -> tuple[Jet, Jet]:
        s, c = [s0], [c0]
        rate = self.dt().coeffs
        for k in range(1, len(self.coeffs)):
            s.append(divided(_sum(rate[j] * c[k - 1 - j] for j in range(k)), k))
            c.append(-divided(_sum(rate[j] * s[k - 1 - j] for j in range(k)), k))
        return Jet(s), Jet(c)

    def reciprocal(self) -> Jet:
        """``1/x`` by the recurrence from ``x y = 1``."""
        a = self.coeffs
        y = [1.0 / a[0]]
        for k in range(1, len(a)):
            y.append(-y[0] * _sum(a[j] * y[k - j] for j in range(1, k + 1)))
        return Jet(y)

    def sqrt(self) -> Jet:
        """``√x`` by the recurrence from ``y y = x``."""
        a = self.coeffs
        y = [sqrt(a[0])]
        half = 0.5 / y[0]
        for k in range(1, len(a)):
            rest = [y[j] * y[k - j] for j in range(1, k)]
            y.append((a[k] - _sum(rest) if rest else a[k]) * half)
        return Jet(y)

    def __add__(self, other: Any) -> Jet:
        if isinstance(other, Jet):  # the shorter order wins
            return Jet(a + b for a, b in zip(self.coeffs, other.coeffs, strict=False))
        if _is(other, 0.0):
            return self
        if _varies_jets(other):
            return NotImplemented
        return Jet((self.coeffs[0] + other, *self.coeffs[1:]), self._rate)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Jet):
            a, b = self.coeffs, other.coeffs
            orders = range(min(len(a), len(b)))
            return Jet(_sum(a[j] * b[k - j] for j in range(k + 1)) for k in orders)
        if _is(other, 0.0):
            return 0.0
        if _is(other, 1.0):
            return self
        if _varies_jets(other):
            return NotImplemented
        return Jet(a * other for a in self.coeffs)

    def __neg__(self) -> Jet:
        return Jet(-a for a in self.coeffs)

    def __sub__(self, other: Any) -> Jet:
        if isinstance(other, Jet):
            return Jet(a - b for a, b in zip(self.coeffs, other.coeffs, strict=False))
        if _varies_jets(other):
            return NotImplemented
        return self + (-other)

    def __rsub__(self, other: Any) -> Jet:
        return -self if _is(other, 0.0) else -self + other

    __radd__ = __add__
    __rmul__ = __mul__


def dt(x: Any) -> Any:
    """Time derivative of a jet; a constant differentiates to zero."""
    return x.dt() if isinstance(x, Jet) else 0.0


def integral(rate: Any, start: Any, order: int) -> Jet:
    """Return the jet ``x`` of the given order with ``x' = rate`` and ``x(0) = start``."""
    coeffs = rate.coeffs if isinstance(rate, Jet) else (rate, *[0.0] * (order - 1))
    own = rate if isinstance(rate, Jet) and rate.order == order - 1 else None
    terms = (divided(c, k + 1) for k, c in enumerate(coeffs[:order]))
    return Jet((start, *terms), own)


def derivatives(x: Any, order: int) -> tuple[Any, ...]:
    """Return ``x, dx/dt, ...`` up to ``order``, of a jet or of a constant."""
    if isinstance(x, Jet):
        return x.derivatives()[: order + 1]
    return (x, *[0.0] * order)


def leibniz(a: Sequence[Any], b: Sequence[Any], n: int) -> Any:
    """Return the n-th derivative of a product from the derivatives of its factors.

    For a product that is needed at one order only; a jet holds all of them.
    """
    return _sum(_times(a[i] * b[n - i], comb(n, i)) for i in range(n + 1))


def value(x: Any) -> Any:
    """Return a jet at t = 0, or the constant itself."""
    return x.coeffs[0] if isinstance(x, Jet) else x


def _varies_jets(x: Any) -> bool:
    """Tell whether x is a tangent number over jets, which takes a jet as its scalar."""
    return isinstance(x, Tangent) and isinstance(x.value, Jet)


def _is(x: Any, constant: float) -> bool:
    return isinstance(x, float | int) and x == constant


def divided(x: Any, k: int) -> Any:
    """Return ``x / k`` of a coefficient, to the precision of its type.

    Floats, arrays of them and traced values are multiplied by the float 1/k, which is cheaper;
    numbers of other libraries (mpmath, fractions, SymPy) have more digits than that factor.
    """
    if k == 1:
        return x
    return x * (1.0 / k) if _is_double(x) else x / k


def _times(x: Any, k: int) -> Any:
    if k == 1:
        return x
    return x * (float(k) if _is_double(x) else k)


def _is_double(x: Any) -> bool:
    """Tell whether a scalar has the precision of a float: it is one, an array, or traced."""
    if isinstance(x, Tangent):
        return _is_double(x.value)
    is_object_array = str(getattr(x, "dtype", "")) == "object"
    return _is_ours(type(x)) and not is_object_array


@cache
def _is_ours(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in ("builtins", "numpy", "jounce")


def _sum(terms: Iterable[Any]) -> Any:
    iterator = iter(terms)
    total = next(iterator)
    for term in iterator:
        total = total + term
    return total
