"""Matrix jets against jets of their entries and against Leibniz' rule."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from jounce.algebra.jet import Jet
from jounce.algebra.matrix_jet import MatrixJet, cauchy
from tests.tolerances import ROUNDOFF, assert_close, assert_orders_close


def random_jet(rng: np.random.Generator, order: int, *shape: int) -> MatrixJet:
    return MatrixJet(rng.normal(size=(order + 1, *shape)))


def test_product_is_the_product_of_the_entries(rng: np.random.Generator):
    X, Y = random_jet(rng, 4, 2, 3), random_jet(rng, 4, 3, 2)
    Z = X @ Y
    for i in range(2):
        for j in range(2):
            entry = sum(
                (Jet(X.coeffs[:, i, k]) * Jet(Y.coeffs[:, k, j]) for k in range(3)),
                start=Jet(np.zeros(5)),
            )
            assert_close(Z.coeffs[:, i, j], entry.coeffs, ROUNDOFF)


def test_derivatives_of_a_product_follow_leibniz(rng: np.random.Generator):
    X, Y = rng.normal(size=(5, 7, 2, 3)), rng.normal(size=(5, 7, 3, 4))
    got = (MatrixJet.from_derivatives(X) @ MatrixJet.from_derivatives(Y)).derivatives()
    wanted = [sum(comb(n, k) * X[n - k] @ Y[k] for k in range(n + 1)) for n in range(5)]
    assert_orders_close(got, wanted, ROUNDOFF)
    assert got.flags.c_contiguous


def test_derivatives_there_and_back(rng: np.random.Generator):
    X = rng.normal(size=(8, 3, 3))
    assert_close(MatrixJet.from_derivatives(X).derivatives(), X, ROUNDOFF)
    assert MatrixJet.from_derivatives(X).coeffs[3] == pytest.approx(X[3] / 6)


def test_time_derivative_shifts_the_derivatives(rng: np.random.Generator):
    X = rng.normal(size=(6, 2, 2))
    rate = MatrixJet.from_derivatives(X).dt()
    assert rate.order == 4
    assert_close(rate.derivatives(), X[1:], ROUNDOFF)


def test_arrays_are_constants(rng: np.random.Generator):
    X, B = random_jet(rng, 3, 5, 2, 2), rng.normal(size=(2, 2))
    constant = MatrixJet.constant(B, 3)
    assert constant.coeffs.shape == (4, 2, 2)
    for got, wanted in (
        (X @ B, X @ constant),
        (B @ X, constant @ X),
        (X + B, X + constant),
        (B + X, X + constant),
        (X - B, X - constant),
        (B - X, constant - X),
    ):
        assert isinstance(got, MatrixJet)
        assert_close(got.coeffs, wanted.coeffs, ROUNDOFF)


def test_a_constant_may_bring_the_batch(rng: np.random.Generator):
    X, B = random_jet(rng, 2, 2, 2), rng.normal(size=(5, 2, 2))
    total = X + B
    assert total.coeffs.shape == (3, 5, 2, 2)
    assert_close(total.coeffs[0, 3], X.coeffs[0] + B[3], ROUNDOFF)
    assert_close(total.coeffs[2, 3], X.coeffs[2], ROUNDOFF)


def test_the_shorter_order_wins(rng: np.random.Generator):
    X, Y = random_jet(rng, 4, 2, 2), random_jet(rng, 2, 2, 2)
    short = MatrixJet(X.coeffs[:3])
    assert short.order == 2
    assert_close((X @ Y).coeffs, (short @ Y).coeffs, ROUNDOFF)
    assert_close((X - Y).coeffs, short.coeffs - Y.coeffs, ROUNDOFF)


def test_scalars_signs_and_transposes(rng: np.random.Generator):
    X, Y = random_jet(rng, 3, 4, 2, 3), random_jet(rng, 3, 4, 3, 2)
    assert_close((2.0 * X - X * 3.0).coeffs, (-X).coeffs, ROUNDOFF)
    assert_close((X @ Y).T.coeffs, (Y.T @ X.T).coeffs, ROUNDOFF)
    assert_close(cauchy(X.coeffs, Y.coeffs, 2), (X @ Y).coeffs[2], ROUNDOFF)
    assert repr(X) == "MatrixJet(order=3, shape=(4, 2, 3))"
