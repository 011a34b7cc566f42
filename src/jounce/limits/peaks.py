"""The limited quantities along a motion, and the times of their extrema."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from jounce.api.dynamics import inverse_dynamics
from jounce.limits.limits import MotionLimits, Quantity
from jounce.model.robot import Robot
from jounce.trajectory.protocol import RobotMotion, motion_at, positions
from jounce.trajectory.spline.smoothing import SplineWarning

BEST = 3  # extrema that are looked at closely, of each kind, for each velocity
HALVINGS = 40


class Quantities:
    """The limited quantities of a motion and their time derivatives, as functions of time."""

    def __init__(self, robot: Robot, motion: RobotMotion, limits: MotionLimits) -> None:
        self.robot, self.motion, self.limits = robot, motion, limits
        self.limited = limits.limited()

    def __call__(self, times: np.ndarray) -> np.ndarray:
        """Return each quantity and its derivative, ``(quantities, 2, m, nv)``."""
        order = max((q.order + 2 * q.is_force for q in self.limited), default=0)
        with warnings.catch_warnings():
            # one order more than what is limited, only to find where it is largest
            warnings.simplefilter("ignore", SplineWarning)
            motion = motion_at(self.robot, self.motion, times, order + 1)
        forces = forces_of(self.robot, self.limited, motion)
        rates = [q._replace(order=q.order + 1) for q in self.limited]
        pair = [values_of(self.robot, x, motion, forces) for x in (self.limited, rates)]
        return np.stack(pair, axis=1)


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
    robot: Robot, quantities: Sequence[Quantity], motion: Sequence[np.ndarray]
) -> Sequence[np.ndarray] | np.ndarray:
    """Return the forces and their rates, if a quantity is one."""
    return inverse_dynamics(robot, *motion) if any(q.is_force for q in quantities) else ()


def peak_times(quantities: Quantities, times: np.ndarray) -> np.ndarray:
    """Return the times of the extrema that may come nearest to the limits.

    Between neighbouring samples a and b whose derivatives have different signs a parabola
    estimates the extremum; the best few are found by halving the interval.
    """
    found = [
        (index, i, sign, a)
        for index, (quantity, x) in enumerate(
            zip(quantities.limited, quantities(times), strict=True)
        )
        for sign, bounds in zip((-1.0, 1.0), quantities.limits.range_of(quantity), strict=True)
        for i in np.flatnonzero(np.isfinite(bounds))
        for a in _candidates(times, sign * x[0, :, i], sign * x[1, :, i])
    ]
    if not found:
        return np.empty(0)
    index, i, a = (np.array([row[k] for row in found]) for k in (0, 1, 3))
    sign = np.array([row[2] for row in found])
    left, right = times[a], times[a + 1]
    points = np.arange(len(found))
    for _ in range(HALVINGS):
        middle = (left + right) / 2.0
        rises = sign * quantities(middle)[index, 1, points, i] > 0.0
        left, right = np.where(rises, middle, left), np.where(rises, right, middle)
    return (left + right) / 2.0


def _candidates(times: np.ndarray, x: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Return the samples before the largest maxima."""
    before = np.flatnonzero((rate[:-1] > 0.0) & (rate[1:] < 0.0))
    step = times[before + 1] - times[before]
    peak = x[before] + rate[before] ** 2 * step / (2.0 * (rate[before] - rate[before + 1]))
    return before[np.argsort(-peak, kind="stable")[:BEST]]
