"""Where the work is done."""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from jounce.fleet import cluster, inverse_dynamics
from jounce.fleet.cluster import AHEAD, outcomes
from jounce.fleet.sources import Source
from tests.unit.fleet.logs import ARM, write_log

pytest.importorskip("distributed")


def test_workers_that_come_later_get_work(one: Any, monkeypatch: pytest.MonkeyPatch):
    """As those of a job do that begins before its workers, and of a cluster that grows."""
    monkeypatch.setattr(cluster, "EVERY", 0.0)
    there = count()
    monkeypatch.setattr(one, "nthreads", lambda: dict.fromkeys(range(next(there)), 1))
    submitted = 0

    def begin(log: Source) -> Any:
        nonlocal submitted
        submitted += 1
        return one.submit(int, log.path, pure=False)

    found = []
    ahead = []
    logs = [Source(str(i), "") for i in range(100)]
    for done, (log, outcome) in enumerate(outcomes(one, logs, begin)):
        assert int(log.path) == outcome
        found.append(outcome)
        ahead.append(submitted - done - 1)  # of those that are not yielded
    assert sorted(found) == list(range(100))
    assert ahead[:3] == [AHEAD, 2 * AHEAD, 3 * AHEAD]


def test_a_scheduler_that_cannot_be_asked_is_told_by_the_tasks(
    one: Any, monkeypatch: pytest.MonkeyPatch
):
    def gone() -> dict[str, int]:
        raise OSError("Timed out trying to connect")

    monkeypatch.setattr(one, "nthreads", gone)
    logs = [Source(str(i), "") for i in range(20)]
    found = outcomes(one, logs, lambda log: one.submit(int, log.path, pure=False))
    assert sorted(outcome for _, outcome in found) == list(range(20))


class Deadly:
    """What ends the process that unpickles it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (1,)


@pytest.mark.slow
def test_a_log_that_kills_its_workers_is_recorded(tmp_path: Path):
    pytest.importorskip("pyarrow")
    log = write_log(tmp_path / "log.csv")
    done = inverse_dynamics(ARM, log, tmp_path / "out", workers=1, noise=Deadly())
    (record,) = done.failed
    assert record.error is not None
    assert record.error.startswith(f"{log}: no worker could do it (KilledWorker: ")
    assert "\n" not in record.error
