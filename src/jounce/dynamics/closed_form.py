"""The equations of motion as matrices of the whole system, on matrix jets [KM21], [MK21].

p is the parent of link i; the other symbols are those of `ClosedForm`.  NumPy, batched.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb
from typing import Any, NamedTuple

import numpy as np

from jounce.algebra.jet import Jet, derivatives
from jounce.algebra.matrix_jet import Array, MatrixJet, cauchy
from jounce.algebra.se3 import IDENTITY, Transform, components
from jounce.algebra.spatial_matrix import ad_matrix, dual_matrix, inertia_matrix, pull_matrix
from jounce.dynamics.friction import friction_force
from jounce.dynamics.motion import moving
from jounce.dynamics.wrenches import FrameWrench, link_wrenches
from jounce.errors import ArgumentError, ShapeError, UnsupportedError
from jounce.lazy import cached_property
from jounce.model.lowering.tree import Tree, lowered
from jounce.model.robot import Robot


class ClosedForm:
    """System and generalised matrices along a motion, with their time derivatives.

    There is a block of six rows for every link: a body, in the frame of the body, or a massless
    link inside a composite joint.  ``links`` names the n blocks, ``body_links`` gives the block
    of every body.  With C_{i,j} the pose of link j seen from i, Ξ_i the constant screws of joint
    i, v_i its velocities, X the Ξ_i in the columns of their velocities, D the damping and F dry
    friction::

        A = (Ad(C_{i,j}))   a = diag ad(Ξ_i v_i)   b = diag ad(V_i)   U = (Ad(C_i)⁻¹)
        J = A X             V = J v                                   [KM21, (21)-(33)]
        M = Jᵀ M_sys J + armature     C = Jᵀ C_sys J                  [KM21, (28)]
        g = Jᵀ M_sys U (0, −gravity)                                  [KM21, (32)], corrected
        Q = M dv/dt + C v + D v + F(v) + g − Jᵀ W                     [MK21, (1), (34)]

    Every array has the order on axis 0, then the batch axes.  With K rates A, J, U, M, g, W and
    M_sys are of order K; a, b, V, C and C_sys of order K − 1; Q of order K − 2.  What is asked
    for is computed then, and kept as Taylor coefficients.

    Differs: trees and joints with several velocities; W acts on the robot; friction.
    """

    def __init__(
        self,
        robot: Robot,
        q: Array,
        rates: Sequence[Array],
        wrenches: Sequence[FrameWrench] = (),
        factorization: str = "passive",
    ) -> None:
        self.robot = robot
        self.factorization = factorization
        self.q, self.rates = q, tuple(rates)
        self._wrenches = tuple(wrenches)
        self._batch = q.shape[:-1]
        self._system = system(robot)

    def __repr__(self) -> str:
        return (
            f"<ClosedForm of {self.robot.name!r}: {len(self.links)} links, {self.order} rates, "
            f"batch {self._batch}, {self.factorization}>"
        )

    @property
    def order(self) -> int:
        """Number of rates given, K."""
        return len(self.rates)

    @property
    def links(self) -> tuple[str, ...]:
        """Name of every block of six rows: a body, or joint[k] for the k-th inner link."""
        return self._system.names

    @property
    def body_links(self) -> tuple[int, ...]:
        """Index among ``links`` of every body of the robot."""
        return self._system.tree.body_links

    @property
    def A(self) -> Array:
        """``Ad(C_{i,j})`` for j on the way from i to the ground, ``(K + 1, *batch, 6n, 6n)``."""
        return self._kinematics.A.derivatives()

    @property
    def a(self) -> Array:
        """``diag ad(Ξ_i v_i)``, ``(K, *batch, 6n, 6n)``."""
        return diagonal(self._a).derivatives()

    @property
    def b(self) -> Array:
        """``diag ad(V_i)``, ``(K, *batch, 6n, 6n)``."""
        return diagonal(ad_matrix(_by_link(self._V))).derivatives()

    @property
    def J(self) -> Array:
        """Jacobians of all links in their frames, ``(K + 1, *batch, 6n, nv)``."""
        return self._J.derivatives()

    @property
    def V(self) -> Array:
        """Twists of all links in their frames, ``(K, *batch, 6n)``."""
        return _vector(self._V)

    @property
    def U(self) -> Array:
        """``Ad(C_i)⁻¹`` of all links, ``(K + 1, *batch, 6n, 6)``."""
        return self._kinematics.U.derivatives()

    @property
    def W(self) -> Array:
        """External wrenches on all links in their frames, ``(K + 1, *batch, 6n)``."""
        return _vector(self._W)

    @property
    def M_sys(self) -> Array:
        """Inertias of all links, constant, ``(K + 1, *batch, 6n, 6n)``."""
        return self._constant(diagonal(self._system.inertias).coeffs, self.order)

    @property
    def C_sys(self) -> Array:
        """Coriolis matrix between Jᵀ and J, ``(K, *batch, 6n, 6n)``."""
        return self._C_sys.derivatives()

    @property
    def M(self) -> Array:
        """Mass matrix, ``(K + 1, *batch, nv, nv)``."""
        return self._M.derivatives()

    @property
    def C(self) -> Array:
        """Coriolis matrix, ``(K, *batch, nv, nv)``."""
        return self._C.derivatives()

    @property
    def D(self) -> Array:
        """Viscous damping of the joints, constant, ``(K, *batch, nv, nv)``."""
        self._needs(1, "D")
        return self._constant(self._system.damping, self.order - 1)

    @property
    def g(self) -> Array:
        """Gravity forces, ``(K + 1, *batch, nv)``."""
        return _vector(self._g)

    @property
    def F(self) -> Array:
        """Dry friction and offsets of the joints, ``(K, *batch, nv)``."""
        self._needs(1, "F")
        return self._F.derivatives()[..., 0]

    @property
    def Q(self) -> Array:
        """Generalised forces, ``(K − 1, *batch, nv)``."""
        self._needs(2, "Q")
        v = self._v
        forces = self._M @ v.dt() + (self._C + self._system.damping) @ v + self._g
        if any(link.friction for link in self._system.tree.links):
            forces = forces + self._F
        return _vector(forces - self._J.T @ self._W if self._wrenches else forces)

    def coefficient(self, k: int, order: int) -> Array:
        """Return the matrix P_k of the k-th rate in the n-th derivative of Q, n = ``order``.

        Of shape ``(*batch, nv, nv)``.  With q⁽¹⁾ = v, q⁽²⁾ = dv/dt, …::

            Q⁽ⁿ⁾ = Σ_{k=1}^{n+2} P_k q⁽ᵏ⁾ + F⁽ⁿ⁾ + g⁽ⁿ⁾ − (Jᵀ W)⁽ⁿ⁾               [KM21, (37)]
            P_k = binom(n, k−2) M⁽ⁿ⁻ᵏ⁺²⁾ + binom(n, k−1) (C + D)⁽ⁿ⁻ᵏ⁺¹⁾           [KM21, (38)]

        A binomial out of its range is zero, so P_{n+2} = M and P_1 = (C + D)⁽ⁿ⁾.  Needs n − k + 2
        rates.  Differs: damping D, which is constant, and dry friction F.
        """
        if order < 0 or not 1 <= k <= order + 2:
            raise ArgumentError(
                f"coefficient(k, order) needs order ≥ 0 and 1 ≤ k ≤ order + 2, got k = {k}, "
                f"order = {order}."
            )
        self._needs(order - k + 2, f"coefficient({k}, {order})")
        P = np.zeros((*self._batch, self.robot.nv, self.robot.nv))
        if k >= 2:
            P += comb(order, k - 2) * self.M[order - k + 2]
        if k <= order + 1:
            P += comb(order, k - 1) * (self.C + self.D)[order - k + 1]
        return P

    def _needs(self, count: int, what: str) -> None:
        if self.order < count:
            raise ShapeError(
                f"{what} of the closed form needs {count} rates (velocity, acceleration, ...), "
                f"got {self.order}: call closed_form(robot, q, *rates) with more."
            )

    def _constant(self, matrix: Array, order: int) -> Array:
        whole = np.broadcast_to(matrix, (*self._batch, *matrix.shape))
        return MatrixJet.constant(whole, order).derivatives()

    @cached_property
    def _v(self) -> MatrixJet:
        self._needs(1, "a, b, V, C or C_sys")
        return MatrixJet.from_derivatives(np.stack(self.rates)[..., None])

    @cached_property
    def _F(self) -> MatrixJet:
        orders, shape = len(self.rates), np.shape(self.rates[0])
        total = np.zeros((orders, *shape, 1))
        for link in self._system.tree.links:
            _, first, factor, _ = link.coordinates
            for k, friction in enumerate(link.friction):
                speed = Jet.from_derivatives([r[..., first + k] * factor for r in self.rates])
                rows = derivatives(friction_force(friction, speed), orders - 1)
                for order, row in enumerate(rows):
                    total[order, ..., first + k, 0] += row * factor
        return MatrixJet.from_derivatives(total)

    @cached_property
    def _a(self) -> Array:
        return ad_matrix(_by_link(self._system.X @ self._v))

    @cached_property
    def _kinematics(self) -> Kinematics:
        """A, U and the steps; without velocities of order zero.

        With p the parent of i, and j any link on the way from i to the ground::

            N = Ad(C_{i,p})     N' = −ad(Ξ_i v_i) N      coefficient by coefficient
            A_ij = N A_pj       A_ii = 1      U_i = N U_p                   [KM21, (9), (23)]

        so that ``A' = A a − A a A`` and ``U' = −A a U`` [KM21, (27)], [MK21, (43)]: differentiated
        any number of times this is [KM21, (39)], which multiplies whole matrices.
        """
        rates = self._a if self.order else ()
        orders, n, batch = self.order + 1, len(self.links), self._batch
        A, U = np.zeros((orders, *batch, 6 * n, 6 * n)), np.zeros((orders, *batch, 6 * n, 6))
        steps: list[MatrixJet] = []
        starts = _steps(self._system, self.q)
        for i, (link, start) in enumerate(zip(self._system.tree.links, starts, strict=True)):
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

    @cached_property
    def _J(self) -> MatrixJet:
        return self._kinematics.A @ self._system.X

    @cached_property
    def _V(self) -> MatrixJet:
        return self._J @ self._v

    @cached_property
    def _C_sys(self) -> MatrixJet:
        """The matrix with ``C = Jᵀ C_sys J``.

        With M the inertias, b = diag ad(V_i) and ``J' = −A ã J``::

            kinematic     −M A ã − bᵀ M                            [KM21, (30)]
            passive       −M A ã − bᵀ M + M b                      [MK21, (62)], [GOA13, (6b)]
            christoffel   −M A ã + ½ (M b − bᵀ M + x)              x u = −ad(u)ᵀ M V, link by link
        """
        b, M = ad_matrix(_by_link(self._V)), self._system.inertias
        bM, Mb = np.swapaxes(b, -1, -2) @ M, M @ b
        blocks = -bM
        if self.factorization == "passive":
            blocks = Mb - bM
        elif self.factorization == "christoffel":
            momenta = _by_link(self._system.inertia_times(self._V))
            blocks = 0.5 * (Mb - bM + dual_matrix(momenta))
        return diagonal(blocks) - self._system.inertia_times(self._carried())

    def _carried(self) -> MatrixJet:
        """Return ``A ã``, with ã the papers' a = diag ad(Ξ_i v_i) where screws of joints commute.

        Differs: where they do not, a X ≠ 0, and ã acts on the twist that the parent hands on: row
        i of ã is ``ad(Ξ_i v_i) Ad(C_{i,p})`` in the columns of p, zero if p is the ground.
        """
        A = self._kinematics.A.coeffs[: len(self._a)]
        result = np.zeros_like(A)
        for i, link in enumerate(self._system.tree.links):
            columns = MatrixJet(A[..., _rows(i)]) @ MatrixJet(self._a[..., i, :, :])
            if not link.step.brackets:
                result[..., _rows(i)] += columns.coeffs
            elif link.parent >= 0:
                result[..., _rows(link.parent)] += (columns @ self._kinematics.steps[i]).coeffs
        return MatrixJet(result)

    @cached_property
    def _M(self) -> MatrixJet:
        return self._J.T @ self._system.inertia_times(self._J) + self._system.armature

    @cached_property
    def _C(self) -> MatrixJet:
        return self._J.T @ (self._C_sys @ self._J)

    @cached_property
    def _g(self) -> MatrixJet:
        ground = np.array([0.0, 0.0, 0.0, *(-g for g in self.robot.gravity)])[:, None]
        return self._J.T @ self._system.inertia_times(self._kinematics.U @ ground)

    @cached_property
    def _W(self) -> MatrixJet:
        frames = self._system.frames
        m = moving(self._system.tree, _scalars(self.q), [_scalars(rate) for rate in self.rates])
        result = np.zeros((self.order + 1, *self._batch, 6 * len(frames), 1))
        for i, W in link_wrenches(m, self._wrenches).items():
            for row, x in enumerate(components(frames[i].inverse.push(W))):
                for k, value in enumerate(derivatives(x, self.order)):
                    result[k, ..., 6 * i + row, 0] = value
        return MatrixJet.from_derivatives(result)


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
    n, nv = len(tree.links), tree.nv
    frames = [tree.body_placements[bodies[i]] if i in bodies else IDENTITY for i in range(n)]
    X, inertias, (armature, damping) = np.zeros((6 * n, nv)), np.zeros((n, 6, 6)), np.zeros((2, nv))
    try:
        np.array(robot.gravity, float)
        for i, link in enumerate(tree.links):
            where = link.coordinates
            if i in bodies:
                inertias[i] = inertia_matrix(robot.bodies[bodies[i]].inertia.spatial)
            for k, screw in enumerate(link.step.screws):
                v = where.v + k
                X[_rows(i), v] += np.array(components(frames[i].pull(screw))) * where.multiplier
                armature[v] += link.armature[k] * where.multiplier**2
                damping[v] += link.damping[k] * where.multiplier**2
    except TypeError as error:
        raise UnsupportedError(
            f"robot {robot.name!r} has symbols, and the closed form computes with numbers: "
            "take the equations of motion of jounce.symbolic(robot)."
        ) from error
    motors = np.diag(armature), np.diag(damping)
    return System(tree, tuple(frames), _names(robot), X, inertias, *motors)


def diagonal(blocks: Array) -> MatrixJet:
    """Return the jet of the matrix with these ``(…, n, 6, 6)`` on its diagonal."""
    *lead, n, _, _ = blocks.shape
    whole = np.zeros((*lead, n, 6, n, 6))
    for i in range(n):
        whole[..., i, :, i, :] = blocks[..., i, :, :]
    return MatrixJet(whole.reshape(*lead, 6 * n, 6 * n))


def _steps(system: System, q: Array) -> list[Array]:
    """Return ``Ad(C_{i,p})`` at t = 0 of every link, ``(*batch, 6, 6)``."""
    m = moving(system.tree, _scalars(q))
    result = []
    for link, motion, frame in zip(m.links, m.motions, system.frames, strict=True):
        T = link.placement @ motion.pose @ frame
        T = system.frames[link.parent].inverse @ T if link.parent >= 0 else T
        result.append(pull_matrix(T, q.shape[:-1]))
    return result


def _by_link(column: MatrixJet) -> Array:
    """Return a column of n twists or wrenches as ``(N + 1, *batch, n, 6)``."""
    *lead, rows, _ = column.coeffs.shape
    return column.coeffs.reshape(*lead, rows // 6, 6)


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


def _vector(column: MatrixJet) -> Array:
    """Return the derivatives of a column ``(…, rows, 1)`` without its last axis."""
    return column.derivatives()[..., 0]
