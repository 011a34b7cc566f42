"""The motion of every link of a tree, as jets, from coordinates and their rates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from jounce.algebra.jet import Jet, integral
from jounce.algebra.se3 import Motion, Transform
from jounce.algebra.so3 import from_quaternion, integrate_body_rate
from jounce.algebra.vector import ZERO, Vec3
from jounce.model.joints import Primitive
from jounce.model.lowering.tree import Link, Tree
from jounce.model.motion import primitive_pose


class LinkMotion(NamedTuple):
    """What one joint does: pose of the link in its placement, twist in the link frame.

    With K rates the pose is a jet of order K, the twist of order K − 1.
    """

    pose: Transform
    twist: Motion
    rates: tuple[Any, ...]  # jets of the joint's own velocities


def link_motions(tree: Tree, q: Sequence[Any], rates: Sequence[Sequence[Any]]) -> list[LinkMotion]:
    """Return the motion of every link from q and the rates v, dv/dt, ..."""
    return [_link_motion(link, q, rates) for link in tree.links]


def _link_motion(link: Link, q: Sequence[Any], rates: Sequence[Sequence[Any]]) -> LinkMotion:
    where, step = link.coordinates, link.step
    if step.motion in ("spherical", "free"):
        start = q[where.q : where.q + step.nq]
        speeds = [Jet.from_derivatives(r[where.v + i] for r in rates) for i in range(step.nv)]
        return _ball(step.motion, start, speeds, len(rates))
    speeds = [
        Jet.from_derivatives(r[where.v + i] for r in rates) * where.multiplier
        for i in range(step.nv)
    ]
    coordinates = [
        integral(speed, q[where.q + i] * where.multiplier + where.offset, len(rates))
        for i, speed in enumerate(speeds)
    ]
    if step.motion != "prismatic":  # the turn is about z only: a helical lift has no part in it
        pose = primitive_pose(step, [coordinates[0] + link.turn, *coordinates[1:]])
        if step.motion == "helical":
            pose = pose._replace(p=Vec3(0.0, 0.0, coordinates[0] * step.pitch))
    else:
        pose = primitive_pose(step, coordinates)
    return LinkMotion(pose, _axial_twist(link, speeds), tuple(speeds))


def screws(step: Primitive) -> tuple[Motion, ...]:
    """Return the constant screws Ξ of a primitive motion in the link frame, one a velocity."""
    x, y, z = (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))
    turns = tuple(Motion(e, ZERO) for e in (x, y, z))
    slides = tuple(Motion(ZERO, e) for e in (x, y, z))
    match step.motion:
        case "revolute":
            return turns[2:]
        case "prismatic":
            return slides[2:]
        case "helical":
            return (Motion(z, z * step.pitch),)
        case "cylindrical":
            return turns[2], slides[2]
        case "spherical":
            return turns
    return (*turns, *slides)  # free


def _axial_twist(link: Link, speeds: Sequence[Any]) -> Motion:
    """Return the constant screw about or along z times the speed."""
    along = Vec3(0.0, 0.0, speeds[-1])
    about = Vec3(0.0, 0.0, speeds[0])
    match link.step.motion:
        case "revolute":
            return Motion(about, ZERO)
        case "prismatic":
            return Motion(ZERO, along)
        case "helical":
            return Motion(about, about * link.step.pitch)
    return Motion(about, along)  # cylindrical


def _ball(motion: str, start: Sequence[Any], speeds: Sequence[Jet], order: int) -> LinkMotion:
    """Spherical or free: the pose follows from R' = R hat(ω), p' = R v [GOA13, Remark 7]."""
    angular = Vec3(*speeds[:3])
    rotation = integrate_body_rate(from_quaternion(*start[-4:]), angular, order)
    if motion == "spherical":
        return LinkMotion(Transform(rotation, ZERO), Motion(angular, ZERO), tuple(speeds))
    linear = Vec3(*speeds[3:])
    velocity = rotation.rotate(linear) if order else ZERO
    position = Vec3(*(integral(r, x, order) for r, x in zip(velocity, start[:3], strict=True)))
    return LinkMotion(Transform(rotation, position), Motion(angular, linear), tuple(speeds))
