"""The comparison as text: one table a quantity, formulations down and orders across; and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, fields
from typing import Any, NamedTuple, get_type_hints

from jounce.comparison.records import CALLS, Comparison, Measurement


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


def rows_of_csv(content: str) -> tuple[Measurement, ...]:
    """Return the measurements that `csv_text` wrote."""
    kinds = get_type_hints(Measurement)
    return tuple(
        Measurement(**{name: _value(kinds[name], cell) for name, cell in row.items()})
        for row in csv.DictReader(io.StringIO(content))
    )


def _value(kind: Any, cell: str) -> Any:
    if kind is str:
        return cell
    if not cell:
        return None
    return int(cell) if kind in (int, int | None) else float(cell)


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
