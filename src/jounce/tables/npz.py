"""Motion tables as NumPy archives with the arrays ``time``, ``names``, ``values``, ``forces``.

Archives that people make have arrays ``t``, ``q``, ``v``, …, ``Q`` instead, joints in their order.
"""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from jounce.errors import JounceError, TableError
from jounce.files import refuse_devices
from jounce.tables.clock import Stamp, plain_times, since
from jounce.tables.columns import Layout, Wanted, header_of, layout_of, rows_of
from jounce.tables.reader import Piece, Write, spread
from jounce.tables.table import MotionTable, shaped_table

RATES, FORCES = ("q", "v", "a", "j", "s"), ("Q", "Q1", "Q2")


class NpzReader:
    """A NumPy archive; it is read as a whole."""

    def __init__(self, path: Path, wanted: Wanted) -> None:
        self.path = path
        arrays, unused = read_arrays(path), []
        is_timed = "t" in arrays or "time" in arrays
        if "names" not in arrays and "q" in arrays and is_timed and wanted.joints:
            arrays, unused = _named(path, arrays, wanted)
        table, self._time, self.ticks = _read(path, arrays)
        self.layout: Layout = layout_of(header_of(table), wanted, str(path))
        self.said = self.layout.said
        if unused:
            self.said = "; ".join([*filter(None, [self.said]), f"not used: {', '.join(unused)}"])
        self._rows = rows_of(table)[:, self.layout.columns]
        self.first: Stamp = self._time[0].item()

    def place(self, number: int) -> str:
        """Return file and sample, counted from 0."""
        return f"{self.path}: sample {number}"

    def pieces(self, samples: int, start: Stamp) -> Iterator[Piece]:
        """Yield the rows."""
        total = len(self._rows)
        for first in range(0, total, samples):
            stop = min(first + samples, total)
            yield Piece(self._part(slice(first, stop), start), range(first, stop), stop / total)

    def windows(self, count: int, samples: int, start: Stamp) -> list[np.ndarray]:
        """Return evenly spread rows."""
        return [self._part(window, start) for window in spread(len(self._rows), count, samples)]

    def _part(self, part: slice, start: Stamp) -> np.ndarray:
        rows = self._rows[part, : len(self.layout.columns)].copy()
        rows[:, 0] = since(self._time[part], start)
        return rows


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """Return the arrays of an archive by name."""
    refuse_devices(path)
    try:
        with path.open("rb") as file:
            archive = np.load(file, allow_pickle=False)
            if not isinstance(archive, np.lib.npyio.NpzFile):
                raise ValueError("a single array")
            members: Any = archive.zip
            names = zip(archive.files, members.namelist(), strict=True)
            return {key: _member(members, name) for key, name in names}
    except OSError:
        raise
    except Exception as error:  # headers are Python text to NumPy, members anything to zipfile
        raise TableError(
            f"{path}: not a NumPy archive of plain arrays ({error}); write it with numpy.savez "
            "or jounce.trajectory.write_table."
        ) from error


def _member(archive: Any, name: str) -> np.ndarray:
    """Return an array that is as long as its header says."""
    with archive.open(name) as member:
        array = np.lib.format.read_array(member, allow_pickle=False)
        if member.read(1):
            raise ValueError(f"{name} holds more than the {array.shape} of its header")
    return array


@contextmanager
def npz_writer(file: IO[bytes], directory: Path) -> Iterator[Write]:
    """Yield what writes blocks of a table.

    An archive holds one order after the other, so each is collected in a file of its own first.
    """
    with ExitStack() as stack:
        parts: dict[tuple[str, int], IO[bytes]] = {}
        head = MotionTable(np.empty(0), (), np.empty((0, 0, 0)))
        samples = 0

        def write(table: MotionTable) -> None:
            nonlocal head, samples
            head, samples = table, samples + len(table.time)
            arrays = {"time": table.time[None], "values": table.values}
            arrays |= {"forces": table.forces, "rates": table.rates}
            for name, array in arrays.items():
                for order, values in enumerate(() if array is None else array):
                    part = parts.get((name, order))
                    if part is None:
                        part = stack.enter_context(tempfile.TemporaryFile(dir=directory))
                        parts[name, order] = part
                    part.write(np.ascontiguousarray(values).data)

        yield write
        _archive(file, parts, head, samples)


def _archive(
    file: IO[bytes], parts: dict[tuple[str, int], IO[bytes]], head: MotionTable, samples: int
) -> None:
    """Write the archive that `numpy.load` reads."""
    orders = Counter(name for name, _ in parts)
    shapes: dict[str, tuple[int, ...]] = {"time": (samples,)}
    shapes["values"] = (orders["values"], samples, len(head.names))
    for name in ("forces", "rates"):
        shapes[name] = (orders[name], samples, len(head.rate_names or head.names))
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name in ("names", "rate_names"):
            if texts := getattr(head, name):
                with archive.open(f"{name}.npy", "w") as member:
                    np.lib.format.write_array(member, np.array(texts), allow_pickle=False)
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


def _read(
    path: Path, arrays: dict[str, np.ndarray]
) -> tuple[MotionTable, np.ndarray, float | None]:
    """Return the table, the time as it is in the file, and how many ticks of it are a second."""
    missing = [key for key in ("time", "names") if key not in arrays]
    if missing:
        found = ", ".join(arrays) or "none"
        raise TableError(
            f"{path}: no array {', '.join(missing)}; a motion has the arrays time (samples,), "
            "names (n,), values (orders, samples, n) and perhaps forces (orders, samples, n); or, "
            "where the joints are given with it, t, q, v, a and Q, (samples, n) each. Arrays "
            f"found: {found}."
        )
    names, rate_names = (
        tuple(np.atleast_1d(arrays.get(key, [])).ravel().tolist())
        for key in ("names", "rate_names")
    )
    values = arrays.get("values", np.empty((0, np.size(arrays["time"]), len(names))))
    try:
        time, ticks = plain_times(arrays["time"])
        rest = (arrays.get("forces"), arrays.get("rates"), rate_names)
        return shaped_table(MotionTable(time, names, values, *rest)), time, ticks
    except JounceError as error:
        raise type(error)(f"{path}: {error}") from error


def _named(
    path: Path, arrays: dict[str, np.ndarray], wanted: Wanted
) -> tuple[dict[str, np.ndarray], list[str]]:
    """Return arrays t, q, v, …, Q, whose columns are the joints in their order, as a table's.

    A rate without those below it is of no use, as what has other names; these are told.
    """
    clock = "t" if "t" in arrays else "time"
    time, used = arrays[clock], {clock}
    found: dict[str, list[np.ndarray]] = {"q": [], "Q": []}
    for kind, keys in (("q", RATES), ("Q", FORCES)):
        for order, key in enumerate(keys):
            if key not in arrays:
                break
            names = wanted.names(kind, order) or ()
            if arrays[key].shape != (time.size, len(names)):
                raise TableError(
                    f"{path}: the array {key} has the shape {arrays[key].shape}; without an array "
                    f"names it must have a row a time and a column for each of {', '.join(names)}."
                )
            found[kind].append(arrays[key])
            used.add(key)
    q, *rates = found["q"]
    table = {"time": time, "names": np.array(wanted.joints)}
    if wanted.rate_names:
        table |= {"rate_names": np.array(wanted.rate_names), "values": q[None]}
        table |= {"rates": np.stack(rates)} if rates else {}
    else:
        table["values"] = np.stack([q, *rates])
    table |= {"forces": np.stack(found["Q"])} if found["Q"] else {}
    return table, [key for key in arrays if key not in used]
