"""Series-elastic joints: feedforward, flat state, linearisation, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jounce
from jounce.elastic import DynamicExtension, SeriesElastic, TrackingController, VariableStiffness
from jounce.errors import (
    ArgumentError,
    ModelError,
    NotFiniteError,
    ShapeError,
    SingularError,
    UnsupportedError,
)
from tests.floating_walker import walker
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close

pytestmark = pytest.mark.usefixtures("interpreted")

K, J = np.array([300.0, 900.0]), np.array([0.1, 0.3])
ARM = jounce.load("planar2r")
TIP = ARM.bodies[-1].name
TRAJECTORY = jounce.trajectory.Fourier([[0.3, 0.2]], [[0.0, 0.1]], 2.0)


def motion(rng: np.random.Generator, *batch: int, n: int = 2) -> list[np.ndarray]:
    return list(rng.normal(size=(5, *batch, n)))


def by_hand(robot: jounce.Robot, state: Any, **options: Any) -> tuple[np.ndarray, ...]:
    """Return θ, θ', θ'', τ and Q of the two joints from inverse dynamics alone."""
    Q = jounce.inverse_dynamics(robot, *state, **options)
    theta = [x + f / K for x, f in zip(state, Q, strict=False)]
    return (*theta, J * theta[2] + Q[0], Q[0], Q[1])


@pytest.mark.parametrize("batch", [(), (3,), (2, 3)])
def test_feedforward_is_what_inverse_dynamics_says(rng: np.random.Generator, batch: tuple):
    state = motion(rng, *batch)
    found = SeriesElastic(ARM, K, J).feedforward(*state)
    for got, wanted in zip(found, by_hand(ARM, state), strict=False):
        assert_close(got, wanted, ROUNDOFF)
    assert_close(found.power, found.torque * found.theta1, ROUNDOFF)


def test_feedforward_under_a_wrench(rng: np.random.Generator):
    state, load = motion(rng), {ARM.bodies[-1].name: rng.normal(size=(3, 6))}
    found = SeriesElastic(ARM, K, J).feedforward(*state, wrenches=load)
    wanted = by_hand(ARM, state, wrenches=load)
    for got, expected in zip(found, wanted, strict=False):
        assert_close(got, expected, ROUNDOFF)
    assert np.abs(found.torque - by_hand(ARM, state)[3]).max() > 0.1
    a, theta2 = SeriesElastic(ARM, K, J).forward_dynamics(
        *state[:2], found.theta, found.theta1, found.torque, wrenches=load
    )
    assert_close(a, state[2], INDEPENDENT)
    assert_close(theta2, found.theta2, INDEPENDENT)


def test_the_gear_converts_to_the_motor_side(rng: np.random.Generator):
    state, n = motion(rng), np.array([-50.0, 100.0])
    joint = SeriesElastic(ARM, K, J).feedforward(*state)
    geared = SeriesElastic(ARM, K, J, gear_ratio=n)
    motor = geared.feedforward(*state)
    assert_close(motor.theta, n * joint.theta, ROUNDOFF)
    assert_close(motor.torque, joint.torque / n, ROUNDOFF)
    assert_close(motor.power, joint.power, ROUNDOFF)
    assert_close(geared.torques(*state)[0], motor.torque, ROUNDOFF)
    a, theta2 = geared.forward_dynamics(*state[:2], motor.theta, motor.theta1, motor.torque)
    assert_close(a, state[2], INDEPENDENT)
    assert_close(theta2, motor.theta2, INDEPENDENT)
    assert_close(geared.flat_state(*state[:2], motor.theta, motor.theta1)[1], state[3], INDEPENDENT)


def test_there_and_back(rng: np.random.Generator):
    robot, state = SeriesElastic(ARM, K, J), motion(rng, 3)
    q, v, a, j, s = state
    theta, theta1 = robot.motor_state(q, v, a, j)
    found = robot.flat_state(q, v, theta, theta1)
    assert_close(found[0], a, INDEPENDENT)
    assert_close(found[1], j, INDEPENDENT)
    torque = robot.linearizing_torque(q, v, theta, theta1, s)
    assert_close(torque, robot.feedforward(*state).torque, INDEPENDENT)


