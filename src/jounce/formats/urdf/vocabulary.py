"""Which elements may stand where in a URDF: read, ignored, or refused by name."""

from __future__ import annotations

from jounce.algebra.se3 import IDENTITY
from jounce.errors import unknown_name
from jounce.formats.urdf.fields import number, pose
from jounce.formats.urdf.xml import Element

# What is read, and what has no part in the dynamics.  All else is refused by name.
READ = {
    "robot": {"link", "joint"},
    "link": {"inertial", "origin", "gravity", "kinematic", "contact"},
    "inertial": {"origin", "mass", "inertia"},
    "joint": {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"},
    "contact": {"inertia_scaling"},
}
IGNORED = {
    "robot": {
        "material", "transmission", "sensor", "gazebo", "ros2_control", "mujoco", "frame",
        "disable_collisions", "drake:collision_filter_group", "isaac_sim", "group",
    },
    "link": {
        "visual", "collision", "material", "sensor", "gazebo", "collision_checking",
        "self_filter", "surface", "self_collision_checking", "drake:proximity_properties",
    },
    "inertial": set(),
    "joint": {"safety_controller", "calibration", "hardwareInterface", "sensor", "gazebo"},
    "contact": {
        "lateral_friction", "rolling_friction", "spinning_friction", "restitution", "stiffness",
        "damping", "contact_cfm", "contact_erp", "friction_anchor",
    },
}  # fmt: skip


def known_children(element: Element) -> list[Element]:
    """Return the children, all of them known."""
    for child in element.children:
        if child.tag.startswith("xacro:"):
            raise child.error(
                f"<{child.tag}> is xacro, not URDF: load the .xacro file, or expand it first."
            )
        if child.tag not in READ[element.tag]:
            hint = unknown_name("element", child.tag, READ[element.tag] | IGNORED[element.tag])
            raise child.error(
                f"<{child.tag}> in {element} is not understood and may change the dynamics: "
                f"remove or rename it; {hint}"
            )
    return element.children


def refuse_link_switches(link: Element) -> None:
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
        for scaling in known_children(child) if child.tag == "contact" else ():
            if number(scaling, "value") != 1.0:
                raise scaling.error(
                    f"<inertia_scaling> in {link} is not supported: scale the <inertia> itself "
                    "and remove it."
                )
