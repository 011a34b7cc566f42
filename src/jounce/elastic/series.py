"""Series-elastic joints: motor, spring, link."""

from __future__ import annotations

from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from jounce.elastic.drives import armature_of, per_joint, require_plain_joints, with_armature
from jounce.errors import ShapeError, UnsupportedError
from jounce.kernels.kernel import Kernel, kernel_of
from jounce.kernels.quantities import kernel_spec
from jounce.model.checks import check_finite, checked
from jounce.model.robot import Robot


class Feedforward(NamedTuple):
    """What the drives must do along a motion; each ``(*batch, nv)``.

    ``theta`` and its derivatives and ``torque`` are those of the motors (times and divided by
    the gear ratio); spring torque and rate are those of the joints; power is torque times
    speed of a motor.
    """

    theta: np.ndarray
    theta1: np.ndarray
    theta2: np.ndarray
    torque: np.ndarray
    spring_torque: np.ndarray
    spring_rate: np.ndarray
    power: np.ndarray


class SeriesElastic:
    """A robot driven through springs: ``Q = K (θ − q) + D (θ' − v)``, ``J θ'' + Q = τ``.

    Stiffness, spring damping and motor inertia are those seen at the joint side of the gear,
    one number or one a degree of freedom; ``gear_ratio`` only converts θ and τ of results and
    arguments to the motor side.  ``stiffness=inf`` makes a joint rigid, exactly.  The motor
    inertia replaces the armature of the robot (a rigid joint may have motor inertia zero and
    keep its armature).

    >>> import jounce
    >>> arm = jounce.elastic.SeriesElastic(jounce.load("panda"), 2000.0, 0.5)
    >>> q = v = a = j = s = [0.1] * 7
    >>> arm.feedforward(q, v, a, j, s).torque.shape
    (7,)
    """

    def __init__(
        self,
        robot: Robot,
        stiffness: Any,
        motor_inertia: Any,
        *,
        damping: Any = 0.0,
        gear_ratio: Any = 1.0,
    ) -> None:
        require_plain_joints(robot)
        self.robot = robot
        self.stiffness = per_joint(robot, "stiffness", stiffness, infinite=True)
        self.rigid = np.isinf(self.stiffness)
        self.motor_inertia = self._motor_inertia(motor_inertia)
        self.damping = per_joint(robot, "damping", damping, zero=True)
        ratio = np.asarray(gear_ratio, dtype=float)
        self.gear_ratio = np.sign(ratio) * per_joint(robot, "gear_ratio", np.abs(ratio))
        self._damped = self._names(np.where(self.rigid, 0.0, self.damping) > 0.0)
        self._rigid_joints = self._names(self.rigid)
        self._is_geared = bool(np.any(self.gear_ratio != 1.0))
        self._unmotored = with_armature(robot, np.zeros(robot.nv))
        self.links = with_armature(robot, np.where(self.rigid, self.motor_inertia, 0.0))
        self._compliance = np.where(self.rigid, 0.0, 1.0 / self.stiffness)
        self._spring = np.where(self.rigid, 0.0, self.stiffness)
        self._spring_damping = np.where(self.rigid, 0.0, self.damping)
        self._mobility = np.where(self.rigid, 0.0, 1.0 / np.maximum(self.motor_inertia, 1e-300))
        self._feedforward = kernel_of(kernel_spec(self._unmotored, "elastic_feedforward"))

    def __repr__(self) -> str:
        elastic = int((~self.rigid).sum())
        return f"<SeriesElastic {self.robot.name!r}: {elastic} of {self.robot.nv} joints elastic>"

    def _names(self, chosen: np.ndarray) -> list[str]:
        return [joint.name for joint in self.robot.joints if chosen[joint.v_slice].any()]

    def _motor_inertia(self, given: Any) -> np.ndarray:
        values = per_joint(self.robot, "motor_inertia", given, zero=True)
        kept = np.where(values == 0.0, armature_of(self.robot), values)
        inertia = np.where(self.rigid, kept, values)
        per_joint(self.robot, "motor_inertia", np.where(self.rigid, 1.0, inertia))
        return inertia

    def feedforward(self, q: Any, v: Any, a: Any, j: Any, s: Any) -> Feedforward:
        """Return what the drives must do for a motion given to its fourth derivative."""
        self._require_flat("feedforward")
        arguments = (q, v, a, j, s, self._compliance, self.motor_inertia)
        rows = self._feedforward(*arguments)
        if not isfinite(rows.sum()):  # find out which argument is to blame
            rows = self._feedforward(*arguments, check=True)
        theta, theta1, theta2, torque, spring, rate, power = rows
        if self._is_geared:
            n = self.gear_ratio
            theta, theta1, theta2, torque = theta * n, theta1 * n, theta2 * n, torque / n
        return Feedforward(theta, theta1, theta2, torque, spring, rate, power)

    def forward_dynamics(
        self, q: Any, v: Any, theta: Any, theta1: Any, torque: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the accelerations of links and motors, ``(a, theta2)``."""
        rows = self.series(q, v, theta, theta1, np.asarray(torque, float)[None])
        return rows[0], rows[1]

    def series(self, q: Any, v: Any, theta: Any, theta1: Any, torques: Any) -> np.ndarray:
        """Return a, a', ... and then θ'', θ''', ... for the torques and their derivatives.

        ``torques`` has shape ``(m, *batch, nv)``; so has each half of the result.
        """
        n = self.gear_ratio
        tau = np.asarray(torques, dtype=float)
        if tau.ndim < 2 or tau.shape[-1] != self.robot.nv:
            raise ShapeError(f"torque must have shape (*batch, {self.robot.nv}).")
        kernel = self._coupled(len(tau) - 1)
        motors = (
            checked("theta", theta, self.robot.nv) / n,
            checked("theta1", theta1, self.robot.nv) / n,
        )
        result = kernel.call(
            q, v, *motors, self._spring, self._spring_damping, self._mobility,
            self.rigid.astype(float), tau * n, check=True, threads=None,
        )  # fmt: skip
        check_finite("acceleration (is the mass matrix singular?)", result)
        half = len(tau)
        result[half:][..., self.rigid] = result[:half][..., self.rigid]
        result[half:] *= n
        return result

    def flat_state(self, q: Any, v: Any, theta: Any, theta1: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return acceleration and jerk of the links, ``(a, j)``, from the state."""
        self._require_flat("the flat state", mixed=False)
        torques = np.zeros((2, self.robot.nv))
        rows = self.series(q, v, theta, theta1, torques)
        return rows[0], rows[1]

    def motor_state(self, q: Any, v: Any, a: Any, j: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return ``(theta, theta1)`` from the flat state; inverse of `flat_state`."""
        result = self.feedforward(q, v, a, j, np.zeros(self.robot.nv))
        return result.theta, result.theta1

    def linearizing_torque(self, q: Any, v: Any, theta: Any, theta1: Any, q4: Any) -> np.ndarray:
        """Return the motor torque that gives the links the wanted fourth derivative ``q4``."""
        self._require_flat("exact linearisation", mixed=False)
        a, j = self.flat_state(q, v, theta, theta1)
        return self.feedforward(q, v, a, j, q4).torque

    def _coupled(self, order: int) -> Kernel:
        return kernel_of(kernel_spec(self.links, "elastic_coupled", order))

    def _require_flat(self, what: str, *, mixed: bool = True) -> None:
        """Refuse what the drives do not allow, naming the joints."""
        if self._damped:
            raise UnsupportedError(
                f"{what} needs springs without damping: with it the motor angle follows the "
                "motion through a filter and q is no flat output. Damped joints: "
                f"{', '.join(self._damped)}."
            )
        rigid = self._rigid_joints
        if rigid and not mixed and len(rigid) < len(self.robot.joints):
            raise UnsupportedError(
                f"{what} of a robot with rigid and elastic joints needs a dynamic extension (De "
                f"Luca 1998): the torque of a rigid joint moves the elastic ones at once. Rigid "
                f"joints: {', '.join(rigid)}. Feedforward and simulation work."
            )
