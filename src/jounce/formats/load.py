"""Load a robot, whatever it comes as."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from jounce.errors import RobotFormatError, UnsupportedError, unknown_name
from jounce.formats import bundled
from jounce.formats import json as json_format
from jounce.formats.urdf.xml import root_element
from jounce.model.edits import with_free_mimics
from jounce.model.parameters import checked_speed
from jounce.model.records import COULOMB_SPEED
from jounce.model.robot import Robot

SUFFIXES = (".urdf", ".xacro", ".xml", ".mjcf", ".json")


def load(
    source: str | Path | Mapping[str, Any],
    *,
    floating_base: bool = False,
    mimic: bool = True,
    damping: bool = False,
    friction: bool = False,
    coulomb_speed: float = COULOMB_SPEED,
    gravity: Any = None,
    packages: Mapping[str, str] | None = None,
    mappings: Mapping[str, Any] | None = None,
    strict: bool = True,
    xacro: bool = True,
) -> Robot:
    """Return the robot of a bundled name, a file (.urdf, .xacro, .xml = MJCF, .json) or a dict.

    ``mimic=False`` frees mimic joints; ``damping=True`` applies the joint damping of a URDF or
    MJCF file, ``friction=True`` its Coulomb friction c, as ``c v / √(v² + coulomb_speed²)`` (a JSON
    file, a dict or a bundled robot keeps what is stored in it); ``gravity`` replaces that of the
    file; ``packages`` maps package names to directories; ``mappings`` are the arguments of a xacro
    file; ``strict=False`` accepts inertias that no body can have, and URDF files with elements and
    attributes that URDF does not know: they are left out, and ``robot.warnings`` says which.
    Bundled robots always have their published inertias; ``robot.warnings`` names those that no
    body can have.

    A xacro file is a program: it can run commands and read any file.  ``xacro=False`` refuses
    such files; give it where files come from others.

    >>> import jounce
    >>> jounce.load("panda").nv
    7
    """
    if mappings and not str(source).lower().endswith(".xacro"):
        raise UnsupportedError(
            f"only xacro files take mappings, got {sorted(mappings)}; drop them."
        )
    if isinstance(source, Mapping):
        robot = json_format.from_dict(source, strict=strict)
    elif isinstance(source, str | os.PathLike) and str(source) in bundled.robots():
        robot = bundled.load_bundled(str(source))
    else:
        path = _file(source, packages, xacro=xacro)
        if path.suffix.lower() == ".json":
            robot = json_format.load(path, strict=strict)
        else:
            dry = {"friction": friction, "coulomb_speed": checked_speed(coulomb_speed)}
            options = {"mimic": mimic, "damping": damping, "strict": strict, **dry}
            robot = _load_xml(path, packages, mappings, options)
    robot = robot if mimic else with_free_mimics(robot)
    robot = robot if gravity is None else robot.with_gravity(gravity)
    return robot.with_floating_base() if floating_base else robot


def _file(source: Any, packages: Mapping[str, str] | None, *, xacro: bool) -> Path:
    """Return the file that is meant, if it may be read."""
    path = _path(source, packages)
    suffix = path.suffix.lower()
    if path.is_dir():
        raise RobotFormatError(f"{path}: is a directory; give the path of a robot file.")
    if suffix not in SUFFIXES:
        raise _unknown(source, path)
    if not path.is_file():
        raise RobotFormatError(f"{path}: no such file. Bundled robots: {_bundled_names()}.")
    if suffix == ".xacro" and not xacro:
        raise UnsupportedError(
            f"{path}: xacro files can run commands and are refused by xacro=False; expand it "
            "where it is trusted and load the .urdf file."
        )
    return path


def _path(source: Any, packages: Mapping[str, str] | None) -> Path:
    """Return the path that is meant; addresses (package://, file://) are looked up."""
    if not isinstance(source, str | os.PathLike):
        raise RobotFormatError(
            f"cannot load a robot from a {type(source).__name__}; give a bundled name "
            f"({_bundled_names()}), the path of a file or a dict."
        )
    given = os.fspath(source)
    if not isinstance(given, str) or given.lstrip()[:1] in ("<", "{"):
        raise RobotFormatError(
            "load takes the name of a robot or of a file, not its content; write the content to "
            "a file, or give json.loads(content) if it is JSON."
        )
    if "://" in given:
        from jounce.formats.packages import resolve

        return resolve(given, packages=packages)
    path = Path(given)
    with suppress(RuntimeError):  # a home that nobody has stays as it is, and is not found
        path = path.expanduser()
    return path


def _load_xml(
    path: Path,
    packages: Mapping[str, str] | None,
    mappings: Mapping[str, Any] | None,
    options: dict[str, Any],
) -> Robot:
    """Read a file of XML; with the suffix .xml the root element says what it is."""
    suffix = path.suffix.lower()
    if suffix == ".xacro":
        from jounce.formats.xacro import load_xacro

        return load_xacro(path, mappings=mappings, packages=packages, **options)
    if suffix == ".urdf" or (suffix == ".xml" and root_element(path) == "robot"):
        from jounce.formats.urdf.reader import load_urdf

        return load_urdf(path, packages=packages, **options)
    from jounce.formats.mjcf.reader import load_mjcf

    return load_mjcf(path, **options)


def _unknown(source: Any, path: Path) -> Exception:
    if path.exists():
        return UnsupportedError(
            f"{path}: cannot tell the format from the suffix {path.suffix!r}; "
            f"expected one of {', '.join(SUFFIXES)}."
        )
    if path.suffix or path.name != str(source):  # looks like a path
        return RobotFormatError(f"{path}: no such file, nor a bundled robot ({_bundled_names()}).")
    return unknown_name("robot", str(source), bundled.robots())


def _bundled_names() -> str:
    return ", ".join(bundled.robots())
