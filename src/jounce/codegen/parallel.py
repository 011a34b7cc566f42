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
        while (item := wanted.get()) is not None:
            index, text = item
            try:
                with compiling():  # whoever waits for it may be interrupted
                    made.put((index, compile_module(text)))
            except Exception as error:
                made.put((index, error))
        wanted.put(None)  # for the next of them

    threads: list[threading.Thread] = []
    try:
        _start(work, min(available_cores(), MAX_WORKERS), threads)
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
        wanted.put(None)
        for thread in threads:
            thread.join()


def _start(work: Callable[[], None], count: int, threads: list[threading.Thread]) -> None:
    """Start so many threads that work, or as many as there are to be had, and list them."""
    with suppress(RuntimeError):  # as many as the system allows, or Python is about to end
        for _ in range(count):
            thread = threading.Thread(target=work, daemon=True)
            thread.start()
            threads.append(thread)


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
