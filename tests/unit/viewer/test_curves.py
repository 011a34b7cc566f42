"""The curves of the viewer: what they are, and that drawing them loses no peak."""

from __future__ import annotations

import numpy as np

import jounce
from jounce.limits.limits import MotionLimits
from jounce.report import default_motion
from jounce.viewer.curves import POINTS, Curves, limit_use, motion_curves, rest_curves
from tests.tolerances import INDEPENDENT, assert_close


def test_use_of_limits_is_that_of_check_limits():
    robot = jounce.load("panda")
    time = np.linspace(0.0, 5.0, 301)
    motion = default_motion(robot, time, 3)
    limits = MotionLimits.of(robot, effort_rate=150.0, lower=None)
    use = motion_curves(robot, limits, time, motion)[-1].values
    table = jounce.trajectory.MotionTable(time, limits.names, np.array(motion))
    report = jounce.trajectory.check_limits(robot, table, limits)
    for k, name in enumerate(limits.names):
        worst = max(row.use for row in report.rows if row.joint == name)
        np.testing.assert_allclose(use[:, k].max(), worst, rtol=1e-12)


def test_without_limits_none_is_used():
    robot = jounce.load("planar2r")
    motion = [np.ones((3, 2))] * 3
    assert np.all(limit_use(robot, MotionLimits.of(robot), motion, np.ones((1, 3, 2))) == 0.0)


def test_at_rest_gravity_is_held_and_limits_are_used():
    robot = jounce.load("panda")
    q = np.random.default_rng(1).uniform(-2.0, 0.0, (5, robot.nq))
    wanted = jounce.inverse_dynamics(robot, q, 0.0 * q, 0.0 * q)[0]
    limits = MotionLimits.of(robot, effort=20.0)
    holding, use = rest_curves(robot, limits, np.arange(5.0), q)
    assert_close(holding.values, wanted, INDEPENDENT)
    middle, half = 0.5 * (limits.upper + limits.lower), 0.5 * (limits.upper - limits.lower)
    shares = np.abs(wanted) / 20.0, np.abs(q - middle) / half
    assert np.any(shares[0] > 1.0)
    assert_close(use.values, np.maximum(*shares), INDEPENDENT)


def test_a_bound_is_a_line_of_its_own():
    x, values = np.linspace(0.0, 1.0, 11), np.zeros((11, 1))
    *_, bound = Curves("", x, values, bound=1.0).drawn(0.5)
    assert bound.tolist() == [1.0] * 14


def test_long_curves_keep_their_peaks():
    x = np.linspace(0.0, 1.0, 100_003)
    values = np.random.default_rng(2).normal(size=(len(x), 2))
    values[54_321, 1] = 99.0
    drawn_x, first, second, line = Curves("", x, values).drawn(0.25)
    assert len(drawn_x) <= POINTS + 3
    assert np.all(np.diff(drawn_x) >= 0.0)
    assert second.max() == 99.0
    assert (first.min(), first.max()) == (values[:, 0].min(), values[:, 0].max())
    assert drawn_x[np.argmax(line)] == 0.25
    assert np.count_nonzero(line != line.min()) == 1
