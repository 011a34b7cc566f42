"""Batches on two cores against one: every quantity of the table, and what the Panda takes."""

from __future__ import annotations

import os

import numpy as np
from rich.console import Console
from rich.live import Live
from rich.table import Table

import jounce
from benchmarks.timing import at_least, best_times
from jounce.errors import JounceError
from jounce.kernels.description import kernel_spec
from jounce.kernels.kernel import Kernel, kernel_of
from jounce.kernels.table import QUANTITIES

SAMPLES = (4096, 10**6)
MEMORY = 2 * 2**30  # bytes of arguments and results at most: wide ones get fewer samples
FOLLOWING = 0.02  # seconds of batches that follow each other: threads are awake in between
ROUNDS = 15
BAR = 1.85
CAPTION = (
    "limit: what the call itself allows, the Python part before rows are shared, measured on one "
    "sample. Beyond it, the other thread needs a microsecond or two to see the work, and rows go "
    "from the cache of one core to that of the other."
)
FRAME = "flange"


def run(console: Console) -> None:
    """Print how much faster two threads are than one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    title = f"panda: times the speed of one thread with two (of {cores} cores)"
    table = Table(title=title, caption=CAPTION)
    for heading in ("quantity", "operations", "one sample", *(f"{n:,} samples" for n in SAMPLES)):
        table.add_column(heading, justify="left" if heading == "quantity" else "right")
    robot = jounce.load("panda")
    with Live(table, console=console, auto_refresh=False, vertical_overflow="visible") as live:
        for name in QUANTITIES:
            kernel = _kernel(robot, name)
            if kernel is not None and kernel.operations:
                cells = [_compare(kernel, samples) for samples in SAMPLES]
                times, ratios = zip(*cells, strict=True)
                each = f"{times[-1] * 1e6:.3f} µs"
                table.add_row(name, str(kernel.operations), each, *ratios)
                live.refresh()


def _kernel(robot: jounce.Robot, name: str) -> Kernel | None:
    """Return the kernel of a quantity; None for those of robots with closures and the like."""
    options = {"frame": FRAME} if "frame" in QUANTITIES[name].options else {}
    try:
        return kernel_of(kernel_spec(robot, name, options=options)).compile()
    except JounceError:
        return None


def _compare(kernel: Kernel, samples: int) -> tuple[float, str]:
    """Return the seconds of one sample on one thread and the speed of two.

    Beside what is below the bar stands what two threads reach at most: the call itself, which is
    measured on one sample, has one thread in either case.
    """
    arguments, rows = kernel.signature.arguments, kernel.signature.rows
    width = sum(a.width * max(a.orders, 1) for a in arguments)
    fit = int(MEMORY // (8 * (width + rows * np.prod(kernel.signature.tail, dtype=int))))
    count = min(samples, fit)
    motion, one = _motion(kernel, count), _motion(kernel, 1)
    out, least = kernel(*motion), kernel(*one)
    actions = {
        "one": lambda: kernel(*motion, out=out, threads=1),
        "two": lambda: kernel(*motion, out=out, threads=2),
        "call": lambda: kernel(*one, out=least, threads=1),
    }
    once = best_times({"one": actions["one"]}, rounds=2)["one"]
    best = best_times(actions, rounds=ROUNDS, loops=max(1, int(FOLLOWING / once)))
    alone, two, call = best["one"], best["two"], best["call"]
    cell = at_least(alone / two, BAR)
    if alone / two < BAR:
        cell += f" [dim]limit {2.0 * alone / (alone + call):.2f}[/dim]"
    fewer = f" [dim]of {count:,}[/dim]" if count < samples else ""
    return alone / count, cell + fewer


def _motion(kernel: Kernel, count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [
        rng.uniform(-1.0, 1.0, size=(*([a.orders] if a.orders else []), count, a.width))
        for a in kernel.signature.arguments
    ]
