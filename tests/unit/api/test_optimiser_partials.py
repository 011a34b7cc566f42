"""Partials for optimisers against products of kernels, which go operation by operation."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

import jounce
from jounce.algebra.spatial_matrix import ad_matrix, right_jacobian
from tests.optimiser_cases import motion
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close

pytestmark = pytest.mark.usefixtures("interpreted")


@pytest.fixture(params=["floating", "tree"])
def robot(request: pytest.FixtureRequest) -> jounce.Robot:
    if request.param == "floating":
        return jounce.load("planar2r", floating_base=True)
    rng = np.random.default_rng(11)
    return jounce.examples.random_tree(rng, 6, oblique_gravity=True, armature=True, damping=True)


def by_products(
    robot: jounce.Robot, quantity: str, state: list[np.ndarray], **options: Any
) -> list[np.ndarray]:
    """Return the partials of a kernel by increments of q and by each rate, the last axis."""
    order = len(state) - 1 - len(jounce.kernel(robot, quantity, **options).signature.arguments[1:])
    kernel = jounce.kernel(robot, quantity, order=order, **options)
    J = kernel.product("jacobian")(*state)
    rates = jounce.configuration_rate(robot, np.tile(state[0], (robot.nv, 1)), np.eye(robot.nv))
    rest = np.split(J[..., robot.nq :], len(state) - 1, axis=-1) if len(state) > 1 else []
    return [J[..., : robot.nq] @ rates.T, *rest]


@pytest.mark.parametrize("representation", ["body", "spatial", "hybrid"])
def test_frames(robot: jounce.Robot, representation: str, rng: np.random.Generator):
    state, frame = motion(robot, rng, 3), robot.frames[-1].name
    found = jounce.frame_twist_partials(robot, frame, *state, representation=representation)
    options = {"frame": frame, "representation": representation}
    wanted = np.stack(by_products(robot, "frame_twist", state, **options), axis=1)
    assert found.shape == (3, 4, 6, robot.nv)
    assert_close(found, wanted, INDEPENDENT)
    pose = jounce.frame_pose_partials(robot, frame, *state[:2])
    assert_close(pose, by_products(robot, "frame_pose", state[:2], frame=frame)[0], INDEPENDENT)


def test_momentum_and_centre_of_mass(robot: jounce.Robot, rng: np.random.Generator):
    state = motion(robot, rng, 3)
    found = jounce.centroidal_momentum_partials(robot, *state)
    wanted = np.stack(by_products(robot, "centroidal_momentum", state), axis=1)
    assert_close(found, wanted, INDEPENDENT)
    A = jounce.centroidal_momentum_matrix(robot, *state)
    assert_close(A[0], found[0, 1], ROUNDOFF)
    h = jounce.centroidal_momentum(robot, *state)
    assert_close(A[0] @ state[1], h[0], INDEPENDENT)
    assert_close(A[1] @ state[1] + A[0] @ state[2], h[1], INDEPENDENT)
    second = A[2] @ state[1] + 2 * A[1] @ state[2] + A[0] @ state[3]
    assert_close(second, h[2], INDEPENDENT)
    dJ = jounce.com_jacobian_partials(robot, *state[:2])
    assert_close(dJ, by_products(robot, "com_jacobian", state[:2])[0], INDEPENDENT)
    com = by_products(robot, "center_of_mass", state[:1])[0]
    assert_close(jounce.com_jacobian(robot, state[0])[0], com[0], INDEPENDENT)


def test_second_partials_of_every_joint(robot: jounce.Robot, rng: np.random.Generator):
    state = motion(robot, rng, 2)
    found = jounce.inverse_dynamics_second_partials(robot, *state)
    by_q, by_v, _ = by_products(robot, "inverse_dynamics_partials", state)
    assert_close(found.qq, by_q[0], INDEPENDENT)
    assert_close(found.vv, by_v[1], INDEPENDENT)
    assert_close(found.qv, by_v[0], INDEPENDENT)
    assert_close(found.aq, by_q[2], INDEPENDENT)


def test_increments_of_balls_do_not_commute(rng: np.random.Generator):
    """The last index is taken last: the two orders differ by the partial along the bracket."""
    robot = jounce.load("planar2r", floating_base=True)
    state = motion(robot, rng, 2)
    qq = jounce.inverse_dynamics_second_partials(robot, *state).qq
    P = jounce.inverse_dynamics_partials(robot, *state)[0, 0]
    bracket = qq[:, 1, 0] - qq[:, 0, 1]  # turns about x, then y: D_x D_y − D_y D_x = D_z
    assert np.abs(bracket).max() > 0.1
    assert_close(bracket, P[:, 2], INDEPENDENT)


@pytest.mark.parametrize("order", [0, 1])
def test_gradients_and_products_with_the_hessian(
    robot: jounce.Robot, order: int, rng: np.random.Generator
):
    state = motion(robot, rng, order + 2)
    lam = rng.normal(size=(order + 1, robot.nv))
    P = jounce.inverse_dynamics_partials(robot, *state)
    gradient = jounce.inverse_dynamics_gradient(robot, lam, *state)
    assert_close(gradient, np.einsum("ki,kjin->jn", lam, P), INDEPENDENT)
    along = rng.normal(size=gradient.shape)
    found = jounce.inverse_dynamics_hessian_product(robot, lam, along, *state)
    if order == 0:
        qq, vv, qv, aq = jounce.inverse_dynamics_second_partials(robot, *state)
        dq, dv, da = along
        wanted = [
            np.einsum("i,ijk,k->j", lam[0], qq, dq)
            + np.einsum("i,ijk,k->j", lam[0], qv, dv)
            + np.einsum("i,ijk,j->k", lam[0], aq, da),
            np.einsum("i,ijk,j->k", lam[0], qv, dq) + np.einsum("i,ijk,k->j", lam[0], vv, dv),
            np.einsum("i,ijk,k->j", lam[0], aq, dq),
        ]
        assert_close(found, wanted, INDEPENDENT)
    step = 1e-6
    moved = [
        jounce.inverse_dynamics_gradient(
            robot,
            lam,
            jounce.integrate(robot, state[0], sign * step * along[0]),
            *(x + sign * step * d for x, d in zip(state[1:], along[1:], strict=True)),
        )
        for sign in (1, -1)
    ]
    assert_close((moved[0] - moved[1]) / (2 * step), found, 1e-6)  # differences, a smoke test


def test_gradients_under_wrenches_and_in_batches(rng: np.random.Generator):
    robot = jounce.load("planar2r", floating_base=True)
    states = [motion(robot, rng, 2) for _ in range(3)]
    batch = [np.stack(x) for x in zip(*states, strict=True)]
    lam = rng.normal(size=(1, 3, robot.nv))
    W = {"tip": jounce.Wrench(rng.normal(size=(1, 3, 6)), "spatial")}
    P = jounce.inverse_dynamics_partials(robot, *batch, wrenches=W)[0]
    found = jounce.inverse_dynamics_gradient(robot, lam, *batch, wrenches=W)
    assert_close(found, np.einsum("bi,jbin->jbn", lam[0], P), INDEPENDENT)
    along = rng.normal(size=(3, 3, robot.nv))
    each = jounce.inverse_dynamics_hessian_product(robot, lam, along, *batch, wrenches=W)
    for k in range(3):
        load = {"tip": jounce.Wrench(W["tip"].values[:, k], "spatial")}
        one = jounce.inverse_dynamics_hessian_product(
            robot, lam[:, k], along[:, k], *states[k], wrenches=load
        )
        assert_close(each[:, k], one, ROUNDOFF)
    moved = [  # a wrench in world components: now the place of the base counts
        jounce.inverse_dynamics_gradient(
            robot,
            lam,
            jounce.integrate(robot, batch[0], step * along[0]),
            *(x + step * d for x, d in zip(batch[1:], along[1:], strict=True)),
            wrenches=W,
        )
        for step in (1e-6, -1e-6)
    ]
    assert_close((moved[0] - moved[1]) / 2e-6, each, 1e-6)  # differences, a smoke test
    with pytest.raises(jounce.ShapeError, match=r"direction must have shape \(3, \*batch, 8\)"):
        jounce.inverse_dynamics_hessian_product(robot, lam, along[:2], *batch)
    with pytest.raises(jounce.ShapeError, match="weights must have shape"):
        jounce.inverse_dynamics_gradient(robot, lam[0, 0], *batch)


@pytest.mark.parametrize("representation", ["body", "spatial", "hybrid"])
def test_forces_of_wrenches_are_what_they_add(
    robot: jounce.Robot, representation: str, rng: np.random.Generator
):
    state, values = motion(robot, rng, 4), rng.normal(size=(3, 6))
    bodies = [b.name for b in robot.bodies]
    W = {name: jounce.Wrench(values, representation) for name in (bodies[-1], bodies[0])}
    with_load = jounce.inverse_dynamics(robot, *state, wrenches=W)
    wanted = jounce.inverse_dynamics(robot, *state) - with_load
    scale = np.abs(with_load).max()
    found = jounce.wrench_forces(robot, W, *state[:3])
    assert_close(found, wanted, ROUNDOFF, scale=10 * scale)
    J = jounce.jacobian(robot, bodies[-1], state[0], representation=representation)[0]
    alone = jounce.wrench_forces(robot, {bodies[-1]: W[bodies[-1]]}, state[0])
    assert_close(alone[0], J.T @ values[0], INDEPENDENT)


def test_no_wrench_has_no_force():
    arm = jounce.load("planar2r")
    assert_close(jounce.wrench_forces(arm, {}, [0.1, 0.2], [1, 2]), np.zeros((2, 2)), 0.0)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 0.7, 1.499, 1.501, 3.1, 6.0, 12.0])
def test_the_right_jacobian_is_its_series(angle: float, rng: np.random.Generator):
    axis = rng.normal(size=3)
    d = np.concatenate([angle * axis / np.linalg.norm(axis), rng.normal(size=3)])
    ad = ad_matrix(d)
    with mpmath.workdps(50):
        matrix, power, total = mpmath.matrix(ad.tolist()), mpmath.eye(6), mpmath.eye(6)
        for n in range(1, 120):
            power = power * matrix * mpmath.mpf(-1) / (n + 1)
            total += power
        wanted = np.array(total.tolist(), float)
    assert_close(right_jacobian(ad, np.linalg.norm(d[:3])), wanted, ROUNDOFF)


def test_increments_in_batches(robot: jounce.Robot, rng: np.random.Generator):
    q = np.stack([robot.random_configuration(rng) for _ in range(4)])
    dv = rng.normal(size=(2, 1, robot.nv))
    by_q, by_dv = jounce.integrate_partials(robot, q, dv)
    assert by_q.shape == by_dv.shape == (2, 4, robot.nv, robot.nv)
    one = jounce.integrate_partials(robot, q[3], dv[1, 0])
    assert_close(by_q[1, 3], one[0], ROUNDOFF)
    moved = jounce.integrate(robot, q, dv)
    by_q0, by_q1 = jounce.difference_partials(robot, q, moved)
    unit = np.broadcast_to(np.eye(robot.nv), by_q.shape)
    assert_close(by_q1 @ by_dv, unit, 10 * ROUNDOFF)
    assert_close(by_q0 + by_q1 @ by_q, 0 * unit, 10 * ROUNDOFF, scale=1.0)  # difference stays dv
