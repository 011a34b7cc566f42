"""How long the stages of a command take, also where one pulls the next through a generator."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


class Stopwatch:
    """Seconds of each stage, without those of the stages inside it.

    >>> watch = Stopwatch()
    >>> for number in watch.each("count", range(3)):
    ...     with watch.stage("square"):
    ...         number = number**2
    >>> list(watch.seconds)
    ['count', 'square']
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

    def each(self, name: str, items: Iterable[T]) -> Iterator[T]:
        """Yield the items; the time it takes to make them counts for this stage."""
        iterator, end = iter(items), object()
        while True:
            with self.stage(name):
                item = next(iterator, end)
            if item is end:
                return
            yield item  # pyright: ignore[reportReturnType]

    def _switch(self) -> None:
        now = time.perf_counter()
        if self._running:
            self.seconds[self._running[-1]] += now - self._since
        self._since = now
