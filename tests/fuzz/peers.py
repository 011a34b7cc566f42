"""What Pinocchio and MuJoCo say of a robot that they take too: the same forces, or a finding."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np

import jounce

AGREE = 1e-9  # of the largest force; numbers of mutants are far apart, so digits are lost
FAR = 1e3  # rad or m, of a coordinate in the file
HUGE = 1e100  # the square of a longer axis overflows in Pinocchio


def _differ(ours: np.ndarray, theirs: np.ndarray, who: str) -> str | None:
    """Return how forces differ, if they do where both are finite."""
    if not np.isfinite(theirs).all():
        return None
    error = np.abs(ours - theirs).max(initial=0.0)
    scale = max(1.0, np.abs(ours).max(initial=0.0), np.abs(theirs).max(initial=0.0))
    return None if error <= AGREE * scale else f"forces {ours}, {who} {theirs}"


def _has_odd_axes(root: ET.Element) -> bool:
    """Whether an axis is one that Pinocchio gets wrong: those of planar joints, and huge ones."""
    axes = [
        (joint.get("type"), axis.get("xyz", "").split() if axis is not None else ["1", "0", "0"])
        for joint in root.iter("joint")
        for axis in [joint.find("axis")]
    ]
    return any(
        (kind == "planar" and xyz != ["0", "0", "1"]) or max(map(abs, map(float, xyz))) > HUGE
        for kind, xyz in axes
    )


def pinocchio(path: Path, robot: jounce.Robot, rng: random.Random) -> str | None:
    """Compare inverse dynamics at a random motion, where it has the same joints."""
    try:
        from tests.pinocchio_peer import PinocchioPeer, urdf_model
    except ImportError:
        return None
    try:
        text = path.read_text(encoding="utf-8-sig")
        if _has_odd_axes(ET.fromstring(text)):
            return None
        model = urdf_model(text)
    except (ValueError, RuntimeError, UnicodeError, ET.ParseError):
        return None
    if {joint.name for joint in robot.joints} != set(model.names) - {"universe"}:
        return None
    if robot.nv != model.nv:
        return f"{robot.nv} degrees of freedom, Pinocchio {model.nv}"
    peer = PinocchioPeer(robot, model)
    q = robot.random_configuration(np.random.default_rng(rng.randrange(2**32)))
    v, a = (np.array([rng.uniform(-1, 1) for _ in range(robot.nv)]) for _ in range(2))
    ours = jounce.inverse_dynamics(robot, q, v, a)[0]
    return _differ(ours, peer.inverse_dynamics(q, v, a), "Pinocchio")


def mujoco(path: Path, robot: jounce.Robot, rng: random.Random) -> str | None:
    """Compare inverse dynamics at a random motion."""
    try:
        from tests.mujoco_peer import forces, motion, mujoco, random_case, unconstrained
    except ImportError:
        return None
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        return f"taken by us, by MuJoCo refused: {error}"
    if (model.nq, model.nv) != (robot.nq, robot.nv):
        return f"{robot.nq}, {robot.nv} coordinates and rates, MuJoCo {model.nq}, {model.nv}"
    if np.abs(model.qpos0).max(initial=0.0) > FAR:
        return None  # q − ref has lost its digits there, and q + constant here has not
    unconstrained(model, damping=False)
    case = random_case(model, np.random.default_rng(rng.randrange(2**32)))
    ours = jounce.inverse_dynamics(robot, *motion(case))[0]
    return _differ(ours, forces(case), "MuJoCo")
