"""How sampled positions are smoothed: what is chosen, from the samples, and what it is worth.

Each width of the knots and each penalty is tried on a few windows of the samples; the widest
knots and the penalty of the least estimated error are taken.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from jounce.errors import ArgumentError, NotFiniteError, ShapeError, SingularError
from jounce.model.checks import checked_integer
from jounce.trajectory.protocol import checked_samples, frozen, per_coordinate
from jounce.trajectory.spline.basis import Curve, evaluated
from jounce.trajectory.spline.fit import System, banded_product, divided, squares, system_of

GRID_GAP = 4.0  # knots without a sample that a smoothing spline still bridges
SAMPLE_GAP = 20.0  # median steps that an interpolating spline still bridges
LONG = 0.5  # s: far beyond the median step this is a pause, however many there are
FELT = 1e-14  # of what happens at the end of a window
LARGEST = 1e100  # of samples and noise: squares of larger ones overflow
MOST_DEGREE = 99
REST = 1e-12  # of the movement of the liveliest coordinate: what moves less, does so by rounding

PENALTIES = 10.0 ** np.arange(-10.0, 8.1)
WINDOWS, SAMPLES = 3, 4096  # windows that are looked at, samples of each
DOUBLINGS = 8  # of the step of the knots, at most
AS_GOOD = 1.01  # scores that differ by less are the same
HOPELESS = 1e4  # times the best: wider knots, or larger penalties, will not do
PROBES = 8  # random vectors that estimate a trace
ENOUGH = 1e-2  # of the residual: what it then lacks changes its square by 1e-4
INFLATION = 1.4  # of the trace, against too little smoothing
INSIDE = 16  # knots from the ends: there the errors are no longer those of the ends
PLACES = 16  # of a window, at which the noise is computed
CUTS = 5  # places of a window at which it is seen what an end does

Samples = tuple[np.ndarray, np.ndarray]


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
    more, as stated.  ``error`` ``(orders, n)`` is the standard error of each derivative more than
    16 knots away from the ends of the samples and of gaps: noise, what the penalty flattens and
    what the knots are too wide for.  ``end_error`` is what it becomes at an end in the middle of
    a motion, as seen where the samples were cut to find out, and ``signal`` the root mean square
    of the derivative.  Each is a root mean square of the liveliest of a few stretches; a motion
    that is rougher elsewhere is worse there.  Where the samples are too few to tell, it is
    infinity.  Without smoothing, ``error`` is noise only.
    """

    degree: int
    origin: float
    step: float
    penalty: np.ndarray
    gap: float
    overlap: int
    noise: np.ndarray
    error: np.ndarray
    end_error: np.ndarray
    signal: np.ndarray

    def __str__(self) -> str:
        if self.interpolates:
            return "through the samples"
        return f"smoothed, knots every {self.step:.4g} s, noise up to {self.noise.max():.2g}"

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

        A derivative is supported when its error has less power than what is left of it without
        the error, ``rms² < 2 error²`` being the contrary.  Joints at rest are not judged, nor
        is anything where the error is not known.
        """
        if order > self.degree:
            return (f"derivative {order} of a spline of degree {self.degree} is zero",)
        last = min(order, len(self.error) - 1)
        moves = self.signal[0] > np.maximum(2.0 * self.noise, REST * self.signal[0].max())
        known = np.isfinite(self.error[last])
        lost = moves & known & (self.signal[last] ** 2 < 2.0 * self.error[last] ** 2)
        return tuple(
            f"derivative {last} of coordinate {i} is {self.signal[last, i]:.3g} rms, of which "
            f"{self.error[last, i]:.3g} is error"
            for i in np.flatnonzero(lost)
        )


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
    degree = _checked_degree(degree, order, t.size)
    noise = _checked_noise(noise, q.shape[1])
    if np.abs(q).max() > LARGEST:
        raise ArgumentError(f"samples must be {LARGEST:g} at most, got {np.abs(q).max():g}.")
    usual, finest = _steps(t)
    if noise is not None and not noise.any():
        step = float(np.median(np.diff(t)))
        gap, penalty = SAMPLE_GAP * step, np.zeros(q.shape[1])
        noise = _noise_of(t, q, degree, max(4.0 * usual, finest))
    else:
        step, penalty, noise = _best(t, q, degree, finest, noise)
        gap = GRID_GAP * step
    noise = np.maximum(noise, np.finfo(float).eps * np.abs(q).max(axis=0))
    windows = windows_of(t, q, max(256, 8 * INSIDE * round(step / usual)), gap)
    windows = [((x - t[0]) / step, y) for x, y in windows]
    per_time = step ** -np.arange(degree + 1.0)[:, None]
    errors = [per_time * found for found in derivative_errors(windows, degree, penalty, noise)]
    errors[-1][0] = np.std(q - q[0], axis=0)  # of a joint at rest nothing at all
    for array in errors:  # infinite where they are not known
        array.flags.writeable = False
    smoothing = Smoothing(
        degree,
        float(t[0]),
        step,
        frozen("penalty", penalty),
        gap,
        reach(degree, penalty),
        frozen("noise", noise),
        *errors,
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
    leave a gap there.  One step in twenty may be a pause, or four of few samples; more of them only
    where they last `LONG`: stamps that come in bursts have many long steps, but shorter ones.
    """
    steps = np.sort(np.diff(t))
    pauses = max(steps.size // 20, min(steps.size // 4, 4))
    is_usual = steps <= SAMPLE_GAP * steps[-1 - pauses]
    is_usual &= (steps <= SAMPLE_GAP * np.median(steps)) | (steps < LONG)
    usual = float(np.mean(steps[is_usual]))
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


def _checked_degree(degree: int | None, order: int, samples: int) -> int:
    """Return the degree, odd and at least 5; the default leaves three degrees to spare."""
    order = checked_integer("order", order)
    degree = max(7, order + 3 + order % 2) if degree is None else degree
    degree = checked_integer("degree", degree, 5)
    if degree > MOST_DEGREE:
        raise ArgumentError(
            f"degree must be {MOST_DEGREE} at most, got {degree} for derivatives of order {order}."
        )
    if degree % 2 == 0:
        raise ArgumentError(f"degree must be odd, got {degree}.")
    if samples < degree + 1:
        raise ShapeError(
            f"a spline of degree {degree} needs at least {degree + 1} samples, got {samples}; "
            "give more samples or a lower degree (5 is the least)."
        )
    return degree


def _checked_noise(noise: Any, n: int) -> np.ndarray | None:
    """Return the stated standard deviations ``(n,)``, or None."""
    if noise is None:
        return None
    array = per_coordinate("noise", noise, n)
    if not np.isfinite(array).all() or np.any(array < 0.0) or np.any(array > LARGEST):
        raise NotFiniteError(
            f"noise must be finite, ≥ 0 and {LARGEST:g} at most, got {array.tolist()}."
        )
    if np.any(array == 0.0) and np.any(array > 0.0):
        raise ArgumentError(
            "noise must be zero for all coordinates (interpolation) or for none, "
            f"got {array.tolist()}."
        )
    return array


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


def scores(windows: list[Samples], degree: int, penalties: np.ndarray) -> Scores:
    """Return the scores of all penalties on windows of samples, times in knots.

    Only the middle half of a window counts: splines are worse at their ends.
    """
    n = windows[0][1].shape[1]
    rng = np.random.default_rng(0)
    samples, residual, trace = 0, np.zeros((penalties.size, n)), np.zeros(penalties.size)
    for u, q in windows:
        system = system_of(u, degree, penalised=True)
        probes = rng.choice([-1.0, 1.0], (u.size, PROBES))
        q = q - q.mean(axis=0)
        seen = system.Bt @ np.hstack([q, probes])
        inner = slice(u.size // 4, u.size - u.size // 4)
        B = system.B[inner]
        for i, penalty in enumerate(penalties):
            if np.all(residual[:i].min(axis=0, initial=np.inf) * HOPELESS < residual[i - 1]):
                residual[i] = np.inf
                continue
            try:
                divide = partial(divided, system.factor(penalty))
            except SingularError:  # few samples far apart: it hides them behind rounding
                residual[i] = np.inf
                continue
            c = divide(seen)
            c[:, :n] = system.refined(c[:, :n], penalty, q, divide, enough=ENOUGH)
            kept = B @ c
            residual[i] += squares(q[inner] - kept[:, :n])
            trace[i] += np.sum(probes[inner] * kept[:, n:]) / PROBES
        samples += inner.stop - inner.start
    return Scores(samples, residual, trace)


def derivative_errors(
    windows: list[Samples], degree: int, penalty: np.ndarray, noise: np.ndarray
) -> np.ndarray:
    """Return what the derivatives 0 … degree are worth on windows of samples, times in knots.

    That is ``(3, degree + 1, n)``: errors away from the ends, errors there, and their own size.
    Each number is the root mean square of a window without the knots at its ends, or of all of it
    where no sample is inside, and the largest of the windows; infinity where none tells.  With S
    the linear map from samples to a spline and f what was measured, the error
    ``S (f + noise) − f`` has three parts:

        white noise of standard deviation σ, which becomes ``σ ‖B (BᵀB + λ P)⁻¹ bᵀ‖`` in what the
        row b takes from the coefficients;
        what the penalty flattens, ``S f − f``, with ``S q + S (q − S q)`` in place of f;
        what knots so wide cannot follow: half of what the spline changes when its knots move by
        half of their distance, which turns this error round.

    The error at an end is what a spline that ends there differs by from one that goes on.  For
    splines through the samples the noise is all that is counted.
    """
    unknown = np.full((3, degree + 1, penalty.size), np.nan)
    found = [unknown]
    for u, q in windows:
        with suppress(SingularError):
            found.append(_window_errors(u, q, degree, penalty, noise))
    largest = np.fmax.reduce(found)  # of those that are known
    return np.where(np.isnan(largest), np.inf, largest)


def _window_errors(
    u: np.ndarray, q: np.ndarray, degree: int, penalty: np.ndarray, noise: np.ndarray
) -> np.ndarray:
    is_penalised = bool(penalty.any())
    margin = min(INSIDE, (u[-1] - u[0]) / 4.0)
    inner = np.arange(*np.searchsorted(u, [u[0] + margin, u[-1] - margin]))
    middle = u[inner] if inner.size else u
    system = system_of(u, degree, penalised=is_penalised)
    some = middle[:: 1 + middle.size // PLACES]
    rows = _derivatives(system, np.eye(system.gram.shape[1]), some, degree)
    c = system.solve(penalty, q)
    motion = _derivatives(system, c, middle, degree)
    values, index = np.unique(penalty, return_inverse=True)
    spread = np.stack([_spread(system, value, rows) for value in values], axis=1)
    variance = noise**2 * spread[:, index]
    if is_penalised:
        other = system_of(u + 0.5, degree, penalised=True)
        better = c + system.solve(penalty, q - system.B @ c)
        flat = system.solve(penalty, system.B @ better) - better
        moved = _derivatives(other, other.solve(penalty, q), middle + 0.5, degree)
        variance += _rms(_derivatives(system, flat, middle, degree)) ** 2
        variance += 0.25 * _rms(moved - motion) ** 2
    at_ends = _end_errors(u, q, inner, motion, degree, penalty)
    return np.stack([np.sqrt(variance), at_ends, _rms(motion)])


def _spread(system: System, penalty: float, rows: np.ndarray) -> np.ndarray:
    """Return the variance of the derivatives for noise of one, ``(degree + 1,)``."""
    spread = divided(system.factor(penalty), rows.reshape(-1, rows.shape[-1]).T)
    power = np.sum(spread * banded_product(system.gram, spread), axis=0)
    return power.reshape(rows.shape[:-1]).mean(axis=1)


def _end_errors(
    u: np.ndarray,
    q: np.ndarray,
    inner: np.ndarray,
    motion: np.ndarray,
    degree: int,
    penalty: np.ndarray,
) -> np.ndarray:
    """Return the errors at ends of the samples, ``(degree + 1, n)``: cut them and see.

    A part that does not determine a spline of its own says nothing; if none does, it is NaN.
    """
    errors = []
    for i in np.linspace(0, inner.size - 1, CUTS if inner.size else 0).round().astype(int):
        at = inner[i]
        first, last = np.searchsorted(u, [u[at] - 2.0 * INSIDE, u[at] + 2.0 * INSIDE])
        for part in (slice(first, at + 1), slice(at, last)):
            if part.stop - part.start <= degree:
                continue
            system = system_of(u[part], degree, penalised=bool(penalty.any()))
            with suppress(SingularError):
                there = _derivatives(system, system.solve(penalty, q[part]), u[[at]], degree)
                errors.append(there - motion[:, [i]])
    if not errors:
        return np.full((degree + 1, penalty.size), np.nan)
    return _rms(np.concatenate(errors, axis=1))


def _derivatives(system: System, c: np.ndarray, u: np.ndarray, degree: int) -> np.ndarray:
    """Return the derivatives of the spline of these coefficients, in knots."""
    return evaluated(Curve(system.knots, c, system.degree), u, degree, 1.0)


def _rms(derivatives: np.ndarray) -> np.ndarray:
    return np.sqrt(np.mean(derivatives**2, axis=1))


def windows_of(t: np.ndarray, q: np.ndarray, count: int, gap: float) -> list[Samples]:
    """Return a few parts of about ``count`` samples without a gap in them.

    The longest part without a gap is shared out evenly, so that its end is seen too.  They are
    spread over the samples, and are the liveliest of their neighbourhood: a robot at rest says
    nothing about how smooth its motion is.
    """
    cuts = np.concatenate([[0], 1 + np.flatnonzero(np.diff(t) > gap), [t.size]])
    longest = int(np.diff(cuts).max())
    count = longest // max(1, round(longest / count))
    starts = np.concatenate([np.arange(a, b - count + 1, count) for a, b in pairwise(cuts)])
    spread = np.std(q, axis=0) + np.finfo(float).tiny
    motion = np.array([np.sum(np.ptp(q[a : a + count], axis=0) / spread) for a in starts])
    parts = np.array_split(np.arange(starts.size), min(WINDOWS, starts.size))
    chosen = [starts[part[np.argmax(motion[part])]] for part in parts]
    return [(t[a : a + count], q[a : a + count]) for a in chosen]


def reach(degree: int, penalty: np.ndarray) -> int:
    """Return how many knots away the end of the samples is not felt any more.

    A change of the equations at the end changes the coefficients by the first columns of
    ``(BᵀB + λ P)⁻¹``, which fall off geometrically.  How fast is measured on the most
    unfavourable samples that are still connected: one in GRID_GAP knots for knots on a grid,
    steps anywhere between one and SAMPLE_GAP for knots at the samples.
    """
    return max(_reach(degree, value) for value in {float(penalty.min()), float(penalty.max())})


def _reach(degree: int, penalty: float) -> int:
    knots = 256
    while True:
        uneven = np.cumsum(SAMPLE_GAP ** np.random.default_rng(0).random(knots))
        places = np.arange(0.5, knots, GRID_GAP) if penalty else uneven
        system = system_of(places, degree, penalised=penalty > 0.0)
        size = system.gram.shape[1]
        columns = divided(system.factor(penalty), np.eye(size, degree + 1))
        felt = np.flatnonzero(np.abs(columns).max(axis=1) > FELT * np.abs(columns).max())
        if felt[-1] < 0.75 * size:
            return int(felt[-1]) + degree + 1
        knots *= 2
