"""A program whose sines and cosines are inputs: what remains is exact in every backend."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jounce.codegen import Graph, Program
from jounce.codegen.interpreter import interpret
from jounce.codegen.opcodes import ADD, COS, DIV, MUL, NEG, SIN, SQRT, SUB

_STEPS: dict[int, Any] = {
    ADD: lambda x, y: x + y,
    SUB: lambda x, y: x - y,
    MUL: lambda x, y: x * y,
    DIV: lambda x, y: x / y,
    NEG: lambda x, _: -x,
    SQRT: lambda x, _: x.sqrt(),
}


def sines_as_inputs(program: Program) -> tuple[Program, Program]:
    """Return the program with one more argument, all sines and cosines, and one for their angles.

    The second program maps the original arguments to the angles, each twice: for the sine and
    for the cosine.  No angle may depend on a sine.
    """
    graph = Graph()
    values: list[Any] = list(graph.inputs(program.input_count))
    values += [graph.constant(c) for c in program.constants]
    given, angles = [], []
    for kind, a, b in zip(program.op, program.a, program.b, strict=True):
        if kind in (SIN, COS):
            given += graph.inputs(1)
            angles.append(values[a])
            values.append(given[-1])
        else:
            values.append(_STEPS[kind](values[a], values[b]))
    rows = [[values[k] for k in row] for row in program.outputs]
    return (
        graph.program([*program.input_widths, len(given)], rows),
        graph.program([*program.input_widths, len(given)], [angles]),
    )


def libm_sines(program: Program, angles: Program, inputs: list[np.ndarray]) -> np.ndarray:
    """Return the sines and cosines of one sample, by the C library."""
    kinds = [kind for kind in program.op if kind in (SIN, COS)]
    (values,) = interpret(angles, [*inputs, np.zeros(len(kinds))])
    pairs = zip(kinds, values, strict=True)
    return np.array([math.sin(x) if kind == SIN else math.cos(x) for kind, x in pairs])
