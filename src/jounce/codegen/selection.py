"""From graph to program: keep what the outputs need and settle their signs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jounce.codegen.expression import Expr
from jounce.codegen.opcodes import CONSTANT, INPUT, MUL, NEG, SUB, UNARY
from jounce.codegen.program import Program
from jounce.errors import ShapeError

if TYPE_CHECKING:
    from jounce.codegen.graph import Graph


def select(
    graph: Graph, input_widths: tuple[int, ...], outputs: Sequence[Sequence[Expr | float]]
) -> Program:
    """Return the program of the outputs: dead nodes dropped, order of construction kept."""
    inputs = graph.op.count(INPUT)
    if sum(input_widths) != inputs:
        raise ShapeError(
            f"input widths {input_widths} sum to {sum(input_widths)}, "
            f"but the graph has {inputs} inputs; give one width per argument"
        )
    rows = [[_operand(graph, value) for value in row] for row in outputs]
    uses = _uses(graph, rows)
    return _Numbering(graph, input_widths, uses).program(rows)


def _operand(graph: Graph, value: Expr | float) -> Expr:
    """Return an output as a value of the graph."""
    if not isinstance(value, Expr):
        return graph.constant(float(value) + 0.0)
    graph.require_own(value, value)
    return value


def _uses(graph: Graph, rows: list[list[Expr]]) -> list[int]:
    """Count the uses of each node by live nodes and outputs; zero marks the dead."""
    op, a, b = graph.op, graph.a, graph.b
    uses = [0] * len(op)
    for row in rows:
        for value in row:
            uses[value.index] += 1
    for i in range(len(op) - 1, -1, -1):
        kind = op[i]
        if uses[i] and kind < INPUT:
            uses[a[i]] += 1
            if kind not in UNARY:
                uses[b[i]] += 1
    return uses


class _Numbering:
    """Numbers the live nodes: inputs, then constants, then operations."""

    def __init__(self, graph: Graph, input_widths: tuple[int, ...], uses: list[int]) -> None:
        self.graph = graph
        self.widths = input_widths
        self.uses = uses
        self.constants: dict[float, int] = {}
        self.flipped: set[int] = set()  # nodes computed with the opposite sign

    def program(self, rows: list[list[Expr]]) -> Program:
        """Return the program whose outputs are `rows`."""
        graph, uses = self.graph, self.uses
        self._flip(rows)
        live = [i for i in range(len(uses)) if uses[i] and graph.op[i] < INPUT]
        number = self._leaves(live, rows)
        first = sum(self.widths) + len(self.constants)
        for k, i in enumerate(live):
            number[i] = first + k
        op, a, b = [], [], []
        for i in live:
            kind, x, y = graph.op[i], graph.a[i], graph.b[i]
            op.append(kind)
            a.append(number[x])
            b.append(0 if kind in UNARY else number[y])
            if i in self.flipped:
                self._write_flipped(i, a, b, number)
        outputs = [self._output_row(row, number, first, op, a, b) for row in rows]
        constants = tuple(self.constants)
        return Program(self.widths, constants, tuple(op), tuple(a), tuple(b), tuple(outputs))

    def _flip(self, rows: list[list[Expr]]) -> None:
        """Choose the nodes that give −result at no cost: y − x for −(x − y), (−c)·x."""
        graph = self.graph
        for row in rows:
            for value in row:
                i = value.index
                if not value.negative or self.uses[i] != 1:
                    continue
                scaled = graph.op[i] == MUL and graph.op[graph.a[i]] != graph.op[graph.b[i]]
                constant = CONSTANT in (graph.op[graph.a[i]], graph.op[graph.b[i]])
                if graph.op[i] == SUB or (scaled and constant):
                    self.flipped.add(i)

    def _leaves(self, live: list[int], rows: list[list[Expr]]) -> dict[int, int]:
        """Give numbers to inputs and live constants, also to the opposites outputs need."""
        graph = self.graph
        number: dict[int, int] = {}
        needed: list[float] = []
        for i, kind in enumerate(graph.op):
            if kind == INPUT:
                number[i] = graph.a[i]
            elif kind == CONSTANT and self.uses[i]:
                needed.append(graph.values[i])
        for i in live:
            if i in self.flipped and graph.op[i] == MUL:
                needed.append(-graph.values[self._constant_of(i)])
        for row in rows:
            needed += [
                -graph.values[v.index] for v in row if v.negative and v.index in graph.values
            ]
        first = sum(self.widths)
        for value in needed:
            self.constants.setdefault(value, first + len(self.constants))
        for i, value in graph.values.items():
            if value in self.constants:
                number[i] = self.constants[value]
        return number

    def _constant_of(self, i: int) -> int:
        """Return the constant operand of a product."""
        a, b = self.graph.a[i], self.graph.b[i]
        return a if self.graph.op[a] == CONSTANT else b

    def _write_flipped(self, i: int, a: list[int], b: list[int], number: dict[int, int]) -> None:
        """Rewrite the operands of the last operation so that it gives the opposite."""
        if self.graph.op[i] == SUB:
            a[-1], b[-1] = b[-1], a[-1]
            return
        constant = self._constant_of(i)
        opposite = self.constants[-self.graph.values[constant]]
        side = a if number[constant] == a[-1] else b
        side[-1] = opposite

    def _output_row(
        self, row: list[Expr], number: dict[int, int], first: int,
        op: list[int], a: list[int], b: list[int],
    ) -> tuple[int, ...]:  # fmt: skip
        """Return the numbers of one output row; a sign that is left becomes a negation."""
        result = []
        for value in row:
            i = value.index
            if not value.negative or i in self.flipped:
                result.append(number[i])
            elif i in self.graph.values:
                result.append(self.constants[-self.graph.values[i]])
            else:
                if -1 - i not in number:  # the negation, shared by all who store it
                    op.append(NEG)
                    a.append(number[i])
                    b.append(0)
                    number[-1 - i] = first + len(op) - 1
                result.append(number[-1 - i])
        return tuple(result)
