"""The motion of a robot that came without one."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce import joints
from jounce.report import default_motion
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close

TIME = np.linspace(0.0, 10.0, 501)


def test_the_panda_keeps_all_its_limits():
    panda = jounce.load("panda")
    motion, limits = default_motion(panda, TIME), panda.limits
    assert [x.shape for x in motion] == [(501, 7)] * 5
    assert (limits.lower < motion[0]).all()
    assert (motion[0] < limits.upper).all()
    bounds = (limits.velocity, limits.acceleration, limits.jerk)
    for values, bound in zip(motion[1:], bounds, strict=False):
        assert (np.abs(values) < bound).all()
    Q, Q1, _ = jounce.inverse_dynamics(panda, *motion)
    assert (np.abs(Q) < limits.effort).all()
    assert (np.abs(Q1) < limits.effort_rate).all()
    assert (np.ptp(motion[0], axis=0) > 0.1).all(), "every joint moves"


def test_without_limits_it_is_the_motion_of_the_papers():
    arm = jounce.load("planar2r")
    assert_close(default_motion(arm, TIME), jounce.trajectory.papers_motion(2)(TIME), ROUNDOFF)


def test_too_weak_joints_only_slow_it_down():
    builder = jounce.RobotBuilder("weak")
    heavy = jounce.Inertia(10.0, [1.0, 0.0, 0.0], np.eye(3))
    limits = jounce.Limits(effort=1.0)
    builder.add("link", joint=joints.revolute([0, 1, 0]), inertia=heavy, limits=limits)
    q, v, *_ = default_motion(builder.build(), TIME)
    assert np.isfinite(q).all()
    assert 0.0 < np.abs(v).max() < 2.21


@pytest.mark.parametrize(("lower", "upper"), [(0.5, None), (None, -0.5), (0.5, 0.5)])
def test_odd_ranges(lower: float | None, upper: float | None):
    builder = jounce.RobotBuilder("slider")
    limits = jounce.Limits(lower=lower, upper=upper)
    inertia = jounce.Inertia(1.0, [0, 0, 0], np.eye(3))
    builder.add("link", joint=joints.prismatic([0, 0, 1]), inertia=inertia, limits=limits)
    q = default_motion(builder.build(), TIME)[0]
    assert lower is None or q.min() >= lower
    assert upper is None or q.max() <= upper
    assert (np.ptp(q) > 0.1) == (lower != upper)


def test_balls_turn_and_floating_bodies_stay():
    """x from the middle to q has one direction for good, so x' is the angular velocity."""
    builder = jounce.RobotBuilder("ball")
    inertia = jounce.Inertia(1.0, [0.1, 0, 0], np.eye(3))
    builder.add("body", joint=joints.free(), inertia=inertia)
    builder.add("link", "body", joint=joints.spherical(), inertia=inertia)
    robot = builder.build()
    q, *rates = default_motion(robot, TIME)
    assert np.array_equal(q[:, :7], np.tile(robot.neutral[:7], (501, 1)))
    assert not np.any([rate[:, :6] for rate in rates])
    x = jounce.difference(robot, robot.neutral, q)[:, 6:]
    assert np.ptp(x) > 0.8
    omega = 2.0 * np.pi / 1.06  # of the seventh velocity, where the ball begins
    for rate in rates:
        assert_close(np.cross(x, rate[:, 6:]), np.zeros((501, 3)), INDEPENDENT, scale=100.0)
    assert_close(rates[1][:, 6:], -(omega**2) * x, INDEPENDENT)
    assert_close(
        rates[0][:, 6:] ** 2 + (omega * x) ** 2, _constant(rates[0][:, 6:], x, omega), INDEPENDENT
    )


def _constant(v: np.ndarray, x: np.ndarray, omega: float) -> np.ndarray:
    """A cosine keeps v² + (ω x)²."""
    return np.broadcast_to(v[0] ** 2 + (omega * x[0]) ** 2, v.shape)
