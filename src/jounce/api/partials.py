"""Public functions: partials of forces and accelerations, and regressors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jounce.api.call import Wrenches, evaluate, loaded_kernel
from jounce.api.matrices import check_regular
from jounce.dynamics.friction import motor_signal
from jounce.errors import ShapeError
from jounce.kernels.kernel import Kernel
from jounce.model.checks import as_floats, checked_configuration
from jounce.model.configuration import (
    configuration_rate,
    pulled_gradient,
    pulled_gradient_rate,
)
from jounce.model.parameters import Kinds, friction_words, motor_shape
from jounce.model.robot import Robot


def inverse_dynamics_partials(
    robot: Robot, q: Any, v: Any, a: Any, *rates: Any, wrenches: Wrenches = None
) -> np.ndarray:
    """Return all partials ``[k, j] = ∂Q⁽ᵏ⁾/∂q⁽ʲ⁾``, ``(K − 1, K + 1, *batch, nv, nv)``.

    By q itself: by the tangent increment of `jounce.integrate`.  External wrenches stay
    constant in their representation.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> P = jounce.inverse_dynamics_partials(arm, [0.1, 0.2], [1, 2], [3, 4], [5, 6])
    >>> P.shape  # Q and dQ/dt by q, v, a and jerk
    (2, 4, 2, 2)
    >>> bool(abs(P[0, 2] - jounce.mass_matrix(arm, [0.1, 0.2])[0]).max() < 1e-15)
    True
    """
    return _by_order(robot, "inverse_dynamics_partials", (q, v, a, *rates), wrenches)


def forward_dynamics_partials(
    robot: Robot, q: Any, v: Any, Q: Any, wrenches: Wrenches = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ∂a/∂q, ∂a/∂v and ∂a/∂Q = M⁻¹, each ``(*batch, nv, nv)``.

    A singular mass matrix raises SingularError and names the joint.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> da_dq, da_dv, da_dQ = jounce.forward_dynamics_partials(arm, [0.1, 0.2], [1, 2], [3, 4])
    >>> bool(abs(da_dQ @ jounce.mass_matrix(arm, [0.1, 0.2])[0] - [[1, 0], [0, 1]]).max() < 1e-13)
    True
    """
    check_regular(robot, evaluate(robot, "mass_pivots", (q,))[0])
    da_dq, da_dv, da_dQ = evaluate(robot, "forward_dynamics_partials", (q, v, Q), wrenches)
    return da_dq, da_dv, da_dQ


def inverse_dynamics_gradient(
    robot: Robot, weights: Any, q: Any, v: Any, a: Any, *rates: Any, wrenches: Wrenches = None
) -> np.ndarray:
    """Return the partials of ``Σ λ_kᵀ Q⁽ᵏ⁾`` by q, v, a, ..., ``(K + 1, *batch, nv)``.

    ``weights`` are λ, shaped like the forces, ``(K − 1, *batch, nv)``.  One backward pass over the
    kernel, less than half the work of all partials.  By q: by the increment of `jounce.integrate`.

    >>> import jounce, numpy as np
    >>> arm, state = jounce.load("planar2r"), ([0.1, 0.2], [1, 2], [3, 4])
    >>> gradient = jounce.inverse_dynamics_gradient(arm, [[1, -1]], *state)
    >>> P = jounce.inverse_dynamics_partials(arm, *state)[0]
    >>> bool(abs(gradient - np.array([1, -1]) @ P).max() < 1e-14)
    True
    """
    motion, loads, kernel = _force_kernel(robot, (q, v, a, *rates), wrenches)
    rows = kernel.product("vjp").checked(*motion, *loads, weights)
    return _by_increments(robot, motion, rows, len(motion))


def inverse_dynamics_hessian_product(
    robot: Robot,
    weights: Any,
    direction: Any,
    q: Any,
    v: Any,
    a: Any,
    *rates: Any,
    wrenches: Wrenches = None,
) -> np.ndarray:
    """Return the Hessian of ``Σ λ_kᵀ Q⁽ᵏ⁾`` by q, v, a, ... times a direction.

    ``direction`` has the increments of q, v, a, ..., ``(K + 1, *batch, nv)``.  The result, of the
    same shape, is the rate of `inverse_dynamics_gradient` along it; no Hessian is formed.

    >>> import jounce, numpy as np
    >>> arm, state = jounce.load("planar2r"), ([0.1, 0.2], [1, 2], [3, 4])
    >>> along = [[1, 0], [0, 0], [0, 0]]  # the first coordinate moves
    >>> product = jounce.inverse_dynamics_hessian_product(arm, [[1, -1]], along, *state)
    >>> qq = jounce.inverse_dynamics_second_partials(arm, *state).qq
    >>> bool(abs(product[0] - np.array([1, -1]) @ qq[..., 0]).max() < 1e-13)
    True
    """
    motion, loads, kernel = _force_kernel(robot, (q, v, a, *rates), wrenches)
    count = len(motion)
    lam = as_floats("weights", weights)
    along = as_floats("direction", direction)
    if along.ndim < 2 or along.shape[0] != count or along.shape[-1] != robot.nv:
        raise ShapeError(
            f"direction must have shape ({count}, *batch, {robot.nv}), got {along.shape}."
        )
    still = [np.zeros_like(x) for x in (*loads, lam)]
    moved = configuration_rate(robot, motion[0], along[0])
    backward = kernel.product("vjp")
    rows = backward.product("jvp").checked(*motion, *loads, lam, moved, *along[1:], *still)
    result = _by_increments(robot, motion, rows, count)
    if not robot.is_flat:  # the increments themselves turn with q
        first = backward.checked(*motion, *loads, lam)[0, ..., : robot.nq]
        result[0] += pulled_gradient_rate(robot, motion[0], along[0], first)
    return result


