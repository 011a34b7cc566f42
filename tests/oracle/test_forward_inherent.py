"""How exact forward dynamics can be: fifty digits behind forces that are rounded to doubles.

Forces determine accelerations only as well as they are known.  An error of the acceleration
enters the jerk through the dynamics, and so on: at unit rates doubles lose five digits from
order zero to order four, whatever the algorithm.  So the error of forward after inverse dynamics
is held against that of an exact solution for the exact forces, once rounded to doubles entry by
entry, once off by the unit roundoff of the largest force, with the worst of a few draws of signs:
one draw alone may be ten times too kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mpmath
import numpy as np
import pytest

import jounce
from jounce.dynamics.forward import forward_dynamics
from jounce.dynamics.inverse import inverse_dynamics
from tests.example_robots import urdf

pytestmark = pytest.mark.usefixtures("interpreted")

ORDER = 4
SAMPLES = 3
DRAWS = 8  # of signs of the errors of uncertain forces
ROUNDED = 60.0  # times the error that rounding every force to a double makes inevitable
OF_SCALE = 3.0  # times that of forces known to 2⁻⁵³ of the largest
URDFS = {
    "panda": "panda_description/urdf/panda.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "kinova": "kinova_description/robots/kinova.urdf",
    "solo12 floating": "solo_description/robots/solo12.urdf",
    "anymal floating": "anymal_b_simple_description/robots/anymal.urdf",
    "talos": "talos_data/robots/talos_reduced.urdf",
    "talos floating": "talos_data/robots/talos_reduced.urdf",
    "tiago": "tiago_description/robots/tiago.urdf",
}
TREES = [f"tree {seed}" for seed in range(6)]
SLOW = ("talos floating", "tiago", *TREES[3:])


def robot_of(name: str, rng: np.random.Generator) -> jounce.Robot:
    if name in URDFS:
        return jounce.load(urdf(URDFS[name]), floating_base="floating" in name)
    return jounce.examples.random_tree(rng, 11, oblique_gravity=True, armature=True, damping=True)


def errors(robot: jounce.Robot, motion: Sequence[np.ndarray], rng: np.random.Generator) -> list:
    """Return the errors of exact solutions, (2, orders): of rounded and of uncertain forces."""
    with mpmath.workdps(50):
        q, v, *rates = ([mpmath.mpf(float(x)) for x in row] for row in motion)
        Q = inverse_dynamics(robot, q, [v, *rates])
        rounded = [[mpmath.mpf(float(x)) for x in row] for row in Q]
        uncertain = [[_uncertain(row, rng) for row in Q] for _ in range(DRAWS)]
        found = [
            [
                max(abs(x - y) for x, y in zip(*pair, strict=True))
                for pair in zip(forward_dynamics(robot, q, [v, *given]), rates, strict=True)
            ]
            for given in (rounded, *uncertain)
        ]
        return [found[0], [max(errors) for errors in zip(*found[1:], strict=True)]]


def _uncertain(row: Sequence[Any], rng: np.random.Generator) -> list[Any]:
    unit = mpmath.mpf(2) ** -53 * max(map(abs, row))
    return [
        x + unit * int(sign) for x, sign in zip(row, rng.choice([-1, 1], len(row)), strict=True)
    ]


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in [*URDFS, *TREES]]
)
def test_no_worse_than_the_forces_allow(name: str) -> None:
    rng = np.random.default_rng(sum(map(ord, name)))
    robot = robot_of(name, rng)
    q = np.array([robot.random_configuration(rng) for _ in range(SAMPLES)])
    v, *rates = rng.normal(size=(ORDER + 2, SAMPLES, robot.nv))
    Q = jounce.inverse_dynamics(robot, q, v, *rates)
    got = jounce.forward_dynamics(robot, q, v, *Q)
    found = np.abs(got - np.array(rates)).max(axis=(1, 2))
    samples = ([x[k] for x in (q, v, *rates)] for k in range(SAMPLES))
    inherent = np.max([np.array(errors(robot, s, rng), float) for s in samples], axis=0)
    assert (found <= ROUNDED * inherent[0]).all(), found / inherent[0]
    assert (found <= OF_SCALE * inherent[1]).all(), found / inherent[1]
    assert (inherent[0, 4] > 100.0 * inherent[0, 0]).all()  # so it grows with the order
