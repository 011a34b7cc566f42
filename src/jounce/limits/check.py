"""Does a motion keep within the limits, and where does it come nearest to them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from jounce.errors import ArgumentError, ShapeError
from jounce.limits.extrema import BUDGET, HALVINGS, Maxima, maxima
from jounce.limits.forces import MotionForces
from jounce.limits.limits import (
    MotionLimits,
    Quantity,
    checked_limits,
    spoken,
    unknown_limits,
)
from jounce.model.checks import checked_integer
from jounce.model.configuration import motion_of
from jounce.model.robot import Robot
from jounce.tables.log import Log
from jounce.tables.table import MotionTable
from jounce.trajectory.closed import closed_samples, leading_velocities
from jounce.trajectory.protocol import (
    RobotMotion,
    checked_motion,
    checked_samples,
    checked_span,
    motion_at,
    positions,
)
from jounce.trajectory.spline.smoothing import SplineWarning
from jounce.trajectory.spline.spline import Spline

TOLERANCE = 1e-9  # of the bound: a motion on its limit does not violate it
SAMPLES = 2001
SHOWN = 5  # rows of a report as text


class LimitRow(NamedTuple):
    """Where one quantity of one joint, or of one of its velocities, comes nearest to its limit.

    ``margin`` is the distance to ``bound``, negative beyond it.  ``use`` is how much of the
    limit is used, 1 being all of it: ``1 − margin / scale``, where the scale is the bound, for
    positions and bounds that differ by direction half of the range, or max(|bound|, 1) where only
    one end of it is bounded.  ``missing`` is how much more may be used at moments that could not
    be resolved.
    """

    quantity: str
    joint: str
    time: float
    value: float
    bound: float
    margin: float
    use: float
    missing: float = 0.0

    @classmethod
    def of(
        cls, label: tuple[str, str], time: Any, value: Any, bound: Any, side: Any, scale: Any,
        missing: Any = 0.0,
    ) -> LimitRow:  # fmt: skip
        """Return the row of a quantity and joint; side is 1 for an upper bound, −1 for a lower."""
        margin = float(side * bound - side * value)
        use = 1.0 - margin / float(scale)
        return cls(*label, float(time), float(value), float(bound), margin, use, float(missing))

    @property
    def violated(self) -> bool:
        """Whether the value lies beyond the bound, by more than rounding."""
        return self.use > 1.0 + TOLERANCE

    def __str__(self) -> str:
        return (
            f"the {spoken(self.quantity)} of {self.joint} is {self.value:.6g} at "
            f"t = {self.time:.6g} s, {'beyond' if self.violated else 'within'} its limit "
            f"{self.bound:.6g}"
        )


@dataclass(frozen=True, slots=True)
class LimitReport:
    """The worst moment of every limited quantity of every velocity.

    ``differentiated`` names the limited quantities that samples did not tell: there they are of a
    spline through them.
    """

    rows: tuple[LimitRow, ...]
    differentiated: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether no limit is violated, nor can be where the motion could not be resolved."""
        return not any(row.use + row.missing > 1.0 + TOLERANCE for row in self.rows)

    @property
    def worst(self) -> LimitRow | None:
        """The row that uses most of its limit; None where nothing is limited."""
        return max(self.rows, key=lambda row: row.use, default=None)

    @property
    def violations(self) -> tuple[LimitRow, ...]:
        """The rows beyond their limit, the worst first."""
        return tuple(sorted((r for r in self.rows if r.violated), key=lambda row: -row.use))

    @property
    def unknown(self) -> tuple[str, ...]:
        """A sentence for each of the usual limits that is not known, so nothing kept either."""
        return unknown_limits(row.quantity for row in self.rows)

    def __str__(self) -> str:
        count = len(self.violations)
        verdict = {0: "all known limits hold", 1: "one limit is exceeded"}
        if not count and not self.ok:
            verdict[0] = "a limit may be exceeded where the motion could not be resolved"
        told = [verdict.get(count, f"{count} limits are exceeded"), *self.unknown]
        worst = sorted(self.rows, key=lambda row: -row.use)[:SHOWN]
        return "\n".join(["; ".join(told), *(f"{100.0 * x.use:5.1f} %: {x}" for x in worst)])


