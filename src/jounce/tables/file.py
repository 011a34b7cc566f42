"""Motions in files: opened, to be read block by block, read and written as a whole.

The ending of the file says how: ``.csv`` or ``.parquet`` (`jounce.tables.columns` has the
names of the columns) or ``.npz`` (`jounce.tables.npz` has those of the arrays).
"""

from __future__ import annotations

import copy
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from jounce.algebra.rigid import continuous
from jounce.errors import JounceError, TableError, UnsupportedError
from jounce.files import atomic_write, refuse_devices
from jounce.model.checks import checked_integer, unit_norms
from jounce.model.components import (
    position_kinds,
    position_names,
    velocity_kinds,
    velocity_names,
)
from jounce.model.robot import Robot
from jounce.tables.bags import BagReader, is_bag
from jounce.tables.clock import epoch_ticks, start_of
from jounce.tables.columns import Layout, Wanted
from jounce.tables.csv import CsvReader, csv_writer
from jounce.tables.naming import Naming, without
from jounce.tables.npz import NpzReader, npz_writer
from jounce.tables.parquet import ParquetReader, parquet_writer
from jounce.tables.reader import BLOCK, DROP, Reader, Write, limited
from jounce.tables.table import MotionTable, check_samples, checked_names, checked_table, joined
from jounce.tables.units import units_of, units_said

Joints = Robot | Sequence[str] | None
READERS: dict[str, Callable[[Path, Wanted], Reader]] = {
    ".csv": CsvReader,
    ".tsv": CsvReader,
    ".npz": NpzReader,
    ".parquet": ParquetReader,
    ".bag": BagReader,
    ".mcap": BagReader,
    ".db3": BagReader,
}
WRITERS = {".csv": csv_writer, ".npz": npz_writer, ".parquet": parquet_writer}
DEGREES, MILLIMETRES = {"deg", "degree", "degrees"}, {"mm"}  # in the names of columns
ROUNDING = 4.0 * np.finfo(float).eps  # of the length of a quaternion that is normalised


class Block(NamedTuple):
    """Samples of a file; ``place(i)`` says where the i-th stands, ``done`` the share read."""

    table: MotionTable
    place: Callable[[int], str]
    done: float


