"""Regrouped inertias and sparse frames change no force; they only save operations."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.dynamics.inverse import inverse_dynamics
from jounce.model.lowering.reduced import reduced
from jounce.model.lowering.tree import lowered
from tests.tolerances import ROUNDOFF, assert_orders_close

ORDER = 3
WAYS = [(True, False), (False, True), (True, True)]


@pytest.mark.parametrize(("regroup", "sparse"), WAYS)
@pytest.mark.parametrize("seed", range(6))
def test_forces_do_not_change(seed: int, regroup: bool, sparse: bool) -> None:
    rng = np.random.default_rng(seed)
    robot = jounce.examples.random_tree(
        rng, 12, massless=0.2, oblique_gravity=True, armature=True, damping=True
    )
    q = robot.random_configuration(rng).tolist()
    rates = rng.normal(size=(ORDER + 2, robot.nv)).tolist()
    frame = robot.frames[-1].name
    wrenches = {
        (frame, "hybrid"): rng.normal(size=(ORDER + 1, 6)).tolist(),
        (robot.bodies[0].name, "body"): rng.normal(size=(ORDER + 1, 6)).tolist(),
    }
    plain = inverse_dynamics(robot, q, rates, wrenches, tree=lowered(robot))
    tree = reduced(robot, regrouped=regroup, sparse=sparse)
    assert_orders_close(inverse_dynamics(robot, q, rates, wrenches, tree=tree), plain, ROUNDOFF)


def test_revolute_bodies_lose_mass_height_and_one_moment() -> None:
    for link in reduced(jounce.examples.chain(6)).links:
        mass, h, I = link.inertia
        assert (mass, h.z, I.yy) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("name", ["panda", "iiwa14", "puma560", "humanoid"])
def test_operations_are_saved(name: str) -> None:
    from jounce.codegen.graph import Graph

    robot = jounce.load(name)
    widths = [robot.nq] + [robot.nv] * 2

    def operations(tree) -> int:
        graph = Graph()
        values = iter(graph.inputs(sum(widths)))
        rows = [[next(values) for _ in range(w)] for w in widths]
        return graph.program(
            widths, inverse_dynamics(robot, rows[0], rows[1:], tree=tree)
        ).operations

    before, after = operations(lowered(robot)), operations(reduced(robot))
    assert after < 0.9 * before
