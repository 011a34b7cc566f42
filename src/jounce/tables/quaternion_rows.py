"""Quaternions of a table: unit length, and signs that do not jump from sample to sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from jounce.errors import TableError
from jounce.model.checks import QUATERNION_TOLERANCE

QUARTER = np.sqrt(0.5)  # cosine of half of a turn by 90 degrees
ROUNDING = 4.0 * np.finfo(float).eps  # of the length of a quaternion that is normalised


def continuous_rows(
    rows: np.ndarray,
    columns: Sequence[slice],
    before: np.ndarray,
    titles: Sequence[str],
    place: Callable[[int], str],
) -> np.ndarray:
    """Return the rows with the quaternions in these columns normalised and of continuous sign.

    q and −q are the same orientation; of the two, each sample has the one nearer to the sample
    before.  ``before`` is the row before the first, or no row.  ``place(i)`` says where a row
    stands, ``titles`` are the names of the columns.
    """
    rows = rows.copy()
    for part in columns:
        size = np.linalg.norm(rows[:, part], axis=1)
        wrong = np.flatnonzero(np.abs(size - 1.0) > QUATERNION_TOLERANCE)
        if wrong.size:
            raise TableError(
                f"{place(int(wrong[0]))}: the quaternion {', '.join(titles[part])} has length "
                f"{size[wrong[0]]:.9g}; it must be 1 to {QUATERNION_TOLERANCE:g}: write x y z w "
                "with more digits, or divide them by their length."
            )
        rounded = np.abs(size - 1.0) <= ROUNDING  # dividing again would change the last bits
        unit = rows[:, part] / np.where(rounded, 1.0, size)[:, None]
        agrees = np.sum(unit * np.concatenate([before[:, part], unit])[: len(unit)], axis=1)
        if not len(before):
            agrees = np.concatenate([[1.0], np.sum(unit[1:] * unit[:-1], axis=1)])
        rows[:, part] = unit * np.cumprod(np.where(agrees < 0.0, -1.0, 1.0))[:, None]
    return rows


def jumps_of(q: np.ndarray, quaternions: Sequence[slice]) -> np.ndarray:
    """Tell for every step of q ``(samples, nq)`` whether a quaternion turns by more than 90°.

    Which of q and −q comes next is not sure then, nor what happened in between.
    """
    jumps = np.zeros(len(q) - 1, dtype=bool)
    for part in quaternions:
        jumps |= np.sum(q[1:, part] * q[:-1, part], axis=1) < QUARTER
    return jumps
