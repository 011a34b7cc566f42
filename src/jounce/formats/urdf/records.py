"""Links and joints of a URDF as records; what is not understood is refused by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from jounce.algebra.se3 import IDENTITY, Transform
from jounce.algebra.vector import Vec3
from jounce.errors import unknown_name
from jounce.formats.urdf.fields import (
    number,
    only_child,
    optional_number,
    pose,
    required,
    required_child,
    vector,
)
from jounce.formats.urdf.xml import Document, Element, parse_xml
from jounce.model.inertia import Inertia
from jounce.model.mimics import Follows
from jounce.model.records import Limits

UNLIMITED = 1e16  # positions that SDF writes where there is no limit; files made of it have them
JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")

# What is read, and what has no part in the dynamics.  All else is refused by name.
READ = {
    "robot": {"link", "joint", "material"},
    "link": {"inertial", "origin", "gravity", "kinematic", "contact", "visual"},
    "inertial": {"origin", "mass", "inertia"},
    "joint": {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"},
    "contact": {"inertia_scaling"},
}
IGNORED = {
    "robot": {
        "transmission", "sensor", "gazebo", "ros2_control", "mujoco", "frame",
        "disable_collisions", "drake:collision_filter_group", "isaac_sim", "group",
    },
    "link": {
        "collision", "material", "sensor", "gazebo", "collision_checking",
        "self_filter", "surface", "self_collision_checking", "drake:proximity_properties",
    },
    "inertial": set(),
    "joint": {"safety_controller", "calibration", "hardwareInterface", "sensor", "gazebo"},
    "contact": {
        "lateral_friction", "rolling_friction", "spinning_friction", "restitution", "stiffness",
        "damping", "contact_cfm", "contact_erp", "friction_anchor",
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class LinkRecord:
    """A <link>; ``about_com`` is its inertia as written, in the inertial frame."""

    name: str
    inertia: Inertia | None
    about_com: Inertia | None
    element: Element


@dataclass(frozen=True, slots=True)
class JointRecord:
    """A <joint>; ``type`` is one of our kinds, ``axis`` is in the frame of the child link."""

    name: str
    type: str
    parent: str
    child: str
    placement: Transform
    axis: Vec3
    limits: Limits
    damping: float
    friction: float
    mimic: Follows | None
    element: Element


@dataclass(slots=True)
class UrdfRecord:
    """A <robot>: its links and joints by name, in document order."""

    name: str
    element: Element
    links: dict[str, LinkRecord] = field(default_factory=dict)
    joints: dict[str, JointRecord] = field(default_factory=dict)


def read_records(content: str | bytes, document: Document) -> UrdfRecord:
    """Return the links and joints of a URDF text."""
    root = parse_xml(content, document, lambda parent, tag: tag in IGNORED.get(parent, ()))
    if root.tag != "robot":
        raise root.error(
            f"expected <robot> as the outermost element of a URDF, got <{root.tag}>{_other(root)}."
        )
    record = UrdfRecord(required(root, "name"), root)
    read: dict[str, Any] = {"link": (_link, record.links), "joint": (_joint, record.joints)}
    for child in _known_children(root):
        if child.tag in read:
            reader, known = read[child.tag]
            found = reader(child)
            earlier = known.setdefault(found.name, found)
            if earlier is not found:
                raise child.error(
                    f"duplicate {child.tag} name {found.name!r}, first used in line "
                    f"{earlier.element.line}; rename one."
                )
    if not record.links:
        raise root.error(f"{root} has no <link>; a robot needs at least one.")
    document.warnings.extend(_foreign_dynamics(root))
    return record


def _other(root: Element) -> str:
    formats = {"mujoco": "MJCF, a MuJoCo file", "sdf": "SDF, a Gazebo file", "COLLADA": "a mesh"}
    return f" ({formats[root.tag]})" if root.tag in formats else ""


def _link(element: Element) -> LinkRecord:
    name = required(element, "name")
    _known_children(element)
    _refuse_link_switches(element)
    inertial = only_child(element, "inertial")
    if inertial is None:
        return LinkRecord(name, None, None, element)
    about_com = _inertia(inertial)
    T_link_com = pose(only_child(inertial, "origin"))
    in_link = Inertia.from_spatial(about_com.spatial.moved(T_link_com))
    return LinkRecord(name, in_link, about_com, element)


def _inertia(inertial: Element) -> Inertia:
    """Return mass and moments in the inertial frame, whose origin is the centre of mass."""
    _known_children(inertial)
    mass = required_child(inertial, "mass", "value")
    entries = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    matrix = required_child(inertial, "inertia", *entries)
    xx, yy, zz, xy, xz, yz = (number(matrix, key) for key in entries)
    rows = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    return Inertia(number(mass, "value"), (0.0, 0.0, 0.0), rows)


def _joint(element: Element) -> JointRecord:
    name = required(element, "name")
    type_ = required(element, "type")
    if type_ not in JOINT_TYPES:
        hint = unknown_name("joint type", type_, JOINT_TYPES)
        raise element.error(f"{element} has an unknown type: {hint}")
    type_ = "free" if type_ == "floating" else type_
    _known_children(element)
    axis = only_child(element, "axis", "xyz")
    return JointRecord(
        name,
        type_,
        required(required_child(element, "parent", "link"), "link"),
        required(required_child(element, "child", "link"), "link"),
        pose(only_child(element, "origin")),
        Vec3(1.0, 0.0, 0.0) if axis is None else vector(axis, "xyz"),
        _limits(element, type_),
        *_dynamics(element),
        None if type_ == "fixed" else _mimic(element),
        element,
    )


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


def _dynamics(joint: Element) -> tuple[float, float]:
    """Return damping and Coulomb friction."""
    dynamics = only_child(joint, "dynamics")
    if dynamics is None:
        return 0.0, 0.0
    viscous, dry = (optional_number(dynamics, name) for name in ("damping", "friction"))
    return viscous or 0.0, dry or 0.0


def _mimic(joint: Element) -> Follows | None:
    mimic = only_child(joint, "mimic", *Follows._fields)
    if mimic is None:
        return None
    given = {
        name: number(mimic, name) for name in ("multiplier", "offset") if name in mimic.attributes
    }
    return Follows(required(mimic, "joint"), **given)


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


def _known_children(element: Element) -> list[Element]:
    """Return the children that are known, and object to the others."""
    for child in element.children:
        if child.tag.startswith("xacro:"):
            raise child.error(
                f"<{child.tag}> is xacro, not URDF: load the .xacro file, or expand it first."
            )
        if child.tag not in READ[element.tag]:
            hint = unknown_name("element", child.tag, READ[element.tag] | IGNORED[element.tag])
            child.object(
                f"<{child.tag}> in {element} is not understood and may change the dynamics",
                f": remove or rename it; {hint}",
                "it is ignored",
            )
    return [child for child in element.children if child.tag in READ[element.tag]]


def _refuse_link_switches(link: Element) -> None:
    """Refuse what would move or change the matter of a link in some simulator."""
    for child in link.children:
        if child.tag == "origin" and pose(child) != IDENTITY:
            raise child.error(
                f"<origin> in {link} is not URDF and would be lost: put it in the joint."
            )
        neutral = {"gravity": ("1", "true"), "kinematic": ("0", "false")}.get(child.tag)
        if neutral and child.text.strip().lower() not in neutral:
            raise child.error(
                f"<{child.tag}>{child.text.strip()}</{child.tag}> in {link} is not supported: "
                f"only {neutral[0]}, which is the default; remove it."
            )
        for scaling in _known_children(child) if child.tag == "contact" else ():
            if number(scaling, "value") != 1.0:
                raise scaling.error(
                    f"<inertia_scaling> in {link} is not supported: scale the <inertia> itself "
                    "and remove it."
                )
