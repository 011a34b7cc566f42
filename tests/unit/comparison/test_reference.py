"""The referee is right to 50 digits at every order: another text of another paper says so."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

import jounce
from jounce.comparison.reference import chain_of, mapped, orthogonal, reference
from jounce.comparison.study import _motion
from jounce.literature import km21_recursive
from jounce.model.lowering.tree import lowered

ORDER = 6


def km21(robot: jounce.Robot, motion: list[np.ndarray]) -> Any:
    tree = orthogonal(mapped(lowered(robot), mpmath.mpf))
    sample = [[mpmath.mpf(float(x)) for x in row[0]] for row in motion]
    return km21_recursive.inverse_dynamics(chain_of(tree), np.array(sample, dtype=object))


@pytest.mark.parametrize("kinds", [("revolute",), ("prismatic", "helical", "revolute")])
def test_two_texts_agree_to_45_digits(kinds: tuple[str, ...], rng: np.random.Generator):
    robot = jounce.examples.random_tree(rng, 3, kinds, branching=0.0, oblique_gravity=True)
    motion = _motion(robot, ORDER, 1)
    found = reference(robot, motion, serial=True)
    with mpmath.workdps(50):
        for order, (ours, theirs) in enumerate(
            zip(found.forces[:, 0], km21(robot, motion), strict=True)
        ):
            error = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
            assert error < 1e-45 * found.scales[order], order
    assert found.disagreement is not None
    assert found.disagreement < 1e-45


def test_an_error_is_relative_to_its_order():
    robot = jounce.load("planar2r")
    found = reference(robot, _motion(robot, 1, 2), serial=True)
    assert found.disagreement is None  # too few rates for a text of second order
    for order in (0, 1):
        exact = np.array(found.forces[order], dtype=float)
        assert found.error(order, exact) < 2e-16
        assert found.error(order, exact + found.scales[order]) == pytest.approx(1.0)
        assert np.isnan(found.error(order, np.full_like(exact, np.nan)))
