"""Splines against scipy, mpmath and the motions they were sampled from."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import FrozenInstanceError
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from scipy.interpolate import CubicSpline, make_interp_spline

from jounce.errors import ArgumentError, NotFiniteError, ShapeError
from jounce.trajectory import Polynomial, Spline, SplineWarning, papers_motion
from tests.tolerances import EXACT, INDEPENDENT, ROUNDOFF, assert_close, assert_orders_close

MOTION = papers_motion(3)


def uneven(rng: np.random.Generator, samples: int, step: float = 0.01) -> np.ndarray:
    return 5.0 + np.cumsum(step * rng.uniform(0.4, 1.6, samples))


@pytest.mark.parametrize("degree", [5, 7, 9])
def test_it_is_the_interpolating_spline_of_scipy(degree: int, rng: np.random.Generator):
    t = uneven(rng, 60)
    q = rng.standard_normal((60, 2))
    spline, wanted = Spline.through(t, q, degree=degree), make_interp_spline(t - 5.0, q, degree)
    assert_close(spline(t, order=0)[0], q, INDEPENDENT)
    between = rng.uniform(t[0], t[-1], 200)
    for k, got in enumerate(spline(between, order=degree)):
        # the two ways to solve the same equations differ by their condition, 1e3 here
        assert_close(got, wanted(between - 5.0, k), 1e2 * INDEPENDENT, what=f"order {k}")


def test_a_polynomial_comes_back(rng: np.random.Generator):
    motion = Polynomial(rng.standard_normal((6, 2)), t0=5.0)
    t = uneven(rng, 200)
    inside = rng.uniform(t[0], t[-1], (3, 4))
    for options in ({"noise": 0.0}, {}):
        got = Spline.fit(t, motion(t, order=0)[0], degree=7, order=2, **options)(inside, order=2)
        assert got.shape == (3, 3, 4, 2)
        assert_orders_close(got, motion(inside, order=2), 1e-8, scale=1e-3)


def test_derivatives_are_exact_and_zero_beyond_the_degree(rng: np.random.Generator):
    """Richardson differences of the spline itself, in 40 digits, give its derivatives."""
    t = uneven(rng, 30)
    spline = Spline.through(t, rng.standard_normal((30, 1)), degree=5)
    piece = spline.pieces[0]
    x = float((t[14] + t[15]) / 2.0)
    with pytest.warns(SplineWarning, match="derivative 8 of a spline of degree 5 is zero"):
        got = spline(x, order=8)[:, 0]
    assert not got[6:].any()
    with mpmath.workdps(40):
        knots, c = [mpmath.mpf(k) for k in piece.t], [mpmath.mpf(k) for k in piece.c[:, 0]]

        def value(u):
            i = int(np.searchsorted(piece.t, float(u), side="right")) - 1
            d = [c[j + i - 5] for j in range(6)]
            for r in range(1, 6):
                for j in range(5, r - 1, -1):
                    a = (u - knots[j + i - 5]) / (knots[j + 1 + i - r] - knots[j + i - 5])
                    d[j] = (1 - a) * d[j - 1] + a * d[j]
            return d[5]

        u = mpmath.mpf((x - spline.origin) / spline.step)
        for k in range(6):
            wanted = mpmath.diff(value, u, k) / mpmath.mpf(spline.step) ** k
            assert_close(got[k], float(wanted), INDEPENDENT, what=f"order {k}")


def test_the_motion_of_the_papers_comes_back_from_its_samples():
    """The figures that docs/trajectories.md states."""
    motion = papers_motion()
    t = np.arange(0.0, 8.0, 1e-3)
    exact = motion(t, order=4)
    scale = np.abs(exact).max(axis=1)
    inner = slice(1000, -1000)
    for q, allowed in ((exact[0], 5e-6), (np.round(exact[0], 6), 5e-3)):
        got = Spline.fit(t, q)(t, order=4)
        error = np.abs(got - exact)[:, inner].max(axis=1) / scale
        assert error[4].max() < allowed
        assert np.all(np.diff(error.max(axis=1)) > 0.0)  # every derivative costs digits


def test_noise_is_smoothed(rng: np.random.Generator):
    t = uneven(rng, 4000, 1e-3)
    exact = MOTION(t, order=2)
    q = exact[0] + 1e-4 * rng.standard_normal(exact[0].shape)
    for noise in (None, 1e-4):
        error = (Spline.fit(t, q, noise=noise, order=2)(t, order=2) - exact)[:, 400:-400]
        rms = np.sqrt(np.mean(error**2, axis=1)).max(axis=1)
        assert rms[0] < 2e-5
        assert np.all(rms[1:] < 2e-3 * np.abs(exact[1:]).max(axis=(1, 2)))


@pytest.mark.parametrize("kind", ["bursts", "at random", "two rates", "parked joint"])
def test_uneven_samples_are_one_motion(kind: str, rng: np.random.Generator):
    even = np.arange(0.0, 5.0, 1e-3)
    t = {
        "bursts": np.add.outer(np.arange(0.0, 5.0, 0.01), 1e-6 * np.arange(10)).ravel(),
        "at random": np.sort(rng.uniform(0.0, 5.0, 5000)),
        "two rates": np.concatenate([np.arange(-3.0, 0.0, 0.01), even]),
        "parked joint": even,
    }[kind]
    exact = MOTION(t, order=4)
    exact[:, :, 0] *= kind != "parked joint"
    exact[0, :, 0] += 1.3
    spline = Spline.fit(t, exact[0])
    assert len(spline.pieces) == 1
    error = np.abs(spline(t, order=4) - exact)[:, 500:-500].max(axis=1)
    assert np.all(error < 1e-5 * np.abs(exact).max(axis=(1, 2))[:, None])


def test_it_is_defined_between_its_ends_only():
    t = np.linspace(2.0, 3.0, 20)
    spline = Spline.through(t, np.sin(t)[:, None])
    assert (spline.t0, spline.n, spline.degree) == (2.0, 1, 7)
    assert spline.duration == pytest.approx(1.0)
    spline(3.0 + 1e-12)
    for outside in (1.99, 3.01):
        with pytest.raises(ArgumentError, match=r"outside of the samples.*2\.0 … 3\.0 s"):
            spline([2.5, outside])


def test_a_pause_is_bridged_with_a_warning():
    t = np.concatenate([np.arange(0.0, 1.0, 0.01), np.arange(1.6, 2.5, 0.01), [9.0, 9.01]])
    with pytest.warns(SplineWarning, match=r"2 pause\(s\).*the longest from .* to 9\.0 s"):
        spline = Spline.through(t, np.sin(t)[:, None])
    assert_close(spline(t, order=0)[0, :, 0], np.sin(t), INDEPENDENT)
    inside = np.linspace(t[99], t[100], 50)
    assert np.abs(spline(inside, order=0)[0, :, 0] - np.sin(inside)).max() < 1e-2
    for edge in (t[99], t[100]):  # half of the derivatives are continuous
        left, right = spline([edge - 1e-12, edge + 1e-12], order=3)[:, :, 0].T
        assert_close(left, right, 1e-6)


@pytest.mark.parametrize("count", range(1, 8))
@pytest.mark.parametrize("noise", [0.0, 1e-3])
def test_a_few_samples_between_pauses_are_fitted(count: int, noise: float):
    body = np.arange(0.0, 1.0, 0.01)
    alone = 50.0 + 0.01 * np.arange(count)
    t = np.concatenate([body, alone, 100.0 + body])
    with pytest.warns(SplineWarning, match="pause"):
        spline = Spline.fit(t, np.cos(t)[:, None], noise=noise, order=0)
    assert_close(spline(alone, order=0)[0, :, 0], np.cos(alone), 3e-3 if noise else INDEPENDENT)
    assert np.isfinite(spline(np.linspace(0.0, 100.9, 500), order=0)).all()


def test_it_is_frozen_and_pickles():
    t = np.linspace(0.0, 1.0, 20)
    spline = Spline.through(t, np.sin(t)[:, None])
    with pytest.raises(ValueError, match="read-only"):
        spline.pieces[0].c[0] = 1.0
    with pytest.raises(FrozenInstanceError):
        spline.step = 1.0  # pyright: ignore[reportAttributeAccessIssue]
    again = pickle.loads(pickle.dumps(spline))
    assert_close(again(0.3), spline(0.3), EXACT)


@pytest.mark.parametrize(
    ("t", "q", "options", "error", "message"),
    [
        (
            np.arange(7.0),
            np.ones((7, 1)),
            {},
            ShapeError,
            "degree 7 needs at least 8 samples, got 7",
        ),
        (
            np.arange(9.0),
            np.ones((9, 1)),
            {"degree": 6},
            ArgumentError,
            "degree must be odd, got 6",
        ),
        (np.arange(9.0), np.ones((9, 1)), {"degree": 3}, ArgumentError, "integer ≥ 5, got 3"),
        (np.arange(9.0), np.ones(9), {}, ShapeError, r"q of shape \(m, n\)"),
        (np.arange(9.0), np.ones((8, 1)), {}, ShapeError, r"got \(9,\) and \(8, 1\)"),
        (np.zeros(9), np.ones((9, 1)), {}, ArgumentError, r"t\[1\] = 0\.0 does not come after"),
        (np.arange(9.0), np.full((9, 1), np.nan), {}, NotFiniteError, "q"),
        (
            np.arange(9.0),
            np.ones((9, 2)),
            {"noise": -1.0},
            NotFiniteError,
            "finite, ≥ 0 and 1e.100",
        ),
        (
            np.arange(9.0),
            np.ones((9, 2)),
            {"noise": [0.0, 1.0]},
            ArgumentError,
            "for all .* or for none",
        ),
        (np.arange(9.0), np.ones((9, 2)), {"noise": np.ones(3)}, ShapeError, r"shape \(2,\)"),
    ],
)
def test_what_is_no_sampling_is_refused(t, q, options, error, message: str):
    with pytest.raises(error, match=message):
        Spline.fit(t, q, **options)


@pytest.mark.parametrize("smoothness", [0, 1, 2, 4, 9, 15])
def test_rest_to_rest_is_the_incomplete_beta_function(smoothness: int):
    """In 60 digits: q0 + (q1 − q0) I_x(s + 1, s + 1), as a polynomial with integer coefficients."""
    s, order = smoothness, 6
    move = Polynomial.rest_to_rest([0.3, -1.0], [2.0, 1.5], 3.7, smoothness=s, t0=0.9)
    assert (move.degree, move.n, move.t0) == (2 * s + 1, 2, 0.9)
    t = np.linspace(move.t0, move.t0 + move.duration, 23)
    got = move(t, order=order)[..., 0]
    with mpmath.workdps(60):
        T = mpmath.mpf(move.breaks[1]) - mpmath.mpf(move.breaks[0])
        series = [mpmath.mpf(0)] * (s + 1)
        series += [
            (-1) ** k * mpmath.binomial(s + k, k) * mpmath.binomial(2 * s + 1, s - k)
            for k in range(s + 1)
        ]
        for k in range(order + 1):
            x = [(mpmath.mpf(y) - mpmath.mpf(move.t0)) / T for y in t]
            rise = mpmath.mpf(2.0) - mpmath.mpf(0.3)
            wanted = [rise * mpmath.polyval(series[::-1] or [0], y) / T**k for y in x]
            wanted = [float(w + (mpmath.mpf(0.3) if k == 0 else 0)) for w in wanted]
            assert_close(got[k], wanted, 3 * ROUNDOFF, scale=1e-9, what=f"order {k}")
            series = [i * c for i, c in enumerate(series)][1:]
    everywhere, ends = move(t, order=s), move(move.breaks, order=s)
    for k in range(1, s + 1):  # 1e-11: degree 31, derivative 15
        assert np.abs(ends[k]).max() <= 10 * INDEPENDENT * np.abs(everywhere[k]).max()


def test_through_points_is_the_clamped_cubic_for_smoothness_one(rng: np.random.Generator):
    t = np.cumsum(rng.uniform(0.3, 2.0, 6))
    q = rng.standard_normal((6, 2))
    motion = Polynomial.through(t, q, smoothness=1, start=[[1.0, -2.0]])
    wanted = CubicSpline(t, q, bc_type=((1, np.array([1.0, -2.0])), (1, np.zeros(2))))
    x = rng.uniform(t[0], t[-1], 50)
    assert_orders_close(motion(x, order=2), [wanted(x, k) for k in range(3)], INDEPENDENT)


@pytest.mark.parametrize("smoothness", [1, 2, 3, 4])
def test_no_smoother_motion_passes_through_the_points(smoothness: int, rng: np.random.Generator):
    """The (s+1)-th derivative is orthogonal to that of any change that keeps the conditions."""
    s = smoothness
    t = np.cumsum(rng.uniform(0.5, 1.5, 5))
    motion = Polynomial.through(t, rng.standard_normal((5, 1)), smoothness=s)
    assert_close(motion(t[[0, -1]], order=s)[1:], np.zeros((s, 2, 1)), 1e-10, scale=1.0)
    for i in (1, 2, 3):  # continuous up to 2 s
        sides = motion([np.nextafter(t[i], -9.0), np.nextafter(t[i], 9.0)], order=2 * s)
        assert_orders_close(sides[:, 0], sides[:, 1], 1e-9)
    nodes, weights = np.polynomial.legendre.leggauss(40)
    product = size = 0.0
    for a, b in pairwise(t):
        x = (a + b) / 2 + (b - a) / 2 * nodes
        # a bump that is zero to order s at the ends and zero at every point
        factors = [np.poly1d([1.0, -p]) for p in t[1:-1]]
        bump = (np.poly1d([1.0, -t[0]]) * np.poly1d([1.0, -t[-1]])) ** (s + 1)
        for factor in factors:
            bump = bump * factor
        change = np.polyder(bump, s + 1)(x)
        mine = motion(x, order=s + 1)[s + 1, :, 0]
        product += (b - a) / 2 * np.sum(weights * mine * change)
        size += (b - a) / 2 * np.sum(weights * np.abs(mine * change))
    assert abs(product) < 1e-10 * size


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([0.0, 1.0], [[0.0], [1.0]]), {"smoothness": -1}, "smoothness must be an integer ≥ 0"),
        (([0.0, 1.0], [[0.0], [1.0]]), {"smoothness": 1, "start": [[1.0], [2.0]]}, "at most 1"),
        (([0.0, 1.0], [[0.0], [1.0]]), {"end": [[1.0, 2.0]]}, r"end must have shape \(k, 1\)"),
        (([0.0], [[0.0]]), {}, "at least 2"),
        (([1.0, 0.0], [[0.0], [1.0]]), {}, "increase strictly"),
    ],
)
def test_what_is_no_way_is_refused(arguments, options, message: str):
    with pytest.raises((ShapeError, ArgumentError), match=message):
        Polynomial.through(*arguments, **options)


def test_a_duration_must_be_positive():
    with pytest.raises(ArgumentError, match="duration must be positive"):
        Polynomial.rest_to_rest([0.0], [1.0], 0.0)


def test_noise_that_hides_a_derivative_is_told(rng: np.random.Generator):
    t = np.arange(0.0, 4.0, 0.01)
    q = MOTION(t, order=0)[0] + 0.02 * rng.standard_normal((400, 3))
    with pytest.warns(SplineWarning, match=r"order 4: derivative 4 of coordinate \d is"):
        spline = Spline.fit(t, q, noise=0.002)  # ten times less than there is
    assert_close(spline.smoothing.noise, np.full(3, 0.02), 0.2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spline(1.0, order=0)
        Spline.fit(t, MOTION(t, order=0)[0])(1.0, order=4)
        Spline.fit(t, q)
        Spline.fit(t, 1.0 + 0.02 * rng.standard_normal((400, 3)))  # standing still is no motion
    with pytest.warns(SplineWarning, match="of which .* is error"):
        spline(1.0, order=4)
