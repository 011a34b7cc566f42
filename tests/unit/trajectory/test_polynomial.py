"""Polynomials against mpmath and against the algebra of jets."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError
from math import inf, nan

import mpmath
import numpy as np
import pytest

from jounce.algebra.jet import Jet
from jounce.errors import ArgumentError, NotFiniteError, ShapeError
from jounce.trajectory import Polynomial, Spline, papers_motion
from tests.tolerances import EXACT, ROUNDOFF, assert_close, assert_orders_close

DIGITS = 50


def test_every_derivative_is_the_one_of_mpmath(rng: np.random.Generator):
    coefficients, t0, t = rng.standard_normal((8, 3)), 0.7, 1.9
    got = Polynomial(coefficients, t0)(t, order=9)
    with mpmath.workdps(DIGITS):
        for i in range(3):
            series = [mpmath.mpf(c) for c in coefficients[::-1, i]]
            wanted = [
                mpmath.diff(lambda x: mpmath.polyval(series, x - mpmath.mpf(t0)), t, m)  # noqa: B023
                for m in range(10)
            ]
            assert_orders_close(got[:, i], wanted, ROUNDOFF, scale=1e-12)


def test_derivatives_are_those_of_a_jet(rng: np.random.Generator):
    coefficients, t = rng.standard_normal((6, 2)), rng.standard_normal(4)
    time = Jet([t, np.ones(4), *[np.zeros(4)] * 6])
    for i, got in enumerate(np.moveaxis(Polynomial(coefficients)(t, order=7), -1, 0)):
        power, q = Jet([np.ones(4), *[np.zeros(4)] * 7]), Jet([np.zeros(4)] * 8)
        for c in coefficients[:, i]:
            q, power = q + power * c, power * time
        assert_close(got, q.derivatives(), ROUNDOFF)


def test_from_derivatives_has_these_derivatives(rng: np.random.Generator):
    rates = rng.standard_normal((6, 4))
    taylor = Polynomial.from_derivatives(*rates, t0=-1.3)
    assert_close(taylor(-1.3, order=5), rates, ROUNDOFF)
    assert (taylor.degree, taylor.t0, taylor.n, taylor.duration) == (5, -1.3, 4, inf)


def test_beyond_the_degree_all_is_zero():
    assert not Polynomial([[1.0], [2.0]])(3.0, order=5)[2:].any()


@pytest.mark.parametrize("shape", [(), (1,), (0,), (3,), (2, 3), (2, 0, 2)])
def test_times_have_any_shape(shape: tuple[int, ...], rng: np.random.Generator):
    polynomial, t = Polynomial(rng.standard_normal((4, 2))), rng.standard_normal(shape)
    got = polynomial(t)
    assert got.shape == (5, *shape, 2)
    assert got.flags.c_contiguous
    for index in np.ndindex(shape):
        assert_close(got[:, *index], polynomial(t[index]), EXACT)


def test_it_is_frozen_and_keeps_no_reference():
    given = np.ones((2, 1))
    polynomial = Polynomial(given)
    given[:] = 7.0
    assert polynomial(0.0, order=0) == 1.0
    with pytest.raises(ValueError, match="read-only"):
        polynomial.coefficients[0] = 2.0
    with pytest.raises(FrozenInstanceError):
        polynomial.t0 = 1.0  # pyright: ignore[reportAttributeAccessIssue]


def test_it_pickles():
    polynomial = pickle.loads(pickle.dumps(Polynomial([[1.0], [2.0]], 0.5, duration=3.0)))
    assert (polynomial.t0, polynomial.duration) == (0.5, 3.0)
    assert polynomial(1.5, order=1).ravel().tolist() == [3.0, 2.0]


@pytest.mark.parametrize(
    ("coefficients", "options", "error", "message"),
    [
        ([1.0, 2.0], {}, ShapeError, r"coefficients must have shape \(degree \+ 1, n\).*\(2,\)"),
        (np.ones((0, 2)), {}, ShapeError, "at least one row"),
        (np.ones((2, 0)), {}, ShapeError, "one column"),
        ([["a"]], {}, ShapeError, "coefficients must be an array of real numbers"),
        ([[1.0], [1j]], {}, ShapeError, "real numbers"),
        ([[1.0], [nan]], {}, NotFiniteError, r"coefficients\[1, 0\] is nan"),
        ([[1.0]], {"t0": nan}, NotFiniteError, "t0"),
        ([[1.0]], {"t0": [1.0]}, ShapeError, "t0 must be one number"),
        ([[1.0]], {"duration": 0.0}, ArgumentError, "duration must be positive"),
        ([[1.0]], {"duration": nan}, NotFiniteError, "duration"),
    ],
)
def test_what_is_no_polynomial_is_refused(coefficients, options, error, message: str):
    with pytest.raises(error, match=message):
        Polynomial(coefficients, **options)


@pytest.mark.parametrize("rates", [([1.0], [1.0, 2.0]), (1.0,), ([[1.0]],)])
def test_derivatives_of_different_shapes_are_refused(rates):
    with pytest.raises(ShapeError, match=r"shape \(n,\) of q"):
        Polynomial.from_derivatives(*rates)


@pytest.mark.parametrize("order", [-1, 1.0, True, "2", None])
def test_an_order_that_is_none_is_refused(order):
    with pytest.raises(ArgumentError, match=r"order must be an integer ≥ 0, got"):
        Polynomial([[1.0]])(0.0, order=order)


def test_integers_may_be_those_of_numpy():
    two = np.int64(2)
    assert Polynomial([[1.0]])(0.0, order=two).shape == (3, 1)
    move = Polynomial.rest_to_rest([0.0], [1.0], 1.0, smoothness=two)
    assert move.degree == 5
    assert papers_motion(two).n == 2
    t = np.linspace(0.0, 1.0, 50)
    assert Spline.fit(t, np.sin(t)[:, None], degree=np.int32(5), order=two).degree == 5


@pytest.mark.parametrize(("t", "error"), [(nan, NotFiniteError), ([0.0, inf], NotFiniteError)])
def test_times_must_be_finite(t, error):
    with pytest.raises(error, match=r"^t"):
        Polynomial([[1.0]])(t)


def test_times_must_be_numbers():
    with pytest.raises(ShapeError, match="t must be an array of real numbers"):
        Polynomial([[1.0]])("now")
