"""The texts behind the solvers: factors, and the step towards a pose."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.dynamics.factorization import orthogonalize
from jounce.ik.pose_solver import _free, goal_of
from tests.tolerances import ROUNDOFF, assert_close

pytestmark = pytest.mark.usefixtures("interpreted")


def test_factors_of_a_nearly_singular_matrix(rng: np.random.Generator):
    """Orthogonalised twice, Q is orthonormal where once would leave an error of 1e-6."""
    U, _ = np.linalg.qr(rng.normal(size=(7, 6)))
    V, _ = np.linalg.qr(rng.normal(size=(6, 6)))
    B = U @ np.diag(np.logspace(0, -10, 6)) @ V
    factors = orthogonalize(B.T.tolist())
    Q = np.array(factors.Q).T
    assert_close(Q.T @ Q, np.eye(6), ROUNDOFF)
    R = np.array([[*column, *[0.0] * (5 - k)] for k, column in enumerate(factors.R)]).T
    assert_close(Q @ R, B, ROUNDOFF)
    condition = np.linalg.cond(B)
    assert condition <= factors.condition() * (1 + 1e-5) <= 6.1 * condition
    b = rng.normal(size=6).tolist()
    assert_close(R @ factors.solve(b), b, 1e-4)
    assert_close(R.T @ factors.solve_transposed(b), b, 1e-4)


@pytest.mark.parametrize("representation", ["body", "hybrid"])
@pytest.mark.parametrize("directions", ["wx wz vy", "wy vx vy vz", "vx", "wx wy"])
def test_the_gradient_is_that_of_the_cost(
    directions: str, representation: str, rng: np.random.Generator
):
    """For parts of a pose the Jacobian of the error is exact, however far the goal is."""
    robot = jounce.load("iiwa14")
    step = jounce.kernel(
        robot, "pose_step", frame="flange", directions=directions, representation=representation
    )
    q, there = (robot.random_configuration(rng) for _ in range(2))
    target = jounce.frame_pose(robot, "flange", there)[0].ravel()
    options = np.ones(7), np.array([0.1, 1e-12])
    h = 1e-6
    nearby = np.concatenate([q + h * np.eye(7), q - h * np.eye(7)])
    cost = step.call(nearby, target, *options)[0, :, -1]
    got = step.call(q, target, *options)[0, 7:14]
    assert_close(got, -(cost[:7] - cost[7:]) / (4 * h), 1e-7)


def test_the_step_is_damped_least_squares(rng: np.random.Generator):
    robot = jounce.load("iiwa14")
    step = jounce.kernel(robot, "pose_step", frame="flange", directions="vx vy vz")
    q, there = (robot.random_configuration(rng) for _ in range(2))
    T, target = jounce.frame_pose(robot, "flange", np.array([q, there]))[0]
    scale = np.array([1.0, 1, 0, 1, 1, 1, 1])
    found = step.call(q, target.ravel(), scale, np.array([0.3, 0.2]))[0]
    J = jounce.jacobian(robot, "flange", q)[0]
    e = T[:3, :3].T @ (target[:3, 3] - T[:3, 3])
    A = (J[3:] + np.cross(J[:3].T, e).T) * scale
    mu = 0.3 * e @ e + 0.2
    assert_close(found[:7], scale * (A.T @ np.linalg.solve(A @ A.T + mu * np.eye(3), e)), 1e-12)
    assert_close(found[-1], e @ e, 1e-13)


def test_joints_at_a_limit_stand_while_they_are_driven_out():
    robot = jounce.load("puma560")
    goal = goal_of(robot, "link6", ["vx"], "body", True, 1e-10)
    q = np.zeros((1, 6))
    q[0, :2] = goal.upper[0], goal.upper[1]
    q[0, 3:5] = goal.lower[3], goal.lower[4]
    gradient = np.array([[1.0, -1.0, 1.0, 1.0, -1.0, -1.0]])
    assert _free(goal, q, gradient).tolist() == [[0.0, 1.0, 1.0, 1.0, 0.0, 1.0]]


def test_a_step_has_no_time_derivatives():
    with pytest.raises(jounce.UnsupportedError, match="order must be 0"):
        jounce.kernel(jounce.load("iiwa14"), "pose_step", order=1, frame="flange")
