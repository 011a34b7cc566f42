"""Lowering, steps and scratch slots keep every value where its readers look for it."""

from __future__ import annotations

import pytest

from jounce.codegen import Graph
from jounce.codegen.fusion import FMS, FNMA, FNMS, FUSED, fused
from jounce.codegen.opcodes import MUL, SQRT
from jounce.codegen.schedule import Angles, Chunk, schedule
from jounce.codegen.slots import allocate
from tests.unit.codegen.programs import chain


def nested_sines():
    graph = Graph()
    x, y = graph.inputs(2)
    s, c = (x + y).sincos()
    deep, _ = (s * c).sincos()
    return graph.program([2], [[deep + c, s, (x * y).sqrt()]])


@pytest.mark.parametrize("chunk", [1, 7, 1000])
@pytest.mark.parametrize("program", [chain(6), nested_sines()], ids=["chain", "nested"])
def test_a_slot_holds_its_value_until_the_last_reader(program, chunk):
    code = fused(program, fma=True)
    steps = schedule(code, chunk=chunk)
    slots = allocate(code, steps)
    holder = {slots.of[v]: v for v in range(program.input_count) if v in slots.of}
    done = set()
    for step in steps:
        written, read = {}, set()
        for value, reads in made_by(code, step):
            for x in reads:
                if x >= code.first or x < program.input_count:
                    assert x in done or holder[slots.of[x]] == x
                    if x not in done:
                        read.add(slots.of[x])
            if isinstance(step, Chunk):
                done.add(value)
            if value in slots.of:
                written[slots.of[value]] = value
        assert not read & set(written)  # within a step the order of reads and writes is free
        done.clear()
        holder.update(written)
    for row in program.outputs:
        assert all(holder[slots.of[v]] == v for v in row)


def made_by(code, step):
    if isinstance(step, Chunk):
        return [(v, code.reads[v]) for v in step.values]
    return [(v, (x,)) for x, s, c in step.triples for v in (s, c) if v >= 0]


def test_angles_are_batched_by_depth():
    steps = schedule(fused(nested_sines(), fma=True))
    assert [len(step.triples) for step in steps if isinstance(step, Angles)] == [1, 1]
    steps = schedule(fused(chain(6), fma=True), chunk=1000)
    assert [type(step) for step in steps] == [Angles, Chunk]


def test_slots_are_reused():
    program = chain(100)
    code = fused(program, fma=True)
    slots = allocate(code, schedule(code, chunk=50))
    assert slots.count < 4 * 100 + 100 + 60


def test_products_vanish_into_sums():
    graph = Graph()
    a, b, c, d = graph.inputs(4)
    shared = a * b
    program = graph.program([4], [[shared + c, shared - d, c * d + a * c, -(a * d + 1.0)]])
    code = fused(program, fma=True)
    kinds = [code.op[v - code.first] for v in code.live]
    assert len(kinds) == 5  # c·d or a·c stays, a·b and a·d vanish, the negation too
    assert kinds.count(MUL) == 1
    assert sum(kind in FUSED for kind in kinds) == 4
    assert len(fused(program, fma=False).live) == program.operations


NEGATED = {  # of a product p and a sum s made after it, c an input made before
    FNMS: lambda p, _, c: -(p + c),
    FMS: lambda p, _, c: -(c - p),
    FNMA: lambda p, s, _: -(p - s),
}


@pytest.mark.parametrize("kind", NEGATED)
def test_negated_sums_stay_one_operation(kind: int):
    graph = Graph()
    a, b, c = graph.inputs(3)
    root = NEGATED[kind](a * b, a + c, c).sqrt()
    code = fused(graph.program([3], [[root]]), fma=True)
    assert [code.op[v - code.first] for v in code.live][-2:] == [kind, SQRT]
