"""Jounce's own robot files: JSON that gives back an equal robot, bit for bit.

Schema, version 1 (SI units; a missing entry has the default shown, an unknown one is refused)::

    {"format": "jounce-robot", "version": 1, "name": str, "description": "", "source": "",
     "gravity": [x, y, z],
     "base": {"name": "base", "inertia": [10 numbers]},          # in the frame of the ground
     "bodies": [{"name": str, "parent": body name or null,
                 "rotation": 3x3, "translation": [x, y, z],       # pose in the parent, q = 0
                 "inertia": [m, mcx, mcy, mcz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz],  # about origin
                 "joint": {"name": str, "kind": str, "axes": [[x, y, z], ...],
                           "point": [0, 0, 0], "pitch": 0, "armature": [...], "damping": [...],
                           "friction": {"coulomb": [...], "offset": [...], "speed": [...]},
                           "mimic": {"joint": name, "multiplier": 1, "offset": 0},
                           "limits": {"lower": [null = none, ...], "upper": ..., "velocity": ...,
                                      "effort": ..., "acceleration": ..., "jerk": ...,
                                      "effort_rate": ...}}}],
     "frames": [{"name": str, "body": body name or null, "rotation": 3x3, "translation": ...}],
     "closures": [{"frame": str, "to": frame name or null, "directions": "wx wy wz vx vy vz"}],
     "warnings": [str]}
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from math import isinf
from pathlib import Path
from typing import Any

from jounce.algebra.se3 import Transform
from jounce.errors import ModelError, RobotFormatError, UnsupportedError, located
from jounce.files import atomic_write
from jounce.model import joints as kinds
from jounce.model.builder import RobotBuilder
from jounce.model.inertia import Inertia
from jounce.model.joints import JointType
from jounce.model.mimics import Follows, follows
from jounce.model.records import Joint, Limits
from jounce.model.robot import Robot

FORMAT, VERSION = "jounce-robot", 1
OPTIONAL, POSE = "description source base frames closures warnings", "rotation translation"
LIMITS = " ".join(f.name for f in fields(Limits))


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
        **({"closures": [asdict(c) for c in robot.closures]} if robot.closures else {}),
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
    _check_entries(data, where, "format version name gravity bodies", OPTIONAL)
    base = data.get("base", {})
    _check_entries(base, f"{where}: base", "", "name inertia")
    with located(where):
        builder = RobotBuilder(
            _text(data, "name", where),
            _array(data, "gravity", where),
            base_name=_text(base, "name", f"{where}: base", "base"),
            description=_text(data, "description", where, ""),
        )
    builder.warnings = _array(data, "warnings", where)
    for warning in builder.warnings:
        if not isinstance(warning, str):
            raise RobotFormatError(f"{where}: 'warnings' must hold strings, got {_shown(warning)}.")
    with located(f"{where}: base"):
        ground = _array(base, "inertia", f"{where}: base", (0.0,) * 10)
        builder.add_ground_matter(Inertia.from_parameters(ground))
    for at, body in _objects(data, "bodies", where, "name inertia joint", f"parent {POSE}"):
        _add_body(builder, body, at)
    for at, frame in _objects(data, "frames", where, "name", f"body {POSE}"):
        with located(at):
            builder.frame(_text(frame, "name", at), frame.get("body"), _matrix(frame, at))
    for at, closure in _objects(data, "closures", where, "frame", "to directions"):
        with located(at):
            builder.closure(**closure)
    with located(where):
        return builder.build(strict=strict)


def load(path: str | Path, *, strict: bool = True) -> Robot:
    """Read a Jounce JSON file."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        data = json.loads(text, object_pairs_hook=_object)
    except OSError as error:
        raise RobotFormatError(f"{path}: cannot be read: {error.strerror}.") from error
    except RobotFormatError as error:
        raise RobotFormatError(f"{path}: {error}") from None
    except (ValueError, RecursionError) as error:  # of the encoding or of the JSON
        line = getattr(error, "lineno", 1)
        raise RobotFormatError(f"{path}:{line}: not valid JSON: {error}") from error
    return from_dict(data, strict=strict, where=str(path))


