"""Joint motions along a path: on it, smooth, and ended where they must."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.ik import JointPath, PathError, PoseSpline, ScrewMotions, follow
from jounce.trajectory import read_motion, write_table
from tests.tolerances import EXACT, assert_close

PUMA = np.array([0.1, 0.5, -0.4, 0.3, 0.9, 0.2])
IIWA = np.array([0.1, 0.5, 0.2, -1.0, 0.3, 0.8, 0.1])


def path_of(kind: Any, robot: Any, frame: str, q: np.ndarray) -> Any:
    return kind(np.linspace(0, 2, len(q)), jounce.frame_pose(robot, frame, q)[0])


@pytest.mark.parametrize("kind", [PoseSpline, ScrewMotions])
@pytest.mark.parametrize(
    ("name", "frame", "q0"), [("puma560", "link6", PUMA), ("iiwa14", "flange", IIWA)]
)
def test_the_frame_moves_along_the_path(kind: Any, name: str, frame: str, q0: np.ndarray):
    robot = jounce.load(name)
    shift = np.linspace(0.1, -0.3, robot.nv)
    path = path_of(kind, robot, frame, np.array([q0, q0 + shift, q0 - shift]))
    times = np.linspace(0, 2, 21)
    calls: list[int] = []
    motion = follow(robot, frame, path, times, q0, progress=lambda: calls.append(1))
    assert len(calls) == 21
    poses, V = path(times)
    assert_close(jounce.frame_pose(robot, frame, motion.q)[0], poses, 1e-9)
    got = jounce.frame_twist(robot, frame, motion.q, *motion.rates)
    for k in range(4):
        assert_close(got[k], V[k], 1e-9)
    assert_close(motion.q[0], q0, 1e-8)
    table = motion.table(robot)
    assert table.values.shape == (5, 21, robot.nv)
    assert table.names == tuple(joint.name for joint in robot.joints)
    # the rates belong to this q(t): Hermite interpolation over a step of the samples
    h = times[1] - times[0]
    q, v, a = motion.q, motion.rates[0], motion.rates[1]
    step = h / 2 * (v[1:] + v[:-1]) - h * h / 12 * (a[1:] - a[:-1])
    assert_close(np.diff(q, axis=0), step, 2e-3)


def test_coarse_samples_give_the_same_motion():
    robot = jounce.load("iiwa14")
    path = path_of(PoseSpline, robot, "flange", np.array([IIWA, IIWA + 0.4]))
    fine = follow(robot, "flange", path, np.linspace(0, 2, 201), IIWA)
    coarse = follow(robot, "flange", path, np.linspace(0, 2, 5), IIWA)
    assert_close(coarse.q, fine.q[::50], 1e-5)


def test_a_straight_arm_is_the_end():
    robot = jounce.load("puma560")
    start = jounce.frame_pose(robot, "link6", PUMA)[0]
    end = start.copy()
    end[0, 3] += 2.0
    path = PoseSpline([0, 1], [start, end])
    with pytest.raises(PathError, match=r"ends at t = .*condition number") as caught:
        follow(robot, "link6", path, np.linspace(0, 1, 11), PUMA, limits=False)
    error = caught.value
    assert 0.0 < error.time < 1.0
    assert error.condition > 1e5
    assert copy.copy(error).time == error.time  # by __reduce__, as pickle does


def test_a_limit_is_the_end():
    robot = jounce.load("puma560")
    out = PUMA.copy()
    out[0] = 3.0  # the limit is 2.79
    path = path_of(PoseSpline, robot, "link6", np.linspace(PUMA, out, 6))
    with pytest.raises(PathError, match="limit of joint 'joint1'") as caught:
        follow(robot, "link6", path, np.linspace(0, 2, 41), PUMA)
    assert caught.value.q[0] > robot.limits.upper[0]
    assert follow(robot, "link6", path, [0.0, 2.0], PUMA, limits=False).q[-1, 0] > 2.9


def test_a_velocity_limit_is_the_end():
    robot = jounce.load("iiwa14")
    path = path_of(ScrewMotions, robot, "flange", np.array([IIWA, IIWA + 0.4]))
    times = np.linspace(0, 2, 21)
    slow = follow(robot, "flange", path, times, IIWA)
    fast = ScrewMotions(path.times / 8, path.poses)
    with pytest.raises(PathError, match=r"condition number .* velocity limit is .* more time") as e:
        follow(robot, "flange", fast, times / 8, IIWA)
    is_too_fast = (8 * np.abs(slow.rates[0]) > robot.limits.velocity).any(axis=1)
    assert e.value.time == times[np.argmax(is_too_fast)] / 8 > 0.0
    assert e.value.condition == pytest.approx(slow.condition[np.argmax(is_too_fast)])
    free = follow(robot, "flange", fast, times / 8, IIWA, velocity_limits=False)
    assert_close(free.rates[0], 8 * slow.rates[0], 1e-6)


def test_a_path_out_of_reach_cannot_begin():
    far = np.eye(4)
    far[0, 3] = 9.0
    with pytest.raises(PathError, match="cannot begin"):
        follow(jounce.load("puma560"), "link6", ScrewMotions([0, 1], [far, far]), [0.0, 1.0])


@pytest.mark.parametrize("times", [[], [0.0, 0.0], [0.0, 3.0], [[0.0]]])
def test_bad_times(times: Any):
    robot = jounce.load("puma560")
    path = path_of(PoseSpline, robot, "link6", np.array([PUMA, PUMA + 0.1]))
    with pytest.raises((jounce.errors.ArgumentError, jounce.ShapeError), match="times"):
        follow(robot, "link6", path, times)


def test_tables_of_robots_with_quaternions(tmp_path: Path):
    robot = jounce.load("humanoid")
    path = path_of(ScrewMotions, robot, "head", np.array([robot.neutral, robot.neutral]))
    motion = follow(robot, "head", path, [0.0, 1.0], robot.neutral)
    assert motion.q.shape == (2, robot.nq)
    write_table(tmp_path / "path.csv", motion.table(robot))
    q, *rates = read_motion(tmp_path / "path.csv", robot).motion
    assert_close(q, motion.q, EXACT)
    assert_close(np.array(rates), motion.rates, EXACT)


def test_coordinates_of_one_joint_have_names_of_their_own(tmp_path: Path):
    builder = jounce.RobotBuilder("piston")
    builder.add("rod", joint=jounce.joints.cylindrical((0, 0, 1)), joint_name="slide")
    robot = builder.build(strict=False)
    motion = JointPath(np.arange(3.0), np.zeros((3, 2)), np.zeros((4, 3, 2)), np.ones(3))
    table = motion.table(robot)
    assert table.names == ("slide[0]", "slide[1]")
    write_table(tmp_path / "motion.csv", table)
    assert read_motion(tmp_path / "motion.csv").names == table.names
