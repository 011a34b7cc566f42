"""The structure of M, C and g on random trees of every joint kind, mimic across branches included.

The matrices are put together again from the body Jacobians and the inertias, all orders by
Leibniz' rule: an independent sum over bodies, without composites.
"""

from __future__ import annotations

from functools import cache, reduce
from math import comb

import numpy as np
import pytest

import jounce
from jounce.model.examples import KINDS
from jounce.model.records import Body
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close, assert_orders_close

pytestmark = pytest.mark.usefixtures("interpreted")

SEEDS = range(4)
ORDER = 3
FACTORIZATIONS = ["passive", "kinematic", "christoffel"]
Motion = list[np.ndarray]

slow = pytest.mark.slow
every_seed = pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=slow) if seed > 1 else seed for seed in SEEDS]
)
every_factorization = pytest.mark.parametrize("factorization", FACTORIZATIONS)


@cache
def case(seed: int) -> tuple[jounce.Robot, Motion]:
    """Return a tree of twelve links and a motion with ORDER + 2 rates."""
    rng = np.random.default_rng(200 + seed)
    floating = bool(seed % 2)
    robot = jounce.examples.random_tree(
        rng, 12, massless=0.1, oblique_gravity=True, armature=True, damping=True,
        floating_base=floating,
    )  # fmt: skip
    return robot, [robot.random_configuration(rng), *rng.normal(size=(ORDER + 2, robot.nv))]


@cache
def mass(seed: int) -> np.ndarray:
    robot, motion = case(seed)
    return jounce.mass_matrix(robot, *motion[: ORDER + 2])


@cache
def coriolis(seed: int, factorization: str) -> np.ndarray:
    robot, motion = case(seed)
    return jounce.coriolis_matrix(robot, *motion[: ORDER + 2], factorization=factorization)


def product(*factors: np.ndarray) -> np.ndarray:
    """Return the derivatives of a matrix product from those of its factors, order first."""
    return reduce(_product, factors)


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    orders = range(min(len(a), len(b)))
    return np.array([sum(comb(k, i) * a[i] @ b[k - i] for i in range(k + 1)) for k in orders])


def transposed(a: np.ndarray) -> np.ndarray:
    return a.swapaxes(-1, -2)


def constant(matrix: np.ndarray) -> np.ndarray:
    return np.array([matrix, *[np.zeros_like(matrix)] * (ORDER + 1)])


def hat(w: np.ndarray) -> np.ndarray:
    x, y, z = w
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def ad(twist: np.ndarray) -> np.ndarray:
    """Return the 6x6 matrix of ``u → ad(V) u``, angular first."""
    w, v = hat(twist[:3]), hat(twist[3:])
    return np.block([[w, np.zeros((3, 3))], [v, w]])


def spin(momentum: np.ndarray) -> np.ndarray:
    """Return the 6x6 matrix X of ``u → −ad(u)ᵀ h``."""
    return np.array([-ad(u).T @ momentum for u in np.eye(6)]).T


def body_inertia(body: Body) -> np.ndarray:
    """Return the 6x6 inertia of a body about its origin."""
    m, h, rotational = body.inertia.spatial
    upper = np.array(rotational.rows), hat(np.array(h))
    return np.block([[*upper], [upper[1].T, m * np.eye(3)]])


def assembled_mass(robot: jounce.Robot, motion: Motion) -> np.ndarray:
    """Return ``Σ_l J_lᵀ M_l J_l`` and its derivatives, motors added."""
    J = jounce.body_jacobians(robot, *motion)
    total = sum(
        product(transposed(J[:, l]), constant(body_inertia(body)), J[:, l])
        for l, body in enumerate(robot.bodies)
    )
    return np.array(total) + constant(motors(robot))[: len(total)]


def motors(robot: jounce.Robot) -> np.ndarray:
    return _by_velocity(robot, [joint.armature for joint in robot.joints])


def dampers(robot: jounce.Robot) -> np.ndarray:
    return _by_velocity(robot, [joint.damping for joint in robot.joints])


def _by_velocity(robot: jounce.Robot, values: list) -> np.ndarray:
    """Return Eᵀ diag(values) E: a joint that mimics another acts on its source, squared."""
    diagonal = np.zeros(robot.nv)
    for joint, own in zip(robot.joints, values, strict=True):
        if joint.mimic is None:
            diagonal[joint.v_slice] += own
        else:
            source = robot.joints[joint.mimic.source]
            diagonal[source.v_slice] += joint.mimic.multiplier**2 * own[0]
    return np.diag(diagonal)


def assembled_coriolis(robot: jounce.Robot, motion: Motion, factorization: str) -> np.ndarray:
    """Return C and its derivatives from the sum over bodies, in body frames.

    passive ``Jᵀ (M (dJ/dt + ad(V) J) − ad(V)ᵀ M J)`` [GOA13, (6b)], kinematic the same without
    the middle term [KM21, (30)], christoffel ``Jᵀ (M dJ/dt + ½ (M ad(V) − ad(V)ᵀ M + X) J)``.
    """
    J, V = jounce.body_jacobians(robot, *motion), jounce.twists(robot, *motion)
    total = np.zeros((ORDER + 1, robot.nv, robot.nv))
    for l, body in enumerate(robot.bodies):
        M = constant(body_inertia(body))
        adV = np.array([ad(twist) for twist in V[:, l]])
        X = np.array([spin(body_inertia(body) @ twist) for twist in V[:, l]])
        left, right = product(transposed(adV), M), product(M, adV)
        turning = {
            "passive": right - left,
            "kinematic": -left,
            "christoffel": 0.5 * (right - left + X),
        }[factorization]
        inner = product(M, J[1:, l]) + product(turning, J[: ORDER + 1, l])
        total += product(transposed(J[: ORDER + 1, l]), inner[: ORDER + 1])
    return total


