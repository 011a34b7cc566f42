"""Motion tables and logs as text: fields between commas, or what else a log has.

Numbers are read and written by machine code where there is some (`jounce.tables.digits`), many
times faster; they are the same bit for bit, as all ways round correctly.  What is not plain is read
by pyarrow where it is installed, and what that cannot read is left to the strict reader, which says
what is wrong.
"""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from jounce.ahead import ahead
from jounce.errors import TableError
from jounce.files import atomic_write
from jounce.tables.clock import TICKS, Stamp, decimal_of, decimals_since, is_iso, iso_nanoseconds
from jounce.tables.columns import Layout, Wanted, columns_of, header_of, layout_of
from jounce.tables.reader import DROP, Piece, Write
from jounce.tables.table import MotionTable

CHUNK = 2**19  # bytes that are read at once
WORTH_IT = 2048  # rows; for fewer it is not worth importing pyarrow or loading machine code
AHEAD, SHARE = 32, 0.1  # chunks that are read before they are asked for, at most, and of all
WAITING = 5  # blocks that are not yet written, at most
BEGINNING = 256  # lines among which the header is
_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d+,\d+(?:[eE][+-]?\d+)?\s*")
_WORDS = {";": "semicolons", "\t": "tabs", " ": "blanks"}


class Dialect(NamedTuple):
    """What stands between fields, a blank being any number of them, and in a decimal."""

    delimiter: str = ","
    decimal: str = "."
    lenient: bool = False  # lines may be comments, fields quoted

    @property
    def said(self) -> str:
        """What is unlike plain CSV."""
        words = [_WORDS[self.delimiter]] if self.delimiter in _WORDS else []
        return " and ".join(words + ["decimal commas"] * (self.decimal == ","))

    def fields(self, line: str) -> list[str]:
        """Return the fields of a line."""
        if not self.lenient:
            return line.split(self.delimiter)
        if self.delimiter == " ":
            return line.split()
        return next(csv.reader([line], delimiter=self.delimiter), [])

    def is_row(self, line: str) -> bool:
        """Whether a line is more than a comment or nothing."""
        return bool(line.strip()) and not (self.lenient and line.lstrip().startswith("#"))


