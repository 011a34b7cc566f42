"""Jounce's own robot files: JSON that gives back an equal robot, bit for bit.

Schema, version 1 (SI units; a missing entry has the default shown)::

    {"format": "jounce-robot", "version": 1, "name": str, "description": "", "source": "",
     "gravity": [x, y, z],
     "base": {"name": "base", "inertia": [10 numbers]},
     "bodies": [{"name": str, "parent": body name or null,
                 "rotation": 3x3, "translation": [x, y, z],       # pose in the parent, q = 0
                 "inertia": [m, mcx, mcy, mcz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz],  # about origin
                 "joint": {"name": str, "kind": str, "axes": [[x, y, z], ...],
                           "point": [0, 0, 0], "pitch": 0, "armature": [...], "damping": [...],
                           "mimic": {"joint": name, "multiplier": 1, "offset": 0},
                           "limits": {"lower": [null = none, ...], "upper": ..., "velocity": ...,
                                      "effort": ..., "acceleration": ..., "jerk": ...,
                                      "effort_rate": ...}}}],
     "frames": [{"name": str, "body": body name or null, "rotation": 3x3, "translation": ...}],
     "warnings": [str]}
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import fields
from math import isinf
from pathlib import Path
from typing import Any

from jounce.algebra.se3 import Transform
from jounce.errors import JounceError, ModelError, RobotFormatError, UnsupportedError
from jounce.model import joints as kinds
from jounce.model.builder import RobotBuilder
from jounce.model.inertia import Inertia
from jounce.model.joints import JointType
from jounce.model.records import Joint, Limits
from jounce.model.robot import Robot

FORMAT, VERSION = "jounce-robot", 1


def to_dict(robot: Robot) -> dict[str, Any]:
    """Return the robot as plain data."""
    names: dict[int, str | None] = {-1: None} | {i: b.name for i, b in enumerate(robot.bodies)}
    bodies = [
        {
            "name": body.name,
            "parent": names[body.parent],
            **_pose(body.placement),
            "inertia": list(body.inertia.parameters),
            "joint": _joint(robot, joint),
        }
        for body, joint in zip(robot.bodies, robot.joints, strict=True)
    ]
    frames = [
        {"name": f.name, "body": names[f.body], **_pose(f.placement)}
        for f in robot.frames[robot.n_bodies :]
    ]
    base = {"name": robot.base_name, "inertia": list(robot.base_inertia.parameters)}
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": robot.name,
        "description": robot.description,
        "gravity": list(robot.gravity),
        "base": base,
        "bodies": bodies,
        "frames": frames,
        "warnings": list(robot.warnings),
    }


def from_dict(data: Mapping[str, Any], *, strict: bool = True, where: str = "robot") -> Robot:
    """Build a robot from plain data; ``where`` starts the messages of errors."""
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise RobotFormatError(f'{where}: not a Jounce robot: "format" must be {FORMAT!r}.')
    if data.get("version") != VERSION:
        raise RobotFormatError(
            f"{where}: version {data.get('version')!r} of the robot format; this Jounce reads "
            f"version {VERSION}. Update Jounce or save the robot again."
        )
    at = where
    try:
        base = data.get("base", {})
        builder = RobotBuilder(
            data["name"],
            data["gravity"],
            base_name=base.get("name", "base"),
            description=data.get("description", ""),
        )
        builder.warnings = list(data.get("warnings", ()))
        builder.add_ground_matter(Inertia.from_parameters(base.get("inertia", [0.0] * 10)))
        for i, body in enumerate(data["bodies"]):
            at = f"{where}: bodies[{i}] ({body.get('name')!r})"
            _add_body(builder, body)
        for i, frame in enumerate(data.get("frames", ())):
            at = f"{where}: frames[{i}] ({frame.get('name')!r})"
            builder.frame(frame["name"], frame.get("body"), _matrix(frame))
        at = where
        return builder.build(strict=strict)
    except KeyError as error:
        if isinstance(error, JounceError):
            raise RobotFormatError(f"{at}: {error}") from error
        raise RobotFormatError(f"{at}: the entry {error} is missing.") from error
    except ModelError as error:
        raise RobotFormatError(f"{at}: {error}") from error
    except (TypeError, ValueError, AttributeError) as error:
        if isinstance(error, JounceError) and at == where:
            raise
        raise RobotFormatError(f"{at}: {error}") from error


def load(path: str | Path, *, strict: bool = True) -> Robot:
    """Read a Jounce JSON file."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        line = getattr(error, "lineno", 1)
        raise RobotFormatError(f"{path}:{line}: not valid JSON: {error}") from error
    return from_dict(data, strict=strict, where=str(path))


def save(robot: Robot, path: str | Path) -> None:
    """Write a Jounce JSON file; an interrupted write leaves the old file as it was."""
    try:
        text = json.dumps(to_dict(robot), indent=1, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise UnsupportedError(f"only robots with finite numbers can be saved: {error}.") from error
    target = Path(path)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=target.name, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text + "\n")
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _add_body(builder: RobotBuilder, body: Mapping[str, Any]) -> None:
    joint = body["joint"]
    mimic = joint.get("mimic")
    builder.add(
        body["name"],
        body.get("parent"),
        _joint_type(joint),
        _matrix(body),
        Inertia.from_parameters(body["inertia"]),
        joint["name"],
        joint.get("armature", 0.0),
        joint.get("damping", 0.0),
        Limits(**joint.get("limits", {})),
        mimic=mimic and (mimic["joint"], mimic.get("multiplier", 1.0), mimic.get("offset", 0.0)),
    )


def _joint_type(joint: Mapping[str, Any]) -> JointType:
    kind, axes = joint["kind"], joint.get("axes", ())
    if kind not in kinds.SIZES or kind == "fixed":
        raise ModelError(f"unknown joint kind {kind!r}; known: {', '.join(kinds.SIZES)}.")
    point = {} if kind in ("prismatic", "planar", "free") else {"point": joint.get("point", (0, 0, 0))}
    pitch = [joint["pitch"]] if kind == "helical" else []
    return getattr(kinds, kind)(*axes, *pitch, **point)


def _joint(robot: Robot, joint: Joint) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": joint.name,
        "kind": joint.kind,
        "axes": [list(axis) for axis in joint.type.axes],
        "point": list(joint.type.point),
        "pitch": joint.type.pitch,
        "armature": list(joint.armature),
        "damping": list(joint.damping),
        "limits": _limits(joint.limits),
    }
    if joint.mimic is not None:
        source = robot.joints[joint.mimic.source].name
        multiplier, offset = joint.mimic.multiplier, joint.mimic.offset
        data["mimic"] = {"joint": source, "multiplier": multiplier, "offset": offset}
    return data


def _limits(limits: Limits) -> dict[str, Any]:
    values = {f.name: getattr(limits, f.name) for f in fields(limits)}
    return {
        name: [None if isinf(x) else x for x in entries]
        for name, entries in values.items()
        if not all(isinf(x) for x in entries)
    }


def _pose(T: Transform) -> dict[str, Any]:
    return {"rotation": [list(row) for row in T.rotation.rows], "translation": list(T.p)}


def _matrix(data: Mapping[str, Any]) -> list[list[float]]:
    rotation = data.get("rotation", [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    translation = data.get("translation", [0, 0, 0])
    rows = [[*row, p] for row, p in zip(rotation, translation, strict=True)]
    return [*rows, [0.0, 0.0, 0.0, 1.0]]
