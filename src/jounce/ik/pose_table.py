"""Poses from a CSV file."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np

from jounce.algebra.rigid import pose_of
from jounce.errors import TableError

COLUMNS = ("t", "x", "y", "z", "qx", "qy", "qz", "qw")


def read_poses(path: str | os.PathLike[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return times ``(n,)`` and poses ``(n, 4, 4)`` from columns t, x, y, z, qx, qy, qz, qw.

    Quaternions must have unit norm to 1e-6.  Errors say the file and the line.
    """
    with Path(path).open(encoding="utf-8-sig", errors="replace", newline="") as file:
        lines = [
            (n, row) for n, row in enumerate(csv.reader(file, skipinitialspace=True), 1) if row
        ]
    header = [name.strip() for name in lines[0][1]] if lines else []
    missing = [name for name in COLUMNS if header.count(name) != 1]
    if missing:
        raise TableError(
            f"{os.fspath(path)}:1: a path has one column each of {', '.join(COLUMNS)}; look at "
            f"{', '.join(missing)}. Columns found: {', '.join(header) or 'none'}."
        )
    order = [header.index(name) for name in COLUMNS]
    rows = [_numbers(f"{os.fspath(path)}:{n}", row, order, len(header)) for n, row in lines[1:]]
    if len(rows) < 2:
        raise TableError(f"{os.fspath(path)}:1: a path needs two poses, got {len(rows)}.")
    values = np.array(rows)
    return values[:, 0], pose_of(values[:, 1:4], values[:, 4:])


def _numbers(where: str, row: list[str], order: list[int], width: int) -> list[float]:
    try:
        values = [float(text) for text in row]
    except ValueError:
        values = []
    if len(values) != width or not np.isfinite(values).all():
        raise TableError(f"{where}: expected {width} finite numbers, got {', '.join(row)!r}.")
    picked = [values[i] for i in order]
    norm = float(np.linalg.norm(picked[4:]))
    if abs(norm - 1.0) > 1e-6:
        raise TableError(
            f"{where}: the quaternion (qx qy qz qw) must have unit norm to 1e-6, got {norm:.9g}."
        )
    return picked
