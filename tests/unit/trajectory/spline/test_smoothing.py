"""What the choice of a smoothing rests on, each part against dense linear algebra."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.interpolate import BSpline
from scipy.linalg import cholesky_banded

from jounce.trajectory import Polynomial, Spline, SplineWarning, choose_smoothing, papers_motion
from jounce.trajectory.spline.basis import cell_penalty, evaluated
from jounce.trajectory.spline.fit import divided, fitted, system_of
from jounce.trajectory.spline.smoothing import (
    FELT,
    GRID_GAP,
    INSIDE,
    derivative_errors,
    reach,
    scores,
    windows_of,
)
from tests.tolerances import EXACT, INDEPENDENT, ROUNDOFF, assert_close, assert_orders_close

MOTION = papers_motion(3)
DEGREE = 7


def dense(u: np.ndarray, penalty: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return B, ``BᵀB + λ P`` and the knots, from scipy's B-splines and fine quadrature."""
    knots = np.arange(np.floor(u[0]) - DEGREE, np.floor(u[-1]) + DEGREE + 2.0)
    basis = BSpline(knots, np.eye(knots.size - DEGREE - 1), DEGREE)
    x, w = np.polynomial.legendre.leggauss(3)  # of squares of straight lines
    cells = knots[DEGREE : -DEGREE - 1]
    rates = basis((cells[:, None] + (x + 1.0) / 2.0).ravel(), DEGREE - 1)
    P = rates.T @ (np.tile(w / 2.0, cells.size)[:, None] * rates)
    B = basis(u)
    return B, B.T @ B + penalty * P, knots


@pytest.mark.parametrize("penalty", [1e-3, 1.0, 1e4])
def test_the_spline_minimises_what_it_says(penalty: float, rng: np.random.Generator):
    u = np.cumsum(rng.uniform(0.05, 0.6, 200))
    q = np.sin(np.outer(u, [0.3, 0.6])) + 0.1 * rng.standard_normal((200, 2))
    spline = fitted(u, q, DEGREE, np.full(2, penalty))
    B, A, knots = dense(u, penalty)
    assert_close(spline.t, knots, EXACT)
    # the gradient of the sum of squares and the penalty vanishes
    assert_close(A @ spline.c, B.T @ q, INDEPENDENT, scale=float(np.abs(A).max()))
    if penalty <= 1.0:
        assert_close(spline.c, np.linalg.solve(A, B.T @ q), 1e-9)


def test_every_coordinate_has_its_own_penalty(rng: np.random.Generator):
    u = np.cumsum(rng.uniform(0.05, 0.6, 200))
    q = rng.standard_normal((200, 3))
    both = fitted(u, q, DEGREE, np.array([1.0, 100.0, 1.0]))
    for i, penalty in enumerate((1.0, 100.0, 1.0)):
        alone = fitted(u, q[:, [i]], DEGREE, np.array([penalty]))
        assert_close(both.c[:, [i]], alone.c, INDEPENDENT)


def test_a_large_penalty_does_not_hide_the_data():
    """A polynomial of degree 5 costs nothing: it comes back however large the penalty."""
    u = np.linspace(0.0, 100.0, 900)
    q = np.polynomial.Polynomial([1.0, -2.0, 3.0, 1.0, -1.0, 0.5])((u - 50.0) / 50.0)[:, None]
    for penalty in (1e-10, 1.0, 1e8):
        got = evaluated(fitted(u, q, DEGREE, np.array([penalty])), u, 0, 1.0)[0]
        assert_close(got, q, 10 * INDEPENDENT, what=f"penalty {penalty:g}")


@pytest.mark.parametrize("degree", [5, 7, 9])
def test_derivatives_on_the_grid_are_those_of_scipy(degree: int, rng: np.random.Generator):
    knots = np.arange(-4.0, 40.0)
    spline = BSpline(knots, rng.standard_normal((knots.size - degree - 1, 2)), degree)
    u = rng.uniform(knots[degree], knots[-degree - 1], (5, 40))
    got = evaluated(spline, u, degree + 2, 0.3)
    for k in range(degree + 1):
        assert_close(got[k], spline(u, k) / 0.3**k, 10 * ROUNDOFF, what=f"order {k}")
    assert not got[degree + 1 :].any()


