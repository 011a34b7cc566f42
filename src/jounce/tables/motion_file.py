"""A motion in a file, read block by block, so that one longer than the memory passes through."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import numpy as np

from jounce.errors import JounceError, TableError, UnsupportedError
from jounce.model.components import (
    position_kinds,
    position_names,
    velocity_kinds,
    velocity_names,
)
from jounce.model.robot import Robot
from jounce.tables.clock import start_of
from jounce.tables.columns import Wanted
from jounce.tables.csv import CsvSource
from jounce.tables.file_format import BLOCK, Source, limited
from jounce.tables.motion_table import MotionTable, check_samples, checked_names
from jounce.tables.npz import NpzSource
from jounce.tables.parquet import ParquetSource
from jounce.tables.quaternion_rows import continuous_rows
from jounce.tables.units import units_of

SOURCES: dict[str, Callable[[Path, Wanted], Source]] = {
    ".csv": CsvSource,
    ".npz": NpzSource,
    ".parquet": ParquetSource,
}


class Block(NamedTuple):
    """Samples of a file; ``place(i)`` says where the i-th stands, ``done`` the share read."""

    table: MotionTable
    place: Callable[[int], str]
    done: float


class MotionFile:
    """Samples that are finite and in strictly increasing time, in SI units.

    ``names`` are the joints, ``orders`` how many orders of motion and of forces there are,
    ``ignored`` the columns that are not understood, ``dropped`` how many rows repeated the row
    before, so far.  Time is counted from ``start``, in s: 0, or the first time of the file if
    that is of a clock (`jounce.tables.clock`).  Where q has quaternions, ``rate_names`` are
    the velocities, ``quaternions`` the places of q where one stands; all have unit length, and
    a sign that follows on that of the sample before.
    """

    def __init__(
        self,
        source: Source,
        divisors: np.ndarray,
        quaternions: Sequence[slice] = (),
        *,
        drop_duplicates: bool,
    ) -> None:
        self.names, self.orders = source.layout.names, source.layout.orders
        self.rate_names, self.quaternions = source.layout.rate_names, tuple(quaternions)
        self.ignored = source.layout.ignored
        self.dropped = 0
        self._source, self._divisors, self._drop = source, divisors, drop_duplicates
        self._start = start_of(source.first, divisors[0])
        self.start = Decimal(str(self._start)) / int(divisors[0])

    def blocks(self, samples: int = BLOCK) -> Iterator[Block]:
        """Yield all samples, at most ``samples`` at once."""
        self.dropped = 0
        samples = limited(samples, len(self._divisors))
        before = np.empty((0, len(self._divisors)))  # the last sample of the block before
        turned = before  # and the same with the sign of its quaternions
        for piece in self._source.pieces(samples, self._start):
            numbers = np.array(piece.numbers)
            rows, kept = self._checked(piece.rows, numbers, before)
            self.dropped += len(numbers) - len(rows)
            if len(rows):
                before, places = rows[-1:], self._places(numbers[kept])
                rows = self._turned(rows, turned, places)
                turned = rows[-1:]
                yield Block(self._source.layout.table(rows), places, piece.done)

    def windows(self, count: int, samples: int) -> list[MotionTable]:
        """Return evenly spread pieces of consecutive samples, or all of a short file."""
        none = np.empty((0, len(self._divisors)))
        try:
            found = []
            for window in self._source.windows(count, samples, self._start):
                numbers = np.zeros(len(window), dtype=int)
                rows, _ = self._checked(window, numbers, none)
                found.append(self._turned(rows, none, self._places(numbers)))
        except JounceError:
            for _ in self.blocks():  # raises the same, and knows the line
                pass
            raise
        return [self._source.layout.table(rows) for rows in found]

    def table(self) -> MotionTable:
        """Return all samples."""
        tables = [block.table for block in self.blocks()]
        forces = [t.forces for t in tables if t.forces is not None]
        rates = [t.rates for t in tables if t.rates is not None]
        return MotionTable(
            np.concatenate([t.time for t in tables]),
            self.names,
            np.concatenate([t.values for t in tables], axis=1),
            np.concatenate(forces, axis=1) if forces else None,
            np.concatenate(rates, axis=1) if rates else None,
            self.rate_names,
        )

    def _checked(
        self, rows: np.ndarray, numbers: np.ndarray, before: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows in SI units, and which of them are kept."""
        rows = rows / self._divisors
        known = np.concatenate([before, rows])
        kept = np.ones(len(known), dtype=bool)
        if self._drop:
            kept[1:] = (known[1:] != known[:-1]).any(axis=1)
        kept[: len(before)] = True
        places = self._places(np.concatenate([np.zeros(len(before), dtype=int), numbers])[kept])
        check_samples(known[kept], self._source.layout.titles, places, self.start)
        return rows[kept[len(before) :]], kept[len(before) :]

    def _turned(
        self, rows: np.ndarray, before: np.ndarray, place: Callable[[int], str]
    ) -> np.ndarray:
        """Return the rows with quaternions of unit length and continuous sign."""
        if not self.quaternions or not self.orders[0]:
            return rows
        columns = [slice(1 + part.start, 1 + part.stop) for part in self.quaternions]
        return continuous_rows(rows, columns, before, self._source.layout.titles, place)

    def _places(self, numbers: np.ndarray) -> Callable[[int], str]:
        return lambda i: self._source.place(int(numbers[i]))


