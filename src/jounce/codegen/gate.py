"""Who compiles right now: a fork and the end of the process wait for them.

A thread that is copied in the middle of LLVM never goes on in the child, and its locks stay
taken there; and the end of a process takes LLVM apart under the threads that are still in it.

Meanwhile Python does not look for cycles to collect: tracing makes hundreds of thousands of objects
that stay, and going through them again and again took a third of its time.
"""

from __future__ import annotations

import atexit
import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from jounce.forks import around

_inside: dict[int, int] = {}  # thread -> how often it has entered
_locks: list[Any] = []  # that others may hold outside: LLVM's, while they dispose of code
_changed = threading.Condition()
_collects = True  # whether Python looked for cycles when the first of them entered


@contextmanager
def compiling() -> Iterator[None]:
    """Hold off forks of other threads, and the end of the process, while the block runs."""
    global _collects  # noqa: PLW0603
    me = threading.get_ident()
    with _changed:
        if not _inside:
            _collects = gc.isenabled()
            gc.disable()
        _inside[me] = _inside.get(me, 0) + 1
    try:
        yield
    finally:
        with _changed:
            _inside[me] -= 1
            if not _inside[me]:
                del _inside[me]
                _changed.notify_all()
            if not _inside and _collects:
                gc.enable()


def _close() -> None:
    """Wait until no other thread is inside, and let none in."""
    _changed.acquire()
    me = threading.get_ident()
    while any(thread != me for thread in _inside):
        _changed.wait()


def _close_for_fork() -> None:
    """Also take the locks that nobody may hold in the child."""
    _close()
    for lock in _locks:
        lock.acquire()


def _open_after_fork() -> None:
    for lock in _locks:
        lock.release()
    _changed.release()


def hold_at_forks(lock: Any) -> None:
    """Let forks wait for whoever holds a lock without being inside."""
    with _changed:
        _locks.append(lock)


atexit.register(_close)
around(_close_for_fork, _open_after_fork)
