"""A million samples to triangles, against one least-squares problem; robot and motion from them."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import jounce
from benchmarks.timing import at_most
from jounce.identification import Information, excitation, identify

SAMPLES, PEER = 1_000_000, 20_000  # the peer is timed on fewer, and scaled


def run(console: Console) -> None:
    """Print seconds, of the clock and of the processor, and the ratio to NumPy's lstsq."""
    robot = jounce.load("panda")
    rng = np.random.default_rng(0)
    data = [rng.normal(size=(SAMPLES, 7)) for _ in range(4)]
    few = [x[:PEER] for x in data]
    told = Information(robot).add(*few)  # compiled by now

    def peer() -> Any:
        Y = jounce.regressor(robot, *few[:3], friction=True)[0]
        return np.linalg.lstsq(Y.reshape(-1, Y.shape[-1]), few[3].ravel(), rcond=None)

    actions = {
        f"Information of {SAMPLES:,} samples": (lambda: Information(robot).add(*data), 1.0),
        "numpy.linalg.lstsq of as many": (peer, SAMPLES / PEER),
        "identify, from the Information": (lambda: identify(robot, told), 1.0),
    }
    table = Table(title="identification of a Panda")
    for heading in ("", "s", "s of processor", "ratio"):
        table.add_column(heading, justify="right" if heading else "left")
    first = 0.0
    for name, (action, factor) in actions.items():
        wall, used = perf_counter(), process_time()
        action()
        wall, used = (perf_counter() - wall) * factor, (process_time() - used) * factor
        first = first or used
        ratio = f"{used / first:.1f}" if "lstsq" in name else ""
        table.add_row(name, f"{wall:.2f}", f"{used:.2f}", ratio)
    console.print(table)
    program = "from benchmarks.bench_identification import stream; stream()"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    seconds, peak = map(float, done.stdout.split())
    console.print(
        f"Information of {SAMPLES:,} samples, in parts: {at_most(seconds, 6.0, ' s')}, "
        f"{at_most(peak, 0.5, ' GB')} of memory in all"
    )
    console.print(_criteria(robot))


def stream() -> None:
    """Take in all samples in parts; print the seconds and the memory of this process."""
    robot, rng = jounce.load("panda"), np.random.default_rng(0)
    Information(robot).add(*rng.normal(size=(4, 1000, 7)))  # compiled by now
    told, seconds = Information(robot), 0.0
    while told.samples < SAMPLES:
        part = rng.normal(size=(4, SAMPLES // 20, 7))
        start = perf_counter()
        told.add(*part)
        seconds += perf_counter() - start
    status = Path("/proc/self/status")
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if status.exists():  # what was used before this program began does not count
        kilobytes = int(re.findall(r"VmHWM:\s+(\d+)", status.read_text())[0])
    print(seconds, kilobytes * 1024 / 1e9)


def _criteria(robot: jounce.Robot) -> Table:
    """Compare what is made best: information, or the condition number as figaroh does."""
    table = Table(title="excitation of a Panda, 10 s, 5 harmonics, the same limits and descent")
    for heading in ("made best", "log det", "condition", "mean error, of the first", ""):
        table.add_column(heading, justify="left" if heading == "made best" else "right")
    first = None
    for criterion in ("information", "condition"):
        start = perf_counter()
        found = excitation(robot, duration=10.0, criterion=criterion)
        seconds = at_most(perf_counter() - start, 60.0, " s")
        first = found.uncertainty if first is None else first
        worse = np.exp(np.mean(np.log(found.uncertainty / first)))
        cells = f"{found.log_det:.1f}", f"{found.condition:.1f}", f"{worse:.2f}"
        table.add_row(criterion, *cells, seconds)
    return table
