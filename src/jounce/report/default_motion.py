"""A motion for a robot that came without one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from jounce.api.closures import any_closed
from jounce.errors import ClosureError, SingularityError, UnsupportedError
from jounce.limits.check import sample_rows
from jounce.limits.forces import MotionForces
from jounce.limits.limits import MotionLimits, checked_limits
from jounce.model.configuration import integrate
from jounce.model.robot import Robot
from jounce.trajectory import cosine
from jounce.trajectory.closed import ClosedMotion, leading_velocities
from jounce.trajectory.fourier import PAPERS_PERIODS, PAPERS_SPEEDS
from jounce.trajectory.protocol import motion_at

SHARE = 0.9  # of a limit that the motion may use
_SLOWER = 1.25
_TRIES = 12


def default_motion(
    robot: Robot,
    time: np.ndarray,
    order: int = 4,
    *,
    limits: MotionLimits | None = None,
    actuated: str | Sequence[str] | None = None,
) -> list[np.ndarray]:
    """Return q ``(samples, nq)`` and its rates to ``order``, each ``(samples, nv)``.

    The cosines of `papers_motion`, about the middle of the range of each joint, made smaller
    where position, velocity, acceleration, jerk or snap would pass 0.9 of a limit, and slower as
    a whole until the joint forces and their rates keep within theirs (if slowness can help).
    Limits are those of the robot unless given.  A ball joint turns about one axis; a free body,
    such as a floating base, stays where it is.

    With closures the ``actuated`` joints, or those that decide all others, swing from a closed
    configuration and come back to it at the end of ``time``, as far as the mechanism and its limits
    let them; the others follow.
    """
    if not robot.nv:
        raise UnsupportedError(f"robot {robot.name!r} has no joint that moves.")
    limits = checked_limits(robot, limits)
    if robot.closures:
        return _closed_motion(robot, limits, time, order, actuated)
    forced = [x for x in limits.limited() if x.is_force and x.rates <= order]
    for k in range(_TRIES):
        motion = _motion(robot, limits, time, order, _SLOWER**k)
        if _used(MotionForces(robot), limits, forced, time, motion) <= SHARE:
            return motion
    return _motion(robot, limits, time, order, _SLOWER**_TRIES)


def _motion(
    robot: Robot, limits: MotionLimits, time: np.ndarray, order: int, slowness: float
) -> list[np.ndarray]:
    """Return ``q = neutral ⊕ (middle + x)`` and the rates x', x'' … of cosines x.

    x of a ball joint always has the same direction and no middle, so x' is its angular velocity.
    """
    periods = slowness * np.resize(PAPERS_PERIODS, robot.nv)
    speeds = np.resize(PAPERS_SPEEDS, robot.nv)
    for joint in robot.joints:
        if not joint.is_flat:  # one period for all three, and the same direction
            periods[joint.v_slice] = periods[joint.v_slice.start]
        if joint.type.is_free:
            speeds[joint.v_slice] = 0.0
    middle = _middle(limits)
    speeds = speeds * _shrinkage(limits, middle, np.abs(speeds), 2.0 * np.pi / periods)
    x, *rates = cosine(speeds, periods)(time, order)
    return [integrate(robot, robot.neutral, middle + x), *rates]


def _closed_motion(
    robot: Robot,
    limits: MotionLimits,
    time: np.ndarray,
    order: int,
    actuated: str | Sequence[str] | None,
) -> list[np.ndarray]:
    start = any_closed(robot)
    chosen = leading_velocities(robot, start, actuated)
    forces = MotionForces.of(robot, actuated, limits)
    limited = limits.limited()
    for k in range(_TRIES):
        try:
            motion = motion_at(robot, _swung(robot, start, chosen, time, 0.5**k), time, order)
        except (ClosureError, SingularityError):  # out of reach
            continue
        if _used(forces, limits, limited, time, motion) <= 1.0:
            return motion
    raise ClosureError(
        f"no motion of robot {robot.name!r} was found that stays closed and within its limits; "
        "give one as MOTION."
    )


def _swung(
    robot: Robot, start: np.ndarray, chosen: Sequence[int], time: np.ndarray, swing: float
) -> ClosedMotion:
    """Return the motion led by ``x = swing (1 − cos 2π n t / T) / 2`` of the chosen velocities."""
    duration = float(time[-1] - time[0])
    turns = np.maximum(1.0, np.round(duration / np.resize(PAPERS_PERIODS, len(chosen))))
    amplitude, omega = np.zeros(robot.nv), np.ones(robot.nv)
    amplitude[list(chosen)], omega[list(chosen)] = 0.5 * swing, 2.0 * np.pi * turns / duration

    def lead(t: Any, order: int = 4) -> list[np.ndarray]:
        angle = omega * (np.asarray(t)[..., None] - time[0])
        rows = [-amplitude * omega**k * np.cos(angle + 0.5 * np.pi * k) for k in range(order + 1)]
        return [integrate(robot, start, amplitude + rows[0]), *rows[1:]]

    names = [j.name for j in robot.joints if set(range(robot.nv)[j.v_slice]) & set(chosen)]
    return ClosedMotion(robot, _Lead(robot.nq, duration, float(time[0]), lead), names)


class _Lead(NamedTuple):
    """A motion of all coordinates."""

    n: int
    duration: float
    t0: float
    values: Callable[..., list[np.ndarray]]

    def __call__(self, t: Any, order: int = 4) -> list[np.ndarray]:
        """Return q and its rates 1 … order at the times t."""
        return self.values(t, order)


def _middle(limits: MotionLimits) -> np.ndarray:
    """Return the middle of the range of every coordinate; without one, 1 from the only limit."""
    lower, upper = limits.lower, limits.upper
    low = np.where(np.isneginf(lower), np.minimum(upper - 2.0, -1.0), lower)
    high = np.where(np.isposinf(upper), np.maximum(lower + 2.0, 1.0), upper)
    return 0.5 * (low + high)


def _shrinkage(
    limits: MotionLimits, middle: np.ndarray, speed: np.ndarray, omega: np.ndarray
) -> np.ndarray:
    """Return the factor ≤ 1 of each speed that keeps the motion within the limits.

    Amplitudes: ``speed / ω`` of the position, ``speed ωᵏ`` of the rates from the velocity on.
    """
    room = np.minimum(limits.upper - middle, middle - limits.lower)
    bounds = (room, limits.velocity, limits.acceleration, limits.jerk, limits.snap)
    factor = np.ones(len(speed))
    for k, bound in enumerate(bounds):
        amplitude = np.maximum(speed * omega ** (k - 1.0), 1e-300)
        factor = np.minimum(factor, SHARE * bound / amplitude)
    return factor


def _used(*samples: Any) -> float:
    """Return how much of the limits the samples of `sample_rows` use, 1 being all."""
    return max((row.use for row in sample_rows(*samples)), default=0.0)
