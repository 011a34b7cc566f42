"""The recursion of any order beyond the orders that the oracle holds."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.literature.chain import from_robot
from jounce.literature.km21_recursive import inverse_dynamics
from tests import oracle_data as oracle
from tests.tolerances import INDEPENDENT, assert_orders_close


@pytest.mark.parametrize("name", ["chain5_open", "panda_gaz"])
def test_forces_to_order_eight(name: str) -> None:
    """The jets of the library share no formula with the sums of B_{i,j}."""
    robot = oracle.robot(name)
    q = np.random.default_rng(0).normal(size=(11, robot.nv))
    got = inverse_dynamics(from_robot(robot), q)
    assert_orders_close(got, jounce.inverse_dynamics(robot, *q), INDEPENDENT)