def save(robot: Robot, path: str | Path) -> None:
    """Write a Jounce JSON file; an interrupted write leaves the old file as it was."""
    if Path(path).suffix.lower() != ".json":
        raise UnsupportedError(f"{path}: robots are saved as JSON; give a name that ends in .json.")
    try:
        content = json.dumps(to_dict(robot), indent=1, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise UnsupportedError(f"only robots with finite numbers can be saved: {error}.") from error
    try:
        with atomic_write(path) as file:
            file.write(content + "\n")
    except OSError as error:
        reason = f"robot {robot.name!r} cannot be saved: {error.strerror}"
        raise OSError(error.errno, reason, str(path)) from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; of an entry that is given twice no one knows which is meant."""
    data = dict(pairs)
    if len(data) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise RobotFormatError(f"the entry {twice!r} is given twice in one object; keep one.")
    return data


def _add_body(builder: RobotBuilder, body: Any, at: str) -> None:
    joint, where = body["joint"], f"{at}: joint"
    _check_entries(
        joint, where, "name kind", "axes point pitch armature damping friction mimic limits"
    )
    limits, friction = joint.get("limits", {}), joint.get("friction", {})
    _check_entries(friction, f"{where}: friction", "", "coulomb offset speed")
    _check_entries(limits, f"{where}: limits", "", LIMITS)
    with located(where):
        type_, mimic = _joint_type(joint, where), _mimic(joint, where)
    with located(at):
        builder.add(
            _text(body, "name", at),
            body.get("parent"),
            type_,
            _matrix(body, at),
            Inertia.from_parameters(_array(body, "inertia", at)),
            _text(joint, "name", where),
            joint.get("armature", 0.0),
            joint.get("damping", 0.0),
            Limits(**limits),
            mimic=mimic,
            friction=friction,
        )


def _joint_type(joint: Mapping[str, Any], at: str) -> JointType:
    kind, axes = _text(joint, "kind", at), _array(joint, "axes", at)
    if kind == "fixed":
        raise ModelError("a body with a fixed joint is a frame of its parent; list it in 'frames'.")
    point = _array(joint, "point", at, (0.0, 0.0, 0.0))
    return kinds.of_kind(kind, axes, point, joint.get("pitch", 0.0))


def _mimic(joint: Mapping[str, Any], at: str) -> Follows | None:
    mimic = joint.get("mimic")
    if mimic is None:
        return None
    _check_entries(mimic, f"{at}: mimic", "joint", "multiplier offset")
    return Follows(**mimic)


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
    if joint.friction:
        data["friction"] = joint.friction_entries
    if (mimic := follows(joint, robot.joints)) is not None:
        data["mimic"] = mimic._asdict()
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


def _check_entries(data: Any, at: str, required: str, optional: str = "") -> None:
    """Raise unless ``data`` is an object with these entries (names apart by blanks) only."""
    if not isinstance(data, Mapping):
        raise RobotFormatError(f"{at}: expected an object {{…}}, got {_shown(data)}.")
    known = [*required.split(), *optional.split()]
    for key in required.split():
        if key not in data:
            raise RobotFormatError(f"{at}: the entry {key!r} is missing.")
    for key in data:
        if key not in known:
            raise RobotFormatError(
                f"{at}: unknown entry {key!r}; an entry that is not understood might change the "
                f"dynamics. Known entries: {', '.join(known)}."
            )


def _objects(
    data: Mapping[str, Any], key: str, where: str, required: str, optional: str
) -> Iterator[tuple[str, Any]]:
    """Yield the place and the content of every object of a list, with these entries only."""
    for i, item in enumerate(_array(data, key, where)):
        _check_entries(item, at := f"{where}: {key}[{i}]", required, optional)
        yield at + (f" ({item['name']!r})" if "name" in item else ""), item


def _text(data: Mapping[str, Any], key: str, at: str, default: str | None = None) -> str:
    """Return a string."""
    value = data.get(key, default)
    if not isinstance(value, str):
        raise RobotFormatError(f"{at}: {key!r} must be a string, got {_shown(value)}.")
    return value


def _array(data: Mapping[str, Any], key: str, at: str, default: Sequence[Any] = ()) -> list[Any]:
    """Return a list; its items are checked by whoever knows what they mean."""
    value = data.get(key, default)
    if isinstance(value, str | Mapping) or not hasattr(value, "__len__"):
        raise RobotFormatError(f"{at}: {key!r} must be a list […], got {_shown(value)}.")
    return list(value)


def _matrix(data: Mapping[str, Any], at: str) -> list[list[Any]]:
    """Return the 4x4 matrix of the entries ``rotation`` and ``translation``."""
    rotation = _array(data, "rotation", at, ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    translation = _array(data, "translation", at, (0, 0, 0))
    if len(translation) != 3:
        raise RobotFormatError(f"{at}: 'translation' must be 3 numbers, got {_shown(translation)}.")
    rows = [list(row) if hasattr(row, "__len__") else [] for row in rotation]
    if [len(row) for row in rows] != [3, 3, 3]:
        raise RobotFormatError(f"{at}: 'rotation' must be 3 rows of 3 numbers.")
    return [*([*row, p] for row, p in zip(rows, translation, strict=True)), [0.0, 0.0, 0.0, 1.0]]


def _shown(value: Any) -> str:
    try:
        shown = "null" if value is None else repr(value)
    except RecursionError:
        shown = f"a {type(value).__name__} that is nested too deep"
    return shown if len(shown) <= 60 else f"{shown[:57]}…"
