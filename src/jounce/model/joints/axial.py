"""Steps about or along an axis: their velocities are the rates of their coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jounce.algebra.inertia import SpatialInertia, Symmetric3
from jounce.algebra.se3 import Motion, Transform
from jounce.algebra.so3 import IDENTITY as UNROTATED
from jounce.algebra.so3 import frame_with_z, turned_about_z
from jounce.algebra.vector import ZERO, Vec3
from jounce.model.joints.step import Step


@dataclass(frozen=True, slots=True)
class Axial(Step):
    """One step of a joint, about or along the z axis of its frame.

    ``motion`` is revolute, prismatic, helical or cylindrical.  The pose is a turn by q_0 about z
    (none if prismatic) and a lift along z: 0, q_0, pitch q_0, or q_1.
    """

    motion: str
    axis: Vec3 = Vec3(0.0, 0.0, 1.0)
    point: Vec3 = ZERO
    pitch: float = 0.0

    has_axis = True

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return 2 if self.motion == "cylindrical" else 1

    @property
    def turns(self) -> bool:
        """Whether it turns about its axis."""
        return self.motion != "prismatic"

    @property
    def frame(self) -> Transform:
        """Its frame in the child body: z along the axis, origin on it."""
        return Transform(frame_with_z(self.axis), self.point)

    def pose(self, q: Sequence[Any], turn: Any = 0.0) -> Transform:
        """Return the pose in its frame; ``turn`` adds to the angle, not to the lift."""
        rotation = turned_about_z(q[0] + turn) if self.turns else UNROTATED
        return Transform(rotation, Vec3(0.0, 0.0, self._lift(q)))

    def twist(self, speeds: Sequence[Any]) -> Motion:
        """Return ``Ξ v``, the twist in its frame."""
        angular = Vec3(0.0, 0.0, speeds[0]) if self.turns else ZERO
        return Motion(angular, Vec3(0.0, 0.0, self._lift(speeds)))

    def invariant_part(self, inertia: SpatialInertia) -> SpatialInertia:
        """Return the part of an inertia in its frame that the motion leaves unchanged.

        revolute                mass on the axis and a rotor about it: m, m c_z, diag(t, t, 0)
        helical, cylindrical    diag(t, t, 0)
        prismatic               the whole rotational inertia
        """
        mass, h, I = inertia
        if not self.turns:
            return SpatialInertia(0.0, ZERO, I)
        rotor = Symmetric3(I.yy, I.yy, 0.0, 0.0, 0.0, 0.0)
        if self.motion == "revolute":
            return SpatialInertia(mass, Vec3(0.0, 0.0, h.z), rotor)
        return SpatialInertia(0.0, ZERO, rotor)

    def _lift(self, x: Sequence[Any]) -> Any:
        if self.motion == "revolute":
            return 0.0
        return x[0] * self.pitch if self.motion == "helical" else x[-1]
