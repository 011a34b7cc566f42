"""The rows of limits, the clock of a speed, and the solver, each against something independent."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import BSpline

import jounce
from benchmarks.planning_peers import Convex
from jounce.limits.forces import MotionForces
from jounce.planning.constraints import constraints_at
from jounce.planning.curve import Curve, composed, path_motion
from jounce.planning.limits_along import LimitsAlong
from jounce.planning.powers import by_place
from jounce.planning.squared_speed import SquaredSpeed, basis_at, clamped_knots
from jounce.trajectory import MotionLimits
from tests.tolerances import INDEPENDENT, assert_close
from tests.unit.planning.test_planner import limits_of, points_of


def swinging() -> jounce.Robot:
    """Return two links with friction on a ball joint."""
    builder = jounce.RobotBuilder("lamp")
    body = jounce.Inertia(1.5, (0.0, 0.1, 0.2), np.diag([0.03, 0.04, 0.05]), about="com")
    up = np.eye(4)
    up[2, 3] = 0.4
    builder.add("foot", joint=jounce.joints.spherical(), inertia=body, joint_name="ball")
    builder.add("arm", "foot", jounce.joints.revolute((0, 1, 0)), up, body, damping=2.0,
                joint_name="elbow")  # fmt: skip
    return builder.build()


def test_rows_are_what_inverse_dynamics_says(interpreted: None, rng):
    """At any b and derivatives of it: each row is how far its quantity is beyond its bound."""
    robot = swinging()
    points = [jounce.integrate(robot, robot.neutral, rng.normal(size=4) * 0.5) for _ in range(4)]
    curve = Curve(robot, path_motion(robot, points), 3, (True, True))
    limits = limits_of(
        robot, velocity=3.0, acceleration=5.0, jerk=20.0, effort=9.0, effort_lower=-7.0,
        effort_rate=40.0, snap=90.0, effort_second_rate=200.0,
    )  # fmt: skip
    u, unit = np.linspace(0.05, 0.95, 7), 1.7
    forces = MotionForces(robot)
    rows = constraints_at(curve, LimitsAlong(robot, limits), forces, u, unit, features=4)
    f = np.concatenate([rng.uniform(0.5, 2.0, (7, 1)), rng.normal(size=(7, 3))], axis=1)
    G, dG = rows(f)
    b, b1, b2, b3 = unit * f.T
    inner = [np.sqrt(b), 0.5 * b1, 0.5 * b2 * np.sqrt(b), 0.5 * (b3 * b + 0.5 * b2 * b1)]
    q, v, a, j, s = composed(curve(u, 4), np.array(inner))
    Q, Q1, Q2 = jounce.inverse_dynamics(robot, q, v, a, j, s)
    wanted = {"acceleration": a, "jerk": j, "snap": s, "effort": Q, "effort_rate": Q1,
              "effort_second_rate": Q2}  # fmt: skip
    for name, values in wanted.items():
        own = [i for i, label in enumerate(rows.labels) if label.quantity == name]
        high = getattr(limits, name)
        low = limits.below.get(name, -high)
        scale = (high - low) / 2.0
        beyond = np.concatenate([(values - high) / scale, (low - values) / scale], axis=1)
        divided = np.sqrt(b / unit)[:, None] if name in ("jerk", "effort_rate") else 1.0
        assert_close(G[:, own] * divided, beyond, INDEPENDENT)
    speed = (np.abs(v) / 3.0).max(axis=1) ** 2 - 1.0
    assert_close(G[:, 0], speed, INDEPENDENT)
    for k in range(4):
        h = 1e-6 * np.eye(4)[k]
        numeric = (rows(f + h)[0] - rows(f - h)[0]) / 2e-6
        assert_close(dG[..., k], numeric, 1e-7, scale=np.abs(dG).max())


def test_the_clock_of_a_speed_that_is_known():
    """With u̇ = 1 + 2 u time is a logarithm, and every derivative of u is the last one twice."""
    knots = clamped_knots(9, 3)
    middle = np.array([knots[i + 1 : i + 4].mean() for i in range(12)])
    blossom = [np.mean([x[0] * x[1], x[0] * x[2], x[1] * x[2]])
               for x in (knots[i + 1 : i + 4] for i in range(12))]  # fmt: skip
    speed = SquaredSpeed(knots, 1.0 + 4.0 * middle + 4.0 * np.array(blossom), 3)
    u = np.linspace(0.0, 1.0, 23)
    assert_close(speed(u), (1.0 + 2.0 * u) ** 2, INDEPENDENT)
    assert_close(speed.time(u), np.log(1.0 + 2.0 * u) / 2.0, INDEPENDENT)
    assert_close(speed.place(speed.time(u)), u, INDEPENDENT)
    rates = speed.rates(u, 6)
    for k in range(6):
        assert_close(rates[k], 2.0**k * (1.0 + 2.0 * u), 1e-11)


def test_derivatives_by_place_are_those_by_time_undone(rng):
    knots = clamped_knots(12, 5)
    speed = SquaredSpeed(knots, rng.uniform(1.0, 2.0, 17), 5)
    u = np.linspace(0.03, 0.97, 11)
    wanted = [(2.0**k * np.sin(2.0 * u + k * np.pi / 2.0))[:, None] for k in range(4)]
    by_time = composed(wanted, speed.rates(u, 3))
    found = by_place(by_time, [speed(u, k)[:, None] for k in range(3)])
    for k in range(4):
        assert_close(found[k], wanted[k], 1e-11)


def test_the_optimum_is_that_of_a_general_solver():
    """The same convex problem as a second-order cone program, by Clarabel."""
    robot = jounce.load("panda")
    limits = MotionLimits.of(robot, jerk=None, effort_rate=None)
    problem = Convex.of(robot, points_of(robot, 4), limits, 20, 0.02)
    found = problem.own(1e-9)
    assert found.converged
    assert problem.excess(found.x) < 1e-9
    assert_close(problem.duration(found.x), problem.duration(problem.clarabel()), 1e-6)


def test_the_basis_is_that_of_scipy(rng):
    knots, u = clamped_knots(40, 5), np.sort(rng.uniform(0.0, 1.0, 300))
    c = rng.normal(size=45)
    first, basis = basis_at(knots, 5, u, 4)
    local = c[first[:, None] + np.arange(6)]
    for k in range(4):
        assert_close((basis[:, k] * local).sum(axis=1), BSpline(knots, c, 5)(u, k), 1e-11)


@pytest.mark.parametrize("ends", [(True, True), (True, False), (False, True), (False, False)])
@pytest.mark.parametrize("smoothness", [1, 3])
def test_a_curve_is_flat_where_it_is_at_rest(ends, smoothness: int):
    robot = jounce.load("planar2r")
    curve = Curve(
        robot, path_motion(robot, [[0.0, 1.0], [1.0, 0.5], [1.2, -0.3]]), smoothness, ends
    )
    u = np.array([0.0, 1.0])
    values = curve(u, 5)
    assert_close(values[0], [[0.0, 1.0], [1.2, -0.3]], INDEPENDENT)
    for end, is_rest in enumerate(ends):
        sizes = [np.abs(x[end]).max() for x in values[1:]]
        assert (max(sizes[:smoothness]) < 1e-9) == is_rest
        assert sizes[smoothness] > 1e-3 or not is_rest
    inside = np.linspace(0.0, 1.0, 101)
    assert np.all(np.diff(curve.sigma(inside)) > 0.0)
    assert_close(curve.sigma(curve.place(curve.sigma(inside))), curve.sigma(inside), INDEPENDENT)
