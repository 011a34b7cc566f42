"""Springs in the drives of parallel robots."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.elastic import SeriesElastic
from tests.tolerances import ROUNDOFF, assert_close

pytestmark = pytest.mark.usefixtures("interpreted")


def test_feedforward_of_a_stewart_platform(rng: np.random.Generator):
    """θ = q + Q/K with its derivatives, and what the motors must exert: M20 (2), (3)."""
    robot = jounce.examples.stewart()
    slides = [f"slide_{i}" for i in range(6)]
    columns = [robot.joint(name).v_slice.start for name in slides]
    stiffness, inertia = np.full(robot.nv, np.inf), np.zeros(robot.nv)
    stiffness[columns], inertia[columns] = rng.uniform(1e5, 2e5, 6), rng.uniform(5, 9, 6)
    drives = SeriesElastic(robot, stiffness, inertia)
    given = rng.standard_normal((4, 6))
    rates = jounce.closed_rates(robot, robot.neutral, *given, independent="plate_joint")
    found = drives.feedforward(robot.neutral, *rates)
    Q, _ = jounce.constrained_inverse_dynamics(robot, robot.neutral, *rates, actuated=slides)
    K, J = stiffness[columns], inertia[columns]
    theta2 = rates[1][columns] + Q[2] / K
    assert_close(found.spring_torque[columns], Q[0], ROUNDOFF)
    assert_close(found.theta1[columns], rates[0][columns] + Q[1] / K, ROUNDOFF)
    assert_close(found.torque[columns], J * theta2 + Q[0], ROUNDOFF)
    passive = [j for j in range(robot.nv) if j not in columns]
    assert not found.torque[passive].any()
    assert_close(drives.torques(robot.neutral, *rates)[0][columns], found.torque[columns], ROUNDOFF)
    with pytest.raises(jounce.UnsupportedError, match="constrained_forward_dynamics"):
        drives.forward_dynamics(robot.neutral, *np.zeros((4, robot.nv)))
