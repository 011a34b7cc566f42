"""Tracking controllers for elastic robots: exact linearisation to chains of integrators."""

from __future__ import annotations

from math import factorial
from typing import Any, NamedTuple

import numpy as np

from jounce.api.call import Wrenches
from jounce.api.dynamics import inverse_dynamics
from jounce.api.matrices import forward_dynamics
from jounce.elastic.drives import checked_positive, checked_trajectory, constant_wrenches
from jounce.elastic.series import SeriesElastic
from jounce.elastic.variable_stiffness import StiffnessDrives
from jounce.errors import ArgumentError, ShapeError, UnsupportedError
from jounce.model.checks import checked
from jounce.trajectory.protocol import Trajectory

_COUNTS = {2: "two", 4: "four"}


class TrackingController:
    """Exact linearisation with pole placement: the error obeys ``Π (d/dt − p_i) e = 0``.

    ``trajectory(t, order=4)`` gives the wanted motion; ``poles`` are four numbers in the left
    half plane, complex ones in pairs.  Call it with time and state for the motor torque.  All
    joints must be elastic, without spring damping; see `ExtendedController` for rigid ones.

    Drives of variable stiffness also need the wanted ``stiffness(t, order=2)`` and, for its
    error, two ``stiffness_poles``.

    A torque that is held for a sample comes half a sample late.  With ``sample_time`` it is the
    torque of the middle of the sample, from the state that is expected there.  ``wrenches`` are
    those it knows of; they stay.

    >>> import jounce
    >>> arm = jounce.elastic.VariableStiffness(jounce.load("planar2r"), 0.1)
    >>> swing = jounce.trajectory.Fourier([[0.3, 0.2]], [[0.0, 0.1]], 2.0)
    >>> soft = jounce.trajectory.Polynomial([[100.0, 80.0], [5.0, 0.0]])
    >>> control = jounce.elastic.TrackingController(
    ...     arm, swing, [-8, -9, -10, -11], stiffness=soft, stiffness_poles=[-5, -6]
    ... )
    >>> start = jounce.simulation.PlannedForces(arm, swing, soft).state(0.0)
    >>> control(0.0, *start).shape
    (4,)
    """

    def __init__(
        self,
        robot: SeriesElastic | StiffnessDrives,
        trajectory: Any,
        poles: Any,
        sample_time: float | None = None,
        *,
        stiffness: Any = None,
        stiffness_poles: Any = None,
        wrenches: Wrenches = None,
    ) -> None:
        if isinstance(robot, SeriesElastic):
            robot.require_flat("a tracking controller", mixed=False)
        self.robot, self.wrenches = robot, constant_wrenches(robot.robot, wrenches)
        self.law = ErrorLaw(checked_trajectory(robot.robot, trajectory), gains_of(poles))
        self.sample_time = (
            None if sample_time is None else checked_positive("sample_time", sample_time)
        )
        is_variable = isinstance(robot, StiffnessDrives)
        if {stiffness is not None, stiffness_poles is not None} != {is_variable}:
            raise ArgumentError(
                "drives of variable stiffness need stiffness(t, order) and two stiffness_poles, "
                "others neither."
            )
        if not isinstance(robot, SeriesElastic):
            wanted = checked_trajectory(robot.robot, stiffness)
            self.stiffness_law = ErrorLaw(wanted, gains_of(stiffness_poles, 2, "stiffness_poles"))

    def __call__(self, t: float, *state: Any) -> np.ndarray:
        """Return the motor torque at time t and in this state."""
        known = {"wrenches": self.wrenches}
        delay = 0.0 if self.sample_time is None else 0.5 * self.sample_time
        a, j, *stiffness = self.robot.flat_state(*state, **known)
        motion = self.law.motion_after(delay, t, np.array([*state[:2], a, j]))
        if isinstance(self.robot, SeriesElastic):
            return self.robot.feedforward(*motion, **known).torque
        K = self.stiffness_law.motion_after(delay, t, np.array(stiffness))
        return self.robot.torques(K, *motion, **known)[0]


