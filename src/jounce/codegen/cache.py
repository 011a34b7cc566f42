"""Object code on disk: never an error, at worst a miss.

An entry is a file named by its key: a magic line, the SHA-256 of the rest, the key, and the
objects. Entries are written beside and moved into place, read entries are touched, and old
ones go first when the directory grows too large.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from pathlib import Path

VARIABLE = "JOUNCE_CACHE_DIR"
MAX_AGE = 90 * 86400.0
MAX_BYTES = 512 * 2**20
PRUNE_EVERY = 86400.0

_MAGIC = b"jounce object cache 1\n"
_SUFFIX = ".jobj"
_STAMP = "pruned"


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


def load(key: str) -> list[bytes] | None:
    """Return the objects stored under a key; None if absent, damaged or foreign."""
    path = _path(key)
    if path is None:
        return None
    try:
        data = path.read_bytes()
        if time.time() - path.stat().st_mtime > PRUNE_EVERY:
            os.utime(path)
    except OSError:
        return None
    return _unpack(data, key)


def store(key: str, objects: list[bytes]) -> None:
    """Keep objects under a key, if the directory lets us."""
    path = _path(key)
    if path is None:
        return
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            file.write(_pack(objects, key))
        temporary.replace(path)
        temporary = None
        _prune_sometimes(path.parent)
    except OSError:
        pass
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink()


def entries() -> list[tuple[Path, int, float]]:
    """List the entries as (path, bytes, time of last use), the oldest first."""
    place = directory()
    found: list[tuple[Path, int, float]] = []
    if place is None:
        return found
    with contextlib.suppress(OSError):
        found += [_entry(path) for path in place.iterdir() if path.suffix in (_SUFFIX, ".tmp")]
    return sorted((entry for entry in found if entry[1] >= 0), key=lambda entry: entry[2])


def size() -> int:
    """Return the bytes in use."""
    return sum(count for _, count, _ in entries())


def clear() -> int:
    """Remove all entries; return how many went."""
    return sum(_remove(path) for path, _, _ in entries())


def prune(*, max_age: float = MAX_AGE, max_bytes: float = MAX_BYTES) -> int:
    """Remove entries not used for `max_age` seconds, then the oldest beyond `max_bytes`."""
    now, removed = time.time(), 0
    known = entries()
    total = sum(count for _, count, _ in known)
    for path, count, used in known:
        abandoned = path.suffix == ".tmp" and now - used > PRUNE_EVERY
        if now - used > max_age or total > max_bytes or abandoned:
            removed += _remove(path)
            total -= count
    return removed


def _prune_sometimes(place: Path) -> None:
    """Prune at most once a day."""
    stamp = place / _STAMP
    with contextlib.suppress(OSError):
        if stamp.exists() and time.time() - stamp.stat().st_mtime < PRUNE_EVERY:
            return
        stamp.touch()
        prune()


def _path(key: str) -> Path | None:
    place = directory()
    return None if place is None else place / f"{key}{_SUFFIX}"


def _entry(path: Path) -> tuple[Path, int, float]:
    """Return path, size and time of last use; a size of −1 if it is gone meanwhile."""
    try:
        status = path.stat()
    except OSError:
        return path, -1, 0.0
    return path, status.st_size, status.st_mtime


def _remove(path: Path) -> bool:
    with contextlib.suppress(OSError):
        path.unlink()
        return True
    return False


def _pack(objects: list[bytes], key: str) -> bytes:
    """Return the contents of an entry."""
    parts = [key.encode(), len(objects).to_bytes(8, "little")]
    for data in objects:
        parts += [len(data).to_bytes(8, "little"), data]
    body = b"".join(parts)
    return _MAGIC + hashlib.sha256(body).digest() + body


def _unpack(data: bytes, key: str) -> list[bytes] | None:
    """Return the objects of an entry, or None if it is not what `_pack` wrote for this key."""
    start = len(_MAGIC) + 32
    body = memoryview(data)[start:]
    name = key.encode()
    if data[: len(_MAGIC)] != _MAGIC or body[: len(name)] != name:
        return None
    if hashlib.sha256(body).digest() != data[len(_MAGIC) : start]:
        return None
    at = len(name)
    count = int.from_bytes(body[at : at + 8], "little")
    at += 8
    objects: list[bytes] = []
    for _ in range(count):
        length = int.from_bytes(body[at : at + 8], "little")
        objects.append(bytes(body[at + 8 : at + 8 + length]))
        at += 8 + length
    return objects