def check_limits(
    robot: Robot,
    motion: RobotMotion | MotionTable | tuple[Any, Any],
    limits: MotionLimits | None = None,
    *,
    samples: int = SAMPLES,
    actuated: str | Sequence[str] | None = None,
) -> LimitReport:
    """Check a motion against limits, by default the robot's own.

    A trajectory is looked at from its ``t0`` (0 where it has none) for its duration, piece by
    piece: the pieces end at its ``knots``, where it has some, and at this many evenly spaced
    times.  Each is halved until the values and slopes of all quantities at its ends leave no room
    for a larger value inside (`jounce.limits.extrema`), so that extrema are found to rounding,
    however short.

    Samples, a `MotionTable` or ``(time (m,), values)`` with values q ``(m, nq)`` and rates
    ``(m, nv)``, are taken as they are: nothing is said about what lies between them.  Rates that
    a limit needs and the samples do not have come from a smoothing spline of the highest ones
    they have; ``differentiated`` names these limits.

    Of a robot with closures the motion must be a closed one (`ClosedMotion`), and ``actuated``
    names the joints that have motors, as in `jounce.constrained_inverse_dynamics`: limits of
    effort are limits of these, and need it.
    """
    limits = checked_limits(robot, limits)
    forces = MotionForces.of(robot, actuated, limits)
    if isinstance(motion, tuple):
        return _check_samples(forces, motion, limits)
    uses = Uses(forces, limits)

    def rates(times: np.ndarray) -> list[np.ndarray]:
        with warnings.catch_warnings():
            # one order more than what is limited, only to find where it is largest
            warnings.simplefilter("ignore", SplineWarning)
            return motion_at(robot, motion, times, uses.order)

    edges = piece_edges(robot, motion, samples)
    if any(q.is_force for q in uses.limited):
        edges = _reversals(edges, forces.dry_speeds, rates)
    found = maxima(lambda times: uses(rates(times)), edges)
    return uses.report(found, found.time, rates(found.time))


def piece_edges(robot: Robot, motion: RobotMotion, samples: int) -> np.ndarray:
    """Return where a trajectory begins and ends, its knots, and evenly spaced times."""
    start, end, knots = checked_span(robot, motion)
    times = np.linspace(start, end, checked_integer("samples", samples, 2))
    inner = knots[(knots > times[0]) & (knots < times[-1])]
    return np.unique(np.concatenate([times, inner]))


def _reversals(
    edges: np.ndarray, speeds: np.ndarray, motion: Callable[[np.ndarray], list[np.ndarray]]
) -> np.ndarray:
    """Return these edges and more, where velocities change their sign and dry friction jumps.

    It is ``v / √(v² + s²)``: on a piece on which v changes by less than that root it is smooth.
    The jump may take far less time than there is between the edges, and would be seen by chance.
    """
    (own,) = np.nonzero(np.isfinite(speeds))
    a, b = edges[:-1], edges[1:]
    for _ in range(HALVINGS if own.size else 0):
        v, slope = np.stack([np.stack(motion(t)[1:3]) for t in (a, b)], axis=1)[..., own]
        change = np.maximum(np.abs(v[1] - v[0]), (b - a)[:, None] * np.abs(slope).max(axis=0))
        least = np.where(v[0] * v[1] < 0.0, 0.0, np.abs(v).min(axis=0))
        middle = a + 0.5 * (b - a)
        is_long = (change > np.hypot(least, speeds[own])).any(axis=1) & (a < middle) & (middle < b)
        if not is_long.any() or edges.size > BUDGET:
            break
        a, b, middle = a[is_long], b[is_long], middle[is_long]
        edges = np.union1d(edges, middle)
        a, b = np.concatenate([a, middle]), np.concatenate([middle, b])
    return edges


