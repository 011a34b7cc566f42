"""Motion tables as Parquet files, with the columns of a CSV; they need pyarrow."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from math import ceil, log10
from pathlib import Path
from typing import IO, Any

import numpy as np

from jounce.errors import TableError
from jounce.files import refuse_devices
from jounce.lazy import required
from jounce.memory import new_columns
from jounce.tables.clock import TICKS, Stamp, since
from jounce.tables.columns import Layout, Wanted, columns_of, header_of, layout_of
from jounce.tables.reader import BLOCK, Piece, Write, limited, spread

EPISODE = "episode_index"  # what LeRobot calls it
APART = 6000.0  # usual steps of time: no spline bridges so many
ROWS, NUMBERS = 2**16, 2**22  # rows and numbers of a row group that is written, at most


class ParquetReader:
    """A Parquet file; rows are counted from 1."""

    def __init__(self, path: Path, wanted: Wanted) -> None:
        self.path, self._tolerant = path, wanted.tolerant
        with path.open("rb") as file, _whole(path):
            found = _opened(file)
            self.samples: int = found.metadata.num_rows
            counts = [found.metadata.row_group(i).num_rows for i in range(found.num_row_groups)]
            names: list[str] = found.schema_arrow.names
            schema = dict(zip(names, found.schema_arrow.types, strict=True))
        self.starts: list[int] = np.cumsum([0, *counts]).tolist()  # of the row groups, and the end
        self._groups = range(len(counts))  # that are read
        if not self.samples:
            raise TableError(f"{path}: no sample; the table has no rows.")
        once = {name: kind for name, kind in schema.items() if names.count(name) == 1}
        lists = [name for name, kind in once.items() if _is_list(kind)]
        self._width = {name: self._length(name) for name in lists if wanted.naming is not None}
        self.names = [part for name in names for part in self._parts(name)]
        self.layout: Layout = layout_of(self.names, wanted, str(path))
        self.said, unit = self.layout.said, self.layout.time_unit
        self._title = self.names[self.layout.columns[0]]  # of the time
        kind: Any = schema.get(self._title)
        self.ticks = TICKS[kind.unit] if _is_stamp(kind) else TICKS[unit] if unit else None
        batch = next(self._batches(1, [self._title]))
        self.first: Stamp = self._numbers(batch.column(self._title), self._title, 1)[0].item()
        if wanted.naming is not None and EPISODE in schema:
            said = self._episodes()
            self.said = "; ".join(word for word in (self.said, said) if word)

    def place(self, number: int) -> str:
        """Return file and row."""
        return f"{self.path}: row {number}"

    def part(self, groups: range) -> ParquetReader:
        """Return the reader of some consecutive row groups; rows keep their numbers."""
        found = copy.copy(self)
        found._groups = groups
        return found

    def first_times(self, start: Stamp) -> np.ndarray:
        """Return the time of the first row of every row group."""
        title, firsts = self._title, []
        with self.path.open("rb") as file, _whole(self.path):
            found = _opened(file)
            for group, row in enumerate(self.starts[:-1]):
                titles = self._with_episode([title])
                batch = next(_rows(found, 1, range(group, group + 1), titles))
                time = self._numbers(batch.column(title), title, row + 1)
                firsts.append(self._since(time, start, batch, row + 1))
        return np.concatenate(firsts)

    def pieces(self, samples: int, start: Stamp) -> Iterator[Piece]:
        """Yield the rows."""
        titles = [self.names[i] for i in self.layout.columns]
        row = 1 + self.starts[self._groups.start]
        stored = {part: name for name in self._width for part in self._parts(name)}
        names = list(dict.fromkeys(stored.get(title, title) for title in titles))
        for batch in self._batches(_group_rows(len(titles)), self._with_episode(names)):
            found = {
                part: column
                for name in names
                for part, column in self._columns(batch.column(name), name, row).items()
            }
            time, *others = (found[title] for title in titles)
            every = [self._since(time, start, batch, row), *others]
            for first in range(0, batch.num_rows, samples):
                some = [x[first : first + samples] for x in every]
                columns = np.stack(some, out=new_columns(len(some), len(some[0])))
                begin, row = row, row + columns.shape[1]
                yield Piece(columns.T, range(begin, row), (row - 1) / self.samples)

    def windows(self, count: int, samples: int, start: Stamp) -> list[np.ndarray]:
        """Return evenly spread rows; of the file, only the row groups with them are read."""
        wanted = spread(self.samples, count, samples)
        parts: list[list[np.ndarray]] = [[] for _ in wanted]
        width = limited(samples, len(self.layout.columns))
        for groups in self._with(wanted):
            end = max(w.stop for w in wanted if w.stop <= self.starts[groups.stop])
            for piece in self.part(groups).pieces(width, start):
                first = piece.numbers[0] - 1
                for window, part in zip(wanted, parts, strict=True):
                    inside = slice(max(window.start - first, 0), max(window.stop - first, 0))
                    part.append(piece.rows[inside].copy())  # a view would keep all rows
                if piece.numbers[-1] >= end:
                    break
        return [np.concatenate(part) for part in parts]

    def _with(self, windows: list[slice]) -> Iterator[range]:
        """Yield the row groups with the rows of these windows, each group once."""
        read = 0
        for window in windows:
            first, last = np.searchsorted(self.starts, [window.start, window.stop - 1], "right")
            groups = range(max(int(first) - 1, read), int(last))
            if groups:
                yield groups
            read = max(read, int(last))

    def _batches(self, samples: int, titles: list[str]) -> Iterator[Any]:
        with self.path.open("rb") as file, _whole(self.path):
            yield from _rows(_opened(file), samples, self._groups, titles)

    def _with_episode(self, names: list[str]) -> list[str]:
        return [*names, EPISODE] if self.layout.apart else names

    def _since(self, time: np.ndarray, start: Stamp, batch: Any, row: int) -> np.ndarray:
        """Return the times of a batch that begins in this row, less the start."""
        if not self.layout.apart:
            return since(time, start)
        episode = self._numbers(batch.column(EPISODE), EPISODE, row)
        number = (episode - self._episode).astype(np.float64)
        return since(time, start) + self.layout.apart * number

    def _episodes(self) -> str:
        """Set how far apart episodes are to begin, and say so, if each counts its own time.

        That is a power of ten, in the unit of the time, so far that no spline connects two.
        """
        title, row, parts = self._title, 1, []
        for batch in self._batches(BLOCK, [title, EPISODE]):
            parts.append([self._numbers(batch.column(x), x, row) for x in (title, EPISODE)])
            row += batch.num_rows
        time, episode = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        known = np.isfinite(time) & np.isfinite(episode)
        if not known.any():
            raise TableError(f"{self.path}: no row has both numbers, {title} and {EPISODE}.")
        time, episode = time[known], episode[known]
        time, self._episode = since(time, time[0].item()), episode[0]
        steps, changes = np.diff(time), np.diff(episode) != 0
        if not np.any(changes & (steps <= 0.0)):
            return ""
        usual = np.median(steps[~changes]) if not changes.all() else 0.0
        longest = float(np.ptp(time) + APART * usual)
        stride = 10.0 ** ceil(log10(longest)) if longest > 0.0 else 1.0
        count = 1 + np.count_nonzero(changes)
        self.layout = self.layout._replace(
            ignored=tuple(name for name in self.layout.ignored if name != EPISODE), apart=stride
        )
        return f"{count} episodes, time begins anew with each"

    def _length(self, name: str) -> int:
        """Return how many numbers the first row of a column of lists holds."""
        (first,) = next(self._batches(1, [name])).column(name).to_pylist()
        return len(first or ())

    def _parts(self, name: str) -> list[str]:
        """Return what the numbers in a column are called, that are several in a row of lists."""
        if name not in self._width:
            return [name]
        return [f"{name}[{i}]" for i in range(self._width[name])]

    def _columns(self, column: Any, name: str, row: int) -> dict[str, np.ndarray]:
        """Return the numbers of a column that begins in this row, each by its name."""
        if name not in self._width:
            return {name: self._numbers(column, name, row)}
        parts = self._parts(name)
        flat = self._numbers(column.flatten(), name, row)
        if column.null_count or len(flat) != len(column) * len(parts):
            raise TableError(f"{self.path}: column {name}: not all rows hold {len(parts)} numbers.")
        return dict(zip(parts, flat.reshape(len(column), len(parts)).T, strict=True))

    def _numbers(self, column: Any, name: str, row: int) -> np.ndarray:
        """Return a column that begins in this row; time stamps are integers."""
        pa = pyarrow()
        kind = column.type
        if _is_stamp(kind) and name == self._title:
            column = column.view("int64")
        elif not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
            raise TableError(f"{self.path}: column {name} holds {kind}; it must hold numbers.")
        if column.null_count and not self._tolerant:
            first = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
            raise TableError(f"{self.place(row + first)}: column {name}: is empty.")
        if column.null_count:
            return column.to_numpy(zero_copy_only=False)  # imports pandas
        return np.from_dlpack(column)


@contextmanager
def parquet_writer(file: IO[bytes], _directory: Path) -> Iterator[Write]:
    """Yield what writes blocks of a table; row groups do not depend on the size of the blocks."""
    with _group_writer(file) as write:
        yield lambda table: write(header_of(table), columns_of(table))


def parquet_rows(path: Path) -> int:
    """Return how many rows a file says it has."""
    refuse_devices(path)
    with path.open("rb") as file, _whole(path):
        return _opened(file).metadata.num_rows


def join_parquet(parts: Sequence[Path], file: IO[bytes]) -> None:
    """Write the rows of files one after the other, as `parquet_writer` would have."""
    with _group_writer(file) as write:
        for path in parts:
            with path.open("rb") as part:
                for batch in _opened(part).iter_batches(ROWS // 4, use_threads=False):
                    write(batch.schema.names, [np.from_dlpack(x)[None] for x in batch.columns])


@contextmanager
def _group_writer(file: IO[bytes]) -> Iterator[Callable[[list[str], list[np.ndarray]], None]]:
    """Yield what takes names and some rows of their columns, and writes row groups of one size.

    The columns come as arrays ``(columns, rows)``, one after the other.  They are gathered in
    memory that is used again for every row group.
    """
    pa = pyarrow()
    with ExitStack() as stack:
        writer: Any = None
        group = np.empty((0, 0))
        held = 0  # rows of the group that are there

        def flush() -> None:
            nonlocal held
            numbers = (pa.py_buffer(column[:held]) for column in group)
            rows = [pa.Array.from_buffers(pa.float64(), held, [None, x]) for x in numbers]
            writer.write_batch(pa.record_batch(rows, schema=writer.schema))
            _to_disk(file)
            held = 0

        def write(names: list[str], columns: list[np.ndarray]) -> None:
            nonlocal writer, group, held
            if writer is None:
                schema = pa.schema([(name, pa.float64()) for name in names])
                options = {"use_dictionary": False, "use_byte_stream_split": True}
                writer = pa.parquet.ParquetWriter(file, schema, **options)
                stack.enter_context(writer)
                group = np.empty((len(names), _group_rows(len(names))))
            rows, begin = columns[0].shape[1], 0
            while begin < rows:
                end = min(rows, begin + group.shape[1] - held)
                stop, top = held + end - begin, 0
                for some in columns:
                    group[top : top + len(some), held:stop] = some[:, begin:end]
                    top += len(some)
                begin, held = end, stop
                if held == group.shape[1]:
                    flush()

        yield write
        if held:
            flush()


def _to_disk(file: IO[bytes]) -> None:
    """Let the system begin to write what a file holds, so that less is left for the end."""
    if hasattr(os, "posix_fadvise"):
        with suppress(OSError):  # a pipe
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _group_rows(columns: int) -> int:
    """Return how many rows of so many columns are read or written at once."""
    return min(ROWS, max(1, NUMBERS // columns))


def pyarrow() -> Any:
    """Return pyarrow with its Parquet part, or say how to get it."""
    what = "reading and writing Parquet files", "parquet"
    required("pyarrow.parquet", *what)
    return required("pyarrow", *what)


def _is_stamp(kind: Any) -> bool:
    types = pyarrow().types
    return kind is not None and (types.is_timestamp(kind) or types.is_duration(kind))


def _is_list(kind: Any) -> bool:
    types = pyarrow().types
    return types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)


def _opened(file: Any) -> Any:
    return pyarrow().parquet.ParquetFile(file, pre_buffer=False)


def _rows(file: Any, samples: int, groups: range, titles: list[str]) -> Iterator[Any]:
    """Return batches of so many rows of some row groups, read by this thread alone."""
    options = {"row_groups": [*groups], "columns": titles, "use_threads": False}
    return file.iter_batches(samples, **options)


@contextmanager
def _whole(path: Path) -> Iterator[None]:
    """Turn what pyarrow raises for a damaged file into one error."""
    try:
        yield
    except (pyarrow().ArrowException, OSError, UnicodeError) as error:
        first = str(error).partition("\n")[0]
        raise TableError(f"{path}: not a whole Parquet file ({first}).") from error
