"""Variable-stiffness joints: feedforward for motion and stiffness together."""

from __future__ import annotations

from typing import Any

import numpy as np

from jounce.api.dynamics import inverse_dynamics
from jounce.elastic.drives import joint_of, per_joint, require_plain_joints, with_armature
from jounce.elastic.jets import checked_motion, product, quotient
from jounce.elastic.series import Feedforward
from jounce.elastic.wrenches import Wrenches
from jounce.errors import ModelError, ShapeError
from jounce.model.checks import checked
from jounce.model.robot import Robot


class StiffnessFeedforward(Feedforward):
    """What the motors must do, and what the ``adjuster`` motors that set the stiffness must do."""

    adjuster: Feedforward


class VariableStiffness:
    """One motor moves the joint, another, the adjuster, sets the stiffness on its own.

    With motor angle θ and adjuster angle σ, both seen at the joint side, the spring energy is
    ``½ K (θ − q)²`` and ``K = gain σ``::

        Q = K (θ − q),   J θ'' + Q = τ,   J_σ σ'' + ½ gain (θ − q)² = τ_σ

    Motion and stiffness are functions of time like everything else: jets.

    >>> import jounce
    >>> arm = jounce.elastic.VariableStiffness(jounce.load("planar2r"), 0.1)
    >>> x, K = [0.1, 0.2], [[100.0, 100.0], [5.0, 0.0], [0.0, 0.0]]
    >>> arm.feedforward(x, x, x, x, x, K).adjuster.theta.tolist()
    [100.0, 100.0]
    """

    def __init__(
        self, robot: Robot, motor_inertia: Any, *, adjuster_inertia: Any = 1.0, gain: Any = 1.0
    ) -> None:
        require_plain_joints(robot)
        self.robot = robot
        self.motor_inertia = per_joint(robot, "motor_inertia", motor_inertia)
        self.adjuster_inertia = per_joint(robot, "adjuster_inertia", adjuster_inertia)
        self.gain = per_joint(robot, "gain", gain)
        self.links = with_armature(robot, np.zeros(robot.nv))

    def feedforward(
        self,
        q: Any,
        v: Any,
        a: Any,
        j: Any = None,
        s: Any = None,
        stiffness: Any = None,
        *,
        wrenches: Wrenches = None,
    ) -> StiffnessFeedforward:
        """Return what the motors and what the adjusters must do.

        ``stiffness`` are K, K', K'' of shape ``(3, *batch, nv)``; ``wrenches`` act on the links.
        """
        motion = given(q, v, a, j, s)
        (theta, spring), (sigma, load) = self._drives(motion, stiffness, wrenches)
        result = StiffnessFeedforward(*_feedforward(self.motor_inertia, theta, spring))
        result.adjuster = _feedforward(self.adjuster_inertia, sigma, load)
        return result

    def torques(self, stiffness: Any, q: Any, *rates: Any, wrenches: Wrenches = None) -> np.ndarray:
        """Return the torques of motors and adjusters with derivatives, ``(K − 3, *batch, 2 nv)``.

        K rates of the motion and K − 2 derivatives of the stiffness.
        """
        (theta, spring), (sigma, load) = self._drives((q, *rates), stiffness, wrenches)
        motors = self.motor_inertia * theta[2:] + spring[:-2]
        adjusters = self.adjuster_inertia * sigma[2:] + load[:-2]
        return np.concatenate([motors, adjusters], axis=-1)

    def state(
        self, stiffness: Any, q: Any, *rates: Any, wrenches: Wrenches = None
    ) -> tuple[np.ndarray, ...]:
        """Return q, v, theta, theta1, adjuster, adjuster1: the state for simulation."""
        (theta, _), (sigma, _) = self._drives((q, *rates), stiffness, wrenches)
        return np.asarray(q, float), np.asarray(rates[0], float), *theta[:2], *sigma[:2]

    def _drives(
        self, given: Any, stiffness: Any, wrenches: Wrenches
    ) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
        """Return angle and load of motors and adjusters with derivatives."""
        position, Q, K = _jets(self.links, given, stiffness, wrenches)
        deflection = quotient(Q, K)
        load = 0.5 * self.gain * product(deflection, deflection)
        return (position + deflection, Q), (K / self.gain, load)


