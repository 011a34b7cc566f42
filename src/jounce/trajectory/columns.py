"""How the columns of a motion table are named.

``t`` is the time.  ``q:elbow``, ``v:elbow``, ``a:elbow``, ``j:elbow``, ``s:elbow`` are position,
velocity, acceleration, jerk and snap of the joint "elbow", ``q5:elbow``, ``q6:elbow`` … the
derivatives beyond; ``Q:elbow``, ``Q1:elbow``, ``Q2:elbow`` … are its generalised force and the
time derivatives of it.  A digit is an order, so ``q1:elbow`` may stand for ``v:elbow``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from jounce.errors import UnknownNameError, unknown_name
from jounce.trajectory.motion_table import MotionTable, TableError

LETTERS = "qvajs"  # of the orders 0 … 4
TIME = ("t", "time")
SCHEME = "t, q:JOINT, v:JOINT, a:JOINT, j:JOINT, s:JOINT, q5:JOINT …, Q:JOINT, Q1:JOINT …"
_PREFIX = re.compile(r"(?:(?P<letter>[vajs])|(?P<kind>[qQ])(?P<order>\d{0,2})):(?P<joint>.+)")


class Column(NamedTuple):
    """What a column holds: kind "q" or "Q", time-derivative order, joint."""

    kind: str
    order: int
    joint: str

    @property
    def header(self) -> str:
        """Name of the column in a file."""
        if self.kind == "q" and self.order < len(LETTERS):
            return f"{LETTERS[self.order]}:{self.joint}"
        return f"{self.kind}{self.order or ''}:{self.joint}"


class Layout(NamedTuple):
    """Where the columns of a file go; the index arrays have shape ``(orders, n)``."""

    header: tuple[str, ...]
    names: tuple[str, ...]
    time: int
    motion: np.ndarray
    forces: np.ndarray

    def table(self, rows: np.ndarray) -> MotionTable:
        """Return rows ``(samples, columns)`` of the file as a table."""
        values, forces = (
            np.ascontiguousarray(np.moveaxis(rows[:, index], 0, 1))
            for index in (self.motion, self.forces)
        )
        time = np.ascontiguousarray(rows[:, self.time])
        return MotionTable(time, self.names, values, forces if len(forces) else None)


def header_of(table: MotionTable) -> list[str]:
    """Return the column names of a table: the time, then order by order, joint by joint."""
    header = [TIME[0]]
    for kind, values in (("q", table.values), ("Q", table.forces)):
        orders = 0 if values is None else len(values)
        header += [Column(kind, k, name).header for k in range(orders) for name in table.names]
    return header


def layout_of(header: Sequence[str], joints: Sequence[str] | None, where: str) -> Layout:
    """Return the layout of a file with these column names, or raise an error at ``where``.

    With ``joints`` the result has these joints in this order, the file may have no others, and
    a column with the bare name of a joint is its position.
    """
    header = tuple(name.strip() for name in header)
    times = [i for i, name in enumerate(header) if name in TIME]
    columns = {i: _column(name, joints, where) for i, name in enumerate(header) if i not in times}
    if not times:
        raise TableError(f"{where}: no time column named 't' among {', '.join(header)}.")
    _refuse_duplicates([TIME[0]] * len(times), where)
    _refuse_duplicates([column.header for column in columns.values()], where)
    if not columns:
        raise TableError(f"{where}: no joint; besides the time, columns are named {SCHEME}.")
    names = tuple(
        joints if joints is not None else dict.fromkeys(c.joint for c in columns.values())
    )
    numbers = {column: i for i, column in columns.items()}
    motion, forces = (_index(kind, numbers, names, where) for kind in "qQ")
    return Layout(header, names, times[0], motion, forces)


def _column(name: str, joints: Sequence[str] | None, where: str) -> Column:
    if joints is not None and name in joints:
        return Column("q", 0, name)
    match = _PREFIX.fullmatch(name)
    if not match:
        known = "" if joints is None else f"; known joints: {', '.join(joints)}"
        raise UnknownNameError(
            f"{where}: column {name!r} is not understood; columns are named {SCHEME}{known}."
        )
    letter, joint = match["letter"], match["joint"]
    if joints is not None and joint not in joints:
        raise UnknownNameError(f"{where}: column {name!r}: {unknown_name('joint', joint, joints)}")
    if letter:
        return Column("q", LETTERS.index(letter), joint)
    return Column(match["kind"], int(match["order"] or 0), joint)


def _index(kind: str, numbers: dict[Column, int], names: tuple[str, ...], where: str) -> np.ndarray:
    """Return the column numbers ``(orders, n)`` of motion or forces, without a gap."""
    orders = 1 + max((c.order for c in numbers if c.kind == kind), default=-1)
    wanted = [Column(kind, k, name) for k in range(orders) for name in names]
    missing = [column.header for column in wanted if column not in numbers]
    if missing:
        present = [column.header for column in numbers]
        raise TableError(
            f"{where}: no column {', '.join(missing)}; every order needs all joints and all "
            f"orders below it. Columns found: {', '.join(present)}."
        )
    return np.array([numbers[c] for c in wanted], dtype=np.intp).reshape(orders, len(names))


def _refuse_duplicates(names: Sequence[str], where: str) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise TableError(f"{where}: column {', '.join(twice)} is there more than once.")
