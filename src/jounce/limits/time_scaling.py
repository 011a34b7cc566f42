"""The shortest duration of a motion within the limits, by playing it slower or faster.

With time running c times as fast, ``q(c t)``, the motion and its forces change by powers of c.
Let D be what the inertia demands, ``M a + C v``, F the viscous friction, ``D v``, and G the
gravity forces, all along the motion as it was given.  Then, exactly and at every moment,

    q^(k) → c^k q^(k)
    Q^(k) → c^(k+2) D^(k) + c^(k+1) F^(k) + c^k G^(k)

so that every limit is a polynomial inequality in c.  Dry friction, ``v / √(v² + s²)`` of the speed
v, is none: it sets in at low speeds, so that its rate is largest there and a motion may have to be
much slower, or can be faster.  Within a range of factors that is not wide it is a polynomial too,
to a few millionths, so that the range is searched as all factors are without it; what is found is
then made exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial.polynomial import polyval
from scipy.optimize import root_scalar

from jounce.errors import ConvergenceError, InfeasibleError
from jounce.limits.check import SAMPLES, check_limits, piece_edges
from jounce.limits.forces import MotionForces, played
from jounce.limits.limits import MotionLimits, checked_limits
from jounce.model.robot import Robot
from jounce.trajectory.protocol import (
    RobotMotion,
    checked_duration,
    checked_times,
    motion_at,
    span_of,
)

ROUNDS = 50
WORST = 16  # polynomials that are solved at a time
ON_LIMIT = 1e-10  # of the bound
CLOSE = 1e-12  # of a bound: nearer than that is on it
POWERS = 5  # c^0 … c^4
RANGE = 0.7  # from a factor to the least one that is searched with it, with dry friction
TRIED = 0.0, 1e-5, 1e-3  # of a factor: below it, until limits hold
FAR = 1e6  # where nothing but dry friction limits the speed
SLOW, LOW = 0.3, 1e-3  # of the speed of smoothing
UNLIMITED = "nothing limits the speed of this motion: it stands still, or has no limits."


@dataclass(frozen=True, slots=True, eq=False)
class ScaledTrajectory:
    """A trajectory played ``factor`` times as fast: ``q(t0 + factor (t − t0))``.

    Its clock is a float: of a motion far shorter than |t0| it tells moments apart only to
    ``2⁻⁵² |t0|``, which the factor magnifies.
    """

    trajectory: RobotMotion
    factor: float

    def __post_init__(self) -> None:
        checked_duration("factor", self.factor)

    def __str__(self) -> str:
        return f"{self.trajectory}, played {self.factor:.6g} times as fast: {self.duration:g} s"

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return self.trajectory.n

    @property
    def t0(self) -> float:
        """Time at which the motion begins, in s."""
        return span_of(self.trajectory)[0]

    @property
    def duration(self) -> float:
        """How long the motion lasts, in s."""
        return self.trajectory.duration / self.factor

    @property
    def knots(self) -> np.ndarray:
        """Times at which the pieces of the motion meet, in s."""
        start, knots = span_of(self.trajectory)
        return self.t0 + (knots - start) / self.factor

    def inner(self, t: Any) -> np.ndarray:
        """Return the times of the trajectory itself."""
        times = np.asarray(t)
        elapsed = times - self.t0
        # of a short motion far from t = 0 the end is rounded, by more than its spline accepts
        is_end = np.abs(elapsed - self.duration) <= 2.0 * np.spacing(np.abs(times))
        passed = np.where(is_end, self.trajectory.duration, self.factor * elapsed)
        return span_of(self.trajectory)[0] + passed

    def __call__(self, t: Any, order: int = 4) -> Any:
        """Return the derivatives 0 … order at the times t, as the trajectory does.

        That is one array ``(order + 1, *t.shape, n)``, or a list of q and its rates.
        """
        values = self.trajectory(self.inner(checked_times(t, order)), order=order)
        scaled = played(values, self.factor)
        return np.array(scaled) if isinstance(values, np.ndarray) else scaled


class _Faster(ScaledTrajectory):
    """The same from t = 0 on: of a short motion far from zero no clock is rounded."""

    __slots__ = ()

    @property
    def t0(self) -> float:
        return 0.0


def scale_to_limits(
    robot: Robot,
    trajectory: RobotMotion,
    limits: MotionLimits | None = None,
    *,
    samples: int = SAMPLES,
    actuated: str | Sequence[str] | None = None,
) -> ScaledTrajectory:
    """Return the motion played as fast as the limits allow, by default the robot's own.

    The result is the largest factor c at which no limit is violated; slower motions are not
    always feasible, because gravity does not scale with time.  It starts from about this many
    samples, solves the inequalities in c there, and adds the moments at which `check_limits` finds
    the scaled motion beyond a limit, until there are none.  With Coulomb friction limits may hold
    on several ranges of c: the end of the fastest is returned, unless it is narrower than a
    thousandth of c.  Of a robot with closures the motion is a closed one, and limits of effort are
    those of the ``actuated`` joints.
    """
    limits = checked_limits(robot, limits)
    forces = MotionForces.of(robot, actuated, limits)
    slow = check_limits(robot, trajectory, limits, samples=samples, actuated=actuated)
    for row in slow.violations:
        if row.quantity == "position":
            raise InfeasibleError(
                f"the position of {row.joint!r} is {row.value:.6g} at t = {row.time:.6g} s, "
                f"{-row.margin:.3g} beyond its limit {row.bound:.6g}; no speed changes that."
            )
    edges = piece_edges(robot, trajectory, samples)
    times = edges[:: -(-edges.size // (2 * samples))]  # thinned where there are very many
    moments = Moments(forces, trajectory, limits, times)
    factor = fastest = moments.beyond()
    for _ in range(ROUNDS):
        factor = moments.largest(factor)
        faster = _Faster(trajectory, factor)
        found = check_limits(robot, faster, limits, samples=samples, actuated=actuated)
        beyond = faster.inner([row.time for row in found.rows if row.use > 1.0 + ON_LIMIT])
        if not beyond.size and factor == fastest == FAR:
            raise InfeasibleError(UNLIMITED)
        if not beyond.size:
            return ScaledTrajectory(trajectory, factor)
        moments = Moments(forces, trajectory, limits, np.union1d(moments.times, beyond))
    raise ConvergenceError(
        f"after {ROUNDS} rounds the motion still has extrema beyond its limits; give more samples."
    )


class Moments:
    """What a motion demands at some times of its own, as functions of the factor."""

    def __init__(
        self, forces: MotionForces, motion: RobotMotion, limits: MotionLimits, times: np.ndarray
    ) -> None:
        self.forces, self.times = forces, times
        self.rows = [
            (quantity, i)
            for quantity in limits.limited()
            if quantity.name != "position"
            for i in np.flatnonzero(np.isfinite(limits.range_of(quantity)).any(axis=0))
        ]
        order = max((q.rates for q, _ in self.rows), default=1)
        self.motion = motion_at(forces.robot, motion, times, max(order, 1))
        parts = forces.parts(self.motion) if any(q.is_force for q, _ in self.rows) else None
        coefficients = np.zeros((POWERS, len(self.rows), times.size))
        for row, (q, i) in zip(coefficients.swapaxes(0, 1), self.rows, strict=True):
            if q.is_force and parts is not None:
                inertia, friction, gravity = (x[q.order, :, i] for x in parts)
                row[q.order : q.order + 3] = gravity, friction, inertia
            else:
                row[q.order] = self.motion[q.order][:, i]
        bounds = np.array([[x[i] for x in limits.range_of(q)] for q, i in self.rows])
        low, high = np.repeat(bounds.reshape(-1, 2), times.size, axis=0).T
        labels = tuple((q.name, limits.names[i]) for q, i in self.rows)
        flat = coefficients.reshape(POWERS, -1)
        self.plain = Demands(labels, flat, low, high, np.tile(times, len(labels)))
        self.is_dry = forces.is_dry and parts is not None
        # v / s: how far dry friction is from its lowest speeds, where it is in proportion to v
        self.haste = float((np.abs(self.motion[1]) / forces.dry_speeds).max(initial=0.0))

    def dry(self, factor: float) -> np.ndarray:
        """Return what dry friction adds to the demands at a factor, ``(m,)``."""
        forces = self.forces.dry(played(self.motion, factor))
        shape = len(self.rows), self.times.size
        added = np.zeros(shape)
        for row, (q, i) in zip(added, self.rows, strict=True):
            if q.is_force:
                row[:] = forces[q.order, :, i]
        return added.ravel()

    def beyond(self) -> float:
        """Return a factor beyond which no limits hold.

        Dry friction and its rate are at most what they would be if they grew on with the speed as
        at the lowest speeds, where they are viscous.
        """
        extra = np.zeros_like(self.plain.coefficients)
        if self.is_dry:
            slow = LOW / max(self.haste, LOW)
            extra[0] = self.dry(0.0)
            viscous = self.dry(slow) - extra[0]
            for k, rows in enumerate(np.split(viscous, len(self.rows))):
                power = self.rows[k][0].order + 1
                extra[power].reshape(len(self.rows), -1)[k] = rows / slow**power
        beyond = self.plain.beyond(np.abs(extra))
        factor = float(beyond.min(initial=np.inf))
        if not factor:
            raise InfeasibleError(self.plain.explanation(int(beyond.argmin())))
        if np.isfinite(factor):
            return factor
        if self.is_dry and self.haste:
            return FAR
        raise InfeasibleError(UNLIMITED)

    def near(self, low: float, high: float) -> Demands:
        """Return the demands with dry friction as a polynomial of factors from low to high."""
        middle, half = (high + low) / 2.0, (high - low) / 2.0
        nodes = middle + half * np.cos(np.pi * (np.arange(POWERS) + 0.5) / POWERS)
        values = [self.dry(factor) for factor in nodes]
        scale = high ** np.arange(POWERS)
        dry = np.linalg.solve(np.vander(nodes / high, increasing=True), values) / scale[:, None]
        return self.plain._replace(coefficients=self.plain.coefficients + dry)

    def excess(self, factor: float) -> float:
        """Return how much of a bound is exceeded at a factor, at most; ≤ 0: limits hold."""
        exact = self.plain.coefficients.copy()
        exact[0] += self.dry(factor)
        return float(self.plain._replace(coefficients=exact).excess(factor).max())

    def largest(self, factor: float) -> float:
        """Return the largest factor up to this one that all samples allow."""
        if not self.is_dry:
            found, culprit = self.plain.largest(factor, 0.0)
            if culprit is None:
                return found
            raise InfeasibleError(self.plain.explanation(culprit))
        while True:
            low = RANGE * factor if factor * self.haste > SLOW else 0.0
            known = self.near(low, factor)
            found, culprit = known.largest(factor, low)
            if culprit is None:
                exact = self._exact(found, factor)
                if exact is not None:
                    return exact
                low = found * (1.0 - TRIED[-1])
            elif not low:
                raise InfeasibleError(known.explanation(culprit))
            factor = low

    def _exact(self, found: float, most: float) -> float | None:
        """Return the factor beside this one, found with polynomials, up to which limits hold."""
        low = next((x for x in found * (1.0 - np.array(TRIED)) if self.excess(x) <= 0.0), None)
        if low is None:
            return None
        high = min(most, found * (1.0 + TRIED[-1]))
        if self.excess(high) <= 0.0:
            return high
        return float(root_scalar(self.excess, bracket=(low, high), xtol=1e-15 * high).root)


class Demands(NamedTuple):
    """One inequality ``low ≤ Σ_k coefficients[k] c^k ≤ high`` for each of m columns."""

    labels: tuple[tuple[str, str], ...]  # quantity and joint, of as many columns each
    coefficients: np.ndarray  # (5, m)
    low: np.ndarray  # (m,)
    high: np.ndarray  # (m,)
    time: np.ndarray  # (m,)

    def largest(self, factor: float, least: float) -> tuple[float, int | None]:
        """Return the largest factor between these that all allow; or one that allows none."""
        while True:
            excess = self.excess(factor)
            worst = np.argsort(-excess)[:WORST]
            lower = {}
            for i in worst[excess[worst] > 0.0]:
                lower[int(i)] = below = self.largest_factor(int(i), factor)
                if below is None or below < least:
                    return least, int(i)
            if not lower:
                return factor, None
            factor = min(lower.values())

    def excess(self, factor: float) -> np.ndarray:
        """Return how much of each bound is exceeded at a factor, ``(m,)``; ≤ 0: it is kept."""
        value = polyval(factor, self.coefficients)
        beyond = np.full(value.shape, -np.inf)
        for sign, size in ((1.0, self.high), (-1.0, -self.low)):
            is_bound = np.isfinite(size)
            bound = np.where(is_bound, size, 1.0)
            share = (sign * value - (1.0 + CLOSE) * bound) / np.maximum(bound, 1e-300)
            beyond = np.where(is_bound, np.maximum(beyond, share), beyond)
        return beyond

    def beyond(self, extra: np.ndarray) -> np.ndarray:
        """Return factors beyond which each bound is exceeded for good, ``(m,)``, or infinity.

        All roots of a polynomial with the coefficients a lie within
        ``2 max_k |a_k / a_d|^(1 / (d − k))`` (Fujiwara's bound).  They may be off by the extra
        ones, ``(5, m)``, but for a_d.
        """
        degree = POWERS - 1 - np.argmax(self.coefficients[::-1] != 0.0, axis=0)
        columns = np.arange(degree.size)
        lead = self.coefficients[degree, columns]
        bound = np.where(lead > 0.0, self.high, -self.low)  # the one that is passed in the end
        is_sure = np.isfinite(bound) & (extra[degree, columns] == 0.0)
        lead = np.where(is_sure & (degree > 0), np.abs(lead), 0.0)
        largest = np.zeros(bound.size)
        for k in range(POWERS - 1):
            below = degree - k
            size = np.abs(self.coefficients[k]) + extra[k] + (bound if k == 0 else 0.0)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                root = (size / lead) ** (1.0 / np.maximum(below, 1))
            largest = np.where(below > 0, np.maximum(largest, root), largest)
        return np.where(lead > 0.0, 2.0 * largest, np.inf)

    def largest_factor(self, i: int, factor: float) -> float | None:
        """Return the largest c ≤ factor, which exceeds bound i, that does not; None: no c."""
        roots: list[float] = []
        for bound in {self.low[i], self.high[i]} - {-np.inf, np.inf}:
            shifted = self.coefficients[:, i] - bound * np.eye(POWERS)[0]
            found = np.roots(shifted[::-1])
            real = found.real[np.abs(found.imag) <= 1e-7 * np.abs(found)]
            slope = polyval(real, np.arange(1, POWERS) * shifted[1:])
            step = polyval(real, shifted) / np.where(slope, slope, np.inf)
            real = real - np.where(np.abs(step) < 1e-6 * np.abs(real), step, 0.0)  # Newton's
            roots += [float(x) for x in real if 0.0 < x < factor]
        return max(roots, default=None)

    def explanation(self, i: int) -> str:
        """Return why no factor satisfies inequality i."""
        quantity, joint = self.labels[i * len(self.labels) // self.time.size]
        still, time = self.coefficients[0, i], self.time[i]
        side = still if still else self.coefficients[:, i].sum()
        bound = abs(self.high[i] if side > 0.0 else self.low[i])
        if quantity == "effort" and abs(still) > bound:
            return (
                f"joint {joint!r} cannot hold gravity at t = {time:.6g} s of the given motion: it "
                f"takes {still:.6g}, the limit is {bound:.6g} (margin {bound - abs(still):.3g}); "
                "no speed changes that."
            )
        return (
            f"the {quantity} of joint {joint!r} exceeds its limit {bound:.6g} at t = {time:.6g} s "
            "of the given motion at any speed."
        )
