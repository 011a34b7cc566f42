"""Where smooth functions of time are largest, found piece by piece."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

ENOUGH = 1e-11  # of max(1, |maximum|): what a maximum may still be missed by
BLOCK = 4096  # pieces that are looked at together
BUDGET = 2**17  # pieces of one block, after which what is left is only bounded
HALVINGS = 40
POLISH, SECANTS = 1e-2, 10  # of a piece: where the slope changes its sign; steps to the place
INSIDE = 1e-12  # of a piece: how far from its ends they are looked at


Function = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


class Maxima(NamedTuple):
    """For each of r functions the largest value, where it is, and what may be missing to it."""

    time: np.ndarray
    value: np.ndarray
    missing: np.ndarray


def maxima(
    function: Function,
    edges: np.ndarray,
    *,
    enough: float = ENOUGH,
) -> Maxima:
    """Return the maxima of r functions that are smooth between the edges, jumps at them allowed.

    ``function(times)`` returns values and slopes, ``(m, r)`` each.  On a piece of length h the
    cubic with the values and slopes of both ends predicts both in the middle; what it is wrong
    by, e, bounds how far the function leaves the cubics of the two halves, whose errors are about
    e/16.  A cubic lies below its Bézier points ``x_a, x_a + h/3 x'_a, x_b − h/3 x'_b, x_b``.  So
    a piece whose points do not rise above the best value found, less e, has no maximum and is
    dropped; the others are halved.  For polynomials up to the fifth degree e is zero only if they
    are cubics.  Pieces that rounding or the budget leaves over are what is ``missing``.
    """
    count = function(edges[:1])[0].shape[1]
    best = np.full(count, -np.inf)
    if not count:
        return Maxima(best, best, best)
    found = Maxima(np.full(count, edges[0]), best, best)
    for first in range(0, edges.size - 1, BLOCK):
        block = edges[first : first + BLOCK + 1]
        found = _block(function, block, (edges[0], edges[-1]), found, enough)
    if enough <= ENOUGH:
        found = _polished(function, edges, found)
    return found._replace(missing=np.maximum(0.0, found.missing - found.value))


def _polished(function: Function, edges: np.ndarray, found: Maxima) -> Maxima:
    """Return maxima to rounding: where the slope vanishes beside the largest value found."""
    rows = np.arange(found.time.size)

    def own(times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value, slope = function(times)
        return value[rows, rows], slope[rows, rows]

    near, best = found.time.copy(), found.value.copy()
    _, slope = own(near)
    piece = np.clip(np.searchsorted(edges, near) - 1, 0, edges.size - 2)
    inner = _inside(edges, (edges[0], edges[-1]))
    width = POLISH * (edges[piece + 1] - edges[piece])
    far = np.clip(near + np.sign(slope) * width, inner[0][piece], inner[1][piece])
    _, beyond = own(far)
    is_bracket = slope * beyond < 0.0
    time = found.time.copy()
    for _ in range(SECANTS):
        with np.errstate(divide="ignore", invalid="ignore"):
            step = near - slope * (far - near) / (beyond - slope)
        at = np.where(is_bracket & np.isfinite(step), step, near)
        value, here = own(at)
        is_better = value > best
        best[is_better], time[is_better] = value[is_better], at[is_better]
        is_past = slope * here < 0.0
        far, beyond = np.where(is_past, near, far), np.where(is_past, slope, beyond / 2.0)
        near, slope = at, here
    return Maxima(time, best, found.missing)


def _block(
    function: Function,
    edges: np.ndarray,
    ends: tuple[float, float],
    found: Maxima,
    enough: float,
) -> Maxima:
    """Return the maxima so far; ``missing`` is the level up to which nothing is known."""
    time, best, unknown = (x.copy() for x in found)

    def look(times: np.ndarray) -> np.ndarray:
        """Return values and slopes ``(2, m, r)``, after noting the largest."""
        x = np.asarray(function(times))
        at = np.argmax(x[0], axis=0)
        top = np.take_along_axis(x[0], at[None], axis=0)[0]
        is_better = top > best
        best[is_better], time[is_better] = top[is_better], times[at[is_better]]
        return x

    a, b = _inside(edges, ends)
    left, right = np.split(look(np.concatenate([a, b])), 2, axis=1)
    looked, tops = a.size, np.empty((0, best.size))
    for _ in range(HALVINGS):
        middle = a + 0.5 * (b - a)
        centre = look(middle)
        h = (b - a)[:, None]
        half = h / 2.0
        value = (left[0] + right[0]) / 2.0 + h * (left[1] - right[1]) / 8.0
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = 1.5 * (right[0] - left[0]) / h - (left[1] + right[1]) / 4.0
        error = np.abs(centre[0] - value) + np.abs(h * (centre[1] - slope)) / 4.0
        floor = best + enough * np.maximum(1.0, np.abs(best))
        halves = [
            np.maximum(np.maximum(x[0], y[0]), np.maximum(x[0] + half / 3.0 * x[1],
                                                         y[0] - half / 3.0 * y[1])) + error
            for x, y in ((left, centre), (centre, right))
        ]  # fmt: skip
        alive = [np.flatnonzero((top > floor).any(axis=1)) for top in halves]
        looked += sum(x.size for x in alive)
        starts = np.concatenate([a[alive[0]], middle[alive[1]]])
        stops = np.concatenate([middle[alive[0]], b[alive[1]]])
        left, right = (
            np.concatenate([x[:, alive[0]], y[:, alive[1]]], axis=1)
            for x, y in ((left, centre), (centre, right))
        )
        a, b = starts, stops
        tops = np.concatenate([halves[0][alive[0]], halves[1][alive[1]]])
        if not a.size or looked > BUDGET:
            break
    if a.size:
        unknown = np.maximum(unknown, tops.max(axis=0))
    return Maxima(time, best, unknown)


def _inside(edges: np.ndarray, ends: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the pieces, a little inside, where the functions may jump."""
    step = np.diff(edges)
    margin = np.maximum(INSIDE * step, 2.0 * np.spacing(np.abs(edges).max()))
    margin = np.minimum(margin, step / 4.0)
    a, b = edges[:-1] + margin, edges[1:] - margin
    a = np.where(edges[:-1] == ends[0], edges[:-1], a)
    return a, np.where(edges[1:] == ends[1], edges[1:], b)
