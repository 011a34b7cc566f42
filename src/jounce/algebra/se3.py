"""Rigid motions, motion vectors and force vectors, angular part first, over any scalar."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

from jounce.algebra.so3 import IDENTITY as UNROTATED
from jounce.algebra.so3 import Rotation
from jounce.algebra.vector import ZERO, Vec3


class Motion(NamedTuple):
    """Twist (ω, v) or screw, components in one frame about its origin."""

    angular: Vec3
    linear: Vec3

    def __add__(self, o: Motion) -> Motion:  # type: ignore[override]
        return Motion(self.angular + o.angular, self.linear + o.linear)

    def __mul__(self, s: Any) -> Motion:  # type: ignore[override]
        return Motion(self.angular * s, self.linear * s)

    def dt(self) -> Motion:
        """Component-wise time derivative."""
        return Motion(self.angular.dt(), self.linear.dt())

    def cross(self, o: Motion) -> Motion:
        """Return ``ad(V) X``, the rate of a screw carried along by the body."""
        w, v = self
        return Motion(w.cross(o.angular), w.cross(o.linear) + v.cross(o.angular))

    def power(self, f: Force) -> Any:
        """Pairing of a twist with a wrench."""
        return self.angular.dot(f.moment) + self.linear.dot(f.force)

    def cross_dual(self, h: Force) -> Force:
        """Return ``−ad(V)ᵀ h``, the rate of a momentum carried along by the body."""
        w, v = self
        return Force(w.cross(h.moment) + v.cross(h.force), w.cross(h.force))


class Force(NamedTuple):
    """Wrench or momentum (moment, force), components in one frame about its origin."""

    moment: Vec3
    force: Vec3

    def __add__(self, o: Force) -> Force:  # type: ignore[override]
        return Force(self.moment + o.moment, self.force + o.force)

    def __sub__(self, o: Force) -> Force:
        return Force(self.moment - o.moment, self.force - o.force)

    def __mul__(self, s: Any) -> Force:  # type: ignore[override]
        return Force(self.moment * s, self.force * s)

    def dt(self) -> Force:
        """Component-wise time derivative."""
        return Force(self.moment.dt(), self.force.dt())


Pair = TypeVar("Pair", Motion, Force)
NO_MOTION = Motion(ZERO, ZERO)
NO_FORCE = Force(ZERO, ZERO)


class Transform(NamedTuple):
    """Pose of a child frame in its parent: ``x_parent = R x_child + p``."""

    rotation: Rotation
    p: Vec3

    def pull(self, twist: Motion) -> Motion:
        """Parent twist to child coordinates, ``Ad(C⁻¹) V``."""
        w, v = twist
        R = self.rotation
        return Motion(R.unrotate(w), R.unrotate(v + w.cross(self.p)))

    def act(self, twist: Motion) -> Motion:
        """Child twist to parent coordinates, ``Ad(C) V``."""
        w = self.rotation.rotate(twist.angular)
        return Motion(w, self.rotation.rotate(twist.linear) + self.p.cross(w))

    def push(self, wrench: Force) -> Force:
        """Child wrench to parent coordinates, ``Ad(C⁻¹)ᵀ W``."""
        force = self.rotation.rotate(wrench.force)
        return Force(self.rotation.rotate(wrench.moment) + self.p.cross(force), force)

    def apply(self, point: Vec3) -> Vec3:
        """Child point to parent coordinates."""
        return self.rotation.rotate(point) + self.p

    @property
    def inverse(self) -> Transform:
        """Pose of the parent in the child."""
        return Transform(self.rotation.inverse, -self.rotation.unrotate(self.p))

    def __matmul__(self, o: Transform) -> Transform:
        return Transform(self.rotation @ o.rotation, self.apply(o.p))

    def matrix(self) -> tuple[tuple[Any, ...], ...]:
        """Return the 4x4 homogeneous matrix as nested tuples."""
        rows = ((*r, p) for r, p in zip(self.rotation.rows, self.p, strict=True))
        return (*rows, (0.0, 0.0, 0.0, 1.0))


IDENTITY = Transform(UNROTATED, ZERO)


def body_twist(x: Vec3, u: Vec3, w: Any) -> Motion:
    """Return the twist, in the child frame, of a pose whose jets are a position and a quaternion.

    The quaternion p = (u, w) need not have unit length, as that of a spline has not: the
    orientation R is that of p / |p|, and the twist follows exactly from the path of p::

        ω = 2 vec(p* ∘ ṗ) / |p|² = 2 (w u̇ − ẇ u − u × u̇) / |p|²
        v = Rᵀ ẋ = ẋ + 2 (u × (u × ẋ) − w u × ẋ) / |p|²
    """
    scale, speed = (u.dot(u) + w * w).reciprocal() * 2.0, x.dt()
    turned = u.cross(speed)
    angular = (u.dt() * w - u * w.dt() - u.cross(u.dt())) * scale
    return Motion(angular, speed + (u.cross(turned) - turned * w) * scale)


def components(pair: Motion | Force) -> list[Any]:
    """Return the six components of a motion or force, angular first."""
    return [*pair[0], *pair[1]]