def rounding(robot: SeriesElastic, q: np.ndarray, torque: np.ndarray) -> float:
    """Return how far q⁽⁴⁾ is off when torques at the joints are rounded.

    A torque off by ε Q gives a off by |M⁻¹| ε Q and θ'' off by ε Q / J; of their difference the
    spring makes K times that in Q'', and the links |M⁻¹| times that in q⁽⁴⁾.
    """
    M = jounce.mass_matrix(robot.links, q)[0]
    mobility = np.linalg.norm(np.linalg.inv(M), 2)
    K, J = robot.stiffness[~robot.rigid].max(), robot.motor_inertia.min()
    return np.finfo(float).eps * np.abs(torque).max() * (mobility + 1.0 / J) * K * mobility


@pytest.mark.parametrize("representation", ["body", "spatial", "hybrid"])
def test_the_torque_gives_the_wanted_fourth_derivative(
    rng: np.random.Generator, representation: str
):
    """Also under a wrench that changes: it takes W, W' and W''."""
    robot = SeriesElastic(ARM, K, J)
    load = {TIP: jounce.Wrench(rng.normal(size=(3, 6)), representation)}
    q, v, theta, theta1, q4 = motion(rng)
    theta, theta1 = q + 1e-3 * theta, v + 1e-3 * theta1  # as far as springs are stretched
    torque = robot.linearizing_torque(q, v, theta, theta1, q4, wrenches=load)
    rows = robot.series(q, v, theta, theta1, np.array([torque, 0 * q, 0 * q]), wrenches=load)
    added = np.abs(K * (theta - q)) + np.abs(jounce.inverse_dynamics(ARM, q, v, 0 * q)[0])
    assert np.abs(rows[2] - q4).max() < rounding(robot, q, added)


@pytest.mark.parametrize("stiffness", [[np.inf, 500.0], [500.0, np.inf], [np.inf, np.inf]])
def test_rigid_joints_are_exact(rng: np.random.Generator, stiffness: list[float]):
    robot, state = SeriesElastic(ARM, stiffness, J, gear_ratio=[2.0, -3.0]), motion(rng)
    rigid = robot.rigid
    found = robot.feedforward(*state)
    motored = jounce.inverse_dynamics(ARM, *state)[0] + J * state[2]
    assert_close((found.torque * robot.gear_ratio)[rigid], motored[rigid], ROUNDOFF)
    assert_close(found.theta[rigid], (robot.gear_ratio * state[0])[rigid], ROUNDOFF)
    a, theta2 = robot.forward_dynamics(*state[:2], found.theta, found.theta1, found.torque)
    assert_close(a, state[2], INDEPENDENT)
    assert_close(theta2, found.theta2, INDEPENDENT)
    with pytest.raises(UnsupportedError, match=r"dynamic extension.*joint"):
        robot.flat_state(*state[:2], found.theta, found.theta1)
    with pytest.raises(UnsupportedError, match="Rigid joints: joint"):
        TrackingController(robot, TRAJECTORY, [-1, -2, -3, -4])


def test_a_dynamic_extension_linearises_rigid_and_elastic_joints(rng: np.random.Generator):
    robot, state = SeriesElastic(ARM, [np.inf, 500.0], J, gear_ratio=[2.0, -3.0]), motion(rng)
    q, v, a, j, s = state
    load = {"wrenches": {TIP: rng.normal(size=(4, 6))}}
    extended, torques = DynamicExtension(robot), robot.torques(*state, rng.normal(size=2), **load)
    drive = robot.feedforward(*state, **load)
    found = extended.flat_state(q, v, drive.theta, drive.theta1, torques, **load)
    assert_close(found[0], a, INDEPENDENT)
    assert_close(found[1], j, INDEPENDENT)
    torque, second = extended.linearizing(q, v, a, j, s, **load)
    given = np.array([np.where(robot.rigid, torques[0], torque), torques[1], second])
    error = np.abs(robot.series(q, v, drive.theta, drive.theta1, given, **load)[2] - s).max()
    assert error < rounding(robot, q, 500.0 * drive.theta / robot.gear_ratio)  # θ is rounded


def test_spring_damping_is_refused_where_flatness_is_lost(rng: np.random.Generator):
    robot, state = SeriesElastic(ARM, K, J, damping=[0.0, 2.0]), motion(rng)
    for action in (
        lambda: robot.feedforward(*state),
        lambda: robot.torques(*state),
        lambda: robot.flat_state(*state[:4]),
        lambda: TrackingController(robot, TRAJECTORY, [-1, -2, -3, -4]),
        lambda: DynamicExtension(robot),
    ):
        with pytest.raises(UnsupportedError, match=r"no flat output.*joint2"):
            action()
    q, v, theta, theta1, torque = state
    Q = K * (theta - q) + np.array([0.0, 2.0]) * (theta1 - v)
    a, theta2 = robot.forward_dynamics(*state)
    assert_close(a, jounce.forward_dynamics(ARM, q, v, Q)[0], ROUNDOFF)
    assert_close(theta2, (torque - Q) / J, ROUNDOFF)
    rows = robot.series(q, v, theta, theta1, torque[None])
    assert_close(rows[0], a, ROUNDOFF)
    assert_close(rows[1], theta2, ROUNDOFF)


