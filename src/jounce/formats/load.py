"""Load a robot, whatever it comes as."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jounce.errors import RobotFormatError, UnsupportedError, unknown_name
from jounce.model import bundled, native
from jounce.model.robot import Robot

SUFFIXES = (".urdf", ".xacro", ".xml", ".mjcf", ".json")


def load(
    source: str | Path | Mapping[str, Any],
    *,
    floating_base: bool = False,
    mimic: bool = True,
    damping: bool = False,
    gravity: Any = None,
    packages: Mapping[str, str] | None = None,
    strict: bool = True,
) -> Robot:
    """Return the robot of a bundled name, a file (.urdf, .xacro, .xml = MJCF, .json) or a dict.

    ``mimic=False`` frees mimic joints; ``damping=True`` applies the joint damping of the file;
    ``packages`` maps package names to directories; ``strict=False`` accepts inertias that no
    body can have.

    >>> import jounce
    >>> jounce.load("panda").nv
    7
    """
    options = {"floating_base": floating_base, "mimic": mimic, "damping": damping}
    options |= {"gravity": gravity, "strict": strict}
    if isinstance(source, Mapping):
        return _finished(native.from_dict(source, strict=strict), floating_base, gravity)
    path = Path(source)
    if path.suffix.lower() not in SUFFIXES:
        if str(source) in bundled.robots():
            return _finished(bundled.load_bundled(str(source)), floating_base, gravity)
        raise _unknown(source, path)
    if not path.is_file():
        raise RobotFormatError(f"{path}: no such file. Bundled robots: {_bundled_names()}.")
    match path.suffix.lower():
        case ".json":
            return _finished(native.load(path, strict=strict), floating_base, gravity)
        case ".urdf":
            from jounce.formats.urdf import load_urdf

            return load_urdf(path, packages=packages, **options)
        case ".xacro":
            from jounce.formats.xacro import load_xacro

            return load_xacro(path, packages=packages, **options)
        case _:
            return _load_xml(path, packages, options)


def _load_xml(path: Path, packages: Mapping[str, str] | None, options: dict[str, Any]) -> Robot:
    """Read an .xml file as what its root element says: a URDF often has this suffix too."""
    head = path.read_bytes()[:4096]
    if b"<robot" in head:
        from jounce.formats.urdf import load_urdf

        return load_urdf(path, packages=packages, **options)
    from jounce.formats.mjcf import load_mjcf

    return load_mjcf(path, **options)


def _finished(robot: Robot, floating_base: bool, gravity: Any) -> Robot:
    robot = robot if gravity is None else robot.with_gravity(gravity)
    return robot.with_floating_base() if floating_base else robot


def _unknown(source: Any, path: Path) -> Exception:
    if path.exists():
        return UnsupportedError(
            f"{path}: cannot tell the format from the suffix {path.suffix!r}; "
            f"expected one of {', '.join(SUFFIXES)}."
        )
    return unknown_name("robot", str(source), bundled.robots())


def _bundled_names() -> str:
    return ", ".join(bundled.robots())
