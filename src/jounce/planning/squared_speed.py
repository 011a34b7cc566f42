"""The squared speed b(u) = u̇² along a curve, as a spline, and the clock that belongs to it."""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial

import numpy as np
from scipy.interpolate import BSpline, PPoly

from jounce.planning.curve import product

PARTS = 4  # of each piece, over which 1/√b is integrated at once
GAUSS = np.polynomial.legendre.leggauss(10)
NEWTON = 4


def clamped_knots(pieces: int, degree: int, more: Sequence[float] | np.ndarray = ()) -> np.ndarray:
    """Return knots of B-splines on so many equal pieces of [0, 1], and at more places."""
    inner = np.union1d(np.arange(pieces + 1) / pieces, more)
    return np.concatenate([np.zeros(degree), inner, np.ones(degree)])


def quadrature(
    edges: np.ndarray, x: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the points and weights of a rule for −1 … 1 in every cell between the edges."""
    half = np.diff(edges)[:, None] / 2.0
    return (edges[:-1, None] + half * (1.0 + x)).ravel(), (half * weight).ravel()


def basis_at(
    knots: np.ndarray, degree: int, u: np.ndarray, orders: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the first of the degree + 1 B-splines that are not zero at u, and all of them.

    The result is ``(m,)`` and ``(m, orders, degree + 1)``: values and derivatives by u.
    """
    size = knots.size - degree - 1
    first = np.clip(np.searchsorted(knots, u, side="right") - degree - 1, 0, size - degree - 1)
    values = np.empty((u.size, orders, degree + 1))
    columns = first[:, None] + np.arange(degree + 1)
    for start in range(0, u.size, 256):
        part = slice(start, start + 256)
        low, high = int(columns[part].min()), int(columns[part].max()) + 1
        local = BSpline(knots[low : high + degree + 1], np.eye(high - low), degree)
        for k in range(orders):
            rows = local(u[part], k)
            values[part, k] = np.take_along_axis(rows, columns[part] - low, axis=1)
    return first, values


class SquaredSpeed:
    """b(u) with the time ``t(u) = ∫ du / √b`` and its inverse."""

    def __init__(self, knots: np.ndarray, coefficients: np.ndarray, degree: int) -> None:
        self.spline = BSpline(knots, coefficients, degree)
        self.pieces = PPoly.from_spline(self.spline)
        edges = np.unique(knots)
        shares = np.linspace(0.0, 1.0, PARTS, endpoint=False)
        self.edges = edges
        self.nodes = np.append((edges[:-1, None] + np.diff(edges)[:, None] * shares).ravel(), 1.0)
        steps = self._elapsed(self.nodes[:-1], self.nodes[1:])
        self.times = np.concatenate([[0.0], np.cumsum(steps)])
        self.duration = float(self.times[-1])

    def __call__(self, u: np.ndarray, k: int = 0) -> np.ndarray:
        """Return the k-th derivative of b by u."""
        return self.pieces(u, k) if k <= self.spline.k else np.zeros(np.shape(u))

    def _elapsed(self, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """Return the time from start to end, within one node interval each."""
        x, weight = GAUSS
        half = (end - start)[..., None] / 2.0
        b = self.pieces(start[..., None] + half * (1.0 + x))
        return (weight * half / np.sqrt(b)).sum(axis=-1)

    def time(self, u: np.ndarray) -> np.ndarray:
        """Return the time at which u is reached."""
        i = np.clip(np.searchsorted(self.nodes, u, side="right") - 1, 0, self.nodes.size - 2)
        return self.times[i] + self._elapsed(self.nodes[i], u)

    def place(self, t: np.ndarray) -> np.ndarray:
        """Return u at times t, by Newton's method from the cubic between two nodes."""
        i = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, self.times.size - 2)
        start, end = self.nodes[i], self.nodes[i + 1]
        h = self.times[i + 1] - self.times[i]
        x = np.clip((t - self.times[i]) / h, 0.0, 1.0)
        slopes = (np.sqrt(self.pieces(z)) * h for z in (start, end))
        a, b = slopes
        rise = end - start
        u = start + x * (a + x * (3.0 * rise - 2.0 * a - b + x * (a + b - 2.0 * rise)))
        for _ in range(NEWTON):
            u = np.clip(u, start, end)
            late = self.times[i] + self._elapsed(start, u) - t
            u = u - late * np.sqrt(self.pieces(u))
        return np.clip(u, start, end)

    def rates(self, u: np.ndarray, order: int) -> np.ndarray:
        """Return the time derivatives 1 … order of u at u, ``(order, *u.shape)``.

        ``u̇ = √b`` and ``ü = ½ b'(u)``; the others are the time derivatives of the latter, by
        Taylor series: ``(k + 2)(k + 1) c_(k+2) = ½ Σ_j b^(j+1) / j! [δ^j]_k``.
        """
        c = np.zeros((order + 1, *u.shape))  # of δ = u(t + h) − u(t)
        c[1] = np.sqrt(self(u))
        slopes = [self(u, j + 1) / (2.0 * factorial(j)) for j in range(order - 1)]
        for k in range(order - 1):
            power = np.zeros_like(c)
            power[0] = 1.0
            total = np.zeros(u.shape)
            for j in range(k + 1):
                total += slopes[j] * power[k]
                power = product(power, c)
            c[k + 2] = total / ((k + 2) * (k + 1))
        return np.array([c[k] * factorial(k) for k in range(1, order + 1)])
