"""Loads that vary in a simulation, on a tree of every joint kind, against 50 digits.

A motion is chosen, and how a load varies along it; Kane's equations at 50 digits say which forces
the joints need.  Simulated under these forces and that load, the motion must come back.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.simulation import taylor
from tests.fifty_digits import Referee, every_joint
from tests.tolerances import assert_close

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("interpreted")]
INVERTED = 1e-9  # of scale: the mass matrix is inverted
ROBOT = every_joint(follower=True)
RNG = np.random.default_rng(21)
Q, RATES = ROBOT.random_configuration(RNG), RNG.normal(size=(6, ROBOT.nv))
ORDERS = 5  # of the forces


class Polynomial:
    """A function of time from its derivatives at zero, as `taylor` takes it."""

    def __init__(self, derivatives: np.ndarray) -> None:
        self.rows = derivatives

    def __call__(self, t: float, order: int = 0) -> np.ndarray:
        found = []
        for k in range(order + 1):
            terms = [row * t**i / factorial(i) for i, row in enumerate(self.rows[k:])]
            found.append(np.sum(terms, axis=0) if terms else np.zeros(self.rows.shape[1]))
        return np.array(found)


@pytest.fixture(scope="module")
def referee() -> Referee:
    return Referee(ROBOT, Q, *RATES)


def check(referee: Referee, along: np.ndarray, load: Any) -> None:
    """``along`` are the derivatives of the wrench along the motion, ``load`` what is simulated."""
    forces = referee.forces({"tool": along})
    step = 1e-3
    found = taylor(
        ROBOT, (Q, RATES[0]), Polynomial(forces), (0, step), order=6, step=step,
        wrenches={"tool": load},
    )  # fmt: skip
    series = found.series[0]["v"]
    for k, rate in enumerate(RATES[: ORDERS + 1]):
        assert_close(series[k] * factorial(k), rate, INVERTED, what=f"order {k}")
    without = referee.forces()
    assert all(np.abs(forces[k] - without[k]).max() > 0.01 for k in range(ORDERS))


@pytest.mark.parametrize("form", ["function", "trajectory"])
def test_a_function_of_time(referee: Referee, form: str) -> None:
    rows = np.random.default_rng(3).normal(size=(ORDERS, 6))
    load = Polynomial(rows)
    if form == "trajectory":
        push = jounce.trajectory.Fourier(*np.random.default_rng(4).normal(size=(2, 2, 6)), 0.9)
        load, rows = push, push(0.0, order=ORDERS - 1)
    check(referee, rows, load)


def test_a_function_of_time_and_state_on_jets(referee: Referee) -> None:
    """W_k = c_k v_k + d_k v_6 v_7 + e_k t²: its derivatives along the motion follow Leibniz."""
    c, d, e = np.random.default_rng(5).normal(size=(3, 6))
    one, two = 6, 7  # velocities behind the free joint

    def load(t: Any, q: Sequence[Any], v: Sequence[Any]) -> list[Any]:
        return [v[k] * c[k] + v[one] * v[two] * d[k] + t * t * e[k] for k in range(6)]

    rows = []
    for n in range(ORDERS):
        both = sum(
            factorial(n) / factorial(k) / factorial(n - k) * RATES[k, one] * RATES[n - k, two]
            for k in range(n + 1)
        )
        rows.append(c * RATES[n, :6] + d * both + e * (2.0 if n == 2 else 0.0))
    check(referee, np.array(rows), load)
