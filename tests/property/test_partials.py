"""Identities of partials and regressors on random trees of every joint kind."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import jounce
from jounce.dynamics.matrices import FACTORIZATIONS
from jounce.dynamics.twists import REPRESENTATIONS
from tests.tolerances import ROUNDOFF, assert_close

pytestmark = pytest.mark.usefixtures("interpreted")
LIMIT = 20 * ROUNDOFF
few = settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@st.composite
def motions(draw: st.DrawFn, rates: int) -> tuple[jounce.Robot, list[np.ndarray]]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    robot = jounce.examples.random_tree(
        rng,
        draw(st.integers(1, 5)),
        floating_base=draw(st.booleans()),
        oblique_gravity=draw(st.booleans()),
        massless=draw(st.sampled_from([0.0, 0.5])),
    )
    speeds = rng.normal(size=(rates, robot.nv)) * draw(st.sampled_from([0.0, 1.0, 10.0]))
    return robot, [robot.random_configuration(rng), *speeds]


def constant_wrench(robot: jounce.Robot, representation: str) -> dict[str, jounce.Wrench]:
    """Load the body in the middle with a wrench that does not change in its representation."""
    if representation == "none" or not robot.n_bodies:
        return {}
    wrench = jounce.Wrench([[1.0, -2.0, 3.0, 5.0, -4.0, 6.0]], representation)
    return {robot.bodies[robot.n_bodies // 2].name: wrench}


loads = st.sampled_from(["none", *REPRESENTATIONS])


@few
@given(motions(rates=5), loads)
def test_partials_times_rates_are_the_next_derivative(given: tuple, representation: str) -> None:
    """``Σ_j ∂Q⁽ᵏ⁾/∂q⁽ʲ⁾ q⁽ʲ⁺¹⁾ = Q⁽ᵏ⁺¹⁾``, under wrenches that stay constant too."""
    robot, motion = given
    wrenches = constant_wrench(robot, representation)
    P = jounce.inverse_dynamics_partials(robot, *motion[:-1], wrenches=wrenches)
    Q = jounce.inverse_dynamics(robot, *motion, wrenches=wrenches)
    got = np.einsum("kjmn,jn->km", P, np.stack(motion[1:]))
    for k in range(3):
        terms = np.einsum("jmn,jn->m", np.abs(P[k]), np.abs(np.stack(motion[1:])))
        scale = float(terms.max(initial=0.0))
        assert_close(got[k], Q[k + 1], LIMIT, scale=scale, what=f"order {k}")


@few
@given(motions(rates=2), loads)
def test_accelerations_keep_the_forces(given: tuple, representation: str) -> None:
    """``M ∂a/∂q = −∂Q/∂q``, ``M ∂a/∂v = −∂Q/∂v`` and ``M ∂a/∂Q = 1`` at the acceleration."""
    robot, (q, v, Q) = given
    wrenches = constant_wrench(robot, representation)
    (a,) = jounce.forward_dynamics(robot, q, v, Q, wrenches=wrenches)
    by_q, by_v, M = jounce.inverse_dynamics_partials(robot, q, v, a, wrenches=wrenches)[0]
    partials = jounce.forward_dynamics_partials(robot, q, v, Q, wrenches=wrenches)
    for got, wanted in zip(partials, (-by_q, -by_v, np.eye(robot.nv)), strict=True):
        scale = float((np.abs(M) @ np.abs(got)).max(initial=1e-3))
        assert_close(M @ got, wanted, LIMIT, scale=scale)


@few
@given(motions(rates=4))
def test_regressor_times_parameters_are_the_forces(given: tuple) -> None:
    robot, motion = given
    Q = jounce.inverse_dynamics(robot, *motion)
    got = jounce.regressor(robot, *motion) @ jounce.parameters(robot)
    for k in range(3):
        assert_close(got[k], Q[k], LIMIT, scale=1.0, what=f"order {k}")


@few
@given(motions(rates=2), st.sampled_from(FACTORIZATIONS))
def test_contracted_tensors_are_time_derivatives(given: tuple, factorization: str) -> None:
    """``Σ_h ∂M/∂q_h v_h = dM/dt``, likewise of C and g."""
    robot, (q, v, a) = given
    M1 = jounce.mass_matrix(robot, q, v)[1]
    assert_close(jounce.mass_matrix_partials(robot, q) @ v, M1, LIMIT, scale=1.0)
    C1 = jounce.coriolis_matrix(robot, q, v, a, factorization=factorization)[1]
    by_q, by_v = jounce.coriolis_partials(robot, q, v, factorization)
    terms = np.abs(by_q) @ np.abs(v) + np.abs(by_v) @ np.abs(a)
    assert_close(by_q @ v + by_v @ a, C1, LIMIT, scale=float(terms.max(initial=1.0)))
    g1 = jounce.gravity_forces(robot, q, v)[1]
    assert_close(jounce.gravity_partials(robot, q) @ v, g1, LIMIT, scale=1.0)


@few
@given(motions(rates=2))
def test_matrices_are_linear_in_the_parameters(given: tuple) -> None:
    robot, (q, v, _) = given
    pi = jounce.parameters(robot)
    M = jounce.mass_matrix_parameter_partials(robot, q) @ pi
    assert_close(M, jounce.mass_matrix(robot, q)[0], LIMIT, scale=1e-3)
    C = jounce.coriolis_parameter_partials(robot, q, v) @ pi
    assert_close(C, jounce.coriolis_matrix(robot, q, v)[0], LIMIT, scale=1.0)
    g = jounce.gravity_parameter_partials(robot, q) @ pi
    assert_close(g, jounce.gravity_forces(robot, q)[0], LIMIT, scale=1.0)


@few
@given(motions(rates=2))
def test_partials_of_forces_come_from_those_of_the_matrices(given: tuple) -> None:
    """``∂Q/∂q = ∂M/∂q a + ∂C/∂q v + ∂g/∂q`` and ``∂Q/∂v = C + ∂C/∂v v``."""
    robot, (q, v, a) = given
    by_q, by_v, by_a = jounce.inverse_dynamics_partials(robot, q, v, a)[0]
    dM, dg = jounce.mass_matrix_partials(robot, q), jounce.gravity_partials(robot, q)
    dC_dq, dC_dv = jounce.coriolis_partials(robot, q, v)
    C = jounce.coriolis_matrix(robot, q, v)[0]
    wanted = np.einsum("ijh,j->ih", dM, a) + np.einsum("ijh,j->ih", dC_dq, v) + dg
    assert_close(by_q, wanted, LIMIT, scale=1.0)
    assert_close(by_v, C + np.einsum("ijh,j->ih", dC_dv, v), LIMIT, scale=1.0)
    assert_close(by_a, by_a.T, LIMIT, scale=1e-3)
