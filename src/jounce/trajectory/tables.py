"""Read and write motion tables, in one place for all commands.

The ending of the file says how: ``.csv`` (`jounce.trajectory.columns` has the names of the
columns) or ``.npz`` (`jounce.trajectory.npz_file` has those of the arrays).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from jounce.errors import UnsupportedError
from jounce.trajectory.csv_file import read_csv, write_csv
from jounce.trajectory.motion_table import MotionTable, TableError, checked_names, checked_table
from jounce.trajectory.npz_file import read_npz, write_npz

_READERS = {".csv": read_csv, ".npz": read_npz}
_WRITERS = {".csv": write_csv, ".npz": write_npz}


def read_motion(path: str | os.PathLike[str], joints: Sequence[str] | None = None) -> MotionTable:
    """Read a motion: at least the position of every joint.

    ``joints`` are the names wanted, in the order wanted; a file with others is refused.  Without
    them the joints are those of the file.  Errors say the file and, for CSV, the line.
    """
    table = read_table(path, joints)
    if not len(table.values):
        raise TableError(
            f"{os.fspath(path)}:1: no positions; a motion needs a column q:JOINT for every joint: "
            f"{', '.join(table.names) or 'none found'}."
        )
    return table


def read_table(path: str | os.PathLike[str], joints: Sequence[str] | None = None) -> MotionTable:
    """Read a table that may hold forces only; everything else is as in `read_motion`."""
    joints = None if joints is None else checked_names(joints)
    return _READERS[_ending(path)](Path(path), joints)


def write_table(path: str | os.PathLike[str], table: MotionTable) -> None:
    """Write a table so that it reads back bit for bit.

    The file appears under its name when it is complete; after an exception or Ctrl-C whatever
    stood there is untouched.
    """
    _WRITERS[_ending(path)](Path(path), checked_table(table))


def _ending(path: str | os.PathLike[str]) -> str:
    ending = Path(path).suffix.lower()
    if ending not in _READERS:
        raise UnsupportedError(
            f"{os.fspath(path)}: motion tables end in {' or '.join(_READERS)}, not in {ending!r}."
        )
    return ending
