"""Compile several modules on all cores."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from queue import Empty, SimpleQueue

from jounce.codegen.gate import compiling
from jounce.codegen.llvm.host import compile_module

MAX_WORKERS = 8
Progress = Callable[[int, int], None]


def compile_modules(modules: Iterable[str], *, progress: Progress | None = None) -> list[bytes]:
    """Return the object code of each module; the first are compiled while others are made.

    `progress(done, total)` is told about modules compiled, from the calling thread.  The threads
    are plain ones: those of a pool take a lock that a fork holds while it waits for us.
    """
    wanted: SimpleQueue[tuple[int, str] | None] = SimpleQueue()  # None: there are no more
    made: SimpleQueue[tuple[int, bytes | Exception]] = SimpleQueue()

    def work() -> None:
        with compiling():  # whoever waits for it may be interrupted
            while (item := wanted.get()) is not None:
                index, text = item
                try:
                    made.put((index, compile_module(text)))
                except Exception as error:
                    made.put((index, error))

    threads = _started(work, min(available_cores(), MAX_WORKERS))
    try:
        total = 0
        for total, text in enumerate(modules, 1):
            wanted.put((total - 1, text))
        if not threads:
            wanted.put(None)
            work()
        objects = [b""] * total
        for done in range(1, total + 1):
            index, result = made.get()
            if isinstance(result, Exception):
                raise result
            objects[index] = result
            if progress is not None:
                progress(done, total)
        return objects
    finally:
        with suppress(Empty):
            while True:
                wanted.get_nowait()
        for _ in threads:
            wanted.put(None)
        for thread in threads:
            thread.join()


def _started(work: Callable[[], None], count: int) -> list[threading.Thread]:
    """Return so many threads that work, or as many as there are to be had."""
    threads = [threading.Thread(target=work, daemon=True) for _ in range(count)]
    for k, thread in enumerate(threads):
        try:
            thread.start()
        except RuntimeError:  # as many as the system allows, or Python is about to end
            return threads[:k]
    return threads


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
