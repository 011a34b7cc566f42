"""Joint screws are the joint's own columns in the Jacobian of its body."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from tests.tolerances import ROUNDOFF, assert_orders_close

REPRESENTATIONS = ("body", "spatial", "hybrid")
KINDS = [kind for kind in jounce.examples.KINDS if kind != "mimic"]


def off_origin() -> jounce.Robot:
    """Axes that do not go through the origins of their bodies."""
    screws = [[0, 0, 1, 0, -0.3, 0], [0, 1, 0, 0.2, 0, 0.5], [0, 0, 0, 1, 0, 0]]
    placements = [np.eye(4)] * 3
    return jounce.from_screws(screws, placements, [jounce.Inertia(1, (0, 0, 0), np.eye(3))] * 3)


def tree() -> jounce.Robot:
    """Every kind of joint."""
    return jounce.examples.random_tree(np.random.default_rng(3), 11, KINDS)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("make", [off_origin, tree])
def test_screws_are_own_columns(make, representation: str, interpreted: None):
    robot = make()
    rng = np.random.default_rng(1)
    q = robot.random_configuration(rng)
    rates = rng.normal(size=(3, robot.nv))
    screws = jounce.joint_screws(robot, q, *rates, representation=representation)
    columns = jounce.body_jacobians(robot, q, *rates, representation=representation)
    for body, joint in enumerate(robot.joints):
        own = columns[:, body, :, joint.v_slice].swapaxes(1, 2)
        if own.size:
            assert_orders_close(screws[:, joint.v_slice], own, 10 * ROUNDOFF)


def test_an_axis_off_the_origin(interpreted: None):
    got = jounce.joint_screws(off_origin(), [0.7, 0, 0], representation="body")[0, 0]
    assert np.allclose(got, [0, 0, 1, 0, -0.3, 0], atol=1e-15)
