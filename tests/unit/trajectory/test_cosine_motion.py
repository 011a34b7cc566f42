"""The papers' cosine motion is the one of the authors' programs."""

from __future__ import annotations

from math import nan

import mpmath
import numpy as np
import pytest

from jounce.errors import NotFiniteError, ShapeError
from jounce.trajectory import Trajectory, cosine, papers_motion
from tests import oracle_data
from tests.tolerances import EXACT, ROUNDOFF, assert_close, assert_orders_close

ORACLE = ROUNDOFF / 10  # the file holds the motion itself, so nothing but roundings differ


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
    with pytest.raises(ShapeError, match="n must be an integer ≥ 1"):
        papers_motion(n)


@pytest.mark.parametrize(
    ("speeds", "periods", "error", "message"),
    [
        ([1.0], [1.0, 2.0], ShapeError, r"same shape \(n,\), got \(1,\) and \(2,\)"),
        (1.0, 1.0, ShapeError, "same shape"),
        ([1.0], [0.0], ShapeError, "periods must be positive"),
        ([1.0], [nan], NotFiniteError, "periods"),
        ([nan], [1.0], NotFiniteError, "is nan"),
    ],
)
def test_bad_speeds_and_periods_are_refused(speeds, periods, error, message: str):
    with pytest.raises(error, match=message):
        cosine(speeds, periods)