def _force_kernel(
    robot: Robot, motion: Sequence[Any], wrenches: Wrenches
) -> tuple[list[np.ndarray], list[np.ndarray], Kernel]:
    """Return the motion, q normalised, the wrenches as arrays and the kernel of the forces."""
    kernel, loads = loaded_kernel(robot, "inverse_dynamics", len(motion) - 3, wrenches)
    q, *rates = motion
    return [checked_configuration(robot, q), *map(np.asarray, rates)], loads, kernel


def _by_increments(
    robot: Robot, motion: Sequence[np.ndarray], rows: np.ndarray, count: int
) -> np.ndarray:
    """Return partials by increments of q and by the rates from rows by coordinates."""
    result = np.empty((count, *rows.shape[1:-1], robot.nv))
    result[0] = pulled_gradient(robot, motion[0], rows[0, ..., : robot.nq])
    result[1:] = rows[1:count, ..., : robot.nv]
    return result


def frame_pose_partials(robot: Robot, frame: str, q: Any, *rates: Any) -> np.ndarray:
    """Return ∂T/∂q, ∂(dT/dt)/∂q, ... of a frame, ``(K + 1, *batch, 4, 4, nv)``.

    The last axis is the coordinate that is varied, by increments, the rates being kept.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> dT = jounce.frame_pose_partials(arm, "tip", [0.0, 0.0])[0]
    >>> dT[1, 3].round(3).tolist()  # the height of the tip by both angles: 1.8 m and 0.8 m away
    [1.8, 0.8]
    """
    return evaluate(robot, "frame_pose_partials", (q, *rates), frame=frame)


def frame_twist_partials(
    robot: Robot, frame: str, q: Any, v: Any, *rates: Any, representation: str = "body"
) -> np.ndarray:
    """Return all partials ``[k, j] = ∂V⁽ᵏ⁾/∂q⁽ʲ⁾`` of a frame, ``(K, K + 1, *batch, 6, nv)``.

    Twists, accelerations, ... by q, v, a, ...; derivatives are those of the components in the
    stated representation.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> P = jounce.frame_twist_partials(arm, "tip", [0.1, 0.2], [1, 2], [3, 4])
    >>> P.shape  # twist and acceleration by q, v and a
    (2, 3, 6, 2)
    >>> bool(abs(P[1, 2] - jounce.jacobian(arm, "tip", [0.1, 0.2])[0]).max() < 1e-15)
    True
    """
    options = {"frame": frame, "representation": representation}
    return _by_order(robot, "frame_twist_partials", (q, v, *rates), None, **options)


def centroidal_momentum_partials(robot: Robot, q: Any, v: Any, *rates: Any) -> np.ndarray:
    """Return all partials ``[k, j] = ∂h⁽ᵏ⁾/∂q⁽ʲ⁾`` of the centroidal momentum.

    ``(K, K + 1, *batch, 6, nv)``: ``[0, 1]`` is the centroidal momentum matrix; with q, v and a,
    ``[1]`` are the partials of the rate of the momentum by all three.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> P = jounce.centroidal_momentum_partials(arm, [0.1, 0.2], [1, 2], [3, 4])
    >>> A, A1 = jounce.centroidal_momentum_matrix(arm, [0.1, 0.2], [1, 2])
    >>> bool(abs(P[1, 1] - A1 - P[0, 0]).max() < 1e-15)  # ∂(dh/dt)/∂v = dA/dt + ∂h/∂q
    True
    """
    return _by_order(robot, "centroidal_momentum_partials", (q, v, *rates))


