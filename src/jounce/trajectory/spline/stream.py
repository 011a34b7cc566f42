"""Derivatives of sampled positions, block by block, for files longer than the memory.

The samples are cut into windows whose places follow from the samples, not from the blocks
they arrive in, so that the result is the same, bit for bit, for blocks of any size.  A window
is fitted with ``overlap`` knots more on both sides; what lies beyond is not felt.  Where many
samples lie between two knots, windows have fewer knots: what they hold is limited.  All end at
multiples of `window_width`, so that a part of the samples has the windows of the whole there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

from jounce.ahead import ahead
from jounce.errors import ArgumentError, ShapeError
from jounce.model.checks import checked_integer
from jounce.trajectory.protocol import checked_samples
from jounce.trajectory.spline.basis import Curve, evaluated
from jounce.trajectory.spline.fit import fitted
from jounce.trajectory.spline.smoothing import Samples, Smoothing

LEAST_KNOTS = 1024  # of a window
LEAST_SAMPLES = 8192  # of a window with a knot at each
NUMBERS = 2**22  # samples × coordinates of a window, at most, but half an overlap of knots at least
PIECE = 8192  # samples that are returned at a time, at most

Window = tuple[np.ndarray, list[np.ndarray], slice]  # times, parts of q, what is not overlap
Span = tuple[float, float]  # numbers of knots, multiples of the width of windows or infinite


def window_width(smoothing: Smoothing) -> int:
    """Return how many knots a window has at most; windows end at the multiples of it."""
    least = LEAST_SAMPLES if smoothing.interpolates else LEAST_KNOTS
    return max(least, 4 * smoothing.overlap)


def stream_derivatives(
    blocks: Iterable[Samples],
    smoothing: Smoothing,
    order: int = 4,
    *,
    span: Span = (-np.inf, np.inf),
) -> Iterator[Samples]:
    """Yield ``time (m,), values (order + 1, m, n)`` for blocks ``time (m,), q (m, n)``.

    Every sample comes back once, in order; the blocks that come back have other sizes than
    those that go in.  Samples on the two sides of a pause longer than ``smoothing.gap`` do not
    influence each other.  Only the samples between the knots of ``span`` come back: what they are
    needs no more than the samples up to ``smoothing.overlap`` knots beyond it.
    """
    order = checked_integer("order", order)
    for t, u, core, spline in ahead(_splines(blocks, smoothing, span)):
        for first in range(core.start, core.stop, PIECE):
            piece = slice(first, min(first + PIECE, core.stop))
            yield t[piece], evaluated(spline, u[piece], order, smoothing.step)


def _splines(
    blocks: Iterable[Samples], smoothing: Smoothing, span: Span
) -> Iterator[tuple[np.ndarray, np.ndarray, slice, Curve]]:
    """Yield windows: times, the same in knots, what is not overlap, and the spline."""
    for t, q, core in _windows(blocks, smoothing):
        u = smoothing.knot_time(t)
        if span[0] <= u[core.start] < span[1]:
            yield t, u, core, fitted(u, q, smoothing.degree, smoothing.penalty)


def _runs(blocks: Iterable[Samples], smoothing: Smoothing) -> Iterator[tuple[Samples, bool]]:
    """Yield the samples in parts without a gap, and whether a gap stands before the part."""
    last = -np.inf
    for t, q in blocks:
        t, q = checked_samples(t, q)
        if q.shape[1] != smoothing.n:
            raise ShapeError(
                f"the smoothing is for {smoothing.n} coordinates, the block has {q.shape[1]}."
            )
        if t[0] <= last:
            raise ArgumentError(
                f"times must increase strictly, but a block starts at {t[0]!s}, after {last!s}."
            )
        steps = np.diff(t, prepend=last)
        cuts = np.flatnonzero(steps > smoothing.gap)
        edges = np.unique(np.concatenate([[0], cuts, [t.size]]))
        for first, end in pairwise(edges):
            yield (t[first:end], q[first:end]), bool(steps[first] > smoothing.gap)
        last = t[-1]


def _windows(blocks: Iterable[Samples], smoothing: Smoothing) -> Iterator[Window]:
    """Yield windows of samples, and which of them are not overlap."""
    held = _Held(smoothing)
    for part, is_new in _runs(blocks, smoothing):
        if is_new:
            yield from held.windows(ended=True)
            held = _Held(smoothing)
        held.add(part)
        yield from held.windows(ended=False)
    yield from held.windows(ended=True)


class _Held:
    """The samples of one run that are still needed.

    Samples are numbered by their knot interval, or, for knots at the samples, from the start
    of the run; a window is what has numbers ``start … end − 1``.
    """

    def __init__(self, smoothing: Smoothing) -> None:
        self.smoothing, self.width = smoothing, window_width(smoothing)
        self.times: list[np.ndarray] = []
        self.numbers: list[np.ndarray] = []
        self.parts: list[np.ndarray] = []  # never joined: they are most of the memory
        self.count = 0  # samples so far
        self.gone = 0  # of them before the next window
        self.start: int | None = None  # of the next window
        self.end: int | None = None

    def add(self, part: Samples) -> None:
        t, q = part
        if self.smoothing.interpolates:
            number = np.arange(self.count, self.count + t.size)
        else:
            number = np.floor(self.smoothing.knot_time(t)).astype(np.int64)
        self.count += t.size
        self.times.append(t)
        self.numbers.append(number)
        self.parts.append(q)
        if self.start is None:
            self.start = int(number[0]) // self.width * self.width

    def windows(self, ended: bool) -> Iterator[Window]:
        reach = self.smoothing.overlap
        while self.start is not None:
            newest, end = int(self.numbers[-1][-1]), self._end(self.start, ended)
            if end is None or (newest <= end + reach and not ended):
                return
            t, number = self._joined()
            first, core, stop, last = np.searchsorted(
                number, [self.start - reach, self.start, end, end + reach + 1]
            ).tolist()
            if stop > core:
                yield (
                    t[first:last],
                    _cut(self.parts, first, last),
                    slice(core - first, stop - first),
                )
            kept = int(np.searchsorted(number, end - reach))
            self.times, self.numbers = [t[kept:]], [number[kept:]]
            self.parts = _cut(self.parts, kept, t.size)
            self.gone += stop - core
            self.start, self.end = (end if newest >= end else None), None

    def _end(self, start: int, ended: bool) -> int | None:
        """Return where the window ends, when enough samples are there to tell."""
        full = (start // self.width + 1) * self.width
        most = max(1, NUMBERS // self.smoothing.n)
        if self.end is None and self.count - self.gone > most:
            number = self._joined()[1]
            limit = int(number[np.searchsorted(number, start) + most])
            self.end = min(full, max(limit, start + self.smoothing.overlap // 2))
        elif self.end is None and (ended or int(self.numbers[-1][-1]) >= full):
            self.end = full
        return self.end

    def _joined(self) -> tuple[np.ndarray, np.ndarray]:
        self.times, self.numbers = [np.concatenate(self.times)], [np.concatenate(self.numbers)]
        return self.times[0], self.numbers[0]


def _cut(parts: list[np.ndarray], first: int, last: int) -> list[np.ndarray]:
    """Return the rows first … last − 1 of parts that stand one after the other."""
    found, start = [], 0
    for part in parts:
        rows = part[max(first - start, 0) : max(last - start, 0)]
        found += [rows] if len(rows) else []
        start += len(part)
    return found
