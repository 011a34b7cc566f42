"""The report of 10,001 samples: its size, and how long headless Chromium takes to open it."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
from rich.console import Console

import jounce
from benchmarks.timing import at_most
from jounce.report import default_motion, write_report
from tests.browser.chromium import chromium, executable


def run(console: Console) -> None:
    """Write it, open it three times, print the best."""
    robot, t = jounce.load("panda"), np.linspace(0.0, 10.0, 10_001)
    drives = jounce.elastic.SeriesElastic(robot, 2000.0, 0.5)
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "report.html"
        motion = default_motion(robot, t)
        begin = time.perf_counter()
        write_report(file, robot, t, *motion, elastic=drives)
        seconds = time.perf_counter() - begin
        size = at_most(file.stat().st_size / 1e6, 15.0, " MB")
        console.print(
            f"report of {t.size} samples of the Panda: {size}, written in {seconds:.1f} s"
        )
        if executable() is None:
            console.print("Chromium is not installed: not opened")
            return
        opened, ready = np.min([_opened(file) for _ in range(3)], axis=0) / 1e3
    console.print(f"robot and tables on the screen after {opened:.2f} s, curves", end=" ")
    console.print(f"after {at_most(ready, 3.0, ' s')}")


def _opened(file: Path) -> tuple[float, float]:
    with chromium() as page:
        ready = page.open(file)
        return page.evaluate("window.jounceOpen"), ready
