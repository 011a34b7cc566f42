"""Compile several modules on all cores; whatever goes wrong with a helper is done here.

llvmlite lets one thread at a time into LLVM, so a second core needs a second process: IR on its
stdin, object code on its stdout. Frames are an 8-byte length and that many bytes; an empty reply
says that the module failed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from jounce.codegen.llvm.host import compile_module

PATIENCE = 120.0  # seconds a helper may take for its last module
# What a helper runs: it finds our packages where we found them, and nothing elsewhere.
_HELPER = "import sys; sys.path += sys.argv[1:]; from jounce.codegen.parallel import serve; serve()"
Progress = Callable[[int, int], None]


@contextmanager
def helpers(count: int) -> Iterator[list[Helper]]:
    """Start helpers, which get ready while modules are printed, and end them."""
    team = [Helper() for _ in range(count)]
    try:
        yield team
    finally:
        for helper in team:
            helper.stop()


def compile_modules(
    modules: tuple[str, ...], team: Sequence[Helper] = (), *, progress: Progress | None = None
) -> list[bytes]:
    """Return the object code of each module.

    `progress(done, total)` is called after each module, from the calling thread.
    """
    queue = deque(range(len(modules)))
    results: dict[int, bytes] = {}

    def compile_here(index: int) -> None:
        if index not in results:
            results[index] = compile_module(modules[index])
        if progress is not None:
            progress(len(results), len(modules))

    for helper in team:
        helper.give(modules, queue, results)
    while queue:
        try:
            index = queue.popleft()
        except IndexError:  # a helper was faster
            break
        compile_here(index)
    for helper in team:
        if helper.thread.is_alive():
            helper.thread.join(PATIENCE)
    for index in range(len(modules)):
        compile_here(index)
    return [results[index] for index in range(len(modules))]


def available_workers() -> int:
    """Return how many helpers make sense next to this process."""
    return min(available_cores(), 8) - 1


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Helper:
    """A worker process and the thread that feeds it from the common queue."""

    def __init__(self) -> None:
        self.modules: tuple[str, ...] = ()
        self.queue: deque[int] = deque()
        self.results: dict[int, bytes] = {}
        self.given, self.stopped = threading.Event(), False
        self.process: subprocess.Popen[bytes] | None = None
        self.thread = threading.Thread(target=self._feed, daemon=True)
        if "python" in Path(sys.executable or "").name.lower():  # not an application around it
            self.thread.start()

    def give(self, modules: tuple[str, ...], queue: deque[int], results: dict[int, bytes]) -> None:
        """Let it take modules from the queue."""
        self.modules, self.queue, self.results = modules, queue, results
        self.given.set()

    def _feed(self) -> None:
        """Send modules and keep the answers; leave on any trouble."""
        try:
            self.process = _start()
            assert self.process.stdin is not None
            assert self.process.stdout is not None
            self.given.wait()
            while not self.stopped:
                index = self.queue.popleft()
                _write_frame(self.process.stdin, self.modules[index].encode())
                data = _read_frame(self.process.stdout)
                if not data:
                    return
                self.results[index] = data
        except (OSError, ValueError, IndexError):
            return
        finally:
            self._end()

    def stop(self) -> None:
        """End the process; one that is only just starting is ended by its thread."""
        self.stopped = True
        self.given.set()
        if self.process is not None:
            self.process.kill()
        if self.thread.is_alive():
            self.thread.join(1.0)

    def _end(self) -> None:
        """Let the process end by the end of its input, or at once."""
        if self.process is not None:
            if self.stopped:
                self.process.kill()
            self.process.communicate()


def _start() -> subprocess.Popen[bytes]:
    """Start a helper without the current directory, PYTHON… variables and site packages."""
    roots = [_root(name) for name in ("jounce", "llvmlite")]
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _HELPER, *dict.fromkeys(roots)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def _root(package: str) -> str:
    """Return the directory that a package of ours was imported from."""
    file = sys.modules[package].__file__
    assert file is not None
    return str(Path(file).resolve().parents[1])


def serve() -> None:
    """Compile until stdin ends."""
    while (frame := _read_frame(sys.stdin.buffer)) is not None:
        try:
            data = compile_module(frame.decode())
        except Exception:  # the parent compiles it and meets the error itself
            data = b""
        _write_frame(sys.stdout.buffer, data)


def _write_frame(stream: IO[bytes], data: bytes) -> None:
    stream.write(len(data).to_bytes(8, "little"))
    stream.write(data)
    stream.flush()


def _read_frame(stream: IO[bytes]) -> bytes | None:
    """Receive one frame; None at the end of the stream."""
    head = stream.read(8)
    size = int.from_bytes(head, "little")
    data = stream.read(size) if len(head) == 8 else b""
    return data if len(head) == 8 and len(data) == size else None
