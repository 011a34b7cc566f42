"""The one text that fits B-splines to samples, for whole motions and for streamed windows.

Time is counted in knot steps, ``u = (t − origin) / step``, so that all numbers are of order one
whatever the sampling.  There are two sorts of knots:

- the integers, for smoothing.  The coefficients c minimise, for each coordinate,
  ``Σ_i (q_i − f(u_i))² + λ ∫ (f^(m)(u))² du`` with ``m = degree − 1``, that is
  ``(BᵀB + λ P) c = Bᵀ q``;
- the samples themselves but a few at the ends (not-a-knot), for interpolation: λ = 0.

Both systems have bandwidth ``degree``: their Cholesky factor costs O(samples).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import floor, log10
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg.lapack import dpbtrf, dpbtrs  # pyright: ignore[reportAttributeAccessIssue]
from scipy.sparse import csr_array

from jounce.errors import SingularError
from jounce.trajectory.spline.basis import Curve, cell_penalty, grid_rows, sample_rows

REFINEMENTS, REFINED = 6, 1e-13
NUMBERS = 2**20  # samples × coordinates that are fitted at once
FAINT = 1e-5  # what the samples of a short run must still tell of a polynomial
SHORT, SHORT_PENALTY = 2.0, 1e-4  # whatever the penalty, a run of fewer knots has this one


class System(NamedTuple):
    """``BᵀB`` and P of a set of samples, as lower bands: ``bands[k, i]`` is entry (i + k, i)."""

    knots: np.ndarray
    degree: int
    B: csr_array
    Bt: Any  # Bᵀ
    gram: np.ndarray
    P: np.ndarray
    m: int  # order of the derivative that is penalised
    is_short: bool

    def factor(self, penalty: float) -> np.ndarray:
        """Return the Cholesky factor of ``BᵀB + λ P``."""
        bands = self.gram + self._weight(penalty) * self.P
        factor, failed = dpbtrf(bands, lower=True, overwrite_ab=True)
        if failed:
            raise SingularError(
                f"the samples between knots {self.knots[0]:g} and {self.knots[-1]:g} do not "
                f"determine a spline of degree {self.degree} to rounding: ask for a lower order "
                "or degree, leave out samples that are close together, or let it smooth "
                "(noise=None)."
            )
        return factor

    def solve(self, penalty: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Return the coefficients of q ``(m, n)`` with the penalties ``(n,)``."""
        values, index = np.unique(penalty, return_inverse=True)
        groups = [(self.factor(value), index == i) for i, value in enumerate(values)]

        def divide(columns: np.ndarray) -> np.ndarray:
            for factor, own in groups:
                columns[:, own] = divided(factor, columns[:, own])
            return columns

        return self.refined(divide(self.Bt @ q), penalty, q, divide)

    def refined(
        self,
        c: np.ndarray,
        penalty: float | np.ndarray,
        q: np.ndarray,
        divide: Callable[[np.ndarray], np.ndarray],
        *,
        enough: float = 0.0,
    ) -> np.ndarray:
        """Return the coefficients, c being a first guess and ``divide`` what made it.

        The equations square the condition of the problem, and a large penalty hides the data
        behind it; refinement with residuals that do not suffer from either makes up for both.
        It ends when all digits are there, or changes are below this share of what the spline
        leaves of q.
        """
        for _ in range(REFINEMENTS):
            left = self.B @ c
            np.subtract(q, left, out=left)
            residual = self.Bt @ left
            if np.any(penalty):
                residual -= self._weight(penalty) * self._roughness(c)
            change = divide(residual)
            c += change
            size = np.abs(change).max(axis=0)
            is_exact = np.all(size <= REFINED * np.abs(c).max(axis=0))
            if is_exact or np.all(size**2 <= enough**2 * squares(left) / len(left)):
                break
        return c

    def _weight(self, penalty: float | np.ndarray) -> float | np.ndarray:
        return SHORT_PENALTY if self.is_short else penalty

    def _roughness(self, c: np.ndarray) -> np.ndarray:
        """Return ``P c`` by way of the m-th differences of c, which are exact for smooth c."""
        rates = np.diff(c, self.m, axis=0)
        padded = np.zeros((len(c) + self.m, c.shape[1]))
        bands = _penalty(self.degree - self.m, 0, len(rates))
        padded[self.m : len(c)] = banded_product(bands, rates)
        return (-1.0) ** self.m * np.diff(padded, self.m, axis=0)


