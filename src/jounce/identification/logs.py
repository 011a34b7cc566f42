"""Logs of any kind, taken in block by block."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from jounce.errors import ArgumentError, TableError
from jounce.identification.information import Information
from jounce.model.robot import Robot
from jounce.tables.log import Log, open_log
from jounce.tables.table import MotionTable, joined

KNOTS = 5.0  # steps of the spline at either end of a log whose rates are worse than the rest
Samples = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # time, q, v, a, Q


def information_of(
    robot: Robot, log: Any, options: dict[str, Any], reading: dict[str, Any]
) -> Information:
    """Return what one log tells; notes about a file are those of the reader."""
    if isinstance(log, Information):
        return log
    told = Information(robot, **options)
    for _, *samples in samples_of(robot, log, reading, told.notes):
        told.add(*samples)
    return told


def samples_of(
    robot: Robot, log: Any, reading: dict[str, Any], notes: list[str] | None = None
) -> Iterator[Samples]:
    """Yield times, q, v, a and forces of a log, block by block."""
    if isinstance(log, tuple) and not isinstance(log, MotionTable):
        if len(log) != 4:
            raise ArgumentError(f"a log of arrays is (q, v, a, Q), got {len(log)} entries.")
        yield np.arange(float(len(np.atleast_2d(log[0])))), *log
    elif isinstance(log, MotionTable):
        yield _with_forces(log, "the table")
    elif isinstance(log, (str, os.PathLike)):
        trim = reading.get("trim")
        said = {name: value for name, value in reading.items() if name != "trim"}
        opened = open_log(robot, log, order=2, **said)
        step = opened.smoothing.step if opened.smoothing is not None else 0.0
        for table in _trimmed(opened, KNOTS * step if trim is None else float(trim)):
            yield _with_forces(table, os.fspath(log))
        if notes is not None:
            notes += opened.notes
    else:
        raise ArgumentError(
            "a log is an Information, a file, a MotionTable with forces or (q, v, a, Q), got "
            f"{log!r}."
        )


def _with_forces(table: MotionTable, where: str) -> Samples:
    q, *rates = table.motion
    if table.forces is None:
        raise TableError(
            f"{where}: no forces; identification needs a column Q:JOINT for every joint: "
            f"{', '.join(table.rate_names or table.names)}."
        )
    if len(rates) < 2:
        raise TableError(f"{where}: no accelerations; give q, v and a, or a file.")
    return table.time, q, rates[0], rates[1], table.forces[0]


def _trimmed(log: Log, trim: float) -> Iterator[MotionTable]:
    """Yield the samples of a log without so many seconds at its beginning and its end."""
    held: MotionTable | None = None  # what may still prove to be the end
    start = -np.inf
    for table in log.blocks():
        start = table.time[0] + trim if held is None else start
        table = table.part(slice(int(np.searchsorted(table.time, start)), None))
        held = table if held is None else joined([held, table])
        if len(held.time):
            cut = int(np.searchsorted(held.time, held.time[-1] - trim, side="right"))
            yield held.part(slice(None, cut))
            held = held.part(slice(cut, None))