def open_motion(
    path: str | os.PathLike[str],
    joints: Robot | Sequence[str] | None = None,
    *,
    units: str | None = None,
    others: bool = False,
    orders: int | None = None,
    drop_duplicates: bool = False,
    forces_only: bool = False,
) -> MotionFile:
    """Open a motion, at least the position of every joint, to read it block by block.

    ``joints`` are a robot, whose joints are wanted, or their names in the order wanted; without
    them the joints are those of the file.  ``units`` such as ``"deg,ms"`` are those of the file
    (`jounce.tables.units`); without a robot all joints turn.  ``others=True`` ignores columns
    that hold none of it; ``orders`` limits how many of position, velocity … are taken, and leaves
    forces out.  ``drop_duplicates=True`` leaves out rows that repeat the row before in all
    columns that are read.  ``forces_only=True`` takes a table without positions too.  Times of a
    clock, 1e6 s or more, are counted from the first one.
    """
    said = units_of(units)
    if isinstance(joints, Robot):
        names, rate_names = position_names(joints), velocity_names(joints)
        kinds = position_kinds(joints), velocity_kinds(joints)
        quaternions = joints.quaternions
    else:
        names, rate_names = None if joints is None else checked_names(joints), ()
        kinds, quaternions = None, ()
    different = rate_names if quaternions else ()
    source = SOURCES[known_ending(path)](Path(path), Wanted(names, others, orders, different))
    layout = source.layout
    if source.ticks not in (None, said.time) and said.time != 1.0:
        raise TableError(
            f"{os.fspath(path)}: column {layout.titles[0]} knows its unit, and it is not that of "
            f"{units!r}; leave out the unit of time."
        )
    scale = said._replace(time=source.ticks or said.time)
    kinds = kinds or (["angle"] * len(layout.names),) * 2
    divisors = scale.divisors(layout.orders, *kinds)
    found = MotionFile(source, divisors, quaternions, drop_duplicates=drop_duplicates)
    if not found.orders[0] and not forces_only:
        raise TableError(
            f"{os.fspath(path)}: no positions; a motion needs a column q:JOINT for every joint: "
            f"{', '.join(found.names)}."
        )
    return found


def known_ending(path: str | os.PathLike[str]) -> str:
    """Return the ending of a motion table, which says its format."""
    ending = Path(path).suffix.lower()
    if ending not in SOURCES:
        raise UnsupportedError(
            f"{os.fspath(path)}: motion tables end in {' or '.join(SOURCES)}, not in {ending!r}."
        )
    return ending
