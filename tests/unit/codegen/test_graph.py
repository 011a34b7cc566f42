"""Nodes are shared and folded while they are built, and no rule changes a number."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from jounce.algebra import scalar
from jounce.codegen import Expr, Graph, interpret
from jounce.errors import ShapeError
from tests.unit.codegen.programs import Recipe, evaluate, finite, recipes, trace


@pytest.fixture
def graph() -> Graph:
    return Graph()


def test_zero_and_one_vanish(graph: Graph):
    (x,) = graph.inputs(1)
    assert x + 0.0 is x
    assert 0 + x is x
    assert x - 0.0 is x
    assert x * 1.0 is x
    assert 1 * x is x
    assert x / 1.0 is x
    assert x * 0.0 == 0.0
    assert 0.0 * x == 0.0
    assert 0.0 / x == 0.0
    assert x - x == 0.0
    assert x / x == 1.0
    assert -x / x == -1.0
    assert len(graph.op) == 1


def test_signs_travel_outwards(graph: Graph):
    x, y = graph.inputs(2)
    opposite = -x
    assert -opposite is x
    assert x * -1.0 is -x
    assert 0.0 - x is -x
    assert x + (-y) is x - y
    assert (-x) + y is y - x
    assert x - (-y) is x + y
    assert (-x) - y is -(x + y)
    assert y - x is -(x - y)
    assert (-x) * y is -(x * y)
    assert (-x) * (-y) is x * y
    assert (-x) / y is -(x / y)
    assert x * -2.5 is -(x * 2.5)
    assert x - 2.5 is -(2.5 - x)
    assert -x - 2.5 is -(x + 2.5)
    sine, cosine = x.sincos()
    assert (-x).sincos() == (-sine, cosine)


def test_equal_expressions_are_one_node(graph: Graph):
    x, y = graph.inputs(2)
    assert x * y is y * x
    assert x + y is y + x
    assert x / 3.0 is x / 3.0
    assert x.sqrt() is x.sqrt()
    assert x.sincos() == x.sincos()
    assert x / 4.0 is x * 0.25
    before = len(graph.op)
    assert (x * y + 2.0) * (y * x + 2.0) is (y * x + 2.0) * (x * y + 2.0)
    assert len(graph.op) == before + 3  # a constant, a sum, its square; x·y was there


def test_constants_fold_as_numbers(graph: Graph):
    (x,) = graph.inputs(1)
    zero = x - x
    assert scalar.sincos(zero) == (0.0, 1.0)
    assert scalar.sqrt(zero + 4.0) == 2.0
    assert scalar.sincos(zero + 0.3) == (math.sin(0.3), math.cos(0.3))


def test_numpy_numbers_leave_the_operation_to_the_trace(graph: Graph):
    (x,) = graph.inputs(1)
    assert np.float64(2.0) * x is x * 2.0
    assert np.float64(2.0) - x is 2.0 - x
    assert np.int64(2) + x is x + 2.0
    assert x / np.float32(2.0) is x * 0.5
    with pytest.raises(TypeError):
        np.ones(3) * x
    with pytest.raises(TypeError):
        x + "a"


@pytest.mark.parametrize("use", [bool, float, abs, lambda x: x < 1.0, lambda x: x >= x])
def test_a_traced_value_has_no_number(graph: Graph, use):
    with pytest.raises(TypeError, match="traced value has no number"):
        use(graph.inputs(1)[0])


def test_misuse_is_refused(graph: Graph):
    (x,) = graph.inputs(1)
    (other,) = Graph().inputs(1)
    with pytest.raises(ZeroDivisionError):
        x / 0.0
    with pytest.raises(ValueError, match="two different graphs"):
        x * other
    with pytest.raises(ValueError, match="two different graphs"):
        graph.program([1], [[other]])
    with pytest.raises(ShapeError, match="sum to 2"):
        graph.program([1, 1], [[x]])


def test_equality_is_identity(graph: Graph):
    x, y = graph.inputs(2)
    assert x == x
    assert x != y
    assert x != 0.0
    assert len({x, y, -x, -(0.0 - x)}) == 3
    assert "input" in repr(x)


def test_importing_codegen_does_not_import_llvmlite():
    code = "import sys, jounce.codegen; sys.exit('llvmlite' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


numbers = st.floats(-2.0, 2.0, allow_subnormal=False)


@given(recipes, st.lists(numbers, min_size=4, max_size=4))
def test_no_rule_changes_a_number(recipe: Recipe, inputs: list[float]):
    values = evaluate(recipe, inputs)
    assume(finite(values))
    program = trace(recipe, 4)
    last, first = interpret(program, [np.array(inputs)])
    assert last.tolist() == values[-5:]  # 0.0 == -0.0
    assert first.tolist() == values[:1]
    assert program.operations <= 3 * len(recipe) + 5


def test_outputs_may_be_numbers_inputs_and_negatives(graph: Graph):
    x, y = graph.inputs(2)
    product = x * 3.0
    rows: list[list[Expr | float]] = [[1.5, -2.0, x, -x, -x, -product, y - x, -(x + y)], []]
    program = graph.program([2], rows)
    outputs, empty = interpret(program, [np.array([2.0, 7.0])])
    assert outputs.tolist() == [1.5, -2.0, 2.0, -2.0, -2.0, -6.0, 5.0, -9.0]
    assert empty.shape == (0,)
    assert program.counts == {"add": 2, "mul": 1, "div": 0, "neg": 2, "sqrt": 0, "sincos": 0}
