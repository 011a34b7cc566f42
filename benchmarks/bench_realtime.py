"""Exported C++ in a control loop: how long a call takes, at worst too; it allocates nothing.

A million calls at 1 kHz would take 17 minutes; here a cycle begins every 20 µs, by a busy wait.
Without a real-time kernel the worst times are the system's: a call that does nothing is measured
beside them.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

import jounce
from benchmarks.peers import urdf
from benchmarks.timing import at_most

CALLS = 1_000_000
PERIOD = 20_000  # ns
PLACE = Path(__file__).parent / "realtime"


class Cycles(NamedTuple):
    """Times of the calls in ns, interruptions by the system and allocations of all cycles."""

    median: int
    p99: int
    p9999: int
    worst: int
    interrupted: int
    allocations: int


def run(console: Console) -> None:
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        console.print("no C++ compiler")
        return
    columns = (
        "",
        "p50 [µs]",
        "p99",
        "p99.99",
        "worst",
        "p99.99 / p50",
        "interrupted",
        "allocations",
    )
    table = Table(
        *columns, title=f"{CALLS:,} calls of C++, Q to order 2, every {PERIOD / 1000:g} µs"
    )
    for robot in (jounce.load("panda"), jounce.load(urdf("talos_reduced.urdf"))):
        with tempfile.TemporaryDirectory() as folder:
            program = built(robot, Path(folder), compiler)
            for what in ("nothing", "compute"):
                _row(table, f"{robot.name}: {what}", cycles(program, CALLS, PERIOD, what))
    console.print(table)


def built(robot: jounce.Robot, folder: Path, compiler: str) -> Path:
    """Return the program that runs the loop, compiled."""
    jounce.kernel(robot, "inverse_dynamics", order=2).export_cpp(folder, "f")
    hook, program = folder / "allocations.o", folder / "loop"
    cc = shutil.which("cc") or "cc"
    subprocess.run([cc, "-O2", "-c", PLACE / "allocations.c", "-o", hook], check=True)
    flags = ["-std=c++17", "-O2", "-march=native", "-DJOUNCE_NO_EIGEN", "-I", folder]
    subprocess.run([compiler, *flags, PLACE / "loop.cpp", hook, "-o", program], check=True)
    return program


def cycles(program: Path, calls: int, period: int, what: str) -> Cycles:
    """Run the loop and return what it prints."""
    words = [program, str(calls), str(period), what]
    numbers = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    return Cycles(*(int(x) for x in numbers[:6]))


def _row(table: Table, name: str, found: Cycles) -> None:
    times = [f"{x / 1000:.3f}" for x in found[:4]]
    table.add_row(
        name,
        *times,
        f"{found.p9999 / found.median:.1f}",
        str(found.interrupted),
        at_most(found.allocations, 0, ""),
    )
