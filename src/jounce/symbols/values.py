"""Programs in SymPy: the value of an output, or pairs (symbol, expression) as `sympy.cse` gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sympy as sp

from jounce.codegen.opcodes import COS, NEG, OPERATORS, SIN, SQRT
from jounce.symbols.trace import DENOMINATOR, Listing

_FUNCTIONS = {
    **OPERATORS,
    SQRT: sp.sqrt,
    SIN: lambda x: sp.sin(angle(x)),
    COS: lambda x: sp.cos(angle(x)),
}


def evaluated(listing: Listing, wanted: Sequence[int]) -> list[Any]:
    """Return some values of a program as SymPy expressions, nothing expanded."""
    program, values = listing.program, leaves(listing)
    needed = _needed(listing, wanted)
    for value, op, operands in program.steps():
        if value in needed:
            values[value] = _FUNCTIONS[op](*(values[x] for x in operands))
    return [values[v] for v in wanted]


def replaced(listing: Listing, names: Iterator[Any]) -> tuple[list[tuple[Any, Any]], list[Any]]:
    """Return (symbol, expression) pairs for what is used twice, and the outputs in them."""
    program, values = listing.program, leaves(listing)
    uses = program.uses()
    pairs: list[tuple[Any, Any]] = []
    for value, op, operands in program.steps():
        result = _FUNCTIONS[op](*(values[x] for x in operands))
        if uses[value] > 1 and op != NEG and not result.is_Atom:
            pairs.append((next(names), result))
            result = pairs[-1][0]
        values[value] = result
    return pairs, [presented(values[v]) for row in program.outputs for v in row]


def tree_sizes(listing: Listing) -> list[int]:
    """Return the number of operations of every output, were it written out."""
    program = listing.program
    sizes = [0] * (program.first_operation + len(program.op))
    for value, _, operands in program.steps():
        sizes[value] = 1 + sum(sizes[x] for x in operands)
    return [sizes[v] for row in program.outputs for v in row]


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


def presented(x: Any, *, decimals: bool = False) -> Any:
    """Return an expression with the rational numbers nobody would type as decimals.

    Where all numbers of the robot are ``decimals``, those that end are shown as such.
    """
    long = [n for n in x.atoms(sp.Rational) if n.q > DENOMINATOR or (decimals and is_decimal(n))]
    return x.xreplace({n: sp.Float(n, 15) for n in long})


def is_decimal(n: Any) -> bool:
    """Tell whether a rational number has an end as a decimal and is no half, quarter or eighth."""
    rest = n.q
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1 and n.q not in (1, 2, 4, 8)


def _needed(listing: Listing, wanted: Sequence[int]) -> set[int]:
    needed = set(wanted)
    for value, _, operands in reversed(list(listing.program.steps())):
        if value in needed:
            needed.update(operands)
    return needed
