"""Serial chains as the papers describe them, and the screw algebra they share.

All papers treat a chain of n bodies on the ground, each carried by a joint of one degree of
freedom: revolute, prismatic or helical.  Screws and twists are (ω, v), wrenches (moment,
force).  Everything here and in the modules beside it works on float arrays and on object
arrays of any scalar (traced, mpmath, SymPy): only ``+ - *`` and `jounce.algebra.scalar.sincos`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jounce.algebra.scalar import sincos
from jounce.errors import UnsupportedError

if TYPE_CHECKING:
    from jounce.model.joints import JointType
    from jounce.model.records import Joint
    from jounce.model.robot import Robot

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class SerialChain:
    """Constants of a chain; ``C_i = C_{i−1} B_i exp(X_i q_i)``, body i − 1 carries body i."""

    screws_body: Array  # X (n, 6), joint screws in the frame of their body
    screws_spatial: Array  # Y (n, 6), in the world at q = 0: Y_i = Ad(A_i) X_i
    B: Array  # (n, 4, 4), pose in the body before at q = 0
    A: Array  # (n, 4, 4), pose in the world at q = 0: A_i = A_{i−1} B_i
    inertias: Array  # M (n, 6, 6), in the frame of the body about its origin
    gravity: Array  # g (3,), gravitational acceleration in the world

    @property
    def n(self) -> int:
        """Number of bodies, joints and degrees of freedom."""
        return len(self.screws_body)

    @property
    def ground_acceleration(self) -> Array:
        """The constant ``G = (0, −g)`` that stands for gravity [M20, (23)]."""
        return np.concatenate([np.zeros(3), -self.gravity])


def from_robot(robot: Robot) -> SerialChain:
    """Return the chain of a robot, or an UnsupportedError where the papers have no such thing."""
    if robot.parents != tuple(range(-1, robot.n_bodies - 1)):
        raise UnsupportedError(
            f"the papers' algorithms are for serial chains, but robot {robot.name!r} branches "
            f"(parents {robot.parents})."
        )
    for joint in robot.joints:
        _require_plain(joint)
    X = [_screw(joint.type) for joint in robot.joints]
    B = [np.array(body.placement.matrix()) for body in robot.bodies]
    M = [mass_matrix(*body.inertia.parameters) for body in robot.bodies]
    return assembled(X, B, M, tuple(robot.gravity))


def assembled(X: list[Array], B: list[Array], M: list[Array], gravity: Any) -> SerialChain:
    """Return a chain; ``A_i = A_{i−1} B_i`` and ``Y_i = Ad(A_i) X_i`` follow from X and B."""
    A = list(accumulate(B, np.matmul))
    Y = [Ad(A_i) @ X_i for A_i, X_i in zip(A, X, strict=True)]
    return SerialChain(*map(np.array, (X, Y, B, A, M, gravity)))


def _require_plain(joint: Joint) -> None:
    if (joint.nq, joint.nv) != (1, 1):
        raise UnsupportedError(
            f"the papers' algorithms need one degree of freedom a joint; joint {joint.name!r} "
            f"({'mimic' if joint.mimic else joint.kind}) has {joint.nv}."
        )
    if any(joint.armature) or any(joint.damping) or joint.friction:
        raise UnsupportedError(
            f"the papers know no motor inertia and no friction; joint {joint.name!r} has armature "
            f"{joint.armature}, damping {joint.damping} and dry friction {joint.friction}: build "
            "the robot without them."
        )


def _screw(joint: JointType) -> Array:
    """Return ``(e, p × e + h e)``, or ``(0, e)`` for a prismatic joint [MK21, (6), (7)]."""
    e, p = np.array(joint.axes[0]), np.array(joint.point)
    if joint.kind == "prismatic":  # Erratum: M20 II-A: (e, 0) is printed
        return np.concatenate([np.zeros(3), e])
    return np.concatenate([e, tilde(p) @ e + e * joint.pitch])


def mass_matrix(m: Any, x: Any, y: Any, z: Any, *rotational: Any) -> Array:
    """Return the 6×6 inertia of m, m c and Θ (xx yy zz xy xz yz) about the origin [KM21, (12)]."""
    xx, yy, zz, xy, xz, yz = rotational
    Theta = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    first = tilde(np.array([x, y, z]))
    return np.block([[Theta, first], [-first, np.eye(3) * np.array([m])]])


def scalars(q_derivatives: Any) -> Array:
    """Return ``(K + 1, n, 1)``: an array of one scales vectors where a traced scalar cannot."""
    return np.asarray(q_derivatives)[:, :, None]


def exp_screw(X: Array, q: Any) -> Array:
    """Return the pose ``exp(X q)`` for a constant screw with ``|ξ| = 1`` or 0 [MK21, (10)-(14)]."""
    xi, eta = X[:3], X[3:]
    if not any(xi):
        return pose(np.eye(3), eta * np.array([q]))
    s, c = (np.array([x]) for x in sincos(q))
    along = np.outer(xi, xi)
    R = along + (np.eye(3) - along) * c + tilde(xi) * s  # Euler-Rodrigues (14)
    r = (np.eye(3) - R) @ (tilde(xi) @ eta) + xi * (xi @ eta) * np.array([q])
    return pose(R, r)


def pose(R: Array, r: Array) -> Array:
    """Return the homogeneous matrix of a rotation and a position [M20, (32)]."""
    return np.block([[R, r[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])


def tilde(x: Array) -> Array:
    """Return the matrix of the vector product, ``tilde(x) y = x × y``."""
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def Ad(C: Array) -> Array:
    """Return the transformation of screws by a pose [M20, (33)]."""
    R, r = C[:3, :3], C[:3, 3]
    return np.block([[R, np.zeros((3, 3))], [tilde(r) @ R, R]])


def Ad_inverse(C: Array) -> Array:
    """Return ``Ad(C⁻¹)``."""
    R, r = C[:3, :3], C[:3, 3]
    return np.block([[R.T, np.zeros((3, 3))], [-(R.T @ tilde(r)), R.T]])


def ad(V: Array) -> Array:
    """Return the matrix of the screw product, ``ad(V) X = [V, X]`` [M20, (37)]."""
    xi, eta = tilde(V[:3]), tilde(V[3:])
    return np.block([[xi, np.zeros((3, 3))], [eta, xi]])
