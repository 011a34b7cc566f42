"""Tracking controllers for elastic robots: computed torque on four integrators a joint."""

from __future__ import annotations

from math import factorial
from typing import Any, NamedTuple

import numpy as np

from jounce.elastic.drives import Wrenches, checked_trajectory, constant_wrenches
from jounce.elastic.extension import DynamicExtension
from jounce.elastic.series import SeriesElastic
from jounce.errors import ArgumentError
from jounce.trajectory.protocol import Trajectory


class TrackingController:
    """Exact linearisation with pole placement: the error obeys ``Π (d/dt − p_i) e = 0``.

    ``trajectory(t, order=4)`` gives the wanted motion; ``poles`` are four numbers in the left
    half plane, complex ones in pairs.  Call it with time and state for the motor torque.  All
    joints must be elastic, without spring damping; see `ExtendedController` for rigid ones.

    A torque that is held for a sample comes half a sample late.  With ``sample_time`` it is the
    torque of the middle of the sample, from the state that is expected there.  ``wrenches`` are
    those it knows of; they stay.
    """

    def __init__(
        self,
        robot: SeriesElastic,
        trajectory: Any,
        poles: Any,
        sample_time: float | None = None,
        *,
        wrenches: Wrenches = None,
    ) -> None:
        robot.require_flat("a tracking controller", mixed=False)
        self.robot, self.wrenches = robot, constant_wrenches(robot.robot, wrenches)
        self.law = ErrorLaw(checked_trajectory(robot.robot, trajectory), gains_of(poles))
        self.sample_time = None if sample_time is None else checked_sample_time(sample_time)

    def __call__(self, t: float, q: Any, v: Any, theta: Any, theta1: Any) -> np.ndarray:
        """Return the motor torque at time t and in this state."""
        state = self.robot.flat_state(q, v, theta, theta1, wrenches=self.wrenches)
        delay = 0.0 if self.sample_time is None else 0.5 * self.sample_time
        motion = self.law.motion_after(delay, t, np.array([q, v, *state]))
        return self.robot.feedforward(*motion, wrenches=self.wrenches).torque


class ExtendedController:
    """The same for robots with rigid joints: their torques pass through two integrators.

    The integrators are part of the controller and are advanced by ``sample_time`` at every
    call; they start with the planned torques.  What is held over a sample is the mean torque
    of rigid joints and, for elastic ones, the torque of its middle.  `reset` puts the
    integrators back to the start.
    """

    def __init__(
        self,
        robot: SeriesElastic,
        trajectory: Any,
        poles: Any,
        sample_time: float,
        *,
        wrenches: Wrenches = None,
    ) -> None:
        self.robot, self.wrenches = robot, constant_wrenches(robot.robot, wrenches)
        self.extension = DynamicExtension(robot)
        self.law = ErrorLaw(checked_trajectory(robot.robot, trajectory), gains_of(poles))
        self.sample_time = checked_sample_time(sample_time)
        self.reset()

    def reset(self) -> None:
        """Forget the torques of the rigid joints."""
        self._torques: np.ndarray | None = None  # of the rigid joints, with rate

    def __call__(self, t: float, q: Any, v: Any, theta: Any, theta1: Any) -> np.ndarray:
        """Return the motor torque to hold from time t for one sample."""
        if self._torques is None:
            plan = self.law.trajectory(t, order=5)
            self._torques = self.robot.torques(*plan, wrenches=self.wrenches)
        T, (torque, torque1) = self.sample_time, self._torques
        known = {"wrenches": self.wrenches}
        state = self.extension.flat_state(q, v, theta, theta1, self._torques, **known)
        middle = self.law.motion_after(0.5 * T, t, np.array([q, v, *state]))
        elastic, torque2 = self.extension.linearizing(*middle, **known)
        mean = torque + T / 2.0 * torque1 + T * T / 6.0 * torque2
        self._torques = np.array(
            [torque + T * torque1 + 0.5 * T * T * torque2, torque1 + T * torque2]
        )
        return np.where(self.robot.rigid, mean, elastic)


class ErrorLaw(NamedTuple):
    """The fourth derivative that makes the error to a trajectory obey placed poles."""

    trajectory: Trajectory
    gains: np.ndarray

    def fourth(self, t: float, motion: np.ndarray) -> np.ndarray:
        """Return q⁽⁴⁾ for q, v, a, j at time t."""
        wanted = self.trajectory(t, order=4)
        return wanted[4] + np.tensordot(self.gains, wanted[:4] - motion, 1)

    def motion_after(self, delay: float, t: float, motion: np.ndarray) -> np.ndarray:
        """Return q … q⁽⁴⁾ a little after time t, where q … q⁽³⁾ are ``motion``."""
        given = np.array([*motion, self.fourth(t, motion)])
        later = np.array(
            [sum(given[k + i] * (delay**i / factorial(i)) for i in range(5 - k)) for k in range(4)]
        )
        return np.array([*later, self.fourth(t + delay, later)])


def checked_sample_time(sample_time: Any) -> float:
    """Return a sample time that is positive."""
    if not isinstance(sample_time, int | float | np.number) or not 0.0 < sample_time < np.inf:
        raise ArgumentError(f"sample_time must be positive, got {sample_time!r}.")
    return float(sample_time)


def gains_of(poles: Any) -> np.ndarray:
    """Return the gains of e, e', e'', e''' that place four poles."""
    poles = np.asarray(poles, dtype=complex)
    if poles.shape != (4,) or not np.all(poles.real < 0.0):
        raise ArgumentError(f"poles must be four numbers with negative real part, got {poles}.")
    coefficients = np.poly(poles)
    if not np.allclose(coefficients.imag, 0.0, atol=1e-9 * np.abs(coefficients).max()):
        raise ArgumentError(f"complex poles must come in conjugate pairs, got {poles}.")
    return coefficients.real[:0:-1]
