"""New robots from old ones: other matter, locked joints, floating base, free mimics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from jounce.algebra.se3 import IDENTITY, Transform
from jounce.errors import InvalidInertiaError, ShapeError, UnsupportedError
from jounce.model import joints as kinds
from jounce.model.builder import RobotBuilder, matter_of
from jounce.model.checks import as_floats, check_finite, check_quaternion
from jounce.model.inertia import Inertia, check_finite_inertia, check_inertia, inertia_fault
from jounce.model.records import Joint
from jounce.model.robot import Robot

FLOATING_JOINTS = ("root_joint", "floating_base_joint")


def with_payload(robot: Robot, frame: str, inertia: Inertia) -> Robot:
    """Add matter to the body that carries ``frame``."""
    matter = matter_of(inertia, f"payload on {frame}")
    check_inertia(Inertia.from_spatial(matter), f"payload on {frame}")
    place = robot.frame(frame)
    bodies = list(robot.bodies)
    carrier = robot.base_inertia if place.body < 0 else bodies[place.body].inertia
    total = Inertia.from_spatial(carrier.spatial + matter.moved(place.placement))
    if place.body < 0:
        return replace(robot, base_inertia=total)
    bodies[place.body] = replace(bodies[place.body], inertia=total)
    return replace(robot, bodies=tuple(bodies))


def with_parameters(robot: Robot, parameters: Any, *, strict: bool = True) -> Robot:
    """Replace all inertial parameters of the moving bodies."""
    values = np.ravel(np.asarray(parameters, dtype=object)).tolist()  # symbols stay what they are
    if len(values) != 10 * robot.n_bodies:
        raise ShapeError(
            f"parameters must have 10 entries a body, {10 * robot.n_bodies} in all, "
            f"got {len(values)}."
        )
    bodies = tuple(
        replace(body, inertia=Inertia.from_parameters(values[10 * i : 10 * i + 10]))
        for i, body in enumerate(robot.bodies)
    )
    for body in bodies:
        check_finite_inertia(body.inertia, body.name)
    faults = [inertia_fault(body.inertia, body.name) for body in bodies] if strict else []
    found = [fault for fault in faults if fault is not None]
    if found:
        raise InvalidInertiaError(
            f"{len(found)} of {len(bodies)} bodies cannot be: {'; '.join(found)}. Least squares "
            "often end there; jounce.identification.identify(robot, log, consistent=True) finds "
            "parameters that bodies have. Pass strict=False to compute with these anyway."
        )
    return replace(robot, bodies=bodies)


def with_floating_base(robot: Robot, joint_name: str | None = None) -> Robot:
    """Put a free joint under the base; what was welded to the ground now moves."""
    if robot.joints and robot.joints[0].kind == "free":
        raise UnsupportedError(f"robot {robot.name!r} already has a floating base.")
    if joint_name is None:
        taken = any(joint.name == FLOATING_JOINTS[0] for joint in robot.joints)
        joint_name = FLOATING_JOINTS[taken]
    return rebuild(robot, floating=joint_name).build(strict=False)


def with_locked(robot: Robot, values: Mapping[str, Any]) -> Robot:
    """Weld joints; joints that mimic a locked joint are locked with it."""
    if not isinstance(values, Mapping):
        raise ShapeError(
            f"locked joints are given with their values, {{joint: q}}, got {values!r}."
        )
    names = [j.name for j in robot.joints]
    locked: dict[str, Transform] = {}
    for name, value in values.items():
        joint = robot.joint(name)
        if joint.mimic is not None:
            source = names[joint.mimic.source]
            raise UnsupportedError(f"joint {name!r} mimics {source!r}: lock {source!r} instead.")
        q = _coordinates(joint, value)
        locked[name] = joint.type.pose(q)
        for follower in robot.joints:
            if follower.mimic and names[follower.mimic.source] == name:
                _, factor, offset = follower.mimic
                locked[follower.name] = follower.type.pose([factor * q[0] + offset])
    return rebuild(robot, locked=locked).build(strict=False)


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
            mimic=_mimic(robot, joint) if mimic and pose is None else None,
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


def _coordinates(joint: Joint, value: Any) -> list[float]:
    what = f"value of joint {joint.name!r}"
    q = np.atleast_1d(as_floats(what, value))
    if q.shape != (joint.nq,):
        raise ShapeError(f"joint {joint.name!r} needs {joint.nq} coordinates, got {value!r}.")
    check_finite(what, q)
    if joint.quaternion is not None:
        check_quaternion(f"the {what}", q[-4:], joint.name)
    return q.tolist()


def _mimic(robot: Robot, joint: Joint) -> tuple[str, float, float] | None:
    if joint.mimic is None:
        return None
    return robot.joints[joint.mimic.source].name, joint.mimic.multiplier, joint.mimic.offset
