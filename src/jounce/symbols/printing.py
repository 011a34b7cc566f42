"""Print a program as C or MATLAB (by `jounce.codegen`), Python or NumPy.

In Python every value that is used twice gets one assignment, in C and MATLAB every value does.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import prod
from typing import Any, NamedTuple

import sympy as sp
from sympy.printing.numpy import NumPyPrinter
from sympy.printing.pycode import PythonCodePrinter

from jounce.codegen.c99 import C99, CFunction
from jounce.codegen.matlab import WORDS, print_call, print_matlab
from jounce.codegen.opcodes import ADD, COS, DIV, MUL, NEG, SIN, SQRT, SUB
from jounce.codegen.program import Program
from jounce.errors import ArgumentError, UnsupportedError
from jounce.symbols.trace import Listing

LINE = 80  # longer subexpressions get a name even if they are used once
LANGUAGES = ("c", "matlab", "python", "numpy")
_SUM, _SIGN, _PRODUCT, _ATOM = range(4)  # how tightly a text binds
# opcode -> text, how tightly it binds, what its operands must at least bind like
_FORMS = {
    ADD: ("{} + {}", _SUM, (_SUM, _SIGN)),
    SUB: ("{} - {}", _SUM, (_SUM, _PRODUCT)),
    MUL: ("{}*{}", _PRODUCT, (_PRODUCT, _PRODUCT)),
    DIV: ("{}/{}", _PRODUCT, (_PRODUCT, _ATOM)),
    NEG: ("-{}", _SIGN, (_PRODUCT,)),
    SQRT: ("{module}.sqrt({})", _ATOM, (_SUM,)),
    SIN: ("{module}.sin({})", _ATOM, (_SUM,)),
    COS: ("{module}.cos({})", _ATOM, (_SUM,)),
}


class Argument(NamedTuple):
    """An array argument: its name and the symbols in it."""

    name: str
    symbols: Sequence[Any]


def printed(listing: Listing, language: str, name: str, arguments: Sequence[Argument]) -> str:
    """Return the source of one function; arguments are arrays, results arrays by name.

    The inputs of the program are the symbols of the arguments, then what SymPy must spell out.
    """
    if language not in LANGUAGES:
        raise UnsupportedError(f"no printer for {language!r}; known: {', '.join(LANGUAGES)}.")
    if not name.isidentifier() or name in (*C99.words, "tan", *WORDS.split(), *keyword.kwlist):
        raise ArgumentError(f"name must be an identifier that is not taken, got {name!r}.")
    if language in ("c", "matlab"):
        return (_c if language == "c" else _matlab)(listing, name, arguments)
    return _Page(listing, language, [name, *(a.name for a in arguments)]).text(name, arguments)


def _c(listing: Listing, name: str, arguments: Sequence[Argument]) -> str:
    """Return a C99 function of one sample; matrices are stored row by row.

    What SymPy spells out is computed by the function itself and handed to a static one.
    """
    arrays, outputs = [a.name for a in arguments], [f"out_{x}" for x in listing.outputs]
    program, spelled = _with_widths(listing, arguments)
    if not spelled:
        return CFunction(program, name, inputs=arrays, outputs=outputs).source()
    inner, inputs = f"{name}_of_leaves", [*arrays, "leaves"]
    static = C99._replace(linkage="static ")
    text = CFunction(program, inner, inputs=inputs, outputs=outputs, dialect=static).source()
    own = replace(program, input_widths=program.input_widths[:-1])
    outer = CFunction(own, name, inputs=arrays, outputs=outputs)
    values = [sp.ccode(x) for x in _in_places(spelled, arguments, "{}[{}]", first=0)]
    return (
        f"{text}\n{outer.prototype}\n"
        f"{{\n    const double leaves[] = {{{', '.join(values)}}};\n"
        f"    {inner}({', '.join([*inputs, *outputs])});\n}}\n"
    )


def _matlab(listing: Listing, name: str, arguments: Sequence[Argument]) -> str:
    """Return a function of MATLAB; what SymPy spells out is handed to one beside it."""
    arrays, outputs = [a.name for a in arguments], [f"out_{x}" for x in listing.outputs]
    program, spelled = _with_widths(listing, arguments)
    inner, inputs = (f"{name}_of_leaves", [*arrays, "leaves"]) if spelled else (name, arrays)
    text = print_matlab(program, inner, inputs=inputs, outputs=outputs, shapes=listing.shapes)
    if not spelled:
        return text
    values = [str(sp.octave_code(x)) for x in _in_places(spelled, arguments, "{}({})", first=1)]
    call = print_call(name, inner, inputs=arrays, outputs=outputs, more="leaves", values=values)
    return f"{call}\n{text}"


def _with_widths(listing: Listing, arguments: Sequence[Argument]) -> tuple[Program, Sequence[Any]]:
    """Return the program with an input for each argument, and what SymPy spells out, the last."""
    widths = [len(a.symbols) for a in arguments]
    spelled = listing.leaves[sum(widths) :]
    more = [len(spelled)] if spelled else []
    return replace(listing.program, input_widths=(*widths, *more)), spelled


def _in_places(
    spelled: Sequence[Any], arguments: Sequence[Argument], form: str, first: int
) -> list[Any]:
    """Return expressions in the entries of the arguments."""
    places = {
        x: sp.Symbol(form.format(a.name, k))
        for a in arguments
        for k, x in enumerate(a.symbols, start=first)
    }
    return [x.xreplace(places) for x in spelled]


class _Page:
    """A function in Python (one sample) or NumPy (any batch)."""

    def __init__(self, listing: Listing, language: str, taken: Iterable[str]) -> None:
        self.listing = listing
        self.batched = language == "numpy"
        self.module = "numpy" if self.batched else "math"
        printer = NumPyPrinter if self.batched else PythonCodePrinter
        self.spell = printer({"strict": False}).doprint
        self.taken = {*taken, *keyword.kwlist, "math", "numpy", "batch"}
        self.names: dict[Any, str] = {}

    def text(self, name: str, arguments: Sequence[Argument]) -> str:
        """Return the whole function."""
        arrays = [a.name for a in arguments]
        lines = [f"import {self.module}", "", "", f"def {name}({', '.join(arrays)}):"]
        if self.batched:
            lines += [f"    {a} = numpy.asarray({a}, dtype=float)" for a in arrays]
            shapes = ", ".join(f"{a}.shape[:-1]" for a in arrays)
            lines.append(f"    batch = numpy.broadcast_shapes({shapes})")
        uses = self.listing.program.uses()
        lines += self._unpacked(arguments, uses)
        body, rows = self._body(uses)
        lines += [*body, "    return {"]
        result = self._array if self.batched else _lists
        for output, row, shape in zip(self.listing.outputs, rows, self.listing.shapes, strict=True):
            lines += result(output, row, shape)
        return "\n".join([*lines, "    }", ""])

    def _body(self, uses: Sequence[int]) -> tuple[list[str], list[list[str]]]:
        """Return the assignments and the texts of the outputs."""
        program, lines, texts = self.listing.program, [], self._leaves()
        prefix = next(p for p in ("x", "y", "z", "value_") if not self._clashes(p))
        for value, op, operands in program.steps():
            form, binding, least = _FORMS[op]
            inner = [t if bound >= low else f"({t})" for (t, bound), low in
                     zip((texts[x] for x in operands), least, strict=True)]  # fmt: skip
            text = form.format(*inner, module=self.module)
            if uses[value] > 1 or len(text) > LINE:
                local = f"{prefix}{len(lines)}"
                lines.append(f"    {local} = {text}")
                text, binding = local, _ATOM
            texts[value] = text, binding
        return lines, [[texts[v][0] for v in row] for row in program.outputs]

    def _unpacked(self, arguments: Sequence[Argument], uses: Sequence[int]) -> list[str]:
        """Give names to the symbols that are used, and values to what SymPy must spell out."""
        leaves = self.listing.leaves
        used = {x for k, x in enumerate(leaves) if uses[k]}
        opaque = [x for x in leaves if x in used and not x.is_Symbol]
        used.update(*(x.free_symbols for x in opaque))
        lines = []
        for array, symbols in arguments:
            for k, x in enumerate(symbols):
                if x in used:
                    lines.append(f"    {self._name(x)} = {array}[{'..., ' * self.batched}{k}]")
        for x in opaque:
            plain = x.xreplace({s: sp.Symbol(self._name(s)) for s in x.free_symbols})
            local = self.names[x] = self._unique(f"leaf_{len(self.names)}")
            lines.append(f"    {local} = {self.spell(plain)}")
        return lines

    def _name(self, symbol: Any) -> str:
        if symbol not in self.names:
            self.names[symbol] = self._unique(re.sub(r"\W+", "_", symbol.name, flags=re.ASCII))
        return self.names[symbol]

    def _unique(self, name: str) -> str:
        name = name if re.match(r"[A-Za-z_]", name) else f"s_{name}"
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def _clashes(self, prefix: str) -> bool:
        return any(re.fullmatch(rf"{prefix}\d+", name) for name in self.taken)

    def _leaves(self) -> dict[int, tuple[str, int]]:
        texts = [(self.names.get(x, "0"), _ATOM) for x in self.listing.leaves]
        constants = self.listing.program.constants
        texts += [(repr(c), _ATOM if c >= 0 else _SIGN) for c in constants]
        return dict(enumerate(texts))

    @staticmethod
    def _array(output: str, row: list[str], shape: tuple[int, ...]) -> list[str]:
        sizes = ", ".join(map(str, shape))
        if not row:
            return [f"        {output!r}: numpy.zeros((*batch, {sizes})),"]
        entries = [f"            numpy.broadcast_to({x}, batch)," for x in row]
        tail = f"        ], axis=-1).reshape((*batch, {sizes})),"
        return [f"        {output!r}: numpy.stack([", *entries, tail]


def _lists(output: str, row: list[str], shape: tuple[int, ...]) -> list[str]:
    if len(shape) > 1:
        width = prod(shape[1:])
        row = [f"[{', '.join(row[k * width : (k + 1) * width])}]" for k in range(shape[0])]
    return [f"        {output!r}: [", *(f"            {x}," for x in row), "        ],"]
