"""The form ``ad(V)ᵀ M`` of a moving body, and sums of it over bodies, in 24 numbers.

With twist V = (ω, ν), mass m, first moment h and rotational inertia Θ::

    ad(V)ᵀ M = [ K    −(E + p̂) ]      K = ν̂ ĥ − ω̂ Θ     p = m ν
               [ E      −n̂    ]      E = ω̂ ĥ           n = m ω
"""

from __future__ import annotations

from typing import NamedTuple

from jounce.algebra.inertia import SpatialInertia
from jounce.algebra.se3 import Force, Motion, Transform
from jounce.algebra.so3 import Rotation
from jounce.algebra.vector import ZERO, Vec3

Matrix3 = tuple[Vec3, Vec3, Vec3]  # rows


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
        turning = _cross_rows(w, rotational.rows)
        K = _minus(_cross_hat(v, h), turning)
        return cls(K, _cross_hat(w, h), v * mass, w * mass)

    def __add__(self, o: CoriolisForm) -> CoriolisForm:  # type: ignore[override]
        return CoriolisForm(_plus(self.K, o.K), _plus(self.E, o.E), self.p + o.p, self.n + o.n)

    def apply(self, u: Motion) -> Force:
        """Return ``P u``."""
        w, v = u
        moment = _times(self.K, w) - _times(self.E, v) - self.p.cross(v)
        return Force(moment, _times(self.E, w) - self.n.cross(v))

    def apply_transposed(self, u: Motion) -> Force:
        """Return ``Pᵀ u``."""
        w, v = u
        K, E = _transposed(self.K), _transposed(self.E)
        moment = _times(K, w) + _times(E, v)
        return Force(moment, self.p.cross(w) - _times(E, w) + self.n.cross(v))

    def moved(self, T: Transform) -> CoriolisForm:
        """Return the same map seen from the parent of ``T``: turn, then shift by r.

        ``E' = E + n̂ r̂``, ``p' = p + r × n``, ``K' = K + (E + p̂) r̂ + r̂ E'``.
        """
        R, r = T
        K, E = _rotated(self.K, R), _rotated(self.E, R)
        p, n = R.rotate(self.p), R.rotate(self.n)
        if r == ZERO:
            return CoriolisForm(K, E, p, n)
        shifted = _plus(E, _cross_hat(n, r))
        K = _plus(_plus(K, _times_hat(E, r)), _plus(_cross_hat(p, r), _cross_rows(r, shifted)))
        return CoriolisForm(K, shifted, p + r.cross(n), n)


NO_FORM = CoriolisForm((ZERO, ZERO, ZERO), (ZERO, ZERO, ZERO), ZERO, ZERO)


def _times(A: Matrix3, x: Vec3) -> Vec3:
    return Vec3(A[0].dot(x), A[1].dot(x), A[2].dot(x))


def _plus(A: Matrix3, B: Matrix3) -> Matrix3:
    return A[0] + B[0], A[1] + B[1], A[2] + B[2]


def _minus(A: Matrix3, B: Matrix3) -> Matrix3:
    return A[0] - B[0], A[1] - B[1], A[2] - B[2]


def _transposed(A: Matrix3) -> Matrix3:
    return Rotation(A).columns


def _rotated(A: Matrix3, R: Rotation) -> Matrix3:
    """Return ``R A Rᵀ``."""
    turned = _transposed((R.rotate(A[0]), R.rotate(A[1]), R.rotate(A[2])))  # (A Rᵀ)ᵀ
    return _transposed((R.rotate(turned[0]), R.rotate(turned[1]), R.rotate(turned[2])))


def _cross_rows(w: Vec3, A: Matrix3) -> Matrix3:
    """Return ``ŵ A``."""
    a, b, c = A
    return b * -w.z + c * w.y, a * w.z + c * -w.x, a * -w.y + b * w.x


def _cross_hat(a: Vec3, b: Vec3) -> Matrix3:
    """Return ``â b̂ = b aᵀ − (a·b) 1``."""
    s = a.dot(b)
    return (
        Vec3(a.x * b.x - s, a.y * b.x, a.z * b.x),
        Vec3(a.x * b.y, a.y * b.y - s, a.z * b.y),
        Vec3(a.x * b.z, a.y * b.z, a.z * b.z - s),
    )


def _times_hat(A: Matrix3, r: Vec3) -> Matrix3:
    """Return ``A r̂``: every row a becomes ``a × r``."""
    return A[0].cross(r), A[1].cross(r), A[2].cross(r)
