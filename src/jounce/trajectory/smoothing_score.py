"""How well each penalty does, on a few windows of the samples."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.interpolate import BSpline

from jounce.trajectory.spline_fit import divided, system_of

WINDOWS = 3
PROBES = 16  # random vectors that estimate a trace
HOPELESS = 1e4  # times the best residual: larger penalties will not do
EXCESS = 1.05  # of residuals over the stated noise
INFLATION = 1.4  # of the trace, against too little smoothing


class Scores(NamedTuple):
    """What each penalty does to each coordinate, summed over the windows."""

    samples: int
    residual: np.ndarray  # (penalties, n): sum of squares
    trace: np.ndarray  # (penalties,): of the influence matrix

    def cross_validation(self) -> np.ndarray:
        """Return the generalised cross-validation score, ``(penalties, n)``.

        ``Σ r² / (1 − 1.4 trace / samples)²``: the factor 1.4 (Kim and Gu, Smoothing spline
        Gaussian regression, J. Royal Statistical Society B 66, 2004) prevents the occasional
        choice of hardly any smoothing.
        """
        left = np.maximum(1.0 - INFLATION * self.trace / self.samples, 1e-9)
        return self.residual / self.samples / left[:, None] ** 2

    def variance(self) -> np.ndarray:
        """Return the estimate of the variance of the noise, ``(penalties, n)``."""
        return self.residual / (self.samples - self.trace)[:, None]

    def explained(self, noise: np.ndarray) -> np.ndarray:
        """Return whether noise of this standard deviation leaves such residuals.

        Their root mean square may exceed it by 5 %, for nobody knows it better, and by chance: a
        sum of m squares has the mean m and the standard deviation √(2 m), of which two are
        granted.
        """
        m = self.samples
        return self.residual <= noise**2 * (EXCESS**2 * m + 2.0 * np.sqrt(2.0 * m))


def scores(
    windows: list[tuple[np.ndarray, np.ndarray]], degree: int, penalties: np.ndarray
) -> Scores:
    """Return the scores of all penalties on windows of samples, times in knots.

    Only the middle half of a window counts: splines are worse at their ends.
    """
    n = windows[0][1].shape[1]
    rng = np.random.default_rng(0)
    samples, residual, trace = 0, np.zeros((penalties.size, n)), np.zeros(penalties.size)
    for u, q in windows:
        system = system_of(u, degree, penalised=True)
        probes = rng.choice([-1.0, 1.0], (u.size, PROBES))
        columns = np.hstack([q - q.mean(axis=0), probes])
        inner = slice(u.size // 4, u.size - u.size // 4)
        for i, penalty in enumerate(penalties):
            if np.all(residual[:i].min(axis=0, initial=np.inf) * HOPELESS < residual[i - 1]):
                residual[i] = np.inf
                continue
            fits = (system.B @ system.solve(penalty, columns))[inner]
            residual[i] += np.sum((columns[inner] - fits)[:, :n] ** 2, axis=0)
            trace[i] += np.sum(probes[inner] * fits[:, n:]) / PROBES
        samples += inner.stop - inner.start
    return Scores(samples, residual, trace)


def derivative_errors(
    windows: list[tuple[np.ndarray, np.ndarray]],
    degree: int,
    penalty: np.ndarray,
    noise: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return standard error and root mean square of the derivatives 0 … degree, in knots.

    Both have shape ``(degree + 1, n)`` and are the largest of the middle halves of the windows.
    White noise of standard deviation σ in q becomes ``σ ‖B (BᵀB + λ P)⁻¹ bᵀ‖`` in what the row
    b takes from the coefficients.
    """
    error, signal = np.zeros((2, degree + 1, penalty.size))
    for u, q in windows:
        system = system_of(u, degree, penalised=bool(penalty.any()))
        middle = u[u.size // 4 : u.size - u.size // 4]
        basis = BSpline(system.knots, np.eye(system.gram.shape[1]), degree)
        some = middle[:: 1 + middle.size // 16]
        rows = np.concatenate([basis(some, k) for k in range(degree + 1)])
        for i, value in enumerate(penalty):
            spread = system.B @ divided(system.factor(value), rows.T)
            power = np.sum(spread**2, axis=0).reshape(degree + 1, -1).mean(axis=1)
            error[:, i] = np.maximum(error[:, i], noise[i] * np.sqrt(power))
            spline = BSpline(system.knots, system.solve(value, q[:, [i]]), degree)
            size = [np.sqrt(np.mean(spline(middle, k) ** 2)) for k in range(degree + 1)]
            signal[:, i] = np.maximum(signal[:, i], size)
    return error, signal


def windows_of(
    t: np.ndarray, q: np.ndarray, count: int, gap: float
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return a few parts of up to ``count`` samples without a gap in them.

    They are spread over the samples, and are the liveliest of their neighbourhood: a robot at
    rest says nothing about how smooth its motion is.
    """
    cuts = np.concatenate([[0], 1 + np.flatnonzero(np.diff(t) > gap), [t.size]])
    count = int(min(count, np.diff(cuts).max()))
    starts = np.concatenate([np.arange(a, b - count + 1, count) for a, b in pairwise(cuts)])
    spread = np.std(q, axis=0) + np.finfo(float).tiny
    motion = np.array([np.sum(np.ptp(q[a : a + count], axis=0) / spread) for a in starts])
    parts = np.array_split(np.arange(starts.size), min(WINDOWS, starts.size))
    chosen = [starts[part[np.argmax(motion[part])]] for part in parts]
    return [(t[a : a + count], q[a : a + count]) for a in chosen]
