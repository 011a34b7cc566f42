"""A compiled MuJoCo model, with the names and flags the MJCF reader asks for."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from jounce.errors import RobotFormatError, UnsupportedError

WORLD = "world"
UNNAMED_MODEL = "MuJoCo Model"  # what the compiler calls a model without a name


@dataclass(frozen=True, slots=True)
class Source:
    """The file, the mujoco module and the model it compiled; every body and joint has a name."""

    path: Path
    mujoco: Any
    model: Any
    bodies: tuple[str, ...]  # [0] is the world
    joints: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name of the model, or the stem of the file."""
        name = bytes(self.model.names).split(b"\0", 1)[0].decode()
        return self.path.stem if name in ("", UNNAMED_MODEL) else name

    def disabled(self, *flags: str) -> bool:
        """Whether one of these flags of ``<option><flag .../>`` is switched off in the file.

        Flags are named as in ``mjtDisableBit``; those that this MuJoCo lacks count as on.
        """
        bits = self.mujoco.mjtDisableBit
        known = [int(getattr(bits, f"mjDSBL_{flag}", 0)) for flag in flags]
        return any(int(self.model.opt.disableflags) & bit for bit in known)

    def rows(self, field: str, count: int) -> np.ndarray:
        """Return a field of the model as ``(count, width)``; zeros where this MuJoCo lacks it."""
        values = getattr(self.model, field, None)
        if values is None or count == 0:
            return np.zeros((count, 1))
        return np.reshape(values, (count, -1))

    def kind(self, joint: int) -> str:
        """Return free, ball, slide or hinge."""
        return self.mujoco.mjtJoint(self.model.jnt_type[joint]).name[6:].lower()


def compile_file(path: str | Path) -> Source:
    """Let MuJoCo read and compile a file."""
    path = Path(path)
    mujoco = _mujoco()
    if not path.is_file():
        raise RobotFormatError(f"{path}:1: no such file; give the path of an MJCF file.")
    _refuse_urdf(path)
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        raise RobotFormatError(_located(path, str(error))) from error
    bodies = _body_names(model)
    return Source(path, mujoco, model, bodies, _joint_names(model, bodies))


def unique(wanted: str, taken: Container[str]) -> str:
    """Return ``wanted``, numbered when it is taken."""
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name


def _mujoco() -> Any:
    try:
        import mujoco
    except ImportError as error:
        raise UnsupportedError(
            "reading MJCF needs the mujoco package: pip install 'jounce[mjcf]'."
        ) from error
    return mujoco


def _refuse_urdf(path: Path) -> None:
    """MuJoCo compiles URDF too, but merges and drops links on its way: ours is the reader."""
    text = re.sub(rb"<!--.*?-->", b"", path.read_bytes(), flags=re.DOTALL)
    tag = re.search(rb"<([A-Za-z_][\w.:-]*)", text)
    if tag and tag[1] == b"robot":
        raise RobotFormatError(f"{path}:1: this is a URDF file (<robot>); name it .urdf or .xacro.")


def _located(path: Path, message: str) -> str:
    """Return MuJoCo's message on one line, after the file and the line it names."""
    text = " ".join(message.split())
    line = re.search(r"line(?: number)?[ =](\d+)", text, re.IGNORECASE)
    return f"{path}:{line[1]}: {text}" if line else f"{path}: {text}"


def _body_names(model: Any) -> tuple[str, ...]:
    given = {model.body(i).name for i in range(model.nbody)}
    names = [WORLD]
    for i in range(1, model.nbody):
        names.append(model.body(i).name or unique(f"body_{i}", given.union(names)))
    return tuple(names)


def _joint_names(model: Any, bodies: tuple[str, ...]) -> tuple[str, ...]:
    """Name joints; one without a name takes that of its body, numbered if it is not alone."""
    given = {model.joint(j).name for j in range(model.njnt)}
    names: list[str] = []
    for j in range(model.njnt):
        body = int(model.jnt_bodyid[j])
        place = j - int(model.body_jntadr[body])
        alone = int(model.body_jntnum[body]) == 1
        wanted = bodies[body] if alone else f"{bodies[body]}/joint{place + 1}"
        names.append(model.joint(j).name or unique(wanted, given.union(names)))
    return tuple(names)
