"""Xacro files: expanded by xacrodoc (extra ``jounce[xacro]``), then read as URDF.

Xacro evaluates expressions of Python and substitutes the output of commands: a file is a
program, and runs with the rights of whoever loads it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jounce.errors import RobotFormatError
from jounce.forks import awaited_lock
from jounce.formats.packages import Packages, check_packages
from jounce.formats.urdf.reader import load_urdf
from jounce.lazy import required
from jounce.model.robot import Robot

_EXPANSION = awaited_lock()  # xacro keeps its state in globals: one expansion at a time


def load_xacro(
    path: str | os.PathLike[str],
    *,
    mappings: Mapping[str, Any] | None = None,
    packages: Packages | None = None,
    **options: Any,
) -> Robot:
    """Read a xacro file.

    ``mappings`` are the values of ``<xacro:arg>``, as ``name:=value`` on xacro's command
    line.  ``packages`` maps package names to folders for ``$(find name)``; other packages are
    looked for on ROS_PACKAGE_PATH and in the folders above the file.  ``options`` are those of
    `load_urdf`.  Errors of the URDF itself name a line of the expanded text.
    """
    check_packages(packages)
    text = expand(path, mappings=mappings, packages=packages)
    return load_urdf(text, packages=packages, expanded_from=Path(path), **options)


def expand(
    path: str | os.PathLike[str],
    *,
    mappings: Mapping[str, Any] | None = None,
    packages: Packages | None = None,
) -> str:
    """Return the URDF text that a xacro file stands for."""
    path = Path(path)
    compiler = required("xacrodoc.xacrodoc", "reading xacro", "xacro")
    if not path.is_file():
        raise RobotFormatError(f"{path}:1: no such file; give the path of a xacro file.")
    values = {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in (mappings or {}).items()
    }
    with _EXPANSION, _packages(compiler, path, packages or {}):
        compiler.xacro.init_stacks(str(path.resolve()))  # relative includes; forget failed runs
        try:
            document = compiler.XacroDoc.from_file(
                path, walk_up=False, subargs=values, resolve_packages=False
            )
        except Exception as error:  # xacro evaluates Python: any error may come out of it
            reason = " ".join(str(error).split()) or type(error).__name__
            line = getattr(error, "lineno", 1)  # of an XML error in this file or an included one
            raise RobotFormatError(f"{path}:{line}: xacro: {reason}{_stack(compiler)}") from error
        return document.dom.toxml()


@contextmanager
def _packages(compiler: Any, path: Path, packages: Packages) -> Iterator[None]:
    """Let xacrodoc find these packages during one expansion; its finder is global."""
    finders = compiler.packages
    before = finders._finder
    after = finders.PackageFinder()
    after.finder_funcs = list(before.finder_funcs)
    after.walk_up_from(path)
    after.package_cache = dict(before.package_cache)
    after.update_package_cache(packages)
    finders._finder = after
    try:
        yield
    finally:
        finders._finder = before


def _stack(compiler: Any) -> str:
    """Return the included files in which the error arose."""
    included = [str(file) for file in (compiler.xacro.filestack or [])[1:]]
    return f" (in {' < '.join(reversed(included))})" if included else ""
