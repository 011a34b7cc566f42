"""How sampled positions are smoothed: the record, and the checks of what it supports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from jounce.errors import NotFiniteError, ShapeError
from jounce.model.checks import as_floats, check_finite

REST = 1e-12  # of the movement of the liveliest coordinate: what moves less, does so by rounding


class SplineWarning(UserWarning):
    """Samples that do not carry what is asked of them, or that leave a gap."""


@dataclass(frozen=True, slots=True, eq=False)
class Smoothing:
    """What turns samples into a spline, wherever in a file they stand.

    Knots lie at ``origin + k step`` for all integers k, or, where ``penalty`` is zero, at the
    samples: neither depends on how a file is cut into blocks.  ``penalty`` ``(n,)`` weighs the
    roughness of each coordinate, in units of knots.  Samples further apart than ``gap`` seconds
    are not connected.  What lies ``overlap`` knots away has no influence within rounding.

    ``noise`` ``(n,)`` is the standard deviation of the samples, as estimated or, where that is
    more, as stated; ``error`` and ``signal`` ``(orders, n)`` are the standard error of each
    derivative that follows from it, and the root mean square of that derivative.
    """

    degree: int
    origin: float
    step: float
    penalty: np.ndarray
    gap: float
    overlap: int
    noise: np.ndarray
    error: np.ndarray
    signal: np.ndarray

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return self.penalty.size

    @property
    def interpolates(self) -> bool:
        """Whether the spline passes through the samples."""
        return not self.penalty.any()

    def knot_time(self, t: np.ndarray) -> np.ndarray:
        """Return times in s as times in knots."""
        return (t - self.origin) / self.step

    def unsupported(self, order: int) -> tuple[str, ...]:
        """Return why the samples do not support derivatives up to this order; empty: they do.

        A derivative is supported when its noise has less power than what is left of it without
        the noise, ``rms² < 2 error²`` being the contrary.  Joints at rest are not judged.
        """
        if order > self.degree:
            return (f"derivative {order} of a spline of degree {self.degree} is zero",)
        last = min(order, len(self.error) - 1)
        moves = self.signal[0] > np.maximum(2.0 * self.noise, REST * self.signal[0].max())
        lost = moves & (self.signal[last] ** 2 < 2.0 * self.error[last] ** 2)
        return tuple(
            f"derivative {last} of coordinate {i} is {self.signal[last, i]:.3g} rms, of which "
            f"noise is {self.error[last, i]:.3g}"
            for i in np.flatnonzero(lost)
        )


def checked_samples(t: Any, q: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the samples as arrays ``(m,)`` and ``(m, n)``; times increase strictly."""
    t, q = as_floats("t", t), as_floats("q", q)
    if t.ndim != 1 or q.ndim != 2 or q.shape[0] != t.size or not q.size:
        raise ShapeError(
            "samples must be t of shape (m,) and q of shape (m, n) with m and n ≥ 1, "
            f"got {t.shape} and {q.shape}."
        )
    check_finite("t", t)
    check_finite("q", q)
    late = np.flatnonzero(np.diff(t) <= 0.0)
    if late.size:
        i = int(late[0])
        raise ShapeError(
            f"times must increase strictly, but t[{i + 1}] = {t[i + 1]!s} does not come after "
            f"t[{i}] = {t[i]!s}."
        )
    return t, q


def checked_degree(degree: int | None, order: int, samples: int) -> int:
    """Return the degree, odd and at least 5; the default leaves three degrees to spare."""
    if isinstance(order, bool) or not isinstance(order, int | np.integer) or order < 0:
        raise ShapeError(f"order must be an integer ≥ 0, got {order!r}.")
    if degree is None:
        degree = max(7, order + 3 + order % 2)
    if isinstance(degree, bool) or not isinstance(degree, int) or degree < 5 or degree % 2 == 0:
        raise ShapeError(f"degree must be an odd integer ≥ 5, got {degree!r}.")
    if samples < degree + 1:
        raise ShapeError(
            f"a spline of degree {degree} needs at least {degree + 1} samples, got {samples}; "
            "give more samples or a lower degree (5 is the least)."
        )
    return degree


def checked_noise(noise: Any, n: int) -> np.ndarray | None:
    """Return the stated standard deviations ``(n,)``, or None."""
    if noise is None:
        return None
    array = as_floats("noise", noise)
    if array.shape not in ((), (n,)):
        raise ShapeError(
            f"noise must be one standard deviation or have shape ({n},), got {array.shape}."
        )
    if not np.isfinite(array).all() or np.any(array < 0.0):
        raise NotFiniteError(f"noise must be finite and ≥ 0, got {array.tolist()}.")
    if np.any(array == 0.0) and np.any(array > 0.0):
        raise ShapeError(
            "noise must be zero for all coordinates (interpolation) or for none, "
            f"got {array.tolist()}."
        )
    return np.broadcast_to(array, (n,))
