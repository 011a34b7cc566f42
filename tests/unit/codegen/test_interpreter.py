"""The interpreter: batches, broadcasting, bounded memory, errors."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from jounce.codegen import Graph, interpret
from jounce.errors import ShapeError
from tests.tolerances import EXACT, ROUNDOFF, assert_close
from tests.unit.codegen.programs import chain


def test_batches_broadcast():
    program = chain(4)
    rng = np.random.default_rng(0)
    angles, rates = rng.normal(size=(2, 1, 4)), rng.normal(size=(3, 4))
    vector, torques = interpret(program, [angles, rates])
    assert vector.shape == (2, 3, 3)
    assert torques.shape == (2, 3, 4)
    alone = interpret(program, [angles[1, 0], rates[2]])
    assert_close(vector[1, 2], alone[0], ROUNDOFF)
    assert_close(torques[1, 2], alone[1], ROUNDOFF)


def test_no_samples_and_constant_outputs():
    graph = Graph()
    (x,) = graph.inputs(1)
    program = graph.program([1], [[x, 2.0]])
    assert interpret(program, [np.empty((0, 1))])[0].shape == (0, 2)
    assert_close(interpret(program, [np.ones((2, 1))])[0], [[1.0, 2.0]] * 2, EXACT)


def test_division_by_zero_is_quiet():
    graph = Graph()
    x, y = graph.inputs(2)
    program = graph.program([2], [[x / y]])
    assert np.isinf(interpret(program, [np.array([1.0, 0.0])])[0]).all()


def test_dead_values_are_freed():
    program = chain(200)
    assert program.operations > 4000
    inputs = [np.ones((1000, 200))] * 2
    tracemalloc.start()
    interpret(program, inputs)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1000 * 8 * (2 * 200 + 450)  # outputs twice and the sines, not 4000 values


@pytest.mark.parametrize("shapes", [[(4,)], [(4,), (3,)], [(), (4,)]])
def test_wrong_arguments_are_refused(shapes):
    with pytest.raises(ShapeError, match="expected"):
        interpret(chain(4), [np.zeros(shape) for shape in shapes])
