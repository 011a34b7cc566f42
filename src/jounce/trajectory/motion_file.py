"""A motion in a file, read block by block, so that one longer than the memory passes through."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from jounce.errors import JounceError, TableError, UnsupportedError
from jounce.model.robot import Robot
from jounce.trajectory.columns import Wanted
from jounce.trajectory.coordinates import coordinate_names, length_coordinates
from jounce.trajectory.csv_file import CsvSource
from jounce.trajectory.motion_table import MotionTable, check_samples, checked_names
from jounce.trajectory.npz_file import NpzSource
from jounce.trajectory.parquet_file import ParquetSource
from jounce.trajectory.source import BLOCK, Source
from jounce.trajectory.units import units_of

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
    before, so far.
    """

    def __init__(self, source: Source, divisors: np.ndarray, *, drop_duplicates: bool) -> None:
        self.names, self.orders = source.layout.names, source.layout.orders
        self.ignored = source.layout.ignored
        self.dropped = 0
        self._source, self._divisors, self._drop = source, divisors, drop_duplicates

    def blocks(self, samples: int = BLOCK) -> Iterator[Block]:
        """Yield all samples, at most ``samples`` at once."""
        self.dropped = 0
        before = np.empty((0, len(self._divisors)))  # the last sample of the block before
        for piece in self._source.pieces(samples):
            numbers = np.array(piece.numbers)
            rows, kept = self._checked(piece.rows, numbers, before)
            self.dropped += len(numbers) - len(rows)
            if len(rows):
                before = rows[-1:]
                yield Block(
                    self._source.layout.table(rows), self._places(numbers[kept]), piece.done
                )

    def windows(self, count: int, samples: int) -> list[MotionTable]:
        """Return evenly spread pieces of consecutive samples, or all of a short file."""
        none = np.empty((0, len(self._divisors)))
        try:
            found = [
                self._checked(rows, np.zeros(len(rows), dtype=int), none)[0]
                for rows in self._source.windows(count, samples)
            ]
        except JounceError:
            for _ in self.blocks():  # raises the same, and knows the line
                pass
            raise
        return [self._source.layout.table(rows) for rows in found]

    def table(self) -> MotionTable:
        """Return all samples."""
        tables = [block.table for block in self.blocks()]
        forces = [t.forces for t in tables if t.forces is not None]
        return MotionTable(
            np.concatenate([t.time for t in tables]),
            self.names,
            np.concatenate([t.values for t in tables], axis=1),
            np.concatenate(forces, axis=1) if forces else None,
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
        check_samples(known[kept], self._source.layout.titles, places)
        return rows[kept[len(before) :]], kept[len(before) :]

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
    (`jounce.trajectory.units`); without a robot all joints turn.  ``others=True`` ignores columns
    that hold none of it; ``orders`` limits how many of position, velocity … are taken, and leaves
    forces out.  ``drop_duplicates=True`` leaves out rows that repeat the row before in all
    columns that are read.  ``forces_only=True`` takes a table without positions too.
    """
    scale = units_of(units)
    if isinstance(joints, Robot):
        names, is_length = coordinate_names(joints), length_coordinates(joints)
    else:
        names, is_length = None if joints is None else checked_names(joints), None
    source = SOURCES[known_ending(path)](Path(path), Wanted(names, others, orders))
    layout = source.layout
    divisors = scale.divisors(layout.orders, is_length or [False] * len(layout.names))
    found = MotionFile(source, divisors, drop_duplicates=drop_duplicates)
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
