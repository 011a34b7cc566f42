"""Variable-stiffness joints: feedforward for motion and stiffness together."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from jounce.elastic.drives import per_joint, require_plain_joints, with_armature
from jounce.errors import ModelError, ShapeError
from jounce.kernels.dynamics import inverse_dynamics
from jounce.model.checks import checked
from jounce.model.robot import Robot


class StiffnessFeedforward(NamedTuple):
    """What motors must do for a motion and a stiffness; each ``(*batch, nv)``."""

    theta: np.ndarray
    theta1: np.ndarray
    theta2: np.ndarray
    torque: np.ndarray
    spring_torque: np.ndarray
    spring_rate: np.ndarray


class VariableStiffness:
    """One motor moves the joint, another sets the stiffness: ``Q = K(t) (θ − q)``.

    The stiffness is a function of time like everything else: given with two derivatives.
    """

    def __init__(self, robot: Robot, motor_inertia: Any) -> None:
        require_plain_joints(robot)
        self.robot = robot
        self.motor_inertia = per_joint(robot, "motor_inertia", motor_inertia)
        self.links = with_armature(robot, np.zeros(robot.nv))

    def feedforward(
        self, q: Any, v: Any, a: Any, j: Any, s: Any, stiffness: Any
    ) -> StiffnessFeedforward:
        """Return the motion and torque of the positioning motors.

        ``stiffness`` are K, K', K'' of shape ``(3, *batch, nv)``.
        """
        K = stiffness_rows(self.robot, stiffness)
        Q = inverse_dynamics(self.links, q, v, a, j, s)
        deflection = quotient(Q, K)
        position = [checked(n, x, self.robot.nv) for n, x in zip("qva", (q, v, a), strict=True)]
        theta, theta1, theta2 = (x + d for x, d in zip(position, deflection, strict=True))
        torque = self.motor_inertia * theta2 + Q[0]
        return StiffnessFeedforward(theta, theta1, theta2, torque, Q[0], Q[1])


class Antagonistic:
    """Two motors pull a joint through quadratic springs, ``f(φ) = ½ k φ²`` for φ > 0.

    With deflections ``φ₁ = θ₁ − q`` and ``φ₂ = q − θ₂`` the joint torque is ``f(φ₁) − f(φ₂)`` and
    the stiffness ``k (φ₁ + φ₂)``, so both follow: ``φ₁ ± …  = ½ (K/k ± 2 Q/K)``.
    """

    def __init__(self, robot: Robot, spring: Any, motor_inertia: Any) -> None:
        require_plain_joints(robot)
        self.robot = robot
        self.spring = per_joint(robot, "spring", spring)
        self.motor_inertia = per_joint(robot, "motor_inertia", motor_inertia)
        self.links = with_armature(robot, np.zeros(robot.nv))

    def feedforward(
        self, q: Any, v: Any, a: Any, j: Any, s: Any, stiffness: Any
    ) -> tuple[StiffnessFeedforward, StiffnessFeedforward]:
        """Return what both motors of every joint must do; a slack spring is an error."""
        K = stiffness_rows(self.robot, stiffness)
        Q = inverse_dynamics(self.links, q, v, a, j, s)
        position = np.array(
            [checked(n, x, self.robot.nv) for n, x in zip("qva", (q, v, a), strict=True)]
        )
        sum_, difference = K / self.spring, 2.0 * quotient(Q, K)
        return (
            self._motor(position, 0.5 * (sum_ + difference), 1.0),
            self._motor(position, 0.5 * (sum_ - difference), -1.0),
        )

    def _motor(
        self, position: np.ndarray, deflection: np.ndarray, side: float
    ) -> StiffnessFeedforward:
        if np.any(deflection[0] <= 0.0):
            raise ModelError(
                "a spring goes slack: the stiffness is too low for the joint torque. Ask for more "
                "than sqrt(2 k |Q|) at every joint."
            )
        theta = position + side * deflection
        pull = 0.5 * self.spring * deflection[0] ** 2 * side
        rate = self.spring * deflection[0] * deflection[1] * side
        torque = self.motor_inertia * theta[2] + pull
        return StiffnessFeedforward(theta[0], theta[1], theta[2], torque, pull, rate)


def stiffness_rows(robot: Robot, stiffness: Any) -> np.ndarray:
    """Return K, K', K'' checked: three rows, K positive."""
    rows = checked("stiffness", stiffness, robot.nv)
    if rows.ndim < 2 or len(rows) != 3:
        raise ShapeError(
            f"stiffness must hold K, K', K'': (3, *batch, {robot.nv}), got {rows.shape}."
        )
    if np.any(rows[0] <= 0.0):
        raise ModelError(f"stiffness must be positive, its smallest value is {rows[0].min():g}.")
    return rows


def quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return a/b with two derivatives, from ``a = x b`` differentiated."""
    x0 = a[0] / b[0]
    x1 = (a[1] - x0 * b[1]) / b[0]
    x2 = (a[2] - 2.0 * x1 * b[1] - x0 * b[2]) / b[0]
    return np.array([x0, x1, x2])
