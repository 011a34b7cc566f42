"""What every trajectory offers, and the checks of what it is given."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from jounce.errors import ShapeError
from jounce.model.checks import as_floats, check_finite


class Trajectory(Protocol):
    """A motion of n coordinates that is known with its time derivatives."""

    @property
    def n(self) -> int:
        """Number of coordinates."""
        ...

    @property
    def duration(self) -> float:
        """How long the motion lasts, in s; evaluation is not limited to it."""
        ...

    def __call__(self, t: Any, order: int = 4) -> np.ndarray:
        """Return the derivatives 0 … order at the times t, ``(order + 1, *t.shape, n)``."""
        ...


def checked_times(t: Any, order: int) -> np.ndarray:
    """Return t as a finite float64 array, after a check that the order is an integer ≥ 0."""
    if isinstance(order, bool) or not isinstance(order, int | np.integer) or order < 0:
        raise ShapeError(f"order must be an integer ≥ 0, got {order!r}.")
    times = as_floats("t", t)
    check_finite("t", times)
    return times


def checked_time(name: str, value: Any) -> float:
    """Return one finite time as a float."""
    array = as_floats(name, value)
    if array.ndim:
        raise ShapeError(f"{name} must be one number, got an array of shape {array.shape}.")
    check_finite(name, array)
    return float(array)


def frozen_rows(name: str, values: Any, rows: str) -> np.ndarray:
    """Return a read-only copy of values ``(rows, n)``, finite, with at least one row."""
    array = np.array(as_floats(name, values))
    if array.ndim != 2 or not array.size:
        raise ShapeError(
            f"{name} must have shape ({rows}, n) with at least one row and one column, "
            f"got {array.shape}."
        )
    return frozen(name, array)


def frozen(name: str, array: np.ndarray) -> np.ndarray:
    """Return a contiguous read-only copy of a finite array."""
    check_finite(name, array)
    copy = np.array(array, order="C")
    copy.flags.writeable = False
    return copy