class CsvReader:
    """A file of text; a line names the columns, all below are rows."""

    def __init__(self, path: Path, wanted: Wanted) -> None:
        self.path, self.size = path, path.stat().st_size
        self._tolerant = wanted.tolerant
        self._advice = DROP if wanted.naming is not None else ""
        try:
            self._begin(wanted)
        except csv.Error as error:
            raise TableError(f"{path}: {error}; is it a table?") from error

    def _begin(self, wanted: Wanted) -> None:
        """Find dialect, header and the first row."""
        chunk = next(_chunks(self.path), (b"", 1.0))[0]
        lines = chunk.decode("utf-8", "replace").split("\n", BEGINNING)[:BEGINNING]
        mark = "\t" if self.path.suffix.lower() == ".tsv" else ","
        self._dialect, self._head = Dialect(mark), 0
        if wanted.naming is not None:
            self._dialect, self._head = _recognised(lines)
        header = _header(self.path, lines, self._dialect, self._head)
        rows = [line for line in lines[self._head + 1 :] if self._dialect.is_row(line)]
        first = self._dialect.fields(rows[0]) if rows else []
        where = f"{self.path}:{self._head + 1}"
        self.layout: Layout = layout_of(header, wanted, where, first)
        text = first[self.layout.columns[0]].strip() if len(first) == len(header) else ""
        self._is_iso = self._dialect.lenient and is_iso(text)
        self.first: Stamp = decimal_of(self._plain(text))
        self.ticks = TICKS[self.layout.time_unit] if self.layout.time_unit else None
        if self._is_iso:
            self.first, self.ticks = int(iso_nanoseconds([text])[0]), TICKS["ns"]
        said = [self.layout.said, self._dialect.said, "time is a date" if self._is_iso else ""]
        self.said = "; ".join(word for word in said if word)

    def place(self, number: int) -> str:
        """Return file and line."""
        return f"{self.path}:{number}"

    def pieces(self, samples: int, start: Stamp) -> Iterator[Piece]:
        """Yield the rows; lines without anything are skipped."""
        end, found = 1, False
        most = max(1, min(AHEAD, int(SHARE * self.size / CHUNK)))
        for (rows, numbers, done), last in ahead(self._below(start), most):
            found, end = found or bool(len(rows)), last
            for k in range(0, len(rows), samples):
                yield Piece(rows[k : k + samples], numbers[k : k + samples], done)
        if not found:
            raise TableError(f"{self.path}:{end}: no sample; there is nothing below the header.")

    def _below(self, start: Stamp) -> Iterator[tuple[Piece, int]]:
        """Yield what is below the header, chunk by chunk, and the number of the line after it."""
        end = 1
        for chunk, done in _chunks(self.path):
            line, end = end, end + _count(chunk)
            if line == 1:
                chunk = chunk.split(b"\n", self._head + 1)[self._head + 1 :]
                chunk, line = chunk[0] if chunk else b"", self._head + 2
            yield Piece(*self._parsed(chunk, line, start), done), end

    def windows(self, count: int, samples: int, start: Stamp) -> list[np.ndarray]:
        """Jump to evenly spread bytes; an error does not know its line."""
        with self.path.open("rb") as file:
            for _ in range(self._head + 1):
                file.readline()
            head = file.tell()
            length = sum(map(len, islice(file, samples)))
            if self.size - head <= 2 * count * length:
                return [np.concatenate([piece.rows for piece in self.pieces(samples, start)])]
            found = []
            for offset in np.linspace(head, self.size - length, count).astype(int).tolist():
                file.seek(offset - 1)
                file.readline()  # to the end of a line
                lines = b"".join(islice(file, samples))
                found.append(self._parsed(lines, 0, start)[0])
            return found

    def _parsed(self, chunk: bytes, line: int, start: Stamp) -> tuple[np.ndarray, Sequence[int]]:
        """Return the rows of lines that begin with this number, and the number of each."""
        count = _count(chunk)
        rows = self._fast_rows(chunk, count, start)
        if rows is not None:
            return rows, range(line, line + count)
        texts = chunk.decode("utf-8", "replace").split("\n")
        is_row = self._dialect.is_row
        numbers = [line + i for i, text in enumerate(texts) if is_row(text)]
        texts = [text for text in texts if is_row(text)]
        if not texts:
            return np.empty((0, len(self.layout.columns))), []
        if len(texts) < count:
            rows = self._fast_rows("\n".join(texts).encode(), len(texts), start)
        if rows is None:
            rows = self._numpy_rows(texts, start)
        if rows is None:
            rows = self._strict_rows(texts, numbers, start)
        return rows, numbers

    def _fast_rows(self, chunk: bytes, count: int, start: Stamp) -> np.ndarray | None:
        """Return the columns of so many lines, if machine code or pyarrow understands them all."""
        dialect = self._dialect
        if (count < WORTH_IT and self.size <= CHUNK) or (dialect.lenient and b"#" in chunk):
            return None
        if dialect.delimiter == " ":
            chunk = b"\n".join([b" ".join(line.split()) for line in chunk.split(b"\n")])
        rows = None
        if not (self._is_iso or start or (dialect.lenient and b'"' in chunk)):
            rows = self._plain_rows(chunk, count)
        return self._arrow_rows(chunk, count, start) if rows is None else rows

    def _plain_rows(self, chunk: bytes, count: int) -> np.ndarray | None:
        """Return the columns of so many lines, if all that is wanted are plain numbers."""
        from jounce.tables.digits.reading import read_columns

        places, columns = [-1] * len(self.layout.header), self.layout.columns
        if len(set(columns)) < len(columns):  # one that is wanted twice is read once
            return None
        for k, i in enumerate(columns):
            places[i] = k
        rows = np.empty((count, len(columns)), order="F")
        marks = self._dialect.delimiter + self._dialect.decimal
        return rows if read_columns(chunk, rows, places, marks) else None

    def _arrow_rows(self, chunk: bytes, count: int, start: Stamp) -> np.ndarray | None:
        """Return the columns of so many lines, if pyarrow understands them all."""
        arrow, dialect = _arrow(), self._dialect
        if arrow is None:
            return None
        names = [str(i) for i in range(len(self.layout.header))]
        time, *others = wanted = [names[i] for i in self.layout.columns]
        as_text = self._is_iso or bool(start)
        try:
            table = arrow.read_csv(
                io.BytesIO(chunk),
                arrow.ReadOptions(column_names=names, use_threads=False, block_size=len(chunk) + 1),
                arrow.ParseOptions(
                    delimiter=dialect.delimiter, quote_char='"' if dialect.lenient else False
                ),
                arrow.ConvertOptions(
                    column_types={time: "string" if as_text else "float64"}
                    | dict.fromkeys(others, "float64"),
                    include_columns=wanted,
                    null_values=[""] if self._tolerant else [],
                    decimal_point=dialect.decimal,
                ),
            )
        except (ValueError, OSError):
            return None
        if table.num_rows != count:
            return None
        times, *values = table.columns
        try:
            first = self._times(times.to_pylist(), start) if as_text else times.to_numpy()
        except (TypeError, ValueError, ArithmeticError):
            return None
        return np.stack([np.asarray(first, dtype=float), *(x.to_numpy() for x in values)]).T

    def _numpy_rows(self, texts: list[str], start: Stamp) -> np.ndarray | None:
        """Return the columns of plain lines, if NumPy understands them all."""
        plain = self._dialect[:2] == (",", ".") and not self._is_iso and not start
        if not plain or any(text.count(",") != len(self.layout.header) - 1 for text in texts):
            return None
        columns = self.layout.columns
        try:
            rows = np.loadtxt(texts, delimiter=",", comments=None, ndmin=2, usecols=columns)
        except ValueError:
            return None
        return rows if len(rows) == len(texts) else None

    def _times(self, texts: Sequence[str], start: Stamp) -> np.ndarray | list[float]:
        """Return the times of fields, less the start."""
        if self._is_iso:
            return iso_nanoseconds(texts) - int(start)
        if start:
            return decimals_since(map(self._plain, texts), start)
        return [float(self._plain(text)) for text in texts]

    def _plain(self, text: str) -> str:
        """Return a number as Python writes it."""
        return text.replace(",", ".") if self._dialect.decimal == "," else text

    def _strict_rows(self, texts: list[str], numbers: Sequence[int], start: Stamp) -> np.ndarray:
        """Return one row of numbers for each text; what is none is an error, or NaN."""
        header, columns = self.layout.header, self.layout.columns
        fields = [[field.strip() for field in self._dialect.fields(text)] for text in texts]
        rows = np.full((len(texts), len(columns)), np.nan)
        for row, parts, number in zip(rows, fields, numbers, strict=True):
            try:
                if len(parts) != len(header):
                    raise TableError(
                        f"{self.place(number)}: {len(parts)} fields, but {len(header)} columns in "
                        f"the header{self._advice}."
                    )
                for k, i in sorted(enumerate(columns), key=lambda pair: pair[1]):
                    row[k] = self._number(parts[i], header[i], number, start)
            except TableError:
                if not self._tolerant:
                    raise
                row[:] = np.nan
        return rows

    def _number(self, field: str, column: str, number: int, start: Stamp) -> float:
        is_time = column == self.layout.titles[0]
        try:
            if "_" in field:  # which Python takes for a part of a number
                raise ValueError
            return float(self._times([field], start)[0] if is_time else self._plain(field))
        except (ValueError, ArithmeticError):
            what = "a time" if is_time and self._is_iso else "a number"
            found = f"{field!r} is not {what}" if field else "is empty"
            raise TableError(
                f"{self.place(number)}: column {column}: {found}{self._advice}."
            ) from None


