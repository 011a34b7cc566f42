"""GOA13 on a tree with every kind of joint: against other texts, and differences at 60 digits."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import jounce
from jounce.literature.goa13_adjoint_partials import adjoint_partials, factor_W
from jounce.literature.goa13_jacobians import jacobians, kinematics
from jounce.literature.goa13_matrices import dynamic_matrices
from jounce.literature.tree import Tree, from_robot
from tests.fifty_digits import every_joint, shifted
from tests.tolerances import INDEPENDENT, assert_close

STEP = mp.mpf(10) ** -20


@cache
def robot() -> jounce.Robot:
    return every_joint(follower=True)


@cache
def state() -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(1)
    return robot().random_configuration(rng), *rng.normal(size=(2, robot().nv))


def exact(values: Any) -> np.ndarray:
    return np.vectorize(mp.mpf, otypes=[object])(np.asarray(values))


def fine(tree: Tree) -> Tree:
    links = tuple(link._replace(placement=exact(link.placement)) for link in tree.links)
    return replace(
        tree, links=links, placements=exact(tree.placements), inertias=exact(tree.inertias),
        gravity=exact(tree.gravity),
    )  # fmt: skip


def check_partials(text: Any, found: Any, by_q: dict[str, str], by_w: dict[str, str]) -> None:
    """Compare fields of a result, h last, with differences along a direction at 60 digits."""
    q, w, w1 = state()
    d = np.random.default_rng(3).uniform(0.5, 1.5, robot().nv)  # every h has a say
    with mp.workdps(60):
        tree, x, v, a = fine(from_robot(robot())), exact(q), exact(w), exact(w1)
        ends_q = [text(tree, moved(x, d * sign), v, a) for sign in (1, -1)]
        ends_w = [text(tree, x, v + exact(d * sign) * STEP, a) for sign in (1, -1)]
        for wanted, ends in ((by_q, ends_q), (by_w, ends_w)):
            for partial, value in wanted.items():
                ahead, behind = (getattr(end, value) for end in ends)
                slope = ((ahead - behind) / (2 * STEP)).astype(float)
                assert_close(getattr(found, partial) @ d, slope, INDEPENDENT)


def moved(x: np.ndarray, d: np.ndarray) -> np.ndarray:
    for h, size in enumerate(d):
        x = shifted(robot(), x, h, size * STEP)
    return x


def test_the_tree_has_every_kind() -> None:
    kinds = {joint.kind for joint in robot().joints}
    assert kinds == set(jounce.model.joints.kinds.KINDS) - {"fixed"}
    assert any(joint.mimic for joint in robot().joints)
    assert len(set(robot().parents)) < robot().n_bodies  # it branches


def test_jacobians_and_their_rates() -> None:
    q, w, w1 = state()
    found = jacobians(from_robot(robot()), q, w, w1)
    for k, body in enumerate(robot().bodies):
        wanted = jounce.jacobian(robot(), body.name, q, w, w1)
        for order in range(3):
            assert_close(found[order, k], wanted[order], INDEPENDENT)


@pytest.mark.slow
def test_partials_of_jacobians() -> None:
    """(31), (32), and (30) with (33): ∂J̇/∂w = ∂J/∂q."""
    found = kinematics(from_robot(robot()), *state())
    check_partials(kinematics, found, {"dJ_dq": "J", "dJ1_dq": "J1"}, {"dJ_dq": "J1"})


def test_matrices_are_those_of_the_other_texts() -> None:
    q, w, w1 = state()
    found = dynamic_matrices(from_robot(robot()), q, w, w1)
    M, M1 = jounce.mass_matrix(robot(), q, w)
    C, C1 = jounce.coriolis_matrix(robot(), q, w, w1)
    g, g1 = jounce.gravity_forces(robot(), q, w)
    for got, wanted in zip(found, (M, C, g, M1, C1, g1), strict=False):
        assert_close(got, wanted, INDEPENDENT)
    dC_dq, dC_dv = jounce.coriolis_partials(robot(), q, w)
    pairs = [
        (found.dM_dq, jounce.mass_matrix_partials(robot(), q)),
        (found.dC_dq, dC_dq),
        (found.dC_dw, dC_dv),
        (found.dg_dq, jounce.gravity_partials(robot(), q)),
    ]
    for got, wanted in pairs:
        assert_close(got, wanted, INDEPENDENT)
    assert_close(found.C + found.C.T, found.M1, INDEPENDENT)  # Remark 5


@pytest.mark.slow
def test_partials_of_matrices() -> None:
    found = dynamic_matrices(from_robot(robot()), *state())
    by_q = {"dM_dq": "M", "dC_dq": "C", "dg_dq": "g"}
    check_partials(dynamic_matrices, found, by_q, {"dC_dw": "C"})


@pytest.mark.slow
def test_partials_of_adjoints() -> None:
    """Ad⁻¹ is a product of poses, adj a text of its own: nothing of (18)-(20) is in them."""

    def text(tree: Tree, q: Any, w: Any, _: Any) -> Any:
        found = adjoint_partials(tree, q, w)
        last = {n: np.moveaxis(getattr(found, n), 1, -1) for n in found._fields if n[:2] in names}
        return found._replace(**last)

    names = ("dA", "da")
    found = text(from_robot(robot()), *state())
    by_q = {"dAd_inverse_dq": "Ad_inverse", "dadj_dq": "adj"}
    check_partials(text, found, by_q, {"dadj_dv": "adj"})


def test_adj_is_that_of_the_twist(rng: np.random.Generator) -> None:
    """``adj X = [V, X]`` with the twist of another text, and W has entries 0, 1 and −1."""
    q, w, _ = state()
    found = adjoint_partials(from_robot(robot()), q, w)
    for V, adj in zip(jounce.twists(robot(), q, w)[0], found.adj, strict=True):
        X = rng.normal(size=6)
        wanted = np.r_[np.cross(V[:3], X[:3]), np.cross(V[:3], X[3:]) + np.cross(V[3:], X[:3])]
        assert_close(adj @ X, wanted, INDEPENDENT)
    assert sorted(set(factor_W().ravel().tolist())) == [-1.0, 0.0, 1.0]
