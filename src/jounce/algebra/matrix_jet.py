"""Truncated Taylor series in time of whole matrices, batched: the numbers of the closed form.

A matrix jet is ``X(t) = X[0] + X[1] t + … + X[N] t^N``; all coefficients are one NumPy array with
the order on axis 0, then any batch axes, then rows and columns.  Products are Cauchy products
of matrix products, so no binomial of Leibniz' rule appears in a text that uses them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jounce.algebra import series

Array = np.ndarray


class MatrixJet:
    """Taylor coefficients of a matrix function of time, ``(N + 1, *batch, rows, columns)``.

    A plain array ``(*batch, rows, columns)`` next to a jet is a constant.  Where orders differ
    the shorter one wins.
    """

    __slots__ = ("coeffs",)
    __array_ufunc__ = None  # arrays on the left defer to the jet

    def __init__(self, coeffs: Any) -> None:
        self.coeffs: Array = np.asarray(coeffs, dtype=float)

    def __repr__(self) -> str:
        return f"MatrixJet(order={self.order}, shape={self.coeffs.shape[1:]})"

    @classmethod
    def from_derivatives(cls, derivatives: Any) -> MatrixJet:
        """Build from ``X, dX/dt, d²X/dt², …``, stacked on axis 0."""
        array = np.asarray(derivatives, dtype=float)
        return cls(series.coefficients(array[0], array[1:]))

    @classmethod
    def constant(cls, matrix: Any, order: int) -> MatrixJet:
        """Return the jet of a matrix that does not change."""
        array = np.asarray(matrix, dtype=float)
        return cls(np.concatenate([array[None], np.zeros((order, *array.shape))]))

    def derivatives(self) -> Array:
        """Return ``X, dX/dt, d²X/dt², …`` at ``t = 0``, stacked on axis 0."""
        return np.ascontiguousarray(series.derivatives(self.coeffs))

    @property
    def order(self) -> int:
        """Highest power of t that is kept."""
        return len(self.coeffs) - 1

    @property
    def T(self) -> MatrixJet:
        """Transposed, at every order."""
        return MatrixJet(np.swapaxes(self.coeffs, -1, -2))

    def dt(self) -> MatrixJet:
        """Time derivative; the result is one order shorter."""
        return MatrixJet(series.differentiated(self.coeffs))

    def __matmul__(self, other: Any) -> MatrixJet:
        if not isinstance(other, MatrixJet):
            return MatrixJet(self.coeffs @ other)
        a, b = self.coeffs, other.coeffs
        return MatrixJet(np.stack([cauchy(a, b, k) for k in range(min(len(a), len(b)))]))

    def __rmatmul__(self, other: Any) -> MatrixJet:
        return MatrixJet(np.asarray(other, dtype=float) @ self.coeffs)

    def __add__(self, other: Any) -> MatrixJet:
        if isinstance(other, MatrixJet):
            return MatrixJet([a + b for a, b in zip(self.coeffs, other.coeffs, strict=False)])
        head = self.coeffs[0] + other
        rest = [np.broadcast_to(c, head.shape) for c in self.coeffs[1:]]
        return MatrixJet(np.stack([head, *rest]))

    __radd__ = __add__

    def __neg__(self) -> MatrixJet:
        return MatrixJet(-self.coeffs)

    def __sub__(self, other: Any) -> MatrixJet:
        return self + -other

    def __rsub__(self, other: Any) -> MatrixJet:
        return -self + other

    def __mul__(self, factor: float) -> MatrixJet:
        return MatrixJet(self.coeffs * factor)

    __rmul__ = __mul__


def cauchy(a: Sequence[Array] | Array, b: Sequence[Array] | Array, k: int) -> Array:
    """Return coefficient k of the product, ``Σ_j a[j] b[k − j]``."""
    total = a[0] @ b[k]
    for j in range(1, k + 1):
        total = total + a[j] @ b[k - j]
    return total
