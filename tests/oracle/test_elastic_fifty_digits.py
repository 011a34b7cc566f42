"""Elastic drives on trees of every joint kind against Kane's equations at 50 digits."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

import jounce
from jounce.elastic import Antagonistic, SeriesElastic, VariableStiffness
from tests.fifty_digits import Referee, every_joint
from tests.tolerances import INDEPENDENT, assert_close

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("interpreted")]
INVERTED = 1e-9  # of scale, where the mass matrix is inverted
J, G = 0.3, 40.0


def random_motion(robot: jounce.Robot, count: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(11)
    return robot.random_configuration(rng), rng.normal(size=(count, robot.nv))


@pytest.mark.parametrize("loaded", [False, True])
def test_series_elastic_beside_a_free_and_a_ball_joint(loaded: bool):
    robot = every_joint()
    q, rates = random_motion(robot, 6)
    load = {"tool": np.random.default_rng(3).normal(size=(3, 6))} if loaded else None
    Q = Referee(robot, q, *rates).forces(load)  # order 4
    drives = SeriesElastic(robot, 500.0, J, gear_ratio=2.0)
    has_motor = np.ones(robot.nv, dtype=bool)
    angles = np.zeros(robot.nv)
    for joint in robot.joints:
        has_motor[joint.v_slice] = joint.quaternion is None
        if joint.quaternion is None:
            angles[joint.v_slice] = q[joint.q_slice]
    x = np.where(has_motor, [angles, *rates[:4]], 0.0)
    theta = [a + b for a, b in zip(x, np.where(has_motor, Q / 500.0, 0.0), strict=True)]
    torques = [np.where(has_motor, J * theta[k + 2], 0.0) + Q[k] for k in range(3)]

    found = drives.feedforward(q, *rates[:4], wrenches=load)
    for k, name in enumerate(("theta", "theta1", "theta2")):
        assert_close(getattr(found, name), 2.0 * theta[k], INDEPENDENT, what=name)
    assert_close(found.torque, torques[0] / 2.0, INDEPENDENT)
    speed = np.where(has_motor, theta[1], rates[0])
    assert_close(found.power, torques[0] * speed, INDEPENDENT)
    for got, wanted in zip(drives.torques(q, *rates, wrenches=load), torques, strict=True):
        assert_close(got, wanted / 2.0, INDEPENDENT)

    state = q, rates[0], 2.0 * theta[0], 2.0 * theta[1]
    a, theta2 = drives.forward_dynamics(*state, torques[0] / 2.0, wrenches=load)
    assert_close(a, rates[1], INVERTED)
    assert_close(theta2, 2.0 * theta[2], INVERTED)
    series = drives.series(*state, np.array(torques) / 2.0, wrenches=load)
    scales = _scales(robot, q, 500.0, rates)
    for k, scale in enumerate(scales):
        assert_close(series[k], rates[k + 1], INVERTED, what=f"links {k}", scale=scale)
        assert_close(series[3 + k], 2.0 * theta[k + 2], INVERTED, what=f"motors {k}", scale=scale)


def test_variable_stiffness():
    """State and torques made of Q at 50 digits lead back to the motion they were made of."""
    robot = every_joint(quaternions=False)
    q, rates = random_motion(robot, 6)
    rng = np.random.default_rng(4)
    K = np.concatenate([rng.uniform(900, 1500, (1, robot.nv)), rng.normal(size=(4, robot.nv))])
    Q = Referee(robot, q, *rates).forces()
    x = [q, *rates[:4]]
    bend = _quotient(Q, K)
    theta, sigma = [a + b for a, b in zip(x, bend, strict=True)], K / G
    load = 0.5 * G * np.array(_product(bend, bend))
    first = [J * theta[k + 2] + Q[k] for k in range(3)]
    second = [0.1 * sigma[k + 2] + load[k] for k in range(3)]
    torques = np.concatenate([first, second], axis=1)
    drives = VariableStiffness(robot, J, adjuster_inertia=0.1, gain=G)
    state = q, rates[0], theta[0], theta[1], sigma[0], sigma[1]
    _leads_back(drives, state, torques, rates, K, (theta[2:], sigma[2:]))

    # two motors that pull: φ₁,₂ = ½ (K/k ± 2 Q/K)
    stretches = [[0.5 * (K[k] / G + side * 2.0 * bend[k]) for k in range(5)] for side in (1, -1)]
    motors = [
        [x[k] + side * s[k] for k in range(5)] for side, s in zip((1, -1), stretches, strict=True)
    ]
    pulls = [
        side * 0.5 * G * np.array(_product(s, s))
        for side, s in zip((1, -1), stretches, strict=True)
    ]
    torques = np.concatenate(
        [[J * m[k + 2] + p[k] for k in range(3)] for m, p in zip(motors, pulls, strict=True)],
        axis=1,
    )
    pair = Antagonistic(robot, G, J)
    state = q, rates[0], motors[0][0], motors[0][1], motors[1][0], motors[1][1]
    _leads_back(pair, state, torques, rates, K, (motors[0][2:], motors[1][2:]))


def _leads_back(drives, state, torques, rates, K, accelerations):
    for got, wanted in zip(drives.torques(K, state[0], *rates), torques, strict=True):
        assert_close(got, wanted, INDEPENDENT)
    for got, wanted in zip(drives.state(K, state[0], *rates), state, strict=True):
        assert_close(got, wanted, INDEPENDENT)
    a, *motors = drives.forward_dynamics(*state, torques[0])
    assert_close(a, rates[1], INVERTED)
    for got, wanted in zip(motors, accelerations, strict=True):
        assert_close(got, wanted[0], INVERTED)
    for got, wanted in zip(drives.flat_state(*state), (*rates[1:3], K[0], K[1]), strict=True):
        assert_close(got, wanted, INVERTED)
    assert_close(drives.linearizing_torque(*state, rates[3], K[2]), torques[0], INVERTED)
    rows = drives.series(*state, torques)
    for k, scale in enumerate(_scales(drives.robot, state[0], K[0].max(), rates)):
        assert_close(rows[k], rates[k + 1], INVERTED, scale=scale)
        for i, wanted in enumerate(accelerations):
            assert_close(rows[3 * (i + 1) + k], wanted[k], INVERTED, scale=scale)


def _scales(robot: jounce.Robot, q: np.ndarray, K: float, rates: np.ndarray) -> list[float]:
    """Return the scales of a, a', a'': springs make rates as large as their frequency ω allows.

    ω² is the largest eigenvalue of M⁻¹ K; rounding of θ alone changes a'' by ω² times that of a.
    """
    omega = np.sqrt(K / np.linalg.eigvalsh(jounce.mass_matrix(robot, q)[0])[0])
    return [float(omega**k * np.abs(rates[1]).max()) for k in range(3)]


def _product(x, y):
    return [sum(comb(k, i) * x[i] * y[k - i] for i in range(k + 1)) for k in range(len(x))]


def _quotient(a, b):
    x: list[np.ndarray] = []
    for k in range(len(a)):
        x.append((a[k] - sum(comb(k, i) * x[i] * b[k - i] for i in range(k))) / b[0])
    return x
