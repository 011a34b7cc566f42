"""Joints of a pose: solved, or said not to be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.algebra.rigid import pose_exponential
from jounce.ik.pose_solver import _random, _unwound, goal_of, pose_error
from jounce.model.directions import DIRECTIONS
from tests.tolerances import assert_close

ROBOTS = (("puma560", "link6"), ("iiwa14", "flange"), ("panda", "flange"))


@pytest.mark.parametrize(("name", "frame"), ROBOTS)
def test_random_reachable_poses(name: str, frame: str, rng: np.random.Generator):
    robot = jounce.load(name)
    q = np.array([robot.random_configuration(rng) for _ in range(60)]).reshape(3, 20, -1)
    goals = jounce.frame_pose(robot, frame, q)[0]
    found = jounce.inverse_kinematics(robot, frame, goals)
    assert found.q.shape == q.shape
    assert found.converged.shape == found.error.shape == found.iterations.shape == (3, 20)
    assert found.converged.all()
    assert_close(jounce.frame_pose(robot, frame, found.q)[0], goals, 1e-9)
    assert (found.q >= robot.limits.lower).all()
    assert (found.q <= robot.limits.upper).all()
    again = jounce.inverse_kinematics(robot, frame, goals)
    assert (again.q == found.q).all()


def test_unreachable_is_said(rng: np.random.Generator):
    robot = jounce.load("iiwa14")
    goal = np.eye(4)
    goal[:3, 3] = [3.0, 0.0, 0.5]
    found = jounce.inverse_kinematics(robot, "flange", goal, starts=5)
    assert not found.converged
    assert found.error > 1.5
    T = jounce.frame_pose(robot, "flange", found.q)[0]
    measured = np.linalg.norm(pose_error(T, goal, "wx wy wz vx vy vz", "body"))
    assert_close(found.error, measured, 1e-12)


def test_a_solution_outside_the_limits_is_none():
    robot = jounce.load("puma560")
    q = np.array([3.0, 0.5, -0.4, 0.3, 0.9, 0.2])  # joint 1 ends at 2.79
    assert q[0] > robot.limits.upper[0]
    goal = jounce.frame_pose(robot, "link6", q)[0]
    free = jounce.inverse_kinematics(robot, "link6", goal, q + 0.01, limits=False)
    assert free.converged
    assert_close(free.q, q, 1e-8)
    within = jounce.inverse_kinematics(robot, "link6", goal, q)
    assert not within.converged or (within.q <= robot.limits.upper).all()


def test_the_nearest_solution_is_kept(rng: np.random.Generator):
    robot = jounce.load("puma560")
    q = np.array([0.1, 0.5, -0.4, 0.3, 0.9, 0.2]) + rng.normal(size=(20, 6)) * 0.1
    goals = jounce.frame_pose(robot, "link6", q)[0]
    found = jounce.inverse_kinematics(robot, "link6", goals, q + 0.02)
    assert_close(found.q, q, 1e-8)
    assert found.iterations.max() < 10


@pytest.mark.parametrize("representation", ["body", "hybrid"])
@pytest.mark.parametrize("directions", ["linear", "wx wy linear", "angular", "vx vz wy"])
def test_parts_of_a_pose(representation: str, directions: str, rng: np.random.Generator):
    robot = jounce.load("iiwa14")
    q = np.array([robot.random_configuration(rng) for _ in range(10)])
    goals = jounce.frame_pose(robot, "flange", q)[0]
    start = np.array([robot.random_configuration(rng) for _ in range(10)])
    found = jounce.inverse_kinematics(
        robot, "flange", goals, start, directions=directions, representation=representation
    )
    assert found.converged.all()
    T = jounce.frame_pose(robot, "flange", found.q)[0]
    if "linear" in directions:
        assert_close(T[:, :3, 3], goals[:, :3, 3], 1e-9)
    if directions == "wx wy linear":  # the z axes agree in the body
        axis = (..., slice(0, 3), 2) if representation == "body" else (..., 2, slice(0, 3))
        assert_close(T[axis], goals[axis], 1e-9)
    if directions == "angular":
        assert_close(T[:, :3, :3], goals[:, :3, :3], 1e-9)


def test_planar_arm_without_limits_and_positions_only():
    robot = jounce.load("planar2r")
    goal = np.eye(4)
    goal[:2, 3] = [0.7, 1.1]
    found = jounce.inverse_kinematics(robot, "tip", goal, [40.0, 0.5], directions="linear")
    assert found.converged
    assert np.abs(found.q - [40.0, 0.5]).max() <= np.pi
    assert_close(jounce.frame_pose(robot, "tip", found.q)[0, :3, 3], goal[:3, 3], 1e-9)


def test_floating_base(rng: np.random.Generator):
    robot = jounce.load("humanoid")
    q = robot.random_configuration(rng)
    goal = jounce.frame_pose(robot, "right_sole", q)[0]
    found = jounce.inverse_kinematics(robot, "right_sole", goal)
    assert found.converged
    assert_close(np.linalg.norm(found.q[3:7]), 1.0, 1e-12)


def test_empty_batch_and_half_turn():
    robot = jounce.load("iiwa14")
    assert jounce.inverse_kinematics(robot, "flange", np.zeros((0, 4, 4))).q.shape == (0, 7)
    q = np.array([0.1, 0.5, 0.2, -1.0, 0.3, 0.8, 0.1])
    goal = jounce.frame_pose(robot, "flange", q)[0]
    half = goal @ pose_exponential(np.array([0, 0, np.pi, 0, 0, 0]))
    found = jounce.inverse_kinematics(robot, "flange", half, q)  # u of the quaternion is zero
    assert found.error < 1e-10 or not found.converged
    assert found.converged


@pytest.mark.parametrize(
    ("pose", "options", "match"),
    [
        (np.eye(3), {}, "shape"),
        (2 * np.eye(4), {}, "rigid"),
        (np.diag([1.0, 1, -1, 1]), {}, "rigid"),
        (np.full((4, 4), np.nan), {}, "finite"),
        (np.eye(4), {"starts": 0}, "starts"),
        (np.eye(4), {"tolerance": 0.0}, "tolerance"),
        (np.eye(4), {"representation": "spatial"}, "representation"),
        (np.eye(4), {"q0": np.zeros(6)}, "q0"),
        (np.tile(np.eye(4), (3, 1, 1)), {"q0": np.zeros((2, 7))}, "broadcast"),
    ],
)
def test_bad_arguments(pose: Any, options: Any, match: str):
    with pytest.raises(jounce.JounceError, match=match):
        jounce.inverse_kinematics(jounce.load("iiwa14"), "flange", pose, **options)


def test_limits_of_joints_that_follow(tmp_path: Path):
    """q_h = −2 q_l + 0.5 within 0 … 1 leaves −0.25 … 0.25 of q_l."""
    file = tmp_path / "two.urdf"
    file.write_text(
        """<robot name="two"><link name="a"/><link name="b"/><link name="c"/>
        <joint name="l" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
          <limit lower="-1" upper="2" velocity="3" effort="4"/></joint>
        <joint name="h" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/>
          <limit lower="0" upper="1" velocity="3" effort="4"/>
          <mimic joint="l" multiplier="-2" offset="0.5"/></joint></robot>""",
        encoding="utf-8",
    )
    robot = jounce.load(file, strict=False)
    for q, within in ((0.2, True), (0.3, False)):
        goal = jounce.frame_pose(robot, "c", [q])[0]
        found = jounce.inverse_kinematics(robot, "c", goal)
        assert found.converged == within
        assert_close(found.q, [q if within else 0.25], 1e-9)


def test_limits_that_leave_nothing():
    b = jounce.RobotBuilder("pair")
    b.add("a", joint=jounce.joints.revolute((0, 0, 1)), joint_name="own",
          limits=jounce.Limits(0.0, 1.0))  # fmt: skip
    b.add("b", "a", jounce.joints.prismatic((1, 0, 0)), mimic=("own", 1.0, 0.0),
          limits=jounce.Limits(2.0, 3.0))  # fmt: skip
    robot = b.build()
    goal = jounce.frame_pose(robot, "b", [1.0])[0]
    with pytest.raises(jounce.ModelError, match="'own' and of 'b', which follows it, leave no"):
        jounce.inverse_kinematics(robot, "b", goal)
    assert jounce.inverse_kinematics(robot, "b", goal, [0.9], limits=False).converged


def continuous_arm() -> jounce.Robot:
    """A slide, then two hinges without limits, one of them continuous by name, and a universal."""
    b = jounce.RobotBuilder("endless")
    matter = jounce.Inertia(1.0, (0.1, 0.0, 0.0), 0.1 * np.eye(3))
    ahead = np.eye(4)
    ahead[0, 3] = 0.5
    axes = (0, 0, 1), (0, 1, 0), (0, 0, 1)
    hinge = jounce.joints
    kinds = (
        hinge.prismatic(axes[0]),
        hinge.continuous(axes[0]),
        hinge.continuous(axes[1]),
        hinge.revolute(axes[2]),
        hinge.universal(axes[1], axes[0]),
    )
    parent = None
    for i, kind in enumerate(kinds):
        b.add(f"link{i}", parent=parent, joint=kind, placement=ahead, inertia=matter)
        parent = f"link{i}"
    b.frame("tip", parent, ahead)
    return b.build()


def test_continuous_joints_are_unwound(rng: np.random.Generator):
    robot = continuous_arm()
    q = rng.uniform(-1.0, 1.0, (40, robot.nq))
    goals = jounce.frame_pose(robot, "tip", q)[0]
    found = jounce.inverse_kinematics(robot, "tip", goals)
    assert found.converged.all()
    assert np.abs(found.q[:, 1:]).max() <= np.pi
    start = np.full(robot.nq, 30.0)
    start[0] = 0.0
    near = jounce.inverse_kinematics(robot, "tip", goals, start)
    assert near.converged.all()
    assert np.abs(near.q - start)[:, 1:].max() <= np.pi + 1e-12


def test_a_leader_keeps_its_turns(tmp_path: Path):
    """A whole turn of a hinge turns the one that follows it by a tenth: no solution any more."""
    joint = """<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/>
        <origin xyz="0.5 0 0"/><axis xyz="0 0 1"/>{3}</joint>"""
    matter = """<inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>"""
    follows = '<mimic joint="first" multiplier="0.1"/>'
    links = "".join(f'<link name="{name}">{matter}</link>' for name in ("base", "upper", "lower"))
    path = tmp_path / "follower.urdf"
    joints = joint.format("first", "base", "upper", "")
    joints += joint.format("second", "upper", "lower", follows)
    path.write_text(f'<robot name="follower">{links}{joints}</robot>', encoding="utf-8")
    robot = jounce.load(path)
    goal = goal_of(robot, "lower", list(DIRECTIONS), "body", True, 1e-10)
    assert _unwound(goal, np.array([[4.0]]), None) == 4.0
    free = jounce.load(path, mimic=False)
    goal = goal_of(free, "lower", list(DIRECTIONS), "body", True, 1e-10)
    assert_close(_unwound(goal, np.array([[4.0, 4.0]]), None), [[4.0 - 2 * np.pi] * 2], 1e-12)


def test_starts_of_slides_are_within_a_metre(rng: np.random.Generator):
    robot = continuous_arm()
    goal = goal_of(robot, "tip", list(DIRECTIONS), "body", True, 1e-10)
    q = _random(goal, (1000,), rng)
    low, high = np.abs(q).min(axis=0), np.abs(q).max(axis=0)
    assert high[0] <= 1.0 < 2.9 < high[1:].min()
    assert low.max() < 0.1


def test_counts_may_come_from_numpy():
    robot = jounce.load("planar2r")
    goal = jounce.frame_pose(robot, "tip", [0.1, 0.5])[0]
    counts: Any = {"starts": np.int64(3), "iterations": np.int32(25)}
    assert jounce.inverse_kinematics(robot, "tip", goal, **counts).converged
    for wrong in (1.5, True, 0):
        with pytest.raises(jounce.errors.ArgumentError, match="starts must be an integer ≥ 1"):
            jounce.inverse_kinematics(robot, "tip", goal, starts=wrong)
