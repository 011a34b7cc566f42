"""The published numbers behind the bundled robots, and the robots made from them.

``python -m tests.bundled_sources`` writes src/jounce/formats/data; the tests compare both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from math import pi, radians
from pathlib import Path
from typing import Any

import numpy as np

from jounce.errors import InvalidInertiaError
from jounce.formats.dh import DH, from_dh
from jounce.formats.json import to_dict
from jounce.model import joints
from jounce.model.builder import RobotBuilder
from jounce.model.inertia import Inertia, check_inertia
from jounce.model.records import Limits
from jounce.model.robot import Robot
from tests import oracle_data

DATA = Path(__file__).parents[1] / "src" / "jounce" / "formats" / "data"

PANDA_ROWS = [
    DH(d=0.333),
    DH(alpha=-pi / 2),
    DH(alpha=pi / 2, d=0.316),
    DH(a=0.0825, alpha=pi / 2),
    DH(a=-0.0825, alpha=-pi / 2, d=0.384),
    DH(alpha=pi / 2),
    DH(a=0.088, alpha=pi / 2),
]
PANDA_LIMITS = {
    "lower": [-2.8973, -1.7628, -2.8973, -3.0718, -2.8973, -0.0175, -2.8973],
    "upper": [2.8973, 1.7628, 2.8973, -0.0698, 2.8973, 3.7525, 2.8973],
    "velocity": [2.175] * 4 + [2.61] * 3,
    "effort": [87.0] * 4 + [12.0] * 3,
    "acceleration": [15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0],
    "jerk": [7500.0, 3750.0, 5000.0, 6250.0, 7500.0, 10000.0, 10000.0],
    "effort_rate": [1000.0] * 7,
}
IIWA_TWISTS = (0, pi / 2, -pi / 2, -pi / 2, pi / 2, pi / 2, -pi / 2)
IIWA_ROWS = [DH(alpha=t, d=d) for t, d in zip(IIWA_TWISTS, (0, 0, 0.42, 0, 0.4, 0, 0), strict=True)]
IIWA_RANGE = [radians(x) for x in (170, 120, 170, 120, 170, 120, 175)]
IIWA_LIMITS = {
    "lower": [-x for x in IIWA_RANGE],
    "upper": IIWA_RANGE,
    "velocity": [radians(x) for x in (85, 85, 100, 75, 130, 135, 135)],
    "effort": [320.0, 320.0, 176.0, 176.0, 110.0, 40.0, 40.0],
}
PUMA_ROWS = [
    DH(alpha=pi / 2),
    DH(a=0.4318),
    DH(a=0.0203, alpha=-pi / 2, d=0.15005),
    DH(alpha=pi / 2, d=0.4318),
    DH(alpha=-pi / 2),
    DH(),
]
PUMA_MASS = (0.0, 17.4, 4.8, 0.82, 0.34, 0.09)
PUMA_COM = [
    (0, 0, 0),
    (-0.3638, 0.006, 0.2275),
    (-0.0203, -0.0141, 0.070),
    (0, 0.019, 0),
    (0, 0, 0),
    (0, 0, 0.032),
]
PUMA_MOMENTS = [
    (0, 0.35, 0),
    (0.13, 0.524, 0.539),
    (0.066, 0.086, 0.0125),
    (1.8e-3, 1.3e-3, 1.8e-3),
    (0.3e-3, 0.4e-3, 0.3e-3),
    (0.15e-3, 0.15e-3, 0.04e-3),
]
PUMA_MOTOR = (200e-6, 200e-6, 200e-6, 33e-6, 33e-6, 33e-6)
PUMA_GEAR = (-62.6111, 107.815, -53.7063, 76.0364, 71.923, 76.686)
PUMA_ARMATURE = [J * G**2 for J, G in zip(PUMA_MOTOR, PUMA_GEAR, strict=True)]
PUMA_LIMITS = {
    "lower": [radians(x) for x in (-160, -45, -225, -110, -100, -266)],
    "upper": [radians(x) for x in (160, 225, 45, 170, 100, 266)],
}
# name, joint and its axis, parent, position, mass, centre of mass, box, range in degrees
LEG = [
    ("hip", "hip_yaw z", "pelvis", (0, 0.1, 0), 2.0, (0, 0, 0), (0.12, 0.12, 0.12), 50),
    ("hip_cross", "hip_roll x", "hip", (0, 0, 0), 2.5, (-0.02, 0, 0), (0.12, 0.1, 0.1), 35),
    (
        "thigh",
        "hip_pitch y",
        "hip_cross",
        (0, 0, 0),
        6.0,
        (0, 0.01, -0.18),
        (0.14, 0.14, 0.38),
        100,
    ),
    ("shank", "knee y", "thigh", (0, 0, -0.4), 3.5, (0.01, 0, -0.18), (0.11, 0.11, 0.38), 130),
    ("ankle", "ankle_pitch y", "shank", (0, 0, -0.4), 0.8, (0, 0, 0), (0.08, 0.08, 0.08), 45),
    ("foot", "ankle_roll x", "ankle", (0, 0, 0), 1.4, (0.03, 0, -0.06), (0.24, 0.1, 0.05), 20),
]
ARM = [
    (
        "shoulder",
        "shoulder_pitch y",
        "torso",
        (0, 0.2, 0.42),
        1.5,
        (0, 0.04, 0),
        (0.1, 0.12, 0.1),
        120,
    ),
    (
        "yoke",
        "shoulder_roll x",
        "shoulder",
        (0, 0.05, 0),
        1.3,
        (0, 0, -0.04),
        (0.1, 0.1, 0.12),
        120,
    ),
    (
        "upper_arm",
        "shoulder_yaw z",
        "yoke",
        (0, 0, -0.12),
        1.4,
        (0, 0, -0.08),
        (0.09, 0.09, 0.2),
        160,
    ),
    ("elbow", "elbow y", "upper_arm", (0, 0, -0.18), 1.2, (0, 0, -0.06), (0.08, 0.08, 0.16), 120),
    (
        "forearm",
        "forearm_yaw z",
        "elbow",
        (0, 0, -0.14),
        0.8,
        (0, 0, -0.05),
        (0.08, 0.08, 0.14),
        160,
    ),
    ("hand", "wrist x", "forearm", (0, 0, -0.12), 0.7, (0, 0, -0.06), (0.08, 0.05, 0.15), 80),
]
WEAK = ("ankle_roll", "forearm_yaw", "wrist")  # 40 Nm; the others have 130 (leg) or 100 (arm)


def prose(name: str, entry: str) -> str:
    """Return the description or the source in a data file: prose is written there."""
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))[entry]


def panda() -> Robot:
    arm = from_dh(PANDA_ROWS, oracle_data.inertias("panda_gaz"), convention="modified")
    return finished("panda", arm, PANDA_LIMITS, {"flange": ("link7", (0, 0, 0.107))})


def iiwa14() -> Robot:
    inertias = oracle_data.inertias("kuka_steiner")
    arm = from_dh(IIWA_ROWS, inertias, convention="modified", strict=False)
    return finished("iiwa14", arm, IIWA_LIMITS, {"flange": ("link7", (0, 0, 0.126))})


def planar2r() -> Robot:
    points = [
        Inertia(1.5, (1, 0, 0), np.zeros((3, 3))),
        Inertia(0.7, (0.8, 0, 0), np.zeros((3, 3))),
    ]
    arm = from_dh([DH(), DH(a=1.0)], points, convention="modified", gravity=(0, -9.80665, 0))
    return finished("planar2r", arm, {}, {"tip": ("link2", (0.8, 0, 0))})


def puma560() -> Robot:
    rows = zip(PUMA_MASS, PUMA_COM, PUMA_MOMENTS, strict=True)
    inertias = [Inertia(m, c, np.diag(moments)) for m, c, moments in rows]
    arm = from_dh(PUMA_ROWS, inertias, strict=False)
    return finished("puma560", arm, PUMA_LIMITS, {}, PUMA_ARMATURE)


def humanoid() -> Robot:
    builder = RobotBuilder("humanoid", description=prose("humanoid", "description"))
    pelvis = box(10.0, (0, 0, 0.03), (0.2, 0.28, 0.16))
    torso = box(20.2, (0, 0, 0.25), (0.22, 0.34, 0.5))
    builder.add("pelvis", None, joints.free(), inertia=pelvis, joint_name="root_joint")
    waist = Limits(-radians(60), radians(60), 2.0, 130.0)
    axis = joints.revolute((0, 0, 1))
    builder.add("torso", "pelvis", axis, shifted((0, 0, 0.15)), torso, "waist_yaw", limits=waist)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for row in (*LEG, *ARM):
            add_limb(builder, side, sign, row)
        builder.frame(f"{side}_sole", f"{side}_foot", shifted((0, 0, -0.08)))
        builder.frame(f"{side}_grip", f"{side}_hand", shifted((0, 0, -0.08)))
    builder.frame("head", "torso", shifted((0, 0, 0.56)))
    return builder.build()


REBUILT: dict[str, Callable[[], Robot]] = {
    f.__name__: f for f in (humanoid, iiwa14, panda, planar2r, puma560)
}


def add_limb(builder: RobotBuilder, side: str, sign: float, row: tuple[Any, ...]) -> None:
    name, motion, parent, position, mass, com, size, reach = row
    joint, axis = motion.split()
    effort = 40.0 if joint in WEAK else 130.0 if row in LEG else 100.0
    mirror = np.array([1.0, sign, 1.0])
    builder.add(
        f"{side}_{name}",
        parent if parent in ("pelvis", "torso") else f"{side}_{parent}",
        joints.revolute(np.eye(3)["xyz".index(axis)]),
        shifted(mirror * position),
        box(mass, mirror * com, size),
        f"{side}_{joint}",
        limits=Limits(-radians(reach), radians(reach), 2.0, effort),
    )


def finished(name, arm: Robot, limits, frames, armature=None) -> Robot:
    """Return the arm with names, limits, motors, frames, its description and warnings."""
    builder = RobotBuilder(name, arm.gravity, description=prose(name, "description"))
    for i, (body, joint) in enumerate(zip(arm.bodies, arm.joints, strict=True)):
        own = Limits(**{key: values[i] for key, values in limits.items()})
        motor = armature[i] if armature else 0.0
        label, parent = f"link{i + 1}", f"link{i}" if i else None
        args = (joint.type, body.placement, body.inertia, f"joint{i + 1}", motor)
        builder.add(label, parent, *args, limits=own)
        builder.warnings += impossible(label, body.inertia)
    for frame, (body, position) in frames.items():
        builder.frame(frame, body, shifted(position))
    return builder.build(strict=False)


def impossible(body: str, inertia: Inertia) -> list[str]:
    """Say by how much the largest principal moment exceeds the sum of the other two."""
    try:
        check_inertia(inertia, body)
    except InvalidInertiaError:
        first, second, largest = np.linalg.eigvalsh(np.array(inertia.rotational))
        excess = largest - first - second
        line = (
            f"{body}: the published inertia violates the triangle inequality of the principal "
            f"moments by {excess:.3g} kg·m² ({largest:.4g} > {first:.4g} + {second:.4g})."
        )
        return [line]
    return []


def shifted(position: Any) -> np.ndarray:
    T = np.eye(4)
    T[:3, 3] = position
    return T


def box(mass: float, com: Any, size: Any) -> Inertia:
    square = np.square(size)
    return Inertia(mass, com, mass / 12.0 * np.diag(square.sum() - square))


def file_content(name: str) -> str:
    """Return the content of a data file: native JSON with its source, lists of numbers in rows."""
    data = to_dict(REBUILT[name]())
    entries = list(data.items())
    entries.insert(list(data).index("description") + 1, ("source", prose(name, "source")))
    text = json.dumps(dict(entries), indent=1, ensure_ascii=False, allow_nan=False)
    innermost = re.compile(r"\[\s*([^\[\]{}\"]*?)\s*\]")
    return innermost.sub(lambda match: f"[{re.sub(chr(10) + ' *', ' ', match[1])}]", text) + "\n"


if __name__ == "__main__":
    for robot_name in REBUILT:
        (DATA / f"{robot_name}.json").write_text(file_content(robot_name), encoding="utf-8")
