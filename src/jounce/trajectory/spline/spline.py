"""Splines through samples or near them, and through a few points with given ends."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.interpolate import BSpline, make_interp_spline

from jounce.errors import ArgumentError, ShapeError
from jounce.model.checks import as_floats, check_finite, checked_integer
from jounce.trajectory.protocol import checked_samples, checked_times
from jounce.trajectory.spline.basis import Curve, evaluated, hermite
from jounce.trajectory.spline.fit import fitted
from jounce.trajectory.spline.smoothing import (
    Smoothing,
    SplineWarning,
    choose_smoothing,
    warn_of,
)

BEYOND = 1e-9  # of the duration: times that rounding carried beyond an end


@dataclass(frozen=True, slots=True, eq=False)
class Spline:
    """A piecewise polynomial with exact derivatives, zero beyond its degree.

    It is made by `Spline.through` or `Spline.fit` from samples, or by `Polynomial.through` from
    a few points.  ``pieces`` are B-splines of ``(t − origin) / step``, one after the other in
    time; ``breaks`` ``(pieces + 1,)``, in s, says where each begins and the last one ends.
    ``smoothing`` is how the samples were smoothed, if they were.  Outside of the samples it is
    not defined.
    """

    pieces: tuple[BSpline, ...]
    breaks: np.ndarray
    origin: float
    step: float
    smoothing: Smoothing | None = None

    @classmethod
    def through(cls, t: Any, q: Any, *, degree: int = 7) -> Spline:
        """Return the spline through the samples q ``(m, n)`` at increasing times t ``(m,)``.

        Derivatives up to ``degree − 1`` are continuous.
        """
        return cls.fit(t, q, noise=0.0, degree=degree, order=0)

    @classmethod
    def fit(
        cls,
        t: Any,
        q: Any,
        *,
        noise: Any = None,
        degree: int | None = None,
        order: int = 4,
        smoothing: Smoothing | None = None,
    ) -> Spline:
        """Return the smoothing spline of samples q ``(m, n)`` at increasing times t ``(m,)``.

        The options are those of `choose_smoothing`; a ``smoothing`` chosen before replaces
        them.  Pauses longer than its ``gap`` are bridged by polynomials, with a warning.
        """
        t, q = checked_samples(t, q)
        if smoothing is None:
            smoothing = choose_smoothing(t, q, noise=noise, degree=degree, order=order)
        elif smoothing.n != q.shape[1]:
            raise ShapeError(
                f"the smoothing is for {smoothing.n} coordinates, the samples have {q.shape[1]}."
            )
        cuts = 1 + np.flatnonzero(np.diff(t) > smoothing.gap)
        u = smoothing.knot_time(t)
        runs = list(zip(np.split(u, cuts), np.split(q, cuts), strict=True))
        fits = [fitted(x, y, smoothing.degree, smoothing.penalty) for x, y in runs]
        if cuts.size:
            _warn_of_gaps(t, cuts, smoothing)
        pieces = [fits[0]]
        for i, fit in enumerate(fits[1:]):
            ends = runs[i][0][-1], runs[i + 1][0][0]
            pieces += [_bridge(fits[i], ends[0], fit, ends[1], smoothing.degree), fit]
        edges = np.sort(np.concatenate([t[[0, -1]], t[cuts - 1], t[cuts]]))
        return cls(
            tuple(BSpline(*piece) for piece in pieces),
            edges,
            smoothing.origin,
            smoothing.step,
            smoothing,
        )

    def __post_init__(self) -> None:
        self.breaks.flags.writeable = False
        for piece in self.pieces:
            piece.c.flags.writeable = piece.t.flags.writeable = False

    def __str__(self) -> str:
        how = "" if self.smoothing is None else f"; {self.smoothing}"
        pauses = f", {len(self.pieces) // 2} pauses bridged" if len(self.pieces) > 1 else ""
        return (
            f"spline of degree {self.degree}: {self.n} coordinates, {self.breaks[0]:g} … "
            f"{self.breaks[-1]:g} s{how}{pauses}"
        )

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return self.pieces[0].c.shape[1]

    @property
    def degree(self) -> int:
        """Degree of the polynomials."""
        return max(piece.k for piece in self.pieces)

    @property
    def t0(self) -> float:
        """Time of the first sample, in s."""
        return float(self.breaks[0])

    @property
    def duration(self) -> float:
        """Time from the first to the last sample, in s."""
        return float(self.breaks[-1] - self.breaks[0])

    @property
    def knots(self) -> np.ndarray:
        """Times at which its polynomials meet, with both ends, in s."""
        inner = [
            knots[(knots > left) & (knots < right)]
            for piece, left, right in zip(self.pieces, self.breaks, self.breaks[1:], strict=False)
            for knots in [self.origin + self.step * piece.t]
        ]
        return np.unique(np.concatenate([self.breaks, *inner]))

    def __call__(self, t: Any, order: int = 4) -> np.ndarray:
        """Return the derivatives 0 … order at the times t, ``(order + 1, *t.shape, n)``."""
        times = checked_times(t, order)
        margin = BEYOND * self.duration
        outside = (times < self.breaks[0] - margin) | (times > self.breaks[-1] + margin)
        if outside.any():
            raise ArgumentError(
                f"t = {times[outside].flat[0]!s} s lies outside of the samples of this spline, "
                f"{self.breaks[0]!s} … {self.breaks[-1]!s} s."
            )
        if self.smoothing is not None:
            warn_of(self.smoothing, order, stacklevel=3)
        u = (times - self.origin) / self.step
        if len(self.pieces) == 1:
            return evaluated(self.pieces[0], u, order, self.step)
        index = np.searchsorted(self.breaks[1:-1], times, side="right")
        # the last sample before a pause belongs to what was fitted, not to the bridge
        index -= (index % 2 == 1) & (times == self.breaks[index])
        result = np.empty((order + 1, *times.shape, self.n))
        for i in np.unique(index):
            here = index == i
            result[:, here] = evaluated(self.pieces[i], u[here], order, self.step)
        return result


def through_points(
    times: Any, points: Any, smoothness: int, start: Any = None, end: Any = None
) -> Spline:
    """Return the spline of `Polynomial.through`, which says what is given."""
    t, q = checked_samples(times, points)
    smoothness = checked_integer("smoothness", smoothness)
    if t.size < 2:
        raise ShapeError(f"a motion through points needs at least 2 of them, got {t.size}.")
    step = float(t[-1] - t[0]) / (t.size - 1)
    left, right = (
        _end_derivatives(name, given, smoothness, q.shape[1])
        * step ** np.arange(1.0, smoothness + 1)[:, None]
        for name, given in (("start", start), ("end", end))
    )
    u = (t - t[0]) / step
    if t.size == 2:
        ends = np.vstack([q[:1], left]), np.vstack([q[1:], right])
        piece = BSpline(*hermite(u[0], u[1], *ends))
    else:
        conditions = [[(k, row) for k, row in enumerate(rows, 1)] for rows in (left, right)]
        piece = make_interp_spline(
            u, q - q[0], k=2 * smoothness + 1, bc_type=tuple(conditions) if smoothness else None
        )
        piece.c += q[0]  # a motion that stands still has no rounding in it
    return Spline((piece,), t[[0, -1]], float(t[0]), step)


def _end_derivatives(name: str, given: Any, smoothness: int, n: int) -> np.ndarray:
    result = np.zeros((smoothness, n))
    if given is None:
        return result
    rows = as_floats(name, given)
    if rows.ndim != 2 or rows.shape[1] != n or len(rows) > smoothness:
        raise ShapeError(
            f"{name} must have shape (k, {n}): the derivatives 1 … k of each coordinate, at most "
            f"{smoothness} with this smoothness; got {rows.shape}."
        )
    check_finite(name, rows)
    result[: len(rows)] = rows
    return result


def _bridge(before: Curve, left: float, after: Curve, right: float, degree: int) -> Curve:
    """Return the polynomial that continues both splines, with half of the derivatives each."""
    s = (degree - 1) // 2
    ends = [evaluated(fit, np.array(u), s, 1.0) for fit, u in ((before, left), (after, right))]
    return hermite(left, right, *ends)


def _warn_of_gaps(t: np.ndarray, cuts: np.ndarray, smoothing: Smoothing) -> None:
    longest = int(np.argmax(t[cuts] - t[cuts - 1]))
    first, last = t[cuts[longest] - 1], t[cuts[longest]]
    warnings.warn(
        f"{cuts.size} pause(s) in the samples are longer than {smoothing.gap:g} s, the longest "
        f"from {first!s} to {last!s} s: the spline is bridged there by a polynomial.",
        SplineWarning,
        stacklevel=4,
    )
