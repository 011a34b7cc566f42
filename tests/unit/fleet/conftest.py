"""One cluster of processes for all tests of fleets, and one worker in this process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="package")
def two() -> Iterator[Any]:
    """Return a client of two processes of this machine."""
    distributed = pytest.importorskip("distributed")
    pytest.importorskip("pyarrow")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def one() -> Iterator[Any]:
    """Return a client of one worker that is a thread of this process."""
    distributed = pytest.importorskip("distributed")
    with distributed.Client(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
    ) as client:
        yield client
