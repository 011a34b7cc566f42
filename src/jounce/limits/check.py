"""Does a motion keep within the limits, and where does it come nearest to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from jounce.errors import ShapeError
from jounce.limits.limits import MotionLimits, Quantity, checked_limits
from jounce.limits.peaks import Quantities, forces_of, peak_times, values_of
from jounce.model.robot import Robot
from jounce.tables.table import MotionTable
from jounce.trajectory.protocol import RobotMotion, checked_motion, checked_samples

TOLERANCE = 1e-9  # of the bound: a motion on its limit does not violate it
SAMPLES = 2001


class LimitRow(NamedTuple):
    """Where one quantity of one joint, or of one of its velocities, comes nearest to its limit.

    ``margin`` is the distance to ``bound``, negative beyond it.  ``use`` is how much of the
    limit is used, 1 being all of it: ``1 − margin / scale``, where the scale is the bound, for
    positions half of the range, or max(|bound|, 1) where only one end of it is bounded.
    """

    quantity: str
    joint: str
    time: float
    value: float
    bound: float
    margin: float
    use: float

    @property
    def violated(self) -> bool:
        """Whether the value lies beyond the bound, by more than rounding."""
        return self.use > 1.0 + TOLERANCE


@dataclass(frozen=True, slots=True)
class LimitReport:
    """The worst moment of every limited quantity of every velocity.

    ``skipped`` names the limited quantities that samples did not tell.
    """

    rows: tuple[LimitRow, ...]
    skipped: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether no limit is violated."""
        return not self.violations

    @property
    def worst(self) -> LimitRow | None:
        """The row that uses most of its limit; None where nothing is limited."""
        return max(self.rows, key=lambda row: row.use, default=None)

    @property
    def violations(self) -> tuple[LimitRow, ...]:
        """The rows beyond their limit, the worst first."""
        return tuple(sorted((r for r in self.rows if r.violated), key=lambda row: -row.use))


def check_limits(
    robot: Robot,
    motion: RobotMotion | MotionTable | tuple[Any, Any],
    limits: MotionLimits | None = None,
    *,
    samples: int = SAMPLES,
) -> LimitReport:
    """Check a motion against limits, by default the robot's own.

    A trajectory is looked at from its ``t0`` (0 where it has none) for its duration, at this
    many evenly spaced times; where the derivative of a quantity changes its sign between two of
    them, the extremum is found to rounding.  So the report is exact unless a quantity has two
    extrema within one step.  Samples, a `MotionTable` or ``(time (m,), values)`` with values
    q ``(m, nq)`` and rates ``(m, nv)``, are taken as they are: nothing is said about what lies
    between them.
    """
    limits = checked_limits(robot, limits)
    if isinstance(motion, tuple):
        return _check_samples(robot, motion, limits)
    quantities = Quantities(robot, motion, limits)
    times = sample_times(robot, motion, samples)
    peaks = peak_times(quantities, times)
    all_times = np.sort(np.concatenate([times, peaks]))
    return LimitReport(
        worst_rows(limits, quantities.limited, all_times, quantities(all_times)[:, 0])
    )


def sample_times(robot: Robot, motion: RobotMotion, samples: int) -> np.ndarray:
    """Return evenly spaced times from the beginning to the end of a trajectory."""
    if motion.n != robot.nq:
        raise ShapeError(f"the motion has {motion.n} coordinates, {robot.name!r} has {robot.nq}.")
    if not np.isfinite(motion.duration):
        raise ShapeError("the motion has no end; give it a duration.")
    if isinstance(samples, bool) or not isinstance(samples, int) or samples < 2:
        raise ShapeError(f"samples must be an integer ≥ 2, got {samples!r}.")
    t0 = getattr(motion, "t0", 0.0)
    return np.linspace(t0, t0 + motion.duration, samples)


def _check_samples(robot: Robot, motion: Any, limits: MotionLimits) -> LimitReport:
    is_table = isinstance(motion, MotionTable)
    time, values = motion[0], motion.motion if is_table else motion[1]
    if not len(values):
        raise ShapeError("samples must have q at least, got no values.")
    time, _ = checked_samples(time, values[0])
    values = checked_motion(robot, time, values)
    known = [q for q in limits.limited() if q.order + 2 * q.is_force < len(values)]
    skipped = [q.name for q in limits.limited() if q not in known]
    found = values_of(robot, known, values, forces_of(robot, known, values))
    return LimitReport(worst_rows(limits, known, time, found), tuple(skipped))


def worst_rows(
    limits: MotionLimits, quantities: Sequence[Quantity], times: np.ndarray, values: np.ndarray
) -> tuple[LimitRow, ...]:
    """Return the worst of values ``(quantities, m, nv)``."""
    rows = []
    for quantity, x in zip(quantities, values, strict=True):
        low, high = limits.range_of(quantity)
        margin = np.minimum(x - low, high - x)
        for i in np.flatnonzero(np.isfinite(low) | np.isfinite(high)):
            at = int(np.argmin(margin[:, i]))
            value = float(x[at, i])
            bound = float(low[i] if value - low[i] < high[i] - value else high[i])
            use = 1.0 - float(margin[at, i]) / scale_of(float(low[i]), float(high[i]))
            rows.append(
                LimitRow(
                    quantity.name,
                    limits.names[i],
                    float(times[at]),
                    value,
                    bound,
                    float(margin[at, i]),
                    use,
                )
            )
    return tuple(rows)


def scale_of(low: float, high: float) -> float:
    """Return what a margin is measured by."""
    if np.isfinite(low) and np.isfinite(high):
        return (high - low) / 2.0 or 1.0
    return max(abs(low if np.isfinite(low) else high), 1.0)
