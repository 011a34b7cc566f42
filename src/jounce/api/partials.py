"""Public functions: partials of forces and accelerations, and regressors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from jounce.api.call import evaluate
from jounce.api.matrices import check_regular
from jounce.model.robot import Robot


def inverse_dynamics_partials(
    robot: Robot, q: Any, v: Any, a: Any, *rates: Any, wrenches: Mapping[str, Any] | None = None
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
    motion = (q, v, a, *rates)
    flat = evaluate(robot, "inverse_dynamics_partials", motion, wrenches)
    return flat.reshape(len(motion) - 2, len(motion), *flat.shape[1:])


def forward_dynamics_partials(
    robot: Robot, q: Any, v: Any, Q: Any, wrenches: Mapping[str, Any] | None = None
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


def regressor(
    robot: Robot,
    q: Any,
    v: Any,
    a: Any,
    *rates: Any,
    friction: bool = False,
    armature: bool = False,
) -> np.ndarray:
    """Return Y with ``Q⁽ᵏ⁾ = Y⁽ᵏ⁾ π`` to all orders, ``(K − 1, *batch, nv, 10 n_bodies)``.

    π is `jounce.parameters`; external wrenches are not in it.  On request columns of the motors
    follow, nv each, in the order of v: with ``friction`` the viscous one (v) and Coulomb's
    (sign(v), whose time derivatives are zero), then with ``armature`` the motor inertia (a).
    The parameters that belong to them are those seen at the velocities.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> state = [0.1, 0.2], [1, 2], [3, 4]
    >>> Q = jounce.regressor(arm, *state) @ jounce.parameters(arm)
    >>> bool(abs(Q - jounce.inverse_dynamics(arm, *state)).max() < 1e-13)
    True
    >>> jounce.regressor(arm, *state, friction=True, armature=True).shape  # 20 + 3 × 2 columns
    (1, 2, 26)
    """
    Y = evaluate(robot, "regressor", (q, v, a, *rates))
    motion = [np.broadcast_to(np.asarray(x, float), Y.shape[1:-1]) for x in (v, a, *rates)]
    groups = motor_columns(motion, friction=friction, armature=armature)
    return np.concatenate([Y, *groups], axis=-1) if groups else Y


def motor_columns(
    rates: Sequence[np.ndarray], *, friction: bool, armature: bool
) -> list[np.ndarray]:
    """Return the columns of motors from v, a, ... ``(*batch, nv)``, nv columns a group."""
    signals = []  # one (orders, *batch, nv) for every group
    if friction:
        still = [np.zeros_like(rates[0])] * (len(rates) - 2)
        signals += [rates[:-1], [np.sign(rates[0]), *still]]
    if armature:
        signals += [rates[1:]]
    return [np.stack(signal)[..., None] * np.eye(rates[0].shape[-1]) for signal in signals]


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
