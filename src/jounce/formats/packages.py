"""Where the files are that a robot description names: package:// and file:// addresses."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from glob import escape
from pathlib import Path
from urllib.parse import unquote

from jounce.errors import ModelError, RobotFormatError

Packages = Mapping[str, str | os.PathLike[str]]
_PACKAGE_NAME = re.compile(r"<name>\s*([^<\s]+)\s*</name>")


def resolve(
    uri: str, base: str | os.PathLike[str] | None = None, packages: Packages | None = None
) -> Path:
    """Return the existing file that ``uri`` names.

    ``package://name/rest`` is looked for in ``packages[name]``, then below the entries of
    ROS_PACKAGE_PATH and AMENT_PREFIX_PATH, then in the folders above ``base`` (a file or
    folder).  ``file://path`` is absolute; anything else is a path relative to ``base``.
    """
    folder = _folder(base)
    if uri.startswith("package://"):
        return _in_package(uri, folder, packages or {})
    if uri.startswith("file://"):
        path = Path(unquote(uri.removeprefix("file://")))
    elif "://" in uri:
        raise RobotFormatError(
            f"{base or uri}:1: {uri!r}: unknown kind of address; expected package://, file:// "
            "or a path."
        )
    else:
        path = folder / uri
    if not path.is_file():
        raise RobotFormatError(
            f"{base or uri}:1: {uri!r} not found: there is no file {str(path)!r}."
        )
    return path


def _in_package(uri: str, folder: Path, packages: Packages) -> Path:
    name, _, rest = unquote(uri.removeprefix("package://")).partition("/")
    searched: list[str] = []
    for root in _candidates(name, folder, packages):
        path = root / rest
        if path.is_file():
            return path
        if str(root) not in searched:
            searched.append(str(root))
    known = ", ".join(sorted(packages)) or "none"
    raise RobotFormatError(
        f"{folder}:1: {uri!r} not found: no file {rest!r} in a package {name!r}. Packages given: "
        f"{known}; folders searched: {', '.join(searched) or 'none'}. "
        f"Pass packages={{{name!r}: folder}} or set ROS_PACKAGE_PATH."
    )


def _candidates(name: str, folder: Path, packages: Packages) -> Iterator[Path]:
    """Yield folders that may be the package, best first."""
    if name in packages:
        yield Path(packages[name])
        return  # told where it is, a copy elsewhere would be a surprise
    for entry in _environment("ROS_PACKAGE_PATH"):
        if _is_package(entry, name):
            yield entry
        yield entry / name
        yield from sorted(path for path in entry.glob(f"*/{escape(name)}") if path.is_dir())
    for entry in _environment("AMENT_PREFIX_PATH"):
        yield entry / "share" / name
    for above in (folder, *folder.parents):
        if _is_package(above, name):
            yield above
        if (above / name).is_dir():
            yield above / name


def _is_package(folder: Path, name: str) -> bool:
    """Tell whether a folder is the package, by its name or by its package.xml."""
    if folder.name == name:
        return True
    manifest = folder / "package.xml"
    if not manifest.is_file():
        return False
    found = _PACKAGE_NAME.search(manifest.read_text("utf-8", "replace"))
    return found is not None and found.group(1) == name


def _environment(variable: str) -> list[Path]:
    return [Path(entry) for entry in os.environ.get(variable, "").split(os.pathsep) if entry]


def _folder(base: str | os.PathLike[str] | None) -> Path:
    if base is None:
        return Path.cwd()
    path = Path(base).resolve()
    return path if path.is_dir() else path.parent


def check_packages(packages: Packages | None) -> None:
    """Raise unless ``packages`` maps names to folders."""
    if packages is not None and not isinstance(packages, Mapping):
        raise ModelError(
            f"packages must map package names to folders, got {type(packages).__name__}; "
            "for example packages={'panda_description': '/path/to/it'}."
        )
