"""Momenta, weights, relative twists and energy regressors against poses at 50 digits."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

import jounce
from tests.fifty_digits import Referee, every_joint
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close, assert_orders_close

pytestmark = pytest.mark.usefixtures("interpreted")
ROBOT = every_joint(follower=True)
RNG = np.random.default_rng(1)
Q, RATES = ROBOT.random_configuration(RNG), RNG.normal(size=(5, ROBOT.nv))
REPRESENTATIONS = ("body", "spatial", "hybrid")


@pytest.fixture(scope="module")
def referee() -> Referee:
    return Referee(ROBOT, Q, *RATES)


def test_poses(referee: Referee):
    assert_orders_close(
        jounce.poses(ROBOT, Q, *RATES), referee.derivatives(referee.poses), INDEPENDENT
    )


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_body_momenta(referee: Referee, representation: str):
    found = jounce.body_momenta(ROBOT, Q, *RATES, representation=representation)
    assert_orders_close(found, referee.momenta(representation), INDEPENDENT)
    if representation == "spatial":
        assert_orders_close(found.sum(axis=1), jounce.momentum(ROBOT, Q, *RATES), ROUNDOFF)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_gravity_wrenches(referee: Referee, representation: str):
    found = jounce.gravity_wrenches(ROBOT, Q, *RATES, representation=representation)
    wanted = referee.weights(representation)
    assert_orders_close(found, wanted, INDEPENDENT, scale=float(np.abs(wanted[0]).max()))


@pytest.mark.parametrize("carrier", [0, 2, 5])
def test_relative_twists(referee: Referee, carrier: int):
    """Of all bodies, carried or not: b_ij of [KM21, (14)] is that of those that are."""
    found = jounce.relative_twists(ROBOT, f"body{carrier}", Q, *RATES)
    assert_orders_close(found, referee.relative_twists(carrier), INDEPENDENT)
    assert not found[:, carrier].any()


def test_relative_twists_are_partial_sums():
    """b_ij = Σ B_ir q̇_r over the joints between: those of the body Jacobians."""
    J = jounce.body_jacobians(ROBOT, Q)[0]
    between = {6: (5, 6), 7: (3, 7)}  # what body 2 carries, and the joints in between
    found = jounce.relative_twists(ROBOT, "body2", Q, RATES[0])[0]
    for body, joints in between.items():
        chosen = [k for j in joints for k in range(ROBOT.nv)[ROBOT.joints[j].v_slice]]
        assert_close(found[body], J[body][:, chosen] @ RATES[0][chosen], ROUNDOFF)


def test_energy_regressors(referee: Referee):
    kinetic, potential = referee.energy_regressors()
    found = jounce.kinetic_energy_regressor(ROBOT, Q, *RATES)
    assert_orders_close(found, kinetic, INDEPENDENT)
    pi = jounce.parameters(ROBOT)
    assert_orders_close(found @ pi, jounce.kinetic_energy(ROBOT, Q, *RATES), INDEPENDENT)
    found = jounce.potential_energy_regressor(ROBOT, Q, *RATES)
    assert_orders_close(found, potential, INDEPENDENT)
    assert_orders_close(found @ pi, jounce.potential_energy(ROBOT, Q, *RATES), INDEPENDENT)
    assert_close(jounce.potential_energy_regressor(ROBOT, Q)[0], found[0], ROUNDOFF)


def test_the_static_regressor_is_the_gradient_of_the_potential():
    """``d/dt Y_U = vᵀ Y_g`` column by column and its derivatives, for every direction of v."""
    rates = np.random.default_rng(2).normal(size=(5, 30, ROBOT.nv))
    U = jounce.potential_energy_regressor(ROBOT, Q, *rates)
    Y = jounce.static_regressor(ROBOT, Q, *rates[:3])
    for n in range(4):
        terms = [comb(n, k) * np.einsum("bi,bik->bk", rates[k], Y[n - k]) for k in range(n + 1)]
        assert_close(sum(terms), U[n + 1], INDEPENDENT)
    g = jounce.gravity_forces(ROBOT, Q, *rates[:3])
    assert_orders_close(Y @ jounce.parameters(ROBOT), g, INDEPENDENT)
    assert_close(Y[0, 0], jounce.gravity_parameter_partials(ROBOT, Q), INDEPENDENT)


@pytest.mark.slow
def test_static_regressor(referee: Referee):
    """Orders 0 to 4, every column: the slope of the potential of one unit parameter."""
    found, wanted = jounce.static_regressor(ROBOT, Q, *RATES[:4]), referee.static_regressor()[:5]
    assert_orders_close(found, wanted, INDEPENDENT)


def test_power_is_the_rate_of_energy_parameter_by_parameter():
    Y = jounce.regressor(ROBOT, Q, *RATES[:2])[0]
    T = jounce.kinetic_energy_regressor(ROBOT, Q, *RATES[:2])
    U = jounce.potential_energy_regressor(ROBOT, Q, *RATES[:2])
    assert_close(RATES[0] @ Y, (T + U)[1], INDEPENDENT)


def test_joint_wrenches_balance_momentum_and_weight():
    """What the joints exert on a body, less what it hands on, changes its momentum."""
    own = jounce.body_momenta(ROBOT, Q, *RATES, representation="spatial")[1:4]
    weight = jounce.gravity_wrenches(ROBOT, Q, *RATES, representation="spatial")[:3]
    joint = jounce.joint_wrenches(ROBOT, Q, *RATES, representation="spatial")[:3]
    for i in range(ROBOT.n_bodies):
        beyond = joint[:, [c for c, p in enumerate(ROBOT.parents) if p == i]].sum(axis=1)
        assert_orders_close(
            own[:, i], joint[:, i] - beyond + weight[:, i], INDEPENDENT, scale=np.abs(joint).max()
        )


@pytest.mark.parametrize("turned", [False, True])
def test_angles_far_from_zero_lose_what_lies_between_the_numbers_there(turned: bool):
    """As the last joint of Panda, whose frame is turned about its own axis: q plus a constant."""
    builder = jounce.RobotBuilder("arm")
    body = jounce.Inertia(1.5, (0.2, 0.1, 0.0), np.diag([0.1, 0.2, 0.25]))
    hinge = jounce.joints.revolute((0, 0, 1))
    place = jounce.transform((0.3, 0.0, 0.1), rpy=(0.4, 0.0, 0.0))
    if turned:
        place = place @ jounce.transform(rpy=(0.0, 0.0, -0.785398163397))
    builder.add("upper", joint=jounce.joints.revolute((0, 1, 0)), inertia=body)
    builder.add("hand", "upper", hinge, place, body)
    robot, rates = builder.build(), ([0.5, -0.4], [0.3, 0.2])
    for far in (0.1, 1e3 + 0.1, 1e6 + 0.1):
        q = np.array([0.3, far])
        wanted = Referee(robot, q, *rates).forces()
        allowed = max(ROUNDOFF, float(np.spacing(far)))
        assert_orders_close(jounce.inverse_dynamics(robot, q, *rates), wanted, allowed)
