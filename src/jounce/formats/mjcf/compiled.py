"""A compiled MuJoCo model, with the names and flags the MJCF reader asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from jounce.algebra.se3 import Transform
from jounce.algebra.so3 import from_quaternion
from jounce.algebra.vector import Vec3
from jounce.errors import RobotFormatError
from jounce.forks import awaited_lock
from jounce.formats.urdf.xml import root_element
from jounce.lazy import required

WORLD = "world"
UNNAMED_MODEL = "MuJoCo Model"  # what the compiler calls a model without a name
_HANDLER = awaited_lock()


@dataclass(frozen=True, slots=True)
class Compiled:
    """The file, the mujoco module and the model it compiled; every body and joint has a name."""

    path: Path
    mujoco: Any
    model: Any
    warnings: tuple[str, ...]
    bodies: tuple[str, ...]  # [0] is the world
    joints: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name of the model, or the stem of the file."""
        (name,) = _names(self.model, [0])
        return self.path.stem if name in ("", UNNAMED_MODEL) else name

    def names(self, kind: str) -> list[str]:
        """Return the names of all sites, tendons, … as the file has them, "" where it has none."""
        return _names(self.model, getattr(self.model, f"name_{kind}adr"))

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


def compile_file(path: str | Path) -> Compiled:
    """Let MuJoCo read and compile a file."""
    path = Path(path)
    mujoco = required("mujoco", "reading MJCF", "mjcf")
    if not path.is_file():
        raise RobotFormatError(f"{path}:1: no such file; give the path of an MJCF file.")
    if root_element(path) == "robot":  # MuJoCo compiles URDF too, but merges and drops links
        raise RobotFormatError(f"{path}:1: this is a URDF file (<robot>); name it .urdf or .xacro.")
    with _heard(mujoco) as warnings:
        try:
            model = mujoco.MjModel.from_xml_path(str(path))
        except ValueError as error:
            raise RobotFormatError(_located(path, str(error))) from error
    given = _names(model, model.name_bodyadr)
    bodies = (WORLD, *_named(given, [f"body_{i}" for i in range(model.nbody)])[1:])
    compiled = Compiled(path, mujoco, model, tuple(warnings), bodies, _joint_names(model, bodies))
    _check_numbers(compiled)
    return compiled


@contextmanager
def _heard(mujoco: Any) -> Iterator[list[str]]:
    """Collect the warnings of MuJoCo, which would write them to a file in the current folder."""
    heard: list[str] = []
    with _HANDLER:  # there is one for all threads
        before = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(lambda text: heard.append(" ".join(str(text).split())))
        try:
            yield heard
        finally:
            mujoco.set_mju_user_warning(before)


def _check_numbers(compiled: Compiled) -> None:
    """Refuse what MuJoCo compiles and nothing can be computed with."""
    model = compiled.model
    for kind, names, quaternions in (
        ("body", compiled.bodies, model.body_quat),
        ("inertial frame of body", compiled.bodies, model.body_iquat),
        ("site", compiled.names("site"), model.site_quat),
    ):
        wrong = np.flatnonzero(~(np.abs(np.linalg.norm(quaternions, axis=1) - 1.0) < 1e-6))
        if wrong.size:
            i = int(wrong[0])
            raise RobotFormatError(
                f"{compiled.path}: the orientation of {kind} {names[i]!r} is {quaternions[i]}, no "
                "rotation; its numbers are too large or too small."
            )
    for j, name in enumerate(compiled.joints):
        ref = model.qpos0[model.jnt_qposadr[j]]
        if not np.isfinite(ref):
            raise RobotFormatError(f"{compiled.path}: ref of joint {name!r} is {ref}, not finite.")


def pose(position: np.ndarray, quaternion: Sequence[float] = (1.0, 0.0, 0.0, 0.0)) -> Transform:
    """Return a pose of MuJoCo, whose quaternions are w x y z."""
    w, x, y, z = (float(a) for a in quaternion)
    return Transform(from_quaternion(x, y, z, w), Vec3(*(float(a) for a in position)))


def unique(wanted: str, taken: set[str]) -> str:
    """Return ``wanted``, numbered when it is taken, and take it."""
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    taken.add(name)
    return name


def _located(path: Path, message: str) -> str:
    """Return MuJoCo's message on one line, after the file and the line it names."""
    text = " ".join(message.split())
    line = re.search(r"line(?: number)?[ =](\d+)", text, re.IGNORECASE)
    return f"{path}:{line[1]}: {text}" if line else f"{path}: {text}"


def _names(model: Any, addresses: Iterable[int]) -> list[str]:
    """Return the names at these addresses; what is not UTF-8 is taken for Latin-1."""
    text = bytes(model.names)
    found = []
    for address in addresses:
        name = text[address : text.index(b"\0", address)]
        try:
            found.append(name.decode())
        except UnicodeDecodeError:
            found.append(name.decode("latin-1"))
    return found


def _joint_names(model: Any, bodies: tuple[str, ...]) -> tuple[str, ...]:
    """Name joints; one without a name takes that of its body, numbered if it is not alone."""
    wanted = []
    for j, body in enumerate(model.jnt_bodyid.tolist()):
        place = j - int(model.body_jntadr[body])
        alone = int(model.body_jntnum[body]) == 1
        wanted.append(bodies[body] if alone else f"{bodies[body]}/joint{place + 1}")
    return tuple(_named(_names(model, model.name_jntadr), wanted))


def _named(given: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """Return the given names, and where there is none the wanted one, numbered if it is taken."""
    taken = set(given)
    return [name or unique(other, taken) for name, other in zip(given, wanted, strict=True)]
