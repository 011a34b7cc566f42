"""What the comparison found: one record for every formulation and order."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import NamedTuple

from jounce.errors import unknown_name

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
        from jounce.comparison.tables import csv_text
        from jounce.files import atomic_write

        with atomic_write(path) as file:
            file.write(csv_text(self.rows))

    def plot(self, path: str | PathLike[str]) -> None:
        """Draw operations, time and error over the order; needs the extra ``plot``.

        The suffix of the path decides the format: svg, png, pdf.
        """
        from jounce.comparison.figure import figure_bytes
        from jounce.files import atomic_write

        image = figure_bytes(self, path)
        with atomic_write(path, "wb") as file:
            file.write(image)

    def __str__(self) -> str:
        from jounce.comparison.tables import text

        return text(self)


def _for_calls(microseconds: float | None) -> float | None:
    return None if microseconds is None else microseconds * 1e-6 * CALLS
