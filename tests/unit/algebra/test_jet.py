"""Jets against mpmath's Taylor coefficients."""

from __future__ import annotations

from fractions import Fraction
from math import factorial

import mpmath
import numpy as np
import pytest

from jounce.algebra.jet import Jet, derivatives, dt, integral, leibniz
from tests.tolerances import EXACT, ROUNDOFF, assert_close

ORDER = 9


def random_jet(rng: np.random.Generator) -> Jet:
    return Jet(rng.normal(size=ORDER + 1).tolist())


def polynomial(jet: Jet, t: mpmath.mpf) -> mpmath.mpf:
    return sum(mpmath.mpf(c) * t**k for k, c in enumerate(jet.coeffs))


def taylor(function, order: int = ORDER) -> list[float]:
    with mpmath.workdps(50):
        return [float(c) for c in mpmath.taylor(function, 0, order)]


def test_product_is_the_series_of_the_product(rng: np.random.Generator) -> None:
    a, b = random_jet(rng), random_jet(rng)
    wanted = taylor(lambda t: polynomial(a, t) * polynomial(b, t))
    assert_close((a * b).coeffs, wanted, ROUNDOFF)


def test_sine_and_cosine(rng: np.random.Generator) -> None:
    u = random_jet(rng)
    s, c = u.sincos()
    assert_close(s.coeffs, taylor(lambda t: mpmath.sin(polynomial(u, t))), ROUNDOFF)
    assert_close(c.coeffs, taylor(lambda t: mpmath.cos(polynomial(u, t))), ROUNDOFF)


def test_reciprocal(rng: np.random.Generator) -> None:
    a = random_jet(rng) + 5.0
    assert_close(a.reciprocal().coeffs, taylor(lambda t: 1 / polynomial(a, t)), ROUNDOFF)


def test_sum_difference_and_constants(rng: np.random.Generator) -> None:
    a, b = random_jet(rng), random_jet(rng)
    x, y = np.array(a.coeffs), np.array(b.coeffs)
    shift = np.eye(1, ORDER + 1)[0]
    for got, wanted in [
        (a + b, x + y),
        (a - b, x - y),
        (-a, -x),
        (a + 2.0, x + 2 * shift),
        (2.0 - a, 2 * shift - x),
        (a * 3.0, 3 * x),
        (3.0 * a, 3 * x),
    ]:
        assert_close(got.coeffs, wanted, EXACT)


def test_exact_factors_leave_no_operation(rng: np.random.Generator) -> None:
    a = random_jet(rng)
    assert a * 0.0 == 0.0
    assert a * 1.0 is a
    assert a + 0.0 is a


def test_shorter_order_wins() -> None:
    a, b = Jet((1.0, 2.0, 3.0)), Jet((4.0, 5.0))
    assert (a + b).coeffs == (5.0, 7.0)
    assert (a * b).coeffs == (4.0, 13.0)


def test_derivative_undoes_the_integral(rng: np.random.Generator) -> None:
    a = random_jet(rng)
    whole = integral(a, 7.0, ORDER + 1)
    assert whole.coeffs[0] == 7.0
    assert_close(dt(whole).coeffs, a.coeffs, ROUNDOFF)
    assert dt(3.0) == 0.0


def test_derivatives_are_factorials_times_coefficients() -> None:
    assert Jet.from_derivatives([1.0, 2.0, 6.0, 24.0]).coeffs == (1.0, 2.0, 3.0, 4.0)
    assert Jet((1.0, 2.0, 3.0, 4.0)).derivatives() == (1.0, 2.0, 6.0, 24.0)
    assert derivatives(5.0, 2) == (5.0, 0.0, 0.0)


@pytest.mark.parametrize("kind", ["float", "numpy", "mpmath"])
def test_runs_on_any_scalar(kind: str) -> None:
    make = {"float": float, "numpy": lambda x: np.full(3, x), "mpmath": mpmath.mpf}[kind]
    u = Jet([make(0.3), make(-1.2), make(0.7)])
    s, c = u.sincos()
    one = s * s + c * c
    assert_close(np.ravel(np.array([np.mean(x) for x in one.coeffs], float)), [1, 0, 0], ROUNDOFF)


def test_exact_numbers_stay_exact():
    """No float 1/k comes between: x = 1/(1 − t) has all coefficients one, x' = 1/(1 − t)²."""
    x = Jet.from_derivatives(Fraction(factorial(k)) for k in range(ORDER + 1))
    assert x.coeffs == (1,) * (ORDER + 1)
    rate = dt(x)
    assert rate.coeffs == tuple(range(1, ORDER + 1))
    assert integral(rate, Fraction(1, 3), ORDER).coeffs == (Fraction(1, 3), *[1] * ORDER)
    assert integral(x, 0, ORDER).coeffs[1:] == tuple(Fraction(1, k + 1) for k in range(ORDER))
    for got in (*x.coeffs, *rate.coeffs, *x.derivatives()):
        assert isinstance(got, Fraction)


def test_sines_to_fifty_digits():
    """sin(x + 2t): derivative k is 2ᵏ sin(x + kπ/2)."""
    with mpmath.workdps(50):
        x = mpmath.mpf(1) / 7
        s, c = Jet.from_derivatives([x, mpmath.mpf(2), *[mpmath.mpf(0)] * (ORDER - 1)]).sincos()
        for k, (sine, cosine) in enumerate(zip(s.derivatives(), c.derivatives(), strict=True)):
            assert abs(sine - 2**k * mpmath.sin(x + k * mpmath.pi / 2)) < 1e-45
            assert abs(cosine - 2**k * mpmath.cos(x + k * mpmath.pi / 2)) < 1e-45


def test_factors_of_floats_are_floats():
    """Also beyond 20!, which no integer of NumPy holds."""
    x = Jet.from_derivatives(np.ones((25, 2)))
    assert all(c.dtype == float for c in (*x.coeffs, *x.dt().coeffs, *x.derivatives()))
    assert_close(x.derivatives(), np.ones((25, 2)), ROUNDOFF)


def test_leibniz_is_the_product_of_jets(rng: np.random.Generator) -> None:
    a, b = rng.normal(size=(2, 5)).tolist()
    product = (Jet.from_derivatives(a) * Jet.from_derivatives(b)).derivatives()
    assert_close([leibniz(a, b, n) for n in range(5)], product, ROUNDOFF)
