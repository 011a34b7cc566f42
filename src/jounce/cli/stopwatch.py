"""How long the stages of a command take."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Stopwatch:
    """Seconds of each stage, without those of the stages inside it.

    >>> watch = Stopwatch()
    >>> with watch.stage("fit"), watch.stage("read"):
    ...     pass
    >>> list(watch.seconds)
    ['fit', 'read']
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._running: list[str] = []
        self._since = 0.0

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time of the block for this stage."""
        self._switch()
        self._running.append(name)
        self.seconds.setdefault(name, 0.0)
        try:
            yield
        finally:
            self._switch()
            self._running.pop()

    def _switch(self) -> None:
        now = time.perf_counter()
        if self._running:
            self.seconds[self._running[-1]] += now - self._since
        self._since = now
