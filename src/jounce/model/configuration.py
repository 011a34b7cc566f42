"""The configuration manifold: quaternions where coordinates and velocities differ."""

from __future__ import annotations

from typing import Any

import numpy as np

from jounce.errors import ShapeError
from jounce.model.checks import checked, checked_configuration
from jounce.model.components import position_kinds
from jounce.model.limits import position_range
from jounce.model.robot import Robot

Array = np.ndarray


def random_configuration(
    robot: Robot, rng: np.random.Generator, size: int | tuple[int, ...] | None = None
) -> Array:
    """Return what `Robot.random_configuration` says."""
    rng = np.random.default_rng(rng)  # a Generator stays itself, a seed becomes one
    low, high = position_range(robot.joints)
    reach = np.array([1.0 if kind == "length" else np.pi for kind in position_kinds(robot)])
    only_low, only_high = np.isneginf(low) & np.isfinite(high), np.isfinite(low) & np.isinf(high)
    low = np.where(only_low, high - 2 * reach, np.where(np.isneginf(low), -reach, low))
    high = np.where(only_high, low + 2 * reach, np.where(np.isposinf(high), reach, high))
    shape = () if size is None else (size,) if isinstance(size, int) else tuple(size)
    q = np.empty((*shape, robot.nq))
    for index in np.ndindex(*shape):
        for joint in robot.joints:
            at = joint.q_slice
            q[index][at] = joint.type.manifold.random(low[at], high[at], rng)
    return q


def integrate(robot: Robot, q: Any, dv: Any) -> Array:
    """Move ``q`` along the tangent increment ``dv``, of shapes ``(*batch, nq)``, ``(*batch, nv)``.

    One-DoF joints add; spherical and free joints compose with the exponential of the
    increment in the child frame: ``C exp(dv)``.

    >>> import jounce
    >>> arm = jounce.load("planar2r", floating_base=True)
    >>> jounce.integrate(arm, arm.neutral, [0, 0, 3.1415926535897932, 1, 0, 0, 0, 0.5]).round(3)
    array([0.   , 0.637, 0.   , 0.   , 0.   , 1.   , 0.   , 0.   , 0.5  ])
    """
    q, dv = checked_configuration(robot, q), checked("dv", dv, robot.nv)
    return _by_joint(robot, "integrate", "qv->q", q, dv)


def difference(robot: Robot, q0: Any, q1: Any) -> Array:
    """Return the tangent increment that leads from ``q0`` to ``q1``; inverse of `integrate`.

    >>> import jounce
    >>> arm = jounce.load("planar2r", floating_base=True)
    >>> dv = [0, 0, 1.5, 1, 0, 0, 0, 0.5]
    >>> back = jounce.difference(arm, arm.neutral, jounce.integrate(arm, arm.neutral, dv))
    >>> bool(abs(back - dv).max() < 1e-15)
    True
    """
    q0, q1 = checked_configuration(robot, q0, "q0"), checked_configuration(robot, q1, "q1")
    return _by_joint(robot, "difference", "qq->v", q0, q1)


def integrate_partials(robot: Robot, q: Any, dv: Any) -> tuple[Array, Array]:
    """Return the partials of `integrate` by q and by dv, ``(*batch, nv, nv)`` each.

    By increments on both sides: where q moves by δ and dv by ε, the result moves, to first order,
    by the increment ``P_q δ + P_v ε``.

    >>> import jounce, numpy as np
    >>> arm = jounce.load("planar2r", floating_base=True)
    >>> by_q, by_dv = jounce.integrate_partials(arm, arm.neutral, np.zeros(8))
    >>> bool((by_q == np.eye(8)).all() and (by_dv == np.eye(8)).all())
    True
    """
    q, dv = checked_configuration(robot, q), checked("dv", dv, robot.nv)
    batch = _broadcast(q, dv)
    return _block_diagonal(robot, np.broadcast_to(dv, (*batch, robot.nv)), "integrate_partials")


