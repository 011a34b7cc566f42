"""Straight-line code: what remains of a graph once the outputs are chosen."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass

from jounce.codegen.opcodes import ADD, COS, DIV, MUL, NEG, SIN, SQRT, SUB, UNARY
from jounce.lazy import cached_property


@dataclass(frozen=True)
class Program:
    """Operations in an order in which they can be carried out.

    Values are numbered: first all inputs, then the constants, then the operations. Operation
    k applies `op[k]` to the values `a[k]` and `b[k]` (0 where there is no second operand).
    Each output is a row of values.
    """

    input_widths: tuple[int, ...]
    constants: tuple[float, ...]
    op: tuple[int, ...]
    a: tuple[int, ...]
    b: tuple[int, ...]
    outputs: tuple[tuple[int, ...], ...]

    @property
    def input_count(self) -> int:
        """Number of input values of one sample."""
        return sum(self.input_widths)

    @property
    def first_operation(self) -> int:
        """Value number of operation 0."""
        return self.input_count + len(self.constants)

    @property
    def output_widths(self) -> tuple[int, ...]:
        """Number of values in each output row."""
        return tuple(len(row) for row in self.outputs)

    def steps(self) -> Iterator[tuple[int, int, tuple[int, ...]]]:
        """Yield value number, operation and operands of every operation, in order."""
        numbered = enumerate(zip(self.op, self.a, self.b, strict=True), start=self.first_operation)
        for value, (op, a, b) in numbered:
            yield value, op, (a,) if op in UNARY else (a, b)

    def uses(self) -> list[int]:
        """Return how often every value is read, by operations and outputs."""
        uses = [0] * (self.first_operation + len(self.op))
        for op, a, b in zip(self.op, self.a, self.b, strict=True):
            uses[a] += 1
            if op not in UNARY:
                uses[b] += 1
        for row in self.outputs:
            for x in row:
                uses[x] += 1
        return uses

    @cached_property
    def counts(self) -> dict[str, int]:
        """Operations by kind; sine and cosine of one argument count once."""
        count = self.op.count
        angles = {x for kind, x in zip(self.op, self.a, strict=True) if kind in (SIN, COS)}
        return {
            "add": count(ADD) + count(SUB),
            "mul": count(MUL),
            "div": count(DIV),
            "neg": count(NEG),
            "sqrt": count(SQRT),
            "sincos": len(angles),
        }

    @property
    def operations(self) -> int:
        """Total number of arithmetic operations of one sample."""
        return sum(self.counts.values())

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything that decides the result."""
        state = hashlib.sha256(repr((self.input_widths, len(self.outputs))).encode())
        for row in (self.op, self.a, self.b, *self.outputs):
            state.update(len(row).to_bytes(8, "little"))
            state.update(array("q", row).tobytes())
        state.update(array("d", self.constants).tobytes())
        return state.hexdigest()
