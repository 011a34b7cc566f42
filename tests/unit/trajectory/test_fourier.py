"""Fourier series against mpmath and jets; the papers' motion is that of the authors' programs."""

from __future__ import annotations

import pickle
from math import inf, nan, pi

import mpmath
import numpy as np
import pytest

from jounce.algebra.jet import Jet
from jounce.errors import ArgumentError, NotFiniteError, ShapeError
from jounce.trajectory import Fourier, Trajectory, cosine, papers_motion
from tests import oracle_data
from tests.tolerances import EXACT, INDEPENDENT, ROUNDOFF, assert_close, assert_orders_close

DIGITS = 50
ORACLE = ROUNDOFF / 10  # the file holds the motion itself, so nothing but roundings differ
OMEGAS = (1.3, (0.9, 1.7, 2.1))


def series(rng: np.random.Generator, omega) -> Fourier:
    a, b = rng.standard_normal((2, 4, 3))
    return Fourier(a, b, omega, rng.standard_normal(3))


def exact(motion: Fourier, joint: int, t: mpmath.mpf) -> mpmath.mpf:
    """Return the formula of the docstring for one coordinate, at the precision of mpmath."""
    total, omega = mpmath.mpf(motion.q0[joint]), mpmath.mpf(motion.omega[joint])
    for k, (a, b) in enumerate(zip(motion.a[:, joint], motion.b[:, joint], strict=True), start=1):
        phase = k * omega * t
        total += (mpmath.mpf(a) * mpmath.sin(phase) - mpmath.mpf(b) * mpmath.cos(phase)) / k / omega
    return total


@pytest.mark.parametrize("omega", OMEGAS)
def test_every_derivative_is_the_one_of_mpmath(omega, rng: np.random.Generator):
    motion, t = series(rng, omega), 2.7
    got = motion(t, order=9)
    with mpmath.workdps(DIGITS):
        for i in range(3):
            wanted = [mpmath.diff(lambda x: exact(motion, i, x), t, m) for m in range(10)]  # noqa: B023
            assert_orders_close(got[:, i], wanted, INDEPENDENT)


@pytest.mark.parametrize("omega", OMEGAS)
def test_derivatives_are_those_of_jets(omega, rng: np.random.Generator):
    motion, t = series(rng, omega), rng.uniform(-4.0, 4.0, 5)
    got = motion(t, order=8)
    for i in range(3):
        q = Jet([np.full(5, motion.q0[i]), *[np.zeros(5)] * 8])
        for k in range(1, 5):
            rate = k * motion.omega[i]
            sine, cosine = Jet([rate * t, np.full(5, rate), *[np.zeros(5)] * 7]).sincos()
            q = q + sine * (motion.a[k - 1, i] / rate) - cosine * (motion.b[k - 1, i] / rate)
        assert_orders_close(got[..., i], q.derivatives(), ROUNDOFF)


def test_the_velocity_has_these_coefficients(rng: np.random.Generator):
    motion, t = series(rng, 1.3), np.linspace(0.0, 2 * pi / 1.3, 64, endpoint=False)
    spectrum = np.fft.rfft(motion(t, order=1)[1], axis=0) / 32
    assert_close(spectrum[1:5].real, motion.a, ROUNDOFF)
    assert_close(-spectrum[1:5].imag, motion.b, ROUNDOFF)
    assert_close(np.abs(spectrum[5:]), np.zeros((28, 3)), ROUNDOFF, scale=1.0)


def test_a_period_later_all_is_as_before(rng: np.random.Generator):
    motion = series(rng, (0.9, 1.8, 2.7))
    assert_close(motion.period, 2 * pi / np.array([0.9, 1.8, 2.7]), ROUNDOFF)
    assert motion.duration == motion.period[0]
    assert (motion.n, motion.harmonics) == (3, 4)
    assert_orders_close(motion(0.4 + motion.duration), motion(0.4), INDEPENDENT)


def test_an_offset_moves_only_the_position(rng: np.random.Generator):
    a, b = rng.standard_normal((2, 3, 2))
    moved = Fourier(a, b, 1.0, 5.0)(0.3) - Fourier(a, b, 1.0)(0.3)
    assert_close(moved, [[5.0, 5.0], *[[0.0, 0.0]] * 4], ROUNDOFF)


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)])
def test_times_have_any_shape(shape: tuple[int, ...], rng: np.random.Generator):
    motion, t = series(rng, 1.3), rng.standard_normal(shape)
    got = motion(t, order=2)
    assert got.shape == (3, *shape, 3)
    assert got.flags.c_contiguous
    for index in np.ndindex(shape):
        assert_close(got[:, *index], motion(t[index], order=2), ROUNDOFF)


