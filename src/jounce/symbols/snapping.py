"""Numbers of a robot that are nearly others, as files have them: a right angle of 1.57079632679."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

from jounce.algebra.se3 import Transform
from jounce.algebra.so3 import Rotation
from jounce.algebra.vector import Vec3
from jounce.model.inertia import Inertia
from jounce.model.joints.kinds import JointType
from jounce.model.robot import Robot

NEAR = 1e-9  # of a sine or cosine of a multiple of π/2, of a length in m, of any other number
ROUNDOFF = 1e-14  # of a number: nobody needs to be told
DIGITS = 6  # of a short decimal


class SnapWarning(UserWarning):
    """Numbers of a robot were taken for shorter ones nearby."""


def snapped(robot: Robot) -> Robot:
    """Return the robot with the right angles and short decimals that its numbers nearly are.

    Entries of rotations and axes within `NEAR` of −1, 0, 1 are these; lengths, masses, inertias
    and gravity within `NEAR` of a decimal of six digits are that.  A `SnapWarning` says how many
    there were that rounding alone does not explain, and how far they moved.
    """
    moved: list[float] = []
    bodies = tuple(
        replace(
            body, placement=_placement(body.placement, moved), inertia=_inertia(body.inertia, moved)
        )
        for body in robot.bodies
    )
    joints = tuple(replace(joint, type=_geometry(joint.type, moved)) for joint in robot.joints)
    frames = tuple(
        replace(frame, placement=_placement(frame.placement, moved)) for frame in robot.frames
    )
    gravity = Vec3(*(_short(x, moved, NEAR) for x in robot.gravity))
    if moved:
        warnings.warn(
            f"{len(moved)} numbers of {robot.name!r} were taken for right angles and short "
            f"decimals next to them, at most {max(moved):.1g} away; snap=False takes them as "
            "they are.",
            SnapWarning,
            stacklevel=3,
        )
    return replace(robot, bodies=bodies, joints=joints, frames=frames, gravity=gravity)


def _placement(pose: Transform, moved: list[float]) -> Transform:
    return Transform(turned(pose.rotation, moved), _point(pose.p, moved))


def turned(rotation: Rotation, moved: list[float], near: float = NEAR) -> Rotation:
    """Return a rotation with −1, 0 and 1 for entries next to them."""
    x, y, z = (Vec3(*(_turned(x, moved, near) for x in row)) for row in rotation.rows)
    return rotation._replace(rows=(x, y, z))


def _geometry(joint: JointType, moved: list[float]) -> JointType:
    axes = tuple(Vec3(*(_turned(x, moved) for x in axis)) for axis in joint.axes)
    pitch = _short(joint.pitch, moved, NEAR)
    return replace(joint, axes=axes, point=_point(joint.point, moved), pitch=pitch)


def _point(p: Vec3, moved: list[float]) -> Vec3:
    far = max((abs(x) for x in p if isinstance(x, float)), default=0.0)
    return Vec3(*(_short(x, moved, NEAR, far) for x in p))


def _inertia(inertia: Inertia, moved: list[float]) -> Inertia:
    rows = inertia.rotational
    numbers = (inertia.mass, *inertia.com, *(x for row in rows for x in row))
    if not all(isinstance(x, float) for x in numbers):
        return inertia
    scale = max(abs(x) for row in rows for x in row)
    about_origin = max(map(abs, inertia.spatial.rotational))  # where it is kept, and rounded
    mass = _short(inertia.mass, moved, 0.0)
    far = max(map(abs, inertia.com))
    com = [_short(x, moved, NEAR, far) for x in inertia.com]
    rotational = [[_short(x, moved, NEAR * scale, about_origin) for x in row] for row in rows]
    return Inertia(mass, com, rotational)


def _turned(x: Any, moved: list[float], near: float = NEAR) -> Any:
    """Return −1, 0 or 1 for an entry of a rotation next to it."""
    if not isinstance(x, float) or abs(x - round(x)) > near:
        return x
    return _noted(x, float(round(x)), moved, 1.0)


def _short(x: Any, moved: list[float], zero: float, scale: float = 0.0) -> Any:
    """Return the decimal of few digits next to a number; less than ``zero`` is 0.

    ``scale`` is of what the number was computed from.
    """
    if not isinstance(x, float):
        return x
    near = 0.0 if abs(x) <= zero else float(f"{x:.{DIGITS}g}")
    if near and abs(x - near) > NEAR * abs(x):
        return x
    return _noted(x, near, moved, max(abs(x), scale))


def _noted(x: float, near: float, moved: list[float], scale: float) -> float:
    if abs(x - near) > ROUNDOFF * scale:
        moved.append(abs(x - near))
    return near
