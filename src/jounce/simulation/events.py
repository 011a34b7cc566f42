"""Where in a step a position limit is reached first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jounce.model.robot import Robot
from jounce.simulation.result import evaluate
from jounce.simulation.systems import Series


class Violation(NamedTuple):
    """A limit that is reached ``time`` after the start of a step."""

    time: float
    joint: str


def first_violation(robot: Robot, series: Series, h: float) -> Violation | None:
    """Return the first position limit that is crossed outwards within a step."""
    found: list[Violation] = []
    for joint in robot.joints:
        if joint.mimic is not None or joint.kind in ("spherical", "free"):
            continue
        for k in range(joint.q_slice.start, joint.q_slice.stop):
            low = joint.limits.lower[k - joint.q_slice.start]
            high = joint.limits.upper[k - joint.q_slice.start]
            for bound, side in ((low, -1.0), (high, 1.0)):
                time = _crossing(series[0][:, k] * side, bound * side, h)
                if time is not None:
                    found.append(Violation(time, joint.name))
    return min(found, default=None)


def _crossing(series: np.ndarray, bound: float, h: float) -> float | None:
    """Return when a polynomial first exceeds a bound; by samples, then bisection."""
    if not np.isfinite(bound):
        return None
    times = np.linspace(0.0, h, 33)
    beyond = [float(evaluate(series[:, None], t)[0]) > bound for t in times]
    if True not in beyond:
        return None
    k = beyond.index(True)
    if k == 0:
        return 0.0
    low, high = times[k - 1], times[k]
    for _ in range(60):
        middle = 0.5 * (low + high)
        if float(evaluate(series[:, None], middle)[0]) > bound:
            high = middle
        else:
            low = middle
    return float(low)
