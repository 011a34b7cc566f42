"""Physics on random trees of every joint kind: power, momentum, wrenches, all with rates."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

import jounce
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close, assert_orders_close

pytestmark = pytest.mark.usefixtures("interpreted")

SEEDS = range(5)
ORDER = 3
FORMULATIONS = ["body", "spatial", "hybrid"]
REPRESENTATIONS = ["body", "spatial", "hybrid"]


def tree(seed: int, **options) -> tuple[jounce.Robot, np.random.Generator]:
    rng = np.random.default_rng(100 + seed)
    options = {"massless": 0.1, "oblique_gravity": True, "armature": True} | options
    return jounce.examples.random_tree(rng, 11, **options), rng


def motion(robot: jounce.Robot, rng: np.random.Generator, rates: int) -> list[np.ndarray]:
    return [robot.random_configuration(rng), *rng.normal(size=(rates, robot.nv))]


def leibniz(a: np.ndarray, b: np.ndarray, order: int) -> np.ndarray:
    """Return the derivatives of the inner product of a and b from theirs."""
    return np.array(
        [sum(comb(k, i) * np.vdot(a[i], b[k - i]) for i in range(k + 1)) for k in range(order + 1)]
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_power_is_the_rate_of_energy(seed: int) -> None:
    robot, rng = tree(seed, damping=False)
    state = motion(robot, rng, ORDER + 2)
    Q = jounce.inverse_dynamics(robot, *state)
    power = leibniz(Q, np.array(state[1:]), ORDER)
    T = jounce.kinetic_energy(robot, *state)
    U = jounce.potential_energy(robot, *state)
    assert_close(power, (T + U)[1:], INDEPENDENT)


@pytest.mark.parametrize("seed", SEEDS)
def test_external_power_leaves_the_robot(seed: int) -> None:
    robot, rng = tree(seed)
    frame = robot.bodies[robot.n_bodies // 2].name
    state = motion(robot, rng, ORDER + 2)
    W = rng.normal(size=(ORDER + 1, 6))
    for representation in REPRESENTATIONS:
        load = {frame: jounce.Wrench(W, representation)}
        taken = jounce.inverse_dynamics(robot, *state) - jounce.inverse_dynamics(
            robot, *state, wrenches=load
        )
        V = jounce.frame_twist(robot, frame, *state[:-1], representation=representation)
        got, wanted = leibniz(taken, np.array(state[1:]), ORDER), leibniz(W, V, ORDER)
        assert_close(got, wanted, INDEPENDENT, scale=np.abs(taken).max())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_formulations_agree(seed: int, formulation: str) -> None:
    robot, rng = tree(seed, damping=True)
    state = motion(robot, rng, ORDER + 2)
    loads = {
        robot.bodies[0].name: rng.normal(size=(2, 6)),
        robot.frames[-1].name: jounce.Wrench(rng.normal(size=(ORDER + 1, 6)), "spatial"),
        robot.bodies[-1].name: jounce.Wrench(rng.normal(size=(ORDER + 1, 6)), "hybrid"),
    }
    wanted = jounce.inverse_dynamics(robot, *state, wrenches=loads)
    got = jounce.inverse_dynamics(robot, *state, wrenches=loads, formulation=formulation)
    assert_orders_close(got, wanted, INDEPENDENT)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_twists_are_jacobians_times_velocities(seed: int, representation: str) -> None:
    """``V⁽ᵏ⁾ = Σ binom(k, i) J⁽ⁱ⁾ v⁽ᵏ⁻ⁱ⁾`` for every body and for a frame."""
    robot, rng = tree(seed)
    q, *rates = motion(robot, rng, ORDER + 1)
    J = jounce.body_jacobians(robot, q, *rates[:-1], representation=representation)
    V = jounce.twists(robot, q, *rates, representation=representation)
    for k in range(ORDER + 1):
        terms = [comb(k, i) * J[i] @ rates[k - i] for i in range(k + 1)]
        assert_close(sum(terms), V[k], INDEPENDENT)
    frame = robot.frames[-1].name
    J = jounce.jacobian(robot, frame, q, *rates[:-1], representation=representation)
    V = jounce.frame_twist(robot, frame, q, *rates, representation=representation)
    for k in range(ORDER + 1):
        terms = [comb(k, i) * J[i] @ rates[k - i] for i in range(k + 1)]
        assert_close(sum(terms), V[k], INDEPENDENT)


@pytest.mark.parametrize("seed", SEEDS)
def test_momentum_changes_by_the_wrench_of_the_ground(seed: int) -> None:
    """The wrenches on the roots, about the world origin, less gravity, are dh/dt."""
    robot, rng = tree(seed)
    state = motion(robot, rng, ORDER + 2)
    h = jounce.momentum(robot, *state)
    W = jounce.joint_wrenches(robot, *state, representation="spatial")
    roots = [i for i, parent in enumerate(robot.parents) if parent < 0]
    ground = W[:, roots].sum(axis=1)
    moving = robot.mass - robot.base_inertia.mass
    com = jounce.center_of_mass(robot, *state[:-1])[: ORDER + 1] * robot.mass
    com[0] -= np.array(robot.base_inertia.spatial.first_moment)
    g = np.array(robot.gravity)
    weight = np.concatenate([np.cross(com, g), np.zeros_like(com)], axis=-1)
    weight[0, 3:] = moving * g
    assert_orders_close(ground + weight, h[1 : ORDER + 2], INDEPENDENT)


@pytest.mark.parametrize("seed", SEEDS)
def test_linear_momentum_is_mass_times_velocity_of_the_center(seed: int) -> None:
    robot, rng = tree(seed)
    q, *rates = motion(robot, rng, ORDER + 1)
    h = jounce.momentum(robot, q, *rates)
    c = jounce.center_of_mass(robot, q, *rates)
    assert_orders_close(robot.mass * c[1:], h[:, 3:], INDEPENDENT)
    J = jounce.com_jacobian(robot, q, *rates[:-1])
    for k in range(ORDER + 1):
        terms = [comb(k, i) * J[i] @ rates[k - i] for i in range(k + 1)]
        assert_close(sum(terms), c[k + 1], INDEPENDENT)
    about = jounce.centroidal_momentum(robot, q, *rates)
    cross = [
        sum(comb(k, i) * np.cross(c[i], h[k - i, 3:]) for i in range(k + 1))
        for k in range(ORDER + 1)
    ]
    assert_orders_close(about[:, :3] + np.array(cross), h[:, :3], INDEPENDENT)


@pytest.mark.parametrize("seed", SEEDS)
def test_joint_wrenches_project_to_the_joint_forces(seed: int) -> None:
    robot, rng = tree(seed, armature=False, kinds=("revolute", "prismatic", "helical", "fixed"))
    state = motion(robot, rng, ORDER + 2)
    load = {robot.bodies[-1].name: rng.normal(size=(ORDER + 1, 6))}
    Q = jounce.inverse_dynamics(robot, *state, wrenches=load)
    for representation in REPRESENTATIONS:
        W = jounce.joint_wrenches(robot, *state, wrenches=load, representation=representation)
        J = jounce.body_jacobians(robot, *state[: ORDER + 1], representation=representation)
        own = np.array([[J[k, i, :, i] for i in range(robot.n_bodies)] for k in range(ORDER + 1)])
        got = [
            sum(comb(k, i) * np.sum(own[i] * W[k - i], axis=-1) for i in range(k + 1))
            for k in range(ORDER + 1)
        ]
        assert_orders_close(got, Q, INDEPENDENT)


@pytest.mark.parametrize("seed", SEEDS)
def test_gravity_forces_are_the_forces_at_rest(seed: int) -> None:
    robot, rng = tree(seed)
    q, v, a, j = motion(robot, rng, 3)
    still = np.zeros(robot.nv)
    g = jounce.gravity_forces(robot, q, v, a, j)
    assert_close(g[0], jounce.inverse_dynamics(robot, q, still, still)[0], ROUNDOFF)
    moving = jounce.inverse_dynamics(robot, q, v, a, j, *np.zeros((2, robot.nv)))
    weightless = robot.with_gravity((0, 0, 0))
    without = jounce.inverse_dynamics(weightless, q, v, a, j, *np.zeros((2, robot.nv)))
    assert_orders_close(moving - without, g, INDEPENDENT)
