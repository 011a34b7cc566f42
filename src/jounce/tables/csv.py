"""Motion tables as comma-separated text."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, TextIO

import numpy as np

from jounce.errors import TableError
from jounce.files import atomic_write
from jounce.tables.arrow_text import arrow_lines, arrow_rows
from jounce.tables.clock import Stamp, decimal_of, decimals_since
from jounce.tables.columns import Layout, Wanted, header_of, layout_of, rows_of
from jounce.tables.reader import Piece, Write
from jounce.tables.table import MotionTable


class CsvReader:
    """A CSV file, read line by line; its first line names the columns."""

    def __init__(self, path: Path, wanted: Wanted) -> None:
        self.path = path
        self.size = path.stat().st_size
        self.layout: Layout = layout_of(_header(path), wanted, f"{path}:1")
        with _lines(path) as lines:
            rows = (text for text in islice(lines, 1, None) if text.strip())
            self.first = decimal_of(self._time(next(rows, "")))
        self.ticks: float | None = None

    def place(self, number: int) -> str:
        """Return file and line."""
        return f"{self.path}:{number}"

    def pieces(self, samples: int, start: Stamp) -> Iterator[Piece]:
        """Yield the rows; lines without anything are skipped."""
        line, found = 2, False
        with _lines(self.path) as lines:
            next(lines)
            while texts := list(islice(lines, samples)):
                numbers: Sequence[int] = range(line, line + len(texts))
                line += len(texts)
                if any(map(str.isspace, texts)):
                    numbers = [i for i, text in zip(numbers, texts, strict=True) if text.strip()]
                    texts = [text for text in texts if text.strip()]
                if texts:
                    found = True
                    rows = self._parsed(texts, numbers, start)
                    yield Piece(rows, numbers, lines.buffer.tell() / self.size)
        if not found:
            raise TableError(f"{self.path}:{line}: no sample; there is nothing below the header.")

    def windows(self, count: int, samples: int, start: Stamp) -> list[np.ndarray]:
        """Jump to evenly spread bytes; an error does not know its line."""
        with self.path.open("rb") as file:
            head = len(file.readline())
            length = sum(map(len, islice(file, samples)))
            if self.size - head <= 2 * count * length:
                return [np.concatenate([piece.rows for piece in self.pieces(samples, start)])]
            found = []
            for offset in np.linspace(head, self.size - length, count).astype(int).tolist():
                file.seek(offset - 1)
                file.readline()  # to the end of a line
                texts = [text.decode("utf-8", "replace") for text in islice(file, samples)]
                texts = [text for text in texts if text.strip()]
                found.append(self._parsed(texts, [0] * len(texts), start))
            return found

    def _parsed(self, texts: list[str], numbers: Sequence[int], start: Stamp) -> np.ndarray:
        """Return one row for each text."""
        rows = self._numbers(texts, numbers)
        if start and np.isfinite(rows[:, 0]).all():
            rows[:, 0] = decimals_since(map(self._time, texts), start)
        return rows

    def _time(self, text: str) -> str:
        """Return the field of the time."""
        i = self.layout.columns[0]
        return text.split(",", i + 1)[i].strip() if text.count(",") >= i else ""

    def _numbers(self, texts: list[str], numbers: Sequence[int]) -> np.ndarray:
        """Return one row of numbers for each text."""
        header, columns = self.layout.header, self.layout.columns
        rows = arrow_rows(texts, len(header), columns)
        if rows is not None:
            return rows
        try:
            rows = np.loadtxt(texts, delimiter=",", comments=None, ndmin=2, usecols=columns)
        except ValueError as error:
            raise self._diagnosis(texts, numbers, str(error)) from error
        if len(rows) != len(texts) or any(text.count(",") != len(header) - 1 for text in texts):
            raise self._diagnosis(texts, numbers, "lines that are no rows")
        return rows

    def _diagnosis(self, texts: list[str], numbers: Sequence[int], reason: str) -> TableError:
        """Return the error that names the first line that is not one number per column."""
        header = self.layout.header
        for text, number in zip(texts, numbers, strict=True):
            fields = [field.strip() for field in text.split(",")]
            if len(fields) != len(header):
                return TableError(
                    f"{self.place(number)}: {len(fields)} fields, but {len(header)} columns in "
                    "the header."
                )
            for i in sorted(self.layout.columns):
                if not _is_number(fields[i]):
                    found = f"{fields[i]!r} is not a number" if fields[i] else "is empty"
                    return TableError(f"{self.place(number)}: column {header[i]}: {found}.")
        return TableError(f"{self.place(numbers[0])}: cannot be read: {reason}.")


@contextmanager
def csv_writer(file: IO[bytes], _directory: Path) -> Iterator[Write]:
    """Yield what writes blocks of a table as lines."""
    lines: Callable[[np.ndarray], bytes] | None = None

    def write(table: MotionTable) -> None:
        nonlocal lines
        if lines is None:
            file.write(_line(header_of(table)))
            lines = arrow_lines(len(table.time)) or _lines_of
        file.write(lines(rows_of(table)))

    yield write


def write_blocks(path: Path, header: Sequence[str], blocks: Iterable[np.ndarray]) -> None:
    """Write blocks of rows with any header as CSV; every number reads back bit for bit."""
    with atomic_write(path, "wb") as file:
        file.write(_line(header))
        for block in blocks:
            file.write(_lines_of(block))


def _line(header: Sequence[str]) -> bytes:
    line = io.StringIO(newline="")
    csv.writer(line, lineterminator="\n").writerow(header)
    return line.getvalue().encode()


def _lines_of(rows: np.ndarray) -> bytes:
    """Return rows as lines; the shortest text of each number that reads back."""
    return "".join([",".join(map(repr, row)) + "\n" for row in rows.tolist()]).encode()


def _header(path: Path) -> list[str]:
    """Return the names in the first line."""
    with _lines(path) as lines:
        first = next(lines, "")
    if not first.strip():
        raise TableError(f"{path}:1: no header; the first line must name the columns.")
    if "\ufffd" in first or "\0" in first:
        raise TableError(f"{path}:1: not a text in UTF-8; save the table as CSV.")
    header = next(csv.reader([first], skipinitialspace=True))
    if len(header) == 1 and any(mark in first for mark in ";\t"):
        raise TableError(f"{path}:1: columns must be separated by commas, got {first.strip()!r}.")
    if all(_is_number(name) for name in header):
        raise TableError(f"{path}:1: no header; the first line must name the columns.")
    return header


def _lines(path: Path) -> TextIO:
    """Open a file; bytes that are not UTF-8 become �, which is no number and no name."""
    return path.open(encoding="utf-8-sig", errors="replace")


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return "_" not in field
