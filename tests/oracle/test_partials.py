"""Partials of the forces and of M against spatial_v2_extended."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from tests import oracle_data as oracle
from tests.tolerances import INDEPENDENT, assert_close

NAMES = ("kuka_steiner", "panda_authors", "panda_gaz", "planar2R", "tree6_open")
pytestmark = pytest.mark.usefixtures("interpreted")


def theirs(name: str, *keys: str) -> np.ndarray:
    return oracle.other(name, "spatial_v2_extended", *keys)


@pytest.mark.parametrize("name", NAMES)
def test_first_partials(name: str) -> None:
    P = jounce.inverse_dynamics_partials(oracle.robot(name), *oracle.motion(name, rates=2))[0]
    for j, key in enumerate(("dtau_dq", "dtau_dqd", "M")):
        assert_close(P[j], theirs(name, key), INDEPENDENT, what=key)


@pytest.mark.parametrize("name", NAMES)
def test_second_partials(name: str) -> None:
    robot, motion = oracle.robot(name), oracle.motion(name, rates=2)
    second = jounce.inverse_dynamics_second_partials(robot, *motion)
    assert_close(second.qq, theirs(name, "d2tau_dqdq"), INDEPENDENT, what="q q")
    assert_close(second.vv, theirs(name, "d2tau_dqddqd"), INDEPENDENT, what="v v")
    assert_close(second.qv, theirs(name, "d2tau_dq_dqd"), INDEPENDENT, what="q v")
    assert_close(second.aq, theirs(name, "dM_dq"), INDEPENDENT, what="a q")


@pytest.mark.parametrize("name", NAMES)
def test_mass_matrix_partials(name: str) -> None:
    got = jounce.mass_matrix_partials(oracle.robot(name), oracle.motion(name)[0])
    assert_close(got, theirs(name, "dM_dq"), INDEPENDENT)


@pytest.mark.parametrize("name", NAMES)
def test_christoffel_matrix_is_linear_in_the_velocity(name: str) -> None:
    q, v, *_ = oracle.motion(name)
    _, dC_dv = jounce.coriolis_partials(oracle.robot(name), q, v, "christoffel")
    got = np.einsum("bijh,bh->bij", dC_dv, v)
    assert_close(got, theirs(name, "C_christoffel"), INDEPENDENT)


@pytest.mark.parametrize("name", oracle.NAMES)
def test_time_derivatives_by_the_chain_rule(name: str) -> None:
    """Partials times rates are the time derivatives of the 34-digit reference."""
    robot, motion = oracle.robot(name), oracle.motion(name, rates=5)
    P = jounce.inverse_dynamics_partials(robot, *motion[:-1])
    rates = np.stack(motion[1:])
    got = np.einsum("kjbmn,jbn->kbm", P, rates)
    wanted = np.moveaxis(oracle.exact(name, "Q"), 1, 0)[1:4]
    for k in range(3):
        assert_close(got[k], wanted[k], INDEPENDENT, what=f"order {k + 1}")
    dM = jounce.mass_matrix_partials(robot, motion[0])
    M1 = np.einsum("bijh,bh->bij", dM, motion[1])
    assert_close(M1, oracle.exact(name, "M")[:, 1], INDEPENDENT)
    dg = jounce.gravity_partials(robot, motion[0])
    assert_close(
        np.einsum("bij,bj->bi", dg, motion[1]),
        oracle.exact(name, "Qgrav")[:, 1],
        INDEPENDENT,
        scale=float(np.abs(oracle.exact(name, "Qgrav")).max()),
    )


@pytest.mark.parametrize(
    ("factorization", "key"), [("passive", "C_skew_garofalo"), ("kinematic", "C_authors")]
)
@pytest.mark.parametrize("name", oracle.NAMES)
def test_rate_of_the_coriolis_matrix(name: str, factorization: str, key: str) -> None:
    q, v, a, *_ = oracle.motion(name)
    by_q, by_v = jounce.coriolis_partials(oracle.robot(name), q, v, factorization)
    got = np.einsum("bijh,bh->bij", by_q, v) + np.einsum("bijh,bh->bij", by_v, a)
    assert_close(got, oracle.exact(name, key)[:, 1], INDEPENDENT)


@pytest.mark.parametrize("name", oracle.NAMES)
def test_rate_of_the_jacobian(name: str) -> None:
    robot, (q, v, a, *_) = oracle.robot(name), oracle.motion(name)
    body = robot.bodies[-1].name
    dJ, dJ1 = jounce.jacobian_partials(robot, body, q, v)
    J = oracle.exact(name, "J")[:, -1]
    assert_close(np.einsum("bijh,bh->bij", dJ, v), J[:, 1], INDEPENDENT)
    got = np.einsum("bijh,bh->bij", dJ1, v) + np.einsum("bijh,bh->bij", dJ, a)  # [GOA13, (30)]
    assert_close(got, J[:, 2], INDEPENDENT)
