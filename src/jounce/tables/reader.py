"""What the readers and writers of the file formats have in common.

A reader yields the samples of a file piece by piece, as rows of the columns that its layout
asks for; `jounce.tables.file` makes motions of them.  A writer takes blocks of a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from jounce.tables.clock import Stamp
from jounce.tables.columns import Layout
from jounce.tables.table import MotionTable

BLOCK = 16384  # samples that are read or written at once
NUMBERS = 2**20  # samples × columns that are read at once, at most

DROP = "; --drop-invalid leaves such rows out"

Write = Callable[[MotionTable], None]


class Piece(NamedTuple):
    """Rows ``(samples, columns)``, a number for each to say where it stands, the share read."""

    rows: np.ndarray
    numbers: Sequence[int]
    done: float


class Reader(Protocol):
    """A file of samples.

    ``path`` is where it is, ``said`` what was understood of it, ``first`` its first time;
    ``ticks`` are those in a second if the time column says its unit.
    """

    path: Path
    layout: Layout
    said: str
    first: Stamp
    ticks: float | None

    def place(self, number: int) -> str:
        """Say where a row stands: file and line."""
        ...

    def pieces(self, samples: int, start: Stamp) -> Iterator[Piece]:
        """Yield all rows, at most ``samples`` at once; time is counted from ``start``."""
        ...

    def windows(self, count: int, samples: int, start: Stamp) -> list[np.ndarray]:
        """Return ``count`` evenly spread pieces of consecutive rows, or all of a short file."""
        ...


def limited(samples: int, columns: int) -> int:
    """Return how many samples of so many columns to read at once, at most ``samples``."""
    return min(samples, max(1, NUMBERS // columns))


def spread(total: int, count: int, samples: int) -> list[slice]:
    """Return evenly spread windows among ``total`` samples; one of everything if they fill half.

    >>> spread(100, 2, 10)
    [slice(0, 10, None), slice(90, 100, None)]
    """
    if total <= 2 * count * samples:
        return [slice(0, total)]
    starts = np.linspace(0, total - samples, count).astype(int).tolist()
    return [slice(start, start + samples) for start in starts]
