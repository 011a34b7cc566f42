"""Inverse dynamics of any order against Pinocchio's order 0; latency; compilation; operations."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import jounce
from benchmarks.peers import Pinocchio, urdf
from benchmarks.timing import Action, at_least, at_most, best_times

SAMPLES = 4096
ORDERS = (0, 2, 4)
BARS = {  # robot, floating: samples of Q…Q⁽ᵏ⁾ for each of Pinocchio's Q
    ("panda.urdf", False): (12.0, 6.0, 3.0),
    ("talos_reduced.urdf", False): (10.0, 5.0, 2.5),
    ("panda.urdf", True): (8.0, 4.0, 2.0),
    ("talos_reduced.urdf", True): (8.0, 4.0, 2.0),
}
TITLES = ("Q", "Q…Q̈", "Q…Q⁽⁴⁾")
GOLDEN = Path(__file__).parents[1] / "tests" / "golden" / "operations.json"


def run(console: Console) -> None:
    """Print all tables of inverse dynamics."""
    console.print(throughput())
    console.print(latency())
    console.print(compilation())
    console.print(operations())


def throughput() -> Table:
    """Compare batches on one thread."""
    table = Table(title=f"{SAMPLES} samples, one thread: times the speed of pin.rneaInParallel (Q)")
    for heading in ("robot", "Pinocchio Q", *TITLES):
        table.add_column(heading, justify="left" if heading == "robot" else "right")
    for (name, floating), bars in BARS.items():
        rng = np.random.default_rng(0)
        robot = jounce.load(urdf(name), mimic=False, floating_base=floating)
        actions = {"peer": Pinocchio(name, floating_base=floating).rnea_batch(SAMPLES, rng)}
        actions |= {title: _batch(robot, k, rng) for title, k in zip(TITLES, ORDERS, strict=True)}
        best = best_times(actions, rounds=25)
        cells = [
            at_least(best["peer"] / best[title], bar)
            for title, bar in zip(TITLES, bars, strict=True)
        ]
        title = f"{name}, floating" if floating else name
        table.add_row(title, f"{best['peer'] / SAMPLES * 1e6:.2f} µs", *cells)
    return table


def latency() -> Table:
    """Compare single samples from Python."""
    table = Table(title="one sample from Python: times the duration of pin.rnea")
    for heading in ("robot", "pin.rnea", "k(q, v, a)", "order 2", "jounce.inverse_dynamics"):
        table.add_column(heading, justify="left" if heading == "robot" else "right")
    for name, floating in BARS:
        rng = np.random.default_rng(0)
        robot = jounce.load(urdf(name), mimic=False, floating_base=floating)
        actions = {
            "peer": Pinocchio(name, floating_base=floating).rnea_call(rng),
            "Q": _single(robot, 0, rng),
            "order 2": _single(robot, 2, rng),
            "function": _function(robot, rng),
        }
        best = best_times(actions, rounds=40, loops=1000)
        table.add_row(
            f"{name}, floating" if floating else name,
            f"{best['peer'] * 1e6:.2f} µs",
            at_most(best["Q"] / best["peer"], 1.0),
            at_most(best["order 2"] / best["peer"], 1.3),
            at_most(best["function"] / best["peer"], 1.0),
        )
    return table


def compilation() -> Table:
    """Time compilers from nothing and from disk, each in a process of its own."""
    table = Table(title="compilation, tracing included")
    for heading in ("kernel", "time", "first in its process"):
        table.add_column(heading, justify="left" if heading == "kernel" else "right")
    panda = f"jounce.load({str(urdf('panda.urdf'))!r}, mimic=False)"
    with tempfile.TemporaryDirectory() as place:
        cold, _ = _compile(panda, place, warm=True)
        warm = [_compile(panda, place, warm=True)[0] for _ in range(5)]
        first = min(_compile(panda, place, warm=False)[0] for _ in range(3))
    row = at_most(cold, 1.0, " s"), at_most(min(warm) * 1e3, 30.0, " ms")
    table.add_row("panda.urdf, order 2, cold", row[0], "")
    table.add_row("panda.urdf, order 2, from disk", row[1], f"{first * 1e3:.0f} ms")
    half, full = (_cold_chain(n) for n in (100, 200))
    table.add_row("chain(100), order 2, cold", f"{half:.2f} s", "")
    table.add_row("chain(200), order 2, cold", at_most(full, 3.0, " s"), "")
    table.add_row("chain(200) against chain(100)", at_most(full / half, 2.5), "")
    return table


def operations() -> Table:
    """Show what regrouped inertias and sparse frames save."""
    table = Table(title="operations of one sample: bodies as given → what runs")
    table.add_column("robot")
    for k in range(5):
        table.add_column(f"order {k}", justify="right")
    for name, columns in json.loads(GOLDEN.read_text(encoding="utf-8")).items():
        pairs = zip(columns["plain"], columns["both"], strict=True)
        table.add_row(name, *(f"{a} → {b} ([dim]{b / a - 1:+.0%}[/dim])" for a, b in pairs))
    return table


def _motion(robot: jounce.Robot, order: int, rng: np.random.Generator, rows: int) -> list[Any]:
    increments = rng.uniform(-1.0, 1.0, size=(rows, robot.nv))
    q = jounce.integrate(robot, np.tile(robot.neutral, (rows, 1)), increments)
    return [q, *(rng.normal(size=(rows, robot.nv)) for _ in range(order + 2))]


def _batch(robot: jounce.Robot, order: int, rng: np.random.Generator) -> Action:
    kernel = jounce.kernel(robot, "inverse_dynamics", order=order)
    motion = _motion(robot, order, rng, SAMPLES)
    out = np.empty((order + 1, SAMPLES, robot.nv))
    return lambda: kernel(*motion, out=out, threads=1)


def _function(robot: jounce.Robot, rng: np.random.Generator) -> Action:
    q = jounce.integrate(robot, robot.neutral, rng.uniform(-1.0, 1.0, size=robot.nv))
    v, a = rng.normal(size=(2, robot.nv))
    return lambda: jounce.inverse_dynamics(robot, q, v, a)


def _single(robot: jounce.Robot, order: int, rng: np.random.Generator) -> Action:
    kernel = jounce.kernel(robot, "inverse_dynamics", order=order)
    motion = [x[0].copy() for x in _motion(robot, order, rng, 1)]
    if order == 0:
        q, v, a = motion
        return lambda: kernel(q, v, a)
    q, v, a, j, s = motion
    return lambda: kernel(q, v, a, j, s)


_COMPILE = """
import time, jounce, sys
robot = {robot}
kernel = jounce.kernel
if {warm}:
    kernel(jounce.load("planar2r"), "inverse_dynamics")
begin = time.perf_counter()
kernel(robot, "inverse_dynamics", order=2)
print(time.perf_counter() - begin)
"""


def _compile(robot: str, cache: str, *, warm: bool) -> tuple[float, str]:
    """Return the seconds to make a kernel in a new process; ``warm`` loads the compiler before."""
    done = subprocess.run(
        [sys.executable, "-c", _COMPILE.format(robot=robot, warm=warm)],
        env={**os.environ, "JOUNCE_CACHE_DIR": cache},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout), done.stderr


def _cold_chain(n: int) -> float:
    """Return the best of two, each from an empty cache."""
    times = []
    for _ in range(2):
        with tempfile.TemporaryDirectory() as place:
            times.append(_compile(f"jounce.examples.chain({n})", place, warm=True)[0])
    return min(times)
