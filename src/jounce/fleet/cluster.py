"""Where the work is done: processes of this machine, or a cluster that is there."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import islice
from math import inf
from time import monotonic
from typing import Any

from jounce.errors import ArgumentError, ClusterError
from jounce.fleet.manifest import one_line
from jounce.fleet.sources import Source
from jounce.lazy import required
from jounce.model.checks import checked_integer

AHEAD = 4  # tasks that are there for every thread of the cluster
EVERY = 1.0  # s after which its threads are counted again: workers come and go
# Dask has workers return memory at once; asking for it again would be a third of their work.
# It also looks a hundred times a second at what they do.
OWN = {
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 2**27,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 2**25,
    "distributed.worker.profile.enabled": False,
}
Progress = Callable[[int, int], None]


@contextmanager
def connected(client: Any, workers: int | None) -> Iterator[Any]:
    """Yield a client of Dask: the one given, one of the address given, or one of our own.

    Our own has ``workers`` processes of one thread on this machine, as many as there are cores
    unless told; they end with the block.
    """
    distributed = required("distributed", "a fleet", "fleet")
    if client is not None and workers is not None:
        raise ArgumentError("give a client or workers, not both: a cluster has its own workers.")
    if isinstance(client, str):
        try:
            own = distributed.Client(client)
        except (OSError, ValueError) as error:
            raise ClusterError(
                f"no scheduler at {client} ({error}); give the address it prints when it starts."
            ) from error
        with own:
            yield own
    elif client is not None:
        yield client
    else:
        import dask.config

        count = os.cpu_count() or 1 if workers is None else checked_integer("workers", workers, 1)
        with (
            dask.config.set(OWN),
            distributed.LocalCluster(
                n_workers=count, threads_per_worker=1, dashboard_address="127.0.0.1:0"
            ) as cluster,
            distributed.Client(cluster) as own,
        ):
            yield own


def packed(common: Any) -> bytes:
    """Return what many tasks are given, as bytes that travel with each; `unpacked` undoes it.

    Were it the result of a task, they would all go to the worker that has it, or follow slowly.
    """
    return pickle.dumps(common)


@lru_cache(maxsize=4)
def unpacked(common: bytes) -> Any:
    """Return what was `packed`; a worker does that once."""
    return pickle.loads(common)


def outcomes(
    client: Any,
    logs: Sequence[Source],
    begin: Callable[[Source], Any],
    follow: Callable[[Any], Any] = lambda _: None,
    progress: Progress | None = None,
) -> Iterator[tuple[Source, Any]]:
    """Yield logs and what became of them, in the order in which they end.

    ``begin(log)`` submits the task of a log, a few ahead of what the cluster can do;
    ``follow(result)`` the one that goes on with what a task returned, None if there is none.  What
    no worker could do becomes a line that says so.  ``progress(done, total)`` is told after each.
    """
    distributed = required("distributed", "a fleet", "fleet")
    waiting, done = iter(logs), 0
    running = distributed.as_completed()
    about: dict[str, Source] = {}
    counted, wanted = -inf, AHEAD

    def add(log: Source, future: Any) -> None:
        about[future.key] = log
        running.add(future)

    def fill() -> None:
        nonlocal counted, wanted
        if monotonic() - counted > EVERY:
            with suppress(OSError):  # that a scheduler has gone, the tasks will tell
                wanted = AHEAD * (sum(client.nthreads().values()) or 1)
            counted = monotonic()
        for log in islice(waiting, max(0, wanted - running.count())):
            add(log, begin(log))

    try:
        fill()
        for future in running:
            log = about.pop(future.key)
            outcome = _outcome(client, log, future)
            following = follow(outcome)
            if following is not None:
                add(log, following)
            fill()
            if following is None:
                done += 1
                yield log, outcome
                if progress is not None:
                    progress(done, len(logs))
    finally:
        with suppress(Exception):  # the scheduler may have gone
            client.cancel(list(running.futures), force=True)


def _outcome(client: Any, log: Source, future: Any) -> Any:
    if future.status in ("cancelled", "lost"):
        raise ClusterError(
            f"the scheduler {client.scheduler.addr} went away or dropped the work; run it again: "
            "what is done is not done again."
        )
    failure = future.exception()
    if failure is None:
        return future.result()
    return f"{log.path}: no worker could do it ({one_line(failure)})."
