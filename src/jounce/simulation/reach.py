"""How far a simulated motion may go: as far as coordinates are fine enough to mean something.

An angle counts modulo a turn, so what its floating-point number is worth is the spacing of
such numbers there, ``ε |q|``, in radians, and not of its size.  A simulation ends where it
exceeds the tolerance; a tolerance below √ε, half the digits of a sine, asks for no more::

    |q| ≤ max(tol, √ε) / ε          6.7e7 rad or m for tol ≤ 1.5e-8

Quaternions are never large, and where a free body is does not change its motion.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from jounce.algebra.series import evaluate
from jounce.model.components import position_kinds
from jounce.model.robot import Robot
from jounce.simulation.events import bisected
from jounce.simulation.options import FINEST


class Exit(NamedTuple):
    """A coordinate that is too large ``time`` after the start of a step, and why that matters."""

    time: float
    message: str


class Reach:
    """The bounds of q."""

    def __init__(self, robot: Robot, tol: float) -> None:
        self.robot = robot
        self.bounds = np.full(robot.nq, np.finfo(float).max)
        for joint in robot.joints:
            if joint.quaternion is None:
                self.bounds[joint.q_slice] = max(tol, sqrt(FINEST)) / FINEST

    def __call__(self, time: float, series: np.ndarray, h: float) -> Exit | None:
        """Return where within a step of length h the series of q leaves the bounds, if so."""
        with np.errstate(over="ignore", invalid="ignore"):
            if not self._is_beyond(series, h):
                return None
            past = np.array([self._is_beyond(series, 0.0), True])
            last = bisected(np.array([0.0, h]), past, lambda t: self._is_beyond(series, t))
            return Exit(last, self._message(time + last, evaluate(series, last)))

    def _is_beyond(self, series: np.ndarray, t: float) -> bool:
        return not (np.abs(evaluate(series, t)) <= self.bounds).all()

    def _message(self, time: float, q: np.ndarray) -> str:
        k = int(np.argmax(np.abs(q) / self.bounds))
        joint = next(j.name for j in self.robot.joints if k < j.q_slice.stop)
        value, unit = q[k], "m" if position_kinds(self.robot)[k] == "length" else "rad"
        return (
            f"joint {joint!r} is too far away at t = {time:.9g} s, at {value:.3g} {unit}: "
            f"floating-point numbers are {np.spacing(abs(value)):.2g} {unit} apart there, too "
            "coarse to go on. Velocities or forces are too large, or the time is too long."
        )
