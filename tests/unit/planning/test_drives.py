"""Motors behind springs keep their limits along the fastest motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import jounce
from jounce.elastic import SeriesElastic
from jounce.errors import ArgumentError, InfeasibleError, ModelError
from jounce.planning import time_optimal
from jounce.planning.constraints import constraints_at
from jounce.planning.curve import Curve, composed, path_motion
from jounce.planning.drives import Drives
from jounce.planning.limits_along import LimitsAlong
from jounce.trajectory import MotionLimits
from tests.tolerances import INDEPENDENT, assert_close
from tests.unit.planning.test_planner import limits_of

POINTS = [[0.0, 0.5], [1.0, 1.0], [1.5, 0.2]]


def rubbing(damping: float) -> jounce.Robot:
    """Return the planar arm with viscous friction."""
    arm = jounce.load("planar2r")
    joints = tuple(replace(joint, damping=(damping,)) for joint in arm.joints)
    return replace(arm, joints=joints)


def drives_of(stiffness=(400.0, 300.0), damping: float = 0.0) -> SeriesElastic:
    return SeriesElastic(rubbing(damping), stiffness, (0.4, 0.2), gear_ratio=(1.0, -3.0))


@pytest.mark.parametrize("damping", [0.0, 2.0])
@pytest.mark.parametrize("stiffness", [(400.0, 300.0), (np.inf, 300.0)])
def test_rows_are_what_the_feedforward_says(rng, stiffness, damping: float):
    """At any b and four derivatives of it."""
    elastic = drives_of(stiffness, damping=damping)
    robot = elastic.links
    curve = Curve(robot, path_motion(robot, POINTS), 5, (True, True))
    limits = limits_of(elastic.robot, velocity=3.0)
    drives = Drives.of(
        elastic, motor_torque=[30.0, 8.0], motor_speed=[4.0, 6.0], motor_torque_rate=[90.0, 70.0]
    )
    u, unit = np.linspace(0.05, 0.95, 7), 1.7
    along = LimitsAlong(robot, limits, drives.bounds)
    rows = constraints_at(curve, along, drives.forces, u, unit, features=5, drives=drives)
    f = np.concatenate([rng.uniform(0.5, 2.0, (7, 1)), rng.normal(size=(7, 4))], axis=1)
    G, dG = rows(f)
    b, b1, b2, b3, b4 = unit * f.T
    root = np.sqrt(b)
    inner = [root, b1 / 2, b2 * root / 2, (b3 * b + b2 * b1 / 2) / 2,
             root * (b4 * b + 1.5 * b3 * b1 + b2 * b2 / 2) / 2]  # fmt: skip
    motion = composed(curve(u, 5), np.array(inner))
    torque, torque_rate = elastic.torques(*motion)
    odd = np.sqrt(b / unit)[:, None]
    wanted = {
        "motor_torque": (torque, [30.0, 8.0], 1.0),
        "motor_speed": (elastic.feedforward(*motion[:5]).theta1, [4.0, 6.0], odd),
        "motor_torque_rate": (torque_rate, [90.0, 70.0], odd),
    }
    for name, (values, bound, divided) in wanted.items():
        own = [i for i, label in enumerate(rows.labels) if label.quantity == name]
        sign = np.sign(elastic.gear_ratio)  # rows are those of the joint side
        beyond = np.concatenate([sign * values / bound - 1.0, -sign * values / bound - 1.0], axis=1)
        assert_close(G[:, own] * divided, beyond, INDEPENDENT)
    for k in range(5):
        h = 1e-6 * np.eye(5)[k]
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
    with pytest.raises(InfeasibleError, match=r"'joint1' .* its motor torque limit"):
        time_optimal(elastic, POINTS, limits, motor_torque=0.5)
    with pytest.raises(ArgumentError, match="its driven"):
        time_optimal(elastic, POINTS, limits, actuated="joint1")
    with pytest.raises(ModelError, match="limit motor_speed must be numbers ≥ 0"):
        time_optimal(elastic, POINTS, limits, motor_speed=-1.0)
    with pytest.raises(ModelError, match="limit motor_speed must be numbers ≥ 0"):
        time_optimal(elastic, POINTS, limits, motor_speed={0.0: 2.0, 1.0: -1.0})
    with pytest.raises(ArgumentError, match="by joints or by parameters of the path"):
        time_optimal(elastic, POINTS, limits, motor_speed={0.0: 2.0, "joint1": 1.0})
    with pytest.raises(ArgumentError, match="limited at some places of the path and not at others"):
        time_optimal(elastic, POINTS, limits, motor_speed={0.0: 2.0, 1.0: {"joint1": 1.0}})


@pytest.mark.parametrize("damping", [0.0, 2.0])
def test_rates_of_motor_torques_keep_their_limits(damping: float):
    """Also with friction, and with limits of the links that change along the path."""
    elastic = drives_of(damping=damping)
    fast, slow = (limits_of(elastic.robot, velocity=v) for v in (4.0, 0.8))
    along = {0.0: fast, 0.6: fast, 0.8: slow}
    free = time_optimal(elastic, POINTS, along, motor_torque=[90.0, 12.0])
    rates = np.array([900.0, 120.0])
    motion = time_optimal(
        elastic, POINTS, along, motor_torque=[90.0, 12.0], motor_torque_rate=rates
    )
    assert free.duration < motion.duration < 1.5 * free.duration
    t = np.linspace(0.0, motion.duration, 100_001)
    found = motion(t, order=5)
    torque, torque_rate = elastic.torques(*found)
    assert (np.abs(torque) / [90.0, 12.0]).max() <= 1.0 + 1e-9
    assert 0.98 < (np.abs(torque_rate) / rates).max() <= 1.0 + 1e-9
    bound = np.interp(motion.path_parameter(t)[0], [0.6, 0.8], [4.0, 0.8])
    assert (np.abs(found[1]).max(axis=1) / bound).max() <= 1.0 + 1e-9
    assert motion.limits.ok
    assert {row.quantity for row in motion.limits.rows} >= {"velocity", "motor_torque_rate"}
    assert np.abs(torque_rate[[0, -1]]).max() < 1e-5 * rates.min()  # no jump at the ends


def test_limits_of_motors_that_change_along_the_path():
    elastic = drives_of()
    limits = limits_of(elastic.robot, velocity=4.0)
    strong, weak, places = np.array([90.0, 12.0]), np.array([50.0, 9.0]), [0.0, 0.4, 0.7]
    motion = time_optimal(
        elastic,
        POINTS,
        limits,
        motor_torque=dict(zip(places, (strong, strong, weak), strict=True)),
        motor_speed={0.3: {"joint2": 9.0}, 0.6: {"joint2": 3.0}},
    )
    t = np.linspace(0.0, motion.duration, 100_001)
    found, at = elastic.feedforward(*motion(t, order=4)), motion.path_parameter(t)[0]
    torques = [np.interp(at, places, x) for x in zip(strong, strong, weak, strict=True)]
    use = np.abs(found.torque) / np.transpose(torques)
    assert 0.99 < use.max() <= 1.0 + 1e-9
    speed = np.abs(found.theta1[:, 1]) / np.interp(at, [0.3, 0.6], [9.0, 3.0])
    assert speed.max() <= 1.0 + 1e-9
    assert motion.limits.ok
    rows = {(row.quantity, row.joint): row for row in motion.limits.rows}
    for k, name in enumerate(("joint1", "joint2")):
        row = rows["motor_torque", name]
        bound = np.interp(
            motion.path_parameter(row.time)[0], places, [strong[k], strong[k], weak[k]]
        )
        assert_close(abs(row.bound), bound, INDEPENDENT)
        assert_close(row.margin, bound - abs(row.value), 1e-9, scale=bound)
    tight, loose = (
        time_optimal(elastic, POINTS, limits, motor_torque=x, motor_speed={"joint2": v}).duration
        for x, v in ((weak, 3.0), (strong, 9.0))
    )
    assert loose < motion.duration < tight


def test_limits_of_the_robot_are_the_default():
    elastic = SeriesElastic(jounce.load("panda"), 4000.0, 0.5)
    low, high = elastic.robot.limits.lower, elastic.robot.limits.upper
    points = low + (high - low) * np.array([[0.4], [0.55], [0.5]])
    motion = time_optimal(elastic, points)
    assert motion.limits.ok
    assert "effort_rate" in {row.quantity for row in motion.limits.rows}
    assert np.isfinite(MotionLimits.of(elastic.robot).effort_rate).all()
