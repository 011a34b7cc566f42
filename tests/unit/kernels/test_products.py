"""Products of kernels against the analytic partials, at every order and for every kind of joint."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import jounce
from tests.optimiser_cases import CASES, case, force_jacobian, motion
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close, assert_orders_close

pytestmark = pytest.mark.usefixtures("interpreted")


@pytest.mark.parametrize("order", [0, 2])
@pytest.mark.parametrize("name", CASES)
def test_products_of_inverse_dynamics_are_the_analytic_partials(
    name: str, order: int, rng: np.random.Generator
):
    robot = case(name)
    state = motion(robot, rng, order + 2)
    J = force_jacobian(robot, *state)
    kernel = jounce.kernel(robot, "inverse_dynamics", order=order)
    assert_orders_close(kernel.product("jacobian")(*state), J, INDEPENDENT)
    steps = [rng.normal(size=x.shape) for x in state]
    assert_orders_close(
        kernel.product("jvp")(*state, *steps), J @ np.concatenate(steps), INDEPENDENT
    )
    lam = rng.normal(size=(order + 1, robot.nv))
    wanted = np.einsum("ki,kin->n", lam, J)
    rows = kernel.product("vjp")(*state, lam)
    assert rows.shape == (order + 3, max(robot.nq, robot.nv))
    flat = [row[: x.size] for row, x in zip(rows, state, strict=True)]
    assert_close(np.concatenate(flat), wanted, INDEPENDENT)
    assert not any(row[x.size :].any() for row, x in zip(rows, state, strict=True))


def test_a_gradient_costs_less_than_the_partials():
    panda = jounce.load("panda")
    for order in (0, 1, 2):
        kernel = jounce.kernel(panda, "inverse_dynamics", order=order)
        partials = jounce.kernel(panda, "inverse_dynamics_partials", order=order)
        assert kernel.product("vjp").operations < 0.7 * partials.operations


def test_batches_and_wrenches(rng: np.random.Generator):
    robot = jounce.load("planar2r")
    kernel = jounce.kernel(robot, "inverse_dynamics", order=1, wrenches=("tip",))
    state = [rng.normal(size=(3, 2)) for _ in range(4)]
    W = rng.normal(size=(2, 3, 6))
    J = kernel.product("jacobian")(*state, W)
    assert J.shape == (2, 3, 2, 8 + 12)
    towards = rng.normal(size=W.shape)
    zeros = [np.zeros_like(x) for x in state]
    moved = kernel(*state, W + towards) - kernel(*state, W)  # linear in the wrench
    assert_close(kernel.product("jvp")(*state, W, *zeros, towards), moved, ROUNDOFF, scale=10)
    flat = np.moveaxis(towards, 0, 1).reshape(3, 12)
    assert_close(np.einsum("kbin,bn->kbi", J[..., 8:], flat), moved, ROUNDOFF, scale=10)


def test_a_quantity_without_axes(rng: np.random.Generator):
    robot = jounce.load("planar2r")
    potential = jounce.kernel(robot, "potential_energy").product("vjp")
    q = rng.normal(size=(5, 2))
    row = potential(q, np.zeros(2), np.ones((1, 5, 1)))
    assert_close(row[0], jounce.gravity_forces(robot, q)[0], ROUNDOFF)
    assert not row[1].any()


def test_products_are_shared_pickled_and_named():
    kernel = jounce.kernel(jounce.load("planar2r"), "inverse_dynamics")
    second = kernel.product("vjp").product("jvp")
    assert second is kernel.product("vjp").product("jvp")
    assert pickle.loads(pickle.dumps(second)) is second
    assert "jvp of vjp of inverse_dynamics" in repr(second)
    with pytest.raises(jounce.UnknownNameError, match="jacobian, jvp, vjp"):
        kernel.product("hessian")