def test_a_penalty_is_positive_and_spares_low_degrees():
    cell = cell_penalty(DEGREE, DEGREE - 1)
    values = np.linalg.eigvalsh(cell)
    assert values.min() > -1e-12 * values.max()
    assert np.linalg.matrix_rank(cell, tol=1e-9) == 2  # straight lines have two coefficients


def test_scores_are_those_of_the_influence_matrix(rng: np.random.Generator):
    u = np.linspace(0.0, 40.0, 1200)
    q = np.sin(np.outer(u, [0.5, 1.0])) + 0.1 * rng.standard_normal((1200, 2))
    penalties = np.array([1e-2, 1.0, 100.0])
    got = scores([(u, q)], DEGREE, penalties)
    inner = slice(300, 900)
    for i, penalty in enumerate(penalties):
        B, A, _ = dense(u, float(penalty))
        influence = B @ np.linalg.solve(A, B.T)
        residual = ((q - q.mean(axis=0)) - influence @ (q - q.mean(axis=0)))[inner]
        assert_close(got.residual[i], np.sum(residual**2, axis=0), 1e-9)
        assert_close(got.trace[i], np.trace(influence[inner, inner]), 0.2)  # by random probes
    risk, share = got.risk(None), 1.4 * got.trace[:, None] / 600
    assert_close(risk, got.residual / 600 / (1.0 - share) ** 2, ROUNDOFF)
    assert_close(got.risk(np.full(2, 0.1)), got.residual / 600 + 0.02 * share, ROUNDOFF)
    assert_close(np.sqrt(got.variance()[0]), np.full(2, 0.1), 0.1)


def test_a_penalty_that_rounding_forbids_is_not_chosen():
    few = np.array([0.278, 1.628, 1.814, 1.832, 1.848, 2.29, 2.387, 2.638, 2.811])
    residual = scores([(few, np.sin(few)[:, None])], 7, np.array([1.0, 1e10])).residual
    assert np.isfinite(residual[0])
    assert np.isinf(residual[1])


