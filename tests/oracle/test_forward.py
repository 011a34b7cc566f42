"""Forward dynamics to order four: back to the motion from forces that nobody here computed.

An acceleration of order k inherits the errors of all orders below, magnified by the dynamics
itself; the bound holds for matrices of mass with a condition number below `CONDITION`.
"""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import jounce
from jounce.dynamics.forward import forward_dynamics
from tests import oracle_data as oracle
from tests.example_robots import urdf
from tests.tolerances import assert_orders_close

pytestmark = pytest.mark.usefixtures("interpreted")

ORDER = 4
ROUND_TRIP = 1e-11  # of scale
CONDITION = 1e5
PULSE = 10.0  # 1/s: rates of the motion grow by it from order to order, as at 1.6 Hz
ILL = ("kuka_authors", "kuka_steiner")  # condition 1e4 and a motion of one tenth of a hertz
URDFS = {
    "panda": "panda_description/urdf/panda.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "anymal floating": "anymal_b_simple_description/robots/anymal.urdf",
    "solo12 floating": "solo_description/robots/solo12.urdf",
    "talos": "talos_data/robots/talos_reduced.urdf",
    "talos floating": "talos_data/robots/talos_reduced.urdf",
    "tiago": "tiago_description/robots/tiago.urdf",
}


def condition(robot: jounce.Robot, q: np.ndarray) -> float:
    return float(np.linalg.cond(jounce.mass_matrix(robot, q)[0]).max())


@pytest.mark.parametrize("name", [n for n in oracle.NAMES if n not in ILL])
def test_motion_from_the_forces_of_the_reference(name: str) -> None:
    robot, (q, v, *rates) = oracle.robot(name), oracle.motion(name)
    assert condition(robot, q) < CONDITION
    got = jounce.forward_dynamics(robot, q, v, *oracle.exact(name, "Q").swapaxes(0, 1))
    assert_orders_close(got, np.array(rates), ROUND_TRIP)


@pytest.mark.parametrize("name", ILL)
def test_ill_conditioned_motion_is_as_exact_as_the_forces_allow(name: str) -> None:
    """Forces rounded to doubles do not give the motion to 1e-11, not even with 40 digits."""
    robot, (q, v, *rates) = oracle.robot(name), oracle.motion(name)
    Q = oracle.exact(name, "Q").swapaxes(0, 1)
    got = jounce.forward_dynamics(robot, q, v, *Q)
    for sample in (0, 5, 10):
        with mpmath.workdps(40):
            start, *forces = (
                [mpmath.mpf(float(x)) for x in row[sample]] for row in (q, v, *Q)
            )  # fmt: skip
            rows = forward_dynamics(robot, start, forces)
        exact = np.array([[float(x) for x in row] for row in rows])
        for k in range(ORDER + 1):
            scale = np.abs(rates[k]).max()
            inherent = np.abs(exact[k] - rates[k][sample]).max()
            error = np.abs(got[k][sample] - rates[k][sample]).max()
            assert error <= 30.0 * inherent + 1e-13 * scale, k


@pytest.mark.parametrize("name", oracle.NAMES)
def test_motion_from_the_forces_under_a_wrench(name: str) -> None:
    """Orders 0 and 1, with the wrench on the last body and its rates."""
    robot, (q, v, *rates) = oracle.robot(name), oracle.motion(name)
    load = {robot.bodies[-1].name: oracle.wrenches(name)[:2]}
    Q = oracle.exact(name, "Q_with_wrench").swapaxes(0, 1)[:2]
    got = jounce.forward_dynamics(robot, q, v, *Q, wrenches=load)
    assert_orders_close(got, np.array(rates[:2]), ROUND_TRIP)


SLOW = ("talos floating", "tiago")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in URDFS]
)
def test_round_trip_of_urdf_files(name: str, rng: np.random.Generator) -> None:
    robot = jounce.load(urdf(URDFS[name]), floating_base="floating" in name)
    q = np.array([robot.random_configuration(rng) for _ in range(4)])
    assert condition(robot, q) < CONDITION
    v, *rates = (rng.normal(size=(4, robot.nv)) * PULSE**k for k in range(ORDER + 2))
    Q = jounce.inverse_dynamics(robot, q, v, *rates)
    assert_orders_close(jounce.forward_dynamics(robot, q, v, *Q), np.array(rates), ROUND_TRIP)
