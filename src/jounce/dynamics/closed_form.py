"""The equations of motion as matrices of the whole system, on matrix jets [KM21], [MK21].

One block of six rows for every link: a body, in the frame of the body, or a massless link
inside a composite joint (universal, planar).  p is the parent of link i, C_{i,j} the pose of link
j seen from i, Ξ_i the constant screws of joint i, v_i its velocities.  NumPy, batched.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from jounce.algebra.inertia import SpatialInertia
from jounce.algebra.jet import Jet, derivatives
from jounce.algebra.matrix_jet import Array, MatrixJet, cauchy
from jounce.algebra.se3 import IDENTITY, Transform
from jounce.dynamics.motion import link_motions, screws
from jounce.dynamics.wrenches import FrameWrench, link_wrenches
from jounce.errors import UnsupportedError
from jounce.model.joints import Primitive
from jounce.model.robot import Robot
from jounce.model.tree import Tree, lowered


_UNITS = screws(Primitive("free"))  # the six unit twists


class System(NamedTuple):
    """What does not depend on the motion, for n links and nv velocities.

    Links that mimic a joint share its columns of X, armature and damping, times their factors.
    """

    tree: Tree
    frames: tuple[Transform, ...]  # of every link, in the frame of `lowered`
    names: tuple[str, ...]  # of the bodies; joint[k] for the k-th inner link of a joint
    X: Array  # (6n, nv), the screws Ξ in the frames of their links
    M: Array  # (6n, 6n), the inertias on the diagonal
    armature: Array  # (nv, nv)
    damping: Array  # (nv, nv)
    balls: Array  # (6n, 1), one in the rows of spherical and free joints, else zero


class Kinematics(NamedTuple):
    """Jets of A, of ``U = (Ad(C_i)⁻¹)``, and of N with blocks ``Ad(C_{i,p})``: A = (1 − N)⁻¹."""

    A: MatrixJet
    U: MatrixJet
    N: MatrixJet


@lru_cache(maxsize=16)
def system(robot: Robot) -> System:
    """Return the constant matrices of a robot."""
    tree = lowered(robot)
    bodies = {link: body for body, link in enumerate(tree.body_links)}
    frames = [
        tree.body_placements[bodies[i]] if i in bodies else IDENTITY for i in range(len(tree.links))
    ]
    n, nv = len(tree.links), tree.nv
    X, M, balls = np.zeros((6 * n, nv)), np.zeros((6 * n, 6 * n)), np.zeros((6 * n, 1))
    armature, damping = np.zeros((2, nv, nv))
    try:
        for i, link in enumerate(tree.links):
            own, where = slice(6 * i, 6 * i + 6), link.coordinates
            if i in bodies:
                M[own, own] = _inertia_matrix(robot.bodies[bodies[i]].inertia.spatial)
            balls[own] = link.step.motion in ("spherical", "free")
            for k, screw in enumerate(screws(link.step)):
                column = where.v + k
                X[own, column] += np.array(_six(frames[i].pull(screw))) * where.multiplier
                armature[column, column] += link.armature[k] * where.multiplier**2
                damping[column, column] += link.damping[k] * where.multiplier**2
    except TypeError as error:
        raise UnsupportedError(
            f"the closed form is numeric; robot {robot.name!r} has symbols: {error}."
        ) from error
    return System(tree, tuple(frames), _names(robot), X, M, armature, damping, balls)


def kinematics(system: System, q: Array, a: MatrixJet | None) -> Kinematics:
    """Return A, U and N from q and the jet of a; without velocities (None) of order zero.

    ``A_ij = Ad(C_{i,j})`` for every j on the way from i to the ground [KM21, (23)], then::

        A' = A a − A a A      U' = −A a U      N' = −a N           [KM21, (39)], [MK21, (43)]

    coefficient by coefficient: ``(k + 1) A[k + 1] = (A a)[k] − (A a A)[k]``.
    """
    (A, U, N), Aa = ([start] for start in _at_zero(system, q)), []
    rates = a.coeffs if a is not None else ()
    for k in range(len(rates)):
        Aa.append(cauchy(A, rates, k))
        A.append((Aa[k] - cauchy(Aa, A, k)) / (k + 1))
        U.append(-cauchy(Aa, U, k) / (k + 1))
        N.append(-cauchy(rates, N, k) / (k + 1))
    return Kinematics(*(MatrixJet(np.stack(jet)) for jet in (A, U, N)))


def coriolis_system(
    system: System, kin: Kinematics, a: MatrixJet, V: MatrixJet, factorization: str
) -> MatrixJet:
    """Return the matrix C_sys with ``C = Jᵀ C_sys J``.

    With b = diag ad(V_i) and ``J' = −A ã J``::

        kinematic     −M A ã − bᵀ M                                [KM21, (30)]
        passive       −M A ã − bᵀ M + M b                          [MK21, (62)], [GOA13, (6b)]
        christoffel   −M A ã + ½ (M b − bᵀ M + x)                  x u = −ad(u)ᵀ M V, link by link

    Differs: ã is the papers' a wherever the screws of a joint commute.  For spherical and free
    joints a X ≠ 0, and a acts on the twist the parent hands on: ``ã = a N`` in their rows.
    """
    M, b = system.M, ad_blocks(V)
    carried = a
    if system.balls.any():
        handed_on = MatrixJet(a.coeffs * system.balls) @ kin.N
        carried = MatrixJet(a.coeffs * (1.0 - system.balls)) + handed_on
    kinematic = -(M @ (kin.A @ carried)) - b.T @ M
    if factorization == "passive":
        return kinematic + M @ b
    if factorization == "christoffel":
        return kinematic + (M @ b + b.T @ M + _dual_blocks(M @ V)) * 0.5
    return kinematic


def system_wrenches(
    system: System, q: Array, rates: Sequence[Array], wrenches: Sequence[FrameWrench]
) -> MatrixJet:
    """Return the wrenches on all links in their frames, one column of 6n, of order K."""
    columns = [np.moveaxis(x, -1, 0) for x in (q, *rates)]
    motions = link_motions(system.tree, columns[0], columns[1:])
    rows = np.zeros((len(columns), *q.shape[:-1], 6 * len(system.frames), 1))
    for i, W in link_wrenches(system.tree, motions, wrenches).items():
        for row, x in enumerate(_six(system.frames[i].inverse.push(W))):
            for k, value in enumerate(derivatives(x, len(rates))):
                rows[k, ..., 6 * i + row, 0] = value
    return MatrixJet.from_derivatives(rows)


def ad_blocks(twists: MatrixJet) -> MatrixJet:
    """Return ``diag ad(V_i)`` of a column of twists: a of those of the joints, b of the links."""
    V = _six_by_six(twists)
    w, v = _hat(V[..., :3]), _hat(V[..., 3:])
    return _diagonal(w, np.zeros_like(w), v, w)


def _dual_blocks(momenta: MatrixJet) -> MatrixJet:
    """Return the x with ``x u = −ad(u)ᵀ h``, link by link, of a column of momenta h = (L, P)."""
    h = _six_by_six(momenta)
    L, P = _hat(h[..., :3]), _hat(h[..., 3:])
    return _diagonal(-L, -P, -P, np.zeros_like(P))


def _at_zero(system: System, q: Array) -> tuple[Array, Array, Array]:
    """Return A, U and N at t = 0, parents before children."""
    motions = link_motions(system.tree, np.moveaxis(q, -1, 0), [])
    n, batch = len(motions), q.shape[:-1]
    A, N = np.zeros((2, *batch, 6 * n, 6 * n))
    U = np.zeros((*batch, 6 * n, 6))
    for i, (link, motion) in enumerate(zip(system.tree.links, motions, strict=True)):
        own, p = slice(6 * i, 6 * i + 6), slice(6 * link.parent, 6 * link.parent + 6)
        step = link.placement @ motion.pose @ system.frames[i]
        A[..., own, own] = np.eye(6)
        if link.parent < 0:
            U[..., own, :] = _Ad_inverse(step, batch)
            continue
        Ad = _Ad_inverse(system.frames[link.parent].inverse @ step, batch)
        N[..., own, p] = Ad
        A[..., own, : 6 * i] = Ad @ A[..., p, : 6 * i]
        U[..., own, :] = Ad @ U[..., p, :]
    return A, U, N


def _Ad_inverse(T: Transform, batch: tuple[int, ...]) -> Array:
    """Return the matrices ``Ad(T⁻¹)``, ``(*batch, 6, 6)``: columns are pulled unit twists."""
    Ad = np.zeros((*batch, 6, 6))
    for j, unit in enumerate(_UNITS):
        for i, x in enumerate(_six(T.pull(unit))):
            Ad[..., i, j] = x.coeffs[0] if isinstance(x, Jet) else x
    return Ad


def _inertia_matrix(inertia: SpatialInertia) -> Array:
    """Return ``M`` [KM21, (12)]: columns are the momenta of unit twists."""
    return np.array([_six(inertia.apply(unit)) for unit in _UNITS], dtype=float).T


def _names(robot: Robot) -> tuple[str, ...]:
    names: list[str] = []
    for body, joint in zip(robot.bodies, robot.joints, strict=True):
        inner = len(joint.type.primitives) - 1
        names += [*(f"{joint.name}[{k}]" for k in range(inner)), body.name]
    return tuple(names)


def _six(pair: Any) -> list[Any]:
    return [*pair[0], *pair[1]]


def _six_by_six(column: MatrixJet) -> Array:
    """Return a column ``(…, 6n, 1)`` as ``(…, n, 6)``."""
    coeffs = column.coeffs
    return coeffs.reshape(*coeffs.shape[:-2], coeffs.shape[-2] // 6, 6)


def _hat(x: Array) -> Array:
    """Return the matrices of the cross products with x."""
    zero = np.zeros_like(x[..., 0])
    rows = [[zero, -x[..., 2], x[..., 1]], [x[..., 2], zero, -x[..., 0]]]
    rows.append([-x[..., 1], x[..., 0], zero])
    return np.stack([np.stack(row, -1) for row in rows], -2)


def _diagonal(a: Array, b: Array, c: Array, d: Array) -> MatrixJet:
    """Return the jet with the blocks ``[[a, b], [c, d]]``, ``(…, n, 3, 3)`` each, as diagonal."""
    blocks = np.concatenate([np.concatenate([a, b], -1), np.concatenate([c, d], -1)], -2)
    *lead, n, _, _ = blocks.shape
    whole = np.zeros((*lead, n, 6, n, 6))
    for i in range(n):
        whole[..., i, :, i, :] = blocks[..., i, :, :]
    return MatrixJet(whole.reshape(*lead, 6 * n, 6 * n))
