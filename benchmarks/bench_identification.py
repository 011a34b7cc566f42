"""A million samples to triangles, against one least-squares problem; robot and motion from them."""

from __future__ import annotations

from time import perf_counter, process_time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import jounce
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
        "excitation of 10 s, 5 harmonics": (lambda: excitation(robot, duration=10.0), 1.0),
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
    console.print(_criteria(robot))


def _criteria(robot: jounce.Robot) -> Table:
    """Compare what is made best: information, or the condition number as figaroh does."""
    table = Table(title="excitation of a Panda, 10 s, 5 harmonics, the same limits and descent")
    for heading in ("made best", "log det", "condition", "mean error, of the first", "s"):
        table.add_column(heading, justify="left" if heading == "made best" else "right")
    first = None
    for criterion in ("information", "condition"):
        used = process_time()
        found = excitation(robot, duration=10.0, criterion=criterion)
        used = process_time() - used
        first = found.uncertainty if first is None else first
        worse = np.exp(np.mean(np.log(found.uncertainty / first)))
        cells = f"{found.log_det:.1f}", f"{found.condition:.1f}", f"{worse:.2f}", f"{used:.1f}"
        table.add_row(criterion, *cells)
    return table
