"""Every transcription runs on traced scalars, and on numbers of 50 digits, unchanged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jounce.codegen.graph import Graph
from jounce.codegen.interpreter import interpret
from jounce.codegen.program import Program
from jounce.literature import (
    goa13_adjoint_partials,
    goa13_jacobians,
    goa13_matrices,
    km21_closed_form,
    km21_recursive,
    m20_body,
    m20_dynamics,
    m20_kinematics,
    mk21_second_order,
    tree,
)
from jounce.literature.chain import SerialChain, from_robot
from tests import oracle_data as oracle
from tests.tolerances import ROUNDOFF, assert_close

Text = Callable[[SerialChain, Any], Any]
NAME = "chain5_open"
TREE = tree.from_robot(oracle.robot(NAME))
LOAD = np.random.default_rng(0).normal(size=(3, 5, 6))

TEXTS: dict[str, Text] = {
    "km21 kinematics": km21_recursive.forward_kinematics,
    "km21 dynamics": lambda chain, q: [km21_recursive.inverse_dynamics(chain, q, LOAD)],
    "m20 kinematics": m20_kinematics.forward_kinematics,
    "m20 dynamics": lambda chain, q: m20_dynamics.inverse_dynamics(chain, q, LOAD)[:2],
    "m20 accelerated ground": lambda chain, q: m20_dynamics.inverse_dynamics(
        chain, q, accelerated_ground=True
    )[:2],
    "m20 wrenches": lambda chain, q: [
        m20_dynamics.spatial_wrenches(m20_kinematics.forward_kinematics(chain, q), LOAD)
    ],
    "m20 body": lambda chain, q: m20_body.inverse_dynamics(chain, q, LOAD),
    "m20 body, accelerated ground": lambda chain, q: m20_body.inverse_dynamics(
        chain, q, accelerated_ground=True
    ),
    "goa13 Jacobians": lambda _, q: [goa13_jacobians.jacobians(TREE, *q[:3])],
    "goa13 matrices": lambda _, q: goa13_matrices.dynamic_matrices(TREE, *q[:3]),
    "goa13 adjoint partials": lambda _, q: goa13_adjoint_partials.adjoint_partials(TREE, *q[:2]),
    "km21 closed form": km21_closed_form.closed_form,
    "mk21 closed form": lambda chain, q: mk21_second_order.closed_form(chain, q, LOAD),
}
each_text = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())


def motion() -> np.ndarray:
    return np.array(oracle.samples(NAME)[-1]["q_derivatives"])[:5]


def traced(text: Text, chain: SerialChain, orders: int) -> Program:
    graph = Graph()
    q = np.array(graph.inputs(orders * chain.n), dtype=object).reshape(orders, chain.n)
    outputs = [list(array.ravel()) for array in text(chain, q)]
    return graph.program([orders * chain.n], outputs)


@each_text
def test_traced_numbers_are_the_numbers(text: Text) -> None:
    chain, q = from_robot(oracle.robot(NAME)), motion()
    rows = interpret(traced(text, chain, len(q)), [q.ravel()])
    for got, array in zip(rows, text(chain, q), strict=True):
        assert array.dtype == np.float64
        assert_close(got, array.ravel(), ROUNDOFF)


@each_text
def test_fifty_digits_pass_through(text: Text) -> None:
    mpmath = pytest.importorskip("mpmath")
    chain, q = from_robot(oracle.robot(NAME)), motion()
    with mpmath.workdps(50):
        precise = text(chain, np.vectorize(mpmath.mpf, otypes=[object])(q))
        for got, array in zip(precise, text(chain, q), strict=True):
            assert_close(array, np.array(got, dtype=float), 10 * ROUNDOFF)


def test_zeros_of_the_robot_leave_the_trace() -> None:
    """Joints about z with aligned frames: far fewer operations than dense matrices need."""
    chain = from_robot(oracle.robot("planar2R"))
    program = traced(lambda c, q: m20_body.inverse_dynamics(c, q)[:1], chain, 5)
    assert program.operations < 300
