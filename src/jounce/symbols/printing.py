"""Print a program as C, Python or NumPy: one assignment for every value that is used twice."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Sequence
from math import prod
from typing import Any, NamedTuple

import sympy as sp
from sympy.printing.numpy import NumPyPrinter
from sympy.printing.pycode import PythonCodePrinter

from jounce.codegen.opcodes import ADD, COS, DIV, MUL, NEG, SIN, SQRT, SUB, UNARY
from jounce.errors import UnsupportedError
from jounce.symbols.trace import Listing
from jounce.symbols.values import use_counts

LINE = 80  # longer subexpressions get a name even if they are used once
_SUM, _SIGN, _PRODUCT, _ATOM = range(4)  # how tightly a text binds
# opcode -> text, how tightly it binds, what its operands must at least bind like
_FORMS = {
    ADD: ("{} + {}", _SUM, (_SUM, _SIGN)),
    SUB: ("{} - {}", _SUM, (_SUM, _PRODUCT)),
    MUL: ("{}*{}", _PRODUCT, (_PRODUCT, _PRODUCT)),
    DIV: ("{}/{}", _PRODUCT, (_PRODUCT, _ATOM)),
    NEG: ("-{}", _SIGN, (_PRODUCT,)),
    SQRT: ("{prefix}sqrt({})", _ATOM, (_SUM,)),
    SIN: ("{prefix}sin({})", _ATOM, (_SUM,)),
    COS: ("{prefix}cos({})", _ATOM, (_SUM,)),
}
_C_WORDS = """
    auto break case char const continue default do double else enum extern float for goto if
    inline int long register restrict return short signed sizeof static struct switch typedef
    union unsigned void volatile while sin cos sqrt tan main
