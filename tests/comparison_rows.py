"""Measurements of the comparison, read back from the CSV that it writes."""

from __future__ import annotations

import csv
import io
from typing import Any, get_type_hints

from jounce.comparison.records import Measurement


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
