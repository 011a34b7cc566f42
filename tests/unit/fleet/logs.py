"""Small logs for tests of fleets."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import jounce
from jounce.tables import MotionTable, write_table
from jounce.trajectory import Fourier

ARM = jounce.load("planar2r")
NAMES = ("joint1", "joint2")
MOTION = Fourier([[0.3, -0.2], [0.1, 0.4]], [[0.1, 0.2], [-0.3, 0.1]], 3.0, [0.2, 0.5])


def write_log(
    path: Path, samples: int = 400, *, seed: int = 0, step: float = 0.01, forces: bool = False
) -> Path:
    """Write positions with noise, or with ``forces`` q, v, a and these; small row groups."""
    rng = np.random.default_rng(seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    t = np.cumsum(rng.uniform(0.5, 1.5, samples)) * step
    motion = MOTION(t + seed, order=2)
    pushing = jounce.inverse_dynamics(ARM, *motion) if forces else None
    noisy = motion[:1] + 1e-6 * rng.standard_normal((1, samples, 2))
    write_table(path, MotionTable(t, NAMES, motion if forces else noisy, pushing))
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        pq.write_table(pq.read_table(path), path, row_group_size=997)
    return path


def contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of all results below a folder, by name."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*.parquet")}
