"""Derivatives of a program, as programs: along a direction, against one, and in full.

Straight-line code is differentiated operation by operation.  With z = op(x, y) and the slopes
z_x, z_y of the operation::

    forward    dz = z_x dx + z_y dy             along the direction given for the inputs
    backward   x̄ += z_x z̄,  ȳ += z_y z̄          from the weights given for the outputs

The forward product costs about as much as the program again, the backward one two to three
times as much, whatever the number of inputs.  Both are programs, so both can be differentiated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jounce.codegen.graph import Graph
from jounce.codegen.interpreter import carry_out
from jounce.codegen.opcodes import ADD, COS, DIV, MUL, NEG, OPERATORS, SIN, SQRT, SUB
from jounce.codegen.program import Program

TRACED: Mapping[int, Callable[..., Any]] = {
    **OPERATORS,
    SQRT: lambda x: x.sqrt(),
    SIN: lambda x: x.sincos()[0],
    COS: lambda x: x.sincos()[1],
}


def jvp(program: Program) -> Program:
    """Return ``J(x) dx`` as a program of x and dx; its outputs have the shapes of the program's."""
    graph = Graph()
    values = _values(program, graph)
    rates: dict[int, Any] = dict(enumerate(graph.inputs(program.input_count)))
    for value, slopes in _operations(program, values):
        rates[value] = sum((s * rates.get(x, 0.0) for x, s in slopes), 0.0)
    outputs = [[rates.get(value, 0.0) for value in row] for row in program.outputs]
    return graph.program(program.input_widths * 2, outputs)


def vjp(program: Program) -> Program:
    """Return ``J(x)ᵀ λ`` as a program of x and λ: the partials of λᵀ y, one row an argument.

    λ has one argument for each row of outputs.  Rows are as long as the longest, by zeros.
    """
    graph = Graph()
    values = _values(program, graph)
    weights: dict[int, Any] = {}
    for row in program.outputs:
        for value, weight in zip(row, graph.inputs(len(row)), strict=True):
            weights[value] = weights.get(value, 0.0) + weight
    partials = iter(_swept(_operations(program, values), weights, program.input_count))
    longest = max(program.input_widths, default=0)
    rows = [
        [next(partials) for _ in range(width)] + [0.0] * (longest - width)
        for width in program.input_widths
    ]
    return graph.program(program.input_widths + program.output_widths, rows)


def jacobian(program: Program) -> Program:
    """Return ``∂y/∂x`` as a program of x: for each row of outputs its matrix, row by row.

    Backward, one sweep an output, or forward with all inputs at once, whichever is less.
    """
    return min(_by_sweeps(program), _by_columns(program), key=lambda p: p.operations)


def pruned(program: Program) -> Program:
    """Return the program without the operations that no output needs."""
    graph = Graph()
    values = _values(program, graph)
    return graph.program(program.input_widths, [[values[x] for x in r] for r in program.outputs])


def dependencies(program: Program) -> list[list[int]]:
    """Return which inputs each output depends on, as bits of an integer."""
    bits = {k: 1 << k for k in range(program.input_count)}
    for value, _, operands in program.steps():
        bits[value] = 0
        for x in operands:
            bits[value] |= bits.get(x, 0)
    return [[bits.get(value, 0) for value in row] for row in program.outputs]


def _by_sweeps(program: Program) -> Program:
    graph = Graph()
    operations = _operations(program, _values(program, graph))
    count = program.input_count
    outputs = [
        [entry for value in row for entry in _swept(operations, {value: 1.0}, count)]
        for row in program.outputs
    ]
    return graph.program(program.input_widths, outputs)


def _by_columns(program: Program) -> Program:
    graph = Graph()
    count = program.input_count
    partials: dict[int, dict[int, Any]] = {k: {k: 1.0} for k in range(count)}
    for value, slopes in _operations(program, _values(program, graph)):
        own: dict[int, Any] = {}
        for x, slope in slopes:
            for column, entry in partials.get(x, {}).items():
                own[column] = own.get(column, 0.0) + entry * slope
        partials[value] = own
    outputs = [
        [partials.get(value, {}).get(column, 0.0) for value in row for column in range(count)]
        for row in program.outputs
    ]
    return graph.program(program.input_widths, outputs)


def _values(program: Program, graph: Graph) -> dict[int, Any]:
    """Return all values of a program, traced again."""
    values: dict[int, Any] = dict(enumerate(graph.inputs(program.input_count)))
    values.update(enumerate(program.constants, start=len(values)))
    carry_out(program, values, TRACED, keep=True)
    return values


Slopes = list[tuple[int, Any]]  # operand, slope


def _operations(program: Program, values: Mapping[int, Any]) -> list[tuple[int, Slopes]]:
    """Return every operation as the value it gives and its slopes, constants left out."""
    result = []
    constants = range(program.input_count, program.first_operation)
    for value, kind, operands in program.steps():
        slopes = _slopes(kind, [values[x] for x in operands], values[value])
        pairs = zip(operands, slopes, strict=True)
        result.append((value, [(x, slope) for x, slope in pairs if x not in constants]))
    return result


def _slopes(kind: int, operands: Sequence[Any], z: Any) -> tuple[Any, ...]:
    """Return the slope of a result by each operand."""
    x, *rest = operands
    if kind == ADD:
        return 1.0, 1.0
    if kind == SUB:
        return 1.0, -1.0
    if kind == MUL:
        return rest[0], x
    if kind == DIV:
        return 1.0 / rest[0], -(z / rest[0])
    if kind == NEG:
        return (-1.0,)
    if kind == SQRT:
        return (0.5 / z,)
    sine, cosine = x.sincos()
    return (cosine,) if kind == SIN else (-sine,)


def _swept(
    operations: Sequence[tuple[int, Slopes]], weights: Mapping[int, Any], count: int
) -> list[Any]:
    """Carry the weights of some values back to the inputs."""
    weights = dict(weights)
    for value, slopes in reversed(operations):
        weight = weights.pop(value, None)
        if weight is None:
            continue
        for x, slope in slopes:
            part = weight * slope
            weights[x] = weights[x] + part if x in weights else part
    return [weights.get(k, 0.0) for k in range(count)]
