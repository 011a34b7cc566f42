"""Which code is loaded: a fingerprint of source files that holds while they stay as imported.

Files may be replaced while a process runs.  Their state is noted when the package is imported,
before any of it is loaded; a fingerprint of other files than those is never given.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache

_ROOT = os.path.dirname(__file__)  # noqa: PTH120 - pathlib takes milliseconds
FOLDERS = ("algebra", "codegen", "dynamics", "kernels", "model")


def _states(*folders: str) -> dict[str, tuple[int, ...]]:
    """Return what tells a changed file, by name; empty where sources cannot be read."""
    found: dict[str, tuple[int, ...]] = {}
    places = [f"{_ROOT}/{folder}" for folder in folders]
    for place in places:
        with suppress(OSError), os.scandir(place) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    at = entry.stat()
                    found[entry.path] = at.st_mtime_ns, at.st_ctime_ns, at.st_size, at.st_ino
                elif entry.is_dir() and entry.name != "__pycache__":
                    places.append(entry.path)
    return found


_imported = _states(*FOLDERS)  # half a millisecond


def unchanged() -> bool:
    """Tell whether the source files are those that were there when the package was imported."""
    return bool(_imported) and _states(*FOLDERS) == _imported


@cache
def fingerprint(*folders: str) -> str | None:
    """Return a hash of the source files in some folders; None where they are not those loaded."""
    import hashlib

    state = hashlib.sha256()
    try:
        for path in sorted(_states(*folders)):
            with open(path, "rb") as file:  # noqa: PTH123
                state.update(path.removeprefix(_ROOT).encode() + file.read())
    except OSError:
        return None
    return state.hexdigest() if unchanged() else None
