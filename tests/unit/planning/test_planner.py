"""The fastest motion along a path keeps every limit everywhere, and nothing is much faster."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.errors import (
    ArgumentError,
    InfeasibleError,
    NotFiniteError,
    ShapeError,
    WrongTypeError,
)
from jounce.planning import time_optimal
from jounce.trajectory import (
    Fourier,
    MotionLimits,
    MotionTable,
    Polynomial,
    check_limits,
    scale_to_limits,
)
from tests.tolerances import INDEPENDENT, assert_close

NONE = dict.fromkeys(
    ("lower", "upper", "velocity", "acceleration", "jerk", "snap", "effort", "effort_rate",
     "effort_second_rate")
)  # fmt: skip


def cart(damping: float = 0.0) -> jounce.Robot:
    """Return a mass of 2 kg on a horizontal slide."""
    builder = jounce.RobotBuilder("cart")
    builder.add(
        "cart",
        joint=jounce.joints.prismatic((1, 0, 0)),
        inertia=jounce.Inertia(2.0, (0.0, 0.0, 0.0), np.eye(3)),
        joint_name="slide",
        damping=damping,
    )
    return builder.build()


def limits_of(robot: jounce.Robot, **bounds) -> MotionLimits:
    return MotionLimits.of(robot, **{**NONE, **bounds})


@pytest.fixture(scope="module")
def panda() -> jounce.Robot:
    return jounce.load("panda")


def points_of(robot: jounce.Robot, count: int, seed: int = 0) -> np.ndarray:
    low, high = robot.limits.lower, robot.limits.upper
    random = np.random.default_rng(seed).uniform(0.25, 0.75, (count, robot.nq))
    return low + (high - low) * random


def test_from_rest_to_rest_with_bounded_force():
    """Half of the way with full force, half of it braking: T = 2 √(d m / F)."""
    motion = time_optimal(cart(), [[0.0], [1.5]], limits_of(cart(), effort=8.0), smoothness=1)
    exact = 2.0 * np.sqrt(1.5 * 2.0 / 8.0)
    assert exact * (1.0 - 1e-9) <= motion.duration <= exact * 1.001
    assert_close(motion.lower_bound, exact, 1e-3)
    assert {row.quantity for row in motion.binding} == {"effort"}
    softer = time_optimal(cart(), [[0.0], [1.5]], limits_of(cart(), effort=8.0))
    assert exact <= softer.duration <= exact * 1.005


def test_from_rest_to_rest_with_bounded_jerk():
    """Four parts of full jerk, + − − +: T = 4 (d / 2 j)^(1/3)."""
    limits = limits_of(cart(), jerk=10.0)
    motion = time_optimal(cart(), [[0.0], [1.5]], limits, smoothness=2)
    exact = 4.0 * (1.5 / 20.0) ** (1.0 / 3.0)
    assert exact * (1.0 - 1e-9) <= motion.duration <= exact * 1.005
    assert motion.duration <= time_optimal(cart(), [[0.0], [1.5]], limits).duration <= 1.01 * exact


def test_all_third_order_limits_of_one_joint():
    """The seven parts of an S-curve: jerk, acceleration and velocity at their limits."""
    v, a, j, d = 0.9, 2.0, 12.0, 1.5
    ramp = a / j
    exact = d / v + v / a + ramp  # while all three are reached
    limits = limits_of(cart(), velocity=v, acceleration=a, effort_rate=2.0 * j)
    motion = time_optimal(cart(), [[0.0], [d]], limits, smoothness=2)
    assert exact * (1.0 - 1e-9) <= motion.duration <= exact * 1.005
    assert {row.quantity for row in motion.binding} == {"velocity", "acceleration", "effort_rate"}


def test_friction_costs_force():
    """With F − D v = m a the speed rises as 1 − exp(−D t / m) and brakes faster."""
    robot, force, damping, mass = cart(3.0), 8.0, 3.0, 2.0
    motion = time_optimal(robot, [[0.0], [1.5]], limits_of(robot, effort=force), smoothness=1)

    def distance(switch: float) -> tuple[float, float]:
        rate = damping / mass
        top = force / damping * (1.0 - np.exp(-rate * switch))
        there = force / damping * (switch - (1.0 - np.exp(-rate * switch)) / rate)
        stop = np.log(1.0 + damping * top / force) / rate
        back = (top + force / damping) * (
            1.0 - np.exp(-rate * stop)
        ) / rate - force / damping * stop
        return there + back, switch + stop

    low, high = 0.1, 3.0
    for _ in range(80):
        middle = (low + high) / 2.0
        low, high = (middle, high) if distance(middle)[0] < 1.5 else (low, middle)
    exact = distance(low)[1]
    assert exact * (1.0 - 1e-9) <= motion.duration <= exact * 1.002


@pytest.mark.parametrize("rate", [1000.0, 100.0])
def test_limits_hold_everywhere(panda: jounce.Robot, rate: float):
    """By inverse dynamics at 100,000 moments, and by `check_limits`."""
    limits = MotionLimits.of(panda, effort_rate=rate)
    motion = time_optimal(panda, points_of(panda, 5), limits)
    t = np.linspace(0.0, motion.duration, 100_001)
    q, v, a, j = motion(t, order=3)
    Q, Q1 = jounce.inverse_dynamics(panda, q, v, a, j)
    for values, name in ((v, "velocity"), (a, "acceleration"), (j, "jerk"), (Q, "effort"),
                         (Q1, "effort_rate")):  # fmt: skip
        assert (np.abs(values) / getattr(limits, name)).max() <= 1.0 + 1e-9
    report = check_limits(panda, motion, limits)
    assert report.ok
    assert report.worst is not None
    assert motion.limits.worst is not None
    assert_close(report.worst.use, 1.0, 1e-9)
    assert_close(motion.limits.worst.use, 1.0, 1e-9)
    for row, same in zip(report.rows, motion.limits.rows, strict=True):
        assert (row.quantity, row.joint) == (same.quantity, same.joint)
        assert_close(row.use, same.use, 1e-8)
    assert motion.lower_bound <= motion.duration == motion.durations[-1]
    assert len(motion.durations) >= 4  # one speed, rounds, the result
    assert np.all(np.diff(motion.durations) < 0.0)
    ends = motion([0.0, motion.duration], order=3)
    assert_close(ends[0], points_of(panda, 5)[[0, -1]], INDEPENDENT)
    assert np.abs(ends[1:]).max() < 1e-8
    Q1_ends = jounce.inverse_dynamics(panda, *ends)[1]
    assert np.abs(Q1_ends).max() < 1e-6


def test_it_is_a_trajectory(panda: jounce.Robot):
    """Its rates are the derivatives of its position, of the path parameter too."""
    motion = time_optimal(panda, points_of(panda, 3))
    t, h = np.linspace(0.1, motion.duration - 0.1, 9).reshape(3, 3), 1e-5
    around = [motion(t + k * h, order=4) for k in (-1, 0, 1)]
    for k in range(1, 5):
        numeric = (around[2][k - 1] - around[0][k - 1]) / (2.0 * h)
        assert_close(around[1][k], numeric, 1e-4)
    assert around[1].shape == (5, 3, 3, 7)
    s = [motion.path_parameter(t + k * h, order=2) for k in (-1, 0, 1)]
    assert_close(s[1][1], (s[2][0] - s[0][0]) / (2.0 * h), 1e-6)
    assert_close(s[1][2], (s[2][1] - s[0][1]) / (2.0 * h), 1e-6)
    ends = motion.path_parameter([0.0, motion.duration])[0]
    assert_close(ends, [0.0, 1.0], INDEPENDENT)
    table = motion.table(100.0)
    assert isinstance(table, MotionTable)
    assert table.time[-1] == motion.duration
    assert table.forces is not None
    assert table.forces.shape == (3, table.time.size, 7)
    assert "lower bound" in str(motion)
    with pytest.raises(ArgumentError, match="outside of the motion"):
        motion(motion.duration + 1.0)
    with pytest.raises(ArgumentError, match="rate must be positive"):
        motion.table(0.0)


def test_more_is_never_slower(panda: jounce.Robot):
    points = points_of(panda, 4, 1)
    for name in ("velocity", "acceleration", "jerk", "effort", "effort_rate"):
        own = getattr(panda.limits, name, np.inf)
        base = np.where(np.isfinite(own), own, 2000.0) * (0.3 if name != "effort" else 0.9)
        durations = [
            time_optimal(panda, points, MotionLimits.of(panda, **{name: share * base})).duration
            for share in (1.0, 1.1, 1.5)
        ]
        assert durations[0] >= durations[1] * (1.0 - 1e-3)
        assert durations[1] >= durations[2] * (1.0 - 1e-3)


def test_one_speed_is_never_faster(panda: jounce.Robot):
    points = points_of(panda, 5, 2)
    limits = MotionLimits.of(panda, effort_rate=300.0)
    steady = Polynomial.through(np.linspace(0.0, 4.0, 5), points, smoothness=3)
    along = time_optimal(panda, steady, limits)
    assert along.duration < 0.8 * scale_to_limits(panda, steady, limits).duration
    assert_close(along(0.0, order=0)[0], points[0], INDEPENDENT)
    # the same curve: each place of the motion is a place of the trajectory
    t = np.linspace(0.0, along.duration, 50)
    assert_close(along(t, order=0)[0], steady(along.path_parameter(t)[0], order=0)[0], INDEPENDENT)
    assert check_limits(panda, along, limits).ok


def test_ends_in_motion(panda: jounce.Robot):
    points = points_of(panda, 4, 3)
    whole = time_optimal(panda, points)
    moving = time_optimal(panda, points, start_speed=0.5, end_speed=0.3)
    speeds = np.linalg.norm(moving([0.0, moving.duration], order=1)[1], axis=1)
    assert_close(speeds, [0.5, 0.3], 1e-9)
    assert moving.durations == (moving.duration,)
    assert moving.duration < whole.duration
    assert check_limits(panda, moving).ok
    with pytest.raises(InfeasibleError, match=r"velocity|no motion along the path"):
        time_optimal(panda, points, start_speed=50.0)


def test_a_start_that_cannot_be_braked():
    limits = limits_of(cart(), acceleration=1.0, velocity=10.0)
    with pytest.raises(InfeasibleError, match="acceleration limit of joint 'slide'"):
        time_optimal(cart(), [[0.0], [1.0]], limits, start_speed=2.0)  # v² / 2 a = 2 m
    stopped = time_optimal(cart(), [[0.0], [2.2]], limits, start_speed=2.0)
    assert 2.0 < stopped.duration < 2.3


@pytest.mark.parametrize("count", [3, 6])
def test_rounding_on_a_straight_path_is_no_corner(count: int, rng):
    """With ends in motion nothing bends the path: its second derivative is rounding."""
    points = np.cumsum(rng.uniform(0.1, 1.0, (count, 1)), axis=0)
    limits = limits_of(cart(), effort=8.0, effort_rate=100.0)
    motion = time_optimal(cart(), points, limits, start_speed=0.3, end_speed=0.2)
    assert check_limits(cart(), motion, limits).ok


def test_limits_that_change_along_the_path():
    slow, fast = (limits_of(cart(), velocity=v, acceleration=50.0) for v in (0.2, 2.0))
    path = [[0.0], [1.0]]
    motion = time_optimal(cart(), path, {0.0: fast, 0.4: fast, 0.5: slow, 0.6: fast})
    t = np.linspace(0.0, motion.duration, 20_001)
    place, speed = motion(t, order=1)[:, :, 0]
    bound = np.interp(place, [0.4, 0.5, 0.6], [2.0, 0.2, 2.0])
    assert (speed / bound).max() <= 1.0 + 1e-9
    assert_close(speed[np.argmin(np.abs(place - 0.5))], 0.2, 1e-2)
    assert motion.limits.ok
    assert time_optimal(cart(), path, fast).duration < motion.duration
    with pytest.raises(ArgumentError, match="velocity is limited at some places"):
        time_optimal(cart(), path, {0.0: fast, 1.0: limits_of(cart(), acceleration=1.0)})
    for places in ({"slide": fast}, {0.0: fast, "end": slow}, {np.nan: fast}):
        with pytest.raises(ArgumentError, match="MotionLimits by parameters of the path, got the"):
            time_optimal(cart(), path, places)  # pyright: ignore[reportArgumentType]
    for wrong in (5.0, {0.0: 5.0}):
        with pytest.raises(
            WrongTypeError, match=r"must be a jounce\.trajectory\.MotionLimits, got f"
        ):
            time_optimal(cart(), path, wrong)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_report_is_about_the_nearer_bound_of_the_place(sign: float):
    """Both bounds of the position are on one side of zero; only the velocity changes."""
    low, high = sorted((0.5 * sign, 2.0 * sign))
    bounds = {"lower": low, "upper": high, "acceleration": 4.0}
    limits = {x: limits_of(cart(), velocity=v, **bounds) for x, v in ((0.0, 1.0), (1.0, 1.2))}
    motion = time_optimal(cart(), [[0.51 * sign], [1.0 * sign]], limits)
    row = next(row for row in motion.limits.rows if row.quantity == "position")
    assert_close([row.value, row.bound], [0.51 * sign, 0.5 * sign], INDEPENDENT)
    assert_close([row.margin, row.use], [0.01, 1.0 - 0.01 / 0.75], 1e-9)


def test_less_in_one_direction():
    limits = limits_of(cart(), acceleration=4.0, acceleration_lower=-1.0)
    motion = time_optimal(cart(), [[0.0], [1.0]], limits, smoothness=1)
    exact = np.sqrt(2.0 * (1.0 / 4.0 + 1.0 / 1.0))  # v/a + v/b with v² (1/a + 1/b) = 2 d
    assert exact * (1.0 - 1e-9) <= motion.duration <= exact * 1.002


def test_a_floating_base_with_a_ball_joint(interpreted: None):
    builder = jounce.RobotBuilder("diver")
    body = jounce.Inertia(3.0, (0.0, 0.1, 0.2), np.diag([0.3, 0.4, 0.5]), about="com")
    builder.add("trunk", joint=jounce.joints.free(), inertia=body, joint_name="root")
    builder.add("head", "trunk", jounce.joints.spherical(), inertia=body, joint_name="neck")
    robot = builder.build()
    rng = np.random.default_rng(4)
    points = [robot.neutral]
    for _ in range(3):
        points.append(jounce.integrate(robot, points[-1], rng.uniform(-0.4, 0.4, robot.nv)))
    limits = limits_of(robot, velocity=2.0, effort_rate=400.0, effort=90.0)
    motion = time_optimal(robot, points, limits)
    assert check_limits(robot, motion, limits).ok
    q, v = motion(np.linspace(0.2, 0.202, 3), order=1)
    assert_close(jounce.difference(robot, q[0], q[2]) / 0.002, v[1], 1e-4)
    assert_close(motion(motion.duration, order=0)[0], points[-1], 1e-9)


def test_a_joint_that_mimics_another():
    builder = jounce.RobotBuilder("gripper")
    finger = jounce.Inertia(0.1, (0.0, 0.0, 0.02), 1e-4 * np.eye(3))
    slide = jounce.joints.prismatic((1, 0, 0))
    builder.add("left", joint=slide, inertia=finger, joint_name="grip")
    builder.add("right", joint=slide, inertia=finger, mimic=("grip", -2.0, 0.0))
    robot = builder.build()
    motion = time_optimal(robot, [[0.0], [0.04]], limits_of(robot, effort=2.0), smoothness=1)
    exact = 2.0 * np.sqrt(0.04 * (0.1 + 4.0 * 0.1) / 2.0)
    assert exact * (1.0 - 1e-9) <= motion.duration <= exact * 1.002


@pytest.mark.parametrize(
    ("path", "bounds", "error", "message"),
    [
        ([[0.0], [0.0], [1.0]], {"velocity": 1.0}, ArgumentError, "points 0 and 1 .* the same"),
        ([[0.0], [1.0], [1.0 + 1e-14]], {"velocity": 1.0}, ArgumentError, "points 1 and 2"),
        ([[0.0]], {"velocity": 1.0}, ShapeError, "at least 2 points"),
        ([0.0], {"velocity": 1.0}, ShapeError, "at least 2 points"),
        ([[0.0, 1.0]], {"velocity": 1.0}, ShapeError, "nq = 1"),
        ([[0.0], [2.0]], {"velocity": 1.0, "upper": 1.5}, InfeasibleError,
         "leaves the range of 'slide': its position is 2 at 1 of the path"),
        ([[0.0], [2.0]], {"velocity": 0.0}, InfeasibleError, "'slide' cannot move within its vel"),
        ([[0.0], [2.0]], {"effort": 0.0}, InfeasibleError, "'slide' .* within its torque limit"),
        ([[0.0], [2.0]], {"jerk": 0.0}, InfeasibleError, "'slide' cannot move within its jerk"),
        ([[0.0], [2.0]], {}, InfeasibleError, "nothing limits the speed"),
        (Polynomial([[1.0], [1.0]]), {"velocity": 1.0}, ArgumentError, "no end"),
        (Fourier([[1.0, 1.0]], [[1.0, 1.0]], 1.0), {"velocity": 1.0}, ShapeError, "2 coordinates"),
        (Polynomial.through([0.0, 1.0, 2.0], [[0.0], [1.0], [0.5]], smoothness=0),
         {"acceleration": 1.0}, ArgumentError, "derivative 1 of the path jumps at 1"),
    ],
)  # fmt: skip
def test_what_cannot_be_planned_is_told(path, bounds, error, message: str):
    with pytest.raises(error, match=message):
        time_optimal(cart(), path, limits_of(cart(), **bounds))


def test_gravity_that_cannot_be_held(panda: jounce.Robot):
    weak = MotionLimits.of(panda, effort={"joint2": 5.0})
    with pytest.raises(
        InfeasibleError, match=r"'joint2' cannot hold gravity .* of the path \(0 … 1"
    ):
        time_optimal(panda, points_of(panda, 3), weak)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tolerance": 0.0}, "tolerance must lie between"),
        ({"knots": 3}, "knots must be an integer ≥ 8"),
        ({"knots": 10**400}, "knots must be 10000 at most"),
        ({"smoothness": 0}, "smoothness must be an integer ≥ 1"),
        ({"start_speed": -1.0}, "speeds at the ends must be finite and ≥ 0"),
        ({"end_speed": [1.0, 2.0]}, "end_speed must be one number"),
        ({"end_speed": np.nan}, "end_speed"),
        ({"end_speed": 1e200}, "beyond all computation"),
        ({"start_speed": 1e-200}, "beyond all computation"),
    ],
)
def test_options_that_cannot_be_meant(options, message: str):
    with pytest.raises((ArgumentError, ShapeError, NotFiniteError), match=message):
        time_optimal(cart(), [[0.0], [1.0]], limits_of(cart(), velocity=1.0), **options)


def test_all_fourth_order_limits_of_one_joint():
    """Fifteen parts: snap, jerk, acceleration and velocity at their limits, one after the other."""
    v, a, j, s, d = 0.9, 2.0, 12.0, 300.0, 1.5
    exact = d / v + v / a + a / j + j / s  # while all four are reached
    limits = limits_of(cart(), velocity=v, acceleration=a, jerk=j, snap=s)
    motion = time_optimal(cart(), [[0.0], [d]], limits)
    assert exact * (1.0 - 1e-9) <= motion.duration <= exact * 1.01
    assert {row.quantity for row in motion.binding} == {"velocity", "acceleration", "jerk", "snap"}
    assert check_limits(cart(), motion, limits).ok
    forces = limits_of(cart(), velocity=v, effort=2.0 * a, effort_rate=2.0 * j,
                       effort_second_rate=2.0 * s)  # fmt: skip
    assert_close(time_optimal(cart(), [[0.0], [d]], forces).duration, motion.duration, 1e-3)


def test_a_solver_that_stops_early_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("jounce.planning.interior_point.STEPS", 2)
    limits = limits_of(cart(), velocity=1.0, effort=8.0)
    with pytest.warns(jounce.planning.PlanningWarning, match="stopped early"):
        motion = time_optimal(cart(), [[0.0], [1.5]], limits)
    assert not motion.converged
    assert check_limits(cart(), motion, limits).ok


def test_a_followed_path_of_poses_is_a_path():
    arm = jounce.load("puma560")
    q = np.array([[0.1, 0.5, -0.4, 0.3, 0.9, 0.2], [0.4, 0.3, -0.2, 0.5, 0.7, 0.1]])
    poses = jounce.frame_pose(arm, "link6", q)[0]
    line = jounce.ik.ScrewMotions([0.0, 1.0], poses)
    joints = jounce.ik.follow(arm, "link6", line, np.linspace(0.0, 1.0, 21), q[0])
    limits = MotionLimits.of(arm, velocity=1.0, acceleration=10.0, effort_rate=400.0)
    motion = time_optimal(arm, joints, limits)
    assert check_limits(arm, motion, limits).ok
    t = np.linspace(0.0, motion.duration, 7)
    reached = jounce.frame_pose(arm, "link6", motion(t, order=0)[0])[0]
    wanted = line(motion.path_parameter(t)[0], 1)[0]
    assert_close(reached, wanted, 1e-6)


@pytest.mark.parametrize(("coulomb", "offset"), [(2.0, 0.0), (0.0, 1.0), (2.0, 1.0)])
def test_dry_friction_costs_force_and_helps_to_brake(coulomb: float, offset: float):
    """From ``F − c − o = m a`` to ``F + c + o = m a``, where the speed is not very small."""
    builder = jounce.RobotBuilder("cart")
    dry = {"coulomb": coulomb, "offset": offset, "speed": 0.001}
    inertia = jounce.Inertia(2.0, (0.0, 0.0, 0.0), np.eye(3))
    slide = jounce.joints.prismatic((1, 0, 0))
    builder.add("cart", joint=slide, inertia=inertia, joint_name="slide", friction=dry)
    robot, (force, distance) = builder.build(), (8.0, 1.5)
    up, down = (force - coulomb - offset) / 2.0, (force + coulomb + offset) / 2.0
    exact = np.sqrt(2.0 * distance * (1.0 / up + 1.0 / down))
    limits = limits_of(robot, effort=force)
    motion = time_optimal(robot, [[0.0], [distance]], limits, smoothness=1)
    assert abs(motion.duration / exact - 1.0) < 0.002
    assert_close(motion.lower_bound, exact, 2e-3)
    assert check_limits(robot, motion, limits).ok
    rates = limits_of(robot, effort=force, effort_rate=900.0)
    assert check_limits(robot, time_optimal(robot, [[0.0], [distance]], rates), rates).ok
    scaled = scale_to_limits(robot, Polynomial.rest_to_rest([0.0], [distance], 1.0), limits)
    worst = check_limits(robot, scaled, limits).worst
    assert worst is not None
    assert_close(worst.use, 1.0, 1e-8)
