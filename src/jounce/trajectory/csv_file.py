"""Motion tables as comma-separated text, read and written block by block.

A block is an array ``(samples, columns)``, so that a file longer than the memory can pass
through.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TextIO

import numpy as np

from jounce.files import atomic_write
from jounce.trajectory.columns import Layout, header_of, layout_of
from jounce.trajectory.motion_table import MotionTable, TableError, check_samples

BLOCK = 8192  # samples


def read_csv(path: Path, joints: Sequence[str] | None) -> MotionTable:
    """Return the whole table of a file."""
    layout = read_layout(path, joints)
    return layout.table(np.concatenate(list(read_blocks(path, layout))))


def write_csv(path: Path, table: MotionTable) -> None:
    """Write a table, completely or not at all."""
    parts = [table.values] if table.forces is None else [table.values, table.forces]
    starts = range(0, len(table.time), BLOCK)
    blocks = (_block(table.time, parts, slice(start, start + BLOCK)) for start in starts)
    write_blocks(path, header_of(table), blocks)


def read_layout(path: Path, joints: Sequence[str] | None = None) -> Layout:
    """Return the layout that the first line of a file describes."""
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
    return layout_of(header, joints, f"{path}:1")


def read_blocks(path: Path, layout: Layout, samples: int = BLOCK) -> Iterator[np.ndarray]:
    """Yield the samples of a file in blocks, finite and in strictly increasing time."""
    before = np.empty((0, len(layout.header)))  # the last sample of the block before
    line = 2
    with _lines(path) as lines:
        next(lines)
        while texts := list(islice(lines, samples)):
            filled = [i for i, text in enumerate(texts, start=line) if not text.isspace()]
            rows = _parse(path, [texts[i - line] for i in filled], filled, layout.header)
            _check(path, np.concatenate([before, rows]), [0] * len(before) + filled, layout)
            line += len(texts)
            if len(rows):
                before = rows[-1:]
                yield rows
    if not len(before):
        raise TableError(f"{path}:{line}: no sample; there is nothing below the header.")


def write_blocks(path: Path, header: Sequence[str], blocks: Iterable[np.ndarray]) -> None:
    """Write a header and blocks of samples; every number reads back bit for bit."""
    with atomic_write(path) as file:
        csv.writer(file, lineterminator="\n").writerow(header)
        for block in blocks:
            file.writelines(",".join(map(repr, row)) + "\n" for row in block.tolist())


def _lines(path: Path) -> TextIO:
    """Open a file; bytes that are not UTF-8 become �, which is no number and no name."""
    return path.open(encoding="utf-8-sig", errors="replace")


def _parse(path: Path, texts: list[str], numbers: list[int], header: Sequence[str]) -> np.ndarray:
    if not texts:
        return np.empty((0, len(header)))
    try:
        rows = np.loadtxt(texts, delimiter=",", comments=None, ndmin=2)
    except ValueError as error:
        raise _diagnosis(path, texts, numbers, header, str(error)) from error
    if rows.shape != (len(texts), len(header)):
        raise _diagnosis(path, texts, numbers, header, f"{rows.shape[1]} columns")
    return rows


def _diagnosis(
    path: Path, texts: list[str], numbers: list[int], header: Sequence[str], reason: str
) -> TableError:
    """Return the error that names the first line that is not one number per column."""
    for text, number in zip(texts, numbers, strict=True):
        fields = [field.strip() for field in text.split(",")]
        if len(fields) != len(header):
            return TableError(
                f"{path}:{number}: {len(fields)} fields, but {len(header)} columns in the header."
            )
        for name, field in zip(header, fields, strict=True):
            if not _is_number(field):
                found = f"{field!r} is not a number" if field else "is empty"
                return TableError(f"{path}:{number}: column {name}: {found}.")
    return TableError(f"{path}:{numbers[0]}: cannot be read: {reason}.")


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return "_" not in field


def _check(path: Path, rows: np.ndarray, numbers: list[int], layout: Layout) -> None:
    order = [layout.time, *(i for i in range(len(layout.header)) if i != layout.time)]
    header = [layout.header[i] for i in order]
    check_samples(rows[:, order], header, lambda sample: f"{path}:{numbers[sample]}")


def _block(time: np.ndarray, parts: list[np.ndarray], samples: slice) -> np.ndarray:
    """Return ``(samples, columns)``: the time, then order by order the joints."""
    columns = [part[:, samples].swapaxes(0, 1) for part in parts]
    rows = len(time[samples])
    flat = [part.reshape(rows, -1) if part.size else np.empty((rows, 0)) for part in columns]
    return np.concatenate([time[samples, None], *flat], axis=1)
