"""Physics of simulated motions: conservation laws, planned motions, placed poles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import jounce
from jounce.elastic import (
    Antagonistic,
    ExtendedController,
    SeriesElastic,
    TrackingController,
    VariableStiffness,
)
from jounce.simulation import PlannedForces, taylor
from tests.elastic_swing import ARM, STIFFNESS, SWING
from tests.tolerances import assert_close

POLES = np.array([-8.0, -9.0, -10.0 + 4.0j, -10.0 - 4.0j])


def energy_drift(robot: jounce.Robot, states: dict[str, np.ndarray]) -> float:
    T = jounce.kinetic_energy(robot, states["q"], states["v"])[0]
    E = T + jounce.potential_energy(robot, states["q"], states["v"])[0]
    return float(np.abs(E - E[0]).max() / T.max())


@pytest.mark.slow
def test_energy_of_a_free_seven_joint_pendulum():
    robot = jounce.examples.chain(7)
    assert (
        energy_drift(robot, taylor(robot, (np.full(7, 0.3), np.zeros(7)), t=(0, 10)).states) < 1e-12
    )


def test_energy_of_a_double_pendulum():
    assert energy_drift(ARM, taylor(ARM, ([0.3, 0.3], [0, 0]), t=(0, 10)).states) < 1e-12


def spinning_body(joint: Any) -> jounce.Robot:
    b = jounce.RobotBuilder("top", gravity=(0, 0, 0))
    b.add("body", joint=joint, inertia=jounce.Inertia(2.0, [0, 0, 0], np.diag([0.3, 0.3, 0.5])))
    return b.build()


@pytest.mark.parametrize("kind", ["spherical", "free"])
def test_torque_free_precession(kind: str):
    """ω turns in the body about its axis with the rate (C − A)/A ω₃; momentum stays."""
    robot = spinning_body(getattr(jounce.joints, kind)())
    spin = np.array([0.4, 0.0, 3.0])
    v = np.r_[spin, [0.5, -0.2, 0.1]] if kind == "free" else spin
    found = taylor(robot, (robot.neutral, v), t=(0, 5), order=12)
    times = np.linspace(0, 5, 11)
    states = found(times)
    angle = (0.5 - 0.3) / 0.3 * 3.0 * times
    wanted = np.c_[0.4 * np.cos(angle), 0.4 * np.sin(angle), np.full(11, 3.0)]
    assert_close(states["v"][:, :3], wanted, 1e-11)
    L = jounce.momentum(robot, found.states["q"], found.states["v"])[0]
    assert_close(L, np.broadcast_to(L[0], L.shape), 1e-12)
    assert energy_drift(robot, found.states) < 1e-12


def test_momentum_of_a_floating_tree(rng: np.random.Generator):
    robot = jounce.examples.random_tree(rng, 3, floating_base=True).with_gravity((0, 0, 0))
    q, v = robot.random_configuration(rng), rng.normal(size=robot.nv)
    found = taylor(robot, (q, v), t=(0, 0.3), order=6, tol=1e-13)
    L = jounce.momentum(robot, found.states["q"], found.states["v"])[0]
    assert_close(L, np.broadcast_to(L[0], L.shape), 1e-9)


def test_energy_of_springs_and_motors():
    K, J = np.array([300.0, 500.0]), 0.1
    robot = SeriesElastic(ARM, K, J)
    x = taylor(robot, ([0.3, 0.1], [0, 0], [0.2, 0.3], [1.0, 0.0]), t=(0, 2), order=12).states
    T = jounce.kinetic_energy(ARM, x["q"], x["v"])[0] + 0.5 * J * (x["theta1"] ** 2).sum(axis=1)
    U = jounce.potential_energy(ARM, x["q"], x["v"])[0]
    U = U + 0.5 * (K * (x["theta"] - x["q"]) ** 2).sum(axis=1)
    assert_close(T + U, np.full(len(T), (T + U)[0]), 1e-12, scale=T.max())


@pytest.mark.parametrize(
    "drives",
    [
        ARM,
        SeriesElastic(ARM, 500.0, 0.1, gear_ratio=[-2.0, 3.0]),
        SeriesElastic(ARM, [np.inf, 500.0], 0.1, gear_ratio=[-2.0, 3.0]),
        VariableStiffness(ARM, 0.1, adjuster_inertia=0.02, gain=100.0),
        Antagonistic(ARM, 200.0, 0.1),
    ],
    ids=["rigid", "elastic", "mixed", "variable", "antagonistic"],
)
def test_planned_motions_are_reproduced(drives: Any):
    is_variable = isinstance(drives, VariableStiffness | Antagonistic)
    plan = PlannedForces(drives, SWING, STIFFNESS if is_variable else None)
    times = np.linspace(0, 1, 21)
    states = taylor(drives, plan.state(0.0), plan, order=8)(times)
    assert_close(states["q"], SWING(times, order=0)[0], 1e-10)
    K = STIFFNESS(times, order=0)[0]
    if isinstance(drives, VariableStiffness):
        assert_close(100.0 * states["adjuster"], K, 1e-10)
    if isinstance(drives, Antagonistic):
        assert_close(200.0 * (states["agonist"] - states["antagonist"]), K, 1e-10)


PANDA_MOTION = jounce.trajectory.Fourier(
    *np.random.default_rng(1).uniform(-0.5, 0.5, size=(2, 2, 7)),
    2.0,
    [0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.8],
)


def panda(first: float) -> SeriesElastic:
    """Return a Panda with springs of 500 … 5000 Nm/rad, the first one given."""
    return SeriesElastic(jounce.load("panda"), [first, *np.linspace(4250.0, 500.0, 6)], 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("first", [5000.0, np.inf])
def test_feedforward_of_the_panda_open_loop(first: float):
    """Two seconds open loop, all joints elastic or the first one rigid.

    An error of the start grows 2000 times (benchmarks/bench_elastic.py), rounding too.
    """
    drives, times = panda(first), np.linspace(0, 2, 41)
    plan = PlannedForces(drives, PANDA_MOTION)
    found = taylor(drives, plan.state(0.0), plan, (0, 2), order=8)(times)
    assert np.abs(found["q"] - PANDA_MOTION(times, order=0)[0]).max() < 1e-7


UPRIGHT = jounce.trajectory.Fourier(
    [[0.6, -0.4], [0.2, 0.1]], [[0.2, 0.1], [0.0, -0.2]], 2.0, [np.pi / 2, 0.0]
)
TINY = 1e-9
SEEN = 1e-14 / TINY  # the tolerance of the simulation, seen from a tiny error


def test_an_error_grows_as_the_linearisation_says():
    """δ' = A(t) δ along the planned motion of an arm that stands up."""
    robot, times = SeriesElastic(ARM, [500.0, 900.0], 0.1), np.linspace(0, 1, 11)
    plan = PlannedForces(robot, UPRIGHT)
    start, error = np.concatenate(plan.state(0.0)), np.linspace(-1.0, 1.0, 8)

    def rhs(t: float, error: np.ndarray) -> np.ndarray:
        return robot.state_matrix(*plan.state(t), plan(t)[0]) @ error

    def simulated(start: np.ndarray) -> np.ndarray:
        states = taylor(robot, start.reshape(4, 2), plan, order=8)(times)
        return np.hstack(list(states.values()))

    wanted = solve_ivp(rhs, (0, 1), error, t_eval=times, method="DOP853", rtol=1e-7, atol=1e-7).y
    found = (simulated(start + TINY * error) - simulated(start)) / TINY
    assert_close(found, wanted.T, SEEN)
    assert np.abs(found[-1, :2]).max() > 10.0


