"""The shortest duration of a motion within the limits, by playing it slower or faster.

With time running c times as fast, ``q(c t)``, the motion and its forces change by powers of c.
Let D be what the inertia demands, ``M a + C v``, F the viscous friction, ``D v``, and G the
gravity forces, all along the motion as it was given.  Then, exactly and at every moment,

    q^(k) → c^k q^(k)
    Q^(k) → c^(k+2) D^(k) + c^(k+1) F^(k) + c^k G^(k)

so that every limit is a polynomial inequality in c.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from jounce.errors import InfeasibleError, ShapeError
from jounce.limits.check import SAMPLES, check_limits, sample_times
from jounce.limits.limits import MotionLimits, checked_limits
from jounce.limits.time_scaling_demands import Demands, demands, played
from jounce.model.robot import Robot
from jounce.trajectory.protocol import RobotMotion, checked_time, checked_times

ROUNDS = 50
WORST = 16  # polynomials that are solved at a time
ON_LIMIT = 1e-10  # of the bound


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
            raise ShapeError(f"factor must be positive, got {self.factor!r}.")

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

    def __call__(self, t: Any, order: int = 4) -> list[np.ndarray]:
        return played(self.motion(t, order=order), self.factor)


def scale_to_limits(
    robot: Robot,
    trajectory: RobotMotion,
    limits: MotionLimits | None = None,
    *,
    samples: int = SAMPLES,
) -> ScaledTrajectory:
    """Return the motion played as fast as the limits allow, by default the robot's own.

    The result is the largest factor c at which no limit is violated; slower motions are not
    always feasible, because gravity does not scale with time.  It starts from this many samples,
    solves the inequalities in c there, and adds the moments at which `check_limits` finds the
    scaled motion beyond a limit, until there are none.  What it finds between the samples is
    what `check_limits` finds.
    """
    limits = checked_limits(robot, limits)
    slow = check_limits(robot, trajectory, limits, samples=samples)
    for row in slow.violations:
        if row.quantity == "position":
            raise InfeasibleError(
                f"the position of {row.joint!r} is {row.value:.6g} at t = {row.time:.6g} s, "
                f"{-row.margin:.3g} beyond its limit {row.bound:.6g}; no speed changes that."
            )
    known = demands(robot, trajectory, limits, sample_times(robot, trajectory, samples))
    factor = np.inf
    for _ in range(ROUNDS):
        factor = _largest(known, factor)
        found = check_limits(robot, _Faster(trajectory, factor), limits, samples=samples).rows
        beyond = [row.time for row in found if row.use > 1.0 + ON_LIMIT]
        if not beyond:
            return ScaledTrajectory(trajectory, factor)
        known = known.joined(demands(robot, trajectory, limits, np.unique(beyond)))
    raise ArithmeticError("the motion has too many extrema near its limits; give more samples.")


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
