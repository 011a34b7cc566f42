"""Series-elastic joints: motor, spring, link."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from jounce.algebra.spatial_matrix import ad_matrix, hat
from jounce.api.call import Wrenches
from jounce.api.closures import actuated_forces
from jounce.api.dynamics import inverse_dynamics
from jounce.api.matrices import forward_dynamics
from jounce.api.partials import forward_dynamics_partials
from jounce.elastic.drives import (
    checked_motion,
    coupled,
    joint_of,
    per_joint,
    plain_state,
    require_plain_joints,
    with_armature,
)
from jounce.errors import ArgumentError, ShapeError, UnsupportedError
from jounce.kernels.description import kernel_spec
from jounce.kernels.kernel import kernel_of
from jounce.model.checks import as_floats, checked
from jounce.model.robot import Robot
from jounce.trajectory.protocol import positions

CONSISTENT = 1e-9  # rad: how well the motor of a rigid joint must stand where the joint is


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

    def __str__(self) -> str:
        peaks = (f"{x} {np.abs(y).max(initial=0.0):.4g}" for x, y in self._asdict().items())
        return f"drives along {self.theta.shape}, at most: {', '.join(peaks)}"


class SeriesElastic:
    """A robot driven through springs: ``Q = K (θ − q) + D (θ' − v)``, ``J θ'' + Q = τ``.

    Stiffness, spring damping and motor inertia are those seen at the joint side of the gear,
    one number or one a degree of freedom; ``gear_ratio`` only converts θ and τ of results and
    arguments to the motor side.  ``stiffness=inf`` makes a joint rigid, exactly.  The motor
    inertia replaces the armature of the robot (a rigid joint may have motor inertia zero and
    keep its armature).  ``wrenches={frame: W}`` act on the links, as in
    `jounce.inverse_dynamics`; motor torques depend on W, W' and W''.

    Spherical and free joints, such as a floating base, are rigid (of an array of stiffnesses,
    their entries are inf) and have no motor angle: θ, θ', θ'' are zero there, and their torque
    is the generalised force that moves them.

    Of a robot with closures the joints of finite stiffness are driven, all others are passive
    (stiffness inf, motor inertia 0): `feedforward` and `torques` take closed motions.

    With spring damping the motor follows the motion through a filter and q is no flat output:
    forward dynamics and simulation work, everything from q to the motors is refused.

    >>> import jounce
    >>> arm = jounce.elastic.SeriesElastic(jounce.load("panda"), 2000.0, 0.5)
    >>> q = v = a = j = s = [0.1] * 7
    >>> arm.feedforward(q, v, a, j, s).torque.shape
    (7,)
    """

    state_names = ("q", "v", "theta", "theta1")

    def __init__(
        self,
        robot: Robot,
        stiffness: Any,
        motor_inertia: Any,
        *,
        damping: Any = 0.0,
        gear_ratio: Any = 1.0,
    ) -> None:
        require_plain_joints(robot, quaternions=True)
        self.robot = robot
        self.inputs = robot.nv
        self.stiffness = self._checked_stiffness(stiffness)
        self.rigid = np.isinf(self.stiffness)
        self.motor_inertia = self._motor_inertia(motor_inertia)
        self.damping = per_joint(robot, "damping", damping, zero=True)
        ratio = as_floats("gear_ratio", gear_ratio)
        size = per_joint(robot, "the absolute gear_ratio", np.abs(ratio))
        self.gear_ratio = np.sign(ratio) * size
        self._damped = self._names(np.where(self.rigid, 0.0, self.damping) > 0.0)
        self._motor_gear = np.where(self._has_motor, self.gear_ratio, 0.0)
        self._is_geared = bool(np.any(self.gear_ratio != 1.0))
        self._unmotored = with_armature(robot, np.zeros(robot.nv))
        self.links = with_armature(robot, np.where(self.rigid, self.motor_inertia, 0.0))
        self.compliance = np.where(self.rigid, 0.0, 1.0 / self.stiffness)  # 1 / K
        self._spring = np.where(self.rigid, 0.0, self.stiffness)
        self._spring_damping = np.where(self.rigid, 0.0, self.damping)
        inertia = np.where(self.rigid, 1.0, self.motor_inertia)
        self._mobility = np.where(self.rigid, 0.0, 1.0 / inertia)
        if not robot.quaternions and not robot.closures:
            self._feedforward = kernel_of(kernel_spec(self._unmotored, "elastic_feedforward"))

    def __repr__(self) -> str:
        elastic = int((~self.rigid).sum())
        return f"<SeriesElastic {self.robot.name!r}: {elastic} of {self.robot.nv} joints elastic>"

    def _names(self, chosen: np.ndarray) -> list[str]:
        return [joint.name for joint in self.robot.joints if chosen[joint.v_slice].any()]

    def _checked_stiffness(self, given: Any) -> np.ndarray:
        """Return the stiffness of every velocity; one number is that of all that can be elastic."""
        self._has_motor = np.ones(self.robot.nv, dtype=bool)
        for joint in self.robot.joints:
            self._has_motor[joint.v_slice] = joint.quaternion is None
        if self.robot.closures and np.ndim(given) > 0:
            self._has_motor &= np.isfinite(per_joint(self.robot, "stiffness", given, infinite=True))
        if np.ndim(given) == 0:
            given = np.where(self._has_motor, as_floats("stiffness", given), np.inf)
        stiffness = per_joint(self.robot, "stiffness", given, infinite=True)
        wrong = ~self._has_motor & np.isfinite(stiffness)
        if wrong.any():
            raise UnsupportedError(
                f"joint {joint_of(self.robot, wrong)!r} has a quaternion and no motor angle: it "
                "cannot be elastic. Its stiffness must be inf."
            )
        return stiffness

    def _motor_inertia(self, given: Any) -> np.ndarray:
        if np.ndim(given) == 0:  # motors that there are
            given = np.where(self._has_motor, as_floats("motor_inertia", given), 0.0)
        values = per_joint(self.robot, "motor_inertia", given, zero=self.rigid)
        own = [x for joint in self.robot.joints for x in joint.armature]
        return np.where(values == 0.0, own, values)

    def feedforward(
        self, q: Any, v: Any, a: Any, j: Any = None, s: Any = None, *, wrenches: Wrenches = None
    ) -> Feedforward:
        """Return what the drives must do for a motion given to its fourth derivative."""
        self.require_flat("feedforward")
        if s is None:
            raise ShapeError(
                "feedforward needs q, v, a, j and s: the motor torque depends on the second "
                f"derivative of the joint torque. Got {3 + (j is not None)} arrays."
            )
        arguments = (q, v, a, j, s, self.compliance, self.motor_inertia)
        if wrenches or self.robot.quaternions or self.robot.closures:
            rows = self._loaded((q, v, a, j, s), wrenches)
        else:
            rows = self._feedforward(*arguments)
            if not isfinite(rows.sum()):  # find out which argument is to blame
                rows = self._feedforward(*arguments, check=True)
        theta, theta1, theta2, torque, spring, rate, power = rows
        if self._is_geared:
            n = self.gear_ratio
            theta, theta1, theta2, torque = theta * n, theta1 * n, theta2 * n, torque / n
        return Feedforward(theta, theta1, theta2, torque, spring, rate, power)

    def _loaded(self, motion: tuple[Any, ...], wrenches: Wrenches) -> tuple[np.ndarray, ...]:
        """Return the rows of the feedforward kernel under external wrenches, joint side."""
        q, *rates = checked_motion(self.robot, motion)
        Q = self._joint_forces([q, *rates], wrenches)
        theta, theta1, theta2 = (
            x + self.compliance * f for x, f in zip(self._angles(q, *rates), Q, strict=False)
        )
        torque = self.motor_inertia * np.where(self._has_motor, theta2, rates[1]) + Q[0]
        power = torque * np.where(self._has_motor, theta1, rates[0])
        return theta, theta1, theta2, torque, Q[0], Q[1], power

    def _joint_forces(self, motion: Sequence[np.ndarray], wrenches: Wrenches) -> np.ndarray:
        """Return the forces of the joints; with closures those of the driven ones, others zero."""
        if not self.robot.closures:
            return inverse_dynamics(self._unmotored, *motion, wrenches=wrenches)
        given = {"actuated": self.driven, "wrenches": wrenches}
        return actuated_forces(self._unmotored, *motion, **given).values

    @property
    def driven(self) -> list[str]:
        """The joints that have motors."""
        return self._names(self._has_motor)

    def _angles(self, q: np.ndarray, *rates: np.ndarray) -> list[np.ndarray]:
        """Return q and its rates as the motors of rigid joints would see them."""
        if not self.robot.quaternions:
            return [q, *rates]
        return [positions(self.robot, q), *(np.where(self._has_motor, x, 0.0) for x in rates)]

    def torques(self, q: Any, *rates: Any, wrenches: Wrenches = None) -> np.ndarray:
        """Return the motor torque and its derivatives, ``(K − 3, *batch, nv)``, from K rates.

        ``τ⁽ᵏ⁾ = J θ⁽ᵏ⁺²⁾ + Q⁽ᵏ⁾`` with ``θ = q + Q/K``.
        """
        self.require_flat("the torque of a motion")
        motion = checked_motion(self.robot, (q, *rates))
        Q = self._joint_forces(motion, wrenches)
        accelerations = np.array(
            [x + self.compliance * f for x, f in zip(motion[2:], Q[2:], strict=False)]
        )
        return (self.motor_inertia * accelerations + Q[:-2]) / self.gear_ratio

    def forward_dynamics(
        self, q: Any, v: Any, theta: Any, theta1: Any, torque: Any, *, wrenches: Wrenches = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the accelerations of links and motors, ``(a, theta2)``.

        ``M a = Q − …`` with the spring torque Q, ``J θ'' = τ − Q``.  A mass matrix of the links
        that is singular raises SingularError: the motor inertia does not count there.
        """
        tau = checked("torque", torque, self.robot.nv) * self.gear_ratio
        (spring,) = self.spring_torques(q, v, theta, theta1)
        Q = np.where(self.rigid, tau, spring)
        (a,) = forward_dynamics(self.links, q, v, Q, wrenches=wrenches)
        theta2 = np.where(self.rigid, a, (tau - spring) * self._mobility)
        return a, np.where(self._has_motor, theta2, 0.0) * self.gear_ratio

    def spring_torques(
        self, q: Any, v: Any, theta: Any, theta1: Any, *, rate: bool = False
    ) -> list[np.ndarray]:
        """Return the torque of the springs, with its rate for springs without damping."""
        nv, n = self.robot.nv, self.gear_ratio
        (angles,) = self._angles(checked("q", q, self.robot.nq, "nq"))
        stretch = checked("theta", theta, nv) / n - angles
        speed = checked("theta1", theta1, nv) / n - checked("v", v, nv)
        torque = self._spring * stretch + self._spring_damping * speed
        return [torque, self._spring * speed] if rate else [torque]

    def checked_state(self, state: Any) -> tuple[np.ndarray, ...]:
        """Return the parts of one state as arrays, or raise."""
        q, v, theta, theta1 = plain_state(self.robot, state, self.state_names)
        n, rigid = self.gear_ratio, self.rigid
        angles, speeds = self._angles(q, v)
        for name, own, other in (("theta", theta, angles), ("theta1", theta1, speeds)):
            gap = np.abs(own - n * other)[rigid].max(initial=0.0)
            if gap > CONSISTENT:
                raise ArgumentError(
                    f"{name} of a rigid joint must be the gear ratio times that of the joint; "
                    f"they differ by {gap:.3g}."
                )
            own[rigid] = (n * other)[rigid]
        return q, v, theta, theta1

    def series(
        self, q: Any, v: Any, theta: Any, theta1: Any, torques: Any, *, wrenches: Wrenches = None
    ) -> np.ndarray:
        """Return a, a', ... and then θ'', θ''', ... for the torques and their derivatives.

        ``torques`` has shape ``(m, *batch, nv)``; so has each half of the result.  Values are
        not checked: this is what simulation calls.
        """
        n, half = self.gear_ratio, len(torques)
        stiffness = np.zeros((half, self.robot.nv))
        stiffness[0] = self._spring
        state = (q, v, theta / n, theta1 / n)
        drives = (self._spring_damping, self._mobility, self.rigid.astype(float), stiffness)
        result = coupled(self.links, (*state, *drives), torques * n, wrenches)
        result[half:][..., self.rigid] = result[:half][..., self.rigid]
        result[half:] *= self._motor_gear
        return result

    def flat_state(
        self, q: Any, v: Any, theta: Any, theta1: Any, *, wrenches: Wrenches = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return acceleration and jerk of the links, ``(a, j)``, from the state.

        Forward dynamics of order 1 with ``Q = K (θ − q)`` and ``Q' = K (θ' − v)``.
        """
        self.require_flat("the flat state", mixed=False)
        Q, Q1 = self.spring_torques(q, v, theta, theta1, rate=True)
        a, j = forward_dynamics(self.links, q, v, Q, Q1, wrenches=wrenches)
        return a, j

    def motor_state(
        self, q: Any, v: Any, a: Any, j: Any, *, wrenches: Wrenches = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return ``(theta, theta1)`` from the flat state; inverse of `flat_state`."""
        result = self.feedforward(q, v, a, j, np.zeros(self.robot.nv), wrenches=wrenches)
        return result.theta, result.theta1

    def linearizing_torque(
        self, q: Any, v: Any, theta: Any, theta1: Any, q4: Any, *, wrenches: Wrenches = None
    ) -> np.ndarray:
        """Return the motor torque that gives the links the wanted fourth derivative ``q4``."""
        self.require_flat("exact linearisation", mixed=False)
        a, j = self.flat_state(q, v, theta, theta1, wrenches=wrenches)
        return self.feedforward(q, v, a, j, q4, wrenches=wrenches).torque

    def state_matrix(
        self, q: Any, v: Any, theta: Any, theta1: Any, torque: Any, *, wrenches: Wrenches = None
    ) -> np.ndarray:
        """Return the linearisation ``∂x'/∂x`` with ``x = (q, v, θ, θ')``, ``(*batch, 4 nv, 4 nv)``.

        q counts by tangent increments.  The motor torque stays, wrenches too, in their
        representation.  Eigenvalues with positive real part are rates at which an error grows
        without feedback.  The motor of a rigid joint moves with the joint.
        """
        nv, n, rigid = self.robot.nv, self.gear_ratio, self.rigid
        (spring,) = self.spring_torques(q, v, theta, theta1)
        Q = np.where(rigid, checked("torque", torque, nv) * n, spring)
        da_dq, da_dv, da_dQ = forward_dynamics_partials(self.links, q, v, Q, wrenches)
        K, D = np.diag(self._spring), np.diag(self._spring_damping)
        springs = np.concatenate([-K, -D, K / n, D / n], axis=1)  # ∂Q/∂x; θ on the motor side
        result = np.zeros((*Q.shape[:-1], 4 * nv, 4 * nv))
        result[..., :nv, nv : 2 * nv] = result[..., 2 * nv : 3 * nv, 3 * nv :] = np.eye(nv)
        for joint in self.robot.joints:
            if joint.quaternion is not None:
                at, bracket = joint.v_slice, ad_matrix if joint.nv == 6 else hat
                result[..., at, at] = -bracket(checked("v", v, nv)[..., at])
        links = da_dQ @ springs
        links[..., : 2 * nv] += np.concatenate([da_dq, da_dv], axis=-1)
        motors = np.where(rigid[:, None], links, -self._mobility[:, None] * springs)
        motors[..., ~self._has_motor, :] = 0.0
        result[..., nv : 2 * nv, :], result[..., 3 * nv :, :] = links, n[:, None] * motors
        return result

    def require_flat(self, what: str, *, mixed: bool = True) -> None:
        """Refuse what the drives do not allow, naming the joints."""
        if self._damped:
            raise UnsupportedError(
                f"{what} needs springs without damping: with it the motor angle follows the "
                "motion through a filter and q is no flat output. Damped joints: "
                f"{', '.join(self._damped)}. Forward dynamics and simulation work."
            )
        if not mixed and self.rigid.any():
            raise UnsupportedError(
                f"{what} of a robot with rigid joints needs a dynamic extension (De Luca 1998): "
                "the torque of a rigid joint moves the elastic ones at once. Rigid joints: "
                f"{', '.join(self._names(self.rigid))}. Use jounce.elastic.ExtendedController; "
                "feedforward and simulation work."
            )
