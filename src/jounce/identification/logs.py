"""Logs of any kind, taken in block by block."""

from __future__ import annotations

from typing import Any

from jounce.errors import ArgumentError, TableError
from jounce.identification.information import Information
from jounce.model.robot import Robot
from jounce.tables.table import MotionTable


def information_of(robot: Robot, log: Any, options: dict[str, Any]) -> Information:
    """Return what one log tells."""
    if isinstance(log, Information):
        return log
    told = Information(robot, **options)
    if isinstance(log, MotionTable):
        if log.forces is None:
            raise TableError("the table has no forces; identification needs a torque a joint.")
        q, *rates = log.motion
        if len(rates) < 2:
            raise TableError("the table has no accelerations; give q, v and a.")
        return told.add(q, rates[0], rates[1], log.forces[0])
    if isinstance(log, tuple):
        if len(log) != 4:
            raise ArgumentError(f"a log of arrays is (q, v, a, Q), got {len(log)} entries.")
        return told.add(*log)
    raise ArgumentError(
        f"a log is an Information, a MotionTable with forces or (q, v, a, Q), got {log!r}."
    )
