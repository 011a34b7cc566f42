"""The limited quantities along a motion, and the times of their extrema."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from jounce.kernels.dynamics import inverse_dynamics
from jounce.model.robot import Robot
from jounce.trajectory.limits import Limits, Quantity
from jounce.trajectory.smoothing import SplineWarning

BEST = 3  # extrema that are looked at closely, of each kind, for each coordinate
HALVINGS = 40


class Quantities:
    """The limited quantities of a motion and their time derivatives, as functions of time."""

    def __init__(self, robot: Robot, motion: Any, limits: Limits) -> None:
        self.robot, self.motion, self.limits = robot, motion, limits
        self.limited = limits.limited()

    def __call__(self, times: np.ndarray) -> np.ndarray:
        """Return each quantity and its derivative, ``(quantities, 2, m, n)``."""
        order = max((q.order + 2 * q.is_force for q in self.limited), default=0)
        with warnings.catch_warnings():
            # one order more than what is limited, only to find where it is largest
            warnings.simplefilter("ignore", SplineWarning)
            motion = self.motion(times, order=order + 1)
        forces = _forces(self.robot, self.limited, motion)
        result = np.empty((len(self.limited), 2, *motion.shape[1:]))
        for x, quantity in zip(result, self.limited, strict=True):
            x[:] = (forces if quantity.is_force else motion)[quantity.order : quantity.order + 2]
        return result


def sampled_quantities(
    robot: Robot, quantities: tuple[Quantity, ...], motion: np.ndarray
) -> np.ndarray:
    """Return quantities of motion values ``(orders, m, n)``, ``(quantities, m, n)``."""
    forces = _forces(robot, quantities, motion)
    found = [(forces if q.is_force else motion)[q.order] for q in quantities]
    return np.array(found).reshape(len(found), *motion.shape[1:])


def _forces(robot: Robot, quantities: tuple[Quantity, ...], motion: np.ndarray) -> np.ndarray:
    wanted = any(q.is_force for q in quantities)
    return inverse_dynamics(robot, *motion) if wanted else motion[:0]


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
