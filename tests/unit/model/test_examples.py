"""Generated robots: deterministic chains, trees of every joint kind."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from jounce.errors import ArgumentError
from jounce.model.examples import KINDS, chain, random_inertia, random_placement, random_tree
from jounce.model.inertia import check_inertia
from jounce.model.robot import Robot
from tests.unit.model.texts import forces


def kinds_of(robot: Robot) -> set[str]:
    moving = {"mimic" if joint.mimic else joint.kind for joint in robot.joints}
    return moving | ({"fixed"} if len(robot.frames) > robot.n_bodies else set())


@pytest.mark.parametrize("n", [1, 2, 7, 30])
def test_a_chain_is_serial_revolute_and_always_the_same(n: int):
    robot = chain(n)
    assert robot.parents == tuple(range(-1, n - 1))
    assert {joint.kind for joint in robot.joints} == {"revolute"}
    assert robot == chain(n)
    assert hash(robot) == hash(chain(n))
    assert mass_matrix_is_regular(robot, robot.neutral)


def test_a_tree_has_every_kind_once_it_is_large_enough():
    for seed in range(20):
        robot = random_tree(np.random.default_rng(seed), n=2 * len(KINDS))
        assert kinds_of(robot) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_tree_of_one_kind(kind: str):
    robot = random_tree(np.random.default_rng(1), n=4, kinds=[kind])
    expected = {"fixed": {"fixed"}, "mimic": {"mimic", "revolute"}}.get(kind, {kind})
    assert kinds_of(robot) == expected


def test_the_same_numbers_give_the_same_tree():
    first, second = (random_tree(np.random.default_rng(7), n=12, massless=0.4) for _ in range(2))
    assert first == second
    assert pickle.loads(pickle.dumps(first)) == first
    assert random_tree(np.random.default_rng(8), n=12) != first


def test_branching_also_at_the_base():
    trees = [random_tree(np.random.default_rng(seed), n=9) for seed in range(20)]
    assert any(tree.parents.count(-1) > 1 for tree in trees)
    assert any(tree.parents.count(p) > 1 for tree in trees for p in tree.parents if p >= 0)
    serial = random_tree(np.random.default_rng(0), n=9, kinds=["revolute"], branching=0.0)
    assert serial.parents == tuple(range(-1, 8))


def test_a_floating_base_carries_everything():
    for seed in range(10):
        robot = random_tree(np.random.default_rng(seed), n=8, floating_base=True)
        assert robot.joints[0].kind == "free"
        assert robot.parents.count(-1) == 1


def test_options_do_what_they_say():
    plain = random_tree(np.random.default_rng(3), n=10)
    assert not any(x for joint in plain.joints for x in (*joint.armature, *joint.damping))
    assert tuple(plain.gravity) == (0.0, 0.0, -9.80665)
    full = random_tree(
        np.random.default_rng(3), n=10, armature=True, damping=True, oblique_gravity=True
    )
    assert all(x > 0 for joint in full.joints for x in (*joint.armature, *joint.damping))
    assert all(abs(g) > 1e-3 for g in full.gravity)
    assert np.linalg.norm(full.gravity) == pytest.approx(9.80665)


def test_massless_links_occur_and_leave_the_mass_matrix_regular():
    massless = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        robot = random_tree(rng, n=int(rng.integers(2, 12)), massless=0.8)
        massless += sum(body.inertia.mass == 0.0 for body in robot.bodies)
        assert mass_matrix_is_regular(robot, robot.random_configuration(rng))
    assert massless > 20


def test_inertias_are_consistent_and_placements_rigid(rng: np.random.Generator):
    for _ in range(50):
        inertia = random_inertia(rng)
        check_inertia(inertia, "cloud")
        I = np.array(inertia.rotational)
        assert np.linalg.eigvalsh(0.5 * np.trace(I) * np.eye(3) - I)[0] > 1e-6
        T = random_placement(rng)
        assert np.linalg.det(T[:3, :3]) == pytest.approx(1.0)
        assert np.abs(T[:3, :3].T @ T[:3, :3] - np.eye(3)).max() < 1e-14


def test_refusals():
    rng = np.random.default_rng(0)
    with pytest.raises(ArgumentError, match="n must be an integer ≥ 1, got 0"):
        chain(0)
    with pytest.raises(ArgumentError, match="n must be an integer ≥ 1, got 0"):
        random_tree(rng, n=0)
    with pytest.raises(ArgumentError, match="unknown joint kind 'screw'; known: revolute"):
        random_tree(rng, kinds=["revolute", "screw"])
    with pytest.raises(ArgumentError, match="none"):
        random_tree(rng, kinds=[])


def mass_matrix_is_regular(robot: Robot, q: np.ndarray) -> bool:
    if not robot.nv:
        return True
    zero = np.zeros(robot.nv)
    weightless = robot.with_gravity((0, 0, 0))
    M = np.array([forces(weightless, q, zero, row)[0] for row in np.eye(robot.nv)])
    return bool(np.linalg.eigvalsh(0.5 * (M + M.T))[0] > 1e-12)
