"""Read a URDF: records of its links and joints in, a robot out."""

from __future__ import annotations

import os
from math import hypot
from pathlib import Path
from typing import Any

from jounce.errors import InvalidInertiaError, ModelError, RobotFormatError
from jounce.formats.packages import Packages, check_packages, resolve
from jounce.formats.urdf.matter import (
    Matter,
    check_as_written,
    massless_warnings,
    matter_by_body,
)
from jounce.formats.urdf.records import JointRecord, UrdfRecord, read_records
from jounce.formats.urdf.tree import check_mimics, depth_first
from jounce.model import joints as kinds
from jounce.model.builder import STANDARD_GRAVITY, RobotBuilder
from jounce.model.joints import JointType
from jounce.model.robot import Robot

FLOATING_JOINT = "root_joint"  # as Pinocchio calls it


def load_urdf(
    path_or_text: str | bytes | os.PathLike[str],
    *,
    floating_base: bool = False,
    mimic: bool = True,
    damping: bool = False,
    gravity: Any = None,
    packages: Packages | None = None,
    strict: bool = True,
) -> Robot:
    """Read a URDF file, or a text that holds one.

    Degrees of freedom come depth first, in document order.  ``mimic=False`` frees mimic
    joints; ``damping=True`` applies the viscous damping of the file (friction never is);
    ``strict=False`` lets impossible inertias through.  ``packages`` maps package names to
    folders, for a file named package://….  Links welded to another are merged into it and
    stay as frames; the root link is welded to the ground unless ``floating_base``.

    >>> text = '''<robot name="pendulum">
    ...   <link name="base"/>
    ...   <link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
    ...     <inertia ixx="0.08" iyy="0.08" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
    ...   <joint name="pivot" type="continuous"><parent link="base"/><child link="rod"/>
    ...     <axis xyz="0 1 0"/></joint>
    ... </robot>'''
    >>> load_urdf(text)
    <Robot 'pendulum': 1 bodies, nq=1, nv=1>
    """
    check_packages(packages)
    content, source = _content(path_or_text, packages)
    record = read_records(content, source)
    root, joints = depth_first(record)
    if mimic:
        check_mimics(record)
    builder = RobotBuilder(
        record.name, STANDARD_GRAVITY if gravity is None else gravity, base_name=root
    )
    builder.add(root, None, kinds.fixed(), inertia=record.links[root].inertia)
    for joint in joints:
        _add(builder, record, joint, mimic=mimic, damping=damping)
    matter = matter_by_body(record, root, joints)
    builder.warnings += [*record.warnings, *massless_warnings(record, root, matter)]
    robot = _built(builder, matter, source, strict)
    if not floating_base:
        return robot
    taken = FLOATING_JOINT in record.joints
    return robot.with_floating_base("floating_base_joint" if taken else FLOATING_JOINT)


def _built(builder: RobotBuilder, matter: Matter, source: str, strict: bool) -> Robot:
    try:
        robot = builder.build(strict)
    except InvalidInertiaError as error:
        raise InvalidInertiaError(f"{source}: {error}") from None
    if strict:
        check_as_written(matter)
    return robot


def _content(
    given: str | bytes | os.PathLike[str], packages: Packages | None
) -> tuple[str | bytes, str]:
    """Return the text and the name of its source for messages."""
    if isinstance(given, bytes) or (isinstance(given, str) and "<" in given):
        return given, "<text>"
    if isinstance(given, str) and "://" in given:
        given = resolve(given, None, packages)
    try:
        return Path(given).read_bytes(), str(given)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise RobotFormatError(
            f"{given}:1: cannot be read: {reason}; give the path of a URDF file or its text."
        ) from None


def _add(
    builder: RobotBuilder, record: UrdfRecord, joint: JointRecord, *, mimic: bool, damping: bool
) -> None:
    follows = joint.mimic if mimic else None
    try:
        builder.add(
            joint.child,
            joint.parent,
            _joint_type(joint),
            joint.placement,
            record.links[joint.child].inertia,
            joint.name,
            damping=joint.damping if damping else 0.0,
            limits=joint.limits,
            mimic=follows and (follows.source, follows.multiplier, follows.offset),
        )
    except RobotFormatError:
        raise
    except ModelError as error:
        raise joint.element.error(str(error)) from None


def _joint_type(joint: JointRecord) -> JointType:
    """Return the kind of motion; the axis, in the frame of the child, gets unit length."""
    if joint.type == "fixed":
        return kinds.fixed()
    if joint.type == "floating":
        return kinds.free()
    if hypot(*joint.axis) < 1e-12:
        raise joint.element.error(
            f'the axis of joint {joint.name!r} is zero; give a direction such as xyz="0 0 1".'
        )
    make = {
        "revolute": kinds.revolute,
        "continuous": kinds.continuous,
        "prismatic": kinds.prismatic,
        "planar": kinds.planar,
    }[joint.type]
    return make(joint.axis)
