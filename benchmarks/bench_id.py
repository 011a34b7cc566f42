"""``jounce id`` on a long log: what its stages take, and how much memory."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from rich.console import Console

import jounce
from benchmarks.timing import at_most
from jounce.tables.file import table_writer
from jounce.trajectory import MotionTable, papers_motion

ROWS = 10**6
BLOCK = 50000
PROGRAM = """
import atexit, resource
from pathlib import Path
from jounce.cli import main

def peak():
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # bytes on macOS
    line = next(x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
    return 1024 * int(line.split()[1])  # ru_maxrss would count the process that started this one

atexit.register(lambda: print("peak", peak()))
main()
"""


def run(console: Console) -> None:
    """Run it on a CSV of positions with noise, at order 2, from CSV to CSV."""
    with tempfile.TemporaryDirectory() as directory:
        log = Path(directory) / "log.csv"
        write_log(log, ROWS)
        command = ["id", "panda", str(log), "--order", "2", "-o", str(log.with_name("torques.csv"))]
        begin = [sys.executable, "-c", PROGRAM]
        # byte code is kept, as that of an installed package is
        kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        for words in (["cache", "warm", "panda", "--order", "2"], command):
            start = time.perf_counter()
            done = subprocess.run(
                [*begin, *words], capture_output=True, text=True, check=True, env=kept
            )
            seconds = time.perf_counter() - start
        size = log.stat().st_size / 2**20
    stages = done.stdout.rpartition("samples;")[2]
    split = {name: float(s) for name, s in re.findall(r"(\w+) (\d+\.\d+) s\b", stages)}
    peak = int(done.stdout.split()[-1]) / 2**30
    total = sum(split.values())
    shares = ", ".join(f"{name} {100 * s / total:.0f} %" for name, s in split.items())
    console.print(f"{ROWS} rows ({size:.0f} MiB) in {at_most(seconds, 4.5, ' s')}: {shares}")
    console.print(f"evaluation: {at_most(100 * split['evaluate'] / total, 10.0, ' %')} of the time")
    console.print(f"peak memory: {at_most(peak, 1.0, ' GiB')}")


def write_log(path: Path, rows: int) -> None:
    """Write the papers' motion of the Panda, a sample a millisecond, with noise of 10 µrad."""
    rng, motion = np.random.default_rng(0), papers_motion(7)
    names = tuple(joint.name for joint in jounce.load("panda").joints)
    with table_writer(path) as write:
        for start in range(0, rows, BLOCK):
            t = np.arange(start, min(start + BLOCK, rows)) / 1000
            q = motion(t, order=0)
            write(MotionTable(t, names, q + 1e-5 * rng.standard_normal(q.shape)))
