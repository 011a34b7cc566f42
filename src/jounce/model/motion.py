"""How one joint moves its body, on any scalar: poses of primitive motions about or along z."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.algebra.scalar import sincos
from jounce.algebra.se3 import IDENTITY, Transform
from jounce.algebra.so3 import IDENTITY as UNROTATED
from jounce.algebra.so3 import about_z, frame_with_z, from_quaternion
from jounce.algebra.vector import Vec3
from jounce.model.joints import JointType, Primitive


def joint_pose(joint: JointType, q: Sequence[Any]) -> Transform:
    """Return the pose of the child in its frame at q = 0: ``exp(X q)``."""
    pose, start = IDENTITY, 0
    for step in joint.primitives:
        A = axis_frame(step)
        pose = pose @ A @ primitive_pose(step, q[start : start + step.nq]) @ A.inverse
        start += step.nq
    return pose


def axis_frame(step: Primitive) -> Transform:
    """Return the joint frame in the child body: z along the axis, origin on it."""
    rotation = UNROTATED if step.motion in ("spherical", "free") else frame_with_z(step.axis)
    return Transform(rotation, step.point)


def primitive_pose(step: Primitive, q: Sequence[Any]) -> Transform:
    """Return the pose a primitive motion gives, in its joint frame (axis is z)."""
    if step.motion == "free":
        return Transform(from_quaternion(*q[3:]), Vec3(*q[:3]))
    if step.motion == "spherical":
        return Transform(from_quaternion(*q), Vec3(0.0, 0.0, 0.0))
    if step.motion == "prismatic":
        return Transform(UNROTATED, Vec3(0.0, 0.0, q[0]))
    lift = {"revolute": 0.0, "helical": step.pitch * q[0], "cylindrical": q[-1]}[step.motion]
    return Transform(about_z(*sincos(q[0])), Vec3(0.0, 0.0, lift))
