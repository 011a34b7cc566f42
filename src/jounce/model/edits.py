"""New robots from old ones: other gravity, payload, frames, locked joints, floating base."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from jounce.algebra.se3 import IDENTITY, Transform
from jounce.errors import ShapeError, UnsupportedError, unknown_name
from jounce.model import joints as kinds
from jounce.model.builder import RobotBuilder, rigid_transform
from jounce.model.inertia import NO_MATTER, Inertia, check_inertia
from jounce.model.joints import finite_vec3
from jounce.model.motion import joint_pose
from jounce.model.robot import Robot


def with_gravity(robot: Robot, gravity: Any) -> Robot:
    """Replace the gravitational acceleration."""
    return replace(robot, gravity=finite_vec3("gravity", gravity))


def with_frame(robot: Robot, name: str, parent: str, placement: Any) -> Robot:
    """Add a frame."""
    builder = rebuild(robot)
    builder.frame(name, parent, placement)
    return builder.build(strict=False)


def with_payload(robot: Robot, frame: str, inertia: Inertia) -> Robot:
    """Add matter to the body that carries ``frame``."""
    check_inertia(inertia, f"payload on {frame}")
    place = robot.frame(frame)
    moved = inertia.spatial.moved(place.placement)
    if place.body < 0:
        return replace(robot, base_inertia=Inertia.from_spatial(robot.base_inertia.spatial + moved))
    bodies = list(robot.bodies)
    body = bodies[place.body]
    total = Inertia.from_spatial(body.inertia.spatial + moved)
    bodies[place.body] = replace(body, inertia=total)
    return replace(robot, bodies=tuple(bodies))


def with_parameters(robot: Robot, parameters: Any, *, strict: bool = True) -> Robot:
    """Replace all inertial parameters of the moving bodies."""
    values = list(np.ravel(parameters)) if isinstance(parameters, np.ndarray) else list(parameters)
    if len(values) != 10 * robot.n_bodies:
        raise ShapeError(
            f"parameters must have 10 entries a body, {10 * robot.n_bodies} in all, "
            f"got {len(values)}."
        )
    bodies = tuple(
        replace(body, inertia=Inertia.from_parameters(values[10 * i : 10 * i + 10]))
        for i, body in enumerate(robot.bodies)
    )
    if strict:
        for body in bodies:
            check_inertia(body.inertia, body.name)
    return replace(robot, bodies=bodies)


def with_floating_base(robot: Robot, joint_name: str = "root_joint") -> Robot:
    """Put a free joint under the base; what was welded to the ground now moves."""
    if robot.joints and robot.joints[0].kind == "free":
        raise UnsupportedError(f"robot {robot.name!r} already has a floating base.")
    return rebuild(robot, floating=joint_name).build(strict=False)


def with_locked(robot: Robot, values: Mapping[str, Any]) -> Robot:
    """Weld joints; joints that mimic a locked joint are locked with it."""
    names = [j.name for j in robot.joints]
    locked: dict[str, Transform] = {}
    for name, value in values.items():
        if name not in names:
            raise unknown_name("joint", name, names)
        joint = robot.joints[names.index(name)]
        q = np.atleast_1d(np.asarray(value, float))
        if joint.mimic is not None:
            source = names[joint.mimic.source]
            raise UnsupportedError(f"joint {name!r} mimics {source!r}: lock {source!r} instead.")
        if q.shape != (joint.nq,) or not np.isfinite(q).all():
            raise ShapeError(f"joint {name!r} needs {joint.nq} finite coordinates, got {value!r}.")
        locked[name] = joint_pose(joint.type, q.tolist())
        for follower in robot.joints:
            if follower.mimic and names[follower.mimic.source] == name:
                _, factor, offset = follower.mimic
                locked[follower.name] = joint_pose(follower.type, [factor * float(q[0]) + offset])
    return rebuild(robot, locked=locked.get).build(strict=False)


def rebuild(
    robot: Robot,
    *,
    floating: str | None = None,
    locked: Callable[[str], Transform | None] = lambda name: None,
) -> RobotBuilder:
    """Return a builder that holds ``robot``, its base floating or some joints locked."""
    builder = RobotBuilder(
        robot.name, robot.gravity, base_name=robot.base_name, description=robot.description
    )
    builder.warnings = list(robot.warnings)
    ground = None
    body_frames = {body.name for body in robot.bodies}
    if floating is not None:
        ground = robot.base_name
        builder.add(
            ground, None, kinds.free(), inertia=robot.base_inertia, joint_name=floating
        )
        body_frames.add(ground)
    parents = {-1: ground} | {i: body.name for i, body in enumerate(robot.bodies)}
    for body, joint in zip(robot.bodies, robot.joints, strict=True):
        pose = locked(joint.name)
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
            mimic=_mimic(robot, joint) if pose is None else None,
        )
    for frame in robot.frames:
        if frame.name not in body_frames:
            builder.frame(frame.name, parents[frame.body], frame.placement)
    if floating is None:
        builder.add_ground_matter(robot.base_inertia)
    return builder


def _mimic(robot: Robot, joint: Any) -> tuple[str, float, float] | None:
    if joint.mimic is None:
        return None
    return robot.joints[joint.mimic.source].name, joint.mimic.multiplier, joint.mimic.offset
