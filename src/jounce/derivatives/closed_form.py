"""The closed form of the equations of motion as arrays with time derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import comb

import numpy as np

from jounce.algebra.matrix_jet import Array, MatrixJet
from jounce.dynamics.closed_form import (
    Kinematics,
    ad_blocks,
    coriolis_system,
    diagonal,
    kinematics,
    system,
    system_wrenches,
)
from jounce.dynamics.wrenches import FrameWrench
from jounce.errors import ShapeError
from jounce.model.robot import Robot


class ClosedForm:
    """System and generalised matrices along a motion, with their time derivatives.

    There is a block of six rows for every link: a body, in the frame of the body, or a massless
    link inside a composite joint.  ``links`` names the n blocks, ``body_links`` gives the block
    of every body.  With C_{i,j} the pose of link j seen from i, Ξ_i the constant screws of joint
    i, v_i its velocities, X the Ξ_i in the columns of their velocities and D the damping::

        A = (Ad(C_{i,j}))   a = diag ad(Ξ_i v_i)   b = diag ad(V_i)   U = (Ad(C_i)⁻¹)
        J = A X             V = J v                                   [KM21, (21)-(33)]
        M = Jᵀ M_sys J + armature     C = Jᵀ C_sys J                  [KM21, (28)]
        g = Jᵀ M_sys U (0, −gravity)                                  [KM21, (32)], corrected
        Q = M dv/dt + C v + D v + g − Jᵀ W                            [MK21, (1), (34)]

    Every array has the order on axis 0, then the batch axes.  With K rates A, J, U, M, g, W and
    M_sys are of order K; a, b, V, C and C_sys of order K − 1; Q of order K − 2.  What is asked
    for is computed then, and kept as Taylor coefficients.

    Differs: trees and joints with several velocities; W acts on the robot.
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
        return diagonal(ad_blocks(self._V)).derivatives()

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
    def Q(self) -> Array:
        """Generalised forces, ``(K − 1, *batch, nv)``."""
        self._needs(2, "Q")
        v = self._v
        forces = self._M @ v.dt() + (self._C + self._system.damping) @ v + self._g
        return _vector(forces - self._J.T @ self._W if self._wrenches else forces)

    def coefficient(self, k: int, order: int) -> Array:
        """Return the matrix P_k of the k-th rate in the n-th derivative of Q, n = ``order``.

        Of shape ``(*batch, nv, nv)``.  With q⁽¹⁾ = v, q⁽²⁾ = dv/dt, …::

            Q⁽ⁿ⁾ = Σ_{k=1}^{n+2} P_k q⁽ᵏ⁾ + g⁽ⁿ⁾ − (Jᵀ W)⁽ⁿ⁾                      [KM21, (37)]
            P_k = binom(n, k−2) M⁽ⁿ⁻ᵏ⁺²⁾ + binom(n, k−1) (C + D)⁽ⁿ⁻ᵏ⁺¹⁾           [KM21, (38)]

        A binomial out of its range is zero, so P_{n+2} = M and P_1 = (C + D)⁽ⁿ⁾.  Needs n − k + 2
        rates.  Differs: damping D, which is constant.
        """
        if order < 0 or not 1 <= k <= order + 2:
            raise ShapeError(
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
    def _a(self) -> Array:
        return ad_blocks(self._system.X @ self._v)

    @cached_property
    def _kinematics(self) -> Kinematics:
        return kinematics(self._system, self.q, self._a if self.order else None)

    @cached_property
    def _J(self) -> MatrixJet:
        return self._kinematics.A @ self._system.X

    @cached_property
    def _V(self) -> MatrixJet:
        return self._J @ self._v

    @cached_property
    def _C_sys(self) -> MatrixJet:
        return coriolis_system(self._system, self._kinematics, self._a, self._V, self.factorization)

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
        return system_wrenches(self._system, self.q, self.rates, self._wrenches)


def _vector(column: MatrixJet) -> Array:
    """Return the derivatives of a column ``(…, rows, 1)`` without its last axis."""
    return column.derivatives()[..., 0]
