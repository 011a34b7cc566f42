"""The law of the tracking controllers."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.elastic.tracking import ErrorLaw, gains_of
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close


def test_a_motion_on_the_plan_stays_on_it(rng: np.random.Generator):
    """A polynomial of fourth degree is its Taylor series."""
    plan = jounce.trajectory.Polynomial(rng.normal(size=(5, 2)))
    law = ErrorLaw(plan, gains_of([-1, -2, -3 + 1j, -3 - 1j]))
    for delay in (0.0, 0.3, -0.3):
        found = law.motion_after(delay, 0.2, plan(0.2, order=3))
        assert_close(found, plan(0.2 + delay, order=4), ROUNDOFF)


@pytest.mark.parametrize("poles", [[-1, -2, -3, -4], [-5, -5, -2 + 3j, -2 - 3j]])
def test_the_gains_place_the_poles(poles: list[complex]):
    """Π (d/dt − p) e = e⁽⁴⁾ + k₃ e''' + … vanishes for e = exp(p t)."""
    gains = gains_of(poles)
    for p in np.array(poles, dtype=complex):
        terms = [*(k * p**n for n, k in enumerate(gains)), p**4]
        assert abs(sum(terms)) < INDEPENDENT * max(abs(x) for x in terms)
