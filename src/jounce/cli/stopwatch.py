"""How long the stages of a command take."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class _Running(threading.local):
    """The stages that a thread is in, and since when it is in the last."""

    def __init__(self) -> None:
        self.stages: list[str] = []
        self.since = 0.0


class Stopwatch:
    """Seconds of each stage, without those of the stages inside it, in whatever thread it runs.

    >>> watch = Stopwatch()
    >>> with watch.stage("fit"), watch.stage("read"):
    ...     pass
    >>> list(watch.seconds)
    ['fit', 'read']
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._thread = _Running()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time of the block for this stage."""
        self._switch()
        self._thread.stages.append(name)
        self.seconds.setdefault(name, 0.0)
        try:
            yield
        finally:
            self._switch()
            self._thread.stages.pop()

    def _switch(self) -> None:
        now = time.perf_counter()
        if self._thread.stages:
            self.seconds[self._thread.stages[-1]] += now - self._thread.since
        self._thread.since = now
