"""Three scalars: points, directions, rates."""

from __future__ import annotations

from typing import Any, NamedTuple

from jounce.algebra.jet import dt


class Vec3(NamedTuple):
    """Three scalars."""

    x: Any
    y: Any
    z: Any

    def __add__(self, o: Vec3) -> Vec3:  # type: ignore[override]
        return Vec3(self.x + o.x, self.y + o.y, self.z + o.z)

    def __sub__(self, o: Vec3) -> Vec3:
        return Vec3(self.x - o.x, self.y - o.y, self.z - o.z)

    def __mul__(self, s: Any) -> Vec3:  # type: ignore[override]
        return Vec3(self.x * s, self.y * s, self.z * s)

    def __neg__(self) -> Vec3:
        return Vec3(-self.x, -self.y, -self.z)

    def dot(self, o: Vec3) -> Any:
        """Inner product."""
        return self.x * o.x + self.y * o.y + self.z * o.z

    def cross(self, o: Vec3) -> Vec3:
        """Vector product."""
        return Vec3(
            self.y * o.z - self.z * o.y,
            self.z * o.x - self.x * o.z,
            self.x * o.y - self.y * o.x,
        )

    def dt(self) -> Vec3:
        """Component-wise time derivative."""
        return Vec3(dt(self.x), dt(self.y), dt(self.z))


ZERO = Vec3(0.0, 0.0, 0.0)
