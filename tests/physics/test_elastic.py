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
from tests.tolerances import assert_close

ARM = jounce.load("planar2r")
SWING = jounce.trajectory.Fourier(
    [[0.6, -0.4], [0.2, 0.1]], [[0.2, 0.1], [0.0, -0.2]], 2.0, [0.3, 0.5]
)
STIFFNESS = jounce.trajectory.Fourier([[30.0, 40.0]], [[20.0, -10.0]], 3.0, [500.0, 300.0])
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


@pytest.mark.slow
@pytest.mark.parametrize("rigid", [False, True])
def test_feedforward_of_the_panda_open_loop(rigid: bool):
    """Two seconds open loop, K = 500 … 5000 Nm/rad, all elastic or the first joint rigid.

    The error of the start, 1e-16, grows by no more than the factor the bound allows.
    """
    robot = jounce.load("panda")
    K = np.linspace(5000.0, 500.0, 7)
    K[0] = np.inf if rigid else K[0]
    drives = SeriesElastic(robot, K, 0.5)
    rng = np.random.default_rng(1)
    middle = np.array([0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.8])
    motion = jounce.trajectory.Fourier(*rng.uniform(-0.5, 0.5, size=(2, 2, 7)), 2.0, middle)
    plan = PlannedForces(drives, motion)
    times = np.linspace(0, 2, 41)
    found = taylor(drives, plan.state(0.0), plan, (0, 2), order=8)(times)
    assert np.abs(found["q"] - motion(times, order=0)[0]).max() < 1e-7


def wrong_start(robot: SeriesElastic) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """Return a state 20 % off the plan, and the error e, e', e'', e''' of it."""
    q, v, a, j = 1.2 * SWING(0.0, order=3)
    state = (q, v, *robot.motor_state(q, v, a, j))
    return state, np.array([q, v, a, j]) - SWING(0.0, order=3)


def placed(error: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return the error that obeys Π (d/dt − p) e = 0."""
    A = np.eye(4, k=1)
    A[3] = -np.poly(POLES).real[:0:-1]
    return np.array([(expm(A * t) @ error)[0] for t in times])


def test_feedback_converges_with_the_placed_poles():
    robot, times = SeriesElastic(ARM, [500.0, 900.0], 0.1), np.linspace(0, 1.5, 16)
    control = TrackingController(robot, SWING, POLES)
    state, error = wrong_start(robot)

    def rhs(t: float, y: np.ndarray) -> np.ndarray:
        q, v, theta, theta1 = y.reshape(4, 2)
        a, theta2 = robot.forward_dynamics(*y.reshape(4, 2), control(t, q, v, theta, theta1))
        return np.concatenate([v, a, theta1, theta2])

    start = np.concatenate(state)
    exact = solve_ivp(rhs, (0, 1.5), start, t_eval=times, method="DOP853", rtol=1e-9, atol=1e-10)
    wanted = placed(error, times)
    plan = SWING(times, order=0)[0]
    assert_close(exact.y[:2].T - plan, wanted, 1e-6)
    held = [
        taylor(robot, state, t=(0, 1.5), controller=control, sample_time=T)(times)["q"] - plan
        for T in (1e-3, 5e-4)
    ]
    assert_close(held[0], wanted, 0.1)
    misses = [np.abs(e - wanted).max() for e in held]
    assert 1.8 < misses[0] / misses[1] < 2.2, "what the hold costs falls with the sample time"


def test_rigid_and_elastic_joints_under_feedback():
    robot, times = SeriesElastic(ARM, [np.inf, 500.0], 0.1), np.linspace(0, 1.5, 16)
    state, _ = wrong_start(robot)
    control = ExtendedController(robot, SWING, POLES, 1e-3)
    states = taylor(robot, state, t=(0, 1.5), controller=control, sample_time=1e-3)(times)
    error = np.abs(states["q"] - SWING(times, order=0)[0]).max(axis=1)
    assert error[0] > 0.05
    assert error[-1] < 5e-2 * error[0]  # what the hold costs
