"""Print a program as C99 or C++: no heap, no globals, straight-line.

A long program is cut into functions of its own that hand values on through a local array, as C
compilers are superlinear in the length of a function too.  Of a fixed batch every such function is
a loop over a block of samples; sines and cosines have loops of their own, and so have arguments,
whose rows become columns of the array and columns rows, so that compilers turn the others into
vector instructions.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import NamedTuple

from jounce.codegen.fusion import Code, fused
from jounce.codegen.opcodes import ADD, COS, DIV, MUL, NEG, SIN, SQRT, SUB
from jounce.codegen.program import Program
from jounce.codegen.schedule import Angles, Chunk, cut, schedule
from jounce.codegen.slots import allocate
from jounce.errors import ArgumentError
from jounce.lazy import cached_property

CHUNK = 2000
BATCH_CHUNK = 200  # operations in a loop: what is alive in it is to stay in registers and cache
LARGEST_INT = 2**31 - 1
NARROW = 40  # numbers in a row of results that wait in the array for the end of a batch
BLOCK = 32  # samples that a loop works on: what is handed on between loops is to stay in the cache

ARITHMETIC = {
    ADD: "{} + {}",
    SUB: "{} - {}",
    MUL: "{} * {}",
    DIV: "{} / {}",
    NEG: "-{}",
}
FUNCTIONS = {SQRT: "sqrt", SIN: "sin", COS: "cos"}
WORDS = """
    auto break case char const continue default do double else enum extern float for goto if
    inline int long main register restrict return short signed sizeof static struct switch
    typedef union unsigned void volatile while sin cos sqrt print printf size_t
"""
CPP_WORDS = """
    alignas alignof and asm bool catch char16_t char32_t class compl concept consteval constexpr
    constinit decltype delete dynamic_cast explicit export false friend mutable namespace new
    noexcept not nullptr operator or private protected public reinterpret_cast requires
    static_assert static_cast std template this thread_local throw true try typeid typename using
    virtual wchar_t xor Eigen compute real samples span matrix matrix_in matrix_out
