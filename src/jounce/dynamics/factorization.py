"""Factors of matrices, on any scalar: ``M = Lᵀ D L`` of a symmetric one, ``B = Q R`` of any.

Entries that are structurally zero are skipped.  From the last row up, the mass matrix of a tree
fills in nothing; joints coupled across branches (mimic) fill in what their merged
elimination tree says.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from jounce.algebra.jet import Jet
from jounce.algebra.scalar import sqrt

if TYPE_CHECKING:
    from jounce.dynamics.articulated import ArticulatedFactors

Vector = list[Any]


class TriangularFactors(NamedTuple):
    """``lower[k][i]`` for i < k, unit diagonal left out; reciprocals and values of D."""

    lower: tuple[dict[int, Any], ...]
    reciprocals: tuple[Any, ...]
    pivots: tuple[Any, ...]

    def eliminated(self, right: Sequence[Any]) -> Vector:
        """Return y with ``Lᵀ y = right``."""
        y = list(right)
        for k in reversed(range(len(y))):
            for i, factor in self.lower[k].items():
                y[i] = y[i] - factor * y[k]
        return y

    def substituted(self, right: Sequence[Any]) -> Vector:
        """Return x with ``L x = right``."""
        x = list(right)
        for k in range(len(x)):
            for i, factor in self.lower[k].items():
                x[k] = x[k] - factor * x[i]
        return x


# L has a unit diagonal and comes as what solves with it, ``1 / D`` and D as numbers
Factors: TypeAlias = "TriangularFactors | ArticulatedFactors"


class ZeroPivotError(ArithmeticError):
    """A pivot that is zero whatever the inputs are; ``args[0]`` is its index."""


def factorize(matrix: Sequence[Sequence[Any]]) -> TriangularFactors:
    """Return L and D of a symmetric regular matrix; only its lower part is read."""
    size = len(matrix)
    rows = [
        {j: matrix[i][j] for j in range(i + 1) if not is_zero(matrix[i][j])} for i in range(size)
    ]
    lower: list[dict[int, Any]] = [{} for _ in range(size)]
    pivots: list[Any] = [0.0] * size
    reciprocals: list[Any] = [0.0] * size
    for k in reversed(range(size)):
        pivots[k] = rows[k].get(k, 0.0)
        if is_zero(pivots[k]):
            raise ZeroPivotError(k)
        reciprocals[k] = 1.0 / pivots[k]
        others = sorted(j for j in rows[k] if j < k)
        for n, i in enumerate(others):
            factor = rows[k][i] * reciprocals[k]
            lower[k][i] = factor
            for j in others[: n + 1]:
                rows[i][j] = rows[i].get(j, 0.0) - factor * rows[k][j]
    return TriangularFactors(tuple(lower), tuple(reciprocals), tuple(pivots))


def solve(factors: Factors, right: Sequence[Any]) -> list[Any]:
    """Return x with ``M x = right``."""
    return factors.substituted(times(factors.eliminated(right), factors.reciprocals))


class QR(NamedTuple):
    """``B = Q R``: orthonormal columns of Q, and the columns of the upper triangle R."""

    Q: list[Vector]
    R: list[Vector]  # R[k][j] is the entry in row j of column k, j ≤ k
    reciprocals: Vector  # of the diagonal of R

    def solve(self, b: Vector) -> Vector:
        """Return x with ``R x = b``."""
        m = len(b)
        x: Vector = [0.0] * m
        for i in reversed(range(m)):
            known = [(self.R[k][i], x[k]) for k in range(i + 1, m)]
            x[i] = _minus(b[i], known) * self.reciprocals[i]
        return x

    def solve_transposed(self, b: Vector) -> Vector:
        """Return y with ``Rᵀ y = b``."""
        y: Vector = []
        for k, right in enumerate(b):
            y.append(_minus(right, zip(self.R[k], y, strict=False)) * self.reciprocals[k])
        return y

    def combine(self, y: Vector) -> Vector:
        """Return ``Q y``."""
        return [dot(row, y) for row in zip(*self.Q, strict=True)]

    def condition(self, entries: Vector | None = None) -> Any:
        """Return ``|R| |R⁻¹|`` in Frobenius norms, between the condition number and m times it.

        With the entries of a matrix that B is part of, its norm is taken for that of R.
        """
        units = range(len(self.R))
        inverse = [x for k in units for x in self.solve([float(i == k) for i in units])]
        if entries is None:
            entries = [x for column in self.R for x in column]
        return sqrt(dot(entries, entries) * dot(inverse, inverse))


def orthogonalize(columns: Sequence[Vector], *, again: bool = True) -> QR:
    """Return the factors of the matrix with these columns, by Gram–Schmidt.

    ``again`` orthogonalises twice: then Q is orthonormal to roundoff whatever the condition of
    the matrix, and solutions are as good as those of Householder's method.
    """
    Q: list[Vector] = []
    R: list[Vector] = []
    reciprocals: Vector = []
    for column in columns:
        rest, entries = list(column), [0.0] * len(Q)
        for _ in range(2 if again else 1):
            for j, unit in enumerate(Q):
                part = dot(unit, rest)
                entries[j] = entries[j] + part
                rest = [x - p * part for x, p in zip(rest, unit, strict=True)]
        length = sqrt(dot(rest, rest))
        reciprocals.append(1.0 / length)
        Q.append([x * reciprocals[-1] for x in rest])
        R.append([*entries, length])
    return QR(Q, R, reciprocals)


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """Return the sum of products; constant zeros cost nothing."""
    total: Any = 0.0
    for x, y in zip(a, b, strict=True):
        product = x * y
        total = product if is_zero(total) else total if is_zero(product) else total + product
    return total


def less(a: Sequence[Any], b: Sequence[Any]) -> Vector:
    """Return the differences of the entries."""
    return [x - y for x, y in zip(a, b, strict=True)]


def times(a: Sequence[Any], b: Sequence[Any]) -> Vector:
    """Return the products of the entries."""
    return [x * y for x, y in zip(a, b, strict=True)]


def spread(places: Iterable[int], values: Iterable[Any], size: int) -> Vector:
    """Return the vector with values in some places and zeros in the others."""
    at = dict(zip(places, values, strict=True))
    return [at.get(j, 0.0) for j in range(size)]


def _minus(start: Any, pairs: Any) -> Any:
    for x, y in pairs:
        start = start - x * y
    return start


def is_zero(x: Any) -> bool:
    """Tell whether an entry is a constant zero, or a jet of them."""
    if isinstance(x, Jet):
        return all(map(is_zero, x.coeffs))
    return isinstance(x, float | int) and x == 0.0
