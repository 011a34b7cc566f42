"""New robots from old ones, body by body: what edits that change the tree are made of."""

from __future__ import annotations

from collections.abc import Mapping

from jounce.algebra.se3 import IDENTITY, Transform
from jounce.model import joints as kinds
from jounce.model.builder import RobotBuilder
from jounce.model.mimics import follows
from jounce.model.robot import Robot


def with_free_mimics(robot: Robot) -> Robot:
    """Give every joint that mimics another a coordinate of its own."""
    if not any(joint.mimic for joint in robot.joints):
        return robot
    return rebuild(robot, mimic=False).build(strict=False)


def rebuild(
    robot: Robot,
    *,
    floating: str | None = None,
    locked: Mapping[str, Transform] = {},
    mimic: bool = True,
) -> RobotBuilder:
    """Return a builder that holds ``robot``, its base floating, joints locked or mimics free."""
    builder = RobotBuilder(
        robot.name, robot.gravity, base_name=robot.base_name, description=robot.description
    )
    builder.warnings = list(robot.warnings)
    builder.visuals = list(robot.visuals)  # of frames, which keep their names
    ground = None
    body_frames = {body.name for body in robot.bodies}
    if floating is not None:
        ground = _floating_body(robot)
        builder.add(ground, None, kinds.free(), inertia=robot.base_inertia, joint_name=floating)
        if ground == robot.base_name:  # a frame of this name and place is the body's
            body_frames.add(ground)
    parents = {-1: ground} | {i: body.name for i, body in enumerate(robot.bodies)}
    for body, joint in zip(robot.bodies, robot.joints, strict=True):
        pose = locked.get(joint.name)
        builder.add(
            body.name,
            parents[body.parent],
            joint.type if pose is None else kinds.fixed(),
            body.placement if pose is None else body.placement @ pose,
            body.inertia,
            joint.name,
            joint.armature,
            joint.damping,
            joint.limits,
            mimic=follows(joint, robot.joints) if mimic and pose is None else None,
            friction=joint.friction_entries,
        )
    for frame in robot.frames:
        if frame.name not in body_frames:
            builder.frame(frame.name, parents[frame.body], frame.placement)
    if floating is None:
        builder.add_ground_matter(robot.base_inertia)
    for closure in robot.closures:
        builder.closure(closure.frame, closure.to, directions=closure.directions)
    return builder


def _floating_body(robot: Robot) -> str:
    """Name the body of a floating base: a ground frame at the origin of that name becomes it."""
    base = {frame.name: frame for frame in robot.frames}.get(robot.base_name)
    if base is None or (base.body < 0 and base.placement == IDENTITY):
        return robot.base_name
    return "floating_base"
