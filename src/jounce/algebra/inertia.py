"""Spatial inertia about the origin of a frame, linear in its ten parameters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from jounce.algebra.matrix3 import rotated, times
from jounce.algebra.se3 import Force, Motion, Transform
from jounce.algebra.so3 import Rotation
from jounce.algebra.vector import ZERO, Vec3


class Symmetric3(NamedTuple):
    """Symmetric 3x3 matrix in the order of the inertial parameters."""

    xx: Any
    yy: Any
    zz: Any
    xy: Any
    xz: Any
    yz: Any

    @property
    def rows(self) -> tuple[Vec3, Vec3, Vec3]:
        """The full matrix."""
        xx, yy, zz, xy, xz, yz = self
        return Vec3(xx, xy, xz), Vec3(xy, yy, yz), Vec3(xz, yz, zz)

    def __add__(self, o: Symmetric3) -> Symmetric3:  # type: ignore[override]
        return Symmetric3(*(a + b for a, b in zip(self, o, strict=True)))

    def __sub__(self, o: Symmetric3) -> Symmetric3:
        return Symmetric3(*(a - b for a, b in zip(self, o, strict=True)))

    def rotated(self, R: Rotation) -> Symmetric3:
        """Return ``R I Rᵀ``."""
        a, b, c = self.rows
        if R.varies_about_z:
            x, y, z = rotated((a, b, c), R)
            return Symmetric3(x.x, y.y, z.z, x.y, x.z, y.z)
        x, y, z = R.rows
        u, v, w = (times((a, b, c), r) for r in R.rows)  # rows of R I
        return Symmetric3(u.dot(x), v.dot(y), w.dot(z), u.dot(y), u.dot(z), v.dot(z))


class SpatialInertia(NamedTuple):
    """Mass, first moment ``m c`` and rotational inertia about the frame's origin."""

    mass: Any
    first_moment: Vec3
    rotational: Symmetric3

    @classmethod
    def of(cls, parameters: Iterable[Any]) -> SpatialInertia:
        """Return that of ten parameters: m, m c, and xx yy zz xy xz yz about the origin."""
        m, x, y, z, *rotational = parameters
        return cls(m, Vec3(x, y, z), Symmetric3(*rotational))

    def apply(self, twist: Motion) -> Force:
        """Momentum of the body, ``M V``."""
        w, v = twist
        h = self.first_moment
        moment = times(self.rotational.rows, w) + h.cross(v)
        return Force(moment, v * self.mass + w.cross(h))

    def __add__(self, o: SpatialInertia) -> SpatialInertia:  # type: ignore[override]
        m, h, I = self
        return SpatialInertia(m + o.mass, h + o.first_moment, I + o.rotational)

    def __sub__(self, o: SpatialInertia) -> SpatialInertia:
        m, h, I = self
        return SpatialInertia(m - o.mass, h - o.first_moment, I - o.rotational)

    def moved(self, T: Transform) -> SpatialInertia:
        """Return the same matter seen from the parent of ``T``: linear in the parameters."""
        h = T.rotation.rotate(self.first_moment)
        I = self.rotational.rotated(T.rotation)
        return SpatialInertia(self.mass, h + T.p * self.mass, I + parallel_axis(T.p, h, self.mass))


def parallel_axis(p: Vec3, first_moment: Vec3, mass: Any) -> Symmetric3:
    """Change of rotational inertia when matter is shifted by ``p``.

    With first moment h before the shift: ``(2 p·h + m p·p) 1 − (p hᵀ + h pᵀ + m p pᵀ)``;
    Steiner's theorem is h = 0.
    """
    h = first_moment + p * (0.5 * mass)  # p hᵀ + h pᵀ then holds the m p pᵀ term
    xx, yy, zz = p.x * h.x * 2.0, p.y * h.y * 2.0, p.z * h.z * 2.0
    return Symmetric3(
        yy + zz,
        xx + zz,
        xx + yy,
        -(p.x * h.y + p.y * h.x),
        -(p.x * h.z + p.z * h.x),
        -(p.y * h.z + p.z * h.y),
    )


NO_INERTIA = SpatialInertia(0.0, ZERO, Symmetric3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
