"""The time column of a clock, such as seconds since 1970, without the rounding of doubles.

A double holds 1.7e9 s to 2.4e-7 s only, far worse than a log states it.  The differences to the
first time are small, so these are what is computed with: they are taken of integers or decimals
as the file has them, before anything is rounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from math import inf, isfinite

import numpy as np

from jounce.errors import TableError

CLOCK = 1e6  # s, 11 days: a time that begins beyond is of a clock; up to it doubles hold 0.1 ns
TICKS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}  # in a second

_ISO = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)? ?(Z|([+-])(\d\d):?(\d\d)?)?")

Stamp = int | float | Decimal  # a time as a file states it


def start_of(first: Stamp, ticks: float) -> Stamp:
    """Return what the times are counted from: the first one if it is of a clock, else 0.

    ``ticks`` are how many units of the time column make a second.
    """
    return first if CLOCK * ticks <= abs(first) < inf else 0


def epoch_ticks(first: Stamp) -> float | None:
    """Return how many units of a clock since 1970 make a second, if its first time tells.

    It does if one of them makes a date of this century of it.

    >>> epoch_ticks(1_700_000_000_000)
    1000.0
    """
    return next((ticks for ticks in TICKS.values() if 9e8 * ticks < first < 4.2e9 * ticks), None)


def since(times: np.ndarray, start: Stamp) -> np.ndarray:
    """Return times less ``start`` as float64; of integers the difference is exact."""
    if not start:
        return times.astype(np.float64)
    rounded = times.astype(np.float64) - float(start)
    if times.dtype.kind not in "iu":
        return rounded
    exact = (times.astype(np.uint64) - np.uint64(int(start) % 2**64)).astype(np.int64)
    return np.where(np.abs(rounded) < 2.0**62, exact, rounded)  # beyond, integers wrap around


def decimals_since(texts: Iterable[str], start: Stamp) -> list[float]:
    """Return finite decimal numbers less ``start``, rounded once."""
    first = Decimal(start)
    return [float(Decimal(text) - first) for text in texts]


def decimal_of(text: str) -> Stamp:
    """Return a number as its text states it, 0 if it is none."""
    try:
        return Decimal(text) if isfinite(float(text)) else 0
    except (ValueError, ArithmeticError):
        return 0


def is_iso(text: str) -> bool:
    """Whether a text is a date and a time as of ISO 8601."""
    return _ISO.fullmatch(text) is not None


def iso_nanoseconds(texts: Sequence[str]) -> np.ndarray:
    """Return dates with times as nanoseconds since 1970; a time without a zone is that of UTC.

    >>> iso_nanoseconds(["1970-01-01T01:00:00.5+01:00", "1970-01-01 00:00:02Z"]).tolist()
    [500000000, 2000000000]
    """
    plain, offsets = [], []
    for text in texts:
        match = _ISO.fullmatch(text.strip())
        if match is None:
            raise ValueError(f"{text!r} is not a time")
        _, _, zone, sign, hours, minutes = match.groups()
        offset = 60 * int(hours) + int(minutes or 0) if sign else 0
        offsets.append(-offset if sign == "-" else offset)
        plain.append(match[0].removesuffix(zone or "").strip().replace(",", "."))
    stamps = np.array(plain, dtype="datetime64[ns]").astype(np.int64)
    return stamps - np.array(offsets, dtype=np.int64) * 60 * 10**9


def plain_times(times: np.ndarray) -> tuple[np.ndarray, float | None]:
    """Return datetime64 and timedelta64 as integers with their ticks; other arrays as they are."""
    if times.dtype.kind not in "mM":
        return times, None
    unit, count = np.datetime_data(times.dtype)
    if unit not in TICKS or count != 1:
        nanoseconds = f"{times.dtype.name.partition('[')[0]}[ns]"
        raise TableError(f"time holds {times.dtype}; convert it to {nanoseconds}.")
    if np.isnat(times).any():
        raise TableError(f"time[{int(np.argmax(np.isnat(times)))}] is not a time (NaT).")
    return times.astype(np.int64), TICKS[unit]
