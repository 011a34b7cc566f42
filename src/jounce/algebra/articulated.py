"""Articulated-body inertia: how a wrench on a link depends on its acceleration if joints yield.

A symmetric map from accelerations (α, a) to wrenches (n, f), as matter beyond joints has it that
transmit only the forces given::

    n = A α + B a          f = Bᵀ α + C a
"""

from __future__ import annotations

from typing import Any, NamedTuple

from jounce.algebra.inertia import SpatialInertia, Symmetric3
from jounce.algebra.matrix3 import Matrix3, cross_rows, hat, plus, rotated, times, transposed
from jounce.algebra.se3 import Force, Motion, Transform
from jounce.algebra.vector import Vec3

_PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # the entries of Symmetric3


class ArticulatedInertia(NamedTuple):
    """The blocks A, B (rows) and C of the map; see the head of this module."""

    A: Symmetric3
    B: Matrix3
    C: Symmetric3

    @classmethod
    def of(cls, inertia: SpatialInertia) -> ArticulatedInertia:
        """Return that of matter without joints."""
        m, h, rotational = inertia
        return cls(rotational, hat(h), Symmetric3(m, m, m, 0.0, 0.0, 0.0))

    def apply(self, a: Motion) -> Force:
        """Return the wrench of an acceleration."""
        angular, linear = a
        moment = times(self.A.rows, angular) + times(self.B, linear)
        return Force(moment, times(transposed(self.B), angular) + times(self.C.rows, linear))

    def __add__(self, o: ArticulatedInertia) -> ArticulatedInertia:  # type: ignore[override]
        return ArticulatedInertia(self.A + o.A, plus(self.B, o.B), self.C + o.C)

    def yielding(self, U: Force, gain: Force, m: int | None, armature: Any) -> ArticulatedInertia:
        """Return ``I − U gainᵀ``, which leaves the joint of ``U = I X``, ``gain = U / D`` free.

        Of a screw X that is the m-th unit vector, row m is known without subtracting,
        ``armature · gain``: with ``D = U_m + armature``.
        """
        u, g = (*U.moment, *U.force), (*gain.moment, *gain.force)

        def entry(i: int, j: int, x: Any) -> Any:
            if m in (i, j):
                return g[i if j == m else j] * armature
            return x - u[i] * g[j]

        x, y, z = (
            Vec3(*(entry(i, 3 + j, b) for j, b in enumerate(row))) for i, row in enumerate(self.B)
        )
        A = (entry(i, j, a) for (i, j), a in zip(_PAIRS, self.A, strict=True))
        C = (entry(3 + i, 3 + j, c) for (i, j), c in zip(_PAIRS, self.C, strict=True))
        return ArticulatedInertia(Symmetric3(*A), (x, y, z), Symmetric3(*C))

    def moved(self, T: Transform) -> ArticulatedInertia:
        """Return the same map seen from the parent of ``T``: turn, then shift by p.

        ``B' = B + p̂ C``, ``A' = A + (p̂ Bᵀ)ᵀ + p̂ B'ᵀ``.
        """
        R, p = T
        A, B, C = self.A.rotated(R), rotated(self.B, R), self.C.rotated(R)
        shifted = plus(B, cross_rows(p, C.rows))
        Y, Z = cross_rows(p, transposed(B)), cross_rows(p, transposed(shifted))
        A = Symmetric3(*(x + (Y[j][i] + Z[i][j]) for (i, j), x in zip(_PAIRS, A, strict=True)))
        return ArticulatedInertia(A, shifted, C)
