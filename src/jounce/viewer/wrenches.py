"""What the environment exerts on a robot along a log: given as arrays, or read from a table.

A wrench has the columns ``FRAME[mx]`` … ``FRAME[fz]``, in the axes of the frame; what is left out
is zero.  They are a table of their own, or stand in the log.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from decimal import Decimal
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from jounce.api.call import Wrench, as_wrenches
from jounce.errors import ShapeError, TableError
from jounce.files import csv_rows
from jounce.model.checks import as_floats, check_finite, check_increasing
from jounce.model.robot import Robot
from jounce.tables.clock import Stamp, decimals_since
from jounce.tables.log import Log
from jounce.trajectory.spline.spline import Spline

PARTS = ("mx", "my", "mz", "fx", "fy", "fz")
FEWEST = 8  # rows of a table: a spline of degree 7 goes through no fewer


def checked_wrenches(
    robot: Robot, given: Mapping[str, Any] | None, samples: int
) -> dict[str, Wrench]:
    """Return wrenches of shape ``(m, samples, 6)`` by frame; raise where they are none."""
    found = {}
    for frame, wrench in as_wrenches(given).items():
        robot.frame(frame)  # raises, and names those there are
        values = as_floats(f"the wrench on {frame!r}", wrench.values)
        if values.ndim != 3 or values.shape[1:] != (samples, 6):
            raise ShapeError(
                f"the wrench on {frame!r} must have the shape (derivatives, {samples}, 6) of the "
                f"log, got {values.shape}."
            )
        check_finite(f"the wrench on {frame!r}", values)
        found[frame] = Wrench(values, wrench.representation)
    return found


def moment_of(wrenches: Mapping[str, Wrench], sample: int) -> dict[str, Wrench]:
    """Return the wrenches at one sample."""
    return {
        frame: Wrench(wrench.values[:, sample], wrench.representation)
        for frame, wrench in wrenches.items()
    }


def read_wrenches(
    path: str | os.PathLike[str], robot: Robot, time: np.ndarray, start: Stamp = 0
) -> dict[str, np.ndarray]:
    """Read wrenches and their first time derivatives, ``(2, samples, 6)`` by frame, at ``time``.

    The table is a CSV with the column ``t`` in s, on the clock of the log, and those of wrenches.
    ``start`` is where on this clock ``time`` is 0.  In between they are a smoothing spline.
    """
    lines = csv_rows(Path(path))
    header = lines[0][1] if lines else []
    frames = {name.rpartition("[")[0] for name in header if name != "t"}
    known = {f"{frame}[{part}]" for frame in frames for part in PARTS}
    strange = [name for name in header if name != "t" and name not in known]
    whole = "t" in header and frames and not strange and len(set(header)) == len(header)
    if not whole or len(lines) <= FEWEST:
        raise TableError(
            f"{os.fspath(path)}: a table of wrenches has the columns t and FRAME[mx], [my], [mz], "
            f"[fx], [fy], [fz], one of them or more, each once, and {FEWEST} rows or more; got "
            f"{', '.join(header) or 'nothing'}, {max(len(lines) - 1, 0)} rows."
        )
    for frame in frames:
        robot.frame(frame)
    place = header.index("t")
    rows = np.array([_numbers(f"{os.fspath(path)}:{n}", row, header) for n, row in lines[1:]])
    rows[:, place] = decimals_since((row[place] for _, row in lines[1:]), start)
    column = {name: rows[:, k] for k, name in enumerate(header)}
    check_increasing("t", column["t"])
    if time[0] < column["t"][0] or time[-1] > column["t"][-1]:
        begin, end = (Decimal(start) + Decimal(f"{x:.9g}") for x in (time[0], time[-1]))
        raise TableError(
            f"{os.fspath(path)}: from {lines[1][1][place]} to {lines[-1][1][place]} s, but the "
            f"log from {begin:f} to {end:f} s; they must cover it."
        )
    return _smoothed(column.pop("t"), column, time)


def log_wrenches(log: Log, time: np.ndarray) -> dict[str, np.ndarray]:
    """Return the wrenches on frames of its robot that a log has columns of, as `read_wrenches`."""
    known = {f"{frame.name}[{part}]" for frame in log.robot.frames for part in PARTS}
    names = [name for name in log.file.ignored if name in known]
    if not names:
        return {}
    t, columns = log.file.further(names)
    if len(t) < FEWEST:
        raise TableError(
            f"{log.file.path}: {len(t)} rows have a wrench; {FEWEST} are needed for its rate."
        )
    log.file.ignored = tuple(name for name in log.file.ignored if name not in known)
    return _smoothed(t, dict(zip(names, columns.T, strict=True)), time)


def _smoothed(
    t: np.ndarray, columns: Mapping[str, np.ndarray], time: np.ndarray
) -> dict[str, np.ndarray]:
    """Return the wrenches of columns at ``time``, with their rates, by frame."""
    nothing, found = np.zeros(len(t)), {}
    for frame in sorted({name.rpartition("[")[0] for name in columns}):
        parts = [columns.get(f"{frame}[{part}]", nothing) for part in PARTS]
        spline = Spline.fit(t, np.stack(parts, axis=1), order=1)
        found[frame] = spline(np.clip(time, t[0], t[-1]), order=1)
    return found


def _numbers(place: str, row: list[str], header: list[str]) -> list[float]:
    """Return the numbers of a line, one for every column."""
    if len(row) != len(header):
        raise TableError(f"{place}: {len(header)} columns, but {len(row)} cells.")
    for name, cell in zip(header, row, strict=True):
        if not _is_finite(cell):
            raise TableError(f"{place}: {name} is {cell!r}, not a finite number.")
    return [*map(float, row)]


def _is_finite(cell: str) -> bool:
    try:
        return isfinite(float(cell))
    except ValueError:
        return False
