"""Machine operations: fuse products into sums (FMA) where a multiplication disappears."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from jounce.codegen.opcodes import ADD, MUL, NEG, SUB, UNARY
from jounce.codegen.program import Program

# a·b + c, a·b − c, c − a·b, −a·b − c
FMA, FMS, FNMA, FNMS = 10, 11, 12, 13
FUSED = frozenset((FMA, FMS, FNMA, FNMS))
_OPPOSITE = {FMA: FNMS, FMS: FNMA, FNMA: FMS, FNMS: FMA}


@dataclass(slots=True)
class Code:
    """A program in machine operations.

    Values are numbered as in the program; `live` lists the operations (as values) in order.
    The lists are indexed by value minus `first`.
    """

    program: Program
    first: int
    op: list[int]
    a: list[int]
    b: list[int]
    c: list[int]
    live: list[int]
    reads: dict[int, tuple[int, ...]]  # operation -> the values it reads


def _reads(code: Code) -> dict[int, tuple[int, ...]]:
    """Return what each live operation reads."""
    reads: dict[int, tuple[int, ...]] = {}
    for value in code.live:
        k = value - code.first
        kind = code.op[k]
        if kind in UNARY:
            reads[value] = (code.a[k],)
        elif kind in FUSED:
            reads[value] = (code.a[k], code.b[k], code.c[k])
        else:
            reads[value] = (code.a[k], code.b[k])
    return reads


def fused(program: Program, *, fma: bool) -> Code:
    """Return the machine operations of a program; without FMA they are its own."""
    first = program.first_operation
    count = len(program.op)
    code = Code(
        program, first, list(program.op), list(program.a), list(program.b), [0] * count,
        list(range(first, first + count)), {},
    )  # fmt: skip
    if fma:
        kept = _kept_products(code)
        _fuse_sums(code, kept)
        code.live = [v for v in code.live if code.op[v - first] != MUL or v in kept]
        _fuse_negations(code)
    code.reads = _reads(code)
    return code


def _kept_products(code: Code) -> set[int]:
    """Return the products that something other than a fused sum needs.

    A product whose every use is a sum vanishes into those sums. Of two such products in one
    sum one must stay: the one that is used more.
    """
    op, a, b, first = code.op, code.a, code.b, code.first
    uses = code.program.uses()
    kept = {v for row in code.program.outputs for v in row}
    for k, kind in enumerate(op):
        if kind not in (ADD, SUB):
            kept.add(a[k])
            kept.add(b[k])
    for k, kind in enumerate(op):
        if kind not in (ADD, SUB):
            continue
        x, y = a[k], b[k]
        both = x >= first and y >= first and op[x - first] == MUL == op[y - first]
        if both and x not in kept and y not in kept:
            kept.add(x if uses[x] >= uses[y] else y)
    return kept


def _fuse_sums(code: Code, kept: set[int]) -> None:
    """Turn sums of a vanishing product into one fused operation."""
    op, a, b, c, first = code.op, code.a, code.b, code.c, code.first
    for k, kind in enumerate(op):
        if kind not in (ADD, SUB):
            continue
        x, y = a[k], b[k]
        if y >= first and op[y - first] == MUL and y not in kept:
            op[k] = FMA if kind == ADD else FNMA
            a[k], b[k], c[k] = a[y - first], b[y - first], x
        elif x >= first and op[x - first] == MUL and x not in kept:
            op[k] = FMA if kind == ADD else FMS
            a[k], b[k], c[k] = a[x - first], b[x - first], y


def _fuse_negations(code: Code) -> None:
    """Let −(fused) be one operation where the fused value itself is not needed."""
    first = code.first
    negations = [v for v in code.live if code.op[v - first] == NEG and code.a[v - first] >= first]
    if not negations:
        return
    uses = Counter(x for operands in _reads(code).values() for x in operands)
    uses.update(v for row in code.program.outputs for v in row)
    dropped: set[int] = set()
    for value in negations:
        k = value - first
        x = code.a[k]
        j = x - first
        if code.op[j] in FUSED and uses[x] == 1:
            code.op[k] = _OPPOSITE[code.op[j]]
            code.a[k], code.b[k], code.c[k] = code.a[j], code.b[j], code.c[j]
            dropped.add(x)
    code.live = [v for v in code.live if v not in dropped]