class DynamicExtension:
    """A `SeriesElastic` whose rigid joints have torque and torque rate as states.

    The torque of a rigid joint moves all links at once, that of an elastic joint only two orders
    later; so static feedback does not linearise a robot that has both (De Luca 1998).  Once the
    torques of the rigid joints are states, driven through two integrators, it does: with
    ``Q_r = τ_r`` and ``Q_r'`` known, the state gives a and j, and a wanted q⁽⁴⁾ gives
    ``τ_r'' = Q_r''`` beside the torques of the elastic joints.

    Torques are ``(*batch, nv)`` on the motor side; of the rigid ones only those entries count.
    """

    def __init__(self, robot: SeriesElastic) -> None:
        robot.require_flat("exact linearisation")
        others = [joint.name for joint in robot.robot.joints if joint.quaternion is not None]
        if others:
            raise UnsupportedError(
                "exact linearisation needs a motor behind every joint and coordinates whose rate "
                f"is the velocity; {', '.join(others)} with quaternions have neither. Feedforward, "
                "forward dynamics and simulation work."
            )
        self.robot = robot

    def flat_state(
        self,
        q: Any,
        v: Any,
        theta: Any,
        theta1: Any,
        rigid_torques: Any,
        *,
        wrenches: Wrenches = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return ``(a, j)``; ``rigid_torques`` are torque and rate, ``(2, *batch, nv)``."""
        robot = self.robot
        given = checked("rigid_torques", rigid_torques, robot.robot.nv) * robot.gear_ratio
        if given.ndim < 2 or len(given) != 2:
            raise ShapeError(f"rigid_torques must hold torque and rate, got shape {given.shape}.")
        springs = robot.spring_torques(q, v, theta, theta1, rate=True)
        Q, Q1 = (np.where(robot.rigid, t, s) for t, s in zip(given, springs, strict=True))
        a, j = forward_dynamics(robot.links, q, v, Q, Q1, wrenches=wrenches)
        return a, j

    def linearizing(
        self, q: Any, v: Any, a: Any, j: Any, q4: Any, *, wrenches: Wrenches = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the torque of elastic joints and the second derivative of it for rigid ones.

        Both ``(*batch, nv)`` with zeros elsewhere, for a wanted fourth derivative ``q4``.
        """
        rigid, n = self.robot.rigid, self.robot.gear_ratio
        torque = self.robot.feedforward(q, v, a, j, q4, wrenches=wrenches).torque
        Q2 = inverse_dynamics(self.robot.links, q, v, a, j, q4, wrenches=wrenches)[2]
        return np.where(rigid, 0.0, torque), np.where(rigid, Q2 / n, 0.0)


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
        self.sample_time = checked_positive("sample_time", sample_time)
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
    """The highest derivative that makes the error to a trajectory obey placed poles."""

    trajectory: Trajectory
    gains: np.ndarray

    def highest(self, t: float, motion: np.ndarray) -> np.ndarray:
        """Return x⁽ⁿ⁾, n the number of poles, for x … x⁽ⁿ⁻¹⁾ at time t."""
        n = len(self.gains)
        wanted = self.trajectory(t, order=n)
        return wanted[n] + np.tensordot(self.gains, wanted[:n] - motion, 1)

    def motion_after(self, delay: float, t: float, motion: np.ndarray) -> np.ndarray:
        """Return x … x⁽ⁿ⁾ a little after time t, where x … x⁽ⁿ⁻¹⁾ are ``motion``."""
        n, given = len(self.gains), [*motion, self.highest(t, motion)]
        powers = [delay**i / factorial(i) for i in range(n + 1)]
        later = np.array(
            [sum(given[k + i] * powers[i] for i in range(n + 1 - k)) for k in range(n)]
        )
        return np.array([*later, self.highest(t + delay, later)])


def gains_of(poles: Any, count: int = 4, name: str = "poles") -> np.ndarray:
    """Return the gains of e, e', e'' … that place as many poles."""
    poles = np.asarray(poles, dtype=complex)
    if poles.shape != (count,) or not np.all(poles.real < 0.0):
        raise ArgumentError(
            f"{name} must be {_COUNTS[count]} numbers with negative real part, got {poles}."
        )
    coefficients = np.poly(poles)
    if not np.allclose(coefficients.imag, 0.0, atol=1e-9 * np.abs(coefficients).max()):
        raise ArgumentError(f"complex {name} must come in conjugate pairs, got {poles}.")
    return coefficients.real[:0:-1]
