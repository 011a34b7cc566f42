"""Variable-stiffness joints: two motors a joint, for motion and stiffness together.

Both models are one.  With σ the angle of the adjuster, or the distance θ₁ − θ₂ of antagonistic
motors, θ the motor angle, or the mean of both, and d = θ − q::

    K = g σ,   Q = K d,   m θ'' + Q = τ,   n σ'' + L = τ_σ,   L = ½ g d² + c σ²

Motion and stiffness are functions of time like everything else: jets.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from jounce.algebra.jet import Jet
from jounce.algebra.series import coefficients, derivatives, integrated
from jounce.api.call import Wrenches
from jounce.api.dynamics import inverse_dynamics
from jounce.api.matrices import forward_dynamics
from jounce.elastic.drives import (
    checked_motion,
    coupled,
    joint_of,
    per_joint,
    plain_state,
    require_plain_joints,
    with_armature,
)
from jounce.elastic.series import Feedforward
from jounce.errors import ModelError, ShapeError
from jounce.model.checks import checked
from jounce.model.robot import Robot

Pair = tuple[Any, Any]  # of motor and adjuster, or of two antagonistic motors


class StiffnessFeedforward(Feedforward):
    """What the motors must do, and what the ``adjuster`` motors that set the stiffness must do."""

    adjuster: Feedforward

    def _replace(self, **changes: Any) -> StiffnessFeedforward:  # type: ignore[override]
        adjuster = changes.pop("adjuster", self.adjuster)
        result = super()._replace(**changes)
        result.adjuster = adjuster
        return result


class Law(NamedTuple):
    """The constants m, n, g, c of the module's equations, one a joint."""

    motor: np.ndarray
    adjuster: np.ndarray
    gain: np.ndarray
    own: np.ndarray


