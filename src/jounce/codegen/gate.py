"""Who compiles right now: a fork and the end of the process wait for them.

A thread that is copied in the middle of LLVM never goes on in the child, and its locks stay
taken there; and the end of a process takes LLVM apart under the threads that are still in it.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_inside: dict[int, int] = {}  # thread -> how often it has entered
_changed = threading.Condition()


@contextmanager
def compiling() -> Iterator[None]:
    """Hold off forks of other threads, and the end of the process, while the block runs."""
    me = threading.get_ident()
    with _changed:
        _inside[me] = _inside.get(me, 0) + 1
    try:
        yield
    finally:
        with _changed:
            _inside[me] -= 1
            if not _inside[me]:
                del _inside[me]
                _changed.notify_all()


def _close() -> None:
    """Wait until no other thread is inside, and let none in."""
    _changed.acquire()
    me = threading.get_ident()
    while any(thread != me for thread in _inside):
        _changed.wait()


atexit.register(_close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_close, after_in_parent=_changed.release, after_in_child=_changed.release
    )
