"""M, C and g against the 34-digit reference, the authors' programs and spatial_v2."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.trajectory import papers_motion
from tests import oracle_data as oracle
from tests.tolerances import INDEPENDENT, assert_close, assert_orders_close

pytestmark = pytest.mark.usefixtures("interpreted")

CASES = [(name, rep) for name in oracle.NAMES for rep in oracle.REPRESENTATIONS]
SERIAL = [name for name in oracle.NAMES if name not in oracle.TREES]
SPATIAL_V2 = [name for name in oracle.NAMES if "spatial_v2_extended" in oracle.samples(name)[0]]
FACTORIZATIONS = {"kinematic": "C_authors", "passive": "C_skew_garofalo"}

every_file = pytest.mark.parametrize(("name", "representation"), CASES)
every_factorization = pytest.mark.parametrize("factorization", FACTORIZATIONS)


def assert_samples_close(got: np.ndarray, wanted: np.ndarray) -> None:
    """Compare sample by sample, order by order; ``wanted`` has the sample on axis 0."""
    for sample, reference in enumerate(wanted):
        assert_orders_close(got[:, sample], reference, INDEPENDENT, what=f"sample {sample},")


@every_file
def test_mass_matrix_to_order_four(name: str, representation: str) -> None:
    robot = oracle.robot(name, representation)
    got = jounce.mass_matrix(robot, *oracle.motion(name, rates=4))
    assert_samples_close(got, oracle.exact(name, "M"))


@every_file
@every_factorization
def test_coriolis_matrices_to_order_three(
    name: str, representation: str, factorization: str
) -> None:
    robot, motion = oracle.robot(name, representation), oracle.motion(name, rates=4)
    got = jounce.coriolis_matrix(robot, *motion, factorization=factorization)
    assert_samples_close(got, oracle.exact(name, FACTORIZATIONS[factorization]))


@every_file
def test_gravity_forces_to_order_four(name: str, representation: str) -> None:
    """Near zeros of the reference the scale is that of the gravity forces, order 0."""
    robot = oracle.robot(name, representation)
    got = jounce.gravity_forces(robot, *oracle.motion(name, rates=4))
    wanted = oracle.exact(name, "Qgrav")
    for sample, reference in enumerate(wanted):
        assert_orders_close(
            got[:, sample], reference, INDEPENDENT, scale=np.abs(wanted[:, 0]).max()
        )


@pytest.mark.parametrize("name", SERIAL)
def test_the_authors_closed_form_of_any_order(name: str) -> None:
    """The program of [KM21]; its C is the kinematic one."""
    robot, motion = oracle.robot(name), oracle.motion(name, rates=4)
    M = jounce.mass_matrix(robot, *motion[:4])
    C = jounce.coriolis_matrix(robot, *motion, factorization="kinematic")
    for letter, got in (("M", M), ("C", C)):
        wanted = oracle.other(name, "authors", "nth_closed_form", letter).swapaxes(0, 1)
        assert_orders_close(got, wanted, INDEPENDENT)


@pytest.mark.parametrize("name", SERIAL)
def test_the_authors_closed_form_of_second_order(name: str) -> None:
    robot, motion = oracle.robot(name), oracle.motion(name, rates=3)
    M = jounce.mass_matrix(robot, *motion[:3])
    C = jounce.coriolis_matrix(robot, *motion, factorization="kinematic")
    for k, dots in enumerate(("", "dot", "ddot")):
        wanted = (oracle.other(name, "authors", "closed_form_2nd", x + dots) for x in "MC")
        for got, reference in zip((M[k], C[k]), wanted, strict=True):
            assert_close(got, reference, INDEPENDENT, what=f"order {k}")


@pytest.mark.parametrize("name", SPATIAL_V2)
def test_matrices_of_spatial_v2(name: str) -> None:
    robot, (q, v) = oracle.robot(name), oracle.motion(name, rates=1)
    M, M1 = jounce.mass_matrix(robot, q, v)
    assert_close(M, oracle.other(name, "spatial_v2_extended", "M"), INDEPENDENT)
    assert_close(M1, oracle.other(name, "spatial_v2_extended", "Mdot"), INDEPENDENT)
    C = jounce.coriolis_matrix(robot, q, v, factorization="christoffel")[0]
    assert_close(C, oracle.other(name, "spatial_v2_extended", "C_christoffel"), INDEPENDENT)


@pytest.mark.parametrize("name", SPATIAL_V2)
def test_the_derivative_of_the_mass_matrix_by_position(name: str) -> None:
    """``dM/dt = Σ_k ∂M/∂q_k v_k`` and ``C_ij = ½ Σ_k (∂_k M_ij + ∂_j M_ik − ∂_i M_jk) v_k``."""
    robot, (q, v) = oracle.robot(name), oracle.motion(name, rates=1)
    dM = oracle.other(name, "spatial_v2_extended", "dM_dq")
    along = np.einsum("sijk,sk->sij", dM, v)
    across = np.einsum("sikj,sk->sij", dM, v)
    assert_close(jounce.mass_matrix(robot, q, v)[1], along, INDEPENDENT)
    C = jounce.coriolis_matrix(robot, q, v, factorization="christoffel")[0]
    assert_close(C, 0.5 * (along + across - across.swapaxes(1, 2)), INDEPENDENT)


@pytest.mark.parametrize("name", ["kuka_steiner", "panda_gaz"])
def test_forces_along_the_motion_of_the_papers(name: str) -> None:
    """``M a + C v + g`` with every C is what inverse dynamics gives, 200 samples long."""
    robot, motion = oracle.robot(name), papers_motion(7)
    q, v, a = motion(np.linspace(0.0, motion.duration, 200), order=2)
    wanted = jounce.inverse_dynamics(robot, q, v, a)[0]
    M, g = jounce.mass_matrix(robot, q)[0], jounce.gravity_forces(robot, q)[0]
    for factorization in ("passive", "kinematic", "christoffel"):
        C = jounce.coriolis_matrix(robot, q, v, factorization=factorization)[0]
        got = np.einsum("sij,sj->si", M, a) + np.einsum("sij,sj->si", C, v) + g
        assert_close(got, wanted, INDEPENDENT)
