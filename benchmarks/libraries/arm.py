"""The arm that all libraries compute, and the recursion for those that differentiate one."""

from __future__ import annotations

from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

import numpy as np

import jounce
from jounce.adapters.pinocchio import pinocchio_model


class Link(NamedTuple):
    """One joint and its body: placement in the parent, axis, inertia about the centre of mass."""

    name: str
    R: np.ndarray
    p: np.ndarray
    axis: np.ndarray
    mass: float
    com: np.ndarray
    rotational: np.ndarray


def links(robot: jounce.Robot) -> list[Link]:
    """Return the chain of a serial arm of revolute joints, without motor inertias."""
    model = pinocchio_model(robot)
    found = []
    for i, joint in enumerate(robot.joints, start=1):
        place, inertia = model.jointPlacements[i], model.inertias[i]
        axis = np.array(joint.type.axes[0], float)
        body = inertia.mass, inertia.lever.copy(), inertia.inertia.copy()
        found.append(Link(joint.name, place.rotation.copy(), place.translation.copy(), axis, *body))
    return found


def newton_euler(arm: list[Link], gravity: Any, ops: Any, q: Any, v: Any, a: Any) -> list[Any]:
    """Return the torques of a chain; ``ops`` has ``sin``, ``cos``, ``cross`` and ``dot``."""
    w, dw, acc = np.zeros(3), np.zeros(3), -np.array(gravity, float)
    states = []
    for i, link in enumerate(arm):
        x, y, z = link.axis
        K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        R = link.R @ (np.eye(3) + ops.sin(q[i]) * K + (1 - ops.cos(q[i])) * (K @ K))
        acc = R.T @ (acc + ops.cross(dw, link.p) + ops.cross(w, ops.cross(w, link.p)))
        w, dw = R.T @ w, R.T @ dw
        dw = dw + a[i] * link.axis + v[i] * ops.cross(w, link.axis)
        w = w + v[i] * link.axis
        at_com = acc + ops.cross(dw, link.com) + ops.cross(w, ops.cross(w, link.com))
        force = link.mass * at_com
        spin = link.rotational @ w
        moment = link.rotational @ dw + ops.cross(w, spin) + ops.cross(link.com, force)
        states.append((R, force, moment))
    f, n, tau = np.zeros(3), np.zeros(3), []
    for i in reversed(range(len(arm))):
        R, force, moment = states[i]
        f, n = force + f, moment + n
        tau.append(ops.dot(arm[i].axis, n))
        f, n = R @ f, R @ n + ops.cross(arm[i].p, R @ f)
    return tau[::-1]


def as_urdf(robot: jounce.Robot) -> str:
    """Return the arm as a URDF text for the libraries that read files."""
    root = ET.Element("robot", name=robot.name)
    ET.SubElement(root, "link", name="ground")
    parent = "ground"
    for link in links(robot):
        child = f"{link.name}_link"
        body = ET.SubElement(root, "link", name=child)
        inertial = ET.SubElement(body, "inertial")
        ET.SubElement(inertial, "origin", xyz=_text(link.com), rpy="0 0 0")
        ET.SubElement(inertial, "mass", value=repr(link.mass))
        I = link.rotational
        pairs = {"ixx": I[0, 0], "iyy": I[1, 1], "izz": I[2, 2]}
        pairs |= {"ixy": I[0, 1], "ixz": I[0, 2], "iyz": I[1, 2]}
        ET.SubElement(inertial, "inertia", {k: repr(float(x)) for k, x in pairs.items()})
        joint = ET.SubElement(root, "joint", name=link.name, type="continuous")
        ET.SubElement(joint, "parent", link=parent)
        ET.SubElement(joint, "child", link=child)
        ET.SubElement(joint, "origin", xyz=_text(link.p), rpy=_text(_rpy(link.R)))
        ET.SubElement(joint, "axis", xyz=_text(link.axis))
        parent = child
    return ET.tostring(root, encoding="unicode")


def _text(values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)


def _rpy(R: np.ndarray) -> tuple[float, float, float]:
    pitch = np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0]))
    return np.arctan2(R[2, 1], R[2, 2]), pitch, np.arctan2(R[1, 0], R[0, 0])
