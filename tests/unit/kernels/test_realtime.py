"""The loop of the benchmark: what is exported allocates nothing, and the counter would notice."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

import jounce
from benchmarks.bench_realtime import built, cycles

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("c++") is None, reason="no C++ compiler"),
    pytest.mark.skipif(sys.platform != "linux", reason="the counter is for glibc"),
]


def test_calls_allocate_nothing_and_the_counter_counts(tmp_path: Path):
    program = built(jounce.load("panda"), tmp_path, "c++")
    assert cycles(program, 2000, 0, "allocating").allocations == 2000
    for what in ("nothing", "compute"):
        found = cycles(program, 2000, 0, what)
        assert found.allocations == 0
        assert found.median <= found.p99 <= found.p9999 <= found.worst