def test_an_error_of_an_arm_at_rest_grows_with_the_largest_eigenvalue():
    """Along the eigenvector the error is exp(λ t) times that of the start."""
    robot, times = SeriesElastic(ARM, [500.0, 900.0], 0.1), np.linspace(0, 2, 11)
    rest = np.array([np.pi / 2, 0.0]), np.zeros(2), np.array([np.pi / 2, 0.0]), np.zeros(2)
    rates, modes = np.linalg.eig(robot.state_matrix(*rest, np.zeros(2)))
    k = int(np.argmax(rates.real))
    rate, mode = rates[k].real, modes[:, k].real
    start = np.array(rest) + TINY * mode.reshape(4, 2)
    states = np.hstack(list(taylor(robot, start, t=(0, 2), order=8)(times).values()))
    found = (states - np.concatenate(rest)) / TINY
    assert rate > 3.0
    assert_close(found, np.exp(rate * times)[:, None] * mode, SEEN)


def wrong_start(
    robot: SeriesElastic, motion: Any = SWING
) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """Return a state 20 % off the plan, and the error e, e', e'', e''' of it."""
    q, v, a, j = 1.2 * motion(0.0, order=3)
    state = (q, v, *robot.motor_state(q, v, a, j))
    return state, np.array([q, v, a, j]) - motion(0.0, order=3)


