"""Inverse dynamics of the bundled Panda in Jounce and in other libraries, in one run.

A library that is not installed is left out with a line that says so.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import replace
from functools import partial
from io import StringIO

import numpy as np
from rich.console import Console
from rich.table import Table

import jounce
from benchmarks.libraries.contestants import CONTESTANTS, ORDERS, Contestant
from benchmarks.timing import best_times, repeated

SAMPLES = 4096
CALLS = 200
ROUNDS = 15


def run(console: Console) -> None:
    """Print time of a sample, of a call, and to compile, and how far the numbers are from ours."""
    robot = jounce.load("panda")
    bare = [replace(joint, armature=(0.0,), damping=(0.0,)) for joint in robot.joints]
    robot = replace(robot, joints=tuple(bare))
    rng = np.random.default_rng(0)
    motion = rng.normal(size=(5, SAMPLES, robot.nv))
    table = Table(title=f"panda: Q and Q…Q⁽²⁾ of {SAMPLES} samples and of one, µs; times ours")
    headings = ("library", "how", "Q", "Q…Q⁽²⁾", "Q, a call", "Q…Q⁽²⁾, a call", "s to build")
    for heading in (*headings, "deviation"):
        table.add_column(heading, justify="left" if heading in headings[:2] else "right")
    contestants = list(_contestants(console, robot))
    times = _times(contestants, motion)
    reference = times[contestants[0].how]
    for contestant in contestants:
        own = times[contestant.how]
        cells = [_cell(own.get(key), reference[key]) for key in reference]
        built = max(contestant.seconds.values(), default=0.0)
        last = f"{built:.2f}" if built else "–", f"{_deviation(robot, contestant, motion):.0e}"
        table.add_row(contestant.name, contestant.how, *cells, *last)
    console.print(table)
    _skidy(console)


def _contestants(console: Console, robot: jounce.Robot) -> Iterator[Contestant]:
    """Yield the libraries that are installed, ours first."""
    for make in CONTESTANTS:
        try:
            yield make(robot)
        except ImportError as error:
            console.print(f"{make.__name__} is left out: {error}", markup=False)


def _times(contestants: list[Contestant], motion: np.ndarray) -> dict[str, dict[str, float]]:
    """Return seconds of a sample in a batch and in a call, by how and what; all take turns."""
    found: dict[str, dict[str, float]] = {contestant.how: {} for contestant in contestants}
    samples = motion.shape[1]
    for what, order in ORDERS.items():
        rows = motion[: order + 3]
        first = [np.array(x[0]) for x in rows]
        batches = {c.how: partial(c.batch[what], *rows) for c in contestants if what in c.batch}
        calls = {
            c.how: repeated(partial(c.call[what], *first), CALLS)
            for c in contestants
            if what in c.call
        }
        for how, seconds in best_times(batches, rounds=ROUNDS).items():
            found[how][what] = seconds / samples
        for how, seconds in best_times(calls, rounds=ROUNDS).items():
            found[how][f"{what}, a call"] = seconds / CALLS
    return {how: {key: own[key] for key in sorted(own, key=_place)} for how, own in found.items()}


def _place(key: str) -> tuple[bool, int]:
    return key.endswith("call"), len(key)


def _cell(seconds: float | None, ours: float) -> str:
    if seconds is None:
        return "–"
    ratio = seconds / ours
    times = "" if ratio == 1.0 else f" ({ratio:.3g}×)"
    return f"{1e6 * seconds:.3g}{times}"


def _deviation(robot: jounce.Robot, contestant: Contestant, motion: np.ndarray) -> float:
    """Return the largest difference from our forces, of the scale of each order."""
    worst = 0.0
    for what, compute in contestant.batch.items():
        few = motion[: ORDERS[what] + 3, :64]
        wanted = jounce.inverse_dynamics(robot, *few)
        difference = np.abs(np.asarray(compute(*few)) - wanted).max(axis=(1, 2))
        worst = max(worst, float((difference / np.abs(wanted).max(axis=(1, 2))).max()))
    return worst


def _skidy(console: Console) -> None:
    """Time skidy's symbolic torques and their second derivatives for a planar arm of two joints."""
    try:
        import skidy  # noqa: F401  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        console.print(f"skidy is left out: {error}", markup=False)
        return
    from benchmarks.libraries.skidy_arm import build

    begin = time.perf_counter()
    with redirect_stdout(StringIO()):
        operations = build()
    theirs = time.perf_counter() - begin
    begin = time.perf_counter()
    kernel = jounce.kernel(jounce.load("planar2r"), "inverse_dynamics", order=2)
    mine = time.perf_counter() - begin
    console.print(
        f"two joints, Q…Q⁽²⁾: skidy {theirs:.1f} s, {operations} operations (symbolic parameters); "
        f"Jounce {mine:.2f} s, {kernel.operations} operations (numeric parameters)",
        markup=False,
    )
