"""Print a program as C99: one sample, no heap, no globals, straight-line.

A long program is cut into static functions that hand values on through a local array, as C
compilers are superlinear in the length of a function too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from jounce.codegen.fusion import Code, fused
from jounce.codegen.opcodes import ADD, COS, DIV, MUL, NEG, SIN, SQRT, SUB
from jounce.codegen.program import Program
from jounce.codegen.schedule import Chunk, cut
from jounce.codegen.slots import allocate

CHUNK = 2000

_FORMAT = {
    ADD: "{} + {}",
    SUB: "{} - {}",
    MUL: "{} * {}",
    DIV: "{} / {}",
    NEG: "-{}",
    SQRT: "sqrt({})",
    SIN: "sin({})",
    COS: "cos({})",
}


def print_c(
    program: Program,
    name: str,
    *,
    comment: str = "",
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    chunk: int = CHUNK,
) -> str:
    """Return the source of `void name(const double *in0, …, double *out0, …)`.

    `inputs` and `outputs` name the arguments. Outputs must not overlap inputs.
    """
    printer = _Printer(program, name, _names(program, inputs, outputs))
    head = f"/* {comment.replace('*/', '* /')} */\n" if comment else ""
    return f"{head}#include <math.h>\n\n{printer.text(chunk)}"


def prototype(
    program: Program,
    name: str,
    *,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
) -> str:
    """Return the declaration that matches `print_c`, without the semicolon."""
    ins, outs = _names(program, inputs, outputs)
    arguments = [f"const double *{x}" for x in ins] + [f"double *{x}" for x in outs]
    return f"void {name}({', '.join(arguments) or 'void'})"


def _names(
    program: Program, inputs: Sequence[str] | None, outputs: Sequence[str] | None
) -> tuple[list[str], list[str]]:
    """Return the names of the arguments."""
    ins = [f"in{k}" for k in range(len(program.input_widths))] if inputs is None else list(inputs)
    outs = [f"out{k}" for k in range(len(program.outputs))] if outputs is None else list(outputs)
    assert len(ins) == len(program.input_widths)
    assert len(outs) == len(program.outputs)
    return ins, outs


def literal(value: float) -> str:
    """Spell a double exactly, with the decimal beside it."""
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INFINITY" if value > 0 else "(-INFINITY)"
    if value == int(value) and abs(value) < 1e6:
        return f"{value:.1f}" if value >= 0 else f"({value:.1f})"
    spelled = f"{value.hex()} /* {value!r} */"
    return spelled if value >= 0 else f"({spelled})"


class _Printer:
    """Prints the functions of one program."""

    def __init__(self, program: Program, name: str, names: tuple[list[str], list[str]]) -> None:
        self.program = program
        self.name = name
        self.ins, self.outs = names
        self.scratch = "s" if "s" not in (*self.ins, *self.outs) else "scratch_"
        self.code: Code = fused(program, fma=False)
        self.leaves = self._leaves()
        self.stores = self._stores()

    def text(self, chunk: int) -> str:
        """Return all functions, the public one last."""
        steps = cut(self.code.live, chunk)
        slots = allocate(self.code, list(steps), resident=False)
        if len(steps) <= 1:
            bodies = [self._body(step, {}) for step in steps]
            return self._main([line for body in bodies for line in body])
        parts, calls = [], [f"    double {self.scratch}[{max(slots.count - 1, 1)}];"]
        for k, step in enumerate(steps):
            body = self._body(step, slots.of)
            text = "\n".join(body)
            used = [f"const double *{x}" for x in self.ins if _mentions(text, x)]
            used += [f"double *{x}" for x in self.outs if _mentions(text, x)]
            passed = [word.rpartition("*")[2] for word in used]
            head = (
                f"static void {self.name}_part{k}({', '.join([*used, f'double *{self.scratch}'])})"
            )
            parts.append(f"{head}\n{{\n{text}\n}}\n")
            calls.append(f"    {self.name}_part{k}({', '.join([*passed, self.scratch])});")
        return "\n".join([*parts, self._main(calls)])

    def _leaves(self) -> dict[int, str]:
        """Spell inputs and constants."""
        leaves: dict[int, str] = {}
        for name, width in zip(self.ins, self.program.input_widths, strict=True):
            for column in range(width):
                leaves[len(leaves)] = f"{name}[{column}]"
        for value in self.program.constants:
            leaves[len(leaves)] = literal(value)
        return leaves

    def _stores(self) -> dict[int, list[str]]:
        """Map each value to the places of the outputs that hold it."""
        stores: dict[int, list[str]] = {}
        for name, row in zip(self.outs, self.program.outputs, strict=True):
            for column, value in enumerate(row):
                stores.setdefault(value, []).append(f"{name}[{column}]")
        return stores

    def _body(self, step: Chunk, slots: dict[int, int]) -> list[str]:
        """Return the statements of one chunk."""
        own = set(step.values)
        lines: list[str] = []
        for value in step.values:
            operands = [self._operand(x, own, slots) for x in self.code.reads[value]]
            right = _FORMAT[self.code.op[value - self.code.first]].format(*operands)
            places = self.stores.get(value, [])
            lines.append(f"    const double v{value} = {right};")
            lines += [f"    {place} = v{value};" for place in places]
            if value in slots:
                lines.append(f"    {self.scratch}[{slots[value]}] = v{value};")
        return lines

    def _operand(self, value: int, own: set[int], slots: dict[int, int]) -> str:
        """Spell an operand: leaf, local or scratch."""
        if value < self.code.first:
            return self.leaves[value]
        return f"v{value}" if value in own else f"{self.scratch}[{slots[value]}]"

    def _main(self, body: list[str]) -> str:
        """Return the public function around its statements."""
        lines = list(body)
        for value, places in self.stores.items():
            if value < self.code.first:
                lines += [f"    {place} = {self.leaves[value]};" for place in places]
        text = "\n".join(lines)
        unused = [x for x in (*self.ins, *self.outs) if not _mentions(text, x)]
        voided = [f"    (void){x};" for x in unused]
        head = prototype(self.program, self.name, inputs=self.ins, outputs=self.outs)
        return f"{head}\n{{\n" + "\n".join([*lines, *voided]) + "\n}\n"


def _mentions(text: str, name: str) -> bool:
    """Tell whether an argument occurs in a body."""
    return any(f"{left}{name}{right}" in text for left in " (-" for right in "[,)")
