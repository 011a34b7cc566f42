"""``jounce id`` needs no more memory for a longer file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.tables.file import table_writer
from jounce.trajectory import MotionTable, papers_motion, read_table
from tests.cli.program import started

PROGRAM = """
import atexit
from pathlib import Path
from jounce.cli import main

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    print("peak", next(s.split()[1] for s in lines if s.startswith("VmHWM")))

atexit.register(peak)
main()
"""
SHORT, LONG = 400_000, 2_400_000  # samples; both have several windows of the spline
RUNS = 3  # of which the least counts: how far threads run ahead of each other differs by 20 MiB


JOINTS, KNOT = 60, 0.25  # s: the knots lie this far apart, 250 samples


def write_log(path: Path, samples: int) -> None:
    """Write positions of the Panda, with noise."""
    rng, motion = np.random.default_rng(0), papers_motion(7)
    names = tuple(joint.name for joint in jounce.load("panda").joints)
    with table_writer(path) as write:
        for first in range(0, samples, 50_000):
            t = np.arange(first, first + 50_000) / 1000
            q = motion(t, order=0)
            write(MotionTable(t, names, q + 1e-5 * rng.standard_normal(q.shape)))


def run(*arguments: str | Path) -> tuple[str, int]:
    """Return what the command prints, and its greatest memory in bytes."""
    with started("id", *map(str, arguments), program=PROGRAM) as process:
        text, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    return text, int(text.split()[-1]) * 1024


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_memory_does_not_grow_with_the_file(tmp_path: Path):
    out, peaks, sizes = tmp_path / "torques.csv", [], []
    for samples in (SHORT, LONG):
        log = tmp_path / f"{samples}.csv"
        write_log(log, samples)
        sizes.append(log.stat().st_size)
        peaks.append(min(run("panda", log, "-o", out)[1] for _ in range(RUNS)))
    assert peaks[1] - peaks[0] < (sizes[1] - sizes[0]) / 10, [f"{p / 2**20:.0f} MiB" for p in peaks]
    assert peaks[1] < 2**30
    assert len(read_table(out).time) == LONG


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_sixty_joints(tmp_path: Path):
    """Slow motions of many joints at a high rate: as many samples between two knots as may be."""
    pytest.importorskip("pyarrow")
    rng, builder = np.random.default_rng(0), jounce.RobotBuilder("chain")
    names = tuple(f"joint{i}" for i in range(JOINTS))
    inertia = jounce.Inertia(1.0, [0.1, 0, 0], np.eye(3))
    for i, name in enumerate(names):
        joint = jounce.joints.revolute([0, i % 2, 1 - i % 2])
        parent = f"body{i - 1}" if i else None
        builder.add(f"body{i}", parent, joint=joint, inertia=inertia, joint_name=name)
    builder.build().save(tmp_path / "chain.json")
    omega = 2 * np.pi / np.linspace(5, 40, JOINTS)
    with table_writer(tmp_path / "log.parquet") as write:
        for first in range(0, 600_000, 50_000):
            t = np.arange(first, first + 50_000) / 1000
            q = 0.3 * np.sin(omega * t[:, None]) + 1e-3 * rng.standard_normal((t.size, JOINTS))
            write(MotionTable(t, names, q[None]))
    text, peak = run(tmp_path / "chain.json", tmp_path / "log.parquet", "--order", "0")
    assert float(text.split("a knot every ")[1].split()[0]) >= KNOT, text
    assert peak < 2**30, f"{peak / 2**20:.0f} MiB"