class Antagonistic:
    """Two motors pull a joint through quadratic springs, ``f(φ) = ½ k φ²`` for φ > 0.

    With stretches ``φ₁ = θ₁ − q`` and ``φ₂ = q − θ₂`` the joint torque is ``Q = f(φ₁) − f(φ₂)``
    and the stiffness ``K = k (φ₁ + φ₂)``, so both give ``φ₁,₂ = ½ (K/k ± 2 Q/K)``; the motors
    obey ``J θ₁'' + f(φ₁) = τ₁`` and ``J θ₂'' − f(φ₂) = τ₂``.
    """

    def __init__(self, robot: Robot, spring: Any, motor_inertia: Any) -> None:
        require_plain_joints(robot)
        self.robot = robot
        self.spring = per_joint(robot, "spring", spring)
        self.motor_inertia = per_joint(robot, "motor_inertia", motor_inertia)
        self.links = with_armature(robot, np.zeros(robot.nv))

    def feedforward(
        self,
        q: Any,
        v: Any,
        a: Any,
        j: Any = None,
        s: Any = None,
        stiffness: Any = None,
        *,
        wrenches: Wrenches = None,
    ) -> tuple[Feedforward, Feedforward]:
        """Return what both motors must do; ``stiffness`` as for `VariableStiffness`."""
        first, second = self._drives(given(q, v, a, j, s), stiffness, wrenches)
        return _feedforward(self.motor_inertia, *first), _feedforward(self.motor_inertia, *second)

    def torques(self, stiffness: Any, q: Any, *rates: Any, wrenches: Wrenches = None) -> np.ndarray:
        """Return the torques of both motors with derivatives, ``(K − 3, *batch, 2 nv)``."""
        drives = self._drives((q, *rates), stiffness, wrenches)
        parts = [self.motor_inertia * theta[2:] + pull[:-2] for theta, pull in drives]
        return np.concatenate(parts, axis=-1)

    def state(
        self, stiffness: Any, q: Any, *rates: Any, wrenches: Wrenches = None
    ) -> tuple[np.ndarray, ...]:
        """Return q, v, agonist, agonist1, antagonist, antagonist1: the state for simulation."""
        (first, _), (second, _) = self._drives((q, *rates), stiffness, wrenches)
        return np.asarray(q, float), np.asarray(rates[0], float), *first[:2], *second[:2]

    def _drives(
        self, given: Any, stiffness: Any, wrenches: Wrenches
    ) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
        """Return angle and pull of both motors with derivatives."""
        position, Q, K = _jets(self.links, given, stiffness, wrenches)
        sum_, difference = K / self.spring, 2.0 * quotient(Q, K)
        return tuple(
            self._motor(position, 0.5 * (sum_ + side * difference), side) for side in (1.0, -1.0)
        )

    def _motor(
        self, position: np.ndarray, stretch: np.ndarray, side: float
    ) -> tuple[np.ndarray, np.ndarray]:
        slack = stretch[0] <= 0.0
        if slack.any():
            raise ModelError(
                f"a spring of joint {joint_of(self.robot, slack)!r} goes slack: the stiffness is "
                "too low for the joint torque. Ask for more than sqrt(2 k |Q|) at every joint."
            )
        pull = side * 0.5 * self.spring * product(stretch, stretch)
        return position + side * stretch, pull


def _jets(
    links: Robot, given: Any, stiffness: Any, wrenches: Wrenches
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return position, joint torque and stiffness with equally many derivatives."""
    motion = checked_motion(links, given)
    Q = inverse_dynamics(links, *motion, wrenches=wrenches)
    K = stiffness_rows(links, stiffness, len(Q))
    try:
        shape = np.broadcast_shapes(Q.shape[1:], K.shape[1:])
    except ValueError:
        raise ShapeError(
            f"stiffness has batch {K.shape[1:-1]} and the motion {Q.shape[1:-1]}, which do not "
            "broadcast."
        ) from None
    position, Q, K = (
        np.array([np.broadcast_to(x, shape) for x in rows]) for rows in (motion[: len(Q)], Q, K)
    )
    return position, Q, K


def _feedforward(inertia: np.ndarray, theta: np.ndarray, load: np.ndarray) -> Feedforward:
    torque = inertia * theta[2] + load[0]
    power = torque * theta[1]
    return Feedforward(theta[0], theta[1], theta[2], torque, load[0], load[1], power)


def given(*arrays: Any) -> tuple[Any, ...]:
    """Return the arrays up to the first that is missing."""
    missing = [k for k, x in enumerate(arrays) if x is None]
    return arrays[: missing[0]] if missing else arrays


def stiffness_rows(robot: Robot, stiffness: Any, count: int = 3) -> np.ndarray:
    """Return K, K', K'' ... checked: ``count`` rows, K positive."""
    wanted = f"stiffness must hold K, K', K'' …: ({count}, *batch, {robot.nv})"
    if stiffness is None:
        raise ShapeError(f"{wanted}, got none.")
    rows = checked("stiffness", stiffness, robot.nv)
    if rows.ndim < 2 or len(rows) != count:
        raise ShapeError(f"{wanted}, got {rows.shape}.")
    if np.any(rows[0] <= 0.0):
        raise ModelError(
            f"stiffness of joint {joint_of(robot, rows[0] <= 0.0)!r} must be positive, its "
            f"smallest value is {rows[0].min():g}."
        )
    return rows
