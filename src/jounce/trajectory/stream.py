"""Derivatives of sampled positions, block by block, for files longer than the memory.

The samples are cut into windows whose places follow from the knots alone, not from the blocks
they arrive in, so that the result is the same, bit for bit, for blocks of any size.  A window
is fitted with ``overlap`` knots more on both sides; what lies beyond is not felt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

from jounce.errors import ShapeError
from jounce.trajectory.protocol import checked_times
from jounce.trajectory.smoothing import Smoothing, checked_samples
from jounce.trajectory.spline_basis import evaluated
from jounce.trajectory.spline_fit import fitted

LEAST_KNOTS = 1024  # of a window
LEAST_SAMPLES = 8192  # of a window with a knot at each
PIECE = 8192  # samples that are returned at a time, at most

Samples = tuple[np.ndarray, np.ndarray]


def stream_derivatives(
    blocks: Iterable[Samples], smoothing: Smoothing, order: int = 4
) -> Iterator[Samples]:
    """Yield ``time (m,), values (order + 1, m, n)`` for blocks ``time (m,), q (m, n)``.

    Every sample comes back once, in order; the blocks that come back have other sizes than
    those that go in.  Samples on the two sides of a pause longer than ``smoothing.gap`` do not
    influence each other.
    """
    checked_times((), order)
    least = LEAST_SAMPLES if smoothing.interpolates else LEAST_KNOTS
    width = max(least, 4 * smoothing.overlap)
    for t, q, core in _windows(_runs(blocks, smoothing), smoothing, width):
        u = smoothing.knot_time(t)
        spline = fitted(u, q, smoothing.degree, smoothing.penalty)
        for first in range(core.start, core.stop, PIECE):
            piece = slice(first, min(first + PIECE, core.stop))
            yield t[piece], evaluated(spline, u[piece], order, smoothing.step)


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
            raise ShapeError(
                f"times must increase strictly, but a block starts at {t[0]!s}, after {last!s}."
            )
        steps = np.diff(t, prepend=last)
        cuts = np.flatnonzero(steps > smoothing.gap)
        edges = np.unique(np.concatenate([[0], cuts, [t.size]]))
        for first, end in pairwise(edges):
            yield (t[first:end], q[first:end]), bool(steps[first] > smoothing.gap)
        last = t[-1]


def _windows(
    runs: Iterator[tuple[Samples, bool]], smoothing: Smoothing, width: int
) -> Iterator[tuple[np.ndarray, np.ndarray, slice]]:
    """Yield windows of samples, and which of them are not overlap."""
    held = _Held(smoothing, width)
    for part, is_new in runs:
        if is_new:
            yield from held.windows(ended=True)
            held = _Held(smoothing, width)
        held.add(part)
        yield from held.windows(ended=False)
    yield from held.windows(ended=True)


class _Held:
    """The samples of one run that are still needed.

    Samples are numbered by their knot interval, or, for knots at the samples, from the start
    of the run; a window is what has numbers ``start … start + width − 1``.
    """

    def __init__(self, smoothing: Smoothing, width: int) -> None:
        self.smoothing, self.width = smoothing, width
        self.parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self.count = 0  # samples so far
        self.start: int | None = None  # of the next window

    def add(self, part: Samples) -> None:
        t, q = part
        if self.smoothing.interpolates:
            number = np.arange(self.count, self.count + t.size)
        else:
            number = np.floor(self.smoothing.knot_time(t)).astype(np.int64)
        self.count += t.size
        self.parts.append((t, q, number))
        if self.start is None:
            self.start = int(number[0]) // self.width * self.width

    def windows(self, ended: bool) -> Iterator[tuple[np.ndarray, np.ndarray, slice]]:
        reach = self.smoothing.overlap
        while self.start is not None:
            end, newest = self.start + self.width, int(self.parts[-1][2][-1])
            if newest <= end + reach and not ended:
                return
            if len(self.parts) > 1:
                joined = [np.concatenate(x) for x in zip(*self.parts, strict=True)]
                self.parts = [(joined[0], joined[1], joined[2])]
            t, q, number = self.parts[0]
            first, core, stop, last = np.searchsorted(
                number, [self.start - reach, self.start, end, end + reach + 1]
            )
            if stop > core:
                yield t[first:last], q[first:last], slice(core - first, stop - first)
            kept = int(np.searchsorted(number, end - reach))
            self.parts = [(t[kept:], q[kept:], number[kept:])]
            self.start = end if newest >= end else None
