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
    followed, and a file that is replaced keeps its permissions.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    temporary = target.with_name(f".jounce-{secrets.token_hex(6)}.tmp")
    try:
        descriptor = os.open(temporary, _CREATE, 0o666)  # the umask applies
    except FileNotFoundError as error:
        raise FileNotFoundError(error.errno, "no such directory", str(target.parent)) from None
    text: dict[str, Any] = {} if mode == "wb" else {"encoding": "utf-8", "newline": "\n"}
    try:
        with os.fdopen(descriptor, mode, **text) as file:
            if target.is_file():
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
