"""Choose the knots and the penalty from the samples."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from jounce.trajectory.protocol import frozen
from jounce.trajectory.spline.reach import GRID_GAP, SAMPLE_GAP, reach
from jounce.trajectory.spline.smoothing import (
    Smoothing,
    SplineWarning,
    checked_degree,
    checked_noise,
    checked_samples,
)
from jounce.trajectory.spline.smoothing_score import Scores, derivative_errors, scores, windows_of

PENALTIES = 10.0 ** np.arange(-10.0, 8.1)
SAMPLES = 4096  # of a window
DOUBLINGS = 8  # of the step of the knots, at most
AS_GOOD = 1.01  # scores that differ by less are the same
HOPELESS = 1e4  # times the best: wider knots will not do


def choose_smoothing(
    t: Any, q: Any, *, degree: int | None = None, noise: Any = None, order: int = 4
) -> Smoothing:
    """Choose the smoothing of samples q ``(m, n)`` at increasing times t ``(m,)``.

    ``noise`` is the standard deviation of the samples, one number or one a coordinate; with it
    the smoothing is the one of least expected error (Mallows' C_p), without it generalised
    cross-validation decides.  ``noise=0`` interpolates.  The knots are common to all
    coordinates, the penalty is not.  A part of a file will do if it is like the rest.  A warning
    says when the samples do not support derivatives of this ``order``.
    """
    t, q = checked_samples(t, q)
    degree = checked_degree(degree, order, t.size)
    noise = checked_noise(noise, q.shape[1])
    usual, finest = _steps(t)
    if noise is not None and not noise.any():
        step = float(np.median(np.diff(t)))
        gap, penalty = SAMPLE_GAP * step, np.zeros(q.shape[1])
        noise = _noise_of(t, q, degree, max(4.0 * usual, finest))
    else:
        step, penalty, noise = _best(t, q, degree, finest, noise)
        gap = GRID_GAP * step
    noise = np.maximum(noise, np.finfo(float).eps * np.abs(q).max(axis=0))
    windows = windows_of(t, q, max(256, 32 * round(step / usual)), gap)
    windows = [((x - t[0]) / step, y) for x, y in windows]
    error, signal = derivative_errors(windows, degree, penalty, noise)
    per_time = step ** -np.arange(degree + 1.0)[:, None]
    error, signal = per_time * error, per_time * signal
    signal[0] = np.std(q - q[0], axis=0)  # of a joint at rest nothing at all
    smoothing = Smoothing(
        degree,
        float(t[0]),
        step,
        frozen("penalty", penalty),
        gap,
        reach(degree, penalty),
        *(frozen("smoothing", x) for x in (noise, error, signal)),
    )
    warn_of(smoothing, order, stacklevel=3)
    return smoothing


def warn_of(smoothing: Smoothing, order: int, stacklevel: int) -> None:
    """Warn when the samples do not support derivatives of this order."""
    reasons = smoothing.unsupported(order)
    if reasons:
        warnings.warn(
            f"the samples do not support derivatives of order {order}: {'; '.join(reasons)}. "
            "Use a lower order, a higher degree or samples with less noise.",
            SplineWarning,
            stacklevel=stacklevel,
        )


def _steps(t: np.ndarray) -> tuple[float, float]:
    """Return the usual step from one sample to the next, and the finest step of knots.

    Steps far beyond the usual ones are pauses; no other should be so long that the finest knots
    leave a gap there.
    """
    steps = np.diff(t)
    usual = float(np.mean(steps[steps <= SAMPLE_GAP * np.quantile(steps, 0.95)]))
    return usual, max(usual, float(steps[steps <= SAMPLE_GAP * usual].max()) / GRID_GAP)


def _best(
    t: np.ndarray, q: np.ndarray, degree: int, finest: float, noise: np.ndarray | None
) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the step of the knots, and penalty and noise of each coordinate."""
    tries: dict[float, Scores] = {}
    risks: list[np.ndarray] = []
    rounding = (2.0 * np.finfo(float).eps * np.abs(q).max(axis=0)) ** 2
    for step in finest * 2.0 ** np.arange(DOUBLINGS + 1):
        if tries and np.count_nonzero(np.diff(np.floor((t - t[0]) / step))) < degree:
            break
        tries[step] = _tried(t, q, degree, step, PENALTIES)
        risks.append(np.maximum(tries[step].risk(noise).min(axis=0), rounding))
        if np.all(risks[-1] > HOPELESS * np.min(risks, axis=0)):
            break
    # the widest knots that do for the most demanding coordinate
    good = np.array(risks) <= AS_GOOD * np.min(risks, axis=0)
    chosen = list(tries)[min(int(np.flatnonzero(column)[-1]) for column in good.T)]
    index = tries[chosen].risk(noise).argmin(axis=0)
    # a stated noise may be less than what is there: see what cross-validation takes for it
    risk = np.concatenate([result.risk(None) for result in tries.values()])
    variance = np.concatenate([result.variance() for result in tries.values()])
    found = np.sqrt(variance[risk.argmin(axis=0), np.arange(q.shape[1])])
    return chosen, PENALTIES[index], found if noise is None else np.maximum(noise, found)


def _tried(t: np.ndarray, q: np.ndarray, degree: int, step: float, penalties: np.ndarray) -> Scores:
    windows = windows_of(t, q, SAMPLES, GRID_GAP * step)
    return scores([((x - t[0]) / step, y) for x, y in windows], degree, penalties)


def _noise_of(t: np.ndarray, q: np.ndarray, degree: int, step: float) -> np.ndarray:
    """Return what a spline with a knot for every fourth sample leaves, if that says anything."""
    if t.size < 16 * (degree + 1):
        return np.zeros(q.shape[1])
    return np.sqrt(_tried(t, q, degree, step, PENALTIES[:1]).variance()[0])
