"""A duration that no motion along a curve undercuts within its limits of second order.

Whatever function ν of the place is chosen, a motion with the squared speed b takes

    T = ∫ 1/√b du = ∫ (1/√b + ν b' + ν' b) du − [ν b]

and at each place that is no less than its minimum over all (b, b') that the limits allow there.
So each ν gives a lower bound, whoever found it; that of the optimum, the price of speed, gives the
duration itself where limits are linear in b and b'.

With a row ``α b + β b' + d √b + o + f(√b) ≤ 0``, where f is dry friction, and ``λ = −ν/β ≥ 0``,

    1/√b + ν b' + ν' b  ≥  1/w + κ w² + δ w + λ (o + f(w)),   w = √b,  κ = ν' + λ α,  δ = λ d

for all w ≤ V that the rows allow.  But for f that is convex in w if κ ≥ 0, and a negative κ w² is
at least κ V w.  f rises with the speed or falls, so between two speeds it is no less than at one
of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.interpolate import BSpline
from scipy.sparse.linalg import spsolve

from jounce.limits.forces import MotionForces
from jounce.limits.limits import QUANTITIES
from jounce.planning.constraints import SECOND_ORDER, constraints_at
from jounce.planning.curve import Curve
from jounce.planning.limits_along import LimitsAlong
from jounce.planning.powers import ONE
from jounce.planning.squared_speed import SquaredSpeed, clamped_knots, quadrature

DEGREE = 2  # of ν
COARSER = 2  # pieces of b that are one of ν: multipliers of points are not smooth
FEWEST = 8  # pieces of ν
FLAT = 1.8  # of the power of u as which p' begins: one more piece at the end
# of a cell: five points, their weights, and those of the two Gauss points among them
KRONROD = np.array([-((6.0 / 7.0) ** 0.5), -(3.0**-0.5), 0.0, 3.0**-0.5, (6.0 / 7.0) ** 0.5])
WEIGHTS = np.array([98.0 / 990.0, 27.0 / 110.0, 28.0 / 90.0, 27.0 / 110.0, 98.0 / 990.0])
GAUSS = np.array([0.0, 0.5, 0.0, 0.5, 0.0])
ROUNDING = 1e-9  # of the integral of absolute values
FASTEST = 1e12  # in units of a speed that is feasible: nothing is looked for beyond
CUTS, CHOICES, HALVINGS = 8, 3, 80  # rounds
SPEEDS = np.geomspace(1e-2, 1e2, 29)  # of the speed found: between two of them f is bounded


class _Rows(NamedTuple):
    """The coefficients of rows at m places, ``(m, rows)`` each, or of one row at each, ``(m,)``."""

    alpha: np.ndarray
    beta: np.ndarray
    d: np.ndarray
    o: np.ndarray

    def __call__(self, w: np.ndarray) -> np.ndarray:
        """Return ``α w² + d w + o``."""
        return (self.alpha * w + self.d) * w + self.o

    def chosen(self, at: np.ndarray) -> _Rows:
        """Return one row of each place."""
        return _Rows(*(np.take_along_axis(x, at[:, None], axis=1)[:, 0] for x in self))


def price_of(u: np.ndarray, pull: np.ndarray, pieces: int) -> BSpline:
    """Return ν as the spline that is nearest to point masses ``pull`` at u.

    These are ``−Σ λ β`` of the multipliers λ of the rows at u.
    """
    knots = clamped_knots(max(pieces // COARSER, FEWEST), DEGREE)
    at, weight = quadrature(np.unique(knots), *np.polynomial.legendre.leggauss(DEGREE + 1))
    basis, seen = (BSpline.design_matrix(x, knots, DEGREE) for x in (at, u))
    mass = basis.T @ basis.multiply(weight[:, None])
    return BSpline(knots, spsolve(mass.tocsc(), seen.T @ pull), DEGREE)


class LowerBound:
    """The rows of second order at the points of a quadrature along a curve; b is in units."""

    def __init__(
        self,
        curve: Curve,
        limits: LimitsAlong,
        forces: MotionForces,
        cells: np.ndarray,
        near: SquaredSpeed,
        unit: float,
    ) -> None:
        self.curve, self.unit = curve, unit
        self.step = np.diff(cells)[:, None]
        self.u, _ = quadrature(cells, KRONROD, WEIGHTS)
        self.w = np.sqrt(near(self.u) / unit)
        rows = constraints_at(curve, limits, forces, self.u, unit, features=SECOND_ORDER)
        d = np.zeros_like(rows.o)
        for _, start, stop, coefficients in rows.blocks:  # of √b, the only other power
            d[:, start:stop] += coefficients
        self.rows = _Rows(rows.L[..., 0], rows.L[..., 1], d, rows.o)
        self.edges = np.array([0.0, np.inf])[:, None]
        self.dry = np.broadcast_to(0.0, (2, *d.shape))  # f at these speeds
        if forces.is_dry and not forces.robot.closures:
            self._add_dry(limits, forces)
        elif forces.is_dry:  # how passive joints hand theirs on is not known to rise with the speed
            force = {x.name for x in QUANTITIES if x.is_force}
            kept = [k for k, label in enumerate(rows.labels) if label.quantity not in force]
            self.rows = _Rows(*(x[:, kept] for x in self.rows))
            self.dry = self.dry[..., kept]
        self.V = self._fastest()

    def _add_dry(self, limits: LimitsAlong, forces: MotionForces) -> None:
        """Find dry friction at some speeds of each place, in each row."""
        at = [constraints_at(self.curve, limits, forces, self.u[:1], self.unit,
                             features=SECOND_ORDER, dry=dry)
              for dry in (None, {ONE: [np.ones((1, len(limits.names)))]})]  # fmt: skip
        factor = at[1].o[0] - at[0].o[0]
        joint = [limits.names.index(x.joint) if x.joint else 0 for x in at[0].labels]
        none, most = np.zeros((1, self.u.size)), np.full((1, self.u.size), FASTEST)
        self.edges = np.concatenate([none, SPEEDS[:, None] * self.w, most])
        q, p1 = self.curve(self.u, 1)
        v = (self.edges * self.unit**0.5)[..., None] * p1
        force = forces.dry([np.broadcast_to(q, (*v.shape[:2], q.shape[1])), v, 0.0 * v])[0]
        self.dry = force[..., joint] * factor
        self.edges[-1] = np.inf

    def _fastest(self) -> np.ndarray:
        """Return a bound of √b: each pair of rows that forbids a speed by itself lowers it.

        ``x₁/β₁ + x₂/|β₂| ≤ 0`` of two rows with β₁ > 0 > β₂ has no b' in it.
        """
        alpha, beta, d, o = self.rows
        rows = self.rows._replace(o=o + self.dry.min(axis=0))
        flat = np.where((beta == 0.0) & (alpha > 0.0), alpha, np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            own = (-d + np.sqrt(d * d - 4.0 * flat * rows.o)) / (2.0 * flat)
            V = np.fmin.reduce(own, axis=1, initial=np.inf)
            for _ in range(CUTS):
                value = rows(np.minimum(V, FASTEST)[:, None]) / np.abs(beta)
                pair = [
                    rows.chosen(np.argmax(np.where(side, value, -np.inf), axis=1))
                    for side in (beta > 0.0, beta < 0.0)
                ]
                a, b, c = (x / abs(pair[0].beta) + y / abs(pair[1].beta)
                           for x, y in ((pair[0][k], pair[1][k]) for k in (0, 2, 3)))  # fmt: skip
                root = (-b + np.sqrt(b * b - 4.0 * a * c)) / (2.0 * a)
                is_pair = (pair[0].beta > 0.0) & (pair[1].beta < 0.0) & (a > 0.0) & (root > 0.0)
                V = np.where(is_pair, np.fmin(root, V), V)
        return V

    def __call__(self, price: BSpline, ends: list[float | None]) -> float:
        """Return the bound of this price, or that of none if it is larger, in s.

        ``ends`` are the squared speeds there, None at rest.
        """
        nu, slope = self._price(price, [x is None for x in ends])
        gain = [0.0 if x is None else float(price(u)) * x / self.unit
                for u, x in zip((0.0, 1.0), ends, strict=True)]  # fmt: skip
        totals = [0.0, self._sum(1.0 / self.V)]
        least = self._least(nu, slope) if np.isfinite([nu, slope]).all() else nu
        if np.isfinite(least).all():
            totals.append(self._sum(least) + gain[0] - gain[1])
        return max(totals) / self.unit**0.5

    def _price(self, price: BSpline, rests: list[bool]) -> tuple[np.ndarray, np.ndarray]:
        """Return ν and ν' at the points.

        At rest, on the last pieces, it is as for a constant acceleration, |p'|^(3/2) / √u: then
        ``ν b`` vanishes at the end for every motion whose acceleration is bounded.  The flatter
        the curve begins, the more pieces these are, and the shorter is their part of the path;
        those of both ends do not overlap.  Of a path that stands still there ν is not known, NaN.
        """
        nu, slope = price(self.u), price(self.u, 1)
        edges = np.unique(price.t)
        for end, is_rest in zip((0.0, 1.0), rests, strict=True):
            if is_rest:
                _, growth = self._law(np.abs(end - edges[1:2]), end)
                flat = (2.0 * edges[1] * abs(growth[0]) + 1.0) / 3.0  # p' begins as this power of u
                most = (edges.size - 1) // 2
                edge = abs(end - edges[int(np.fmin(1.0 + flat / FLAT, most))])
                own = np.abs(self.u - end) < abs(edge - end)
                law, growth = self._law(np.append(self.u[own], edge), end)
                nu[own] = float(price(edge)) / law[-1] * law[:-1]
                slope[own] = nu[own] * growth[:-1]
        return nu, slope

    def _law(self, u: np.ndarray, end: float) -> tuple[np.ndarray, np.ndarray]:
        """Return |p'|^(3/2) / √u, with u from an end, and its slope over itself."""
        _, p1, p2 = self.curve(u, 2)
        size = np.abs(p1).max(axis=1, keepdims=True)
        size = np.where(size > 0.0, size, np.nan)
        unit = p1 / size
        length = (unit * unit).sum(axis=1)
        law = size[:, 0] ** 1.5 * length**0.75 / np.sqrt(np.abs(u - end))
        return law, 1.5 * (unit * (p2 / size)).sum(axis=1) / length - 0.5 / (u - end)

    def _least(self, nu: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """Return what the integrand is at least, at each point."""
        usual, places = self.dry[len(self.dry) // 2], np.arange(nu.size)
        w, best = np.minimum(self.w, self.V), np.full(nu.size, -np.inf)
        low, high = self.edges[:-1], np.minimum(self.edges[1:], self.V)
        is_own = self.rows.beta * nu[:, None] < 0.0
        lam = np.divide(-nu[:, None], self.rows.beta, out=np.zeros(is_own.shape), where=is_own)
        is_own |= (nu == 0.0)[:, None]
        for _ in range(CHOICES):  # any row will do: the one that binds is best
            pull = np.where(is_own, lam * (self.rows(w[:, None]) + usual), -np.inf)
            at = np.argmax(pull, axis=1)
            row, own, dry = self.rows.chosen(at), lam[places, at], self.dry[:, places, at]
            kappa, delta = slope + own * row.alpha, own * row.d
            with np.errstate(invalid="ignore"):
                delta = np.where(kappa < 0.0, delta + kappa * self.V, delta)
                kappa = np.maximum(kappa, 0.0)
                w = _lowest(kappa, delta, self.V)
                x = np.clip(w, low, np.maximum(low, high))
                least = 1.0 / x + (kappa * x + delta) * x + own * np.minimum(dry[:-1], dry[1:])
            least = np.where(low <= self.V, least, np.inf).min(axis=0) + own * row.o
            least -= np.where(np.isfinite(self.V), 0.0, 1.0 / FASTEST)
            is_known = np.isfinite(least) & is_own[places, at]
            is_known &= np.isfinite(self.V) | (kappa > 0.0) | (delta >= 0.0)
            best = np.where(is_known, np.maximum(best, least), best)
        return best

    def _sum(self, values: np.ndarray) -> float:
        """Return the integral, less what five points and two of them differ by."""
        cells = values.reshape(self.step.shape[0], -1) * self.step
        fine, coarse = cells @ WEIGHTS, cells @ GAUSS
        return float((fine - np.abs(fine - coarse)).sum() - ROUNDING * np.abs(fine).sum())


def _lowest(kappa: np.ndarray, delta: np.ndarray, most: np.ndarray) -> np.ndarray:
    """Return where ``1/w + δ w + κ w²`` is least, κ ≥ 0 and 0 < w ≤ most."""
    low, high = np.zeros_like(most), np.minimum(most, FASTEST)
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        is_past = (2.0 * kappa * middle + delta) * middle * middle > 1.0
        low, high = np.where(is_past, low, middle), np.where(is_past, middle, high)
    return high
