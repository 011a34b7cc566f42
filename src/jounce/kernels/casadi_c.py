"""A kernel as C with CasADi's external interface, with its exact Jacobian.

CasADi knows matrices only, column by column: an argument with orders is one of ``(orders, width)``,
a result of more than two axes has its last one as columns.  The functions have no state, so any
number of threads may call them.  ``casadi_int`` is ``long long int`` unless defined otherwise:
acados wants ``-Dcasadi_int=int``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate
from math import prod
from pathlib import Path
from typing import NamedTuple

from jounce.codegen.c99 import C99, CFunction
from jounce.codegen.products import dependencies, pruned
from jounce.codegen.program import Program
from jounce.files import write_together
from jounce.kernels.description import signature
from jounce.kernels.export import GENERATED, Export, description, fill, identifier
from jounce.kernels.table import Signature
from jounce.kernels.tracing import traced

Shape = tuple[int, int]


class Port(NamedTuple):
    """An input or output of the function: its name, shape and entries that are not zero.

    ``entries`` lists them column by column as (row, column); None: all of them.
    """

    name: str
    shape: Shape
    entries: tuple[tuple[int, int], ...] | None = None

    @property
    def size(self) -> int:
        """Number of entries that are stored."""
        return prod(self.shape) if self.entries is None else len(self.entries)

    def sparsity(self) -> list[int]:
        """Return CasADi's compressed columns: shape, starts of the columns, rows."""
        if self.entries is None:
            return [*self.shape, 1]
        counts = [sum(c == k for _, c in self.entries) for k in range(self.shape[1])]
        return [*self.shape, 0, *accumulate(counts), *(r for r, _ in self.entries)]


class Ports(NamedTuple):
    """Inputs and outputs of a kernel as CasADi sees them."""

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]


def ports(form: Signature) -> Ports:
    """Return names and shapes of a kernel's arguments and results as matrices."""
    inputs = [
        Port(identifier(name), (orders, width) if orders else (width, 1))
        for name, width, orders in form.arguments
    ]
    shape = (prod(form.tail[:-1]), form.tail[-1]) if len(form.tail) > 1 else (prod(form.tail), 1)
    return Ports(tuple(inputs), tuple(Port(f"out{k}", shape) for k in range(form.rows)))


def export_casadi(kernel: Export, directory: Path) -> tuple[Path, ...]:
    """Write ``name.c``, all or nothing; return its path."""
    return write_together({directory / f"{kernel.name}.c": casadi_source(kernel)}, ours=GENERATED)


def casadi_source(kernel: Export) -> str:
    """Return the source of the function and of its Jacobian."""
    spec, program, name, *_ = kernel
    own = ports(signature(spec))
    values = _by_columns(program, own)
    jacobian = traced(spec._replace(products=("jacobian",)))
    partials, blocks = _blocks(jacobian, own, dependencies(program))
    nominal = [Port(f"out_{o.name}", o.shape, ()) for o in own.outputs]
    functions = [
        _kernel(values, f"{name}_values"),
        _kernel(partials, f"{name}_partials"),
        _external(name, f"{name}_values", own.inputs, own.outputs, len(own.inputs)),
        _external(
            f"jac_{name}", f"{name}_partials", [*own.inputs, *nominal], blocks, len(own.inputs)
        ),
    ]
    text = "\n".join(functions)
    return fill("casadi.c", comment=description(kernel), name=name, functions=text)


def _by_columns(program: Program, own: Ports) -> Program:
    """Return the program with one input for each port, and matrices column by column."""
    numbers = list(range(program.first_operation))
    start = 0
    for _, (rows, columns), _ in own.inputs:
        for k in range(rows * columns):
            numbers[start + k] = start + (k % columns) * rows + k // columns
        start += rows * columns
    renumbered = numbers + list(range(len(numbers), len(numbers) + len(program.op)))

    def moved(row: Iterable[int]) -> tuple[int, ...]:
        return tuple(renumbered[x] for x in row)

    outputs = tuple(moved(row) for row in program.outputs)
    if own.outputs and len(outputs) == len(own.outputs):
        outputs = tuple(
            tuple(row[r * port.shape[1] + c] for r, c in _places(port.shape))
            for row, port in zip(outputs, own.outputs, strict=True)
        )
    return replace(
        program,
        input_widths=tuple(port.size for port in own.inputs),
        a=moved(program.a),
        b=moved(program.b),
        outputs=outputs,
    )


def _places(shape: Shape) -> list[tuple[int, int]]:
    """Return the places of a matrix column by column."""
    return [(r, c) for c in range(shape[1]) for r in range(shape[0])]


def _blocks(
    program: Program, own: Ports, depends: Sequence[Sequence[int]]
) -> tuple[Program, list[Port]]:
    """Return the Jacobian as one output for each pair of an output and an input, zeros left out.

    ``depends`` are the `dependencies` of the function itself: what does not occur is zero.  Rows
    and columns of a block number the entries of the two matrices column by column.
    """
    count = program.input_count
    zeros = {program.input_count + k for k, value in enumerate(program.constants) if value == 0.0}
    outputs, blocks = [], []
    for out, row, bits in zip(own.outputs, program.outputs, depends, strict=True):
        rows = [r * out.shape[1] + c for r, c in _places(out.shape)]
        start = 0
        for port in own.inputs:
            columns = [start + r * port.shape[1] + c for r, c in _places(port.shape)]
            found = [
                ((i, j), row[e * count + x])
                for j, x in enumerate(columns)
                for i, e in enumerate(rows)
                if bits[e] >> x & 1 and row[e * count + x] not in zeros
            ]
            entries = tuple(place for place, _ in found)
            blocks.append(Port(f"jac_{out.name}_{port.name}", (len(rows), len(columns)), entries))
            outputs.append(tuple(value for _, value in found))
            start += port.size
    needed = pruned(replace(program, outputs=tuple(outputs)))
    flat = _by_columns(needed, Ports(own.inputs, ()))
    return flat, blocks


def _kernel(program: Program, name: str) -> str:
    """Return the straight-line function of a program, for this file only."""
    return CFunction(program, name, dialect=C99._replace(linkage="static ")).functions()


def _external(
    name: str, kernel: str, inputs: Sequence[Port], outputs: Sequence[Port], used: int
) -> str:
    """Return the functions CasADi looks for; the kernel takes the first ``used`` inputs."""
    starts = list(accumulate((port.size for port in outputs), initial=0))
    words = [f"arg[{k}] ? arg[{k}] : zeros" for k in range(used)]
    words += [f"res[{k}] ? res[{k}] : w + {start}" for k, start in enumerate(starts[:-1])]
    largest = max([1, *(port.size for port in inputs[:used])])
    return fill(
        "casadi_function.c",
        name=name,
        kernel=kernel,
        arguments=",\n        ".join(words),
        largest=str(largest),
        n_in=str(len(inputs)),
        n_out=str(len(outputs)),
        work=str(max(starts[-1], 1)),
        names_in=_cases(f'return "{port.name}";' for port in inputs),
        names_out=_cases(f'return "{port.name}";' for port in outputs),
        sparsity_in=_cases(_returned(port) for port in inputs),
        sparsity_out=_cases(_returned(port) for port in outputs),
    )


def _returned(port: Port) -> str:
    numbers = ", ".join(str(x) for x in port.sparsity())
    return f"{{ static const casadi_int s[] = {{{numbers}}}; return s; }}"


def _cases(statements: Iterable[str]) -> str:
    return "\n".join(f"    case {k}: {text}" for k, text in enumerate(statements))
