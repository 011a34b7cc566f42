"""Rotations: a matrix as three rows, ``x_parent = R x_child``."""

from __future__ import annotations

from math import hypot, sqrt
from typing import Any, NamedTuple

from jounce.algebra.jet import Jet, divided
from jounce.algebra.scalar import sincos
from jounce.algebra.vector import Vec3


class Rotation(NamedTuple):
    """Orientation of a child frame in its parent; ``rows[i]`` is the i-th row of R.

    A jet may be ``split`` into its value R(0) and the rotation from there, whose own value is
    the identity: turning a vector by one after the other takes fewer products of jets.
    """

    rows: tuple[Vec3, Vec3, Vec3]
    split: tuple[Rotation, Rotation] | None = None

    def rotate(self, v: Vec3) -> Vec3:
        """Child components to parent components, ``R v``."""
        if self.split is not None:
            start, rest = self.split
            return start.rotate(rest.rotate(v))
        r0, r1, r2 = self.rows
        return Vec3(r0.dot(v), r1.dot(v), r2.dot(v))

    def unrotate(self, v: Vec3) -> Vec3:
        """Parent components to child components, ``Rᵀ v``."""
        if self.split is not None:
            start, rest = self.split
            return rest.unrotate(start.unrotate(v))
        c0, c1, c2 = self.columns
        return Vec3(c0.dot(v), c1.dot(v), c2.dot(v))

    @property
    def columns(self) -> tuple[Vec3, Vec3, Vec3]:
        """The child's axes in the parent."""
        a, b, c = self.rows
        return Vec3(a.x, b.x, c.x), Vec3(a.y, b.y, c.y), Vec3(a.z, b.z, c.z)

    @property
    def inverse(self) -> Rotation:
        """Transposed."""
        return Rotation(self.columns)

    @property
    def varies_about_z(self) -> bool:
        """Whether it turns about z by an angle that is no constant."""
        (cosine, _, a), (_, _, b), z = self.rows
        fixed = all(isinstance(x, float) for x in (a, b, *z)) and z == (0.0, 0.0, 1.0)
        return fixed and not isinstance(cosine, float | int)

    def __matmul__(self, o: Rotation) -> Rotation:
        a, b, c = (self.rotate(column) for column in o.columns)
        return from_columns(a, b, c)


IDENTITY = Rotation((Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)))


def from_columns(x: Vec3, y: Vec3, z: Vec3) -> Rotation:
    """Build from the child's axes in the parent."""
    return Rotation((Vec3(x.x, y.x, z.x), Vec3(x.y, y.y, z.y), Vec3(x.z, y.z, z.z)))


def about_z(sine: Any, cosine: Any) -> Rotation:
    """Rotation about z by the angle with this sine and cosine."""
    return Rotation((Vec3(cosine, -sine, 0.0), Vec3(sine, cosine, 0.0), Vec3(0.0, 0.0, 1.0)))


def turned_about_z(angle: Any) -> Rotation:
    """Rotation about z by an angle, split where that is a jet."""
    whole = about_z(*sincos(angle))
    if not isinstance(angle, Jet) or angle.order == 0:
        return whole
    (cosine, _, _), (sine, _, _), _ = whole.rows
    start = about_z(sine.at_start(), cosine.at_start())
    return whole._replace(split=(start, about_z(*angle.sincos_onwards())))


def from_rpy(roll: Any, pitch: Any, yaw: Any) -> Rotation:
    """Fixed-axis roll, pitch, yaw as URDF means them: ``Rz(yaw) Ry(pitch) Rx(roll)``."""
    (sr, cr), (sp, cp), (sy, cy) = sincos(roll), sincos(pitch), sincos(yaw)
    return Rotation(
        (
            Vec3(cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
            Vec3(sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
            Vec3(-sp, cp * sr, cp * cr),
        )
    )


def from_quaternion(x: Any, y: Any, z: Any, w: Any) -> Rotation:
    """Rotation of the quaternion (x, y, z, w), whatever its norm."""
    s = 2.0 / (x * x + y * y + z * z + w * w)
    xs, ys, zs = x * s, y * s, z * s
    xx, yy, zz = x * xs, y * ys, z * zs
    xy, xz, yz = x * ys, x * zs, y * zs
    wx, wy, wz = w * xs, w * ys, w * zs
    return Rotation(
        (
            Vec3(1.0 - (yy + zz), xy - wz, xz + wy),
            Vec3(xy + wz, 1.0 - (xx + zz), yz - wx),
            Vec3(xz - wy, yz + wx, 1.0 - (xx + yy)),
        )
    )


def integrate_body_rate(start: Rotation, rate: Vec3, order: int) -> Rotation:
    """Return the rotation jet of an order with ``R' = R hat(rate)`` and ``R(0) = start``.

    Row by row ``r' = r x rate`` [GOA13, Remark 7], as a recurrence on Taylor coefficients.
    """
    whole = _integrate_rows(start, rate, order)
    if order == 0:
        return whole
    a, b, c = (Vec3(*(x.at_start() for x in row)) for row in whole.rows)
    return whole._replace(split=(Rotation((a, b, c)), _integrate_rows(IDENTITY, rate, order)))


def _integrate_rows(start: Rotation, rate: Vec3, order: int) -> Rotation:
    a, b, c = (_integrate_row(row, rate, order) for row in start.rows)
    return Rotation((a, b, c))


def _integrate_row(start: Vec3, rate: Vec3, order: int) -> Vec3:
    coeffs = [[start.x], [start.y], [start.z]]
    for k in range(order):
        known = Vec3(*(Jet(c) for c in coeffs))
        slope = known.cross(Vec3(*(Jet(w.coeffs[: k + 1]) for w in rate)))
        for c, s in zip(coeffs, slope, strict=True):
            c.append(divided(s.coeffs[k], k + 1))
    return Vec3(*(Jet(c) for c in coeffs))


def frame_with_z(axis: Vec3) -> Rotation:
    """Return a rotation whose z column is the unit vector ``axis``.

    Coordinate axes give signed permutations, so that nothing dense enters a text.
    """
    x, y, z = (float(a) for a in axis)
    if abs(z) >= abs(x) and abs(z) >= abs(y):
        first = Vec3(z, 0.0, -x)
    elif abs(x) >= abs(y):
        first = Vec3(-y, x, 0.0)
    else:
        first = Vec3(0.0, -z, y)
    first = first * (1.0 / sqrt(first.dot(first)))
    first = Vec3(*(a + 0.0 for a in first))
    second = Vec3(*(a + 0.0 for a in axis.cross(first)))
    return from_columns(first, second, axis)


def normalized(v: Vec3) -> Vec3:
    """Return ``v`` at unit length; coordinate axes stay exact."""
    length = hypot(*(float(a) for a in v))
    return Vec3(*(a / length for a in v))
