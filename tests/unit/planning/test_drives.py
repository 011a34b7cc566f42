"""Motors behind springs keep their limits along the fastest motion."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.elastic import SeriesElastic
from jounce.errors import ArgumentError, InfeasibleError, UnsupportedError
from jounce.planning import time_optimal
from jounce.planning.constraints import constraints_at
from jounce.planning.curve import Curve, composed, path_motion
from jounce.planning.drives import Drives
from jounce.planning.limits_along import LimitsAlong
from jounce.trajectory import MotionLimits
from tests.tolerances import INDEPENDENT, assert_close
from tests.unit.planning.test_planner import cart, limits_of

POINTS = [[0.0, 0.5], [1.0, 1.0], [1.5, 0.2]]


def drives_of(stiffness=(400.0, 300.0), gear=(1.0, -3.0)) -> SeriesElastic:
    return SeriesElastic(jounce.load("planar2r"), stiffness, (0.4, 0.2), gear_ratio=gear)


def test_rows_are_what_the_feedforward_says(rng):
    """At any b and three derivatives of it."""
    for stiffness in ((400.0, 300.0), (np.inf, 300.0)):
        elastic = drives_of(stiffness)
        robot = elastic.links
        curve = Curve(robot, path_motion(robot, POINTS), 4, (True, True))
        limits = limits_of(elastic.robot, velocity=3.0)
        drives = Drives.of(elastic, [30.0, 8.0], [4.0, 6.0])
        u, unit = np.linspace(0.05, 0.95, 7), 1.7
        rows = constraints_at(curve, LimitsAlong(robot, limits), u, unit, rates=True, drives=drives)
        f = np.concatenate([rng.uniform(0.5, 2.0, (7, 1)), rng.normal(size=(7, 3))], axis=1)
        G, dG = rows(f)
        b, b1, b2, b3 = unit * f.T
        inner = [np.sqrt(b), 0.5 * b1, 0.5 * b2 * np.sqrt(b), 0.5 * (b3 * b + 0.5 * b2 * b1)]
        feedforward = elastic.feedforward(*composed(curve(u, 4), np.array(inner)))
        wanted = {
            "motor_torque": (feedforward.torque, [30.0, 8.0], 1.0),
            "motor_speed": (feedforward.theta1, [4.0, 6.0], np.sqrt(b / unit)[:, None]),
        }
        for name, (values, bound, divided) in wanted.items():
            own = [i for i, label in enumerate(rows.labels) if label.quantity == name]
            sign = np.sign(elastic.gear_ratio)  # rows are those of the joint side
            beyond = np.concatenate(
                [sign * values / bound - 1.0, -sign * values / bound - 1.0], axis=1
            )
            assert_close(G[:, own] * divided, beyond, INDEPENDENT)
        for k in range(4):
            h = 1e-6 * np.eye(4)[k]
            numeric = (rows(f + h)[0] - rows(f - h)[0]) / 2e-6
            assert_close(dG[..., k], numeric, 1e-7, scale=np.abs(dG).max())


@pytest.mark.parametrize("stiffness", [(400.0, 300.0), (np.inf, 300.0)])
def test_motors_keep_their_limits_everywhere(stiffness):
    elastic = drives_of(stiffness)
    limits = limits_of(elastic.robot, velocity=4.0, effort=[90.0, 40.0])
    free = time_optimal(elastic, POINTS, limits)
    bounds = {"motor_torque": [70.0, 9.0], "motor_speed": {"joint1": 2.5}}
    motion = time_optimal(elastic, POINTS, limits, **bounds)
    assert motion.duration > free.duration
    assert_close(free.lower_bound, motion.lower_bound, 1e-3)
    found = elastic.feedforward(*motion(np.linspace(0.0, motion.duration, 100_001), order=4))
    assert (np.abs(found.torque) / [70.0, 9.0]).max() <= 1.0 + 1e-9
    assert np.abs(found.theta1[:, 0]).max() <= 2.5 * (1.0 + 1e-9)
    assert (np.abs(found.spring_torque)[:, 1] / 40.0).max() <= 1.0 + 1e-9
    rows = {(row.quantity, row.joint): row for row in motion.limits.rows}
    assert motion.limits.ok
    for k, name in enumerate(("joint1", "joint2")):
        assert_close(abs(rows["motor_torque", name].value), np.abs(found.torque[:, k]).max(), 1e-6)
    assert ("motor_speed", "joint2") not in rows
    assert {row.quantity for row in motion.binding} & {"motor_torque", "motor_speed"}
    ends = elastic.feedforward(*motion([0.0, motion.duration], order=4))
    still = jounce.gravity_forces(elastic.robot, np.array(POINTS)[[0, -1]])[0] / elastic.gear_ratio
    assert_close(ends.torque, still, 1e-6)


def test_stiffer_springs_are_rigid_in_the_end():
    arm = jounce.load("planar2r")
    limits = limits_of(arm, velocity=4.0)
    stiff = SeriesElastic(arm, 1e7, (0.4, 0.2))
    rigid = SeriesElastic(arm, np.inf, (0.4, 0.2))
    durations = [time_optimal(x, POINTS, limits, motor_torque=[70.0, 25.0]).duration
                 for x in (stiff, rigid)]  # fmt: skip
    assert_close(durations[0], durations[1], 2e-3)


def test_what_drives_do_not_allow_is_told():
    elastic, arm = drives_of(), jounce.load("planar2r")
    limits = limits_of(arm, velocity=4.0)
    with pytest.raises(ArgumentError, match="limits of motors are for a SeriesElastic"):
        time_optimal(arm, POINTS, limits, motor_torque=3.0)
    with pytest.raises(InfeasibleError, match=r"'joint1' .* motor_torque limit"):
        time_optimal(elastic, POINTS, limits, motor_torque=0.5)
    with pytest.raises(UnsupportedError, match="without springs"):
        time_optimal(elastic, POINTS, {0.0: limits, 1.0: limits})
    rubbed = SeriesElastic(cart(2.0), 100.0, 0.5)
    with pytest.raises(UnsupportedError, match="without viscous friction"):
        time_optimal(rubbed, [[0.0], [1.0]], limits_of(cart(2.0), velocity=1.0), motor_torque=9.0)


def test_limits_of_the_robot_are_the_default():
    elastic = SeriesElastic(jounce.load("panda"), 4000.0, 0.5)
    low, high = elastic.robot.limits.lower, elastic.robot.limits.upper
    points = low + (high - low) * np.array([[0.4], [0.55], [0.5]])
    motion = time_optimal(elastic, points)
    assert motion.limits.ok
    assert "effort_rate" in {row.quantity for row in motion.limits.rows}
    assert np.isfinite(MotionLimits.of(elastic.robot).effort_rate).all()
