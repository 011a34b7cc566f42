"""Read and write motion tables, in one place for all commands.

The ending of the file says how: ``.csv`` or ``.parquet`` (`jounce.tables.columns` has the
names of the columns) or ``.npz`` (`jounce.tables.npz` has those of the arrays).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from jounce.files import atomic_write
from jounce.model.robot import Robot
from jounce.tables.csv import csv_writer
from jounce.tables.file_format import BLOCK, Write
from jounce.tables.motion_file import known_ending, open_motion
from jounce.tables.motion_table import MotionTable, checked_table
from jounce.tables.npz import npz_writer
from jounce.tables.parquet import parquet_writer

Joints = Robot | Sequence[str] | None
_WRITERS = {".csv": csv_writer, ".npz": npz_writer, ".parquet": parquet_writer}


def read_motion(
    path: str | os.PathLike[str],
    joints: Joints = None,
    *,
    units: str | None = None,
    others: bool = False,
    drop_duplicates: bool = False,
) -> MotionTable:
    """Read a motion: at least the position of every joint.

    ``joints`` are a robot, whose joints are wanted, or their names in the order wanted; without
    them the joints are those of the file.  ``units`` such as ``"deg,ms"`` are those of the file
    (`jounce.tables.units`); without a robot all joints turn.  A file with other columns is
    refused unless ``others=True`` ignores them.  ``drop_duplicates=True`` leaves out rows that
    repeat the row before.  Times of a clock (1e6 s or more) are counted from the first one, which
    `open_motion` knows as ``start``.  Errors say the file and the line.
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
            write(_part(table, slice(start, start + BLOCK)))


@contextmanager
def table_writer(path: str | os.PathLike[str]) -> Iterator[Write]:
    """Yield ``write(table)``, to be called with the blocks of a long table in their order.

    All blocks have the same joints and orders.  Everything else is as in `write_table`.
    """
    writer, directory = _WRITERS[known_ending(path)], Path(os.path.realpath(path)).parent
    with atomic_write(path, "wb") as file, writer(file, directory) as write:
        yield write


def _part(table: MotionTable, samples: slice) -> MotionTable:
    forces, rates = (None if x is None else x[:, samples] for x in (table.forces, table.rates))
    time, values = table.time[samples], table.values[:, samples]
    return MotionTable(time, table.names, values, forces, rates, table.rate_names)
