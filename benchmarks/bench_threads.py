"""Batches on two cores against one: every quantity of the table, and what the Panda takes."""

from __future__ import annotations

import os

import numpy as np
from rich.console import Console
from rich.table import Table

import jounce
from benchmarks.timing import at_least, best_times
from jounce.errors import JounceError
from jounce.kernels.description import kernel_spec
from jounce.kernels.kernel import Kernel, kernel_of
from jounce.kernels.table import QUANTITIES

SAMPLES = (4096, 10**6)
MEMORY = 2 * 2**30  # bytes of arguments and results at most: wide ones get fewer samples
BAR = 1.85
FRAME = "flange"


def run(console: Console) -> None:
    """Print how much faster two threads are than one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    table = Table(title=f"panda: times the speed of one thread with two (of {cores} cores)")
    for heading in ("quantity", "operations", "one sample", *(f"{n:,} samples" for n in SAMPLES)):
        table.add_column(heading, justify="left" if heading == "quantity" else "right")
    robot = jounce.load("panda")
    for name in QUANTITIES:
        kernel = _kernel(robot, name)
        if kernel is not None and kernel.operations:
            cells = [_compare(kernel, samples) for samples in SAMPLES]
            times, ratios = zip(*cells, strict=True)
            each = f"{times[-1] * 1e6:.3f} µs"
            table.add_row(name, str(kernel.operations), each, *ratios)
    console.print(table)


def _kernel(robot: jounce.Robot, name: str) -> Kernel | None:
    """Return the kernel of a quantity; None for those of robots with closures and the like."""
    options = {"frame": FRAME} if "frame" in QUANTITIES[name].options else {}
    try:
        return kernel_of(kernel_spec(robot, name, options=options)).compile()
    except JounceError:
        return None


def _compare(kernel: Kernel, samples: int) -> tuple[float, str]:
    """Return the seconds of one sample on one thread and the speed of two."""
    arguments, rows = kernel.signature.arguments, kernel.signature.rows
    width = sum(a.width * max(a.orders, 1) for a in arguments)
    fit = int(MEMORY // (8 * (width + rows * np.prod(kernel.signature.tail, dtype=int))))
    count = min(samples, fit)
    rng = np.random.default_rng(0)
    motion = [
        rng.uniform(-1.0, 1.0, size=(*([a.orders] if a.orders else []), count, a.width))
        for a in arguments
    ]
    out = kernel(*motion)
    actions = {str(n): lambda n=n: kernel(*motion, out=out, threads=n) for n in (1, 2)}
    best = best_times(actions, rounds=40 if count < 10**5 else 7)
    fewer = f" [dim]of {count:,}[/dim]" if count < samples else ""
    return best["1"] / count, at_least(best["1"] / best["2"], BAR) + fewer