"""


class Dialect(NamedTuple):
    """The kind of C: its language, precision, samples of a call and linkage of the function.

    ``samples`` is the number of samples of a fixed batch, None for a function of one sample.
    """

    cpp: bool = False
    float32: bool = False
    samples: int | None = None
    linkage: str = ""

    @property
    def real(self) -> str:
        """The type of numbers."""
        return "float" if self.float32 else "double"

    @property
    def inner(self) -> str:
        """Linkage of functions that only this text calls."""
        return "inline " if self.cpp else "static "

    @property
    def pointer(self) -> str:
        """A pointer of such a function: of a batch, nothing else points there."""
        return "*" if self.samples is None else "*__restrict " if self.cpp else "*restrict "

    @property
    def words(self) -> Sequence[str]:
        """Names that a function cannot have: they are taken or would hide what is needed."""
        return f"{WORDS}{CPP_WORDS * self.cpp}".split()

    @property
    def ending(self) -> str:
        """What follows the arguments of a function."""
        return " noexcept" if self.cpp else ""

    def operation(self, kind: int, operands: Sequence[str]) -> str:
        """Spell an operation."""
        if kind in ARITHMETIC:
            return ARITHMETIC[kind].format(*operands)
        name = FUNCTIONS[kind]
        name = f"std::{name}" if self.cpp else f"{name}f" if self.float32 else name
        return f"{name}({operands[0]})"

    def literal(self, value: float) -> str:
        """Spell a constant exactly, or the nearest float, with the decimal beside it."""
        if math.isnan(value):
            return "NAN"
        if math.isinf(value):
            return "INFINITY" if value > 0 else "(-INFINITY)"
        suffix, shown = "", repr(value)
        if self.float32:
            (value,) = struct.unpack("f", struct.pack("f", value))
            suffix = "f"
        if value == int(value) and abs(value) < 1e6:
            spelled = f"{value:.1f}{suffix}"
        else:
            spelled = f"{value.hex()}{suffix} /* {shown} */"
        return spelled if value >= 0 else f"({spelled})"


C99 = Dialect()


class CFunction:
    """A program as C: `void name(const double *in0, …, double *out0, …)` and what it calls.

    `inputs` and `outputs` name the arguments. Outputs must not overlap inputs.
    """

    def __init__(
        self,
        program: Program,
        name: str,
        *,
        inputs: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
        dialect: Dialect = C99,
    ) -> None:
        self.program, self.name, self.dialect = program, name, dialect
        widths, rows = program.input_widths, program.outputs
        self.ins = [f"in{k}" for k in range(len(widths))] if inputs is None else list(inputs)
        self.outs = [f"out{k}" for k in range(len(rows))] if outputs is None else list(outputs)
        assert len(self.ins) == len(widths)
        assert len(self.outs) == len(rows)
        self.scratch = "s" if "s" not in (*self.ins, *self.outs) else "scratch_"
        self.stores = self._stores()

    @cached_property
    def code(self) -> Code:
        """The operations."""
        return fused(self.program, fma=False)

    @property
    def prototype(self) -> str:
        """The declaration, without the semicolon."""
        own = self.dialect
        words = [f"const {own.real} *{x}" for x in self.ins]
        words += [f"{own.real} *{x}" for x in self.outs]
        return f"{own.linkage}void {self.name}({', '.join(words) or 'void'}){own.ending}"

    def source(self, comment: str = "", chunk: int | None = None) -> str:
        """Return a whole file: comment, include and functions."""
        head = f"/* {comment.replace('*/', '* /')} */\n" if comment else ""
        return f"{head}#include <math.h>\n\n{self.functions(chunk)}"

    def functions(self, chunk: int | None = None) -> str:
        """Return all functions, the one with the prototype last."""
        if self.dialect.samples is None:
            return self._one_sample(chunk or CHUNK)
        return self._batch(self.dialect.samples, chunk or BATCH_CHUNK)

    def _one_sample(self, chunk: int) -> str:
        steps = cut(self.code.live, chunk)
        if len(steps) <= 1:
            body = [line for step in steps for line in self._body(step, {})]
            return self._main([*body, *self._copies()])
        slots = allocate(self.code, list(steps), inputs=False, outputs=())
        parts = [self._part(k, self._body(step, slots.of)) for k, step in enumerate(steps)]
        body = [self._scratch(slots.count - 1), *(call for _, call in parts), *self._copies()]
        return "\n".join([*(text for text, _ in parts), self._main(body)])

    def _batch(self, samples: int, chunk: int) -> str:
        """Return loops over a block of samples, and the function that takes block after block."""
        widest = max((*self.program.input_widths, *self.program.output_widths), default=1)
        if samples * widest > LARGEST_INT - BLOCK:
            raise ArgumentError(
                f"a batch of {samples} samples has arrays of {samples * widest} numbers, more than "
                f"an int counts; take at most {(LARGEST_INT - BLOCK) // widest} samples."
            )
        steps = [_plain(step) for step in schedule(self.code, chunk=chunk)]
        late = self._stores(narrow=True)
        self.stores = self._stores(narrow=False)
        slots = allocate(self.code, list(steps), outputs=late)
        reads = [
            f"    {self._slot(slots.of[x])} = {self.leaves[x]};"
            for x in range(self.program.input_count)
            if x in slots.of
        ]
        writes = [
            f"    {place} = {self._operand(x, set(), slots.of)};"
            for x, places in late.items()
            for place in places
        ]
        inner = [self._body(step, slots.of) for step in steps]
        bodies = [reads, *inner, writes, self._copies()]
        parts = [self._part(k, body) for k, body in enumerate(filter(None, bodies))]
        body = [
            f"    for (int first = 0; first < {samples}; first += {BLOCK}) {{",
            f"        const int n = {samples} - first < {BLOCK} ? {samples} - first : {BLOCK};",
            *(f"    {call}" for _, call in parts),
            "    }",
        ]
        if slots.of:
            body.insert(0, self._scratch((slots.count - 1) * BLOCK))
        return "\n".join([*(text for text, _ in parts), self._main(body if parts else [])])

    def _part(self, k: int, body: list[str]) -> tuple[str, str]:
        """Return a function of some statements, and its call."""
        own, text = self.dialect, "\n".join(body)
        names = [x for x in (*self.ins, *self.outs, self.scratch) if _mentions(text, x)]
        words = [f"{'const ' * (x in self.ins)}{own.real} {own.pointer}{x}" for x in names]
        if own.samples is not None:
            text = "\n".join(
                ["    for (int i = 0; i < n; ++i) {", *(f"    {x}" for x in body), "    }"]
            )
            words.append("const int n")
            names = [*map(self._from_first, names), "n"]
        head = f"{own.inner}void {self.name}_part{k}({', '.join(words)}){own.ending}"
        return f"{head}\n{{\n{text}\n}}\n", f"    {self.name}_part{k}({', '.join(names)});"

    def _from_first(self, name: str) -> str:
        """Return an array from the first sample of a block on."""
        widths = (*self.program.input_widths, *self.program.output_widths)
        found = dict(zip((*self.ins, *self.outs), widths, strict=True))
        return f"{name} + {found[name]} * first" if name in found else name

    @cached_property
    def leaves(self) -> dict[int, str]:
        """Inputs and constants as they are spelled."""
        leaves: dict[int, str] = {}
        for name, width in zip(self.ins, self.program.input_widths, strict=True):
            for column in range(width):
                leaves[len(leaves)] = self._entry(name, width, column)
        for value in self.program.constants:
            leaves[len(leaves)] = self.dialect.literal(value)
        return leaves

    def _stores(self, *, narrow: bool | None = None) -> dict[int, list[str]]:
        """Map each value to the places of the outputs, or of those of one kind, that hold it."""
        stores: dict[int, list[str]] = {}
        for name, row in zip(self.outs, self.program.outputs, strict=True):
            for column, value in enumerate(row if narrow in (None, len(row) <= NARROW) else ()):
                stores.setdefault(value, []).append(self._entry(name, len(row), column))
        return stores

    def _entry(self, name: str, width: int, column: int) -> str:
        """Spell an entry of an argument, of a batch that of sample i."""
        return (
            f"{name}[{column}]"
            if self.dialect.samples is None
            else f"{name}[{width} * i + {column}]"
        )

    def _slot(self, slot: int) -> str:
        """Spell a place of the scratch array."""
        place = slot if self.dialect.samples is None else f"{BLOCK * slot} + i"
        return f"{self.scratch}[{place}]"

    def _scratch(self, size: int) -> str:
        return f"    {self.dialect.real} {self.scratch}[{max(size, 1)}];"

    def _body(self, step: Chunk, slots: dict[int, int]) -> list[str]:
        """Return the statements of one chunk."""
        own = set(step.values)
        lines: list[str] = []
        for value in step.values:
            for x in self.code.reads[value] if self.dialect.samples is not None else ():
                if x not in own and x in slots:  # read once: a store may be to the same place
                    lines.append(f"    const {self.dialect.real} v{x} = {self._slot(slots[x])};")
                    own.add(x)
            operands = [self._operand(x, own, slots) for x in self.code.reads[value]]
            right = self.dialect.operation(self.code.op[value - self.code.first], operands)
            places = self.stores.get(value, [])
            lines.append(f"    const {self.dialect.real} v{value} = {right};")
            lines += [f"    {place} = v{value};" for place in places]
            if value in slots:
                lines.append(f"    {self._slot(slots[value])} = v{value};")
        return lines

    def _operand(self, value: int, own: set[int], slots: dict[int, int]) -> str:
        """Spell an operand: leaf, local or scratch."""
        if value in own:
            return f"v{value}"
        return self._slot(slots[value]) if value in slots else self.leaves[value]

    def _copies(self) -> list[str]:
        """Return the statements for outputs that are inputs or constants."""
        return [
            f"    {place} = {self.leaves[value]};"
            for value, places in self.stores.items()
            for place in places
            if value < self.code.first
        ]

    def _main(self, body: list[str]) -> str:
        """Return the public function around its statements."""
        text = "\n".join(body)
        unused = [x for x in (*self.ins, *self.outs) if not _mentions(text, x)]
        voided = [f"    (void){x};" for x in unused]
        return f"{self.prototype}\n{{\n" + "\n".join([*body, *voided]) + "\n}\n"


def _plain(step: Chunk | Angles) -> Chunk:
    """Return a step as operations, sines and cosines too."""
    if isinstance(step, Chunk):
        return step
    return Chunk(sorted(value for _, *pair in step.triples for value in pair if value >= 0))


def _mentions(text: str, name: str) -> bool:
    """Tell whether an argument occurs in a body."""
    return any(f"{left}{name}{right}" in text for left in " (-" for right in ("[", ",", ")", " + "))
