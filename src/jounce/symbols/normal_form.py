"""The normal form of a traced result: a polynomial in sines, cosines, rates and parameters.

Every traced value is carried as a polynomial with rational coefficients in which sin² is
1 − cos², and w² of a unit quaternion 1 − x² − y² − z².  Equal results have equal normal forms,
so what cancels does cancel.  The work is counted and given up beyond a budget.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import sympy as sp
from sympy.polys.rings import ring

from jounce.codegen.opcodes import COS, DIV, MUL, OPERATORS, SIN, SQRT
from jounce.symbols.trace import Listing
from jounce.symbols.values import evaluated

BUDGET = 60_000  # products of two terms: 0.9 s
TERMS = 600  # of all outputs together: shortening 431 of them takes 2 s


class _TooLong(Exception):
    """The normal form takes more than the budget: a signal within this file."""


class NormalForm:
    """Polynomials of the outputs, and which generators are what."""

    def __init__(self, listing: Listing, quaternions: Sequence[Sequence[Any]]) -> None:
        self.listing = listing
        self.work = 0
        self.opaque = _opaque_values(listing)  # value number -> SymPy expression
        self.angles = _angles(self.opaque.values())
        trig = [f(x) for x in self.angles for f in (sp.sin, sp.cos)]
        atoms = dict.fromkeys([*trig, *_other_atoms(self.opaque.values()), *self._live_leaves()])
        self.generators = tuple(atoms)
        self.ring, *gens = ring(self.generators, sp.QQ) if atoms else (sp.QQ[sp.Dummy()].ring,)
        self.place = {g: k for k, g in enumerate(self.generators)}
        self.poly: dict[Any, Any] = dict(zip(self.generators, gens, strict=False))
        one = self.ring.one
        self.squares = {self.place[sp.sin(x)]: one - self.poly[sp.cos(x)] ** 2 for x in self.angles}
        for x, y, z, w in quaternions:
            if w in self.poly:
                rest = (self.poly.get(c, self.ring.zero) for c in (x, y, z))
                self.squares[self.place[w]] = one - sum(p**2 for p in rest)

    def outputs(self) -> list[list[Any]] | None:
        """Return the polynomials of all outputs; None beyond the budget."""
        program, values = self.listing.program, self._leaves()
        try:
            for value, op, operands in program.steps():
                values[value] = self._value(value, op, [values[x] for x in operands])
        except _TooLong:
            return None
        rows = [[values[v] for v in row] for row in program.outputs]
        return rows if sum(len(p) for row in rows for p in row) <= TERMS else None

    def _value(self, value: int, op: int, operands: list[Any]) -> Any:
        if value in self.opaque:
            return self.ring.from_expr(self.opaque[value])
        return self._product(*operands) if op == MUL else OPERATORS[op](*operands)

    def reduced(self, p: Any, squares: dict[int, Any]) -> Any:
        """Return a polynomial with the squares of some generators replaced."""
        for k, square in squares.items():
            high = {m: c for m, c in p.items() if m[k] > 1}
            while high:
                rest = p - self.ring.from_dict(high)
                lower = {(*m[:k], m[k] - 2, *m[k + 1 :]): c for m, c in high.items()}
                self.work += len(high) * len(square)
                p = rest + self.ring.from_dict(lower) * square
                high = {m: c for m, c in p.items() if m[k] > 1}
        return p

    def _product(self, p: Any, q: Any) -> Any:
        self.work += len(p) * len(q)
        if self.work > BUDGET:
            raise _TooLong
        return self.reduced(p * q, self.squares)

    def _leaves(self) -> dict[int, Any]:
        listing = self.listing
        values = {k: self.poly.get(x, self.ring.zero) for k, x in enumerate(listing.leaves)}
        for c in listing.program.constants:
            number = listing.number(c)
            values[len(values)] = self.ring.ground_new(sp.QQ(number.p, number.q))
        return values

    def _live_leaves(self) -> list[Any]:
        uses = self.listing.program.uses()
        return [x for x, count in zip(self.listing.leaves, uses, strict=False) if count]


def _opaque_values(listing: Listing) -> dict[int, Any]:
    """Return sines, cosines, square roots and quotients as SymPy sees them."""
    wanted = [v for v, op, _ in listing.program.steps() if op in (SIN, COS, SQRT, DIV)]
    return dict(zip(wanted, evaluated(listing, wanted), strict=True))


def _angles(expressions: Collection[Any]) -> list[Any]:
    found = {x.args[0]: None for e in expressions for x in _ordered(e.atoms(sp.sin, sp.cos))}
    return list(found)


def _other_atoms(expressions: Collection[Any]) -> list[Any]:
    """Return what an opaque value is made of beside sines and cosines: inverses and roots."""
    found: dict[Any, None] = {}
    for e in expressions:
        powers = [x for x in e.atoms(sp.Pow) if not (x.exp.is_Integer and x.exp > 0)]
        found.update(dict.fromkeys(_ordered(powers)))
    return list(found)


def _ordered(expressions: Any) -> list[Any]:
    return sorted(expressions, key=sp.default_sort_key)
