"""Write files completely or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Literal

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


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
    temporary = target.with_name(f".jounce-{secrets.token_hex(6)}.tmp")
    try:
        descriptor = os.open(temporary, _CREATE, 0o666)  # the umask applies, as to any new file
    except OSError as failure:
        failure.filename = str(target)  # the name that was given, not one that nobody knows
        raise
    try:
        with os.fdopen(descriptor, mode, **_text(mode)) as file:
            if permissions is not None:
                temporary.chmod(permissions)
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _permissions(target: Path) -> int | None:
    """Return the permissions of an existing regular file, None for a new one or a device."""
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