def test_it_pickles_and_is_frozen(rng: np.random.Generator):
    motion = series(rng, 1.3)
    assert_close(pickle.loads(pickle.dumps(motion))(0.5), motion(0.5), EXACT)
    with pytest.raises(ValueError, match="read-only"):
        motion.a[0] = 1.0
    with pytest.raises(AttributeError):
        motion.q0 = np.zeros(3)  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"a": [1.0, 2.0]}, ShapeError, r"a must have shape \(harmonics, n\)"),
        ({"b": [[1.0, 2.0, 3.0]]}, ShapeError, r"same shape.*\(1, 2\) and \(1, 3\)"),
        ({"omega": [1.0, 2.0, 3.0]}, ShapeError, r"omega must be one number or have shape \(2,\)"),
        ({"omega": [1.0, 0.0]}, ArgumentError, r"omega must be positive, got \[1.0, 0.0\]"),
        ({"omega": inf}, NotFiniteError, "omega"),
        ({"q0": [1.0]}, ShapeError, r"q0 must be one number or have shape \(2,\).*got \(1,\)"),
        ({"q0": nan}, NotFiniteError, "q0"),
        ({"b": [[nan, 1.0]]}, NotFiniteError, r"b\[0, 0\] is nan"),
        ({"a": [["x", "y"]]}, ShapeError, "a must be an array of real numbers"),
    ],
)
def test_what_is_no_series_is_refused(changed, error, message: str):
    good = {"a": [[1.0, 2.0]], "b": [[1.0, 2.0]], "omega": 1.0, "q0": 0.0}
    with pytest.raises(error, match=message):
        Fourier(**{**good, **changed})


def test_order_and_times_are_checked():
    motion = Fourier([[1.0]], [[1.0]], 1.0)
    with pytest.raises(ArgumentError, match="order"):
        motion(0.0, order=-1)
    with pytest.raises(NotFiniteError, match=r"t\[1\] is inf"):
        motion([0.0, inf])


@pytest.mark.parametrize("name", oracle_data.NAMES)
def test_samples_of_the_oracle_lie_on_it(name: str):
    samples = [s for s in oracle_data.samples(name) if s["id"].startswith("A")]
    assert len(samples) == 10
    wanted = np.array([s["q_derivatives"] for s in samples]).swapaxes(0, 1)
    got = papers_motion(oracle_data.model(name)["n"])(np.array([s["t"] for s in samples]), order=6)
    assert_orders_close(got, wanted, ORACLE)


def test_the_formula_of_the_docstring():
    speeds = ["2.21", "-2.21", "1.2", "-2.1", "-2.3", "2.1", "-2.5"]
    periods = ["3.68", "2.04", "2.98", "1.75", "4.43", "2.749", "1.06"]
    with mpmath.workdps(40):
        for i, (s, period) in enumerate(zip(speeds, periods, strict=True)):
            omega = 2 * mpmath.pi / mpmath.mpf(period)
            wanted = [
                mpmath.diff(lambda t: -mpmath.mpf(s) / omega * mpmath.cos(omega * t), 1.5, m)  # noqa: B023
                for m in range(8)
            ]
            got = papers_motion()(1.5, order=7)[:, i]
            assert_orders_close(got, wanted, ROUNDOFF, scale=0.1)


def test_more_joints_repeat_the_seven():
    assert_close(papers_motion(9)(0.3)[:, 7:], papers_motion(2)(0.3), EXACT)


def test_it_starts_at_rest_and_has_the_greatest_speed_a_quarter_later(rng: np.random.Generator):
    speeds, periods = rng.standard_normal(3), rng.uniform(1.0, 3.0, 3)
    motion = cosine(speeds, periods, q0=[1.0, 2.0, 3.0])
    assert not motion(0.0, order=1)[1].any()
    quarter = np.diagonal(motion(periods / 4, order=1), axis1=1, axis2=2)
    assert_close(quarter, [[1.0, 2.0, 3.0], speeds], ROUNDOFF)
    assert_close(motion.period, periods, ROUNDOFF)


def test_it_is_a_trajectory():
    motion: Trajectory = papers_motion()
    assert motion.n == 7
    assert abs(motion.duration - 4.43) < ROUNDOFF


@pytest.mark.parametrize("n", [0, -1, 1.0, True])
def test_a_number_of_joints_that_is_none_is_refused(n):
    with pytest.raises(ArgumentError, match="n, the number of joints, must be an integer ≥ 1"):
        papers_motion(n)


@pytest.mark.parametrize(
    ("speeds", "periods", "error", "message"),
    [
        ([1.0], [1.0, 2.0], ShapeError, r"same shape \(n,\), got \(1,\) and \(2,\)"),
        (1.0, 1.0, ShapeError, "same shape"),
        ([1.0], [0.0], ArgumentError, "periods must be positive"),
        ([1.0], [nan], NotFiniteError, "periods"),
        ([nan], [1.0], NotFiniteError, "is nan"),
    ],
)
def test_bad_speeds_and_periods_are_refused(speeds, periods, error, message: str):
    with pytest.raises(error, match=message):
        cosine(speeds, periods)
