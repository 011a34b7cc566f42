"""Matrices of three rows, over any scalar."""

from __future__ import annotations

from jounce.algebra.so3 import Rotation
from jounce.algebra.vector import Vec3

Matrix3 = tuple[Vec3, Vec3, Vec3]  # rows


def times(A: Matrix3, x: Vec3) -> Vec3:
    """Return ``A x``."""
    return Vec3(A[0].dot(x), A[1].dot(x), A[2].dot(x))


def plus(A: Matrix3, B: Matrix3) -> Matrix3:
    """Return ``A + B``."""
    return A[0] + B[0], A[1] + B[1], A[2] + B[2]


def minus(A: Matrix3, B: Matrix3) -> Matrix3:
    """Return ``A − B``."""
    return A[0] - B[0], A[1] - B[1], A[2] - B[2]


def transposed(A: Matrix3) -> Matrix3:
    """Return ``Aᵀ``."""
    return Rotation(A).columns


def rotated(A: Matrix3, R: Rotation) -> Matrix3:
    """Return ``R A Rᵀ``; about z, with sine s and cosine c, ``e = c (xx − yy) − s (xy + yx)`` does.

    Turned are ``xx = yy + c e``, ``yy = xx − c e``, ``xy`` and ``yx`` more by ``s e``.
    """
    if R.varies_about_z:
        return _about_z(A, R)
    turned = transposed((R.rotate(A[0]), R.rotate(A[1]), R.rotate(A[2])))  # (A Rᵀ)ᵀ
    return transposed((R.rotate(turned[0]), R.rotate(turned[1]), R.rotate(turned[2])))


def _about_z(A: Matrix3, R: Rotation) -> Matrix3:
    (xx, xy, _), (yx, yy, _), last = A
    s, c = R.rows[1].x, R.rows[0].x
    e = c * (xx - yy) - s * (xy + yx)
    across, more = c * e, s * e
    side = R.rotate(Vec3(A[0].z, A[1].z, 0.0))
    below = R.rotate(Vec3(last.x, last.y, 0.0))
    return (
        Vec3(yy + across, xy + more, side.x),
        Vec3(yx + more, xx - across, side.y),
        Vec3(below.x, below.y, last.z),
    )


def hat(a: Vec3) -> Matrix3:
    """Return ``â``, the matrix of the vector product."""
    return Vec3(0.0, -a.z, a.y), Vec3(a.z, 0.0, -a.x), Vec3(-a.y, a.x, 0.0)


def cross_rows(w: Vec3, A: Matrix3) -> Matrix3:
    """Return ``ŵ A``."""
    a, b, c = A
    return b * -w.z + c * w.y, a * w.z + c * -w.x, a * -w.y + b * w.x


def cross_hat(a: Vec3, b: Vec3) -> Matrix3:
    """Return ``â b̂ = b aᵀ − (a·b) 1``."""
    s = a.dot(b)
    return (
        Vec3(a.x * b.x - s, a.y * b.x, a.z * b.x),
        Vec3(a.x * b.y, a.y * b.y - s, a.z * b.y),
        Vec3(a.x * b.z, a.y * b.z, a.z * b.z - s),
    )


def times_hat(A: Matrix3, r: Vec3) -> Matrix3:
    """Return ``A r̂``: every row a becomes ``a × r``."""
    return A[0].cross(r), A[1].cross(r), A[2].cross(r)
