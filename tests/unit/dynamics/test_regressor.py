"""Regressors: linear in the parameters, and the columns of the motors."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.algebra.inertia import SpatialInertia, Symmetric3
from jounce.algebra.se3 import Motion
from jounce.algebra.vector import Vec3
from jounce.dynamics.regressor import UNITS
from jounce.errors import ArgumentError
from tests.tolerances import EXACT, INDEPENDENT, ROUNDOFF, assert_close, assert_orders_close
from tests.unit.dynamics.test_friction import rough

pytestmark = pytest.mark.usefixtures("interpreted")


def motion_of(robot: jounce.Robot, rates: int, rng: np.random.Generator) -> list[np.ndarray]:
    return [robot.random_configuration(rng), *rng.normal(size=(rates, robot.nv))]


def test_momentum_is_linear_in_the_parameters(rng: np.random.Generator) -> None:
    """``Λ V = A(V) π`` with A as printed in [GOA13, (8)-(12)], the linear part first there."""
    w, v, pi = rng.normal(size=3), rng.normal(size=3), rng.normal(size=10)
    x, y, z = w
    turned = np.array([[x, 0, 0, y, z, 0], [0, y, 0, x, 0, z], [0, 0, z, 0, x, y]])  # (12)
    A_v = np.c_[v, np.cross(w, np.eye(3)).T, np.zeros((3, 6))]  # (10)
    A_w = np.c_[np.zeros(3), -np.cross(v, np.eye(3)).T, turned]  # (11)
    V = Motion(Vec3(*w), Vec3(*v))
    columns = np.array([[*h.moment, *h.force] for h in (unit.apply(V) for unit in UNITS)]).T
    assert_close(columns, np.r_[A_w, A_v], ROUNDOFF)
    inertia = SpatialInertia(pi[0], Vec3(*pi[1:4]), Symmetric3(*pi[4:]))
    moment, force = inertia.apply(V)
    assert_close(columns @ pi, [*moment, *force], ROUNDOFF)


@pytest.mark.parametrize("column", range(10))
def test_column_is_the_force_of_one_parameter(column: int, rng: np.random.Generator) -> None:
    """Forces of the robot with one parameter one more, less its own forces."""
    robot = jounce.examples.random_tree(rng, 6, oblique_gravity=True)
    motion, body = motion_of(robot, 3, rng), 1
    pi = jounce.parameters(robot)
    more = pi.copy()
    more[10 * body + column] += 1.0
    changed = robot.with_parameters(more, strict=False)
    wanted = jounce.inverse_dynamics(changed, *motion) - jounce.inverse_dynamics(robot, *motion)
    got = jounce.regressor(robot, *motion)[..., 10 * body + column]
    scale = float(np.abs(jounce.inverse_dynamics(robot, *motion)).max())
    assert_orders_close(got, wanted, 10 * ROUNDOFF, scale=scale)


def test_motor_columns_complete_the_forces(rng: np.random.Generator) -> None:
    """Y times all parameters is Q with damping and armature; mimics share a velocity."""
    robot = jounce.examples.random_tree(rng, 11, armature=True, damping=True)
    motion = motion_of(robot, 4, rng)
    Y = jounce.regressor(robot, *motion, friction=True, armature=True)
    assert Y.shape == (3, robot.nv, robot.n_parameters + 4 * robot.nv)
    bare = jounce.inverse_dynamics(robot, *motion)
    damping, motors = at_velocities(robot)
    still = np.zeros(2 * robot.nv)
    pi = np.concatenate([jounce.parameters(robot), damping, still, motors])
    assert_close(jounce.parameters(robot, friction=True, armature=True), pi, ROUNDOFF)
    assert_orders_close(Y @ pi, bare, 10 * ROUNDOFF)


@pytest.mark.parametrize("seed", range(3))
def test_regressor_of_a_robot_with_friction(seed: int) -> None:
    """Y π = Q to the fourth order: every joint kind, followers at other speeds of smoothing."""
    rng = np.random.default_rng(seed)
    robot = jounce.examples.random_tree(
        rng, 12, [*jounce.examples.KINDS, "mimic", "mimic"], armature=True, damping=True
    )
    robot = rough(robot, rng)
    assert any(joint.mimic for joint in robot.joints)
    motion = motion_of(robot, 6, rng)
    Y = jounce.regressor(robot, *motion, friction=True, armature=True)
    pi = jounce.parameters(robot, friction=True, armature=True)
    wanted = jounce.inverse_dynamics(robot, *motion)
    assert_orders_close(Y @ pi, wanted, INDEPENDENT)
    for kind, block in zip(("viscous", "coulomb", "offset"), range(3), strict=True):
        own = slice(
            robot.n_parameters + block * robot.nv, robot.n_parameters + (block + 1) * robot.nv
        )
        alone = jounce.regressor(robot, *motion, friction=kind)[..., robot.n_parameters :]
        assert_close(alone, Y[..., own], ROUNDOFF)
        assert np.abs(Y[..., own] @ pi[own]).max() > 0.01


def test_one_speed_of_smoothing_for_all(rng: np.random.Generator) -> None:
    arm = jounce.load("planar2r")
    q, v, a = rng.normal(size=(3, 2))
    found = jounce.regressor(arm, q, v, a, friction="coulomb", coulomb_speed=0.3)[0, :, 20:]
    assert_close(found, np.diag(v / np.sqrt(v**2 + 0.09)), ROUNDOFF)
    for speed in (0.0, np.inf, np.nan, 1e-200, "slow", [1.0], True):
        with pytest.raises(ArgumentError, match="coulomb_speed must be positive"):
            jounce.regressor(arm, q, v, a, friction=True, coulomb_speed=speed)
    with pytest.raises(ArgumentError, match="friction must be True, False or some of viscous"):
        jounce.regressor(arm, q, v, a, friction=3)
    with pytest.raises(jounce.UnknownNameError, match="did you mean 'viscous'"):
        jounce.regressor(arm, q, v, a, friction="viskous")


@pytest.mark.parametrize(
    "motors",
    [
        {},
        {"friction": True},
        {"friction": ["coulomb", "viscous"], "armature": True},
        {"friction": "offset"},
        {"friction": True, "armature": True, "coulomb_speed": 0.3},
    ],
)
def test_kernel_and_function_give_the_same_columns(motors, rng: np.random.Generator) -> None:
    robot = rough(jounce.examples.random_tree(rng, 6, armature=True, damping=True), rng)
    motion = motion_of(robot, 5, rng)
    wanted = jounce.regressor(robot, *motion, **motors)
    kernel = jounce.kernel(robot, "regressor", order=3, **motors)
    assert_close(kernel(*motion), wanted, EXACT)
    kinds = [x for x in ("viscous", "coulomb", "offset") if x in _kinds(motors)]
    kinds += ["armature"] * motors.get("armature", False)
    assert wanted.shape[-1] == robot.n_parameters + len(kinds) * robot.nv


def _kinds(motors) -> list[str]:
    given = motors.get("friction", [])
    return ["viscous", "coulomb", "offset"] if given is True else np.atleast_1d(given).tolist()


def test_no_columns_no_operations() -> None:
    """Offsets are constants, dampings the velocities themselves: neither costs an operation."""
    arm = jounce.load("panda")
    free = ({}, {"friction": ["viscous", "offset"], "armature": True})
    plain, more = (jounce.kernel(arm, "regressor", **x).operations for x in free)
    assert plain == more < jounce.kernel(arm, "regressor", friction=True).operations


def at_velocities(robot: jounce.Robot) -> np.ndarray:
    result = np.zeros((2, robot.nv))
    for joint in robot.joints:
        own, factor = joint.v_slice, 1.0
        if joint.mimic:
            own, factor = robot.joints[joint.mimic.source].v_slice, joint.mimic.multiplier
        result[0, own] += np.array(joint.damping) * factor**2
        result[1, own] += np.array(joint.armature) * factor**2
    return result


@pytest.mark.parametrize("batch", [(), (3,), (2, 3)])
def test_order_of_the_motor_columns(batch: tuple[int, ...], rng: np.random.Generator) -> None:
    arm = jounce.load("planar2r")
    q, v, a, j = rng.normal(size=(4, *batch, 2))
    Y = jounce.regressor(arm, q, v, a, j, friction=True)[..., 20:]
    assert Y.shape == (2, *batch, 2, 6)
    dry, rate = v / np.sqrt(v**2 + 1e-4), a * 1e-4 / (v**2 + 1e-4) ** 1.5
    for k, (one, two) in enumerate(((v, a), (dry, rate), (v**0, 0.0 * v))):
        assert_close(Y[0][..., 2 * k : 2 * k + 2], one[..., None] * np.eye(2), ROUNDOFF)
        assert_close(Y[1][..., 2 * k : 2 * k + 2], two[..., None] * np.eye(2), 10 * ROUNDOFF)
    alone = jounce.regressor(arm, q, v, a, j, armature=True)[..., 20:]
    assert_close(alone[0], a[..., None] * np.eye(2), ROUNDOFF)
    assert_close(alone[1], j[..., None] * np.eye(2), ROUNDOFF)


@pytest.mark.parametrize("factorization", ["passive", "kinematic", "christoffel"])
def test_slotine_li(factorization: str, rng: np.random.Generator) -> None:
    robot = jounce.examples.random_tree(rng, 8, oblique_gravity=True)
    q, v, v_r, a_r = motion_of(robot, 3, rng)
    Y = jounce.slotine_li_regressor(robot, q, v, v_r, a_r, factorization)
    C = jounce.coriolis_matrix(robot, q, v, factorization=factorization)[0]
    M, g = jounce.mass_matrix(robot, q)[0], jounce.gravity_forces(robot, q)[0]
    assert_close(Y @ jounce.parameters(robot), M @ a_r + C @ v_r + g, 10 * ROUNDOFF)
