"""The limits of coordinates, with those of the joints that follow them."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from jounce.errors import ModelError
from jounce.model import joints
from jounce.model.builder import RobotBuilder
from jounce.model.inertia import Inertia
from jounce.model.records import Limits
from jounce.model.robot import Robot
from tests.tolerances import EXACT, assert_close

BALL = Inertia(1.0, (0, 0, 0), 0.1 * np.eye(3))


def pair(multiplier: float, offset: float, own: Limits, follower: Limits) -> Robot:
    """Return a joint that carries a follower, after one that mimics it and a ball."""
    b = RobotBuilder("pair")
    b.add("first", None, joints.prismatic((1, 0, 0)), inertia=BALL, mimic=("own", 1.0, 0.0))
    b.add("ball", None, joints.spherical(), inertia=BALL)
    b.add("own", None, joints.revolute((0, 0, 1)), inertia=BALL, limits=own)
    b.add("follower", "own", joints.prismatic((1, 0, 0)), inertia=BALL,
          mimic=("own", multiplier, offset), limits=follower)  # fmt: skip
    return b.build()


def test_a_joint_that_follows_bounds_its_source():
    """Within −1 … 3 the follower, 1 − 2 q, leaves −1 … 1 to q; its rates are twice those of q."""
    own = Limits(lower=-2.0, upper=2.0, velocity=3.0, effort=9.0, acceleration=1.5)
    tight = Limits(-1.0, 3.0, 1.0, effort=1.0, acceleration=4.0, jerk=8.0, effort_rate=1.0)
    limits = pair(-2.0, 1.0, own, tight).limits
    free = [-inf] * 4, [inf] * 4, [inf] * 3
    assert_close(limits.lower, [*free[0], -1.0], EXACT)
    assert_close(limits.upper, [*free[1], 1.0], EXACT)
    wanted = {"velocity": 0.5, "acceleration": 1.5, "jerk": 4.0, "effort": 9.0, "effort_rate": inf}
    for name, bound in wanted.items():
        assert_close(getattr(limits, name), [*free[2], bound], EXACT)


def test_one_that_follows_loosely_or_not_at_all_bounds_nothing():
    own = Limits(lower=-1.0, upper=2.0, velocity=3.0)
    for multiplier, follower in ((1.0, Limits()), (0.0, Limits(5.0, 6.0, 0.0, 0.0, 0.0, 0.0))):
        limits = pair(multiplier, 0.0, own, follower).limits
        assert (limits.lower[4], limits.upper[4], limits.velocity[3]) == (-1.0, 2.0, 3.0)
        assert limits.jerk[3] == inf


def test_limits_that_exclude_each_other_are_told_as_they_are():
    robot = pair(1.0, 0.0, Limits(0.0, 1.0), Limits(2.0, 3.0))
    assert (robot.limits.lower[4], robot.limits.upper[4]) == (2.0, 1.0)
    with pytest.raises(ModelError, match="'own' and of 'first', 'follower'"):
        robot.random_configuration(np.random.default_rng(0))


def test_random_configurations_leave_room_to_those_that_follow():
    robot = pair(-2.0, 1.0, Limits(-2.0, 2.0), Limits(-1.0, 3.0))
    rng = np.random.default_rng(0)
    q = np.array([robot.random_configuration(rng)[4] for _ in range(200)])
    assert -1.0 <= q.min() < -0.9
    assert 0.9 < q.max() <= 1.0


@pytest.mark.parametrize("kind", [joints.spherical, joints.free])
def test_quaternions_have_no_limits_of_position(kind):
    b = RobotBuilder("ball")
    with pytest.raises(ModelError, match="joint 'x': lower and upper must be None"):
        b.add("x", None, kind(), inertia=BALL, limits=Limits(upper=1.0))
    b.add("x", None, kind(), inertia=BALL, limits=Limits(velocity=2.0))
    assert set(b.build().limits.velocity) == {2.0}


def test_a_range_of_one_point_has_a_random_configuration():
    """The gripper of PR2: a finger from 0 to 0.548 that another follows the other way round."""
    limits = Limits(0.0, 0.548)
    robot = pair(-1.0, 0.0, limits, limits)
    assert robot.random_configuration(np.random.default_rng(0))[-1] == 0.0
