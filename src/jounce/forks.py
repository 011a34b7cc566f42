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


def around(close: Callable[[], object], open: Callable[[], object]) -> None:
    """Call ``close`` before every fork and ``open`` after it, in both processes.

    A fork that waits lets others import modules with handlers of their own, and calls the later
    ones of these only: here nothing is opened that was not closed.
    """
    closed: list[int] = []  # threads that fork

    def before() -> None:
        close()
        closed.append(_me())

    def after() -> None:
        if _me() in closed:
            closed.remove(_me())
            open()

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=before, after_in_parent=after, after_in_child=after)


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


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_wait_for_imports, after_in_child=_forget_halves)
