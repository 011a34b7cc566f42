"""Bounds of the diagonal of M hold in every configuration, and are no looser than they must."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.dynamics.mass_bounds import mass_bounds
from jounce.model.examples import KINDS
from jounce.model.lowering.tree import lowered
from tests.tolerances import ROUNDOFF, assert_close

pytestmark = pytest.mark.usefixtures("interpreted")

TRAVEL = ("prismatic", "cylindrical", "planar", "helical", "free", "mimic")
TURNING = [kind for kind in KINDS if kind not in TRAVEL]


@pytest.mark.parametrize("seed", range(4))
def test_no_configuration_exceeds_them(seed: int) -> None:
    """Travel does not count, so joints with travel are only looked at where it is zero."""
    rng = np.random.default_rng(seed)
    for kinds, free in ((TURNING, True), (KINDS, False)):
        robot = jounce.examples.random_tree(rng, 10, kinds, armature=True)
        if free:
            q = np.array([robot.random_configuration(rng) for _ in range(20)])
        else:
            q = robot.neutral[None]
        diagonal = np.diagonal(jounce.mass_matrix(robot, q)[0], axis1=-2, axis2=-1)
        bounds = np.array(mass_bounds(lowered(robot)))
        assert (diagonal <= bounds * (1.0 + ROUNDOFF)).all()
        assert (bounds < 1e4 * diagonal.max(axis=0)).all()


def test_a_stretched_arm_reaches_them() -> None:
    """Point masses in a line, all turned about one direction across it."""
    b = jounce.RobotBuilder("line")
    turn, place = jounce.joints.revolute((0, 0, 1)), np.eye(4)
    for k in range(3):
        matter = jounce.Inertia(1.0 + k, (0.5, 0, 0), np.zeros((3, 3)))
        b.add(f"b{k}", f"b{k - 1}" if k else None, turn, place, matter, armature=0.1)
        place = np.eye(4)
        place[0, 3] = 0.7
    robot = b.build()
    bounds = mass_bounds(lowered(robot))
    once = [sum((1.0 + k) * (0.7 * (k - i) + 0.5) ** 2 for k in range(i, 3)) for i in range(3)]
    twice = [sum((1.0 + k) * 0.25 for k in range(i, 3)) for i in range(3)]  # tr I of a point
    assert_close(bounds, np.array(once) + twice + 0.1, ROUNDOFF)
    M = jounce.mass_matrix(robot, np.zeros(3))[0]
    assert_close(np.diagonal(M), np.array(once) + 0.1, ROUNDOFF)