@pytest.mark.parametrize("penalty", [np.zeros(2), np.array([1.0, 1e3])])
def test_standard_errors_are_those_of_many_trials(penalty: np.ndarray, rng: np.random.Generator):
    """Of noise alone: of nothing there is nothing to flatten."""
    u = np.linspace(0.0, 30.0, 31 if not penalty.any() else 300)
    noise = np.array([0.1, 0.3])
    error = derivative_errors([(u, np.zeros((u.size, 2)))], DEGREE, penalty, noise)[0]
    trials = []
    middle = u[u.size // 4 : u.size - u.size // 4]
    for _ in range(300):
        q = noise * rng.standard_normal((u.size, 2))
        trials.append(evaluated(fitted(u, q, DEGREE, penalty), middle, 4, 1.0))
    spread = np.sqrt(np.mean(np.square(trials), axis=(0, 2)))
    assert np.all(np.abs(spread / error[:5] - 1.0) < 0.12)


@pytest.mark.parametrize("penalty", [1e-10, 1.0, 1e6])
def test_the_reach_is_where_the_end_is_not_felt(penalty: float):
    """Twice as long a system has the same columns, and they are small beyond the reach."""
    far = reach(DEGREE, np.array([penalty]))
    system = system_of(np.arange(0.5, 4.0 * far, GRID_GAP), DEGREE, penalised=True)
    A = system.gram + penalty * system.P
    columns = divided(cholesky_banded(A, lower=True), np.eye(A.shape[1], DEGREE + 1))
    size = np.abs(columns).max(axis=1)
    assert size[far:].max() <= FELT * size.max()
    assert size[far // 2] > FELT * size.max()


def test_windows_are_lively_and_without_gaps():
    t = np.arange(0.0, 100.0, 0.01)
    t[5000:] += 3.0
    q = np.where((t > 20.0) & (t < 24.0), np.sin(3.0 * t), 0.0)[:, None]
    windows = windows_of(t, q, 512, 1.0)
    assert len(windows) == 3
    assert all(np.diff(time).max() < 1.0 for time, _ in windows)
    assert any(np.ptp(part) > 1.5 for _, part in windows)
    assert [time.size for time, _ in windows_of(t[:300], q[:300], 512, 1.0)] == [300]


def test_the_noise_is_found(rng: np.random.Generator):
    t = 1e-3 * np.arange(6000)
    sizes = np.array([1e-5, 1e-4, 1e-3])
    q = MOTION(t, order=0)[0] + sizes * rng.standard_normal((6000, 3))
    for noise in (None, 1e-6, 0.0):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SplineWarning)
            found = choose_smoothing(t, q, noise=noise)
        assert np.all(np.abs(found.noise / sizes - 1.0) < 0.1)
        assert found.interpolates == (noise == 0.0)
    more = choose_smoothing(t, q, noise=[1e-3, 1e-3, 2e-3])
    assert more.noise.tolist() == [1e-3, 1e-3, 2e-3]


def waves(*hertz: float) -> Callable[[np.ndarray], np.ndarray]:
    """Return a motion of unit waves and its derivatives, ``(5, m, 1)``."""
    rates = 2.0 * np.pi * np.array(hertz)

    def motion(t: np.ndarray) -> np.ndarray:
        phases = np.outer(t, rates) + np.arange(rates.size)
        return np.stack(
            [
                np.sum(rates**k * np.sin(phases + k * np.pi / 2.0), axis=1, keepdims=True)
                for k in range(5)
            ]
        )

    return motion


def steps(t: np.ndarray) -> np.ndarray:
    """Return a motion through points whose derivatives are continuous up to the eighth."""
    points = [[0.0], [1.0], [0.5], [2.0], [-1.0], [0.3], [1.0], [0.0]]
    return Polynomial.through([0, 2, 5, 8, 11, 14, 17, 20], points, smoothness=4)(t, order=4)


MOTIONS = {
    "one wave": waves(0.5),
    "five waves": waves(0.1, 0.23, 0.31, 0.44, 0.5),
    "fast waves": waves(1.7, 3.0),
    "through points": steps,
}


@pytest.mark.slow
@pytest.mark.parametrize("rate", [500, 100], ids="{}Hz".format)
@pytest.mark.parametrize("noise", [1e-2, 1e-4, 1e-6], ids="{:g}rad".format)
@pytest.mark.parametrize("name", MOTIONS)
def test_stated_errors_cover_the_real_ones(
    name: str, noise: float, rate: int, rng: np.random.Generator
):
    """Inside, errors of each derivative have the stated size, and two of it cover them."""
    t = np.arange(0.0, 20.0, 1.0 / rate)
    exact = MOTIONS[name](t)
    sizes, covered = [], []
    for _ in range(4):
        q = exact[0] + noise * rng.standard_normal((t.size, 1))
        smoothing = choose_smoothing(t, q)
        u = smoothing.knot_time(t)
        spline = fitted(u, q, smoothing.degree, smoothing.penalty)
        margin = min(INSIDE, u[-1] / 4.0)
        inside = (u > margin) & (u < u[-1] - margin)
        error = np.abs(evaluated(spline, u, 4, smoothing.step) - exact)[:, inside, 0]
        sizes.append(np.mean((error / smoothing.error[:5]) ** 2, axis=1))
        covered.append(np.mean(error <= 2.0 * smoothing.error[:5], axis=1))
    ratio = np.sqrt(np.mean(sizes, axis=0))
    assert np.all(ratio < 1.25), ratio
    assert np.all(ratio > 0.5), ratio
    assert np.all(np.mean(covered, axis=0) > 0.9), np.mean(covered, axis=0)


@pytest.mark.parametrize("noise", [1e-3, 1e-5])
def test_ends_are_as_bad_as_stated(noise: float, rng: np.random.Generator):
    t = np.arange(0.0, 20.0, 2e-3)
    exact = MOTIONS["fast waves"](t)
    ratios = []
    for _ in range(4):
        q = exact[0] + noise * rng.standard_normal((t.size, 1))
        smoothing = choose_smoothing(t, q)
        for part in (slice(4000, 9000), slice(2000, 8500), slice(100, 9900)):
            u = smoothing.knot_time(t[part])
            spline = fitted(u, q[part], smoothing.degree, smoothing.penalty)
            error = (evaluated(spline, u, 4, smoothing.step) - exact[:, part])[:, [0, -1], 0]
            ratios.append(error / smoothing.end_error[:5])
        assert np.all(smoothing.end_error[1:5] > 5.0 * smoothing.error[1:5])
    ratio = np.sqrt(np.mean(np.square(ratios), axis=(0, 2)))
    assert np.all((ratio > 1.0 / 3.0) & (ratio < 3.0)), ratio


def test_the_degree_follows_the_order():
    t = np.linspace(0.0, 1.0, 200)
    q = np.sin(t)[:, None]
    degrees = [choose_smoothing(t, q, order=k, noise=1e-3 * (k > 9)).degree for k in (0, 4)]
    assert degrees == [7, 7]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SplineWarning)
        assert choose_smoothing(t, q, order=5).degree == 9
        assert choose_smoothing(t, q, order=6).degree == 9