@every_seed
def test_mass_matrix_is_the_sum_over_bodies(seed: int) -> None:
    robot, motion = case(seed)
    assert_orders_close(mass(seed), assembled_mass(robot, motion[: ORDER + 2]), INDEPENDENT)


@every_seed
@every_factorization
def test_coriolis_matrix_is_the_sum_over_bodies(seed: int, factorization: str) -> None:
    robot, motion = case(seed)
    wanted = assembled_coriolis(robot, motion[: ORDER + 2], factorization)
    assert_orders_close(coriolis(seed, factorization), wanted, INDEPENDENT)


@every_seed
def test_all_derivatives_of_the_mass_matrix_are_symmetric(seed: int) -> None:
    M = mass(seed)
    assert_orders_close(M, transposed(M), ROUNDOFF)
    assert np.linalg.eigvalsh(M[0]).min() > 0.0


@every_seed
@pytest.mark.parametrize("factorization", ["passive", "christoffel"])
def test_rate_of_the_mass_matrix_is_twice_the_symmetric_part(seed: int, factorization: str) -> None:
    """``dM/dt = C + Cᵀ`` and its derivatives, in quasi-velocities too."""
    C = coriolis(seed, factorization)
    assert_orders_close(C + transposed(C), mass(seed)[1:], INDEPENDENT)


@every_seed
def test_kinematic_matrix_is_not_passive(seed: int) -> None:
    C, M1 = coriolis(seed, "kinematic")[0], mass(seed)[1]
    assert np.abs(C + C.T - M1).max() > 1e-3 * np.abs(M1).max()


@every_seed
def test_passive_and_christoffel_differ_by_a_skew_matrix(seed: int) -> None:
    difference = coriolis(seed, "passive") - coriolis(seed, "christoffel")
    scale = np.abs(coriolis(seed, "passive")).max()
    assert_close(difference, -transposed(difference), INDEPENDENT, scale=scale)
    assert np.abs(difference).max() > 1e-3 * scale


@every_seed
@every_factorization
def test_equation_of_motion_with_derivatives(seed: int, factorization: str) -> None:
    """``M a + C v + D v + g = Q`` by Leibniz' rule; so C v is common to all three."""
    robot, (q, *rates) = case(seed)
    Q = jounce.inverse_dynamics(robot, q, *rates)
    g = jounce.gravity_forces(robot, q, *rates[:ORDER])
    v, a = np.array(rates[: ORDER + 1]), np.array(rates[1 : ORDER + 2])
    columns = product(mass(seed), a[..., None]) + product(
        coriolis(seed, factorization), v[..., None]
    )
    assert_orders_close(columns[..., 0] + v @ dampers(robot) + g, Q, INDEPENDENT)


@every_seed
@every_factorization
def test_coriolis_matrix_is_linear_in_the_velocity(seed: int, factorization: str) -> None:
    robot, (q, v, w, *_) = case(seed)
    velocities = np.array([v, w, 2.0 * v - 3.0 * w])
    C = jounce.coriolis_matrix(robot, q, velocities, factorization=factorization)[0]
    assert_close(2.0 * C[0] - 3.0 * C[1], C[2], INDEPENDENT)


@every_seed
def test_christoffel_matrix_has_no_torsion(seed: int) -> None:
    """``C(u) w − C(w) u = M ad(u) w``: with ``dM/dt = C + Cᵀ`` only one matrix has both.

    ``ad(u) w`` joint by joint is zero but for spherical and free joints.  Motors are no part of
    it: they are constant in M and absent from C.
    """
    robot, (q, u, w, *_) = case(seed)
    Cu, Cw = jounce.coriolis_matrix(robot, q, np.array([u, w]), factorization="christoffel")[0]
    M = mass(seed)[0] - motors(robot)
    bracket = np.zeros(robot.nv)
    for joint in robot.joints:
        at = joint.v_slice
        if joint.kind == "spherical":
            bracket[at] = np.cross(u[at], w[at])
        elif joint.kind == "free":
            bracket[at] = ad(u[at]) @ w[at]
    assert np.abs(bracket).max() > 0.0
    assert_close(Cu @ w - Cw @ u, M @ bracket, INDEPENDENT, scale=np.abs(Cu @ w).max())


def test_trees_have_every_joint_kind_and_mimics_across_branches() -> None:
    robots = [case(seed)[0] for seed in SEEDS]
    kinds = {joint.kind for robot in robots for joint in robot.joints}
    assert kinds >= set(KINDS) - {"mimic", "fixed"}
    assert any(crosses(robot, k) for robot in robots for k in range(len(robot.joints)))


def crosses(robot: jounce.Robot, k: int) -> bool:
    """Tell whether a joint mimics one that is not between it and the ground."""
    mimic = robot.joints[k].mimic
    if mimic is None:
        return False
    below = k
    while below >= 0 and below != mimic.source:
        below = robot.parents[below]
    return below < 0
