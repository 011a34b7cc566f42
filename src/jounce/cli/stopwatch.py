"""How long the stages of a command take."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


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
        self._thread = threading.local()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time of the block for this stage."""
        outer = getattr(self._thread, "stage", None)
        self.seconds.setdefault(name, 0.0)
        self._enter(name)
        try:
            yield
        finally:
            self._enter(outer)

    def _enter(self, stage: str | None) -> None:
        """Go to another stage of this thread, or to none; what has passed is of the one before."""
        now, before = time.perf_counter(), getattr(self._thread, "stage", None)
        if before is not None:
            self.seconds[before] += now - self._thread.since
        self._thread.stage, self._thread.since = stage, now