def test_it_is_frozen_and_pickles():
    t = np.linspace(0.0, 1.0, 50)
    smoothing = choose_smoothing(t, np.sin(t)[:, None])
    with pytest.raises(ValueError, match="read-only"):
        smoothing.penalty[0] = 0.0
    again = pickle.loads(pickle.dumps(smoothing))
    assert_orders_close(again.error, smoothing.error, EXACT)
    assert (again.step, again.overlap, again.n) == (smoothing.step, smoothing.overlap, 1)


@pytest.mark.parametrize(("size", "is_told"), [(1e-29, False), (1e-6, True)])
def test_what_moves_by_rounding_is_not_judged(size: float, is_told: bool, rng: np.random.Generator):
    """A joint of a simulation that should be at rest wanders a little."""
    t = np.arange(1000) / 100
    noise = 0.05 * rng.standard_normal(t.size)
    q = np.stack([np.sin(t), size * (0.3 * np.sin(0.5 * t) + noise)], axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SplineWarning)
        smoothing = choose_smoothing(t, q, noise=[1e-9, 0.02 * size])
    assert any("coordinate 1" in reason for reason in smoothing.unsupported(4)) == is_told


FEW = {  # name: times, whether the error at the ends can be told
    "even": (np.arange(18) / 100, True),
    "pause": (np.arange(16) / 100 + 50.0 * (np.arange(16) >= 8), False),
    "least": (np.arange(8) / 100, False),
}


@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize("noise", [None, 0.0])
def test_few_samples_are_not_refused(name: str, noise: float | None, rng: np.random.Generator):
    """What cannot be estimated is infinite, and nobody is told that it is too large."""
    t, is_told = FEW[name]
    q = np.stack([np.sin(t), np.cos(t)], axis=1) + 1e-6 * rng.standard_normal((t.size, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SplineWarning)
        smoothing = choose_smoothing(t, q, noise=noise)
        motion = Spline.fit(t, q, smoothing=smoothing)(t, order=4)
    assert np.isfinite(motion).all()
    assert np.isfinite(smoothing.error).all()
    assert np.isfinite(smoothing.end_error).all() == is_told
    assert not any("inf" in reason for reason in smoothing.unsupported(4))


def test_errors_that_nobody_knows_are_not_judged():
    """Two samples at one place to rounding: the window tells nothing, and breaks nothing."""
    u = np.cumsum(np.where(np.arange(30) % 2, 1e-13, 1.0))
    found = derivative_errors([(u, u[:, None])], DEGREE, np.zeros(1), np.full(1, 0.1))
    assert np.isinf(found).all()
    t = np.arange(100) / 10
    known = choose_smoothing(t, np.sin(t)[:, None], noise=1e-4)
    assert replace(known, error=np.full_like(known.error, 1e9)).unsupported(4)
    assert not replace(known, error=np.full_like(known.error, np.inf)).unsupported(4)


@pytest.mark.parametrize(
    ("runs", "count", "pause", "step"),
    [
        (2, 8, 50.0, 0.01),  # a single pause among a few samples
        (2, 5, 0.3, 0.01),
        (5, 6, 0.4, 0.01),
        (100, 8, 50.0, 0.01),  # one step in eight is a pause
        (3, 2000, 5.0, 0.001),
    ],
)
def test_a_pause_is_one_whatever_the_number_of_samples(
    runs: int, count: int, pause: float, step: float
):
    starts = (pause + step * count) * np.arange(runs)
    t = (starts[:, None] + step * np.arange(count)).ravel()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SplineWarning)  # of derivatives that so few do not support
        smoothing = choose_smoothing(t, np.sin(t)[:, None])
    assert 3.9 * step < smoothing.gap < pause


@pytest.mark.parametrize(("count", "inside", "between"), [(16, 5e-5, 0.016), (2, 5e-6, 0.01)])
def test_stamps_in_bursts_are_one_motion(count: int, inside: float, between: float):
    t = (between * np.arange(300)[:, None] + inside * np.arange(count)).ravel()
    assert choose_smoothing(t, np.sin(t)[:, None], order=2).gap > between