@contextmanager
def csv_writer(file: IO[bytes], _directory: Path) -> Iterator[Write]:
    """Yield what writes blocks of a table as lines, in threads while the next are made."""
    waiting: deque[Future[int]] = deque()
    last: Future[int] | None = None

    def write(table: MotionTable) -> None:
        nonlocal last
        if last is None:
            file.write(_line(header_of(table)))
        columns = [np.array(x, dtype=float) for x in columns_of(table)]  # the arrays may change
        last = threads.submit(_write_lines, file, columns, last)
        waiting.append(last)
        if len(waiting) > WAITING:
            waiting.popleft().result()

    with ThreadPoolExecutor(2) as threads:
        yield write
        for written in waiting:
            written.result()


def write_rows(path: Path, header: Sequence[str], rows: np.ndarray) -> None:
    """Write rows with any header as CSV; every number reads back bit for bit."""
    with atomic_write(path, "wb") as file:
        file.write(_line(header) + _lines_of(rows))


def _line(header: Sequence[str]) -> bytes:
    line = io.StringIO(newline="")
    csv.writer(line, lineterminator="\n").writerow(header)
    return line.getvalue().encode()


def _write_lines(file: IO[bytes], columns: Sequence[np.ndarray], before: Future[int] | None) -> int:
    """Write columns ``(columns, samples)`` side by side when those before are written."""
    text = None
    if columns[0].shape[1] >= WORTH_IT:
        from jounce.tables.digits.printing import lines_of

        text = lines_of(columns)
    if text is None:
        text = _lines_of(np.concatenate(columns).T)
    if before is not None:
        before.result()
    return file.write(text)


