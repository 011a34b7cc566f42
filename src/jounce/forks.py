"""What other threads are at while one forks: they are not there in the child.

What they have locked would stay so.  So a fork waits for imports that Jounce has begun, and for
whoever holds a lock of ours; `jounce.codegen.gate` has it wait for those that compile.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

_PACKAGE = __name__.partition(".")[0]
_PATIENCE = 10.0  # s that a fork waits: an import may itself wait for the thread that forks


Handler = Callable[[], object]
_pairs: list[tuple[Handler, Handler]] = []
_to_open: dict[int, list[Handler]] = {}  # of threads that fork


def around(close: Handler, open: Handler) -> None:
    """Call ``close`` before every fork and ``open`` after it, in both processes."""
    _pairs.append((close, open))


def awaited_lock() -> AbstractContextManager[Any]:
    """Return a lock that no other thread holds when a process forks."""
    from threading import RLock

    lock = RLock()
    around(lock.acquire, lock.release)
    return lock


def _me() -> int:
    from threading import get_ident  # not at once: it takes a millisecond

    return get_ident()


def _imports_of_others() -> Iterator[tuple[str, int]]:
    """Yield the modules that other threads are importing, and who does.

    Python has a lock for each of them; `importlib` alone knows which.
    """
    known = getattr(sys.modules.get("importlib._bootstrap"), "_module_locks", {})
    for name, reference in list(known.items()):
        owner = getattr(reference(), "owner", None)
        if owner not in (None, _me()):
            yield name, owner


def _is_ours(module: Any) -> bool:
    return isinstance(module, str) and module.partition(".")[0] == _PACKAGE


def _works_for_us(thread: int) -> bool:
    """Whether a function of ours has called what a thread does."""
    frame = sys._current_frames().get(thread)
    while frame is not None:
        if _is_ours(frame.f_globals.get("__name__")):
            return True
        frame = frame.f_back
    return False


def _wait_for_imports() -> None:
    """Let other threads end the imports that Jounce has begun."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end and any(
        _is_ours(name) or _works_for_us(thread) for name, thread in _imports_of_others()
    ):
        time.sleep(1e-3)


def _forget_halves() -> None:
    """Let a forked child import anew what of ours another thread was importing all the same."""
    known = getattr(sys.modules.get("importlib._bootstrap"), "_module_locks", {})
    for name, _ in _imports_of_others():
        if _is_ours(name):
            known.pop(name, None)
            sys.modules.pop(name, None)


def _close_all() -> None:
    """Wait for imports and close; while it waits others may import what has to be closed, too.

    Python itself would not call what is registered while it forks.
    """
    to_open = _to_open[_me()] = []
    _wait_for_imports()
    while len(to_open) < len(_pairs):
        close, open = _pairs[len(to_open)]
        close()
        to_open.append(open)
        if len(to_open) == len(_pairs):
            _wait_for_imports()


def _open_all() -> None:
    for open in reversed(_to_open.pop(_me(), [])):
        open()


def _begin_child() -> None:
    _open_all()
    _forget_halves()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_close_all, after_in_parent=_open_all, after_in_child=_begin_child)
