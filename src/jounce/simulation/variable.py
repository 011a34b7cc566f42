"""Simulation of joints with variable stiffness, the motors of the stiffness included.

Both models are one: with σ the angle of the adjuster, or the distance θ₁ − θ₂ of antagonistic
motors, and θ the motor angle, or the mean of both,

    K = g σ,   m θ'' = τ − K (θ − q),   n σ'' = τ_σ − ½ g (θ − q)² − c σ²

The stiffness series to order k gives the motion to order k + 2, and that gives σ to order
k + 4: a few rounds through the compiled kernel of elastic joints give all orders exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from jounce.algebra.series import coefficients, derivatives, integrated
from jounce.api.call import Wrench
from jounce.api.matrices import forward_dynamics
from jounce.elastic.coupled import coupled
from jounce.elastic.drives import joint_of
from jounce.elastic.variable import Antagonistic, VariableStiffness
from jounce.errors import ModelError
from jounce.model.robot import Robot
from jounce.simulation.systems import Series, padded, plain_state


class Law(NamedTuple):
    """The constants m, n, g, c of the module's equations, one a joint."""

    motor: np.ndarray
    adjuster: np.ndarray
    gain: np.ndarray
    own: np.ndarray


class VariableSystem:
    """Independent stiffness: state q, v, theta, theta1, adjuster, adjuster1."""

    names: tuple[str, ...] = ("q", "v", "theta", "theta1", "adjuster", "adjuster1")

    def __init__(self, drives: VariableStiffness, wrenches: Mapping[str, Wrench]) -> None:
        self.robot, self.links, self.wrenches = drives.robot, drives.links, wrenches
        self.inputs = 2 * self.robot.nv
        none = np.zeros(self.robot.nv)
        self.law = Law(drives.motor_inertia, drives.adjuster_inertia, drives.gain, none)

    def checked(self, state: Sequence[Any]) -> tuple[np.ndarray, ...]:
        """Return the parts of a state as arrays, or raise."""
        parts = tuple(plain_state(self.robot, state, self.names))
        _require_stiffness(self.robot, parts[4])
        self.diagnose(parts)
        return parts

    def series(self, state: Sequence[np.ndarray], forces: np.ndarray, order: int) -> Series:
        """Return Taylor coefficients of the state up to ``order``."""
        _require_stiffness(self.robot, state[4])
        torque, adjusting = np.split(padded(forces, order), 2, axis=1)
        return _series(self.links, self.law, state, (torque, adjusting), self.wrenches)

    def diagnose(self, state: Sequence[np.ndarray]) -> None:
        """Raise SingularError if the mass matrix of the links is singular."""
        forward_dynamics(self.links, state[0], state[1], np.zeros(self.robot.nv))


class AntagonisticSystem:
    """Two motors a joint: state q, v, agonist, agonist1, antagonist, antagonist1."""

    names: tuple[str, ...] = ("q", "v", "agonist", "agonist1", "antagonist", "antagonist1")

    def __init__(self, drives: Antagonistic, wrenches: Mapping[str, Wrench]) -> None:
        self.robot, self.links, self.wrenches = drives.robot, drives.links, wrenches
        self.inputs = 2 * self.robot.nv
        J, k = drives.motor_inertia, drives.spring
        self.law = Law(2.0 * J, 0.5 * J, k, 0.125 * k)

    def checked(self, state: Sequence[Any]) -> tuple[np.ndarray, ...]:
        """Return the parts of a state as arrays, or raise."""
        parts = tuple(plain_state(self.robot, state, self.names))
        _require_taut(self.robot, parts[2] - parts[0], parts[0] - parts[4])
        self.diagnose(parts)
        return parts

    def series(self, state: Sequence[np.ndarray], forces: np.ndarray, order: int) -> Series:
        """Return Taylor coefficients of the state up to ``order``."""
        q, v, first, first1, second, second1 = state
        _require_taut(self.robot, first - q, q - second)
        one, two = np.split(padded(forces, order), 2, axis=1)
        common = (q, v, 0.5 * (first + second), 0.5 * (first1 + second1))
        combined = (*common, first - second, first1 - second1)
        torques = (one + two, 0.5 * (one - two))
        parts = _series(self.links, self.law, combined, torques, self.wrenches)
        q_, v_, mean, mean1, gap, gap1 = parts
        motors = (mean + 0.5 * gap, mean1 + 0.5 * gap1, mean - 0.5 * gap, mean1 - 0.5 * gap1)
        return q_, v_, *motors

    def diagnose(self, state: Sequence[np.ndarray]) -> None:
        """Raise SingularError if the mass matrix of the links is singular."""
        forward_dynamics(self.links, state[0], state[1], np.zeros(self.robot.nv))


def _series(
    links: Robot,
    law: Law,
    state: Sequence[np.ndarray],
    torques: tuple[np.ndarray, np.ndarray],
    wrenches: Mapping[str, Wrench],
) -> Series:
    """Return the coefficients of q, v, θ, θ', σ, σ'."""
    q, v, theta, theta1, sigma, sigma1 = state
    order, none = len(torques[0]), np.zeros(links.nv)
    adjuster = np.zeros((order + 2, links.nv))
    adjuster[:2] = sigma, sigma1
    counts = np.arange(1.0, order + 2.0)[:, None]
    adjusting = coefficients(none, torques[1])[1:] * counts[:-1]
    known = 1
    while True:
        stiffness = derivatives(law.gain * adjuster[:order])
        groups = (q, v, theta, theta1, none, 1.0 / law.motor, none, stiffness)
        rows = coupled(links, groups, torques[0], wrenches)
        velocity, speed = coefficients(v, rows[:order]), coefficients(theta1, rows[order:])
        position, angle = integrated(q, velocity), integrated(theta, speed)
        is_complete = known >= order - 1
        known = _adjust(law, adjuster, angle - position, adjusting, known)
        if is_complete:
            return position, velocity, angle, speed, adjuster[:-1], adjuster[1:] * counts


def _adjust(
    law: Law, adjuster: np.ndarray, stretch: np.ndarray, torque: np.ndarray, known: int
) -> int:
    """Fill in the coefficients of σ that those of the stretch allow; return the last known."""
    last = min(known + 4, len(adjuster) - 1)
    for k in range(last - 1):
        load = 0.5 * law.gain * _square(stretch, k) + law.own * _square(adjuster, k)
        adjuster[k + 2] = (torque[k] - load) / (law.adjuster * (k + 1) * (k + 2))
    return last


def _square(x: np.ndarray, k: int) -> np.ndarray:
    return np.sum(x[: k + 1] * x[k::-1], axis=0)


def _require_stiffness(robot: Robot, adjuster: np.ndarray) -> None:
    if np.any(adjuster <= 0.0):
        joint = joint_of(robot, adjuster <= 0.0)
        raise ModelError(
            f"joint {joint!r} has no stiffness left: its adjuster must stay above zero. Start "
            "with more stiffness, or hold the adjuster with more torque."
        )


def _require_taut(robot: Robot, first: np.ndarray, second: np.ndarray) -> None:
    slack = (first <= 0.0) | (second <= 0.0)
    if slack.any():
        raise ModelError(
            f"a spring of joint {joint_of(robot, slack)!r} is slack: antagonistic springs only "
            "pull. Start with more stiffness."
        )