class MotionFile:
    """Samples that are finite and in strictly increasing time, in SI units.

    ``names`` are the joints, ``orders`` how many orders of motion and of forces there are,
    ``ignored`` the columns that are not understood, ``dropped`` how many rows repeated the row
    before, so far, ``invalid`` and ``late`` those that were left out because they held no numbers
    or came late; ``path`` is the file, ``said`` what was understood of its columns, ``sure`` which
    units are said.  Time is counted from ``start``, in s: 0, or the first time of the file if that
    is of a clock (`jounce.tables.clock`).  Where q has quaternions, ``rate_names`` are the
    velocities, ``quaternions`` the places of q where one stands; all have unit length, and a sign
    that follows on that of the sample before.
    """

    def __init__(
        self,
        reader: Reader,
        divisors: np.ndarray,
        quaternions: Sequence[slice] = (),
        *,
        drop_duplicates: bool,
        drop_invalid: bool = False,
        sure: Collection[str] = (),
        advice: str = "",
    ) -> None:
        self.names, self.orders = reader.layout.names, reader.layout.orders
        self.rate_names, self.quaternions = reader.layout.rate_names, tuple(quaternions)
        self.ignored = reader.layout.ignored
        self.path, self.said, self.sure = reader.path, reader.said, frozenset(sure)
        if reader.layout.apart:
            apart = reader.layout.apart / divisors[0]
            self.said += f": here each number begins {apart:g} s after the one before"
        self.dropped = self.invalid = self.late = 0
        self._reader, self._divisors, self._advice = reader, divisors, advice
        self._drop_duplicates, self._drop_invalid = drop_duplicates, drop_invalid
        self._start = start_of(reader.first, divisors[0])
        self.start = Decimal(str(self._start)) / int(divisors[0])

    def blocks(self, samples: int = BLOCK) -> Iterator[Block]:
        """Yield all samples, at most ``samples`` at once."""
        before = np.empty((0, len(self._divisors)))  # the last sample of the block before
        for rows, places, done in self._rows(checked_integer("samples", samples, 1)):
            rows = self._turned(rows, before, places)
            before = rows[-1:]
            yield Block(self._reader.layout.table(rows), places, done)

    def windows(self, count: int, samples: int) -> list[MotionTable]:
        """Return evenly spread pieces of consecutive samples, or all of a short file."""
        none = np.empty((0, len(self._divisors)))
        try:
            found = []
            for window in self._reader.windows(count, samples, self._start):
                numbers = np.zeros(len(window), dtype=int)
                rows, *_ = self._checked(window, numbers, none)
                found.append(self._turned(rows, none, self._places(numbers)))
        except JounceError:
            for _ in self.blocks():  # raises the same, and knows the line
                pass
            raise
        found = [rows for rows in found if len(rows)]
        return [self._reader.layout.table(rows) for rows in self._some(found)]

    def _some(self, found: list[Any]) -> list[Any]:
        if not found:
            raise TableError(f"{self.path}: no row is left; all are invalid.")
        return found

    def positions(self) -> MotionFile:
        """Return the file without rates and forces, which need not be read then."""
        layout = self._reader.layout.positions
        return self._with(layout, self._divisors[: len(layout.columns)])

    def further(self, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return all times, and columns among those ignored, ``(samples, names)``, as they are."""
        layout, unit = self._reader.layout, self._divisors[0]
        columns = (layout.columns[0], *(layout.header.index(name) for name in names))
        found = self._with(layout._replace(columns=columns), np.array([unit] + [1.0] * len(names)))
        none = np.empty((0, len(columns)))
        rows = np.concatenate([none, *(rows for rows, *_ in found._rows(BLOCK))])
        return rows[:, 0], rows[:, 1:]

    def table(self) -> MotionTable:
        """Return all samples."""
        return joined([block.table for block in self._some([*self.blocks()])])

    def group_starts(self, samples: int) -> tuple[np.ndarray, np.ndarray] | None:
        """Return first row, from 0, and first time of every row group, where parts can be read.

        They can if the file has row groups, more than so many samples, and what is left out does
        not depend on rows before.
        """
        if (
            not isinstance(self._reader, ParquetReader)
            or self._reader.samples <= samples
            or self._drop_duplicates
            or self._drop_invalid
        ):
            return None
        times = self._reader.first_times(self._start) / self._divisors[0]
        return np.array(self._reader.starts[:-1]), times

    def part(self, groups: range) -> MotionFile:
        """Return the file of some consecutive row groups; signs of quaternions begin anew."""
        found = copy.copy(self)
        found._reader = cast(ParquetReader, self._reader).part(groups)
        return found

    def _with(self, layout: Layout, divisors: np.ndarray) -> MotionFile:
        """Return the file of some other columns."""
        found = copy.copy(self)
        found._reader, found._divisors = copy.copy(self._reader), divisors
        found._reader.layout, found.orders = layout, layout.orders
        return found

    def _rows(self, samples: int) -> Iterator[tuple[np.ndarray, Callable[[int], str], float]]:
        """Yield checked rows, where each stands and the share read; count those left out."""
        self.dropped = self.invalid = self.late = 0
        before = np.empty((0, len(self._divisors)))  # the last row of those before
        for piece in self._reader.pieces(limited(samples, len(self._divisors)), self._start):
            given = piece.numbers
            is_range = isinstance(given, range)  # else one by one, which takes long
            numbers = np.arange(given.start, given.stop) if is_range else np.array(given)
            rows, kept, lost = self._checked(piece.rows, numbers, before)
            self.dropped += lost[0]
            self.invalid += lost[1]
            self.late += lost[2]
            if len(rows):
                before = rows[-1:]
                yield rows, self._places(numbers[kept]), piece.done

    def _checked(
        self, rows: np.ndarray, numbers: np.ndarray, before: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, list[int]]:
        """Return the rows in SI units, which are kept, and why how many are not.

        Those that are not repeat the row before, are invalid, or do not come after those before.
        """
        if np.any(self._divisors != 1.0):
            rows = rows / self._divisors
        lost = np.zeros((3, len(rows)), dtype=bool)
        if self._drop_duplicates or self._drop_invalid:
            lost = self._lost(np.concatenate([before, rows]))[:, len(before) :]
        kept = np.logical_not(lost.any(axis=0))
        rows = rows if kept.all() else rows[kept]
        titles, places = self._reader.layout.titles, self._places(numbers[kept])
        check_samples(rows, titles, places, self.start, before[:, 0], self._advice)
        return rows, kept, lost.sum(axis=1).tolist()

    def _lost(self, rows: np.ndarray) -> np.ndarray:
        """Return which rows repeat the row before, are invalid or late, ``(3, samples)``."""
        lost = np.zeros((3, len(rows)), dtype=bool)
        repeated, invalid, late = lost
        if self._drop_duplicates:
            repeated[1:] = (rows[1:] == rows[:-1]).all(axis=1)
        if self._drop_invalid:
            invalid[:] = ~repeated & ~np.isfinite(rows).all(axis=1)
            time = np.where(invalid | repeated, -np.inf, rows[:, 0])
            late[1:] = time[1:] <= np.maximum.accumulate(time)[:-1]
            late &= ~(invalid | repeated)
        return lost

    def _turned(
        self, rows: np.ndarray, before: np.ndarray, place: Callable[[int], str]
    ) -> np.ndarray:
        """Return the rows with quaternions of unit length and continuous sign.

        q and −q are the same orientation; of the two, each sample has the one nearer to the sample
        before.  ``before`` is the row before the first, or no row.
        """
        if not self.quaternions or not self.orders[0]:
            return rows
        rows = rows.copy()
        for quaternion in self.quaternions:
            part = slice(1 + quaternion.start, 1 + quaternion.stop)
            titles = ", ".join(self._reader.layout.titles[part])

            def what(i: int, titles: str = titles) -> str:
                return f"{place(i)}: the quaternion {titles} (x y z w)"

            size = unit_norms(what, rows[:, part], TableError)
            rounded = np.abs(size - 1.0) <= ROUNDING  # dividing again would change the last bits
            unit = rows[:, part] / np.where(rounded, 1.0, size)[:, None]
            rows[:, part] = continuous(np.concatenate([before[:, part], unit]))[len(before) :]
        return rows

    def _places(self, numbers: np.ndarray) -> Callable[[int], str]:
        return lambda i: self._reader.place(int(numbers[i]))


def open_motion(
    path: str | os.PathLike[str],
    joints: Joints = None,
    *,
    units: str | None = None,
    others: bool = False,
    orders: int | None = None,
    forces: bool | None = None,
    drop_duplicates: bool = False,
    drop_invalid: bool = False,
    forces_only: bool = False,
    naming: Naming | None = None,
) -> MotionFile:
    """Open a motion, at least the position of every joint, to read it block by block.

    ``joints`` are a robot, whose joints are wanted, or their names in the order wanted; without
    them the joints are those of the file.  ``units`` such as ``"deg,ms"`` are those of the file
    (`jounce.tables.units`); without a robot all joints turn.  ``others=True`` ignores columns
    that hold none of it; ``orders`` limits how many of position, velocity … are taken,
    and leaves forces out unless ``forces=True``.  ``drop_duplicates=True`` leaves out rows that
    repeat the row before in all columns that are read.  ``forces_only=True`` takes a table without
    positions too.  Times of a clock, 1e6 s or more, are counted from the first one.
    ``drop_invalid=True`` leaves out rows with anything but numbers, and those whose time does not
    come after that of all rows before.  With ``naming`` the file is a log of another program
    (`jounce.tables.naming`), whose time may be counted in s, ms, us or ns since 1970.
    """
    said = units_of(units)
    if isinstance(joints, Robot):
        names, rate_names = position_names(joints), () if joints.is_flat else velocity_names(joints)
        kinds = position_kinds(joints), velocity_kinds(joints)
        quaternions = joints.quaternions
    else:
        names, rate_names = None if joints is None else checked_names(joints), ()
        kinds, quaternions = None, ()
    forces = orders is None if forces is None else forces
    wanted = Wanted(names, others, orders, rate_names, forces, naming, drop_invalid)
    reader = READERS[_readable(path)](Path(path), wanted)
    layout, sure = reader.layout, units_said(units)
    if reader.ticks not in (None, said.time) and said.time != 1.0:
        raise TableError(
            f"{os.fspath(path)}: column {layout.titles[0]} knows its unit, and it is not that of "
            f"{units!r}; leave out the unit of time."
        )
    if naming is not None:
        _refuse_units_of_names(os.fspath(path), layout, sure)
    ticks = reader.ticks
    if naming is not None and ticks is None and "time" not in sure:
        ticks = epoch_ticks(reader.first)
    scale = said._replace(time=ticks or said.time)
    kinds = kinds or (["angle"] * len(layout.names),) * 2
    divisors = scale.divisors(layout.orders, *kinds)
    found = MotionFile(
        reader,
        divisors,
        quaternions,
        drop_duplicates=drop_duplicates,
        drop_invalid=drop_invalid,
        sure={*sure, *(() if reader.ticks is None else ("time",))},
        advice="" if naming is None else DROP,
    )
    if not found.orders[0] and not forces_only:
        raise TableError(
            f"{os.fspath(path)}: no positions; a motion needs a column q:JOINT for every joint: "
            f"{', '.join(found.names)}."
        )
    return found


def _refuse_units_of_names(path: str, layout: Layout, sure: Collection[str]) -> None:
    """Raise if columns of positions say a unit that is not ours, and the user says none."""
    for name, title in zip(layout.names, layout.titles[1:], strict=False):
        words = set(re.split(r"[^a-z]+", without(title, name).lower()))
        for kind, unit, names in (("angle", "deg", DEGREES), ("length", "mm", MILLIMETRES)):
            if kind not in sure and names & words:
                ours = "rad" if kind == "angle" else "m"
                raise TableError(
                    f"{path}: column {title} seems to be in {unit}; say --units {unit}, or, if it "
                    f"is not, --units {ours}."
                )


def read_motion(
    path: str | os.PathLike[str],
    joints: Joints = None,
    *,
    units: str | None = None,
    others: bool = False,
    drop_duplicates: bool = False,
) -> MotionTable:
    """Read a motion, at least the position of every joint, as `open_motion` does.

    ``joints`` are a robot, or the names of joints; a file with other columns is refused unless
    ``others=True`` ignores them.  ``units`` such as ``"deg,ms"`` are those of the file.  Times of a
    clock (1e6 s or more) are counted from the first one, which `open_motion` knows as ``start``.
    Errors say the file and the line.
    """
    options = {"units": units, "others": others, "drop_duplicates": drop_duplicates}
    return open_motion(path, joints, **options).table()


def read_table(
    path: str | os.PathLike[str], joints: Joints = None, *, others: bool = False
) -> MotionTable:
    """Read a table that may hold forces only; everything else is as in `read_motion`."""
    return open_motion(path, joints, others=others, forces_only=True).table()


def write_table(path: str | os.PathLike[str], table: MotionTable) -> None:
    """Write a table so that it reads back bit for bit.

    The file appears under its name when it is complete; after an exception or Ctrl-C whatever
    stood there is untouched.
    """
    table = checked_table(table)
    with table_writer(path) as write:
        for start in range(0, len(table.time), BLOCK):
            write(table.part(slice(start, start + BLOCK)))


@contextmanager
def table_writer(path: str | os.PathLike[str]) -> Iterator[Write]:
    """Yield ``write(table)``, to be called with the blocks of a long table in their order.

    All blocks have the same joints and orders.  Everything else is as in `write_table`.
    """
    writer, directory = WRITERS[known_ending(path)], Path(os.path.realpath(path)).parent
    with atomic_write(path, "wb") as file, writer(file, directory) as write:
        yield write


def known_ending(path: str | os.PathLike[str], of: Iterable[str] = WRITERS) -> str:
    """Return the ending of a motion table, which says its format."""
    ending = Path(path).suffix.lower()
    if ending not in of:
        raise UnsupportedError(
            f"{os.fspath(path)}: motion tables end in {' or '.join(of)}, not in {ending!r}."
        )
    return ending


def _readable(path: str | os.PathLike[str]) -> str:
    """Return the ending of a file that can be read more than once, or of a bag."""
    if is_bag(Path(path)):
        return ".bag"
    ending = known_ending(path, READERS)
    if not Path(path).is_dir():
        refuse_devices(Path(path))
    return ending
