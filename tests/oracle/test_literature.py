"""The papers' recursions against the authors' own programs and the 34-digit reference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from jounce.literature import goa13_jacobians, km21_recursive, m20_body, m20_dynamics, tree
from jounce.literature.chain import SerialChain, from_robot
from jounce.literature.m20_kinematics import forward_kinematics
from tests import oracle_data as oracle
from tests.tolerances import INDEPENDENT, assert_close, assert_orders_close

SERIAL = [name for name in oracle.NAMES if name not in oracle.TREES]
Law = Callable[[SerialChain, Any, Any], Any]


def km21(chain: SerialChain, q: Any, W: Any = None) -> np.ndarray:
    return km21_recursive.inverse_dynamics(chain, q, W)


def spatial(chain: SerialChain, q: Any, W: Any = None, ground: bool = False) -> np.ndarray:
    if W is not None:
        V1 = chain.ground_acceleration if ground else None
        W = m20_dynamics.spatial_wrenches(forward_kinematics(chain, q[:5], V1), W)
    return m20_dynamics.inverse_dynamics(chain, q[:5], W, accelerated_ground=ground).Q


def spatial_ground(chain: SerialChain, q: Any, W: Any = None) -> np.ndarray:
    return spatial(chain, q, W, ground=True)


def body(chain: SerialChain, q: Any, W: Any = None) -> np.ndarray:
    return m20_body.inverse_dynamics(chain, q[:5], W).Q


def body_ground(chain: SerialChain, q: Any, W: Any = None) -> np.ndarray:
    return m20_body.inverse_dynamics(chain, q[:5], W, accelerated_ground=True).Q


LAWS = [km21, spatial, spatial_ground, body, body_ground]
each_law = pytest.mark.parametrize("law", LAWS)
each_robot = pytest.mark.parametrize("name", SERIAL)


def chain_of(name: str) -> SerialChain:
    return from_robot(oracle.robot(name))


def weightless(chain: SerialChain) -> SerialChain:
    return replace(chain, gravity=np.zeros(3))


def check(got: Any, wanted: Any) -> None:
    """Compare the orders that both have."""
    wanted = np.asarray(wanted)[: len(got)]
    assert_orders_close(got[: len(wanted)], wanted, INDEPENDENT)


def by_order(rows: Any) -> np.ndarray:
    """Put the order before the body, as the transcriptions return it."""
    return np.array(rows).swapaxes(0, 1)


def check_stack(got: Any, wanted: Any, scale: float = 0.0) -> None:
    """Compare with at least the scale of what is differentiated: zero derivatives have none."""
    for actual, desired in zip(got, wanted, strict=True):
        assert_close(actual, desired, INDEPENDENT, scale=scale)


@each_robot
def test_chain(name: str) -> None:
    chain, bodies = chain_of(name), oracle.model(name)["bodies"]
    assert_close(chain.screws_body, [b["screw_body"] for b in bodies], INDEPENDENT)
    assert_close(chain.screws_spatial, [b["screw_spatial"] for b in bodies], INDEPENDENT)
    assert_close(chain.B, [b["B_parent_to_body_ref"] for b in bodies], INDEPENDENT)
    assert_close(chain.A, [b["A_world_to_body_ref"] for b in bodies], INDEPENDENT)


@each_law
@each_robot
def test_forces(name: str, law: Law) -> None:
    chain = chain_of(name)
    for sample in oracle.samples(name):
        got = law(chain, np.array(sample["q_derivatives"]), None)
        check(got, sample["exact"]["Q"])
        for program in ("hand_recursive_body", "hand_recursive_spatial"):
            check(got, sample["authors"][program]["Q"])
        check(got, sample["authors"]["nth_recursive_patched_n4"]["Q"])


@each_law
@each_robot
def test_forces_without_gravity(name: str, law: Law) -> None:
    chain = weightless(chain_of(name))
    for sample in oracle.samples(name):
        got = law(chain, np.array(sample["q_derivatives"]), None)
        check(got, sample["exact"]["Q_nograv"])
        for program in ("nth_recursive_patched_n4", "nth_closed_form", "hand_recursive_spatial"):
            check(got, sample["authors"][program]["Q_nograv"])


@each_law
@each_robot
def test_forces_with_wrench_on_the_last_body(name: str, law: Law) -> None:
    chain = chain_of(name)
    for sample in oracle.samples(name):
        load = np.zeros((4, chain.n, 6))
        load[:, -1] = sample["wrench_last_body"]  # same sign: by the body on the environment
        if law is not km21:
            load = load[:3]
        got = law(chain, np.array(sample["q_derivatives"])[:6], load)
        check(got, sample["exact"]["Q_with_wrench"])
        check(got, sample["authors"]["closed_form_2nd"]["Q_with_wrench"])


@each_robot
def test_screws_twists_and_wrenches_in_space(name: str) -> None:
    chain = weightless(chain_of(name))
    for sample in oracle.samples(name):
        result = m20_dynamics.inverse_dynamics(chain, np.array(sample["q_derivatives"])[:5])
        authors = sample["authors"]["hand_recursive_spatial"]
        check(result.kinematics.S, authors["S"])
        check(result.kinematics.S, by_order(sample["exact"]["S"]))
        check(result.kinematics.V, authors["V"])
        check(result.W, authors["Wbar_nograv"])
        assert_close(result.kinematics.C, sample["exact"]["pose"], INDEPENDENT)


@each_robot
def test_by_products_with_gravity_are_the_true_ones(name: str) -> None:
    chain = chain_of(name)
    for sample in oracle.samples(name):
        q = np.array(sample["q_derivatives"])[:5]
        in_space, in_body = (text.inverse_dynamics(chain, q) for text in (m20_dynamics, m20_body))
        check(in_space.kinematics.S, by_order(sample["exact"]["S"]))
        check(in_body.V, by_order(sample["exact"]["V"]))
        check(m20_dynamics.spatial_wrenches(in_space.kinematics, in_body.W), in_space.W)
        lifted = m20_body.inverse_dynamics(chain, q, accelerated_ground=True)
        check(lifted.W, in_body.W)


@each_robot
def test_poses_twists_and_screws_of_any_order(name: str) -> None:
    chain = chain_of(name)
    for sample in oracle.samples(name):
        got = km21_recursive.forward_kinematics(chain, np.array(sample["q_derivatives"]))
        assert_close(got.C, sample["exact"]["pose"], INDEPENDENT)
        check(got.V, by_order(sample["exact"]["V"]))
        check(got.V, sample["authors"]["nth_closed_form"]["V"])
        J = by_order(sample["exact"]["J"])  # columns are B_{i,j}
        check_stack(got.B[:3].swapaxes(2, 3), J, scale=float(np.abs(J[0]).max()))


@each_robot
def test_jacobians(name: str) -> None:
    links = tree.from_robot(oracle.robot(name))
    for sample in oracle.samples(name):
        got = goa13_jacobians.jacobians(links, *np.array(sample["q_derivatives"])[:3])
        wanted = by_order(sample["exact"]["J"])
        check_stack(got, wanted, scale=float(np.abs(wanted[0]).max()))
        assert_close(got[0], sample["authors"]["closed_form_2nd"]["J"], INDEPENDENT)
