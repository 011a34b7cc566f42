"""Batches on two cores against one: every quantity of the table, and what the Panda takes."""

from __future__ import annotations

import ctypes
import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import inf, prod

import numpy as np
from rich.console import Console
from rich.live import Live
from rich.table import Table

import jounce
from benchmarks.timing import Action, at_least, best_times, repeated
from jounce.errors import JounceError
from jounce.kernels.description import kernel_spec
from jounce.kernels.kernel import Kernel, kernel_of
from jounce.kernels.table import QUANTITIES

SAMPLES = (4096, 10**6)
MEMORY = 2 * 2**30  # bytes of arguments and results at most: wide ones get fewer samples
FOLLOWING = 0.01  # seconds of batches that follow each other: threads are awake in between
PASSES, ROUNDS = 4, 5  # over all quantities, so that no moment decides about one of them
FILLED = (2, 16, 512)  # MiB
BAR = 1.85
SHARE = 0.95  # of what two calls reach that have nothing to do with each other
CAPTION = (
    "apart: two threads that call the kernel for themselves, each with memory of its own, for "
    "what does not stay in the cache: where two cores have one way to memory, nothing is faster. "
    "Small batches: it takes 0.1 to 0.5 µs until the other core sees what one wrote, and 1 to 5 µs "
    "to have rows back that the first one fetched ahead, by how far apart the cores lie."
)
LARGE = 16 * 2**20  # bytes of arguments and results that do not stay in the cache
FRAME = "flange"

Best = dict[tuple[str, int], dict[str, float]]  # seconds, by quantity and number of samples


def run(console: Console) -> None:
    """Print how much faster two threads are than one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    title = f"panda: times the speed of one thread with two (of {cores} cores)"
    robot = jounce.load("panda")
    found = {name: _kernel(robot, name) for name in QUANTITIES}
    kernels = {name: x for name, x in found.items() if x is not None and x.operations}
    best: Best = {}
    with Live(console=console, auto_refresh=False, vertical_overflow="visible") as live:
        for k in range(PASSES):
            for name, kernel in kernels.items():
                for samples in SAMPLES if k % 2 else SAMPLES[:1]:
                    _measure(best.setdefault((name, samples), {}), kernel, samples)
            heading = f"{title}, best of {k + 1} × {ROUNDS}"
            live.update(_table(heading, kernels, best), refresh=True)
    filled = ", ".join(f"{size} MiB {_filling(size * 2**20):.2f}×" for size in FILLED)
    console.print(f"two threads that only fill memory: {filled}")


def _table(title: str, kernels: dict[str, Kernel], best: Best) -> Table:
    table = Table(title=title, caption=CAPTION)
    for heading in ("quantity", "operations", "one sample", *(f"{n:,} samples" for n in SAMPLES)):
        table.add_column(heading, justify="left" if heading == "quantity" else "right")
    for name, kernel in kernels.items():
        each = best[name, SAMPLES[0]]["one"] / SAMPLES[0]
        cells = [_cell(kernel, n, best[name, n]) if (name, n) in best else "" for n in SAMPLES]
        table.add_row(name, str(kernel.operations), f"{each * 1e6:.3f} µs", *cells)
    return table


def _kernel(robot: jounce.Robot, name: str) -> Kernel | None:
    """Return the kernel of a quantity; None for those of robots with closures and the like."""
    options = {"frame": FRAME} if "frame" in QUANTITIES[name].options else {}
    try:
        return kernel_of(kernel_spec(robot, name, options=options)).compile()
    except JounceError:
        return None


def _count(kernel: Kernel, samples: int) -> int:
    """Return how many samples are measured: wide ones would fill the memory."""
    arguments, rows = kernel.signature.arguments, kernel.signature.rows
    width = sum(a.width * max(a.orders, 1) for a in arguments)
    return min(samples, MEMORY // (8 * (width + rows * prod(kernel.signature.tail))))


def _measure(best: dict[str, float], kernel: Kernel, samples: int) -> None:
    """Lower the best times of one thread, of two, and of two that have nothing in common."""
    motion = _motion(kernel, _count(kernel, samples))
    out = kernel(*motion)
    once = best_times({"one": lambda: kernel(*motion, out=out, threads=1)}, rounds=1)["one"]
    loops = max(1, int(FOLLOWING / once))
    one, two = (repeated(partial(kernel, *motion, out=out, threads=n), loops) for n in (1, 2))
    actions: dict[str, Action] = {"one": one, "two": two}
    with ThreadPoolExecutor(1) as other:
        if sum(x.nbytes for x in (*motion, out)) > LARGE:
            actions["apart"] = _apart(other, kernel, motion, out, loops)
        found = best_times(actions, rounds=ROUNDS)
    best |= {name: min(time / loops, best.get(name, inf)) for name, time in found.items()}


def _apart(
    other: ThreadPoolExecutor, kernel: Kernel, motion: list[np.ndarray], out: np.ndarray, loops: int
) -> Action:
    """Return two threads that compute half of the rows each, in halves of the same memory."""
    axes = [int(a.orders > 0) for a in kernel.signature.arguments]
    first, second = (
        repeated(
            partial(
                kernel,
                *(_half(x, axis, k) for x, axis in zip(motion, axes, strict=True)),
                out=_half(out, 1, k),
                threads=1,
            ),
            loops,
        )
        for k in range(2)
    )

    def run() -> None:
        rest = other.submit(second)
        first()
        rest.result()

    return run


def _half(x: np.ndarray, axis: int, k: int) -> np.ndarray:
    """Return half of the memory of an array, in one piece, as one with half of the rows."""
    shape = list(x.shape)
    shape[axis] //= 2
    return x.reshape(-1)[k * prod(shape) : (k + 1) * prod(shape)].reshape(shape)


def _cell(kernel: Kernel, samples: int, best: dict[str, float]) -> str:
    """Spell the speed of two threads, and beside what is below the bar what the machine allows."""
    ratio, count = best["one"] / best["two"], _count(kernel, samples)
    apart = best["one"] / best["apart"] if ratio < BAR and "apart" in best else inf
    cell = at_least(ratio, round(min(BAR, SHARE * apart), 2))
    if SHARE * apart < BAR:
        cell += f" [dim]apart {apart:.2f}×[/dim]"
    return cell + (f" [dim]of {count:,}[/dim]" if count < samples else "")


def _fill(begin: int, size: int, times: int = 1) -> None:
    memset = ctypes.CDLL(None).memset
    memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
    repeated(lambda: memset(begin, 1, size), times)()


def _fill_together(other: ThreadPoolExecutor, begin: int, size: int, times: int = 1) -> None:
    half = size // 2
    rest = other.submit(_fill, begin + half, size - half, times)
    _fill(begin, half, times)
    rest.result()


def _filling(size: int) -> float:
    """Return how much faster two threads fill so many bytes than one."""
    memory = np.zeros(size, np.uint8)
    begin, times = memory.ctypes.data, max(1, 2**29 // size)
    with ThreadPoolExecutor(1) as other:
        actions = {
            "one": lambda: _fill(begin, size, times),
            "two": lambda: _fill_together(other, begin, size, times),
        }
        best = best_times(actions, rounds=9)
    return best["one"] / best["two"]


def _motion(kernel: Kernel, count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [
        rng.uniform(-1.0, 1.0, size=(*([a.orders] if a.orders else []), count, a.width))
        for a in kernel.signature.arguments
    ]
