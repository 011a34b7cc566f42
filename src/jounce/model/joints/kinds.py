"""The kinds of joints, one row each: their steps, and what their coordinates measure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from jounce.algebra.se3 import IDENTITY, Transform
from jounce.algebra.so3 import frame_with_z
from jounce.algebra.vector import ZERO, Vec3
from jounce.model.joints.axial import Axial
from jounce.model.joints.ball import Attitude, Ball
from jounce.model.joints.step import Manifold, Step


@dataclass(frozen=True, slots=True)
class JointType:
    """A kind of joint with its geometry, in the frame of the child body."""

    kind: str
    axes: tuple[Vec3, ...] = ()
    point: Vec3 = ZERO
    pitch: float = 0.0

    @property
    def row(self) -> Kind:
        """What all joints of this kind have in common."""
        return KINDS[self.kind]

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return len(self.row.positions)

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return len(self.row.velocities)

    @property
    def manifold(self) -> Manifold:
        """How coordinates and velocities belong together."""
        return self.row.manifold

    @property
    def has_quaternion(self) -> bool:
        """Whether the last four coordinates are a quaternion, and v is not the rate of q."""
        return self.manifold.has_quaternion

    @property
    def is_free(self) -> bool:
        """Whether it lets the body move in all directions."""
        return self.nv == 6

    @property
    def steps(self) -> tuple[Step, ...]:
        """The chain of steps this joint is made of, parent side first."""
        return self.row.steps(self)

    def pose(self, q: Sequence[Any]) -> Transform:
        """Return the pose of the child in its frame at q = 0: ``exp(X q)``."""
        pose, start = IDENTITY, 0
        for step in self.steps:
            A = step.frame
            pose = pose @ A @ step.pose(q[start : start + step.nq]) @ A.inverse
            start += step.nq
        return pose


class Kind(NamedTuple):
    """What all joints of a kind have in common."""

    steps: Callable[[JointType], tuple[Step, ...]]
    positions: tuple[str, ...]  # what each coordinate is: "angle", "length" or "number"
    velocities: tuple[str, ...]  # of what each velocity is the rate: "angle" or "length"
    axes: int = 1
    has_point: bool = True
    has_pitch: bool = False
    manifold: Manifold = Manifold()  # how coordinates and velocities belong together
    position_labels: tuple[str, ...] = ()  # where numbers would not do
    velocity_labels: tuple[str, ...] = ()


def _one(joint: JointType) -> tuple[Step, ...]:
    return (Axial(joint.kind, joint.axes[0], joint.point, joint.pitch),)


def _turns(joint: JointType) -> tuple[Step, ...]:
    return tuple(Axial("revolute", axis, joint.point) for axis in joint.axes)


def _planar(joint: JointType) -> tuple[Step, ...]:
    first, second, normal = frame_with_z(joint.axes[0]).columns
    slides = Axial("prismatic", first), Axial("prismatic", second)
    return (*slides, Axial("revolute", normal, joint.point))


def _ball(joint: JointType) -> tuple[Step, ...]:
    return (Ball(joint.kind, joint.point),)


_ANGLE, _LENGTH = ("angle",), ("length",)
_QUATERNION, _ANGULAR = ("qx", "qy", "qz", "qw"), ("wx", "wy", "wz")

KINDS = {
    "revolute": Kind(_one, _ANGLE, _ANGLE),
    "continuous": Kind(_turns, _ANGLE, _ANGLE),
    "prismatic": Kind(_one, _LENGTH, _LENGTH, has_point=False),
    "helical": Kind(_one, _ANGLE, _ANGLE, has_pitch=True),
    "cylindrical": Kind(_one, _ANGLE + _LENGTH, _ANGLE + _LENGTH),
    "universal": Kind(_turns, _ANGLE * 2, _ANGLE * 2, axes=2),
    "planar": Kind(_planar, _LENGTH * 2 + _ANGLE, _LENGTH * 2 + _ANGLE, has_point=False),
    "spherical": Kind(
        _ball,
        ("number",) * 4,
        _ANGLE * 3,
        axes=0,
        manifold=Attitude(has_position=False),
        position_labels=_QUATERNION,
        velocity_labels=_ANGULAR,
    ),
    "free": Kind(
        _ball,
        _LENGTH * 3 + ("number",) * 4,
        _ANGLE * 3 + _LENGTH * 3,
        axes=0,
        has_point=False,
        manifold=Attitude(has_position=True),
        position_labels=("x", "y", "z", *_QUATERNION),
        velocity_labels=(*_ANGULAR, "vx", "vy", "vz"),
    ),
    "fixed": Kind(lambda _: (), (), (), axes=0, has_point=False),
}
