"""What the viewer shows as curves: torques, their rates, how much of the limits is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from jounce.api.call import Wrench
from jounce.api.dynamics import gravity_forces, inverse_dynamics
from jounce.limits.check import scale_of, values_of
from jounce.limits.limits import MotionLimits
from jounce.model.robot import Robot
from jounce.report.labels import force_unit
from jounce.report.page import thinned, thinned_time

USE = "Use of limits"
POINTS = 1200  # of a curve on the screen


class Curves(NamedTuple):
    """Curves ``values`` ``(samples, nv)`` over ``x`` ``(samples,)``, and what they may not pass."""

    title: str
    x: np.ndarray
    values: np.ndarray
    variable: str = "t"  # what x is called
    bound: float | None = None

    def at(self, x: float) -> np.ndarray:
        """Return the values at x, ``(nv,)``."""
        return np.array([np.interp(x, self.x, column) for column in self.values.T])

    def drawn(self, now: float) -> tuple[np.ndarray, ...]:
        """Return x, the curves, a line along their foot that rises where x is ``now``, the bound.

        Long curves are thinned so that they keep every peak.
        """
        x, values = thinned_time(self.x, POINTS), thinned(self.values, POINTS)
        here = np.clip(now, x[0], x[-1])
        i = int(np.searchsorted(x, here))
        between = np.repeat(self.at(here)[None], 3, axis=0)
        x = np.concatenate([x[:i], [here] * 3, x[i:]])
        values = np.concatenate([values[:i], between, values[i:]])
        line = np.full(len(x), values.min())
        line[i + 1] = values.max()
        bound = [] if self.bound is None else [np.full(len(x), self.bound)]
        return (x, *np.ascontiguousarray(values.T), line, *bound)


def motion_curves(
    robot: Robot,
    limits: MotionLimits,
    time: np.ndarray,
    motion: Sequence[np.ndarray],
    wrenches: Mapping[str, Wrench] | None = None,
) -> list[Curves]:
    """Return torques, torque rates and the use of limits along a motion, under wrenches."""
    forces = inverse_dynamics(robot, *motion, wrenches=wrenches or None)
    names = ("Torque", "Torque rate")
    found = [
        Curves(f"{name} [{force_unit(robot, k)}]", time, Q)
        for k, (name, Q) in enumerate(zip(names, forces, strict=False))
    ]
    return [*found, Curves(USE, time, limit_use(robot, limits, motion, forces), bound=1.0)]


def rest_curves(
    robot: Robot, limits: MotionLimits, x: np.ndarray, configurations: np.ndarray
) -> list[Curves]:
    """Return what holds the robot at rest, and the limits it uses there.

    The configurations ``(samples, nq)`` are named by x.
    """
    forces = gravity_forces(robot, configurations)
    still = np.zeros((len(x), robot.nv))
    use = limit_use(robot, limits, (configurations, still), forces)
    return [
        Curves(f"Holding torque [{force_unit(robot, 0)}]", x, forces[0], "q"),
        Curves(f"{USE} at rest", x, use, "q", bound=1.0),
    ]


def limit_use(
    robot: Robot,
    limits: MotionLimits,
    motion: Sequence[np.ndarray],
    forces: Sequence[np.ndarray] | np.ndarray,
) -> np.ndarray:
    """Return the largest share of any limit that each velocity uses, ``(samples, nv)``.

    1 is at the limit, 0 the middle of its range; without limits 0.
    """
    limited = [q for q in limits.limited() if q.order < len(forces if q.is_force else motion)]
    use = np.zeros((len(motion[0]), robot.nv))
    for quantity, x in zip(limited, values_of(robot, limited, motion, forces), strict=True):
        low, high = limits.range_of(quantity)
        margin = np.minimum(x - low, high - x)
        known = np.isfinite(margin)
        use = np.where(known, np.maximum(use, 1.0 - margin / scale_of(low, high)), use)
    return use