@pytest.mark.parametrize("damping", [0.0, [3.0, 1.0]])
@pytest.mark.parametrize("stiffness", [[300.0, 900.0], [np.inf, 500.0], [500.0, np.inf]])
def test_the_linearisation(rng: np.random.Generator, stiffness: list[float], damping: Any):
    """Under constant torques x'' = A x', and the series knows x' and x''."""
    n = np.array([2.0, -3.0])
    robot = SeriesElastic(ARM, stiffness, J, damping=damping, gear_ratio=n)
    q, v, theta, theta1, torque = motion(rng, 9)
    theta, theta1 = (np.where(robot.rigid, n * x, y) for x, y in ((q, theta), (v, theta1)))
    load = {"wrenches": {TIP: jounce.Wrench(rng.normal(size=(1, 6)), "hybrid")}}
    A = robot.state_matrix(q, v, theta, theta1, torque, **load)
    for k in range(9):
        state = q[k], v[k], theta[k], theta1[k]
        torques = np.array([torque[k], 0 * torque[k]])
        a, a1, theta2, theta3 = robot.series(*state, torques, **load)
        first = np.concatenate([v[k], a, theta1[k], theta2])
        assert_close(A[k] @ first, np.concatenate([a, a1, theta2, theta3]), INDEPENDENT)


def test_stiff_springs_tend_to_the_rigid_torques(rng: np.random.Generator):
    """The difference is J (Q''/K): it falls as 1/K."""
    state = motion(rng)
    rigid = SeriesElastic(ARM, np.inf, J).feedforward(*state).torque
    errors = [
        np.abs(SeriesElastic(ARM, k, J).feedforward(*state).torque - rigid).max()
        for k in (1e3, 1e4, 1e5)
    ]
    assert_close(np.divide(errors[:-1], errors[1:]), [10.0, 10.0], 1e-6)


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ((0.0, 1.0), ModelError, "stiffness of joint 'joint1' must be positive"),
        (([1.0, -2.0], 1.0), ModelError, "stiffness of joint 'joint2'.*-2"),
        ((np.nan, 1.0), ModelError, "stiffness"),
        (("soft", 1.0), ShapeError, "stiffness must be an array of real numbers"),
        ((1.0, 0.0), ModelError, "motor_inertia of joint 'joint1'"),
        ((1.0, [1.0, -1.0]), ModelError, "motor_inertia of joint 'joint2'"),
        ((1.0, np.inf), ModelError, "motor_inertia"),
        (([1.0, 2.0, 3.0], 1.0), ShapeError, r"stiffness must .* shape \(2,\)"),
        ((1.0, [[1.0]]), ShapeError, "motor_inertia"),
    ],
)
def test_bad_drives(arguments: tuple, error: type[Exception], match: str):
    with pytest.raises(error, match=match):
        SeriesElastic(ARM, *arguments)


def test_bad_options():
    with pytest.raises(TypeError, match=r"jounce.Robot, got str"):
        SeriesElastic("planar2r", K, J)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ModelError, match="damping"):
        SeriesElastic(ARM, K, J, damping=-1.0)
    with pytest.raises(ModelError, match="absolute gear_ratio of joint 'joint1'"):
        SeriesElastic(ARM, K, J, gear_ratio=0.0)
    floating = jounce.load("planar2r", floating_base=True)
    with pytest.raises(UnsupportedError, match=r"root_joint.*quaternion.*must be inf"):
        SeriesElastic(floating, [np.inf] * 5 + [300.0] * 3, J)
    with pytest.raises(UnsupportedError, match=r"free.*with_locked"):
        VariableStiffness(floating, J)


def test_what_a_floating_base_does_not_allow_is_said_by_name(rng: np.random.Generator):
    floating = SeriesElastic(jounce.load("planar2r", floating_base=True), 300.0, J[0])
    assert (floating.stiffness == [np.inf] * 6 + [300.0] * 2).all()
    assert (floating.motor_inertia == [0.0] * 6 + [J[0]] * 2).all()
    q, x = floating.robot.random_configuration(rng), np.ones(8)
    with pytest.raises(UnsupportedError, match=r"flat state.*root_joint"):
        floating.flat_state(q, x, x, x)
    with pytest.raises(UnsupportedError, match=r"motor behind every joint.*root_joint"):
        DynamicExtension(floating)
    with pytest.raises(UnsupportedError, match="root_joint"):
        TrackingController(floating, TRAJECTORY, [-1, -2, -3, -4])


