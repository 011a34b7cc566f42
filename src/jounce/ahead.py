"""Items that a thread makes while those before them are used."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def ahead(items: Iterable[T], most: int = 1) -> Generator[T, None, None]:
    """Yield all items; up to ``most`` are made before they are asked for.

    An error comes when the item that raised it would.  Who stops early waits for the one item that
    is being made.

    >>> list(ahead(x * x for x in range(4)))
    [0, 1, 4, 9]
    """
    iterator, end = iter(items), object()
    coming: deque[Future[Any]] = deque()
    with ThreadPoolExecutor(1) as thread:
        try:
            while True:
                while len(coming) <= most:
                    coming.append(thread.submit(next, iterator, end))
                item = coming.popleft().result()
                if item is end:
                    return
                yield item
        finally:
            for future in coming:
                future.cancel()
