"""Links and joints of a URDF as records."""

from __future__ import annotations

from dataclasses import dataclass, field

from jounce.algebra.se3 import Transform
from jounce.algebra.vector import Vec3
from jounce.errors import unknown_name
from jounce.formats.urdf.fields import (
    name_of,
    number,
    only_attributes,
    only_child,
    optional_number,
    pose,
    required,
    required_child,
    vector,
)
from jounce.formats.urdf.vocabulary import IGNORED, known_children, refuse_link_switches
from jounce.formats.urdf.xml import Element, parse_xml
from jounce.model.inertia import Inertia
from jounce.model.records import Limits

UNLIMITED = 1e16  # positions that SDF writes where there is no limit; files made of it have them
JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")


@dataclass(frozen=True, slots=True)
class LinkRecord:
    """A <link>; ``about_com`` is its inertia as written, in the inertial frame."""

    name: str
    inertia: Inertia | None
    about_com: Inertia | None
    element: Element


@dataclass(frozen=True, slots=True)
class MimicRecord:
    """A <mimic>: ``q = multiplier * q_source + offset``."""

    source: str
    multiplier: float
    offset: float
    element: Element


@dataclass(frozen=True, slots=True)
class JointRecord:
    """A <joint>; ``axis`` is in the frame of the child link."""

    name: str
    type: str
    parent: str
    child: str
    placement: Transform
    axis: Vec3
    limits: Limits
    damping: float
    mimic: MimicRecord | None
    element: Element


@dataclass(slots=True)
class UrdfRecord:
    """A <robot>: its links and joints by name, in document order."""

    name: str
    element: Element
    links: dict[str, LinkRecord] = field(default_factory=dict)
    joints: dict[str, JointRecord] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def read_records(content: str | bytes, source: str) -> UrdfRecord:
    """Return the links and joints of a URDF text; ``source`` names it in errors."""
    root = parse_xml(content, source, lambda parent, tag: tag in IGNORED.get(parent, ()))
    if root.tag != "robot":
        raise root.error(
            f"expected <robot> as the outermost element of a URDF, got <{root.tag}>{_other(root)}."
        )
    record = UrdfRecord(name_of(root), root)
    for child in known_children(root):
        if child.tag == "link":
            link = _link(child)
            _no_duplicate(child, record.links.get(link.name))
            record.links[link.name] = link
        elif child.tag == "joint":
            joint = _joint(child)
            _no_duplicate(child, record.joints.get(joint.name))
            record.joints[joint.name] = joint
    if not record.links:
        raise root.error(f"{root} has no <link>; a robot needs at least one.")
    record.warnings.extend(_foreign_dynamics(root))
    return record


def _other(root: Element) -> str:
    formats = {"mujoco": "MJCF, a MuJoCo file", "sdf": "SDF, a Gazebo file", "COLLADA": "a mesh"}
    return f" ({formats[root.tag]})" if root.tag in formats else ""


def _no_duplicate(element: Element, earlier: LinkRecord | JointRecord | None) -> None:
    if earlier is not None:
        raise element.error(
            f"duplicate {element.tag} name {earlier.name!r}, first used in line "
            f"{earlier.element.line}; rename one."
        )


def _link(element: Element) -> LinkRecord:
    name = name_of(element)
    known_children(element)
    refuse_link_switches(element)
    inertial = only_child(element, "inertial")
    if inertial is None:
        return LinkRecord(name, None, None, element)
    about_com = _inertia(inertial)
    T_link_com = pose(only_child(inertial, "origin"))
    in_link = Inertia.from_spatial(about_com.spatial.moved(T_link_com))
    return LinkRecord(name, in_link, about_com, element)


def _inertia(inertial: Element) -> Inertia:
    """Return mass and moments in the inertial frame, whose origin is the centre of mass."""
    known_children(inertial)
    mass = required_child(inertial, "mass")
    only_attributes(mass, ("value",))
    matrix = required_child(inertial, "inertia")
    entries = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    only_attributes(matrix, entries)
    xx, yy, zz, xy, xz, yz = (number(matrix, key) for key in entries)
    rows = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    return Inertia(number(mass, "value"), (0.0, 0.0, 0.0), rows)


def _joint(element: Element) -> JointRecord:
    name = name_of(element)
    type_ = required(element, "type")
    if type_ not in JOINT_TYPES:
        hint = unknown_name("joint type", type_, JOINT_TYPES)
        raise element.error(f"{element} has an unknown type: {hint}")
    known_children(element)
    return JointRecord(
        name,
        type_,
        _link_name(element, "parent"),
        _link_name(element, "child"),
        pose(only_child(element, "origin")),
        _axis(element),
        _limits(element, type_),
        _damping(element),
        None if type_ == "fixed" else _mimic(element),
        element,
    )


def _link_name(joint: Element, tag: str) -> str:
    end = required_child(joint, tag)
    only_attributes(end, ("link",))
    return required(end, "link")


def _axis(joint: Element) -> Vec3:
    axis = only_child(joint, "axis")
    if axis is None:
        return Vec3(1.0, 0.0, 0.0)
    only_attributes(axis, ("xyz",))
    return vector(axis, "xyz")


def _limits(joint: Element, type_: str) -> Limits:
    """Return the limits; positions only where the type has them, and one given implies 0.

    A negative velocity or effort is no limit, as in SDF, and so is a position beyond 1e16.
    """
    limit = only_child(joint, "limit")
    if limit is None or type_ == "fixed":
        return Limits()
    lower, upper = optional_number(limit, "lower"), optional_number(limit, "upper")
    if type_ not in ("revolute", "prismatic"):
        lower = upper = None
    elif (lower is None) != (upper is None):
        lower, upper = lower or 0.0, upper or 0.0
    if lower is not None and upper is not None and lower > upper:
        raise limit.error(
            f"limits of {joint}: lower {lower:g} is above upper {upper:g}; exchange them."
        )
    lower, upper = (None if x is None or abs(x) >= UNLIMITED else x for x in (lower, upper))
    rates = (optional_number(limit, name) for name in ("velocity", "effort"))
    velocity, effort = (None if x is None or x < 0.0 else x for x in rates)
    return Limits(lower, upper, velocity, effort)


def _damping(joint: Element) -> float:
    dynamics = only_child(joint, "dynamics")
    if dynamics is None:
        return 0.0
    optional_number(dynamics, "friction")  # must be a number; there is no Coulomb friction
    return optional_number(dynamics, "damping") or 0.0


def _mimic(joint: Element) -> MimicRecord | None:
    mimic = only_child(joint, "mimic")
    if mimic is None:
        return None
    only_attributes(mimic, ("joint", "multiplier", "offset"))
    multiplier, offset = optional_number(mimic, "multiplier"), optional_number(mimic, "offset")
    factor = 1.0 if multiplier is None else multiplier
    return MimicRecord(required(mimic, "joint"), factor, offset or 0.0, mimic)


def _foreign_dynamics(root: Element) -> list[str]:
    """Return one warning about attributes of <dynamics> that URDF does not define."""
    children = [child for joint in root.children for child in joint.children]
    found: dict[str, Element] = {}
    for child in (child for child in children if child.tag == "dynamics"):
        for attribute in set(child.attributes) - {"damping", "friction"}:
            found.setdefault(attribute, child)
    if not found:
        return []
    first = min(found.values(), key=lambda element: element.line)
    return [str(first.error(f"attributes of <dynamics> not used: {', '.join(sorted(found))}."))]