def test_the_linearisation_of_a_floating_robot(rng: np.random.Generator):
    """Against differences, q by tangent increments: δ' = δv − ad(V) δ of base and ball."""
    drives = SeriesElastic(walker(), 200.0, 0.1, damping=2.0, gear_ratio=3.0)
    robot, h = drives.robot, 1e-6
    q, v, theta1, torque = robot.random_configuration(rng), *rng.normal(size=(3, robot.nv))
    theta = rng.normal(size=robot.nv)
    start = q, v, theta, theta1
    has_motor = np.isfinite(drives.stiffness)

    def rates(x: np.ndarray) -> np.ndarray:
        """Return the rate of an error x, as far as it matters: errors of it are of second order."""
        dq, dv, dtheta, dtheta1 = x.reshape(4, -1)
        moved = jounce.integrate(robot, q, dq), v + dv, theta + dtheta, theta1 + dtheta1
        a, theta2 = drives.forward_dynamics(*moved, torque)
        tiny = 1e-4  # how the increment changes while both states move on
        later = (
            jounce.integrate(robot, q, v * tiny),
            jounce.integrate(robot, moved[0], moved[1] * tiny),
        )
        earlier = (
            jounce.integrate(robot, q, -v * tiny),
            jounce.integrate(robot, moved[0], -moved[1] * tiny),
        )
        dq1 = jounce.difference(robot, *later) - jounce.difference(robot, *earlier)
        return np.concatenate([dq1 / (2 * tiny), a, moved[3] * has_motor, theta2])

    found = drives.state_matrix(*start, torque)
    steps = h * np.eye(4 * robot.nv)
    wanted = np.array([(rates(e) - rates(-e)) / (2 * h) for e in steps]).T
    keep = np.concatenate([np.ones(2 * robot.nv, bool), has_motor, has_motor])
    wanted, found = wanted[np.ix_(keep, keep)], found[np.ix_(keep, keep)]
    assert_close(found, wanted, 1e-7)


def test_bad_motions():
    robot, x = SeriesElastic(ARM, K, J), np.ones(2)
    with pytest.raises(ShapeError, match=r"needs q, v, a, j and s.*4 arrays"):
        robot.feedforward(x, x, x, x)
    with pytest.raises(ShapeError, match=r"fourth derivative.*3 arrays"):
        robot.torques(x, x, x)
    with pytest.raises(NotFiniteError, match="j"):
        robot.feedforward(x, x, x, x * np.nan, x)
    with pytest.raises(ShapeError, match="theta"):
        robot.forward_dynamics(x, x, np.ones(3), x, x)
    for poles in ([-1, -2, -3], [-1, -2, -3, 4], [-1 + 1j, -2, -3, -4]):
        with pytest.raises(ArgumentError, match="poles"):
            TrackingController(robot, TRAJECTORY, poles)
    for time in (0.0, -1.0, np.inf, "1"):
        with pytest.raises(ArgumentError, match="sample_time must be positive"):
            TrackingController(robot, TRAJECTORY, [-1, -2, -3, -4], time)  # pyright: ignore[reportArgumentType]
    wrong = jounce.trajectory.Fourier([[0.3]], [[0.1]], 2.0)
    with pytest.raises(ShapeError, match="1 coordinates"):
        TrackingController(robot, wrong, [-1, -2, -3, -4])


def test_links_without_mass_are_named():
    """The motor inertia does not help: it stands behind the spring."""
    b = jounce.RobotBuilder("light")
    b.add(
        "a",
        joint=jounce.joints.revolute([0, 0, 1]),
        inertia=jounce.Inertia(1, [1, 0, 0], np.eye(3)),
    )
    b.add("b", "a", jounce.joints.revolute([0, 0, 1]), joint_name="tip", armature=0.5)
    light = SeriesElastic(b.build(), K, J)
    x = np.ones(2)
    with pytest.raises(SingularError, match="tip"):
        light.forward_dynamics(x, x, x, x, x)
    with pytest.raises(SingularError, match="tip"):
        jounce.simulation.taylor(light, (x, x, x, x), order=4)
