"""Variable stiffness: both models against a computation by hand."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.elastic import Antagonistic, VariableStiffness
from jounce.errors import ModelError, ShapeError
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close

pytestmark = pytest.mark.usefixtures("interpreted")

ARM = jounce.load("planar2r")
MOTION = jounce.trajectory.Fourier([[0.6, -0.4], [0.2, 0.1]], [[0.2, 0.1], [0.0, -0.2]], 2.0)
STIFFNESS = jounce.trajectory.Fourier([[30.0, 40.0]], [[20.0, -10.0]], 3.0, [500.0, 300.0])
T, H = 0.7, 1e-3


def second_difference(values: np.ndarray) -> np.ndarray:
    """Return the second derivative in the middle of seven samples, to sixth order."""
    weights = np.array([2, -27, 270, -490, 270, -27, 2]) / (180 * H * H)
    return weights @ values


def samples() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return q, Q and K around the time T."""
    times = T + H * np.arange(-3, 4)
    q, v, a = MOTION(times, order=2)
    return q, jounce.inverse_dynamics(ARM, q, v, a)[0], STIFFNESS(times, order=0)[0]


def test_independent_stiffness():
    robot = VariableStiffness(ARM, 0.1, adjuster_inertia=0.02, gain=100.0)
    found = robot.feedforward(*MOTION(T), STIFFNESS(T, order=2))
    q, Q, K = samples()
    theta, sigma = q + Q / K, K / 100.0
    assert_close(found.theta, theta[3], ROUNDOFF)
    assert_close(found.torque, 0.1 * second_difference(theta) + Q[3], 1e-8)
    adjuster = found.adjuster
    load = 50.0 * (Q[3] / K[3]) ** 2
    assert_close(adjuster.torque, 0.02 * second_difference(sigma) + load, 1e-8)
    assert_close(adjuster.power, adjuster.torque * adjuster.theta1, ROUNDOFF)


def test_antagonistic_motors():
    robot = Antagonistic(ARM, 200.0, 0.1)
    first, second = robot.feedforward(*MOTION(T), STIFFNESS(T, order=2))
    q, Q, K = samples()
    for found, side in ((first, 1.0), (second, -1.0)):
        stretch = 0.5 * (K / 200.0 + side * 2.0 * Q / K)
        theta, pull = q + side * stretch, side * 100.0 * stretch**2
        assert_close(found.theta, theta[3], ROUNDOFF)
        assert_close(found.torque, 0.1 * second_difference(theta) + pull[3], 1e-8)
    assert_close(first.spring_torque + second.spring_torque, Q[3], INDEPENDENT)
    assert_close(200.0 * (first.theta - second.theta), K[3], INDEPENDENT)


def test_constant_stiffness_is_a_series_elastic_joint():
    K = np.array([500.0, 300.0])
    found = VariableStiffness(ARM, 0.1).feedforward(*MOTION(T), np.array([K, 0 * K, 0 * K]))
    wanted = jounce.elastic.SeriesElastic(ARM, K, 0.1).feedforward(*MOTION(T))
    for got, expected in zip(found, wanted, strict=True):
        assert_close(got, expected, ROUNDOFF)


@pytest.mark.parametrize("count", [3, 4])
def test_one_motion_with_many_stiffnesses(rng: np.random.Generator, count: int):
    """Three of them, as many as there are derivatives, are no special case."""
    K = np.array([500.0, 300.0]) + rng.normal(size=(3, count, 2))
    for robot in (VariableStiffness(ARM, 0.1), Antagonistic(ARM, 200.0, 0.1)):
        found = robot.torques(K, *MOTION(T))
        alone = [robot.torques(K[:, k], *MOTION(T))[0] for k in range(count)]
        assert_close(found[0], alone, ROUNDOFF)
    with pytest.raises(ShapeError, match=rf"batch \({count},\).*\(2,\)"):
        VariableStiffness(ARM, 0.1).torques(K, *MOTION([T, T]))


def test_feedforward_under_a_wrench(rng: np.random.Generator):
    """A wrench changes the joint torque alone; W, W' and W'' do so for its derivatives."""
    load, K = {ARM.bodies[-1].name: rng.normal(size=(3, 6))}, STIFFNESS(T, order=2)
    Q = jounce.inverse_dynamics(ARM, *MOTION(T), wrenches=load)
    found = VariableStiffness(ARM, 0.1).feedforward(*MOTION(T), K, wrenches=load)
    bend = Q[0] / K[0]
    bend1 = (Q[1] - K[1] * bend) / K[0]
    bend2 = (Q[2] - 2.0 * K[1] * bend1 - K[2] * bend) / K[0]
    assert_close(found.torque, 0.1 * (MOTION(T)[2] + bend2) + Q[0], ROUNDOFF)
    first, second = Antagonistic(ARM, 200.0, 0.1).feedforward(*MOTION(T), K, wrenches=load)
    assert_close(first.spring_torque + second.spring_torque, Q[0], INDEPENDENT)


def test_bad_input():
    x, K = np.ones(2), np.full((3, 2), 500.0)
    robot = VariableStiffness(ARM, 0.1)
    with pytest.raises(ShapeError, match=r"fourth derivative.*4 arrays"):
        robot.feedforward(x, x, x, x, stiffness=K)
    for wrong in (None, K[:2], K[0]):
        with pytest.raises(ShapeError, match=r"K, K', K''"):
            robot.feedforward(x, x, x, x, x, wrong)
    with pytest.raises(ModelError, match=r"joint2.*positive"):
        robot.feedforward(x, x, x, x, x, K * [1.0, 0.0])
    with pytest.raises(ModelError, match="adjuster_inertia"):
        VariableStiffness(ARM, 0.1, adjuster_inertia=0.0)
    with pytest.raises(ModelError, match="motor_inertia"):
        Antagonistic(ARM, 200.0, -1.0)
    with pytest.raises(ModelError, match=r"slack.*sqrt"):
        Antagonistic(ARM, 200.0, 0.1).feedforward(x, x, x, x, x, K / 100.0)


def test_a_changed_feedforward_keeps_its_adjuster():
    found = VariableStiffness(ARM, 0.1).feedforward(*MOTION(T), STIFFNESS(T, order=2))
    changed = found._replace(torque=np.zeros(2))
    assert changed.adjuster is found.adjuster
    assert (changed.torque == 0.0).all()
    assert found._replace(adjuster=found).adjuster is found
