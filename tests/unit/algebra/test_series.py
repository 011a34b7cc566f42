"""Series on arrays against polynomials and jets."""

from __future__ import annotations

import numpy as np

from jounce.algebra import rigid, series
from jounce.algebra.jet import Jet
from jounce.algebra.so3 import from_quaternion, integrate_body_rate
from jounce.algebra.vector import Vec3
from tests.tolerances import EXACT, ROUNDOFF, assert_close


def test_derivatives_there_and_back(rng: np.random.Generator):
    rows = rng.normal(size=(7, 2, 3))
    c = series.coefficients(rows[0], rows[1:])
    assert_close(series.derivatives(c), rows, ROUNDOFF)
    assert_close(series.differentiated(series.integrated(rows[0], c)), c[:-1], ROUNDOFF)


def test_values_are_those_of_a_polynomial(rng: np.random.Generator):
    c = rng.normal(size=(6, 3))
    assert_close(series.evaluate(c, 0.7), np.polynomial.polynomial.polyval(0.7, c), ROUNDOFF)
    assert_close(series.evaluate(c[:1], 0.7), c[0], EXACT)


def test_a_rotating_quaternion_turns_vectors_as_its_matrix_does(rng: np.random.Generator):
    order = 6
    start, w = rigid.normalized(rng.normal(size=4)), rng.normal(size=(order + 1, 3))
    x = rng.normal(size=(order + 1, 3))
    q = series.quaternion_series(start, w)
    jets = [Vec3(*(Jet(column) for column in rows.T)) for rows in (w, x)]
    R = integrate_body_rate(from_quaternion(*start), jets[0], order)
    turned = R.rotate(jets[1])
    assert_close(series.rotated(q, x), np.array([c.coeffs for c in turned]).T, ROUNDOFF)
