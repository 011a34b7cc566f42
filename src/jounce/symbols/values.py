"""Programs in SymPy: the value of an output, or pairs (symbol, expression) as `sympy.cse` gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sympy as sp

from jounce.codegen.opcodes import ADD, COS, DIV, MUL, NEG, SIN, SQRT, SUB, UNARY
from jounce.symbols.trace import DENOMINATOR, Listing

_OPERATIONS = {
    ADD: lambda x, y: x + y,
    SUB: lambda x, y: x - y,
    MUL: lambda x, y: x * y,
    DIV: lambda x, y: x / y,
    NEG: lambda x, _: -x,
    SQRT: lambda x, _: sp.sqrt(x),
    SIN: lambda x, _: sp.sin(x),
    COS: lambda x, _: sp.cos(x),
}


def evaluated(listing: Listing, wanted: Sequence[int]) -> list[Any]:
    """Return some values of a program as SymPy expressions, nothing expanded."""
    program, values = listing.program, leaves(listing)
    needed = _needed(listing, wanted)
    for k, (op, a, b) in enumerate(zip(program.op, program.a, program.b, strict=True)):
        value = program.first_operation + k
        if value in needed:
            x, y = values[a], values[b] if op not in UNARY else None
            values[value] = _OPERATIONS[op](angle(x) if op in (SIN, COS) else x, y)
    return [values[v] for v in wanted]


def replaced(listing: Listing, names: Iterator[Any]) -> tuple[list[tuple[Any, Any]], list[Any]]:
    """Return (symbol, expression) pairs for what is used twice, and the outputs in them."""
    program, values = listing.program, leaves(listing)
    uses = use_counts(listing)
    pairs: list[tuple[Any, Any]] = []
    for k, (op, a, b) in enumerate(zip(program.op, program.a, program.b, strict=True)):
        value = program.first_operation + k
        x, y = values[a], values[b] if op not in UNARY else None
        result = _OPERATIONS[op](angle(x) if op in (SIN, COS) else x, y)
        if uses[value] > 1 and op != NEG and not result.is_Atom:
            pairs.append((next(names), result))
            result = pairs[-1][0]
        values[value] = result
    return pairs, [presented(values[v]) for row in program.outputs for v in row]


def tree_sizes(listing: Listing) -> list[int]:
    """Return the number of operations of every output, were it written out."""
    program = listing.program
    sizes = [0] * (program.first_operation + len(program.op))
    for k, (op, a, b) in enumerate(zip(program.op, program.a, program.b, strict=True)):
        sizes[program.first_operation + k] = 1 + sizes[a] + (0 if op in UNARY else sizes[b])
    return [sizes[v] for row in program.outputs for v in row]


def use_counts(listing: Listing) -> list[int]:
    """Return how often every value is read, by operations and outputs."""
    program = listing.program
    uses = [0] * (program.first_operation + len(program.op))
    for op, a, b in zip(program.op, program.a, program.b, strict=True):
        uses[a] += 1
        if op not in UNARY:
            uses[b] += 1
    for row in program.outputs:
        for v in row:
            uses[v] += 1
    return uses


def leaves(listing: Listing) -> dict[int, Any]:
    """Return inputs and constants, numbered as in the program."""
    constants = map(listing.number, listing.program.constants)
    return dict(enumerate([*listing.leaves, *constants]))


def angle(x: Any) -> Any:
    """Return an angle with its constant part as a multiple of π, where it is one."""
    constant, rest = x.as_coeff_Add()
    if not constant:
        return x
    turns = sp.nsimplify(sp.Float(constant, 17) / sp.pi.n(17), rational=True, tolerance=1e-15)
    return rest + turns * sp.pi if turns.q <= 12 else rest + constant


def presented(x: Any) -> Any:
    """Return an expression with the rational numbers nobody would type as decimals."""
    long = [n for n in x.atoms(sp.Rational) if n.q > DENOMINATOR]
    return x.xreplace({n: sp.Float(n, 15) for n in long})


def _needed(listing: Listing, wanted: Sequence[int]) -> set[int]:
    program = listing.program
    needed = set(wanted)
    for k in range(len(program.op) - 1, -1, -1):
        if program.first_operation + k in needed:
            needed.add(program.a[k])
            if program.op[k] not in UNARY:
                needed.add(program.b[k])
    return needed