class Uses:
    """How much a motion uses of every finite bound, as functions of its q and rates.

    A use is ``1 + (sign x − bound) / scale`` of the quantity x that is bounded, or would be if
    sign is −1, from below.  ``more`` are ranges of what a subclass limits besides.
    """

    def __init__(
        self,
        forces: MotionForces,
        limits: MotionLimits,
        more: Mapping[str, Sequence[np.ndarray] | np.ndarray] | None = None,
    ) -> None:
        self.forces, self.joints, self.limited = forces, limits.names, limits.limited()
        self.order = limits.order + 1  # one more, for the slopes
        ranges = {x.name: limits.range_of(x) for x in self.limited} | dict(more or {})
        self.names = tuple(ranges)
        rows = []
        for i, (low, high) in enumerate(ranges.values()):
            scale = scale_of(low, high)
            for sign, bound in ((-1.0, low), (1.0, high)):
                rows += [(i, k, sign, sign * bound[k], scale[k])
                         for k in np.flatnonzero(np.isfinite(bound))]  # fmt: skip
        columns = np.array(rows).reshape(-1, 5).T
        self.quantity, self.velocity = columns[:2].astype(int)
        self.sign, self.bound, self.scale = columns[2:]

    def values(self, motion: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
        """Return the quantities and their time derivatives, ``(quantities, m, nv)`` each."""
        forces = forces_of(self.forces, self.limited, motion)
        rates = [q._replace(order=q.order + 1) for q in self.limited]
        both = (self.limited, rates)
        return tuple(values_of(self.forces.robot, x, motion, forces) for x in both)

    def __call__(self, motion: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Return the uses and their time derivatives, ``(m, bounds)`` each."""
        x, slope = (x[self.quantity, :, self.velocity].T * self.sign for x in self.values(motion))
        return 1.0 + (x - self.bound) / self.scale, slope / self.scale

    def label(self, k: int) -> tuple[str, str]:
        """Return quantity and joint of a bound."""
        return self.names[self.quantity[k]], self.joints[self.velocity[k]]

    def report(self, found: Maxima, times: np.ndarray, motion: Sequence[np.ndarray]) -> LimitReport:
        """Return the worse side of each quantity and velocity: when, and the motion there."""
        x, rows = self.values(motion)[0], []
        for i, k in np.unique(np.stack([self.quantity, self.velocity], axis=1), axis=0):
            (own,) = np.nonzero((self.quantity == i) & (self.velocity == k))
            at = own[np.argmax(found.value[own])]
            side, missing = self.sign[at], found.missing[own].max()
            rows.append(LimitRow.of(self.label(at), times[at], x[i, at, k], side * self.bound[at],
                                    side, self.scale[at], missing))  # fmt: skip
        return LimitReport(tuple(rows))


def sample_rows(
    forces: MotionForces,
    limits: MotionLimits,
    quantities: Sequence[Quantity],
    time: np.ndarray,
    motion: Sequence[np.ndarray],
) -> tuple[LimitRow, ...]:
    """Return where samples of a motion use most of the limits of these quantities."""
    found = forces_of(forces, quantities, motion)
    return worst_rows(limits, quantities, time, values_of(forces.robot, quantities, motion, found))


def values_of(
    robot: Robot,
    quantities: Sequence[Quantity],
    motion: Sequence[np.ndarray],
    forces: Sequence[np.ndarray] | np.ndarray,
) -> np.ndarray:
    """Return quantities ``(quantities, m, nv)`` of q, rates and forces that are known."""
    rows = np.empty((len(quantities), len(motion[0]), robot.nv))
    for row, (_, is_force, order) in zip(rows, quantities, strict=True):
        row[:] = (
            forces[order] if is_force else motion[order] if order else positions(robot, motion[0])
        )
    return rows


def forces_of(
    forces: MotionForces, quantities: Sequence[Quantity], motion: Sequence[np.ndarray]
) -> Sequence[np.ndarray] | np.ndarray:
    """Return the forces and their rates, if a quantity is one."""
    return forces(motion) if any(q.is_force for q in quantities) else ()


def _check_samples(forces: MotionForces, motion: Any, limits: MotionLimits) -> LimitReport:
    robot = forces.robot
    time, values = motion[0], motion.motion if isinstance(motion, MotionTable) else motion[1]
    if not len(values):
        raise ShapeError("samples must have q at least, got no values.")
    time, _ = checked_samples(time, values[0])
    values = checked_motion(robot, time, values)
    limited = limits.limited()
    unknown = [q.name for q in limited if q.rates >= len(values)]
    if unknown:
        values = _differentiated(robot, time, values, limits.order, unknown)
    return LimitReport(sample_rows(forces, limits, limited, time, values), tuple(unknown))


def check_log(
    robot: Robot,
    log: Log,
    limits: MotionLimits | None = None,
    *,
    actuated: str | Sequence[str] | None = None,
) -> LimitReport:
    """Check the samples of a log, block by block, so that any number of them fits into memory.

    The log must be opened with the order of the limits, `MotionLimits.order`; ``actuated`` are
    the joints with motors of a robot with closures, as in `check_limits`.  Its samples are put onto
    the closures, from which they are as far as sensors are wrong.
    """
    limits = checked_limits(robot, limits)
    forces = MotionForces.of(robot, actuated, limits)
    limited = limits.limited()
    worst: dict[tuple[str, str], LimitRow] = {}
    chosen: list[int] = []
    samples = 0
    for table in log.blocks():
        motion = table.motion
        if robot.closures:
            chosen = chosen or leading_velocities(robot, motion[0][0], actuated)
            motion, _ = closed_samples(robot, motion, chosen, samples)
        samples += len(table.time)
        for row in sample_rows(forces, limits, limited, table.time, motion):
            known = worst.get((row.quantity, row.joint))
            if known is None or row.use > known.use:
                worst[row.quantity, row.joint] = row
    given = log.file.orders[0]
    unknown = tuple(q.name for q in limited if q.rates >= given)
    return LimitReport(tuple(worst.values()), unknown)


def _differentiated(
    robot: Robot, time: np.ndarray, values: list[np.ndarray], order: int, unknown: list[str]
) -> list[np.ndarray]:
    """Return the samples with rates to this order, by a spline of their highest."""
    *lower, last = values
    more = order - len(lower)
    if time.size <= more + 1:
        raise ArgumentError(
            f"limits of {', '.join(unknown)} need the derivatives of q to order {order}; the "
            f"{time.size} samples have {len(lower)} and are too few to differentiate. Give the "
            "rates, or at least "
            f"{more + 2} samples, or limits without these."
        )
    rates = Spline.fit(time, last, order=more)(time, order=more)
    return [*lower, *rates] if lower else motion_of(robot, rates)


def worst_rows(
    limits: MotionLimits, quantities: Sequence[Quantity], times: np.ndarray, values: np.ndarray
) -> tuple[LimitRow, ...]:
    """Return the worst of values ``(quantities, m, nv)``."""
    rows = []
    for quantity, x in zip(quantities, values, strict=True):
        low, high = limits.range_of(quantity)
        above, below, scale = x - low, high - x, scale_of(low, high)
        nearest = np.argmin(np.minimum(above, below), axis=0)
        for k in np.flatnonzero(np.isfinite(low) | np.isfinite(high)):
            at = nearest[k]
            bound, side = (low[k], -1.0) if above[at, k] < below[at, k] else (high[k], 1.0)
            label = quantity.name, limits.names[k]
            rows.append(LimitRow.of(label, times[at], x[at, k], bound, side, scale[k]))
    return tuple(rows)


def scale_of(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return what margins are measured by, of bounds ``(nv,)``."""
    with np.errstate(invalid="ignore"):
        half = (high - low) / 2.0
    one = np.maximum(np.abs(np.where(np.isfinite(low), low, high)), 1.0)
    return np.where(np.isfinite(half), np.where(half == 0.0, 1.0, half), one)
