"""A program holds what the outputs need, counts it and has a stable name."""

from __future__ import annotations

from jounce.codegen import Graph
from tests.unit.codegen.programs import chain


def test_dead_code_is_dropped():
    graph = Graph()
    x, y = graph.inputs(2)
    used = x * y
    (used + 1.0).sqrt().sincos()
    program = graph.program([1, 1], [[used]])
    assert program.operations == 1
    assert program.constants == ()


def test_operations_are_counted_by_kind():
    graph = Graph()
    x, y = graph.inputs(2)
    s, c = (x + y).sincos()
    program = graph.program([2], [[s * c, (s - 2.0) / y, c.sqrt()]])
    assert program.counts == {"add": 2, "mul": 1, "div": 1, "neg": 0, "sqrt": 1, "sincos": 1}
    assert program.operations == 6
    assert program.output_widths == (3,)


def test_operands_come_before_operations():
    program = chain(5)
    first = program.first_operation
    for k, (a, b) in enumerate(zip(program.a, program.b, strict=True)):
        assert max(a, b) < first + k


def test_the_digest_names_the_result():
    assert chain(3).digest == chain(3).digest
    assert chain(3).digest != chain(3, seed=1).digest
    assert chain(3).digest != chain(4).digest
    graph = Graph()
    x, y = graph.inputs(2)
    split = graph.program([1, 1], [[x * y], [x]])
    joined = graph.program([2], [[x * y], [x]])
    one_row = graph.program([2], [[x * y, x]])
    assert len({split.digest, joined.digest, one_row.digest}) == 3
