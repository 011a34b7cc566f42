"""The expression graph: nodes are hash-consed and folded while they are built.

Equal expressions are one node, so common subexpressions are found for free. No rule
reassociates: results change at most in the sign of a zero.
"""

from __future__ import annotations

from collections.abc import Sequence

from jounce.codegen.expression import Expr
from jounce.codegen.opcodes import CONSTANT, INPUT
from jounce.codegen.program import Program
from jounce.codegen.selection import select
from jounce.errors import ArgumentError


class Graph:
    """Nodes in order of construction: operation, operands and what was built already."""

    __slots__ = (
        "_constants",
        "_unary",
        "a",
        "b",
        "differences",
        "op",
        "products",
        "quotients",
        "sums",
        "values",
    )

    def __init__(self) -> None:
        self.op: list[int] = []
        self.a: list[int] = []
        self.b: list[int] = []
        self.values: dict[int, float] = {}  # node of a constant -> its value
        self.sums: dict[int, Expr] = {}
        self.differences: dict[int, Expr] = {}
        self.products: dict[int, Expr] = {}
        self.quotients: dict[int, Expr] = {}
        self._unary: dict[tuple[int, int], Expr] = {}
        self._constants: dict[float, Expr] = {}

    def inputs(self, count: int) -> list[Expr]:
        """Return `count` new inputs; they are numbered on from those made before."""
        first = self.op.count(INPUT)
        return [Expr(self, self.node(INPUT, first + k)) for k in range(count)]

    def constant(self, value: float) -> Expr:
        """Return a constant as an operand; only its magnitude is a node."""
        found = self._constants.get(value)
        if found is None:
            if value < 0.0:
                found = -self.constant(-value)
            else:
                found = Expr(self, self.node(CONSTANT))
                self.values[found.index] = value
            self._constants[value] = found
        return found

    def node(self, op: int, a: int = 0, b: int = 0) -> int:
        """Append a node and return its index."""
        index = len(self.op)
        self.op.append(op)
        self.a.append(a)
        self.b.append(b)
        return index

    def commutative(self, op: int, known: dict[int, Expr], key: int, x: Expr, y: Expr) -> Expr:
        """Append the node of two operands, the earlier one first, and remember it."""
        self.require_own(x, y)
        found = known[key] = Expr(self, self.node(op, key >> 32, key & 0xFFFFFFFF))
        return found

    def unary(self, op: int, a: int) -> Expr:
        """Return the node of one operand, new or known."""
        found = self._unary.get((op, a))
        if found is None:
            found = self._unary[op, a] = Expr(self, self.node(op, a))
        return found

    def require_own(self, x: Expr, y: Expr) -> None:
        """Refuse to mix the values of two graphs."""
        if x.graph is not self or y.graph is not self:
            raise ArgumentError(
                "traced values of two different graphs were combined; use one Graph"
            )

    def describe(self, index: int) -> str:
        """Name a node for messages."""
        names = ("sum", "difference", "product", "quotient", "negation", "square root")
        names += ("sine", "cosine", "input", "constant")
        return f"{names[self.op[index]]} #{index}"

    def program(
        self, input_widths: Sequence[int], outputs: Sequence[Sequence[Expr | float]]
    ) -> Program:
        """Return what the outputs need, as straight-line code.

        The inputs are the concatenation of arguments of `input_widths` values; each output
        is a row of traced values or numbers.
        """
        return select(self, tuple(input_widths), outputs)
