"""Products of programs against tangent numbers, which differentiate by another rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from jounce.algebra.tangent import Tangent, partial
from jounce.codegen import Graph, Program, interpret
from jounce.codegen.products import dependencies, jacobian, jvp, vjp
from tests.tolerances import ROUNDOFF, assert_close
from tests.unit.codegen.programs import Recipe, chain, evaluate, recipes, trace

COUNT = 4


def by_tangents(recipe: Recipe, x: np.ndarray) -> np.ndarray:
    """Return the Jacobian of all outputs of a traced recipe."""
    values = evaluate(recipe, [Tangent(float(v), {k: 1.0}) for k, v in enumerate(x)])
    outputs = [*values[-5:], *values[:1]]
    return np.array([[partial(y, k) for k in range(len(x))] for y in outputs], float)


def split(program: Program, rows: Any) -> list[np.ndarray]:
    """Cut a flat array into one for each output of a program."""
    return np.split(rows, np.cumsum(program.output_widths)[:-1])


@settings(max_examples=60, deadline=None)
@given(recipes, st.integers(0, 2**32 - 1))
def test_products_are_those_of_tangent_numbers(recipe: Recipe, seed: int):
    rng = np.random.default_rng(seed)
    x, dx = rng.uniform(-1, 1, size=(2, COUNT))
    J = by_tangents(recipe, x)
    assume(np.isfinite(J).all() and np.abs(J).max(initial=0.0) < 1e6)
    program = trace(recipe, COUNT)
    lam = rng.normal(size=len(J))
    scale = max(1.0, np.abs(J).max())
    full = np.concatenate([rows.reshape(-1, COUNT) for rows in interpret(jacobian(program), [x])])
    assert_close(full, J, ROUNDOFF, scale=scale)
    assert_close(np.concatenate(interpret(jvp(program), [x, dx])), J @ dx, ROUNDOFF, scale=scale)
    (back,) = interpret(vjp(program), [x, *split(program, lam)])
    assert_close(back, J.T @ lam, ROUNDOFF, scale=10 * scale)


def test_products_of_products_commute():
    program = chain(5)
    rng = np.random.default_rng(3)
    x = [rng.normal(size=5), rng.normal(size=5)]
    dx = [rng.normal(size=5), rng.normal(size=5)]
    lam = [rng.normal(size=3), rng.normal(size=5)]
    along = interpret(jvp(vjp(program)), [*x, *lam, *dx, *(np.zeros_like(w) for w in lam)])
    against = interpret(vjp(jvp(program)), [*x, *dx, *lam])
    assert_close(along, against[:2], ROUNDOFF, scale=np.abs(along).max())


@pytest.mark.parametrize("inputs", [1, 9])
def test_the_jacobian_takes_the_cheaper_way(inputs: int):
    graph = Graph()
    xs = graph.inputs(inputs)
    total = sum((x.sincos()[0] * x for x in xs), 0.0)
    outputs = [total * float(k) + total * total for k in range(1, 10 - inputs + 1)]
    program = graph.program([inputs], [outputs])
    (rows,) = interpret(jacobian(program), [np.full(inputs, 0.3)])
    slope = np.sin(0.3) + 0.3 * np.cos(0.3)
    value = inputs * 0.3 * np.sin(0.3)
    wanted = [[(k + 2 * value) * slope] * inputs for k in range(1, 10 - inputs + 1)]
    assert_close(rows.reshape(-1, inputs), wanted, ROUNDOFF)
    assert jacobian(program).operations < 12 * program.operations


def test_what_does_not_depend_has_no_derivative():
    graph = Graph()
    _, y = graph.inputs(2)
    program = graph.program([1, 1], [[y, 2.0]])
    assert jacobian(program).operations == 0
    assert dependencies(program) == [[0b10, 0]]
    assert_close(interpret(jacobian(program), [[1.0], [2.0]])[0], [0, 1, 0, 0], 0.0)
    assert_close(interpret(jvp(program), [[1.0], [2.0], [3.0], [4.0]])[0], [4.0, 0.0], 0.0)
    assert_close(interpret(vjp(program), [[1.0], [2.0], [3.0, 4.0]]), [[0.0], [3.0]], 0.0)
