"""Motion tables as NumPy archives with the arrays ``time``, ``names``, ``values``, ``forces``."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

import numpy as np

from jounce.errors import JounceError, TableError
from jounce.trajectory.columns import Layout, Wanted, header_of, layout_of, rows_of
from jounce.trajectory.motion_table import MotionTable, shaped_table
from jounce.trajectory.source import Piece, Write, spread


class NpzSource:
    """A NumPy archive; it is read as a whole."""

    def __init__(self, path: Path, wanted: Wanted) -> None:
        self.path = path
        table = _read(path)
        self.layout: Layout = layout_of(header_of(table), wanted, str(path))
        self._rows = rows_of(table)[:, self.layout.columns]

    def place(self, number: int) -> str:
        """Return file and sample, counted from 0."""
        return f"{self.path}: sample {number}"

    def pieces(self, samples: int) -> Iterator[Piece]:
        """Yield the rows."""
        total = len(self._rows)
        for start in range(0, total, samples):
            stop = min(start + samples, total)
            yield Piece(self._rows[start:stop], range(start, stop), stop / total)

    def windows(self, count: int, samples: int) -> list[np.ndarray]:
        """Return evenly spread rows."""
        return [self._rows[window] for window in spread(len(self._rows), count, samples)]


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """Return the arrays of an archive by name."""
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


@contextmanager
def npz_writer(file: IO[bytes], directory: Path) -> Iterator[Write]:
    """Yield what writes blocks of a table.

    An archive holds one order after the other, so each is collected in a file of its own first.
    """
    with ExitStack() as stack:
        parts: dict[tuple[str, int], IO[bytes]] = {}
        names: tuple[str, ...] = ()
        samples = 0

        def write(table: MotionTable) -> None:
            nonlocal names, samples
            names, samples = table.names, samples + len(table.time)
            arrays = {"time": table.time[None], "values": table.values}
            if table.forces is not None:
                arrays["forces"] = table.forces
            for name, array in arrays.items():
                for order, values in enumerate(array):
                    part = parts.get((name, order))
                    if part is None:
                        part = stack.enter_context(tempfile.TemporaryFile(dir=directory))
                        parts[name, order] = part
                    part.write(np.ascontiguousarray(values).data)

        yield write
        _archive(file, parts, names, samples)


def _archive(
    file: IO[bytes], parts: dict[tuple[str, int], IO[bytes]], names: tuple[str, ...], samples: int
) -> None:
    """Write the archive that `numpy.load` reads."""
    orders = Counter(name for name, _ in parts)
    shapes: dict[str, tuple[int, ...]] = {"time": (samples,)}
    shapes |= {name: (orders[name], samples, len(names)) for name in ("values", "forces")}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        with archive.open("names.npy", "w") as member:
            np.lib.format.write_array(member, np.array(names), allow_pickle=False)
        for name, shape in shapes.items():
            if orders[name] or name == "values":
                _add(archive, name, shape, [parts[name, k] for k in range(orders[name])])


def _add(
    archive: zipfile.ZipFile, name: str, shape: tuple[int, ...], parts: list[IO[bytes]]
) -> None:
    head = {"descr": np.dtype(float).str, "fortran_order": False, "shape": shape}
    with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
        np.lib.format.write_array_header_1_0(member, head)
        for part in parts:
            part.seek(0)
            shutil.copyfileobj(part, member, 1 << 20)


def _read(path: Path) -> MotionTable:
    arrays = read_arrays(path)
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
        return shaped_table(MotionTable(time, names, values, arrays.get("forces")))
    except JounceError as error:
        raise type(error)(f"{path}: {error}") from error
