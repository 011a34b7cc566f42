"""B-splines at given times, their derivatives, and polynomials between two points.

Knots on a grid need nothing of `scipy.interpolate`, whose import takes a while: a log is read
sooner without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import comb, factorial, perm
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import csr_array

if TYPE_CHECKING:
    from scipy.interpolate import BSpline

ROWS = 2048  # that are made at once: for more, BLAS wakes all of its threads, which costs more


class Curve(NamedTuple):
    """Knots, coefficients ``(m, n)`` and degree of a spline, called as those of a `BSpline`."""

    t: np.ndarray
    c: np.ndarray
    k: int


def evaluated(spline: Curve | BSpline, u: np.ndarray, order: int, step: float) -> np.ndarray:
    """Return the derivatives 0 … order by time at knot times u, ``(order + 1, *u.shape, n)``."""
    result = np.zeros((order + 1, *u.shape, spline.c.shape[1]))
    on_grid = bool(np.all(np.diff(spline.t) == 1.0))
    varying = _varying(spline.c) if order else spline.c
    orders = range(min(order, spline.k) + 1)
    grid = grid_rows(u.ravel(), spline.t, spline.k, orders) if on_grid else iter(())
    for k in orders:
        c = (varying if k else spline.c) / step**k
        if on_grid:
            result[k] = (next(grid) @ c).reshape(result[k].shape)
        else:
            from scipy.interpolate import BSpline

            result[k] = BSpline.construct_fast(spline.t, c, spline.k)(u, k)
    return result


def _varying(c: np.ndarray) -> np.ndarray:
    """Return coefficients less what they share, which has no derivative, where that is exact.

    So the derivatives of a small motion far from zero are as good as those of one near it.
    """
    rest = c - c[0]
    return np.where(2.0 * np.abs(rest).max(axis=0) <= np.abs(c[0]), rest, c)


def sample_rows(u: np.ndarray, knots: np.ndarray, degree: int) -> csr_array:
    """Return the B-splines of any knots at u, ``(m, coefficients)``."""
    from scipy.interpolate import BSpline

    return csr_array(BSpline.design_matrix(u, knots, degree))


def grid_rows(
    u: np.ndarray, knots: np.ndarray, degree: int, orders: Iterable[int] = (0,)
) -> Iterator[csr_array]:
    """Yield derivatives of the B-splines of knots one apart, ``(m, coefficients)`` an order.

    All intervals share the polynomials of their degree + 1 B-splines.  The rows of an order are
    overwritten by those of the next.
    """
    size = knots.size - degree - 1
    first = np.clip(np.floor(u - knots[degree]), 0, size - degree - 1).astype(np.int32)
    x = u - knots[degree] - first - 0.5
    columns = (first[:, None] + np.arange(degree + 1, dtype=np.int32)).ravel()
    starts = np.arange(0, columns.size + 1, degree + 1, dtype=np.int32)
    powers = np.ones((degree + 1, min(ROWS, u.size)))
    entries = np.empty((u.size, degree + 1))
    rows = csr_array((entries.ravel(), columns, starts), shape=(u.size, size))
    for k in orders:
        pieces = _pieces(degree, k)
        for i in range(0, u.size, ROWS):
            some = powers[: len(pieces), : u.size - i]
            for p in range(1, len(some)):
                np.multiply(some[p - 1], x[i : i + ROWS], out=some[p])
            np.matmul(some.T, pieces, out=entries[i : i + ROWS])
        yield rows


@lru_cache(maxsize=64)
def _pieces(degree: int, k: int) -> np.ndarray:
    """Return the k-th derivatives of the B-splines on one interval, by powers from its middle.

    With ``d = degree``, ``r = d − k − p`` and y the place in B-spline i of the middle, entry (p, i)
    is ``Σ_j (−1)^j binom(d + 1, j) (y − j)₊^r / (r! p!)``: integers, rounded once.
    """

    def entry(p: int, i: int) -> float:
        r, last = degree - k - p, degree - i
        signed = ((-1) ** j * comb(degree + 1, j) for j in range(last + 1))
        total = sum(x * (2 * (last - j) + 1) ** r for j, x in enumerate(signed))
        return total / (2**r * factorial(r) * factorial(p))

    return np.array([[entry(p, i) for i in range(degree + 1)] for p in range(degree + 1 - k)])


@lru_cache(maxsize=16)
def cell_penalty(degree: int, m: int) -> np.ndarray:
    """Return ``∫ B_i^(m) B_k^(m) du`` over one knot interval, ``(degree + 1, degree + 1)``."""
    x, weight = np.polynomial.legendre.leggauss(degree + 1)  # exact to degree 2 degree + 1
    rows = np.vander(x / 2.0, degree + 1 - m, increasing=True) @ _pieces(degree, m)
    return rows.T @ (weight[:, None] / 2.0 * rows)


def hermite(a: float, b: float, left: np.ndarray, right: np.ndarray) -> Curve:
    """Return the polynomial with the derivatives left ``(s + 1, n)`` at a and right at b.

    Its degree is ``N = 2 s + 1``, its coefficients β are those of the Bernstein polynomials on
    [a, b], the B-splines without inner knots.  With ``d_k = (b − a)^k (N − k)! / N! f^(k)``,

        β_i = Σ_k binom(i, k) d_k(a),   β_(N−i) = Σ_k (−1)^k binom(i, k) d_k(b),   i = 0 … s
    """
    s = len(left) - 1
    N = 2 * s + 1
    scale = np.array([(b - a) ** k / perm(N, k) for k in range(s + 1)])
    pascal = np.array([[comb(i, k) for k in range(s + 1)] for i in range(s + 1)], dtype=float)
    signs = (-1.0) ** np.arange(s + 1)
    start = (pascal * scale) @ left
    end = (pascal * scale * signs) @ right
    knots = np.concatenate([np.full(N + 1, a), np.full(N + 1, b)])
    return Curve(knots, np.concatenate([start, end[::-1]]), N)
