"""The operations of a kernel: traced once, then kept on disk beside the machine code.

Tracing runs the whole text on symbols, which takes longer than loading machine code.  The key
of a stored trace holds the sources of all layers that a text may import, so that no change of
a text goes unnoticed.
"""

from __future__ import annotations

import json
from dataclasses import fields
from math import prod
from typing import Any

from jounce.codegen import cache as disk
from jounce.codegen.graph import Graph
from jounce.codegen.program import Program
from jounce.dynamics.variation import by_coordinates
from jounce.errors import UnsupportedError
from jounce.kernels.description import KernelSpec, run_text, signature
from jounce.kernels.products import PRODUCTS
from jounce.kernels.table import QUANTITIES
from jounce.model.robot import Robot
from jounce.sources import FOLDERS, fingerprint


def traced(spec: KernelSpec) -> Program:
    """Return the operations of a kernel, from disk if it was traced before."""
    sources = fingerprint(*FOLDERS)
    key = sources and disk.key_of("trace", sources, spec.robot.digest, repr(spec[1:]))
    return Program(*disk.kept(key, lambda: _parts(trace(spec))))


def trace(spec: KernelSpec) -> Program:
    """Run the text of a kernel on the inputs of a new graph, by the cheapest of its methods."""
    if spec.products == ("jacobian",) and spec.quantity == "inverse_dynamics" and not spec.wrenches:
        return _force_jacobian(spec)
    if spec.products:
        *before, last = spec.products
        return PRODUCTS[last](traced(spec._replace(products=tuple(before))))
    choose = QUANTITIES[spec.quantity].methods
    methods = choose(spec.robot) if choose else (None,)
    return min((trace_by(spec, method) for method in methods), key=lambda found: found.operations)


def trace_by(spec: KernelSpec, method: str | None) -> Program:
    """Run the text of a kernel on the inputs of a new graph, by one of its methods."""
    graph = Graph()
    shapes = signature(spec)
    widths = [a.width for a in shapes.arguments for _ in range(max(a.orders, 1))]
    try:
        program = graph.program(widths, run_text(spec, graph.inputs(sum(widths)), method))
    except TypeError as error:
        refuse_symbols(spec.robot, error)
        raise
    wanted = (prod(shapes.tail),) * shapes.rows  # machine code trusts these sizes
    assert program.output_widths == wanted, (spec, program.output_widths, wanted)
    return program


def _force_jacobian(spec: KernelSpec) -> Program:
    """Return the Jacobian of the forces from their analytic partials, which take half the work."""
    robot, columns = spec.robot, spec.order + 3
    graph, widths = Graph(), [robot.nq, *[robot.nv] * (columns - 1)]
    inputs = graph.inputs(sum(widths))
    own = spec._replace(quantity="inverse_dynamics_partials", options=(), products=())
    table = run_text(own, inputs)
    rows = []
    for k in range(spec.order + 1):
        blocks = table[k * columns : (k + 1) * columns]
        row: list[Any] = []
        for begin in range(0, robot.nv**2, robot.nv):
            by_q, *by_rates = (block[begin : begin + robot.nv] for block in blocks)
            row += by_coordinates(robot, inputs[: robot.nq], by_q)
            row += [x for entries in by_rates for x in entries]
        rows.append(row)
    return graph.program(widths, rows)


def refuse_symbols(robot: Robot, error: TypeError) -> None:
    """Raise UnsupportedError if the robot has values that are no numbers."""
    try:
        json.dumps(robot.to_dict())
    except TypeError:
        raise UnsupportedError(
            f"robot {robot.name!r} has symbols, and this function computes with numbers: "
            "take the equations of motion of jounce.symbolic(robot), whose .evaluate(values) "
            "gives numbers, or a robot of numbers."
        ) from error


def _parts(program: Program) -> tuple[Any, ...]:
    return tuple(getattr(program, part.name) for part in fields(program))
