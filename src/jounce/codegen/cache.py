"""Object code and traces on disk: never an error, at worst a miss.

An entry is a file named by its key: a magic line, the SHA-256 of the rest, the key, and what is
kept: bytes and numbers, in tuples and lists. Entries are written beside and moved into place, read
entries are touched, and old ones go first when the directory grows too large.

What is in an entry is run. So nothing is taken from a directory or a file that somebody else
owns or can write to, as OpenSSH does with keys; root is trusted.
"""

from __future__ import annotations

import contextlib
import hashlib
import marshal
import os
import re
import stat
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from jounce.files import abandoned, replacing
from jounce.sources import unchanged

VARIABLE = "JOUNCE_CACHE_DIR"
MAX_AGE = 90 * 86400.0
MAX_BYTES = 512 * 2**20
PRUNE_EVERY = 86400.0
PRUNE_BYTES = 32 * 2**20  # written by this process since it looked last

_MAGIC = b"jounce object cache 2\n"
_FORMAT = 4  # of marshal: every Python that we run on reads it
_NAME = re.compile(r"[0-9a-f]{64}\.jobj")
_STAMP = "pruned"
_OPEN = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
_OPEN |= getattr(os, "O_NONBLOCK", 0)  # a pipe in place of an entry does not hold us up
_TROUBLE = (OSError, ValueError, MemoryError)  # ValueError: a name that no file can have
_warned: set[str] = set()
_written: list[int] = []  # bytes of entries since the last pruning


class Entry(NamedTuple):
    """A file of ours in the cache directory."""

    path: Path
    bytes: int
    used: float  # time of last use


def directory() -> Path | None:
    """Return the cache directory, whether it exists or not; None if there is no place."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return Path(chosen)
    try:
        from platformdirs import user_cache_dir

        return Path(user_cache_dir("jounce"))
    except (ImportError, OSError, RuntimeError):
        return None


def key_of(*parts: str) -> str:
    """Return the key of what decides the object code."""
    state = hashlib.sha256()
    for part in parts:
        data = part.encode()
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.hexdigest()


def kept(key: str | None, make: Callable[[], Any]) -> Any:
    """Return what is stored under a key, else make and store it; no key: only make it."""
    found = None if key is None else load(key)
    if found is None:
        found = make()
        if key is not None:
            store(key, found)
    return found


def load(key: str) -> Any:
    """Return what is stored under a key; None if absent, damaged or foreign."""
    try:
        path = _path(key)
        if path is None or not _trusted(path.parent):
            return None
        handle = os.open(path, _OPEN)
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode) or _distrust(status):
                return None
            data = file.read()
        if abs(time.time() - status.st_mtime) > PRUNE_EVERY:
            os.utime(path)
        return _unpack(data, key)
    except _TROUBLE:
        return None


def store(key: str, value: Any) -> None:
    """Keep a value under a key, if the directory lets us and our code is still that on disk."""
    try:
        path = _path(key)
        if path is None or not unchanged():
            return
        data = _pack(value, key)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not _trusted(path.parent):
            return
        with replacing(path, "wb", permissions=0o600, durable=False) as file:
            file.write(data)
        _written.append(len(data))
        _prune_sometimes(path.parent)
    except _TROUBLE:
        pass


def entries() -> list[Entry]:
    """List what is ours in the directory, the oldest first."""
    place = directory()
    found: list[Entry] = []
    if place is None:
        return found
    with contextlib.suppress(OSError, ValueError):
        names = [path for path in place.iterdir() if _NAME.fullmatch(path.name)]
        for path in (*names, *abandoned(place)):
            with contextlib.suppress(OSError):
                status = path.lstat()
                if not stat.S_ISDIR(status.st_mode):
                    found.append(Entry(path, status.st_size, status.st_mtime))
    return sorted(found, key=lambda entry: entry.used)


def size() -> int:
    """Return the bytes in use."""
    return sum(entry.bytes for entry in entries())


def clear() -> int:
    """Remove all entries; return how many went."""
    return sum(_remove(entry.path) for entry in entries())


def prune(*, max_age: float = MAX_AGE, max_bytes: float = MAX_BYTES) -> int:
    """Remove entries not used for `max_age` seconds, then the oldest beyond `max_bytes`.

    What nobody will finish goes in any case.
    """
    now, removed = time.time(), 0
    known = entries()
    total = sum(entry.bytes for entry in known)
    for path, count, used in known:
        unfinished = not _NAME.fullmatch(path.name)
        if unfinished or now - used > max_age or total > max_bytes:
            removed += _remove(path)
            total -= count
    return removed


def _prune_sometimes(place: Path) -> None:
    """Prune once a day, and whenever this process has written much."""
    stamp = place / _STAMP
    with contextlib.suppress(OSError):
        age = time.time() - stamp.stat().st_mtime if stamp.exists() else PRUNE_EVERY
        if 0.0 <= age < PRUNE_EVERY and sum(_written) < PRUNE_BYTES:  # a stamp may be of the future
            return
        _written.clear()
        stamp.touch()
        prune()


def _path(key: str) -> Path | None:
    place = directory()
    return None if place is None else place / f"{key}.jobj"


def _trusted(place: Path) -> bool:
    """Tell whether only we and root can change what is in a directory; if not, say so once."""
    try:
        real = Path(os.path.realpath(place))
        reason = _distrust(real.stat())
        if not reason and any(_replaceable(parent.stat()) for parent in real.parents):
            reason = "a directory above it can be written to by others"
    except (OSError, ValueError):
        return False
    if reason and str(place) not in _warned:
        _warned.add(str(place))
        warnings.warn(
            f"compiled code is not kept in {place}: {reason}. Mend it by `chown -R $(id -u) "
            f"{place}; chmod -R go-w {place}`, or set {VARIABLE} to a directory of your own.",
            RuntimeWarning,
            stacklevel=2,
        )
    return not reason


def _distrust(status: os.stat_result) -> str:
    """Return why a file or directory is not ours alone; empty if it is."""
    if not hasattr(os, "geteuid"):  # Windows keeps the profiles of its users apart
        return ""
    if status.st_uid not in (0, os.geteuid()):
        return f"it belongs to user {status.st_uid}, not to {os.geteuid()}"
    shared = status.st_mode & 0o022 and not status.st_mode & stat.S_ISVTX  # sticky, as /tmp is
    return "others can write to it" if shared else ""


def _replaceable(status: os.stat_result) -> bool:
    """Tell whether others can put something else in the place of what is in a directory."""
    if not hasattr(os, "geteuid") or status.st_mode & stat.S_ISVTX:
        return False
    own_group = status.st_gid == os.getegid() and not status.st_mode & 0o002
    foreign = status.st_uid not in (0, os.geteuid())
    return foreign or bool(status.st_mode & 0o022 and not own_group)


def _remove(path: Path) -> bool:
    with contextlib.suppress(OSError):
        path.unlink()
        return True
    return False


def _pack(value: Any, key: str) -> bytes:
    """Return the contents of an entry."""
    body = key.encode() + marshal.dumps(value, _FORMAT)
    return _MAGIC + hashlib.sha256(body).digest() + body


def _unpack(data: bytes, key: str) -> Any:
    """Return the value of an entry, or None if it is not what `_pack` wrote for this key."""
    start = len(_MAGIC) + 32
    body = memoryview(data)[start:]
    name = key.encode()
    if data[: len(_MAGIC)] != _MAGIC or body[: len(name)] != name:
        return None
    if hashlib.sha256(body).digest() != data[len(_MAGIC) : start]:
        return None
    return marshal.loads(body[len(name) :])
