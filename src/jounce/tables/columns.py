"""How the columns of a motion table are named.

``t`` is the time.  ``q:elbow``, ``v:elbow``, ``a:elbow``, ``j:elbow``, ``s:elbow`` are position,
velocity, acceleration, jerk and snap of the joint "elbow", ``q5:elbow``, ``q6:elbow`` … the
derivatives beyond; ``Q:elbow``, ``Q1:elbow``, ``Q2:elbow`` … are its generalised force and the
time derivatives of it.  A digit is an order, so ``q1:elbow`` may stand for ``v:elbow``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from jounce.errors import TableError, UnknownNameError, unknown_name
from jounce.tables.naming import TIME, Naming, named
from jounce.tables.table import MotionTable

LETTERS = "qvajs"  # of the orders 0 … 4
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


class Wanted(NamedTuple):
    """What to take from a file.

    With ``joints`` the result has these joints in this order, and a column with the bare name
    of a joint is its position.  ``others`` says whether columns that nobody asked for may be
    there.  ``orders`` limits those of the motion; without ``forces`` these are left out.
    ``rate_names`` are those of rates and forces, where q has quaternions.  With ``naming`` the
    columns may be those of another program (`jounce.tables.naming`).  ``tolerant`` readers make
    NaN of what is no number.
    """

    joints: tuple[str, ...] | None = None
    others: bool = False
    orders: int | None = None
    rate_names: tuple[str, ...] = ()
    forces: bool = True
    naming: Naming | None = None
    tolerant: bool = False

    def has(self, column: Column) -> bool:
        """Whether a column that is understood is of use."""
        if column.kind == "Q":
            return self.forces
        return self.orders is None or column.order < self.orders

    def names(self, kind: str, order: int) -> tuple[str, ...] | None:
        """Return the names of the joints in columns of this kind and order."""
        return self.rate_names if self.rate_names and (order or kind == "Q") else self.joints


class Layout(NamedTuple):
    """Where the columns of a file are.

    ``columns`` are the numbers of the columns that are read: the time, then order by order
    those of the joints, first of the motion, then of the forces; ``orders`` says how many of
    each.  ``ignored`` are the names of columns that are not understood.  Of the columns of another
    program ``said`` is what was understood, ``time_unit`` the unit in the name of the time.
    Episodes that each count their own time begin ``apart`` units of it after the one before.
    """

    header: tuple[str, ...]
    names: tuple[str, ...]
    columns: tuple[int, ...]
    orders: tuple[int, int]
    ignored: tuple[str, ...] = ()
    rate_names: tuple[str, ...] = ()
    said: str = ""
    time_unit: str | None = None
    apart: float = 0.0

    @property
    def titles(self) -> list[str]:
        """Names of the columns that are read."""
        return [self.header[i] for i in self.columns]

    @property
    def positions(self) -> Layout:
        """The layout of time and positions only; they are the first columns."""
        return self._replace(columns=self.columns[: 1 + len(self.names)], orders=(1, 0))

    def table(self, rows: np.ndarray) -> MotionTable:
        """Return rows ``(samples, columns)`` as a table; columns in one piece remain so."""
        motion, forces = self.orders
        with_q = min(motion, 1) if self.rate_names else motion  # orders that are named as q is
        end = 1 + with_q * len(self.names)
        values = _orders(rows[:, 1:end], with_q, len(self.names))
        rest = _orders(rows[:, end:], motion - with_q + forces, len(self.rate_names or self.names))
        pushing = rest[motion - with_q :] if forces else None
        rates = rest[: motion - with_q] if motion > with_q else None
        time = np.ascontiguousarray(rows[:, 0])
        return MotionTable(time, self.names, values, pushing, rates, self.rate_names)


def _orders(columns: np.ndarray, orders: int, n: int) -> np.ndarray:
    if columns.strides[0] == columns.itemsize:
        return columns.T.reshape(orders, n, len(columns)).swapaxes(1, 2)
    return np.ascontiguousarray(columns.reshape(len(columns), orders, n).swapaxes(0, 1))


def header_of(table: MotionTable) -> list[str]:
    """Return the column names of a table: the time, then order by order, joint by joint."""
    wanted = Wanted(table.names, rate_names=table.rate_names)
    header = [TIME[0]]
    for kind, orders in (("q", table.motion), ("Q", table.pushing)):
        for k in range(len(orders)):
            header += [Column(kind, k, name).header for name in wanted.names(kind, k) or ()]
    return header


def columns_of(table: MotionTable) -> list[np.ndarray]:
    """Return time, motion and forces, each ``(columns, samples)``, in the order of `header_of`."""
    return [table.time[None], *(x.T for x in (*table.motion, *table.pushing))]


def rows_of(table: MotionTable) -> np.ndarray:
    """Return the table as rows ``(samples, columns)``, in the order of `header_of`."""
    return np.concatenate(columns_of(table)).T


def layout_of(
    header: Sequence[str], wanted: Wanted, where: str, first: Sequence[str] = ()
) -> Layout:
    """Return the layout of a file with these column names, or raise an error at ``where``.

    ``first`` are the fields of its first row, where they may be names of joints.
    """
    given = header = tuple(name.strip() for name in header)
    said, unit = "", None
    if wanted.naming is not None and wanted.joints is not None:
        header, said, unit = named(given, wanted.joints, wanted.naming, where, first)
    times = [i for i, name in enumerate(header) if name in TIME[:3]]
    if not times:
        advice = "" if wanted.naming is None else "; say which it is with --time COLUMN"
        raise TableError(f"{where}: no time column named 't' among {', '.join(given)}{advice}.")
    _refuse_duplicates([TIME[0]] * len(times), where)
    found = {i: _column(name, wanted, where) for i, name in enumerate(header) if i not in times}
    understood = {i: column for i, column in found.items() if column is not None}
    columns = {i: column for i, column in understood.items() if wanted.has(column)}
    _refuse_duplicates([column.header for column in columns.values()], where)
    ignored = tuple(given[i] for i in found if i not in understood)
    if not columns:
        raise TableError(
            f"{where}: no joint among {', '.join(given)}; besides the time, columns are named "
            f"{SCHEME}{_known(wanted.joints)}"
            f"{'' if wanted.naming is None else '; say which is which with --map COLUMN=JOINT'}."
        )
    names = wanted.joints or tuple(dict.fromkeys(c.joint for c in columns.values()))
    full = wanted._replace(joints=names)
    asked = [_orders_of(kind, columns.values(), full) for kind in "qQ"]
    numbers = {column: i for i, column in columns.items()}
    missing = [c.header for orders in asked for order in orders for c in order if c not in numbers]
    if missing:
        advice = "" if wanted.joints else ", unless there are quaternions: then give the robot"
        raise TableError(
            f"{where}: no column {', '.join(missing)}; every order needs all joints and all "
            f"orders below it{advice}. Columns found: {', '.join(given)}."
        )
    flat = [numbers[column] for orders in asked for order in orders for column in order]
    orders = len(asked[0]), len(asked[1])
    every = times[0], *flat
    return Layout(given, names, every, orders, ignored, wanted.rate_names, said, unit)


def _column(name: str, wanted: Wanted, where: str) -> Column | None:
    """Return what a column holds, None if it may be ignored."""
    joints = wanted.joints
    if joints is not None and name in joints:
        return Column("q", 0, name)
    column = _understood(name)
    known = None if column is None else wanted.names(column.kind, column.order)
    if wanted.others and (column is None or (known is not None and column.joint not in known)):
        return None
    if column is None:
        raise UnknownNameError(
            f"{where}: column {name!r} is not understood; columns are named "
            f"{SCHEME}{_known(joints)}."
        )
    if known is not None and column.joint not in known:
        raise UnknownNameError(
            f"{where}: column {name!r}: {unknown_name('joint', column.joint, known)}"
        )
    return column


def _understood(name: str) -> Column | None:
    match = _PREFIX.fullmatch(name)
    if match is None:
        return None
    if match["letter"]:
        return Column("q", LETTERS.index(match["letter"]), match["joint"])
    return Column(match["kind"], int(match["order"] or 0), match["joint"])


def _known(joints: tuple[str, ...] | None) -> str:
    return "" if joints is None else f"; known joints: {', '.join(joints)}"


def _orders_of(kind: str, columns: Collection[Column], named: Wanted) -> list[list[Column]]:
    """Return the columns that motion or forces must have, order by order, without a gap."""
    count = 1 + max((c.order for c in columns if c.kind == kind), default=-1)
    return [[Column(kind, k, name) for name in named.names(kind, k) or ()] for k in range(count)]


def _refuse_duplicates(names: Sequence[str], where: str) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise TableError(f"{where}: column {', '.join(twice)} is there more than once.")
