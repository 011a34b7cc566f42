"""Feedforward of elastic joints against inverse dynamics of second order."""

from __future__ import annotations

import numpy as np
from rich.console import Console

import jounce
from benchmarks.timing import at_most, best_times

SAMPLES = 4096


def run(console: Console) -> None:
    """Time batches on one thread and single calls from Python."""
    robot = jounce.load("panda")
    drives = jounce.elastic.SeriesElastic(robot, 2000.0, 0.5)
    rng = np.random.default_rng(0)
    batch = list(rng.normal(size=(5, SAMPLES, 7)))
    single = [x[0].copy() for x in batch]
    second = jounce.kernel(robot, "inverse_dynamics", order=2)
    many = best_times({"ours": lambda: drives.feedforward(*batch), "Q2": lambda: second(*batch)})
    console.print(f"feedforward of {SAMPLES} samples against inverse dynamics of order 2: "
                  + at_most(many["ours"] / many["Q2"], 1.5))  # fmt: skip
    one = best_times({"ours": lambda: drives.feedforward(*single)}, rounds=40, loops=1000)
    console.print(f"one feedforward from Python: {at_most(one['ours'] * 1e6, 10.0, ' µs')}")