def _by_order(
    robot: Robot, quantity: str, motion: Sequence[Any], wrenches: Wrenches = None, **options: str
) -> np.ndarray:
    """Return partials ``[k, j]`` of derivative k of a quantity by the j-th array of the motion."""
    flat = evaluate(robot, quantity, motion, wrenches, **options)
    return flat.reshape(len(flat) // len(motion), len(motion), *flat.shape[1:])


def regressor(
    robot: Robot,
    q: Any,
    v: Any,
    a: Any,
    *rates: Any,
    friction: Kinds = False,
    armature: bool = False,
    coulomb_speed: float | None = None,
) -> np.ndarray:
    """Return Y with ``Q⁽ᵏ⁾ = Y⁽ᵏ⁾ π`` to all orders, ``(K − 1, *batch, nv, 10 n_bodies)``.

    π is `jounce.parameters`; external wrenches are not in it.  On request columns of the motors
    follow, nv of a kind, in the order of v: ``friction`` is any of "viscous" (v), "coulomb"
    (``v / √(v² + s²)``) and "offset" (1), True all three; ``armature`` is the motor inertia (a).
    s is the speed that the robot's own friction is smoothed over, 0.01 where it has none, or
    ``coulomb_speed``.  With π of `jounce.parameters` asked alike, ``Y π`` is Q of a robot with
    friction, at every order.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> state = [0.1, 0.2], [1, 2], [3, 4]
    >>> Q = jounce.regressor(arm, *state) @ jounce.parameters(arm)
    >>> bool(abs(Q - jounce.inverse_dynamics(arm, *state)).max() < 1e-13)
    True
    >>> jounce.regressor(arm, *state, friction=True, armature=True).shape  # 20 + 4 × 2 columns
    (1, 2, 28)
    """
    if friction is False and not armature and coulomb_speed is None:
        return evaluate(robot, "regressor", (q, v, a, *rates))
    kinds = friction_words(friction)
    motors = {"friction": kinds, "armature": armature, "coulomb_speed": coulomb_speed}
    return evaluate(robot, "regressor", (q, v, a, *rates), **motors)


def static_regressor(robot: Robot, q: Any, *rates: Any) -> np.ndarray:
    """Return Y with ``g⁽ᵏ⁾ = Y⁽ᵏ⁾ π``, ``(K + 1, *batch, nv, 10 n_bodies)``: gravity alone.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> (jounce.static_regressor(arm, [0, 0]) @ jounce.parameters(arm)).round(3).tolist()
    [[27.066, 5.492]]
    """
    return evaluate(robot, "static_regressor", (q, *rates))


def kinetic_energy_regressor(robot: Robot, q: Any, v: Any, *rates: Any) -> np.ndarray:
    """Return Y with ``T = Y π`` and its derivatives, ``(K, *batch, 10 n_bodies)``.

    Motor inertias are no part of π: they add ``½ armature v²``.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> (jounce.kinetic_energy_regressor(arm, [0, 0], [1, 0]) @ jounce.parameters(arm)).round(3)
    array([1.884])
    """
    return evaluate(robot, "kinetic_energy_regressor", (q, v, *rates))


def potential_energy_regressor(robot: Robot, q: Any, v: Any = None, *rates: Any) -> np.ndarray:
    """Return Y with ``U = Y π`` and its derivatives, ``(K, *batch, 10 n_bodies)``.

    Without rates the energy alone, as `potential_energy`; matter welded to the ground is no part
    of π.  Power and energy agree: ``d/dt (Y_T + Y_U) π = vᵀ Y π`` with Y of `regressor`.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> Y = jounce.potential_energy_regressor(arm, [0.5, 0.2])
    >>> U = jounce.potential_energy(arm, [0.5, 0.2])
    >>> bool(abs(Y @ jounce.parameters(arm) - U).max() < 1e-14)
    True
    """
    if v is None and not rates and isinstance(robot, Robot):
        v = np.zeros(robot.nv)  # what the energy itself does not depend on
    return evaluate(robot, "potential_energy_regressor", (q, v, *rates))


def motor_signals(
    robot: Robot, kinds: Sequence[str], rates: Sequence[np.ndarray], coulomb_speed: Any = None
) -> dict[str, np.ndarray]:
    """Return what motor parameters are multiplied by, ``(orders, *batch, nv)`` of every kind."""
    found = {}
    for kind in kinds:
        signal = np.zeros((len(rates) - 1, *rates[0].shape))
        for share, speed in motor_shape(robot, kind, coulomb_speed):
            for k, row in enumerate(motor_signal(kind, rates, speed)):
                signal[k] += share * row
        found[kind] = signal
    return found


def slotine_li_regressor(
    robot: Robot, q: Any, v: Any, v_r: Any, a_r: Any, factorization: str = "passive"
) -> np.ndarray:
    """Return Y with ``M a_r + C v_r + g = Y π``, ``(*batch, nv, 10 n_bodies)``.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> Y = jounce.slotine_li_regressor(arm, [0.1, 0.2], [1, 2], [1, 2], [3, 4])
    >>> bool(abs(Y - jounce.regressor(arm, [0.1, 0.2], [1, 2], [3, 4])[0]).max() < 1e-14)
    True
    """
    rows = evaluate(robot, "slotine_li_regressor", (q, v, v_r, a_r), factorization=factorization)
    return rows[0]