def placed(error: np.ndarray) -> np.ndarray:
    """Return the error that obeys Π (d/dt − p) e = 0."""
    A = np.eye(4, k=1)
    A[3] = -np.poly(POLES).real[:0:-1]
    return np.array([(expm(A * t) @ error)[0] for t in TIMES])


def held(robot: SeriesElastic, control: Any, sample_time: float) -> np.ndarray:
    """Return the error of a sampled controller."""
    motion, span = control.law.trajectory, (0.0, TIMES[-1])
    state, _ = wrong_start(robot, motion)
    found = taylor(robot, state, t=span, controller=control, sample_time=sample_time)
    return found(TIMES)["q"] - motion(TIMES, order=0)[0]


def continuous(robot: SeriesElastic, control: Any, tolerance: float) -> np.ndarray:
    """Return the error of a controller that is asked all the time, by scipy."""

    def rhs(t: float, y: np.ndarray) -> np.ndarray:
        q, v, theta, theta1 = y.reshape(4, 2)
        a, theta2 = robot.forward_dynamics(q, v, theta, theta1, control(t, q, v, theta, theta1))
        return np.concatenate([v, a, theta1, theta2])

    start, span = np.concatenate(wrong_start(robot)[0]), (0.0, TIMES[-1])
    options: dict[str, Any] = {"method": "DOP853", "rtol": tolerance, "atol": tolerance}
    return solve_ivp(rhs, span, start, t_eval=TIMES, **options).y[:2].T - SWING(TIMES, order=0)[0]


TIMES = np.linspace(0, 1, 11)
ELASTIC = SeriesElastic(ARM, [500.0, 900.0], 0.1)
T = 1e-3


@pytest.fixture(scope="module")
def delayed() -> np.ndarray:
    """The error where the torque comes half a sample late all the time, by scipy."""
    control = TrackingController(ELASTIC, SWING, POLES)

    def late(t: float, *state: np.ndarray) -> np.ndarray:
        motion = np.array([*state[:2], *ELASTIC.flat_state(*state)])
        return ELASTIC.feedforward(*control.law.motion_after(-0.5 * T, t, motion)).torque

    return continuous(ELASTIC, late, 1e-7)


@pytest.fixture(scope="module")
def second_order(delayed: np.ndarray) -> float:
    """The square of what the delay costs, as a part of the error."""
    wanted = placed(wrong_start(ELASTIC)[1])
    return float(np.abs(delayed - wanted).max() / np.abs(wanted).max()) ** 2


def test_feedback_converges_with_the_placed_poles():
    control = TrackingController(ELASTIC, SWING, POLES)
    wanted = placed(wrong_start(ELASTIC)[1])
    assert_close(continuous(ELASTIC, control, 1e-9), wanted, 1e-6)


def test_a_hold_is_a_delay_of_half_a_sample(delayed: np.ndarray, second_order: float):
    """At 1 kHz it costs 7 % of the error; a hold differs from it to second order only."""
    assert 0.06**2 < second_order < 0.08**2
    found = held(ELASTIC, TrackingController(ELASTIC, SWING, POLES), T)
    assert_close(found, delayed, second_order)


def test_a_controller_that_knows_its_sample_time(second_order: float):
    """It errs to second order only: half the sample time, a quarter of the error."""
    wanted = placed(wrong_start(ELASTIC)[1])
    whole, half = (
        held(ELASTIC, TrackingController(ELASTIC, SWING, POLES, h), h) for h in (T, T / 2)
    )
    assert_close(whole, wanted, second_order)
    assert 3.0 < np.abs(whole - wanted).max() / np.abs(half - wanted).max() < 5.0


@pytest.mark.parametrize(
    ("robot", "motion"),
    [
        (SeriesElastic(ARM, [np.inf, 500.0], 0.1), SWING),
        pytest.param(panda(np.inf), PANDA_MOTION, marks=pytest.mark.slow),
    ],
    ids=["planar2r", "panda"],
)
def test_rigid_and_elastic_joints_under_feedback(
    robot: SeriesElastic, motion: Any, second_order: float
):
    """The same poles once the torques of rigid joints, here the planned ones, are states."""
    control = ExtendedController(robot, motion, POLES, T)
    (q, v, theta, theta1), _ = wrong_start(robot, motion)
    torques = robot.torques(*motion(0.0, order=5))
    state = np.array([q, v, *control.extension.flat_state(q, v, theta, theta1, torques)])
    wanted = placed(state - motion(0.0, order=3))
    assert_close(held(robot, control, T), wanted, second_order)
