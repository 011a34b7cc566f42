"""Write several files, all of them or none."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Mapping
from pathlib import Path


def write_together(files: Mapping[Path, str], *, ours: str) -> None:
    """Write texts to files; nothing half-written is ever seen under their names.

    Files that exist are replaced only if the mark ``ours`` stands in their first line.
    """
    for path in files:
        _refuse_foreign(path, ours)
    temporary = {path: path.with_name(f".{path.name}.{secrets.token_hex(6)}") for path in files}
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with temporary[path].open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
        for path, written in temporary.items():
            written.replace(path)
    finally:
        for written in temporary.values():
            with contextlib.suppress(OSError):
                written.unlink(missing_ok=True)


def _refuse_foreign(path: Path, ours: str) -> None:
    if not path.exists() and not path.is_symlink():
        return
    if path.is_file():
        with path.open("rb") as file:
            if ours.encode() in file.readline(200):
                return
    reason = "exists and was not written by Jounce; move it away or choose another directory"
    raise FileExistsError(errno.EEXIST, reason, os.fspath(path))
