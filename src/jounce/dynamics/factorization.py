"""Factor a symmetric matrix along a tree, on any scalar: ``M = Lᵀ D L``.

Entries that are structurally zero are skipped.  From the last row up, the matrix of a tree
fills in nothing; joints coupled across branches (mimic) fill in what their merged
elimination tree says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class Factors(NamedTuple):
    """``lower[k][i]`` for i < k, unit diagonal left out; reciprocals and values of D."""

    lower: tuple[dict[int, Any], ...]
    reciprocals: tuple[Any, ...]
    pivots: tuple[Any, ...]


class ZeroPivotError(ArithmeticError):
    """A pivot that is zero whatever the inputs are; ``args[0]`` is its index."""


def factorize(matrix: Sequence[Sequence[Any]]) -> Factors:
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
    return Factors(tuple(lower), tuple(reciprocals), tuple(pivots))


def solve(factors: Factors, right: Sequence[Any]) -> list[Any]:
    """Return x with ``M x = right``."""
    x = list(right)
    for k in reversed(range(len(x))):  # Lᵀ y = right
        for i, factor in factors.lower[k].items():
            x[i] = x[i] - factor * x[k]
    x = [a * r for a, r in zip(x, factors.reciprocals, strict=True)]
    for k in range(len(x)):  # L x = D⁻¹ y
        for i, factor in factors.lower[k].items():
            x[k] = x[k] - factor * x[i]
    return x


def is_zero(x: Any) -> bool:
    """Tell whether an entry is a constant zero."""
    return isinstance(x, float | int) and x == 0.0
