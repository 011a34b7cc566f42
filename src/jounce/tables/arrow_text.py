"""Numbers from text and to text by pyarrow, where it is installed: several times faster.

The numbers are the same bit for bit: both ways round correctly.  What pyarrow cannot read is
left to the strict reader, which says what is wrong.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

WORTH_IT = 2048  # rows; for fewer it is not worth importing


def arrow_rows(texts: list[str], width: int, columns: Sequence[int]) -> np.ndarray | None:
    """Return these columns of lines that have ``width`` fields, or None."""
    csv = _csv() if len(texts) >= WORTH_IT else None
    if csv is None:
        return None
    names = [str(i) for i in range(width)]
    wanted = [names[i] for i in columns]
    try:
        table = csv.read_csv(
            io.BytesIO("".join(texts).encode()),
            csv.ReadOptions(column_names=names, use_threads=False),
            csv.ParseOptions(quote_char=False),
            csv.ConvertOptions(
                column_types=dict.fromkeys(wanted, "float64"),
                include_columns=wanted,
                null_values=[],
            ),
        )
    except (ValueError, OSError):
        return None
    if table.num_rows != len(texts):
        return None
    return np.stack([column.to_numpy() for column in table.columns], axis=1)


def arrow_lines(rows: int) -> Callable[[np.ndarray], bytes] | None:
    """Return what makes lines of rows ``(samples, columns)``, if it is worth it."""
    return _lines if rows >= WORTH_IT and _csv() is not None else None


def _lines(rows: np.ndarray) -> bytes:
    """Return rows as lines; the shortest text of each number that reads back."""
    import pyarrow as pa  # pyright: ignore[reportMissingImports]

    columns = np.ascontiguousarray(rows.T)
    text = io.BytesIO()
    table = pa.table(list(columns), names=[str(i) for i in range(len(columns))])
    _csv().write_csv(table, text, _csv().WriteOptions(include_header=False))
    return text.getvalue()


@cache
def _csv() -> Any:
    try:
        from pyarrow import csv  # pyright: ignore[reportMissingImports]
    except ImportError:
        return None
    return csv
