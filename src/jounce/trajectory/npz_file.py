"""Motion tables as NumPy archives with the arrays ``time``, ``names``, ``values``, ``forces``."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from jounce.errors import JounceError, UnknownNameError, unknown_name
from jounce.files import atomic_write
from jounce.trajectory.motion_table import MotionTable, TableError, checked_table


def read_npz(path: Path, joints: Sequence[str] | None) -> MotionTable:
    """Return the table of a file, with the joints in the order that was asked for."""
    arrays = _arrays(path)
    missing = [key for key in ("time", "names") if key not in arrays]
    if missing:
        found = ", ".join(arrays) or "none"
        raise TableError(
            f"{path}: no array {', '.join(missing)}; a motion has the arrays time (samples,), "
            "names (n,), values (orders, samples, n) and perhaps forces (orders, samples, n). "
            f"Arrays found: {found}."
        )
    time, names = arrays["time"], tuple(np.atleast_1d(arrays["names"]).ravel().tolist())
    values = arrays.get("values", np.empty((0, np.size(time), len(names))))
    try:
        table = checked_table(MotionTable(time, names, values, arrays.get("forces")))
    except JounceError as error:
        raise type(error)(f"{path}: {error}") from error
    return table if joints is None else _picked(path, table, joints)


def write_npz(path: Path, table: MotionTable) -> None:
    """Write a table, completely or not at all."""
    arrays: dict[str, Any] = {"time": table.time, "names": np.array(table.names)}
    arrays["values"] = table.values
    if table.forces is not None:
        arrays["forces"] = table.forces
    with atomic_write(path, "wb") as file:
        np.savez(file, **arrays)


def _arrays(path: Path) -> dict[str, np.ndarray]:
    try:
        with path.open("rb") as file:
            archive = np.load(file, allow_pickle=False)
            if not isinstance(archive, np.lib.npyio.NpzFile):
                raise ValueError("a single array")
            return {key: archive[key] for key in archive.files}
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise TableError(
            f"{path}: not a NumPy archive of plain arrays ({error}); write it with numpy.savez "
            "or jounce.trajectory.write_table."
        ) from error


def _picked(path: Path, table: MotionTable, joints: Sequence[str]) -> MotionTable:
    strange = [name for name in table.names if name not in joints]
    if strange:
        raise UnknownNameError(f"{path}: {unknown_name('joint', strange[0], joints)}")
    missing = [name for name in joints if name not in table.names]
    if missing:
        raise TableError(
            f"{path}: no joint {', '.join(missing)}. Joints found: {', '.join(table.names)}."
        )
    index = [table.names.index(name) for name in joints]
    forces = None if table.forces is None else np.ascontiguousarray(table.forces[:, :, index])
    values = np.ascontiguousarray(table.values[:, :, index])
    return MotionTable(table.time, tuple(joints), values, forces)
