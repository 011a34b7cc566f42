"""What the environment exerts on a robot along a log: given as arrays, or read from a table."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from jounce.api.call import Wrench, as_wrenches
from jounce.errors import ShapeError, TableError
from jounce.files import csv_rows
from jounce.model.checks import as_floats, check_finite, check_increasing
from jounce.model.robot import Robot
from jounce.trajectory.spline.spline import Spline

PARTS = ("mx", "my", "mz", "fx", "fy", "fz")


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
    path: str | os.PathLike[str], robot: Robot, time: np.ndarray
) -> dict[str, np.ndarray]:
    """Read wrenches and their first time derivatives, ``(2, samples, 6)`` by frame, at ``time``.

    The table is a CSV with the column ``t``, on the clock of the log, and any of ``FRAME[mx]`` …
    ``FRAME[fz]``, in the axes of the frame; what is left out is zero.  In between they are a
    smoothing spline.
    """
    lines = csv_rows(Path(path))
    header = lines[0][1] if lines else []
    frames = {name.rpartition("[")[0] for name in header if name != "t"}
    known = {f"{frame}[{part}]" for frame in frames for part in PARTS}
    strange = [name for name in header if name != "t" and name not in known]
    if "t" not in header or strange or len(set(header)) < len(header) or len(lines) < 3:
        raise TableError(
            f"{os.fspath(path)}: a table of wrenches has the columns t and FRAME[mx], [my], [mz], "
            f"[fx], [fy], [fz], each once, and two rows; got {', '.join(header) or 'nothing'}, "
            f"{max(len(lines) - 1, 0)} rows."
        )
    for frame in frames:
        robot.frame(frame)
    try:
        rows = np.array([[float(x) for x in row] for _, row in lines[1:]])
    except ValueError as error:
        raise TableError(f"{os.fspath(path)}: every cell is a number: {error}.") from error
    column = {name: rows[:, k] for k, name in enumerate(header)}
    check_increasing("t", column["t"])
    if time[0] < column["t"][0] or time[-1] > column["t"][-1]:
        raise TableError(
            f"{os.fspath(path)}: from {column['t'][0]:g} to {column['t'][-1]:g} s, but the "
            f"log from {time[0]:g} to {time[-1]:g} s; they must cover it."
        )
    nothing = np.zeros(len(rows))
    found = {}
    for frame in sorted(frames):
        parts = [column.get(f"{frame}[{part}]", nothing) for part in PARTS]
        found[frame] = Spline.fit(column["t"], np.stack(parts, axis=1), order=1)(time, order=1)
    return found