def fitted(
    u: np.ndarray, q: np.ndarray | Sequence[np.ndarray], degree: int, penalty: np.ndarray
) -> Curve:
    """Return the spline through, or near, the samples q ``(m, n)`` at increasing u ``(m,)``.

    q may come in parts, one after the other.  ``penalty`` has shape ``(n,)``; zeros interpolate.
    Fewer samples than a spline of this degree needs still have one answer: a polynomial of lower
    degree.
    """
    parts = [q] if isinstance(q, np.ndarray) else q
    system = system_of(u, degree, penalised=bool(penalty.any()))
    c = np.empty((system.gram.shape[1], penalty.size))
    most = max(1, NUMBERS // u.size)  # coordinates at once
    for first in range(0, penalty.size, most):
        some = slice(first, first + most)
        columns = np.concatenate([part[:, some] for part in parts])
        c[:, some] = system.solve(penalty[some], columns)
    return Curve(system.knots, c, system.degree)


def squares(columns: np.ndarray) -> np.ndarray:
    """Return the sum of the squares of every column."""
    return np.einsum("ij,ij->j", columns, columns)


def system_of(u: np.ndarray, degree: int, penalised: bool) -> System:
    """Return the equations for samples at increasing u, in knots."""
    if not penalised:
        degree = min(degree, u.size - 1)
    knots = (_integer_knots if penalised else _sample_knots)(u, degree)
    B = next(grid_rows(u, knots, degree)) if penalised else sample_rows(u, knots, degree)
    gram = _gram(B, degree, knots.size - degree - 1)
    m = _penalised_order(u, degree)
    P = _penalty(degree, m, gram.shape[1]) if penalised else np.zeros_like(gram)
    return System(knots, degree, B, B.T, gram, P, m, bool(u[-1] - u[0] < SHORT))


def divided(factor: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return the inverse of a factored matrix times columns."""
    return dpbtrs(factor, columns, lower=True)[0]


def _integer_knots(u: np.ndarray, degree: int) -> np.ndarray:
    """Return the integers around the samples, with ``degree`` more on both sides."""
    return np.arange(floor(u[0]) - degree, floor(u[-1]) + degree + 2, dtype=float)


def _penalised_order(u: np.ndarray, degree: int) -> int:
    """Return m: polynomials of lower degree are not penalised, so the samples determine them.

    That takes m places, a quarter of a knot interval apart.  Within a part s of one interval the
    sum of squares feels the degree m − 1 by s^(2 m − 2).
    """
    places = min(u.size, 1 + int(np.count_nonzero(np.diff(np.floor(4.0 * u)))))
    m = min(degree - 1, places if u[-1] - u[0] >= 1.0 else u.size)
    span = max(float(u[-1] - u[0]), 1e-12)
    return m if span >= 1.0 else min(m, 1 + int(log10(FAINT) / (2.0 * log10(span))))


def _sample_knots(u: np.ndarray, degree: int) -> np.ndarray:
    """Return knots with as many B-splines as samples; an end is a knot ``degree + 1`` times."""
    left = (degree + 1) // 2
    inner = u[left : u.size - (degree + 1 - left)]
    end = u[-1] if u.size > 1 else u[0] + 1.0
    return np.concatenate([np.full(degree + 1, u[0]), inner, np.full(degree + 1, end)])


def _gram(B: csr_array, degree: int, size: int) -> np.ndarray:
    """Return ``BᵀB``; the samples of one knot interval share their B-splines."""
    rows = np.ascontiguousarray(B.data.reshape(-1, degree + 1).T)
    first = np.asarray(B.indices)[:: degree + 1]
    starts = np.flatnonzero(np.diff(first, prepend=-1))
    cells = first[starts]
    bands = np.zeros((degree + 1, size))
    for k in range(degree + 1):
        for i in range(degree + 1 - k):
            bands[k, cells + i] += np.add.reduceat(rows[i] * rows[i + k], starts)
    return bands


def _penalty(degree: int, m: int, size: int) -> np.ndarray:
    """Return P for this many coefficients."""
    cell = cell_penalty(degree, m)
    cells = size - degree
    bands = np.zeros((degree + 1, size))
    for k in range(degree + 1):
        for i in range(degree + 1 - k):
            bands[k, i : i + cells] += cell[i + k, i]
    return bands


def banded_product(bands: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return the symmetric matrix with these lower bands times x."""
    size = x.shape[0]
    y = bands[0, :, None] * x
    for k in range(1, len(bands)):
        entries = bands[k, : size - k, None]
        y[k:] += entries * x[: size - k]
        y[: size - k] += entries * x[k:]
    return y
