"""The shortest duration of a motion within the limits, by playing it slower or faster.

With time running c times as fast, ``q(c t)``, the motion and its forces change by powers of c.
Let D be what the inertia demands, ``M a + C v``, F the viscous friction, ``D v``, and G the
gravity forces, all along the motion as it was given.  Then, exactly and at every moment,

    q^(k) → c^k q^(k)
    Q^(k) → c^(k+2) D^(k) + c^(k+1) F^(k) + c^k G^(k)

so that every limit is a polynomial inequality in c.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from jounce.errors import ArgumentError, ConvergenceError, InfeasibleError
from jounce.limits.check import SAMPLES, check_limits, piece_edges
from jounce.limits.forces import MotionForces, played
from jounce.limits.limits import MotionLimits, Quantity, checked_limits
from jounce.model.robot import Robot
from jounce.trajectory.protocol import RobotMotion, checked_time, checked_times, motion_at

ROUNDS = 50
WORST = 16  # polynomials that are solved at a time
ON_LIMIT = 1e-10  # of the bound
CLOSE = 1e-12  # of a bound: nearer than that is on it
SETTLED = 1e-9  # of a factor
POWERS = 5  # c^0 … c^4


@dataclass(frozen=True, slots=True, eq=False)
class ScaledTrajectory:
    """A trajectory played ``factor`` times as fast: ``q(t0 + factor (t − t0))``.

    Its clock is a float: of a motion far shorter than |t0| it tells moments apart only to
    ``2⁻⁵² |t0|``, which the factor magnifies.
    """

    trajectory: RobotMotion
    factor: float

    def __post_init__(self) -> None:
        if checked_time("factor", self.factor) <= 0.0:
            raise ArgumentError(f"factor must be positive, got {self.factor!r}.")

    def __str__(self) -> str:
        return f"{self.trajectory}, played {self.factor:.6g} times as fast: {self.duration:g} s"

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return self.trajectory.n

    @property
    def t0(self) -> float:
        """Time at which the motion begins, in s."""
        return float(getattr(self.trajectory, "t0", 0.0))

    @property
    def duration(self) -> float:
        """How long the motion lasts, in s."""
        return self.trajectory.duration / self.factor

    @property
    def knots(self) -> np.ndarray:
        """Times at which the pieces of the motion meet, in s."""
        return self.t0 + (np.asarray(getattr(self.trajectory, "knots", ())) - self.t0) / self.factor

    def __call__(self, t: Any, order: int = 4) -> Any:
        """Return the derivatives 0 … order at the times t, as the trajectory does.

        That is one array ``(order + 1, *t.shape, n)``, or a list of q and its rates.
        """
        times = checked_times(t, order)
        elapsed = times - self.t0
        # of a short motion far from t = 0 the end is rounded, by more than its spline accepts
        is_end = np.abs(elapsed - self.duration) <= 2.0 * np.spacing(np.abs(times))
        inner = self.t0 + np.where(is_end, self.trajectory.duration, self.factor * elapsed)
        values = self.trajectory(inner, order=order)
        scaled = played(values, self.factor)
        return np.array(scaled) if isinstance(values, np.ndarray) else scaled


@dataclass(frozen=True, slots=True, eq=False)
class _Faster:
    """A motion with the rates of a faster one, at times of its own: no clock is rounded."""

    motion: RobotMotion
    factor: float

    @property
    def n(self) -> int:
        return self.motion.n

    @property
    def t0(self) -> float:
        return float(getattr(self.motion, "t0", 0.0))

    @property
    def duration(self) -> float:
        return self.motion.duration

    @property
    def knots(self) -> np.ndarray:
        return getattr(self.motion, "knots", np.empty(0))

    def __call__(self, t: Any, order: int = 4) -> list[np.ndarray]:
        return played(self.motion(t, order=order), self.factor)


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
    the scaled motion beyond a limit, until there are none.  Of a robot with closures the motion is
    a closed one, and limits of effort are those of the ``actuated`` joints.
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
    times = _sample_times(robot, trajectory, samples)
    known = demands(forces, trajectory, limits, times)
    factor, near = np.inf, 1.0
    for _ in range(ROUNDS):
        factor = _largest(known, factor)
        faster = _Faster(trajectory, factor)
        found = check_limits(robot, faster, limits, samples=samples, actuated=actuated)
        beyond = [row.time for row in found.rows if row.use > 1.0 + ON_LIMIT]
        if not beyond and (not forces.is_dry or abs(factor - near) <= SETTLED * factor):
            return ScaledTrajectory(trajectory, factor)
        if forces.is_dry:  # at another speed it is another force
            times, near = np.union1d(times, beyond), factor
            known, factor = demands(forces, trajectory, limits, times, near), np.inf
        else:
            known = known.joined(demands(forces, trajectory, limits, np.unique(beyond)))
    raise ConvergenceError(
        f"after {ROUNDS} rounds the motion still has extrema beyond its limits; give more samples."
    )


def _sample_times(robot: Robot, motion: RobotMotion, samples: int) -> np.ndarray:
    """Return times to begin with: those of the pieces, thinned where there are very many."""
    edges = piece_edges(robot, motion, samples)
    return edges[:: -(-edges.size // (2 * samples))]


def _largest(known: Demands, factor: float) -> float:
    """Return the largest factor up to this one that all samples allow."""
    beyond = known.beyond()
    factor = min(factor, float(beyond.min(initial=np.inf)))
    if not np.isfinite(factor):
        raise InfeasibleError(
            "nothing limits the speed of this motion: it stands still, or has no limits."
        )
    if not factor:
        raise InfeasibleError(known.explanation(int(beyond.argmin())))
    while True:
        excess = known.excess(factor)
        worst = np.argsort(-excess)[:WORST]
        lower = []
        for i in worst[excess[worst] > 0.0]:
            below = known.largest_factor(int(i), factor)
            if below is None:
                raise InfeasibleError(known.explanation(int(i)))
            lower.append(below)
        if not lower:
            return factor
        factor = min(lower)


class Demands(NamedTuple):
    """One inequality ``low ≤ Σ_k coefficients[k] c^k ≤ high`` for each of m columns."""

    labels: tuple[tuple[str, str], ...]  # quantity and joint
    coefficients: np.ndarray  # (5, m)
    degree: np.ndarray  # (m,)
    low: np.ndarray  # (m,)
    high: np.ndarray  # (m,)
    label: np.ndarray  # (m,): index among the labels
    time: np.ndarray  # (m,)

    def joined(self, more: Demands) -> Demands:
        """Return these and those of other samples of the same motion."""
        return Demands(
            self.labels,
            *(np.concatenate(x, axis=-1) for x in zip(self[1:], more[1:], strict=True)),
        )

    def excess(self, factor: float) -> np.ndarray:
        """Return how much of each bound is exceeded at a factor, ``(m,)``; ≤ 0: it is kept."""
        value = np.polynomial.polynomial.polyval(factor, self.coefficients)
        beyond = np.full(value.shape, -np.inf)
        for sign, size in ((1.0, self.high), (-1.0, -self.low)):
            is_bound = np.isfinite(size)
            bound = np.where(is_bound, size, 1.0)
            share = (sign * value - (1.0 + CLOSE) * bound) / np.maximum(bound, 1e-300)
            beyond = np.where(is_bound, np.maximum(beyond, share), beyond)
        return beyond

    def beyond(self) -> np.ndarray:
        """Return factors beyond which each bound is exceeded for good, ``(m,)``, or infinity.

        All roots of a polynomial with the coefficients a lie within
        ``2 max_k |a_k / a_d|^(1 / (d − k))`` (Fujiwara's bound).
        """
        lead = self.coefficients[self.degree, np.arange(self.degree.size)]
        bound = np.where(lead > 0.0, self.high, -self.low)  # the one that is passed in the end
        lead = np.where(np.isfinite(bound), np.abs(lead), 0.0)
        largest = np.zeros(bound.size)
        for k in range(POWERS - 1):
            below = self.degree - k
            size = np.abs(self.coefficients[k]) + (bound if k == 0 else 0.0)
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
            roots += [float(x) for x in real if 0.0 < x < factor]
        return max(roots, default=None)

    def explanation(self, i: int) -> str:
        """Return why no factor satisfies inequality i."""
        quantity, joint = self.labels[self.label[i]]
        still, time = self.coefficients[0, i], self.time[i]
        side = still if still else self.coefficients[self.degree[i], i]
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


def demands(
    forces: MotionForces,
    motion: RobotMotion,
    limits: MotionLimits,
    times: np.ndarray,
    factor: float = 1.0,
) -> Demands:
    """Return what the motion demands at these times of its own, near this factor."""
    quantities = [q for q in limits.limited() if q.name != "position"]
    parts = _parts(forces, motion, quantities, times, factor)
    none, indices = np.empty(0), np.empty(0, int)
    known = Demands((), np.empty((POWERS, 0)), indices, none, none, indices, none)
    for quantity, powers in parts.items():
        low, high = limits.range_of(quantity)
        for i in np.flatnonzero(np.isfinite(low) | np.isfinite(high)):
            coefficients = np.zeros((POWERS, times.size))
            for power, values in powers.items():
                coefficients[power] = values[:, i]
            degree, least, most, number = (
                np.full(times.size, x) for x in (max(powers), low[i], high[i], len(known.labels))
            )
            label = (quantity.name, limits.names[i])
            known = Demands((*known.labels, label), *known[1:])
            known = known.joined(Demands((), coefficients, degree, least, most, number, times))
    return known


def _parts(
    forces: MotionForces,
    motion: RobotMotion,
    quantities: list[Quantity],
    times: np.ndarray,
    factor: float,
) -> dict[Quantity, dict[int, np.ndarray]]:
    """Return the part of each quantity that scales with each power of the speed.

    Dry friction does not scale; near a factor c it counts as gravity does, ``F^(k)(c) / c^k``.
    """
    order = max((q.order + 2 * q.is_force for q in quantities), default=0)
    rates = motion_at(forces.robot, motion, times, order)
    parts = {q: {q.order: rates[q.order]} for q in quantities if not q.is_force}
    if any(q.is_force for q in quantities):
        inertia, friction, gravity = forces.parts(rates)
        if forces.is_dry:
            gravity = gravity + forces.scaled(rates, factor) - forces.plain.scaled(rates, factor)
        for q in quantities:
            k = q.order
            if q.is_force:
                parts[q] = {k: gravity[k], k + 1: friction[k], k + 2: inertia[k]}
    return parts
