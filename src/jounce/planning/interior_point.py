"""The shortest ∫ du / √b under inequalities between b and its derivatives, point by point.

The unknowns are the coefficients x of a spline b.  With the features ``f = (b, b', …)`` at each
point, inequalities ``G(f) ≤ 0`` and slacks s, the primal-dual interior-point method (Mehrotra's
predictor and corrector) takes the steps

    (H + Σ w ∇G ∇Gᵀ) dx = −∇T − Σ ∇G (τ / s + w (G + s)),   w = λ / s
    ds = −(G + s) − ∇G dx,   dλ = τ / s − λ + w (G + s + ∇G dx)

where T is the duration, H its Hessian, and τ what the products s λ shall become.  That of G is
left out: where G is concave, as ``affine − r / √b`` is, its tangent lies above it, and a step that
keeps the tangent keeps G.  Everything is local, so the matrix is banded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_solve_banded, cholesky_banded

STEPS = 120
BOUNDARY = 0.9  # of the way to where a slack or multiplier would vanish
SHORTEST = 1e-9  # step
HUGE = 1e6  # times what the products of slacks and multipliers were at first
ROUNDING = 1e-13  # of the diagonal

Rows = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]  # f -> G (m, r), dG (m, r, features)


class Points(NamedTuple):
    """Where inequalities are imposed: B-splines there and, for quadrature, their weights."""

    first: np.ndarray  # (m,)
    basis: np.ndarray  # (m, features, degree + 1)
    weight: np.ndarray  # (m,): zero where a point only bounds

    def features(self, x: np.ndarray) -> np.ndarray:
        """Return b and its derivatives, ``(m, features)``."""
        local = x[self.first[:, None] + np.arange(self.basis.shape[2])]
        return np.matmul(self.basis, local[:, :, None])[..., 0]


class Solution(NamedTuple):
    """The coefficients, the multipliers of all rows, and how near to the optimum they are.

    ``gap`` is the sum of multipliers times slacks, over the duration.
    """

    x: np.ndarray
    multipliers: np.ndarray
    excess: float  # largest G
    gap: float
    converged: bool


class Problem:
    """Duration and rows as functions of x, linearised where `look` was last called.

    Rows are those of the points, then ``x ≥ least`` and ``x ≤ most`` of all coefficients: a
    B-spline lies within the range of its coefficients.  ``fixed`` coefficients do not change.
    """

    def __init__(
        self, points: Points, rows: Rows, least: float, most: float, fixed: np.ndarray
    ) -> None:
        self.points, self.rows, self.fixed = points, rows, fixed
        self.least, self.most, self.size = least, most, fixed.size
        self.width = points.basis.shape[2]
        self.columns = points.first[:, None] + np.arange(self.width)
        self.row, self.column = np.tril_indices(self.width)
        offset = (self.row - self.column) * self.size + self.column
        self.places = (points.first[:, None] + offset).ravel()

    def look(self, x: np.ndarray) -> np.ndarray:
        """Return G of all rows at x."""
        f = self.points.features(x)
        b = f[:, 0]
        root = np.sqrt(b)
        self.duration = float((self.points.weight / root).sum())
        self.slope = -0.5 * self.points.weight / (b * root)
        self.curvature = 0.75 * self.points.weight / (b * b * root)
        G, self.dG = self.rows(f)
        return np.concatenate([G.ravel(), 1.0 - x / self.least, x / self.most - 1.0])

    def changes(self, dx: np.ndarray) -> np.ndarray:
        """Return ``∇G dx``."""
        inner = np.matmul(self.dG, self.points.features(dx)[:, :, None]).ravel()
        return np.concatenate([inner, -dx / self.least, dx / self.most])

    def pulls(self, y: np.ndarray) -> np.ndarray:
        """Return ``∇T + Σ ∇G y``."""
        inner, low, high = np.split(y, [y.size - 2 * self.size, y.size - self.size])
        by_feature = np.matmul(inner.reshape(len(self.dG), 1, -1), self.dG)
        by_feature[:, 0, 0] += self.slope
        local = np.matmul(by_feature, self.points.basis).ravel()
        total = np.bincount(self.columns.ravel(), local, self.size)
        total += high / self.most - low / self.least
        return np.where(self.fixed, 0.0, total)

    def factor(self, w: np.ndarray) -> np.ndarray:
        """Return the Cholesky factor of ``H + Σ w ∇G ∇Gᵀ``."""
        inner, low, high = np.split(w, [w.size - 2 * self.size, w.size - self.size])
        weighted = self.dG * inner.reshape(*self.dG.shape[:2], 1)
        H = np.matmul(weighted.transpose(0, 2, 1), self.dG)
        H[:, 0, 0] += self.curvature
        basis = self.points.basis
        local = np.matmul(basis.transpose(0, 2, 1), np.matmul(H, basis))
        entries = local[:, self.row, self.column].ravel()
        bands = np.bincount(self.places, entries, self.width * self.size)
        bands = bands.reshape(self.width, self.size)
        bands[0] += low / self.least**2 + high / self.most**2
        bands[0] *= 1.0 + ROUNDING
        bands[:, self.fixed] = 0.0
        for k in range(1, self.width):
            bands[k, :-k][self.fixed[k:]] = 0.0
        bands[0, self.fixed] = 1.0
        return cholesky_banded(bands, lower=True, check_finite=False)


def shortest(
    problem: Problem,
    x: np.ndarray,
    tolerance: float,
    multipliers: np.ndarray | None = None,
    centring: float = 10.0,
) -> Solution:
    """Return the spline with the shortest duration, to this part of it.

    x is where it starts; a start that breaks rows is allowed.  ``multipliers`` are a guess, and
    ``centring`` how large the products of slacks and multipliers are at first.
    """
    G = problem.look(x)
    s = np.maximum(-G, 1e-2 if multipliers is None else 1e-3)
    at_first = centring * problem.duration / G.size
    lam = at_first / s if multipliers is None else np.maximum(multipliers, at_first / s)
    gap = excess = np.inf
    for _ in range(STEPS):
        mu = float((lam * s).mean())
        if not mu < HUGE * at_first:  # no x keeps all rows
            break
        try:
            newton = _Newton(problem, G + s, s, lam)
        except LinAlgError:
            break
        _, ds, dlam = newton.step(0.0)
        reached = (s + _reach(s, ds) * ds) * (lam + _reach(lam, dlam) * dlam)
        sigma = (max(float(reached.mean()), 0.0) / mu) ** 3
        dx, ds, dlam = newton.step(sigma * mu - ds * dlam)
        primal, dual = (min(1.0, BOUNDARY * _reach(y, dy)) for y, dy in ((s, ds), (lam, dlam)))
        while problem.points.features(x + primal * dx)[:, 0].min() <= 0.0 and primal > SHORTEST:
            primal *= 0.5
        if not primal > SHORTEST:
            break
        x = x + primal * dx
        G = problem.look(x)
        s = np.maximum(s + primal * ds, -G)
        lam = lam + dual * dlam
        # no dot product: BLAS would wake threads for it, and wait for them on busy cores
        gap, excess = float((lam * s).sum()) / problem.duration, float(G.max())
        if gap < tolerance and excess < tolerance:
            return Solution(x, lam, excess, gap, True)
    return Solution(x, lam, excess, gap, False)


class _Newton:
    """The equations of one step, factored once for predictor and corrector."""

    def __init__(
        self, problem: Problem, residual: np.ndarray, s: np.ndarray, lam: np.ndarray
    ) -> None:
        self.problem, self.residual, self.s, self.lam, self.w = problem, residual, s, lam, lam / s
        self.factor = problem.factor(self.w)

    def step(self, tau: np.ndarray | float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return dx, ds and dλ towards products of slacks and multipliers of τ."""
        goal = tau / self.s
        pull = self.problem.pulls(goal + self.w * self.residual)
        dx = cho_solve_banded((self.factor, True), -pull, check_finite=False)
        ahead = self.residual + self.problem.changes(dx)
        return dx, -ahead, goal - self.lam + self.w * ahead


def _reach(x: np.ndarray, dx: np.ndarray) -> float:
    """Return how far x > 0 may go along dx; 2 is far enough."""
    return min(2.0, -1.0 / min(float((dx / x).min()), -0.5))
