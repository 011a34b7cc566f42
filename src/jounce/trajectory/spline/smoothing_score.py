"""How well each penalty does, on a few windows of the samples."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.interpolate import BSpline

from jounce.trajectory.spline.basis import evaluated
from jounce.trajectory.spline.fit import divided, system_of

WINDOWS = 3
PROBES = 8  # random vectors that estimate a trace
HOPELESS = 1e4  # times the best residual: larger penalties will not do
ENOUGH = 1e-2  # of the residual: what it then lacks changes its square by 1e-4
INFLATION = 1.4  # of the trace, against too little smoothing


class Scores(NamedTuple):
    """What each penalty does to each coordinate, summed over the windows."""

    samples: int
    residual: np.ndarray  # (penalties, n): sum of squares
    trace: np.ndarray  # (penalties,): of the influence matrix

    def risk(self, noise: np.ndarray | None) -> np.ndarray:
        """Return an estimate of the error of each penalty, ``(penalties, n)``, to be minimised.

        With r the residuals of m samples, τ the trace times 1.4 and σ the noise, it is

            Σ r² / m / (1 − τ / m)²      without knowledge of the noise: cross-validation
            Σ r² / m + 2 σ² τ / m        with it: Mallows' C_p

        The factor 1.4 prevents the occasional choice of hardly any smoothing (Kim and Gu,
        Smoothing spline Gaussian regression, J. Royal Statistical Society B 66, 2004).
        """
        size = self.residual / self.samples
        share = INFLATION * self.trace[:, None] / self.samples
        if noise is None:
            return size / np.maximum(1.0 - share, 1e-9) ** 2
        return size + 2.0 * noise**2 * share

    def variance(self) -> np.ndarray:
        """Return the estimate of the variance of the noise, ``(penalties, n)``."""
        return self.residual / np.maximum(self.samples - self.trace, 1.0)[:, None]


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
        seen = system.B.T @ probes
        q = q - q.mean(axis=0)
        inner = slice(u.size // 4, u.size - u.size // 4)
        for i, penalty in enumerate(penalties):
            if np.all(residual[:i].min(axis=0, initial=np.inf) * HOPELESS < residual[i - 1]):
                residual[i] = np.inf
                continue
            left = (q - system.B @ system.solve(penalty, q, enough=ENOUGH))[inner]
            residual[i] += np.sum(left**2, axis=0)
            kept = (system.B @ divided(system.factor(penalty), seen))[inner]
            trace[i] += np.sum(probes[inner] * kept) / PROBES
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
        size = system.gram.shape[1]
        basis = BSpline(system.knots, np.eye(size), system.degree)
        some = middle[:: 1 + middle.size // 16]
        rows = evaluated(basis, some, degree, 1.0).reshape(-1, size)
        for i, value in enumerate(penalty):
            spread = system.B @ divided(system.factor(value), rows.T)
            power = np.sum(spread**2, axis=0).reshape(degree + 1, -1).mean(axis=1)
            error[:, i] = np.maximum(error[:, i], noise[i] * np.sqrt(power))
            spline = BSpline(system.knots, system.solve(value, q[:, [i]]), system.degree)
            motion = evaluated(spline, middle, degree, 1.0)[..., 0]
            signal[:, i] = np.maximum(signal[:, i], np.sqrt(np.mean(motion**2, axis=1)))
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
