"""A million samples in one call: memory for inputs and outputs, and 64 MiB."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROWS = 10**6
SPARE = 64 * 2**20
PROGRAM = """
import sys, tracemalloc
from pathlib import Path
import numpy as np
import jounce

def status(name):
    line = next(s for s in Path("/proc/self/status").read_text().splitlines() if s.startswith(name))
    return int(line.split()[1]) * 1024

rows, way = int(sys.argv[1]), sys.argv[2]
robot = jounce.load("panda")
kernel = jounce.kernel(robot, "inverse_dynamics", order=2)
rng = np.random.default_rng(0)
motion = [np.empty((rows, 7)) for _ in range(5)]
for x in motion:
    rng.random(out=x)
if way == "fortran":
    motion = [np.asfortranarray(x) for x in motion]
run = {
    "one thread": lambda *x: kernel(*x),
    "two threads": lambda *x: kernel(*x, threads=2),
    "checked": lambda *x: kernel(*x, check=True),
    "function": lambda *x: jounce.inverse_dynamics(robot, *x),
    "fortran": lambda *x: kernel(*x),
}[way]
run(*[x[:1000] for x in motion])
Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
tracemalloc.start()
before = status("VmRSS")
result = run(*motion)
traced = tracemalloc.get_traced_memory()[1]
peak = status("VmHWM") - before
assert np.array_equal(result[:, -3:], run(*[x[-3:].copy() for x in motion]))
print(peak - result.nbytes, traced - result.nbytes)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs /proc")
@pytest.mark.parametrize("way", ["one thread", "two threads", "checked", "function", "fortran"])
def test_a_million_samples(way: str):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(ROWS), way],
        capture_output=True,
        text=True,
        env=dict(os.environ),
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    copies = 5 * ROWS * 7 * 8 if way == "fortran" else 0  # transposed once, as rows
    for extra in map(int, done.stdout.split()):
        assert extra <= SPARE + copies, f"{extra / 2**20:.0f} MiB beside the result"
