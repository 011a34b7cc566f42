"""The form ``ad(V)ᵀ M`` of a moving body, and sums of it over bodies, in 24 numbers.

With twist V = (ω, ν), mass m, first moment h and rotational inertia Θ::

    ad(V)ᵀ M = [ K    −(E + p̂) ]      K = ν̂ ĥ − ω̂ Θ     p = m ν
               [ E      −n̂    ]      E = ω̂ ĥ           n = m ω
"""

from __future__ import annotations

from typing import NamedTuple

from jounce.algebra.inertia import SpatialInertia
from jounce.algebra.matrix3 import (
    Matrix3,
    cross_hat,
    cross_rows,
    minus,
    plus,
    rotated,
    times,
    times_hat,
    transposed,
)
from jounce.algebra.se3 import Force, Motion, Transform
from jounce.algebra.vector import ZERO, Vec3


class CoriolisForm(NamedTuple):
    """A linear map from twists to wrenches; see the head of this module."""

    K: Matrix3
    E: Matrix3
    p: Vec3
    n: Vec3

    @classmethod
    def of(cls, inertia: SpatialInertia, V: Motion) -> CoriolisForm:
        """Return ``ad(V)ᵀ M`` of one body."""
        w, v = V
        mass, h, rotational = inertia
        turning = cross_rows(w, rotational.rows)
        K = minus(cross_hat(v, h), turning)
        return cls(K, cross_hat(w, h), v * mass, w * mass)

    def __add__(self, o: CoriolisForm) -> CoriolisForm:  # type: ignore[override]
        return CoriolisForm(plus(self.K, o.K), plus(self.E, o.E), self.p + o.p, self.n + o.n)

    def apply(self, u: Motion) -> Force:
        """Return ``P u``."""
        w, v = u
        moment = times(self.K, w) - times(self.E, v) - self.p.cross(v)
        return Force(moment, times(self.E, w) - self.n.cross(v))

    def apply_transposed(self, u: Motion) -> Force:
        """Return ``Pᵀ u``."""
        w, v = u
        K, E = transposed(self.K), transposed(self.E)
        moment = times(K, w) + times(E, v)
        return Force(moment, self.p.cross(w) - times(E, w) + self.n.cross(v))

    def moved(self, T: Transform) -> CoriolisForm:
        """Return the same map seen from the parent of ``T``: turn, then shift by r.

        ``E' = E + n̂ r̂``, ``p' = p + r × n``, ``K' = K + (E + p̂) r̂ + r̂ E'``.
        """
        R, r = T
        K, E = rotated(self.K, R), rotated(self.E, R)
        p, n = R.rotate(self.p), R.rotate(self.n)
        if r == ZERO:
            return CoriolisForm(K, E, p, n)
        shifted = plus(E, cross_hat(n, r))
        K = plus(plus(K, times_hat(E, r)), plus(cross_hat(p, r), cross_rows(r, shifted)))
        return CoriolisForm(K, shifted, p + r.cross(n), n)


NO_FORM = CoriolisForm((ZERO, ZERO, ZERO), (ZERO, ZERO, ZERO), ZERO, ZERO)