def difference_partials(robot: Robot, q0: Any, q1: Any) -> tuple[Array, Array]:
    """Return the partials of `difference` by q0 and by q1, ``(*batch, nv, nv)`` each.

    By increments of q0 and q1.  They are singular nowhere, but `difference` itself jumps where
    an attitude is half a turn away from the other.

    >>> import jounce, numpy as np
    >>> arm = jounce.load("planar2r", floating_base=True)
    >>> q0, dv = arm.neutral, np.linspace(-1, 1, 8)
    >>> _, by_q1 = jounce.difference_partials(arm, q0, jounce.integrate(arm, q0, dv))
    >>> _, by_dv = jounce.integrate_partials(arm, q0, dv)
    >>> bool(abs(by_q1 @ by_dv - np.eye(8)).max() < 1e-14)
    True
    """
    return _block_diagonal(robot, difference(robot, q0, q1), "difference_partials")


def _block_diagonal(robot: Robot, d: Array, method: str) -> tuple[Array, Array]:
    """Return two matrices from those of the joints, which know the increments d."""
    result = np.zeros((2, *d.shape, robot.nv))
    for joint in robot.joints:
        own = joint.v_slice
        result[..., own, own] = getattr(joint.type.manifold, method)(d[..., own])
    return result[0], result[1]


def configuration_rate(robot: Robot, q: Any, v: Any) -> Array:
    """Return ``dq/dt = Γ(q) v`` of shape ``(*batch, nq)`` [GOA13, Remark 7].

    >>> import jounce
    >>> arm = jounce.load("planar2r", floating_base=True)
    >>> jounce.configuration_rate(arm, arm.neutral, [0, 0, 2, 3, 0, 0, 4, 5])
    array([3., 0., 0., 0., 0., 1., 0., 4., 5.])
    """
    q, v = checked_configuration(robot, q), checked("v", v, robot.nv)
    return _by_joint(robot, "rate", "qv->q", q, v)


def pulled_gradient(robot: Robot, q: Array, g: Array) -> Array:
    """Return ``Γᵀ g``: partials by increments from those by the coordinates, ``(*batch, nq)``."""
    return _by_joint(robot, "pulled", "qq->v", q, g)


def pulled_gradient_rate(robot: Robot, q: Array, v: Array, g: Array) -> Array:
    """Return the rate of ``Γᵀ g`` while q moves with v and g stays."""
    return _by_joint(robot, "pulled_rate", "qvq->v", q, v, g)


def motion_of(robot: Robot, values: Array) -> list[Array]:
    """Return q ``(m, nq)`` and its rates ``(m, nv)`` from q and its derivatives ``(K + 1, m, nq)``.

    The quaternions among them need not have unit length, as those of a spline have not.
    """
    if robot.is_flat:
        return [*values]
    q, rates = np.empty_like(values[0]), np.empty((len(values) - 1, len(values[0]), robot.nv))
    for joint in robot.joints:
        own = joint.type.manifold.rates(values[:, :, joint.q_slice])
        q[:, joint.q_slice], rates[:, :, joint.v_slice] = own
    return [q, *rates]


def _by_joint(robot: Robot, method: str, spaces: str, *given: Array) -> Array:
    """Return what the manifolds of the joints make of arrays, each along q or v: ``qv->q``."""
    *sources, target = spaces.replace("->", "")
    result = np.empty((*_broadcast(*given), robot.nq if target == "q" else robot.nv))
    for joint in robot.joints:
        own = {"q": joint.q_slice, "v": joint.v_slice}
        parts = (x[..., own[space]] for x, space in zip(given, sources, strict=True))
        result[..., own[target]] = getattr(joint.type.manifold, method)(*parts)
    return result


def _broadcast(*arrays: Array) -> tuple[int, ...]:
    leads = [x.shape[:-1] for x in arrays]
    try:
        return np.broadcast_shapes(*leads)
    except ValueError:
        raise ShapeError(f"batch axes {' and '.join(map(str, leads))} do not broadcast.") from None
