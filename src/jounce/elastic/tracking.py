"""A tracking controller for series-elastic robots: computed torque on four integrators."""

from __future__ import annotations

from typing import Any

import numpy as np

from jounce.elastic.series import SeriesElastic
from jounce.errors import ShapeError


class TrackingController:
    """Exact linearisation with pole placement: the error obeys ``Π (d/dt − p_i) e = 0``.

    ``trajectory(t, order=4)`` gives the wanted motion; ``poles`` are four numbers in the left
    half plane, complex ones in pairs.  Call it with time and state for the motor torque.
    """

    def __init__(self, robot: SeriesElastic, trajectory: Any, poles: Any) -> None:
        poles = np.asarray(poles, dtype=complex)
        if poles.shape != (4,) or not np.all(poles.real < 0.0):
            raise ShapeError(f"poles must be four numbers with negative real part, got {poles}.")
        coefficients = np.poly(poles)
        if not np.allclose(coefficients.imag, 0.0, atol=1e-9 * np.abs(coefficients).max()):
            raise ShapeError(f"complex poles must come in conjugate pairs, got {poles}.")
        self.robot = robot
        self.trajectory = trajectory
        self.gains = coefficients.real[:0:-1]  # of e, e', e'', e'''

    def __call__(self, t: float, q: Any, v: Any, theta: Any, theta1: Any) -> np.ndarray:
        """Return the motor torque at time t and in this state."""
        wanted = self.trajectory(t, order=4)
        a, j = self.robot.flat_state(q, v, theta, theta1)
        actual = np.array([q, v, a, j])
        q4 = wanted[4] + self.gains @ (wanted[:4] - actual)
        return self.robot.feedforward(q, v, a, j, q4).torque
