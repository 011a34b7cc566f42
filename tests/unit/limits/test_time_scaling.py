"""The fastest motion within the limits touches one of them, and no faster one keeps them."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.algebra.rigid import pose_exponential, quaternion_of
from jounce.errors import ArgumentError, ConvergenceError, JounceError
from jounce.limits.limits import QUANTITIES
from jounce.trajectory import (
    Fourier,
    InfeasibleError,
    MotionLimits,
    Polynomial,
    ScaledTrajectory,
    check_limits,
    scale_to_limits,
)
from tests.tolerances import EXACT, INDEPENDENT, assert_close, assert_orders_close

MOVE = Polynomial.rest_to_rest([0.2, -0.5], [1.4, 0.9], 1.5, t0=2.0)
FIELDS = ["lower", *(quantity.name for quantity in QUANTITIES[1:]), "upper"]

pytestmark = pytest.mark.usefixtures("interpreted")


def arm(damping: float = 0.0, **friction: float) -> jounce.Robot:
    """Return two links that swing in a vertical plane."""
    builder = jounce.RobotBuilder("arm")
    bar = jounce.Inertia(2.0, (0.0, 0.0, 0.2), np.diag([0.03, 0.03, 0.003]))
    turn = jounce.joints.revolute((0, 1, 0))
    up = np.eye(4)
    up[2, 3] = 0.4
    joint = {"damping": damping, "friction": friction}
    builder.add("upper", None, turn, inertia=bar, joint_name="shoulder", **joint)
    builder.add("lower", "upper", turn, up, bar, joint_name="elbow", **joint)
    return builder.build()


def dry_cart(coulomb: float, speed: float, **friction: float) -> jounce.Robot:
    """Return 2 kg that slide with Coulomb friction, smoothed over a speed."""
    builder = jounce.RobotBuilder("cart")
    builder.add(
        "cart",
        joint=jounce.joints.prismatic((1, 0, 0)),
        inertia=jounce.Inertia(2.0, (0.0, 0.0, 0.0), np.eye(3)),
        joint_name="slide",
        friction={"coulomb": coulomb, "speed": speed, **friction},
    )
    return builder.build()


def limits_of(robot: jounce.Robot, **bounds) -> MotionLimits:
    return MotionLimits.of(robot, **{**dict.fromkeys(FIELDS), **bounds})


def test_played_faster_the_derivatives_grow_by_powers():
    fast = ScaledTrajectory(MOVE, 2.5)
    assert (fast.n, fast.t0) == (2, 2.0)
    assert_close(fast.duration, 0.6, INDEPENDENT)
    t = np.linspace(2.0, 2.6, 7).reshape(7, 1)
    wanted = MOVE(2.0 + 2.5 * (t - 2.0), order=5)
    for k, got in enumerate(fast(t, order=5)):
        assert_close(got, 2.5**k * wanted[k], INDEPENDENT)
    for factor in (0.0, -1.0):
        with pytest.raises(ArgumentError, match="factor must be positive"):
            ScaledTrajectory(MOVE, factor)


@pytest.mark.parametrize(
    ("damping", "bounds"),
    [
        (0.0, {"velocity": 1.3}),
        (0.0, {"acceleration": 6.0}),
        (0.0, {"jerk": 30.0}),
        (0.0, {"snap": 900.0}),
        (0.0, {"effort": [40.0, 9.0]}),
        (3.0, {"effort": [40.0, 9.0]}),
        (0.0, {"effort_rate": [80.0, 60.0]}),
        (3.0, {"effort_rate": [80.0, 60.0]}),
        (3.0, {"effort_second_rate": 2000.0}),
        (3.0, {"velocity": 2.0, "jerk": 90.0, "effort": [60.0, 20.0], "effort_rate": 300.0}),
    ],
)
def test_the_result_is_on_a_limit_and_faster_is_beyond(damping: float, bounds):
    robot = arm(damping)
    limits = limits_of(robot, **bounds)
    on_the_limit(robot, MOVE, limits, [1.001, *np.geomspace(1.002, 20.0, 12)])


def on_the_limit(robot, motion, limits, faster):
    """Return the scaled motion and what it uses up; played any faster it is beyond a limit."""
    scaled = scale_to_limits(robot, motion, limits, samples=151)
    report = check_limits(robot, scaled, limits, samples=151)
    assert report.ok
    assert report.worst is not None
    assert_close(report.worst.use, 1.0, 1e-9)
    for factor in faster:
        beyond = ScaledTrajectory(motion, scaled.factor * factor)
        assert not check_limits(robot, beyond, limits, samples=151).ok
    return scaled, report.worst


class Flight:
    """The arm on a base that flies from one pose to another, in the time that its joints take."""

    n, t0, duration = 9, MOVE.t0, MOVE.duration

    def __init__(self) -> None:
        end = np.eye(4)
        end[:3, 3] = 0.3, -0.2, 0.5
        end[:3, :3] = pose_exponential(np.array([0.5, 0.9, -0.4, 0, 0, 0]))[:3, :3]
        self.base = jounce.ik.PoseSpline([2.0, 3.5], [np.eye(4), end])

    def __call__(self, t, order: int = 4) -> list[np.ndarray]:
        (pose, twists), (q, *rates) = self.base(t, order), MOVE(t, order=order)
        base = np.concatenate([pose[..., :3, 3], quaternion_of(pose[..., :3, :3])], axis=-1)
        parts = [(base, q), *zip(twists, rates, strict=True)]
        return [np.concatenate(part, axis=-1) for part in parts]


@pytest.mark.parametrize(
    "bounds",
    [
        {"velocity": {"root_joint[wy]": 1.0, "elbow": 9.0}},
        {"acceleration": {"root_joint[wx]": 6.0, "root_joint[vy]": 5.0}},
        {"effort": {"root_joint[wy]": 40.0, "root_joint[vz]": 60.0}},
        {"effort_rate": {"root_joint[wx]": 90.0, "elbow": 300.0}},
    ],
)
def test_a_floating_base_is_played_as_fast_as_its_limits_allow(bounds):
    robot, flight = arm(3.0).with_floating_base(), Flight()
    limits = limits_of(robot, **bounds)
    scaled, worst = on_the_limit(robot, flight, limits, [1.001, 1.3, 5.0])
    assert worst.joint.startswith("root_joint")
    # the scaled rates are those of the scaled path: q moves on as the velocity says
    t, h = 2.0 + scaled.duration / 3.0, 1e-5
    q, v, *_ = scaled(np.array([t - h, t, t + h]), order=1)
    assert_close(jounce.difference(robot, q[0], q[2]) / (2 * h), v[1], 1e-7)


def test_the_end_of_a_short_motion_far_from_zero_is_no_other_time():
    """A motion of 2 ns at t = 1000 s has only 17,592 times that a float can hold."""
    robot = arm()
    points = [[5.0, 5.0], [5.0 + 1e-9, 5.0], [5.0, 5.0]]
    small = Polynomial.through([1000.0, 1001.0, 1002.0], points, smoothness=0)
    limits = limits_of(robot, velocity=1.0)
    scaled = scale_to_limits(robot, small, limits)
    assert_close(scaled.duration, 2e-9, 1e-6)
    assert_close(scaled([1000.0, 1000.0 + scaled.duration], order=0)[0], [[5.0, 5.0]] * 2, EXACT)
    report = check_limits(robot, scaled, limits)
    assert report.worst is not None
    assert_close(report.worst.use, 1.0, 1e-9)


def test_forces_scale_as_the_module_says():
    """Inverse dynamics of the scaled motion against the polynomials that were solved."""
    from jounce.limits.forces import MotionForces
    from jounce.limits.time_scaling import Moments

    robot, c = arm(3.0), 1.7
    limits = limits_of(
        robot, velocity=1.0, snap=1.0, effort=1.0, effort_rate=1.0, effort_second_rate=1.0
    )
    t = np.linspace(2.0, 3.5, 9)
    known = Moments(MotionForces(robot), MOVE, limits, t).plain
    got = np.polynomial.polynomial.polyval(c, known.coefficients).reshape(-1, 2, 9)
    motion = ScaledTrajectory(MOVE, c)(2.0 + (t - 2.0) / c, order=4)
    Q = jounce.inverse_dynamics(robot, *motion)
    wanted = np.array([motion[1], motion[4], *Q]).transpose(0, 2, 1)
    assert_orders_close(got, wanted, INDEPENDENT)


def test_the_largest_factor_may_lie_beyond_a_forbidden_range():
    """A pendulum that swings over the top: gravity alone is too much, speed carries it."""
    builder = jounce.RobotBuilder("pendulum")
    builder.add(
        "bob",
        joint=jounce.joints.revolute((0, 1, 0)),
        inertia=jounce.Inertia(1.0, (0.0, 0.0, 1.0), np.zeros((3, 3))),
        joint_name="pivot",
    )
    robot = builder.build(strict=False)
    # q'' = g sin q needs no effort at factor 1: there the pendulum falls by itself
    fall = jounce.simulation.taylor(robot, ([1.0], [0.0]), None, (0.0, 0.6), order=12)
    t = np.linspace(0.0, 0.6, 60)
    motion = jounce.trajectory.Spline.through(t, fall(t)["q"])
    limits = limits_of(robot, effort=4.0)
    still = jounce.gravity_forces(robot, [1.0])[0, 0]
    assert abs(still) > 4.0
    scaled = scale_to_limits(robot, motion, limits)
    assert scaled.factor > 1.0
    assert check_limits(robot, scaled, limits).ok
    assert not check_limits(robot, ScaledTrajectory(motion, 0.3), limits).ok
    assert not check_limits(robot, ScaledTrajectory(motion, scaled.factor * 1.001), limits).ok


def test_a_joint_that_mimics_another_moves_along():
    builder = jounce.RobotBuilder("gripper")
    finger = jounce.Inertia(0.1, (0.0, 0.0, 0.02), 1e-4 * np.eye(3))
    slide = jounce.joints.prismatic((1, 0, 0))
    tight = jounce.Limits(velocity=0.3)
    builder.add("left", joint=slide, inertia=finger, joint_name="grip")
    builder.add("right", joint=slide, inertia=finger, mimic=("grip", -2.0, 0.0), limits=tight)
    robot = builder.build()
    close = Polynomial.rest_to_rest([0.0], [0.04], 1.0)
    scaled = scale_to_limits(robot, close, MotionLimits.of(robot))
    assert_close(np.abs(scaled(scaled.duration / 2.0, order=1)[1]), [0.15], INDEPENDENT)
    pushed = scale_to_limits(robot, close, limits_of(robot, effort=2.0))
    t = np.linspace(0.0, pushed.duration, 20_001)
    force = (0.1 + 2.0**2 * 0.1) * np.abs(pushed(t, order=2)[2]).max()
    assert_close(force, 2.0, 1e-7)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("coulomb", "speed", "bounds"),
    [
        (0.05, 0.003, {"effort": 60.0, "effort_rate": 200.0}),
        (0.5, 0.01, {"effort": 60.0, "effort_rate": 400.0}),
        (3.0, 0.01, {"effort": 60.0, "effort_rate": 400.0, "velocity": 3.0}),
        (3.0, 0.001, {"effort_rate": 20.0}),
        (0.5, 0.1, {"effort_second_rate": 2000.0}),
        (3.0, 0.01, {"effort": [18.0, 9.0]}),
    ],
)
@pytest.mark.parametrize("is_moving_at_ends", [False, True])
def test_with_dry_friction_no_faster_motion_holds(coulomb, speed, bounds, is_moving_at_ends: bool):
    """Brute force: of many factors above the one that is found, none keeps the limits."""
    robot = arm(0.1, coulomb=coulomb, speed=speed, offset=0.3)
    points = [[0.2, -0.5], [0.5, 0.4], [0.1, 0.9], [0.4, 0.2]]
    motion = (
        Polynomial.through([2.0, 2.4, 3.0, 3.5], points, smoothness=4)
        if is_moving_at_ends
        else MOVE
    )
    limits = limits_of(robot, **bounds)
    on_the_limit(robot, motion, limits, [1.001, *np.geomspace(1.003, 100.0, 25)])


class Wavy:
    """A motion whose speed goes from 0.1 to 1.9."""

    n, t0, duration = 1, 0.0, 2.0 * np.pi

    def __call__(self, t, order: int = 4) -> np.ndarray:
        t = np.asarray(t, dtype=float)
        rates = [np.sin(t + k * np.pi / 2.0) * 0.9 for k in range(order)]
        return np.stack([t - 0.9 * np.cos(t), 1.0 + rates[0], *rates[1:]])[..., None]


def test_dry_friction_may_allow_a_fast_and_a_slow_range():
    """Its rate is largest at speeds near that of smoothing: slower holds and faster holds."""
    robot = dry_cart(50.0, 0.02)
    held = {}
    for bound, factors in ((3.0, [0.06]), (3.5, [0.06, 0.75])):
        limits = limits_of(robot, effort_rate=bound)
        scaled, _ = on_the_limit(robot, Wavy(), limits, np.geomspace(1.001, 20.0, 20))
        tried = [scaled.factor, 0.3, *factors]
        held[bound] = [check_limits(robot, ScaledTrajectory(Wavy(), x), limits).ok for x in tried]
        assert 0.04 < scaled.factor < 0.09 if bound == 3.0 else 0.8 < scaled.factor < 0.9
    assert held == {3.0: [True, False, True], 3.5: [True, False, True, True]}


def test_only_dry_friction_limits_the_speed():
    """At v = 0 its rate is ``C a / s`` of the acceleration a, all else has none."""
    robot = dry_cart(3.0, 0.01)
    throw = Polynomial([[0.0], [2.0], [-1.0]], duration=2.2)
    scaled = scale_to_limits(robot, throw, limits_of(robot, effort_rate=600.0))
    assert_close(scaled.factor, np.sqrt(600.0 * 0.01 / (2.0 * 3.0)), 1e-9)


def test_viscous_friction_alone_limits_the_rate():
    """Of a constant acceleration inertia demands a constant effort."""
    robot = dry_cart(0.0, 0.01, viscous=5.0)
    throw = Polynomial([[0.0], [2.0], [-1.0]], duration=2.2)
    scaled = scale_to_limits(robot, throw, limits_of(robot, effort_rate=90.0))
    assert_close(scaled.factor, 3.0, 1e-9)


def test_dry_friction_that_no_speed_allows_is_told():
    robot = arm(0.1, coulomb=3.0, speed=0.01)
    with pytest.raises(InfeasibleError, match=r"cannot hold gravity at t = .*the limit is 2 "):
        scale_to_limits(robot, MOVE, limits_of(robot, effort=2.0, effort_rate=400.0))
    still = Fourier([[0.0, 0.0]], [[0.0, 0.0]], 1.0)
    with pytest.raises(InfeasibleError, match="nothing limits"):
        scale_to_limits(robot, still, limits_of(robot, effort=60.0, effort_rate=9.0))


def test_what_no_speed_allows_is_told():
    robot = arm()
    with pytest.raises(
        InfeasibleError,
        match=r"joint 'shoulder' cannot hold gravity at t = .*the limit is 2 \(margin -",
    ):
        scale_to_limits(robot, MOVE, limits_of(robot, effort=2.0))
    with pytest.raises(InfeasibleError, match=r"position of 'elbow' is 0\.9 at .*0\.4 beyond"):
        scale_to_limits(robot, MOVE, limits_of(robot, upper=[9.0, 0.5]))
    with pytest.raises(InfeasibleError, match="velocity of joint 'shoulder' exceeds its limit 0"):
        scale_to_limits(robot, MOVE, limits_of(robot, velocity=0.0))


def test_too_few_rounds_are_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("jounce.limits.time_scaling.ROUNDS", 0)
    with pytest.raises(ConvergenceError, match="give more samples") as caught:
        scale_to_limits(arm(), MOVE, limits_of(arm(), velocity=1.0))
    assert isinstance(caught.value, JounceError)
    assert isinstance(caught.value, ArithmeticError)


def test_what_nothing_limits_is_told():
    robot = arm()
    still = Fourier([[0.0, 0.0]], [[0.0, 0.0]], 1.0)
    with pytest.raises(InfeasibleError, match="nothing limits"):
        scale_to_limits(robot, MOVE, limits_of(robot))
    with pytest.raises(InfeasibleError, match="nothing limits"):
        scale_to_limits(robot, still, limits_of(robot, velocity=1.0, effort=100.0))
    same = Polynomial.through([-10.0, -4.0, -3.0, 10.0], [[-7.8, 0.3]] * 4, smoothness=2)
    assert not same(np.linspace(-10.0, 10.0, 50), order=5)[1:].any(), "not even by rounding"
    with pytest.raises(InfeasibleError, match="nothing limits"):
        scale_to_limits(robot, same, limits_of(robot, snap=1.0))