def _lines_of(rows: np.ndarray) -> bytes:
    """Return rows as lines; the shortest text of each number that reads back."""
    return "".join([",".join(map(repr, row)) + "\n" for row in rows.tolist()]).encode()


@cache
def _arrow() -> Any:
    try:
        from pyarrow import csv  # pyright: ignore[reportMissingImports]
    except ImportError:
        return None
    return csv


def _chunks(path: Path) -> Iterator[tuple[bytes, float]]:
    """Yield the file in parts of whole lines, with line feeds of Unix, and the share read."""
    with path.open("rb") as file:
        size = max(1, path.stat().st_size)
        start = file.read(3)
        data = start.removeprefix(b"\xef\xbb\xbf")  # the mark of some editors
        while data := data + file.read(CHUNK):
            data += file.readline()
            if b"\r" in data:
                data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            yield data, min(1.0, file.tell() / size)
            data = b""


def _count(chunk: bytes) -> int:
    """Return the number of lines; by NumPy, five times as fast as by Python."""
    ends = np.count_nonzero(np.frombuffer(chunk, dtype=np.uint8) == ord("\n"))
    return int(ends) + (not chunk.endswith(b"\n"))


def _recognised(lines: Sequence[str]) -> tuple[Dialect, int]:
    """Return how a log is written, and the number of the line, from 0, that names its columns."""
    dialect = Dialect(lenient=True)
    plain = [i for i, line in enumerate(lines) if dialect.is_row(line)]
    if not plain:
        return dialect, 0
    head = plain[0]
    dialect = dialect._replace(delimiter=_delimiter(lines[head]))
    if head and all(map(_is_number, dialect.fields(lines[head].replace(",", ".")))):
        head -= 1  # the names are in the comment above the numbers
    rows = [dialect.fields(lines[i]) for i in plain if i > head and dialect.delimiter != ","]
    if rows and any(map(_DECIMAL_COMMA.fullmatch, rows[0])):
        dialect = dialect._replace(decimal=",")
    return dialect, head


def _delimiter(line: str) -> str:
    for mark in ";\t,":
        if mark in line:
            return mark
    return " " if len(line.split()) > 1 else ","


def _header(path: Path, lines: Sequence[str], dialect: Dialect, head: int) -> list[str]:
    """Return the names of the columns."""
    first = lines[head] if lines else ""
    where = f"{path}:{head + 1}"
    if not first.strip():
        raise TableError(f"{where}: no header; the first line must name the columns.")
    if "\ufffd" in first or "\0" in first:
        raise TableError(f"{where}: not a text in UTF-8; save the table as CSV.")
    if dialect.lenient:
        header = dialect.fields(first.lstrip("# \t") if first.lstrip().startswith("#") else first)
    else:
        mark = dialect.delimiter
        header = next(csv.reader([first], delimiter=mark, skipinitialspace=True))
        if len(header) == 1 and any(other in first for other in ",;\t"):
            found, wanted = first.strip(), _WORDS.get(mark, "commas")
            raise TableError(f"{where}: columns must be separated by {wanted}, got {found!r}.")
    if all(_is_number(name) for name in header):
        raise TableError(f"{where}: no header; the first line must name the columns.")
    return header


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return "_" not in field
