"""Read a URDF: records of its links and joints in, a robot out."""

from __future__ import annotations

import os
from math import hypot
from pathlib import Path

from jounce.errors import RobotFormatError, located
from jounce.formats.packages import Packages, check_packages, resolve
from jounce.formats.urdf.records import JointRecord, LinkRecord, UrdfRecord, read_records
from jounce.formats.urdf.tree import check_mimics, depth_first
from jounce.formats.urdf.visuals import read_visuals
from jounce.formats.urdf.xml import Document
from jounce.model import joints as kinds
from jounce.model.builder import RobotBuilder
from jounce.model.inertia import NEGATIVE_TOLERANCE, check_inertia
from jounce.model.joints import JointType
from jounce.model.records import COULOMB_SPEED
from jounce.model.robot import Robot

TEXT = "<text>"  # the name of a text that is no file
Matter = dict[str, list[LinkRecord]]  # links with an <inertial>, by the body they are part of


def load_urdf(
    path_or_text: str | bytes | os.PathLike[str],
    *,
    mimic: bool = True,
    damping: bool = False,
    friction: bool = False,
    coulomb_speed: float = COULOMB_SPEED,
    packages: Packages | None = None,
    strict: bool = True,
    expanded_from: str | os.PathLike[str] | None = None,
) -> Robot:
    """Read a URDF file, or a text that holds one.

    Degrees of freedom come depth first, in document order.  ``mimic=False`` frees mimic
    joints; ``damping=True`` applies the viscous damping of the file, ``friction=True`` its
    Coulomb friction, smoothed over ``coulomb_speed``; ``strict=False`` lets impossible inertias
    through, and leaves out elements and attributes that URDF does not know, each with a warning.
    ``packages`` maps package names to folders, for a file named package://….  Links welded to
    another are merged into it and stay as frames; the root link is welded to the ground.
    ``expanded_from`` is the file that a text was made of.

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
    content, file = _content(path_or_text, packages)
    base = None if file == TEXT else file
    if expanded_from is not None:
        file, base = f"{expanded_from} (expanded)", os.fspath(expanded_from)
    document = Document(file, strict)
    record = read_records(content, document)
    root, joints = depth_first(record)
    if mimic:
        check_mimics(record)
    builder = RobotBuilder(record.name, base_name=root)
    builder.add(root, None, kinds.fixed(), inertia=record.links[root].inertia)
    for joint in joints:
        with located(joint.element.place):
            builder.add(
                joint.child,
                joint.parent,
                _joint_type(joint),
                joint.placement,
                record.links[joint.child].inertia,
                joint.name,
                damping=joint.damping if damping else 0.0,
                limits=joint.limits,
                mimic=joint.mimic if mimic else None,
                friction={"coulomb": joint.friction, "speed": coulomb_speed} if friction else None,
            )
    builder.visuals = read_visuals(record, base, packages)
    matter = _matter_by_body(record, root, joints)
    builder.warnings += [*document.warnings, *_massless_warnings(record, root, matter)]
    with located(file):
        robot = builder.build(strict)
    if strict:
        _check_as_written(matter)
    return robot


def _content(
    given: str | bytes | os.PathLike[str], packages: Packages | None
) -> tuple[str | bytes, str]:
    """Return the text and the name of its file for messages."""
    if isinstance(given, bytes) or (isinstance(given, str) and "<" in given):
        return given, TEXT
    if isinstance(given, str) and "://" in given:
        given = resolve(given, None, packages)
    try:
        return Path(given).read_bytes(), str(given)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise RobotFormatError(
            f"{given}:1: cannot be read: {reason}; give the path of a URDF file or its text."
        ) from None


def _joint_type(joint: JointRecord) -> JointType:
    """Return the kind of motion; the axis, in the frame of the child, gets unit length."""
    axes = (joint.axis,)[: kinds.KINDS[joint.type].axes]
    if axes and hypot(*joint.axis) < 1e-12:
        raise joint.element.error(
            f'the axis of joint {joint.name!r} is zero; give a direction such as xyz="0 0 1".'
        )
    return kinds.of_kind(joint.type, axes)


def _matter_by_body(record: UrdfRecord, root: str, joints: list[JointRecord]) -> Matter:
    """Return the links with an <inertial> that each body is welded from; first is the base.

    ``joints`` come parents first.
    """
    body_of = {root: root}
    links: Matter = {root: [record.links[root]]}
    for joint in joints:
        body = body_of[joint.parent] if joint.type == "fixed" else joint.child
        body_of[joint.child] = body
        links.setdefault(body, []).append(record.links[joint.child])
    return {body: [k for k in welded if k.inertia is not None] for body, welded in links.items()}


def _massless_warnings(record: UrdfRecord, root: str, matter: Matter) -> list[str]:
    """Return a warning for every moving body without any <inertial>."""
    return [
        str(
            record.links[body].element.error(
                f"link {body!r} moves but has no <inertial>: massless."
            )
        )
        for body, links in matter.items()
        if not links and body != root
    ]


def _check_as_written(matter: Matter) -> None:
    """Check matrices that are tiny beside their parallel-axis term, as the file gives them.

    The builder checks sums about the origin of a body, where a negative moment of such a
    matrix is lost in rounding; the text of the file still shows it.  Bodies of one link only:
    in a sum it has no say.
    """
    for body, links in matter.items():
        for link in links if len(links) == 1 else ():
            if link.inertia is None or link.about_com is None or not _lost(link):
                continue
            with located(link.element.place):
                check_inertia(link.about_com, body)


def _lost(link: LinkRecord) -> bool:
    about_com, about_origin = (
        max(abs(x) for x in inertia.spatial.rotational)
        for inertia in (link.about_com, link.inertia)
        if inertia is not None
    )
    return about_com < NEGATIVE_TOLERANCE * about_origin
