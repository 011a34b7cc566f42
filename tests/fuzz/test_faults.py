"""Every call of the system on the way into and out of the cache fails once, in turn."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jounce.codegen import cache

OBJECTS = [b"object" * 1000, b""]
CALLS: list[tuple[Any, str]] = [
    *((os, name) for name in ("open", "fdopen", "fstat", "utime", "stat", "scandir", "mkdir")),
    *((Path, name) for name in ("mkdir", "stat", "lstat", "replace", "chmod", "touch", "iterdir")),
    (cache.hashlib, "sha256"),
    (cache, "_pack"),
    (cache, "_unpack"),
]
FAULTS: list[Callable[[], Exception]] = [
    lambda: OSError(errno.ENOSPC, "No space left on device"),
    lambda: PermissionError(errno.EACCES, "Permission denied"),
    lambda: OSError(errno.EINTR, "Interrupted"),
    MemoryError,
]


@pytest.mark.parametrize("fault", FAULTS, ids=["full", "denied", "interrupted", "memory"])
@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call[0].__name__}.{call[1]}")
def test_a_call_that_fails_costs_at_most_the_entry(
    call: tuple[Any, str],
    fault: Callable[[], Exception],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "kept"))
    key = cache.key_of("x")
    home, name = call
    real = getattr(home, name)
    for at in range(6):
        count = 0

        def failing(*arguments: Any, **options: Any) -> Any:
            nonlocal count
            count += 1
            if count == at + 1:  # noqa: B023 - called within this round
                raise fault()
            return real(*arguments, **options)

        with monkeypatch.context() as broken:
            broken.setattr(home, name, failing)
            try:
                cache.store(key, OBJECTS)
                found = cache.load(key)
            except OSError as error:  # of `_pack` and the like, which ask the system for nothing
                pytest.fail(f"round {at}: {error!r}")
        assert found in (None, OBJECTS)
        left = [path.name for path in (tmp_path / "kept").glob("*.tmp")]
        assert not left, f"round {at}: left {left}"
        assert cache.load(key) in (None, OBJECTS)
        cache.store(key, OBJECTS)
        assert cache.load(key) == OBJECTS
        cache.clear()


@pytest.mark.parametrize("size", [0, 1, 50, 4000])
def test_a_write_that_stops_half_way_leaves_nothing(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    real = os.fdopen

    class Full:
        """A file on a disk with room for some bytes."""

        def __init__(self, file: Any) -> None:
            self.file = file

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *_: object) -> None:
            self.file.close()

        def write(self, data: bytes) -> None:
            self.file.write(data[:size])
            raise OSError(errno.ENOSPC, "No space left on device")

    def full(handle: int, mode: str, *rest: Any, **options: Any) -> Any:
        file = real(handle, mode, *rest, **options)
        return Full(file) if "w" in mode else file

    with monkeypatch.context() as broken:
        broken.setattr(os, "fdopen", full)
        cache.store(cache.key_of("x"), OBJECTS)
    assert [path.name for path in tmp_path.iterdir()] == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # between two calls
def test_memory_that_ends_at_any_line_costs_at_most_the_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Whatever line of the cache asks for memory in vain: no half entry, nothing left behind."""
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    key = cache.key_of("x")

    def run_out_at(line: int) -> bool:
        """Store and load, and run out of memory at a line of the module; False if it has fewer."""
        seen = 0

        def trace(frame: Any, event: str, _: object) -> Any:
            nonlocal seen
            if frame.f_code.co_filename != cache.__file__:
                return None
            if event == "line":
                seen += 1
                if seen == line:
                    raise MemoryError
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            cache.store(key, OBJECTS)
            found = cache.load(key)
        except MemoryError:  # of a line that no handler covers: the caller's to know
            found = None
        finally:
            sys.settrace(before)
        assert found in (None, OBJECTS), f"line {line}"
        return seen >= line

    line = 1
    while run_out_at(line):
        left = [path.name for path in tmp_path.glob("*.tmp")]
        assert not left, f"line {line}: left {left}"
        assert cache.load(key) in (None, OBJECTS), f"line {line}"
        cache.store(key, OBJECTS)
        assert cache.load(key) == OBJECTS, f"line {line}"
        cache.clear()
        line += 1
    assert line > 50
