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
from jounce.model.joints.ball import Ball
from jounce.model.lowering.tree import Tree, lowered
from jounce.model.robot import Robot

_UNITS = screws(Ball("free"))  # the six unit twists


class System(NamedTuple):
    """What does not depend on the motion, for n links and nv velocities.

    Links that mimic a joint share its columns of X, armature and damping, times their factors.
    """

    tree: Tree
    frames: tuple[Transform, ...]  # of every link, in the frame of `lowered`
    names: tuple[str, ...]  # of the bodies; joint[k] for the k-th inner link of a joint
    X: Array  # (6n, nv), the screws Ξ in the frames of their links
    inertias: Array  # (n, 6, 6)
    armature: Array  # (nv, nv)
    damping: Array  # (nv, nv)

    def inertia_times(self, x: MatrixJet) -> MatrixJet:
        """Return ``M_sys x``, link by link."""
        *lead, rows, columns = x.coeffs.shape
        by_link = x.coeffs.reshape(*lead, rows // 6, 6, columns)
        return MatrixJet((self.inertias @ by_link).reshape(x.coeffs.shape))


class Kinematics(NamedTuple):
    """Jets of ``A = (Ad(C_{i,j}))``, ``U = (Ad(C_i)⁻¹)``, and ``Ad(C_{i,p})`` of every link."""

    A: MatrixJet
    U: MatrixJet
    steps: tuple[MatrixJet, ...]


@lru_cache(maxsize=16)
def system(robot: Robot) -> System:
    """Return the constant matrices of a robot."""
    tree = lowered(robot)
    bodies = {link: body for body, link in enumerate(tree.body_links)}
    frames = [
        tree.body_placements[bodies[i]] if i in bodies else IDENTITY for i in range(len(tree.links))
    ]
    n, nv = len(tree.links), tree.nv
    X, inertias, (armature, damping) = np.zeros((6 * n, nv)), np.zeros((n, 6, 6)), np.zeros((2, nv))
    try:
        np.array(robot.gravity, float)
        for i, link in enumerate(tree.links):
            where = link.coordinates
            if i in bodies:
                inertias[i] = _inertia_matrix(robot.bodies[bodies[i]].inertia.spatial)
            for k, screw in enumerate(screws(link.step)):
                v = where.v + k
                X[_rows(i), v] += np.array(_six(frames[i].pull(screw))) * where.multiplier
                armature[v] += link.armature[k] * where.multiplier**2
                damping[v] += link.damping[k] * where.multiplier**2
    except TypeError as error:
        raise UnsupportedError(
            f"robot {robot.name!r} has symbols, and the closed form computes with numbers: "
            "take the equations of motion of jounce.symbolic(robot)."
        ) from error
    motors = np.diag(armature), np.diag(damping)
    return System(tree, tuple(frames), _names(robot), X, inertias, *motors)


def kinematics(system: System, q: Array, a: Array | None) -> Kinematics:
    """Return A, U and the steps from q and the blocks of a; without velocities of order zero.

    With p the parent of i, and j any link on the way from i to the ground::

        N = Ad(C_{i,p})     N' = −ad(Ξ_i v_i) N      coefficient by coefficient
        A_ij = N A_pj       A_ii = 1      U_i = N U_p                       [KM21, (9), (23)]

    so that ``A' = A a − A a A`` and ``U' = −A a U`` [KM21, (27)], [MK21, (43)]: differentiated any
    number of times this is [KM21, (39)], which multiplies whole matrices.
    """
    rates = () if a is None else a
    orders = len(rates) + 1
    n, batch = len(system.frames), q.shape[:-1]
    A, U = np.zeros((orders, *batch, 6 * n, 6 * n)), np.zeros((orders, *batch, 6 * n, 6))
    steps: list[MatrixJet] = []
    for i, (link, start) in enumerate(zip(system.tree.links, _steps(system, q), strict=True)):
        own, N = _rows(i), [start]
        turning = [rate[..., i, :, :] for rate in rates]
        for k in range(orders - 1):
            N.append(-cauchy(turning, N, k) / (k + 1))
        steps.append(MatrixJet(np.stack(N)))
        A[0, ..., own, own] = np.eye(6)
        U[..., own, :] = steps[i].coeffs
        if link.parent >= 0:
            p = _rows(link.parent)
            A[..., own, : 6 * i] = (steps[i] @ MatrixJet(A[..., p, : 6 * i])).coeffs
            U[..., own, :] = (steps[i] @ MatrixJet(U[..., p, :])).coeffs
    return Kinematics(MatrixJet(A), MatrixJet(U), tuple(steps))


def coriolis_system(
    system: System, kin: Kinematics, a: Array, V: MatrixJet, factorization: str
) -> MatrixJet:
    """Return the matrix C_sys with ``C = Jᵀ C_sys J``.

    With M the inertias, b = diag ad(V_i) and ``J' = −A ã J``::

        kinematic     −M A ã − bᵀ M                                [KM21, (30)]
        passive       −M A ã − bᵀ M + M b                          [MK21, (62)], [GOA13, (6b)]
        christoffel   −M A ã + ½ (M b − bᵀ M + x)                  x u = −ad(u)ᵀ M V, link by link
    """
    b, M = ad_blocks(V), system.inertias
    bM, Mb = np.swapaxes(b, -1, -2) @ M, M @ b
    blocks = -bM
    if factorization == "passive":
        blocks = Mb - bM
    elif factorization == "christoffel":
        blocks = 0.5 * (Mb - bM + _dual_blocks(system.inertia_times(V)))
    return diagonal(blocks) - system.inertia_times(_carried(system, kin, a))


def _carried(system: System, kin: Kinematics, a: Array) -> MatrixJet:
    """Return ``A ã``, with ã the papers' a = diag ad(Ξ_i v_i) where the screws of joints commute.

    Differs: for spherical and free joints a X ≠ 0, and ã acts on the twist that the parent hands
    on: row i of ã is ``ad(Ξ_i v_i) Ad(C_{i,p})`` in the columns of p, zero if p is the ground.
    """
    A = kin.A.coeffs[: len(a)]
    result = np.zeros_like(A)
    for i, link in enumerate(system.tree.links):
        columns = MatrixJet(A[..., _rows(i)]) @ MatrixJet(a[..., i, :, :])
        if not link.step.has_quaternion:
            result[..., _rows(i)] += columns.coeffs
        elif link.parent >= 0:
            result[..., _rows(link.parent)] += (columns @ kin.steps[i]).coeffs
    return MatrixJet(result)


def system_wrenches(
    system: System, q: Array, rates: Sequence[Array], wrenches: Sequence[FrameWrench]
) -> MatrixJet:
    """Return the wrenches on all links in their frames, one column of 6n, of order K."""
    motions = link_motions(system.tree, _scalars(q), [_scalars(rate) for rate in rates])
    result = np.zeros((len(rates) + 1, *q.shape[:-1], 6 * len(system.frames), 1))
    for i, W in link_wrenches(system.tree, motions, wrenches).items():
        for row, x in enumerate(_six(system.frames[i].inverse.push(W))):
            for k, value in enumerate(derivatives(x, len(rates))):
                result[k, ..., 6 * i + row, 0] = value
    return MatrixJet.from_derivatives(result)


def ad_blocks(twists: MatrixJet) -> Array:
    """Return ``ad(V_i)`` of a column of n twists, ``(N + 1, *batch, n, 6, 6)``."""
    w, v = _halves(twists)
    return np.block([[w, np.zeros_like(w)], [v, w]])


def _dual_blocks(momenta: MatrixJet) -> Array:
    """Return the x with ``x u = −ad(u)ᵀ h``, of a column of n momenta h = (L, P)."""
    L, P = _halves(momenta)
    return np.block([[-L, -P], [-P, np.zeros_like(P)]])


def _halves(column: MatrixJet) -> tuple[Array, Array]:
    """Return the cross product matrices of the two halves of every six rows of a column."""
    coeffs = column.coeffs
    pairs = coeffs.reshape(*coeffs.shape[:-2], coeffs.shape[-2] // 6, 2, 3)
    hats = -np.cross(pairs[..., None, :], np.eye(3))  # row i is −x × e_i
    return hats[..., 0, :, :], hats[..., 1, :, :]


def diagonal(blocks: Array) -> MatrixJet:
    """Return the jet of the matrix with these ``(…, n, 6, 6)`` on its diagonal."""
    *lead, n, _, _ = blocks.shape
    whole = np.zeros((*lead, n, 6, n, 6))
    for i in range(n):
        whole[..., i, :, i, :] = blocks[..., i, :, :]
    return MatrixJet(whole.reshape(*lead, 6 * n, 6 * n))


def _steps(system: System, q: Array) -> list[Array]:
    """Return ``Ad(C_{i,p})`` at t = 0 of every link, ``(*batch, 6, 6)``."""
    motions = link_motions(system.tree, _scalars(q), [])
    result = []
    for link, motion, frame in zip(system.tree.links, motions, system.frames, strict=True):
        T = link.placement @ motion.pose @ frame
        T = system.frames[link.parent].inverse @ T if link.parent >= 0 else T
        Ad = np.zeros((*q.shape[:-1], 6, 6))
        for j, unit in enumerate(_UNITS):
            for i, x in enumerate(_six(T.pull(unit))):
                Ad[..., i, j] = x.coeffs[0] if isinstance(x, Jet) else x
        result.append(Ad)
    return result


def _inertia_matrix(inertia: SpatialInertia) -> Array:
    """Return the 6x6 matrix [KM21, (12)]: columns are the momenta of unit twists."""
    return np.array([_six(inertia.apply(unit)) for unit in _UNITS], dtype=float).T


def _names(robot: Robot) -> tuple[str, ...]:
    names: list[str] = []
    for body, joint in zip(robot.bodies, robot.joints, strict=True):
        inner = len(joint.type.steps) - 1
        names += [*(f"{joint.name}[{k}]" for k in range(inner)), body.name]
    return tuple(names)


def _rows(link: int) -> slice:
    return slice(6 * link, 6 * link + 6)


def _scalars(values: Array) -> list[Any]:
    """Return ``(*batch, width)`` as the scalars of an algorithm text, one array each."""
    return [values[..., i] for i in range(values.shape[-1])]


def _six(pair: Any) -> list[Any]:
    return [*pair[0], *pair[1]]
