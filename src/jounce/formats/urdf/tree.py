"""The tree the joints of a URDF span: one root, no cycle, joints depth first."""

from __future__ import annotations

from jounce.errors import ModelError, UnknownNameError, unknown_name
from jounce.formats.urdf.fields import required_child
from jounce.formats.urdf.records import JointRecord, UrdfRecord
from jounce.model.mimics import followed

_FREE = "Pass mimic=False to move it freely."


def depth_first(robot: UrdfRecord) -> tuple[str, list[JointRecord]]:
    """Return the root link and all joints, depth first, siblings in document order."""
    carriers = _carriers(robot)
    roots = [name for name in robot.links if name not in carriers]
    if not roots:
        raise _cycle(carriers, next(iter(robot.links)), "no root link: ")
    children: dict[str, list[JointRecord]] = {name: [] for name in robot.links}
    for joint in robot.joints.values():
        children[joint.parent].append(joint)
    ordered: list[JointRecord] = []
    stack = children[roots[0]][::-1]
    while stack:
        joint = stack.pop()
        ordered.append(joint)
        stack.extend(reversed(children[joint.child]))
    if len(roots) > 1:
        raise _several_roots(robot, roots)
    if len(ordered) < len(robot.joints):
        reached = {joint.child for joint in ordered}
        lost = next(name for name in carriers if name not in reached)
        raise _cycle(carriers, lost, "")
    return roots[0], ordered


def _carriers(robot: UrdfRecord) -> dict[str, JointRecord]:
    """Return the joint that carries each link, by the name of the link."""
    carriers: dict[str, JointRecord] = {}
    for joint in robot.joints.values():
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in robot.links:
                hint = unknown_name("link", link, robot.links)
                raise joint.element.error(f"the {role} of joint {joint.name!r} is missing: {hint}")
        if joint.child in carriers:
            other = carriers[joint.child]
            raise joint.element.error(
                f"link {joint.child!r} has two parents: it is the child of joint {joint.name!r} "
                f"and of joint {other.name!r} in line {other.element.line}; a URDF is a tree, "
                "remove one of the joints."
            )
        carriers[joint.child] = joint
    return carriers


def _several_roots(robot: UrdfRecord, roots: list[str]) -> Exception:
    second = robot.links[roots[1]]
    listed = ", ".join(f"{name!r} (line {robot.links[name].element.line})" for name in roots)
    return second.element.error(
        f"{len(roots)} root links: {listed}; expected one link that is the child of no joint: "
        "connect the others with joints."
    )


def _cycle(carriers: dict[str, JointRecord], link: str, prefix: str) -> Exception:
    """Return the error for the cycle that walking up from ``link`` ends in."""
    path: list[str] = []
    while link not in path:
        path.append(link)
        link = carriers[link].parent
    cycle = path[path.index(link) :][::-1]  # from parent to child
    joint = carriers[cycle[0]]
    shown = " → ".join([*cycle, cycle[0]])
    return joint.element.error(
        f"{prefix}the joints form a cycle of links, {shown}; joint {joint.name!r} is part of it: "
        "remove one of its joints."
    )


def check_mimics(robot: UrdfRecord) -> None:
    """Raise unless every mimic joint follows, in the end, a moving joint of one coordinate."""
    kinds = {name: joint.type for name, joint in robot.joints.items()}
    mimics = {name: joint.mimic for name, joint in robot.joints.items() if joint.mimic is not None}
    for name in mimics:
        try:
            followed(name, mimics, kinds)
        except (ModelError, UnknownNameError) as error:
            element = required_child(robot.joints[name].element, "mimic")
            missing = isinstance(error, UnknownNameError)
            what = f"joint {name!r} mimics a joint that is missing: " if missing else ""
            raise element.error(f"{what}{error} {_FREE}") from None
