"""Tell a person who waits what is being waited for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Timer

PATIENCE = 1.0  # s


@contextmanager
def told_when_slow(what: str) -> Iterator[None]:
    """Say on stderr what takes more than a second, once, if a person is watching.

    That is so on a terminal, and where Python asks for input, as in a notebook.
    """
    if not _is_watched():
        yield
        return
    timer = Timer(PATIENCE, _tell, (f"jounce: {what}\n",))
    timer.daemon = True
    with suppress(RuntimeError):  # no thread to be had: nobody is told
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _is_watched() -> bool:
    try:
        return hasattr(sys, "ps1") or sys.stderr.isatty()
    except (AttributeError, ValueError):  # no stderr, or a closed one
        return False


def _tell(line: str) -> None:
    with suppress(OSError, ValueError, AttributeError, UnicodeError):
        sys.stderr.write(line)
        sys.stderr.flush()
