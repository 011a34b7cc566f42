"""The fastest motions of robots with closed loops, along closed configurations."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.elastic import SeriesElastic
from jounce.errors import ArgumentError, ClosureError, InfeasibleError, UnknownNameError
from jounce.planning import time_optimal
from jounce.trajectory import ClosedMotion, Polynomial, check_limits, scale_to_limits
from tests.tolerances import INDEPENDENT, assert_close
from tests.unit.planning.test_planner import limits_of

FOURBAR = jounce.examples.fourbar()
CRANK = {"actuated": "crank_joint"}


def crank_points(*angles: float) -> np.ndarray:
    return np.array([jounce.close(FOURBAR, [x, 0.5, 1.5], hold="crank_joint") for x in angles])


def carts() -> jounce.Robot:
    """Return two carts of 2 and 3 kg, one behind the other, that are held together."""
    builder = jounce.RobotBuilder("carts")
    slide = jounce.joints.prismatic((1, 0, 0))
    for name, mass in (("front", 2.0), ("rear", 3.0)):
        builder.add(name, joint=slide, inertia=jounce.Inertia(mass, (0, 0, 0), np.eye(3)),
                    joint_name=f"{name}_slide")  # fmt: skip
    builder.closure("front", "rear", directions="vx")
    return builder.build()


def test_two_carts_that_are_one():
    """Half of the way with full force, half of it braking: T = 2 √(d m / F) with both masses."""
    robot = carts()
    limits = limits_of(robot, effort={"front_slide": 8.0})
    options = {"actuated": "front_slide", "smoothness": 1}
    motion = time_optimal(robot, [[0.0, 0.0], [1.5, 1.5]], limits, **options)
    exact = 2.0 * np.sqrt(1.5 * 5.0 / 8.0)
    assert exact * (1.0 - 1e-9) <= motion.duration <= exact * 1.001
    both = limits_of(robot, effort={"front_slide": 8.0, "rear_slide": 8.0})
    slides = ("front_slide", "rear_slide")
    shared = time_optimal(
        robot, [[0.0, 0.0], [1.5, 1.5]], both, actuated=slides, independent=slides[0], smoothness=1
    )
    assert_close(shared.duration, exact / np.sqrt(2.0), 1e-3)


@pytest.fixture(scope="module")
def swing() -> jounce.planning.TimedMotion:
    limits = limits_of(
        FOURBAR, velocity=20.0, effort={"crank_joint": 3.0}, effort_rate={"crank_joint": 150.0}
    )
    return time_optimal(FOURBAR, crank_points(0.3, 1.0, 2.2), limits, **CRANK)


def test_a_fourbar_keeps_its_limits_and_its_loop(swing):
    t = np.linspace(0.0, swing.duration, 100_001)
    q, v, a, j = swing(t, order=3)
    assert np.abs(jounce.closure_error(FOURBAR, q)).max() < 1e-12
    Q, Q1 = jounce.constrained_inverse_dynamics(FOURBAR, q, v, a, j, **CRANK).values
    assert 0.999 < np.abs(v).max() / 20.0 <= 1.0 + 1e-9 or np.abs(Q1).max() > 149.0
    assert np.abs(Q).max() <= 3.0 * (1.0 + 1e-9)
    assert np.abs(Q1).max() <= 150.0 * (1.0 + 1e-9)
    assert swing.limits.ok
    assert swing.lower_bound < swing.duration
    assert_close(q[[0, -1]], crank_points(0.3, 2.2), INDEPENDENT)
    table = swing.table(100.0)
    assert table.forces is not None
    assert np.all(table.forces[:, :, 1:] == 0.0)
    limits = swing.limits.rows
    assert {row.joint for row in limits if row.quantity == "effort"} == {"crank_joint"}


def test_power_of_the_crank_is_the_rate_of_energy(swing):
    """The forces that are limited are those that move all members."""
    t = np.linspace(0.05, 0.95, 7) * swing.duration
    q, v, a = swing(t, order=2)
    Q = jounce.constrained_inverse_dynamics(FOURBAR, q, v, a, **CRANK).values[0, :, 0]
    tree = FOURBAR.without_closures()
    rate = jounce.kinetic_energy(tree, q, v, a)[1] + jounce.potential_energy(tree, q, v, a)[1]
    assert_close(Q * v[:, 0], rate, INDEPENDENT)


def test_limits_of_closed_motions(swing):
    """`check_limits` finds the same, and one speed for the whole way is slower."""
    limits = limits_of(
        FOURBAR, velocity=20.0, effort={"crank_joint": 3.0}, effort_rate={"crank_joint": 150.0}
    )
    report = check_limits(FOURBAR, swing, limits, **CRANK)
    assert report.ok
    for row, same in zip(report.rows, swing.limits.rows, strict=True):
        assert_close(row.use, same.use, 1e-7)
    lead = Polynomial.rest_to_rest(*crank_points(0.3, 2.2), 1.0)
    steady = ClosedMotion(FOURBAR, lead, "crank_joint")
    scaled = scale_to_limits(FOURBAR, steady, limits, **CRANK)
    found = check_limits(FOURBAR, scaled, limits, **CRANK)
    assert found.ok
    assert found.worst is not None
    assert_close(found.worst.use, 1.0, 1e-9)
    faster = time_optimal(FOURBAR, steady, limits, **CRANK)
    assert faster.duration < scaled.duration
    q, v = scaled(np.array([0.4, 0.7]) * scaled.duration, order=1)
    speeds = limits_of(FOURBAR, velocity=20.0)
    assert check_limits(FOURBAR, (np.array([0.4, 0.7]), [q, v]), speeds).ok


def test_a_closed_motion_is_smooth_and_passes_its_points():
    lead = Polynomial.through([0.0, 0.4, 1.0], crank_points(0.3, 1.0, 2.2), smoothness=3)
    at = np.array([0.0, 0.4, 1.0])
    motions = [ClosedMotion(FOURBAR, lead, name, at=at) for name in ("crank_joint", None)]
    for motion in motions:
        assert_close(motion(at, order=0)[0], crank_points(0.3, 1.0, 2.2), 1e-9)
        t, h = np.linspace(0.1, 0.9, 9).reshape(3, 3), 1e-5
        near = [motion(t + k * h, order=5) for k in (-1, 0, 1)]
        for k in range(1, 6):
            assert_close(near[1][k], (near[2][k - 1] - near[0][k - 1]) / (2.0 * h), 1e-6)
        q, v = motion(t, order=1)
        J = jounce.closure_jacobian(FOURBAR, q)[0]
        assert np.abs(J @ v[..., None]).max() < 1e-12 * np.abs(v).max()


def test_what_is_not_closed_is_told():
    limits = limits_of(FOURBAR, velocity=1.0)
    points = crank_points(0.3, 1.0)
    with pytest.raises(ClosureError, match=r"is not closed: .* is off by"):
        time_optimal(FOURBAR, np.add(points, [[0.0] * 3, [0.0, 0.01, 0.0]]), limits, **CRANK)
    with pytest.raises(ClosureError, match="is not closed"):
        time_optimal(FOURBAR, Polynomial.rest_to_rest(*points, 1.0), limits, **CRANK)
    other = jounce.close(FOURBAR, [1.0, -2.5, -1.5], hold="crank_joint")
    assert np.abs(other - points[1]).max() > 1.0
    with pytest.raises(ClosureError, match="leaves its assembly before t = 1"):
        time_optimal(FOURBAR, [points[0], other], limits, **CRANK)
    out = Polynomial.through([0.0, 0.5, 1.0], points[[0, 0, 0]] - [[0.0], [2.0], [0.0]])
    with pytest.raises(ClosureError, match="cannot be closed at t = "):
        ClosedMotion(FOURBAR, out, "rocker_joint", at=[0.0])
    arm = jounce.load("planar2r")
    for call in (check_limits, scale_to_limits, time_optimal):
        with pytest.raises(ArgumentError, match="actuated joints are named for robots with closu"):
            call(arm, [[0.0, 0.0], [1.0, 1.0]], actuated="joint1")  # type: ignore[operator]
        with pytest.raises(UnknownNameError, match="Known joint names: coupler_joint"):
            call(FOURBAR, points, limits, actuated="elbow")  # type: ignore[operator]
    for call in (check_limits, scale_to_limits, time_optimal):
        with pytest.raises(ArgumentError, match=r"limits of effort need the joints with motors; .*"
                                                "crank_joint, coupler_joint"):  # fmt: skip
            call(FOURBAR, points, limits_of(FOURBAR, effort=1.0))  # type: ignore[operator]
    with pytest.raises(ArgumentError, match="independent joints are named"):
        time_optimal(arm, [[0.0, 0.0], [1.0, 1.0]], independent="joint1")
    closed = ClosedMotion(FOURBAR, Polynomial.rest_to_rest(*points, 1.0), "crank_joint")
    assert time_optimal(FOURBAR, closed, limits, **CRANK).limits.ok
    with pytest.raises(ArgumentError, match="closed motion, which has its independent joints"):
        time_optimal(FOURBAR, closed, limits, independent="nonsense", **CRANK)
    weak = limits_of(FOURBAR, effort={"crank_joint": 0.01})
    with pytest.raises(InfeasibleError, match="'crank_joint' cannot hold gravity"):
        time_optimal(FOURBAR, points, weak, **CRANK)


def test_a_fourbar_driven_through_a_spring():
    stiffness = [80.0, np.inf, np.inf]
    elastic = SeriesElastic(FOURBAR, stiffness, [0.02, 0.0, 0.0])
    limits = limits_of(FOURBAR, velocity=20.0)
    points = crank_points(0.3, 1.0, 2.2)
    motion = time_optimal(elastic, points, limits, motor_torque={"crank_joint": 3.0})
    found = elastic.feedforward(*motion(np.linspace(0.0, motion.duration, 20_001), order=4))
    assert 0.99 < np.abs(found.torque[:, 0]).max() / 3.0 <= 1.0 + 1e-9
    assert motion.limits.ok


@pytest.mark.slow
@pytest.mark.parametrize("name", ["delta", "stewart"])
def test_parallel_robots(name: str):
    """All drives of delta and Stewart platform keep force and force rate everywhere."""
    robot = getattr(jounce.examples, name)()
    drive = {"delta": "arm_joint", "stewart": "slide"}[name]
    motors = [f"{drive}_{i}" for i in range(jounce.mobility(robot)[0])]
    rng = np.random.default_rng(0)
    points = [robot.neutral]
    size = 0.2  # rad, m
    for _ in range(2):
        start = robot.neutral.copy()
        for motor in motors:
            start[robot.joint(motor).q_slice] = rng.uniform(-size, size)
        points.append(jounce.close(robot, start, hold=motors))
    bounds = {"delta": (12.0, 400.0), "stewart": (9000.0, 40_000.0)}[name]
    limits = limits_of(
        robot, effort=dict.fromkeys(motors, bounds[0]), effort_rate=dict.fromkeys(motors, bounds[1])
    )
    motion = time_optimal(robot, points, limits, actuated=motors, knots=60)
    q, v, a, j = motion(np.linspace(0.0, motion.duration, 5001), order=3)
    assert np.abs(jounce.closure_error(robot, q)).max() < 1e-12
    Q, Q1 = jounce.constrained_inverse_dynamics(robot, q, v, a, j, actuated=motors).values
    assert np.abs(Q).max() <= bounds[0] * (1.0 + 1e-9)
    assert np.abs(Q1).max() <= bounds[1] * (1.0 + 1e-9)
    assert max(np.abs(Q).max() / bounds[0], np.abs(Q1).max() / bounds[1]) > 0.99
    assert_close(q[-1], points[-1], 1e-9)
