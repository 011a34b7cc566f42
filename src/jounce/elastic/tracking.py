"""Tracking controllers for elastic robots: computed torque on four integrators a joint."""

from __future__ import annotations

from typing import Any

import numpy as np

from jounce.elastic.extension import DynamicExtension
from jounce.elastic.jets import checked_trajectory
from jounce.elastic.series import SeriesElastic
from jounce.errors import ShapeError


class TrackingController:
    """Exact linearisation with pole placement: the error obeys ``Π (d/dt − p_i) e = 0``.

    ``trajectory(t, order=4)`` gives the wanted motion; ``poles`` are four numbers in the left
    half plane, complex ones in pairs.  Call it with time and state for the motor torque.  All
    joints must be elastic, without spring damping; see `ExtendedController` for rigid ones.
    """

    def __init__(self, robot: SeriesElastic, trajectory: Any, poles: Any) -> None:
        robot.require_flat("a tracking controller", mixed=False)
        self.robot = robot
        self.trajectory = checked_trajectory(robot.robot, trajectory)
        self.gains = gains_of(poles)

    def __call__(self, t: float, q: Any, v: Any, theta: Any, theta1: Any) -> np.ndarray:
        """Return the motor torque at time t and in this state."""
        wanted = self.trajectory(t, order=4)
        a, j = self.robot.flat_state(q, v, theta, theta1)
        q4 = wanted[4] + np.tensordot(self.gains, wanted[:4] - np.array([q, v, a, j]), 1)
        return self.robot.feedforward(q, v, a, j, q4).torque


class ExtendedController:
    """The same for robots with rigid joints: their torques pass through two integrators.

    The integrators are part of the controller and are advanced by ``sample_time`` at every
    call; they start with the planned torques.  What is held over a sample is the mean torque.
    `reset` puts them back to the start.
    """

    def __init__(
        self, robot: SeriesElastic, trajectory: Any, poles: Any, sample_time: float
    ) -> None:
        self.robot = robot
        self.extension = DynamicExtension(robot)
        self.trajectory = checked_trajectory(robot.robot, trajectory)
        self.gains = gains_of(poles)
        if not 0.0 < sample_time < np.inf:
            raise ShapeError(f"sample_time must be positive, got {sample_time!r}.")
        self.sample_time = sample_time
        self.reset()

    def reset(self) -> None:
        """Forget the torques of the rigid joints."""
        self._torques: np.ndarray | None = None  # of the rigid joints, with rate

    def __call__(self, t: float, q: Any, v: Any, theta: Any, theta1: Any) -> np.ndarray:
        """Return the motor torque to hold from time t for one sample."""
        wanted = self.trajectory(t, order=5)
        if self._torques is None:
            self._torques = self.robot.torques(*wanted)
        T, (torque, torque1) = self.sample_time, self._torques
        a, j = self.extension.flat_state(q, v, theta, theta1, self._torques)
        q4 = wanted[4] + np.tensordot(self.gains, wanted[:4] - np.array([q, v, a, j]), 1)
        elastic, torque2 = self.extension.linearizing(q, v, a, j, q4)
        mean = torque + T / 2.0 * torque1 + T * T / 6.0 * torque2
        self._torques = np.array(
            [torque + T * torque1 + 0.5 * T * T * torque2, torque1 + T * torque2]
        )
        return np.where(self.robot.rigid, mean, elastic)


def gains_of(poles: Any) -> np.ndarray:
    """Return the gains of e, e', e'', e''' that place four poles."""
    poles = np.asarray(poles, dtype=complex)
    if poles.shape != (4,) or not np.all(poles.real < 0.0):
        raise ShapeError(f"poles must be four numbers with negative real part, got {poles}.")
    coefficients = np.poly(poles)
    if not np.allclose(coefficients.imag, 0.0, atol=1e-9 * np.abs(coefficients).max()):
        raise ShapeError(f"complex poles must come in conjugate pairs, got {poles}.")
    return coefficients.real[:0:-1]
