"""What the comparison found, one record for every formulation and order; as tables and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from os import PathLike
from typing import Any, NamedTuple

from jounce.errors import unknown_name
from jounce.files import atomic_write

# Seconds for 10,000 calls of second order on the Panda [KM21, IV-B], Intel i7-6600U, MATLAB.
PAPERS_SECONDS = {"km21": 117.0, "closed_form": 124.0, "m20_body": 24.0, "mk21": 69.0}
PAPERS_ORDER = 2
CALLS = 10_000


@dataclass(frozen=True, slots=True)
class Measurement:
    """One formulation at one order; None where there is nothing to measure.

    Counts are those of the traced program, for one sample of Q and its derivatives to
    ``order``; ``operations`` has negations and sines with cosines too.  ``error`` is the largest
    error of the derivative of this order, relative to its max-norm along the motion.
    """

    formulation: str
    order: int
    multiplications: int | None
    additions: int | None
    operations: int | None
    trace_seconds: float | None
    compile_seconds: float | None
    ns_per_sample: float | None  # in a batch, one thread
    latency_us: float | None  # one compiled call from Python
    python_us: float | None  # one call of the text itself: Python on floats, or NumPy
    error: float | None


class PapersTiming(NamedTuple):
    """Seconds for 10,000 calls of second order: what the papers report and what we measured."""

    formulation: str
    papers: float | None
    python: float | None
    compiled: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """All measurements, and what has to be known to read them."""

    robot: str
    rows: tuple[Measurement, ...]
    notes: tuple[str, ...]
    machine: str
    samples: int
    disagreement: float | None  # between the two referees of 50 digits, relative

    @property
    def orders(self) -> tuple[int, ...]:
        """The orders that were measured."""
        return tuple(sorted({row.order for row in self.rows}))

    @property
    def formulations(self) -> tuple[str, ...]:
        """The formulations that took part."""
        return tuple(dict.fromkeys(row.formulation for row in self.rows))

    def __getitem__(self, key: tuple[str, int]) -> Measurement:
        """Return the row of a formulation and an order."""
        for row in self.rows:
            if (row.formulation, row.order) == key:
                return row
        known = (f"{row.formulation}, {row.order}" for row in self.rows)
        raise unknown_name("measurement", ", ".join(map(str, key)), known)

    @property
    def papers(self) -> tuple[PapersTiming, ...]:
        """How long 10,000 calls of second order take, as the papers measured it."""
        return tuple(
            PapersTiming(
                row.formulation,
                PAPERS_SECONDS.get(row.formulation),
                _for_calls(row.python_us),
                None if row.operations is None else _for_calls(row.latency_us),
            )
            for row in self.rows
            if row.order == PAPERS_ORDER
        )

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write the rows as CSV, completely or not at all."""
        with atomic_write(path) as file:
            file.write(csv_text(self.rows))

    def plot(self, path: str | PathLike[str]) -> None:
        """Draw operations, time and error over the order; needs the extra ``plot``.

        The suffix of the path decides the format: svg, png, pdf.
        """
        from jounce.comparison.figure import figure_bytes

        image = figure_bytes(self, path)
        with atomic_write(path, "wb") as file:
            file.write(image)

    def __str__(self) -> str:
        return text(self)


def _for_calls(microseconds: float | None) -> float | None:
    return None if microseconds is None else microseconds * 1e-6 * CALLS


class Table(NamedTuple):
    """Headings and rows of cells, the first column left, all others right."""

    title: str
    headings: list[str]
    rows: list[list[str]]


def _spell(x: float) -> str:
    return f"{x:,.0f}" if x >= 100.0 else f"{x:.3g}"


_COLUMNS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "operations": ("operations of one sample", lambda x: f"{x:,}"),
    "multiplications": ("multiplications among them", lambda x: f"{x:,}"),
    "additions": ("additions and subtractions among them", lambda x: f"{x:,}"),
    "ns_per_sample": ("ns per sample, in a batch of {samples} on one thread", _spell),
    "latency_us": ("µs for one call from Python", _spell),
    "build_seconds": ("s to trace and compile, from nothing", lambda x: f"{x:.2f}"),
    "error": ("error of the highest derivative, relative to its max-norm", lambda x: f"{x:.1e}"),
}


def tables(comparison: Comparison) -> list[Table]:
    """Return the tables that the terminal and `str` show."""
    found = [_by_order(comparison, quantity) for quantity in _COLUMNS]
    timing = _papers(comparison)
    return [*found, timing] if timing.rows else found


def text(comparison: Comparison) -> str:
    """Return all tables as plain text."""
    parts = [f"{comparison.robot}: inverse dynamics on {comparison.machine}"]
    parts += ["\n".join([table.title, *_lines(table)]) for table in tables(comparison)]
    parts += ["\n".join(remarks(comparison))]
    return "\n\n".join(part for part in parts if part)


def remarks(comparison: Comparison) -> list[str]:
    """Return what has to be said about the tables."""
    lines = [f"note: {note}" for note in comparison.notes]
    if comparison.disagreement is not None:
        lines.append(
            "the referees of 50 digits, our momentum text and [M20, appendix B], differ by "
            f"{comparison.disagreement:.0e}"
        )
    return lines


def csv_text(rows: Iterable[Measurement]) -> str:
    """Return measurements as CSV; numbers are written so that reading gives them back."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([field.name for field in fields(Measurement)])
    writer.writerows(["" if x is None else x for x in astuple(row)] for row in rows)
    return file.getvalue()


def _by_order(comparison: Comparison, quantity: str) -> Table:
    title, spell = _COLUMNS[quantity]
    cells = {(r.formulation, r.order): _quantity(r, quantity) for r in comparison.rows}
    rows = [
        [name, *(_spelled(cells.get((name, order)), spell) for order in comparison.orders)]
        for name in comparison.formulations
        if any(cells.get((name, order)) is not None for order in comparison.orders)
    ]
    headings = ["formulation", *(f"order {order}" for order in comparison.orders)]
    return Table(title.format(samples=comparison.samples), headings, rows)


def _quantity(row: Measurement, quantity: str) -> Any:
    if quantity != "build_seconds":
        return getattr(row, quantity)
    if row.compile_seconds is None or row.trace_seconds is None:
        return None
    return row.trace_seconds + row.compile_seconds


def _papers(comparison: Comparison) -> Table:
    rows = [
        [name, *(_spelled(x, _spell) for x in times)]
        for name, *times in comparison.papers
        if not name.endswith("_given")
    ]
    title = f"s for {CALLS:,} calls of order 2 (papers: the Panda in MATLAB, i7-6600U)"
    return Table(title, ["formulation", "papers", "text in Python", "compiled"], rows)


def _spelled(value: Any, spell: Callable[[Any], str]) -> str:
    return "–" if value is None else spell(value)


def _lines(table: Table) -> list[str]:
    grid: Sequence[Sequence[str]] = [table.headings, *table.rows]
    widths = [max(len(row[i]) for row in grid) for i in range(len(table.headings))]
    return [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip()
        for row in grid
    ]
