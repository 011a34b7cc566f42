"""Write files completely or not at all, one or several together; read JSON without surprises."""

from __future__ import annotations

import contextlib
import csv
import errno
import json
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import IO, Any, Literal

from jounce.errors import TableError

try:
    import fcntl
except ImportError:  # Windows: a file that is open cannot be removed there
    fcntl = None

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_TEMPORARY = re.compile(r"\.jounce-[0-9a-f]{12}\.tmp")
_SETTLED = 60.0  # seconds; a younger temporary file may not have its lock yet
_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


@contextmanager
def atomic_write(path: str | os.PathLike[str], mode: Literal["w", "wb"] = "w") -> Iterator[IO[Any]]:
    """Open a file that appears under its name only when the block ends without an exception.

    What is written goes to a temporary file in the same directory.  On any exception, Ctrl-C
    included, that file is removed and whatever stood at ``path`` is untouched.  A link is
    followed; a file that is replaced keeps its permissions; a device such as ``/dev/stdout``
    is written to directly.  A directory is refused, and a file that is protected from writing.
    """
    target = Path(os.path.realpath(path))
    permissions = _permissions(target)
    if permissions is None and target.exists():
        with target.open(mode, **_text(mode)) as device:
            yield device
        return
    _sweep(target.parent)
    with replacing(target, mode, permissions=permissions) as file:
        yield file


@contextmanager
def replacing(
    target: Path,
    mode: Literal["w", "wb"],
    *,
    permissions: int | None = None,
    durable: bool = True,
) -> Iterator[IO[Any]]:
    """Open a temporary file beside ``target`` that takes its place in the end.

    It is locked while it is written, so that what a killed process leaves can be told from it.
    ``durable`` waits until it is on the disk.
    """
    temporary = target.with_name(f".jounce-{secrets.token_hex(6)}.tmp")
    try:
        descriptor = os.open(temporary, _CREATE, 0o666)  # the umask applies, as to any new file
    except OSError as failure:
        failure.filename = str(target)  # the name that was given, not one that nobody knows
        raise
    try:
        with os.fdopen(descriptor, mode, **_text(mode)) as file:
            is_taken(descriptor)
            if permissions is not None:
                temporary.chmod(permissions)
            yield file
            file.flush()
            if durable:
                os.fsync(descriptor)
        temporary.replace(target)
    except BaseException as failure:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(failure, OSError) and failure.errno in _DISK and failure.filename is None:
            failure.filename = str(target)
        raise


def abandoned(directory: Path) -> list[Path]:
    """Return temporary files of ours in a directory that no process writes any more."""
    found = []
    for path in directory.iterdir():
        if _TEMPORARY.fullmatch(path.name):
            with contextlib.suppress(OSError):
                status = path.lstat()
                own = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
                old = abs(time.time() - status.st_mtime) > _SETTLED
                if own and old and stat.S_ISREG(status.st_mode):
                    with path.open("rb") as file:
                        if not is_taken(file.fileno(), in_doubt=True):
                            found.append(path)
    return found


def is_taken(descriptor: int, *, in_doubt: bool = False) -> bool:
    """Lock a file until it is closed; tell whether another process has it locked.

    Where the system has no locks nothing is taken; where it refuses one, that is ``in_doubt``.
    """
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as failure:
        return in_doubt or isinstance(failure, BlockingIOError)
    return False


@cache  # once a process: a directory of a hundred thousand results is not searched for each
def _sweep(directory: Path) -> None:
    """Remove what killed processes of this user have left in a directory."""
    with contextlib.suppress(OSError):
        for path in abandoned(directory):
            path.unlink(missing_ok=True)


def write_together(files: Mapping[Path, str], *, ours: str) -> tuple[Path, ...]:
    """Write texts to files, all of them or none; directories are made where they are missing.

    Files that exist are replaced only if the mark ``ours`` stands in their first line.  The paths
    are returned.
    """
    for path in files:
        _refuse_foreign(path, ours)
    with ExitStack() as stack:  # every text is written before the first appears under its name
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            file = stack.enter_context(atomic_write(path))
            file.write(text)
            file.flush()
    return tuple(files)


def _refuse_foreign(path: Path, ours: str) -> None:
    if not path.exists() and not path.is_symlink():
        return
    if path.is_file():
        with path.open("rb") as file:
            if ours.encode() in file.readline(200):
                return
    reason = "exists and was not written by Jounce; move it away or choose another directory"
    raise FileExistsError(errno.EEXIST, reason, os.fspath(path))


def _permissions(target: Path) -> int | None:
    """Return the permissions of an existing regular file, None for a new one or a device."""
    if target.is_symlink():  # a link that leads to no end
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(target))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "no such directory", str(target.parent))
    if not target.is_file():
        return None
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
    return stat.S_IMODE(target.stat().st_mode)


def _text(mode: str) -> dict[str, Any]:
    return {} if "b" in mode else {"encoding": "utf-8", "newline": "\n"}


def refuse_devices(path: Path) -> None:
    """Raise TableError for what exists and is no file: a pipe or a device may never end."""
    if path.exists() and not path.is_file():
        raise TableError(f"{path}: is no regular file; copy what it gives to one.")


def csv_rows(path: Path) -> list[tuple[int, list[str]]]:
    """Return line number and fields of every line of a small table that is not empty."""
    refuse_devices(path)
    with path.open(newline="", encoding="utf-8-sig") as file:
        lines = csv.reader(file, skipinitialspace=True)
        try:
            return [(lines.line_num, [x.strip() for x in row]) for row in lines if row]
        except UnicodeDecodeError as error:
            raise TableError(f"{path}: is not UTF-8 text: {error.reason}.") from error
        except csv.Error as error:
            raise TableError(f"{path}:{lines.line_num}: not a table: {error}.") from error


def read_json(path: Path) -> Any:
    """Return what a JSON file says; TableError if it is none or says something twice."""
    refuse_devices(path)
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"), object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else error
        raise TableError(f"{path}: not a JSON file: {reason}.") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"key {key!r} is given twice")
        found[key] = value
    return found