"""


class Argument(NamedTuple):
    """An array argument: its name and the symbols in it."""

    name: str
    symbols: Sequence[Any]


class _Language(NamedTuple):
    prefix: str
    assignment: str
    unpack: str
    printer: Any


def _languages() -> dict[str, _Language]:
    python = PythonCodePrinter({"strict": False}).doprint
    numpy = NumPyPrinter({"strict": False}).doprint
    return {
        "c": _Language("", "    const double {} = {};", "{array}[{k}]", sp.ccode),
        "python": _Language("math.", "    {} = {}", "{array}[{k}]", python),
        "numpy": _Language("numpy.", "    {} = {}", "{array}[..., {k}]", numpy),
    }  # fmt: skip


def printed(listing: Listing, language: str, name: str, arguments: Sequence[Argument]) -> str:
    """Return the source of one function; arguments are arrays, results arrays by name."""
    languages = _languages()
    if language not in languages:
        raise UnsupportedError(f"no printer for {language!r}; known: {', '.join(languages)}.")
    if not name.isidentifier() or name in (*_C_WORDS.split(), *keyword.kwlist):
        raise UnsupportedError(f"name must be an identifier that is not taken, got {name!r}.")
    page = _Page(listing, languages[language], [name, *(a.name for a in arguments)])
    body = page.body(arguments)
    if language == "c":
        return _c(listing, name, arguments, body, page.results)
    return _python(listing, language, name, arguments, body, page.results)


class _Page:
    """Lines of a function body, and the texts of the results."""

    def __init__(self, listing: Listing, language: _Language, taken: Iterable[str]) -> None:
        self.listing = listing
        self.language = language
        outputs = [f"out_{name}" for name in listing.outputs]
        self.taken = {*taken, *outputs, *_C_WORDS.split(), *keyword.kwlist, "math", "numpy"}
        self.names: dict[Any, str] = {}
        self.results: list[list[str]] = []

    def body(self, arguments: Sequence[Argument]) -> list[str]:
        """Return the assignments; `results` then holds the texts of the outputs."""
        program, uses = self.listing.program, use_counts(self.listing)
        lines = self._unpacked(arguments, uses)
        texts = self._leaves()
        prefix = next(p for p in ("x", "y", "z", "value_") if not self._clashes(p))
        count = 0
        for k, (op, a, b) in enumerate(zip(program.op, program.a, program.b, strict=True)):
            value = program.first_operation + k
            operands = (a,) if op in UNARY else (a, b)
            text, binding = self._operation(op, [texts[x] for x in operands])
            if uses[value] > 1 or len(text) > LINE:
                local, count = f"{prefix}{count}", count + 1
                lines.append(self.language.assignment.format(local, text))
                text, binding = local, _ATOM
            texts[value] = text, binding
        self.results = [[texts[v][0] for v in row] for row in program.outputs]
        return lines

    def _operation(self, op: int, operands: Sequence[tuple[str, int]]) -> tuple[str, int]:
        form, binding, least = _FORMS[op]
        inner = [t if bound >= low else f"({t})" for (t, bound), low in
                 zip(operands, least, strict=True)]  # fmt: skip
        return form.format(*inner, prefix=self.language.prefix), binding

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
                    right = self.language.unpack.format(array=array, k=k)
                    lines.append(self.language.assignment.format(self._name(x), right))
        for x in opaque:
            plain = x.xreplace({s: sp.Symbol(self._name(s)) for s in x.free_symbols})
            local = self.names[x] = self._unique(f"leaf_{len(self.names)}")
            lines.append(self.language.assignment.format(local, self.language.printer(plain)))
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


def _c(
    listing: Listing, name: str, arguments: Sequence[Argument], body: list[str],
    results: list[list[str]],
) -> str:  # fmt: skip
    """Return a C99 function of one sample; matrices are stored row by row."""
    parameters = [f"const double *{array}" for array, _ in arguments]
    parameters += [f"double *out_{output}" for output in listing.outputs]
    text = "\n".join(body)
    lines = [f"    (void){array};" for array, _ in arguments if f" {array}[" not in text]
    for output, row in zip(listing.outputs, results, strict=True):
        body += [f"    out_{output}[{k}] = {text};" for k, text in enumerate(row)]
        lines += [f"    (void)out_{output};"] if not row else []
    head = f"#include <math.h>\n\nvoid {name}({', '.join(parameters)})"
    return "\n".join([head, "{", *lines, *body, "}", ""])


def _python(
    listing: Listing, language: str, name: str, arguments: Sequence[Argument],
    body: list[str], results: list[list[str]],
) -> str:  # fmt: skip
    """Return a Python function of one sample, or a NumPy function of any batch."""
    arrays = ", ".join(array for array, _ in arguments)
    lines = ["import math" if language == "python" else "import numpy", "", ""]
    lines.append(f"def {name}({arrays}):")
    if language == "numpy":
        lines += [f"    {a} = numpy.asarray({a}, dtype=float)" for a, _ in arguments]
        lines.append("    batch = numpy.broadcast_shapes("
                     + ", ".join(f"{a}.shape[:-1]" for a, _ in arguments) + ")")  # fmt: skip
    lines += body
    lines.append("    return {")
    for output, row, shape in zip(listing.outputs, results, listing.shapes, strict=True):
        lines += _numpy_result(output, row, shape) if language == "numpy" else _result(
            output, row, shape)  # fmt: skip
    return "\n".join([*lines, "    }", ""])


def _result(output: str, row: list[str], shape: tuple[int, ...]) -> list[str]:
    if len(shape) == 1:
        return [f"        {output!r}: [", *(f"            {x}," for x in row), "        ],"]
    width = prod(shape[1:])
    rows = [row[k * width : (k + 1) * width] for k in range(shape[0])]
    return [
        f"        {output!r}: [",
        *(f"            [{', '.join(r)}]," for r in rows),
        "        ],",
    ]


def _numpy_result(output: str, row: list[str], shape: tuple[int, ...]) -> list[str]:
    if not row:
        return [f"        {output!r}: numpy.zeros((*batch, {', '.join(map(str, shape))})),"]
    entries = [f"            numpy.broadcast_to({x}, batch)," for x in row]
    tail = f"], axis=-1).reshape((*batch, {', '.join(map(str, shape))})),"
    return [f"        {output!r}: numpy.stack([", *entries, f"        {tail}"]
