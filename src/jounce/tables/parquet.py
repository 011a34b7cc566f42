"""Motion tables as Parquet files, with the columns of a CSV; they need pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from jounce.errors import TableError, UnsupportedError
from jounce.tables.clock import TICKS, Stamp, since
from jounce.tables.columns import Layout, Wanted, header_of, layout_of, rows_of
from jounce.tables.reader import Piece, Write, limited, spread
from jounce.tables.table import MotionTable


class ParquetReader:
    """A Parquet file; rows are counted from 1."""

    def __init__(self, path: Path, wanted: Wanted) -> None:
        self.path = path
        with path.open("rb") as file:
            found = _opened(path, file)
            self.samples: int = found.metadata.num_rows
            self.names: list[str] = found.schema_arrow.names
            kinds: list[Any] = found.schema_arrow.types
        self.layout: Layout = layout_of(self.names, wanted, str(path))
        if not self.samples:
            raise TableError(f"{path}: no sample; the table has no rows.")
        kind = kinds[self.layout.columns[0]]
        self.ticks = TICKS[kind.unit] if _is_stamp(kind) else None
        self.first: Stamp = self._first()

    def place(self, number: int) -> str:
        """Return file and row."""
        return f"{self.path}: row {number}"

    def pieces(self, samples: int, start: Stamp) -> Iterator[Piece]:
        """Yield the rows."""
        titles, row = [self.names[i] for i in self.layout.columns], 1
        for batch in self._batches(samples, titles):
            time, *others = (self._numbers(batch.column(name), name, row) for name in titles)
            columns = [since(time, start), *(other.astype(np.float64) for other in others)]
            stop = row + batch.num_rows
            yield Piece(np.stack(columns, axis=1), range(row, stop), (stop - 1) / self.samples)
            row = stop

    def windows(self, count: int, samples: int, start: Stamp) -> list[np.ndarray]:
        """Return evenly spread rows, in one pass over the file."""
        wanted = spread(self.samples, count, samples)
        parts: list[list[np.ndarray]] = [[] for _ in wanted]
        for piece in self.pieces(limited(samples, len(self.layout.columns)), start):
            first = piece.numbers[0] - 1
            for window, part in zip(wanted, parts, strict=True):
                inside = slice(max(window.start - first, 0), max(window.stop - first, 0))
                part.append(piece.rows[inside].copy())  # a view would keep all rows
        return [np.concatenate(part) for part in parts]

    def _batches(self, samples: int, titles: list[str]) -> Iterator[Any]:
        with self.path.open("rb") as file:
            try:
                yield from _opened(self.path, file).iter_batches(
                    samples, columns=titles, use_threads=False
                )
            except (pyarrow().ArrowException, OSError) as error:
                raise _damaged(self.path, error) from error

    def _first(self) -> Stamp:
        title = self.names[self.layout.columns[0]]
        batch = next(self._batches(1, [title]))
        return self._numbers(batch.column(title), title, 1)[0].item()

    def _numbers(self, column: Any, name: str, row: int) -> np.ndarray:
        """Return a column that begins in this row; time stamps are integers."""
        pa = pyarrow()
        kind = column.type
        if _is_stamp(kind) and name == self.names[self.layout.columns[0]]:
            column = column.cast("int64")
        elif not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
            raise TableError(f"{self.path}: column {name} holds {kind}; it must hold numbers.")
        if column.null_count:
            first = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
            raise TableError(f"{self.place(row + first)}: column {name}: is empty.")
        return column.to_numpy(zero_copy_only=False)


@contextmanager
def parquet_writer(file: IO[bytes], _directory: Path) -> Iterator[Write]:
    """Yield what writes blocks of a table as row groups."""
    pa = pyarrow()
    with ExitStack() as stack:
        writer: Any = None

        def write(table: MotionTable) -> None:
            nonlocal writer
            columns = np.ascontiguousarray(rows_of(table).T)
            block = pa.table(dict(zip(header_of(table), columns, strict=True)))
            if writer is None:
                writer = stack.enter_context(pa.parquet.ParquetWriter(file, block.schema))
            writer.write_table(block)

        yield write


def pyarrow() -> Any:
    """Return pyarrow with its Parquet part, or say how to get it."""
    try:
        import pyarrow as pa  # pyright: ignore[reportMissingImports]
        import pyarrow.parquet  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise UnsupportedError(
            "Parquet files need the pyarrow package: pip install 'jounce[parquet]'."
        ) from None
    return pa


def _is_stamp(kind: Any) -> bool:
    types = pyarrow().types
    return types.is_timestamp(kind) or types.is_duration(kind)


def _opened(path: Path, file: Any) -> Any:
    pa = pyarrow()
    try:
        return pa.parquet.ParquetFile(file, pre_buffer=False)
    except pa.ArrowException as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> TableError:
    return TableError(f"{path}: not a whole Parquet file ({str(error).partition(chr(10))[0]}).")