class StiffnessDrives:
    """What both models share, in terms of θ and σ; the models say what their motors are.

    Torques are those of the first motors, then those of the second, ``(*batch, 2 nv)``.
    """

    state_names: tuple[str, ...]
    mix: tuple[Pair, Pair]  # motor angles from θ and σ; torques the other way, with the same power

    def __init__(self, robot: Robot, law: Law, inertias: Pair) -> None:
        self.robot, self.law, self._inertias = robot, law, inertias
        self.inputs, self._back = 2 * robot.nv, np.linalg.inv(self.mix).tolist()
        self.links = with_armature(robot, np.zeros(robot.nv))

    def motors(self, theta: Any, sigma: Any) -> Pair:
        """Return the angles of both motors; linear, so of rates too."""
        return _mixed(self.mix, theta, sigma)

    def common(self, first: Any, second: Any) -> Pair:
        """Return θ and σ; inverse of `motors`."""
        return _mixed(self._back, first, second)

    def loads(self, tau: Any, tau_sigma: Any) -> Pair:
        """Return the torques of both motors from those of θ and σ."""
        return _mixed(zip(*self._back, strict=True), tau, tau_sigma)

    def common_loads(self, first: Any, second: Any) -> Pair:
        """Return τ and τ_σ; inverse of `loads`."""
        return _mixed(zip(*self.mix, strict=True), first, second)

    def require_sound(self, q: Any, theta: Any, sigma: Any) -> None:
        """Raise ModelError where the springs have no stiffness or are slack."""
        if np.any(sigma <= 0.0):
            raise ModelError(
                f"joint {joint_of(self.robot, sigma <= 0.0)!r} has no stiffness left: its adjuster "
                "must stay above zero. Start with more stiffness, or hold the adjuster with more "
                "torque."
            )

    def torques(self, stiffness: Any, q: Any, *rates: Any, wrenches: Wrenches = None) -> np.ndarray:
        """Return the torques of all motors with derivatives, ``(K − 3, *batch, 2 nv)``.

        K rates of the motion and K − 2 derivatives of the stiffness.
        """
        drives = self._drives((q, *rates), stiffness, wrenches)
        parts = [
            (angle.dt().dt() * J + load).derivatives()
            for J, (angle, load) in zip(self._inertias, drives, strict=True)
        ]
        return np.concatenate([np.array(part) for part in parts], axis=-1)

    def state(
        self, stiffness: Any, q: Any, *rates: Any, wrenches: Wrenches = None
    ) -> tuple[np.ndarray, ...]:
        """Return the state on a motion, parts as in ``state_names``; for simulation."""
        drives = self._drives((q, *rates), stiffness, wrenches)
        motors = (x for angle, _ in drives for x in angle.derivatives()[:2])
        return np.asarray(q, float), np.asarray(rates[0], float), *motors

    def forward_dynamics(
        self, q: Any, v: Any, first: Any, first1: Any, second: Any, second1: Any, torque: Any,
        *, wrenches: Wrenches = None,
    ) -> tuple[np.ndarray, ...]:  # fmt: skip
        """Return the accelerations of links and of both motors, each ``(*batch, nv)``.

        ``torque`` has shape ``(*batch, 2 nv)``.
        """
        q, v, theta, _, sigma, _ = self._checked(q, v, first, first1, second, second1)
        m, n, g, c = self.law
        torque = checked("torque", torque, self.inputs, "2 nv")
        tau, tau_sigma = self.common_loads(*np.split(torque, 2, axis=-1))
        Q = g * sigma * (theta - q)
        (a,) = forward_dynamics(self.links, q, v, Q, wrenches=wrenches)
        load = 0.5 * g * (theta - q) ** 2 + c * sigma**2
        return a, *self.motors((tau - Q) / m, (tau_sigma - load) / n)

    def flat_state(
        self, q: Any, v: Any, first: Any, first1: Any, second: Any, second1: Any,
        *, wrenches: Wrenches = None,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
        """Return ``(a, j, K, K')`` from the state: q and K are flat outputs."""
        q, v, theta, theta1, sigma, sigma1 = self._checked(q, v, first, first1, second, second1)
        K, K1 = self.law.gain * sigma, self.law.gain * sigma1
        Q, Q1 = K * (theta - q), K1 * (theta - q) + K * (theta1 - v)
        a, j = forward_dynamics(self.links, q, v, Q, Q1, wrenches=wrenches)
        return a, j, K, K1

    def linearizing_torque(
        self, q: Any, v: Any, first: Any, first1: Any, second: Any, second1: Any, q4: Any, K2: Any,
        *, wrenches: Wrenches = None,
    ) -> np.ndarray:  # fmt: skip
        """Return the torques that give the wanted fourth derivative of q and second of K."""
        a, j, K, K1 = self.flat_state(q, v, first, first1, second, second1, wrenches=wrenches)
        K2 = np.broadcast_to(checked("K2", K2, self.robot.nv), K.shape)
        return self.torques(np.array([K, K1, K2]), q, v, a, j, q4, wrenches=wrenches)[0]

    def checked_state(self, state: Any) -> tuple[np.ndarray, ...]:
        """Return the parts of one state as arrays, or raise."""
        parts = plain_state(self.robot, state, self.state_names)
        self.require_sound(parts[0], *self.common(parts[2], parts[4]))
        return tuple(parts)

    def series(
        self, q: Any, v: Any, first: Any, first1: Any, second: Any, second1: Any, torques: Any,
        *, wrenches: Wrenches = None,
    ) -> np.ndarray:  # fmt: skip
        """Return the derivatives from the second on of q and both motors, ``(3 m, nv)``.

        ``torques`` has shape ``(m, 2 nv)``, derivatives included; this is what simulation calls.
        The stiffness series to order k gives the motion to order k + 2, and that gives σ to
        order k + 4: a few rounds through the compiled kernel of elastic joints give all orders.
        """
        theta, sigma = self.common(first, second)
        theta1, sigma1 = self.common(first1, second1)
        self.require_sound(q, theta, sigma)
        tau, tau_sigma = self.common_loads(*np.split(torques, 2, axis=1))
        order, none = len(torques), np.zeros(self.robot.nv)
        adjuster = np.zeros((order + 2, self.robot.nv))
        adjuster[:2] = sigma, sigma1
        adjusting = coefficients(tau_sigma[0], tau_sigma[1:])
        known = 1
        while True:
            stiffness = derivatives(self.law.gain * adjuster[:order])
            groups = (q, v, theta, theta1, none, 1.0 / self.law.motor, none, stiffness)
            rows = coupled(self.links, groups, tau, wrenches)
            stretch = coefficients(theta1 - v, rows[order:] - rows[:order])
            is_complete = known >= order - 1
            known = self._adjust(adjuster, integrated(theta - q, stretch), adjusting, known)
            if is_complete:
                motors = self.motors(rows[order:], derivatives(adjuster)[2:])
                return np.concatenate([rows[:order], *motors])

    def _adjust(
        self, adjuster: np.ndarray, stretch: np.ndarray, torque: np.ndarray, known: int
    ) -> int:
        """Fill in the coefficients of σ that those of d allow; return the last known."""
        last = min(known + 4, len(adjuster) - 1)
        for k in range(last - 1):
            load = 0.5 * self.law.gain * _square(stretch, k) + self.law.own * _square(adjuster, k)
            adjuster[k + 2] = (torque[k] - load) / (self.law.adjuster * (k + 1) * (k + 2))
        return last

    def _checked(self, *state: Any) -> tuple[np.ndarray, ...]:
        """Return q, v, θ, θ', σ, σ', any batch."""
        named = zip(self.state_names, state, strict=True)
        q, v, *motors = (checked(name, x, self.robot.nv) for name, x in named)
        (theta, sigma), (theta1, sigma1) = self.common(*motors[::2]), self.common(*motors[1::2])
        self.require_sound(q, theta, sigma)
        return q, v, theta, theta1, sigma, sigma1

    def _drives(self, motion: Any, stiffness: Any, wrenches: Wrenches) -> list[tuple[Jet, Jet]]:
        """Return jets of angle and load of both motors."""
        given = checked_motion(self.robot, motion)
        Q = inverse_dynamics(self.links, *given, wrenches=wrenches)
        K = stiffness_rows(self.robot, stiffness, len(Q))
        try:
            shape = np.broadcast_shapes(Q.shape[1:], K.shape[1:])
        except ValueError:
            raise ShapeError(
                f"stiffness has batch {K.shape[1:-1]} and the motion {Q.shape[1:-1]}, which do not "
                "broadcast."
            ) from None
        position, force, K = (
            Jet.from_derivatives([np.broadcast_to(x, shape) for x in rows])
            for rows in (given[: len(Q)], Q, K)
        )
        _, _, gain, own = self.law
        bend, sigma = force * K.reciprocal(), K * (1.0 / gain)
        theta, load = position + bend, bend * bend * (0.5 * gain) + sigma * sigma * own
        self.require_sound(position.coeffs[0], theta.coeffs[0], sigma.coeffs[0])
        return list(zip(self.motors(theta, sigma), self.loads(force, load), strict=True))

    def _feedforwards(
        self, motion: tuple[Any, ...], stiffness: Any, wrenches: Wrenches
    ) -> tuple[Feedforward, Feedforward]:
        """Return what both motors must do; ``motion`` ends where it is missing."""
        missing = [k for k, x in enumerate(motion) if x is None]
        drives = self._drives(motion[: missing[0]] if missing else motion, stiffness, wrenches)
        first, second = (
            _feedforward(J, *(x.derivatives() for x in drive))
            for J, drive in zip(self._inertias, drives, strict=True)
        )
        return first, second


class VariableStiffness(StiffnessDrives):
    """One motor moves the joint, another, the adjuster, sets the stiffness on its own.

    With motor angle θ and adjuster angle σ, both seen at the joint side, the spring energy is
    ``½ K (θ − q)²`` and ``K = gain σ``::

        Q = K (θ − q),   J θ'' + Q = τ,   J_σ σ'' + ½ gain (θ − q)² = τ_σ

    >>> import jounce
    >>> arm = jounce.elastic.VariableStiffness(jounce.load("planar2r"), 0.1)
    >>> x, K = [0.1, 0.2], [[100.0, 100.0], [5.0, 0.0], [0.0, 0.0]]
    >>> arm.feedforward(x, x, x, x, x, K).adjuster.theta.tolist()
    [100.0, 100.0]
    """

    state_names = ("q", "v", "theta", "theta1", "adjuster", "adjuster1")
    mix = (1.0, 0.0), (0.0, 1.0)

    def __init__(
        self, robot: Robot, motor_inertia: Any, *, adjuster_inertia: Any = 1.0, gain: Any = 1.0
    ) -> None:
        require_plain_joints(robot)
        self.motor_inertia = per_joint(robot, "motor_inertia", motor_inertia)
        self.adjuster_inertia = per_joint(robot, "adjuster_inertia", adjuster_inertia)
        self.gain = per_joint(robot, "gain", gain)
        inertias = self.motor_inertia, self.adjuster_inertia
        super().__init__(robot, Law(*inertias, self.gain, np.zeros(robot.nv)), inertias)

    def feedforward(
        self, q: Any, v: Any, a: Any, j: Any = None, s: Any = None, stiffness: Any = None,
        *, wrenches: Wrenches = None,
    ) -> StiffnessFeedforward:  # fmt: skip
        """Return what the motors and what the adjusters must do.

        ``stiffness`` are K, K', K'' of shape ``(3, *batch, nv)``; ``wrenches`` act on the links.
        """
        first, second = self._feedforwards((q, v, a, j, s), stiffness, wrenches)
        result = StiffnessFeedforward(*first)
        result.adjuster = second
        return result


class Antagonistic(StiffnessDrives):
    """Two motors pull a joint through quadratic springs, ``f(φ) = ½ k φ²`` for φ > 0.

    With stretches ``φ₁ = θ₁ − q`` and ``φ₂ = q − θ₂`` the joint torque is ``Q = f(φ₁) − f(φ₂)``
    and the stiffness ``K = k (φ₁ + φ₂)``, so both give ``φ₁,₂ = ½ (K/k ± 2 Q/K)``; the motors
    obey ``J θ₁'' + f(φ₁) = τ₁`` and ``J θ₂'' − f(φ₂) = τ₂``.
    """

    state_names = ("q", "v", "agonist", "agonist1", "antagonist", "antagonist1")
    mix = (1.0, 0.5), (1.0, -0.5)  # θ₁,₂ = θ ± ½ σ, so τ₁,₂ = ½ τ ± τ_σ

    def __init__(self, robot: Robot, spring: Any, motor_inertia: Any) -> None:
        require_plain_joints(robot)
        self.spring = per_joint(robot, "spring", spring)
        J = self.motor_inertia = per_joint(robot, "motor_inertia", motor_inertia)
        law = Law(2.0 * J, 0.5 * J, self.spring, 0.125 * self.spring)
        super().__init__(robot, law, (J, J))

    def require_sound(self, q: Any, theta: Any, sigma: Any) -> None:
        """Raise ModelError where a spring is slack: ``|θ − q| ≥ ½ σ``."""
        slack = np.abs(theta - q) >= 0.5 * sigma
        if slack.any():
            raise ModelError(
                f"a spring of joint {joint_of(self.robot, slack)!r} is slack: antagonistic springs "
                "only pull, and the stiffness is too low for the joint torque. Ask for more than "
                "sqrt(2 k |Q|) at every joint."
            )

    def feedforward(
        self, q: Any, v: Any, a: Any, j: Any = None, s: Any = None, stiffness: Any = None,
        *, wrenches: Wrenches = None,
    ) -> tuple[Feedforward, Feedforward]:  # fmt: skip
        """Return what both motors must do; ``stiffness`` as for `VariableStiffness`."""
        return self._feedforwards((q, v, a, j, s), stiffness, wrenches)


def _mixed(matrix: Iterable[Any], x: Any, y: Any) -> Any:
    """Return the products of the rows of a matrix; what it leaves out may be NaN."""
    return tuple(x * a + y * b if a and b else x * a if a else y * b for a, b in matrix)


def _square(x: np.ndarray, k: int) -> np.ndarray:
    return np.sum(x[: k + 1] * x[k::-1], axis=0)


def _feedforward(inertia: np.ndarray, theta: Any, load: Any) -> Feedforward:
    torque = inertia * theta[2] + load[0]
    power = torque * theta[1]
    return Feedforward(theta[0], theta[1], theta[2], torque, load[0], load[1], power)


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
