"""Splines through a few points, with given derivatives at both ends."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import make_interp_spline

from jounce.errors import ShapeError
from jounce.model.checks import as_floats, check_finite
from jounce.trajectory.spline.basis import hermite
from jounce.trajectory.spline.smoothing import checked_samples
from jounce.trajectory.spline.spline import Spline


def through_points(
    times: Any, points: Any, smoothness: int, start: Any = None, end: Any = None
) -> Spline:
    """Return the spline of degree ``2 s + 1`` through the points, s being the smoothness.

    ``times`` ``(m,)`` increase; ``points`` have shape ``(m, n)``.  ``start`` and ``end``, of
    shape ``(≤ s, n)``, are the derivatives 1, 2, … at the ends; the remaining ones up to s are
    zero.  Derivatives up to 2 s are continuous, and of all motions through these points with
    these ends this one has the least ``∫ (q^(s+1))² dt``.
    """
    t, q = checked_samples(times, points)
    if isinstance(smoothness, bool) or not isinstance(smoothness, int) or smoothness < 0:
        raise ShapeError(f"smoothness must be an integer ≥ 0, got {smoothness!r}.")
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
        piece = hermite(u[0], u[1], np.vstack([q[:1], left]), np.vstack([q[1:], right]))
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
