"""Functions of words, written in a small part of Python, as IR.

Numbers are words of 64 bits without a sign that wrap around, wide ones of 128 bits, and what a
comparison gives, which counts as 1 or 0; the wider of two decides.  ``i8[p]`` is the byte at the
address p, ``i16`` … ``i128`` are more of them, the lowest first; ``i64(x)`` cuts a wide number,
``i128(x)`` widens a word.  ``"text"`` is the number with these bytes, ``asr`` a shift that keeps
the sign, and of ``a if c else b`` both are computed.  ``unlikely`` says so of a test.  A function
may call those beside it: they are put in place, and return at their end.  What a branch or a loop
assigns is known behind it where all ways there have assigned it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any, NamedTuple

_OPERATIONS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "udiv",
    ast.LShift: "shl", ast.RShift: "lshr", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
    ast.Eq: "icmp eq", ast.NotEq: "icmp ne", ast.Lt: "icmp ult", ast.LtE: "icmp ule",
    ast.Gt: "icmp ugt", ast.GtE: "icmp uge",
}  # fmt: skip
_CALLS = {
    "asr": "ashr i64 {}, {}",
    "leading_zeros": "call i64 @llvm.ctlz.i64(i64 {}, i1 true)",
    "abs": "call i64 @llvm.abs.i64(i64 {}, i1 true)",
    "max": "call i64 @llvm.umax.i64(i64 {}, i64 {})",
}
_DECLARATIONS = """\
declare i64 @llvm.ctlz.i64(i64, i1)
declare i64 @llvm.abs.i64(i64, i1)
declare i64 @llvm.umax.i64(i64, i64)
"""
_RARE = ', !prof !{!"branch_weights", i32 1, i32 64}'


class Number(NamedTuple):
    """A number of so many bits, and its name or digits."""

    bits: int
    name: str


Variables = dict[str, Any]
End = tuple[str | None, Variables]  # a block and what is known there


def words_ir(text: str, name: str) -> str:
    """Return the IR of a function of words to a word, that stands in a text beside its helpers."""
    functions = {x.name: x for x in ast.parse(text).body if isinstance(x, ast.FunctionDef)}
    writer, names = _Writer(functions), [x.arg for x in functions[name].args.args]
    writer.begin("start", {x: Number(64, f"%{x}") for x in names})
    writer.run(functions[name].body)
    given = ", ".join(f"i64 %{x}" for x in names)
    lines = "\n".join(writer.lines)
    return f"define i64 @{name}({given}) nounwind {{\n{lines}\n}}\n{_DECLARATIONS}"


class _Writer:
    def __init__(self, functions: Mapping[str, ast.FunctionDef]) -> None:
        self.functions = functions
        self.lines: list[str] = []
        self.names = map("v{}".format, count())
        self.known: Variables = {}
        self.block: str | None = None  # that is written; None: no way leads on
        self.exit: tuple[str, list[End]] = "", []  # of the loop, and who takes it

    def run(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            match statement:
                case ast.Assign(targets=[target], value=value):
                    self.assign(target, self.value(value))
                case ast.AugAssign(target=target, op=op, value=value):
                    self.assign(target, self.operation(op, target, value))
                case ast.If(test=test, body=body, orelse=rest):
                    self.branch(test, body, rest)
                case ast.While(test=test, body=body):
                    self.loop(test, body)
                case ast.Break():
                    self.leave(*self.exit)
                case ast.Return(value=ast.expr() as value):
                    self.lines.append(f"  ret i64 {self.cast(self.value(value), 64)}")
                    self.block = None
                case _:
                    raise NotImplementedError(ast.unparse(statement))

    def assign(self, target: ast.expr, value: Any) -> None:
        match target:
            case ast.Name(id=name):
                self.known[name] = value
            case ast.Tuple(elts=parts):
                for part, one in zip(parts, value, strict=True):
                    self.assign(part, one)
            case ast.Subscript(value=ast.Name(id=kind), slice=place):
                number, pointer = self.cast(value, int(kind[1:])), self.pointer(place)
                self.lines.append(f"  store {kind} {number}, ptr {pointer}, align 1")

    def branch(self, test: ast.expr, body: list[ast.stmt], rest: list[ast.stmt]) -> None:
        yes, no, behind = next(self.names), next(self.names), next(self.names)
        self.part(test, yes, no)
        before, ends = self.known, []
        for label, statements in ((yes, body), (no, rest)):
            self.begin(label, {**before})
            self.run(statements)
            self.leave(behind, ends)
        self.join(behind, ends)

    def loop(self, test: ast.expr, body: list[ast.stmt]) -> None:
        head, inside, behind = next(self.names), next(self.names), next(self.names)
        inner = [x for part in (test, *body) for x in ast.walk(part) if isinstance(x, ast.Name)]
        stored = {x.id for x in inner if isinstance(x.ctx, ast.Store)}
        before, ways, ends = self.known, [], []
        changed = {x: Number(before[x].bits, f"%{next(self.names)}") for x in before if x in stored}
        self.leave(head, ways)
        self.begin(head, {**before, **changed})
        place = len(self.lines)
        self.part(test, inside, behind)
        ends.append((self.block, self.known))
        outer, self.exit = self.exit, (behind, ends)
        self.begin(inside, {**self.known})
        self.run(body)
        self.leave(head, ways)
        phis = [f"  {new.name} = {self.phi(x, ways)}" for x, new in changed.items()]
        self.lines[place:place] = phis
        self.exit = outer
        self.join(behind, ends)

    def begin(self, label: str, known: Variables) -> None:
        self.lines.append(f"{label}:")
        self.block, self.known = label, known

    def part(self, test: ast.expr, yes: str, no: str) -> None:
        rare = ""
        match test:
            case ast.Call(func=ast.Name(id="unlikely"), args=[inner]):
                test, rare = inner, _RARE
        self.lines.append(f"  br i1 {self.truth(test)}, label %{yes}, label %{no}{rare}")

    def leave(self, label: str, ends: list[End]) -> None:
        if self.block is not None:
            self.lines.append(f"  br label %{label}")
            ends.append((self.block, self.known))
            self.block = None

    def join(self, label: str, ends: list[End]) -> None:
        """Go on where blocks end; a variable that is not the same in all gets a new name."""
        if ends:
            known = {x: y for x, y in ends[0][1].items() if all(x in end[1] for end in ends)}
            self.begin(label, known)
            for name, first in known.items():
                if any(end[1][name] != first for end in ends):
                    known[name] = self.new(first.bits, self.phi(name, ends))

    def phi(self, name: str, ends: list[End]) -> str:
        ways = ", ".join(f"[ {known[name].name}, %{block} ]" for block, known in ends)
        return f"phi i{ends[0][1][name].bits} {ways}"

    def value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=str(text)):
                return Number(64, str(int.from_bytes(text.encode(), "little")))
            case ast.Constant(value=int(number)):
                return Number(64, str(number - (number >> 63 << 64)))
            case ast.Name(id=name):
                return self.known[name]
            case ast.NamedExpr(target=target, value=given):
                self.assign(target, self.value(given))
                return self.value(target)
            case ast.Tuple(elts=parts):
                return tuple(self.value(part) for part in parts)
            case ast.UnaryOp(op=ast.USub(), operand=given):
                return self.operation(ast.Sub(), ast.Constant(0), given)
            case ast.BinOp(left=a, op=op, right=b) | ast.Compare(left=a, ops=[op], comparators=[b]):
                return self.operation(op, a, b)
            case ast.IfExp(test=test, body=body, orelse=rest):
                is_so, (bits, a, b) = self.truth(test), self.pair(body, rest, 64)
                return self.new(bits, f"select i1 {is_so}, i{bits} {a}, i{bits} {b}")
            case ast.Subscript(value=ast.Name(id=kind), slice=place):
                found = self.new(int(kind[1:]), f"load {kind}, ptr {self.pointer(place)}, align 1")
                return Number(64, self.cast(found, 64)) if found.bits < 64 else found
            case ast.Call(func=ast.Name(id="i64" | "i128" as kind), args=[given]):
                return Number(int(kind[1:]), self.cast(self.value(given), int(kind[1:])))
            case ast.Call(func=ast.Name(id=name), args=given) if name in _CALLS:
                words = [self.cast(self.value(x), 64) for x in given]
                return self.new(64, _CALLS[name].format(*words))
            case ast.Call(func=ast.Name(id=name), args=given):
                return self.inlined(self.functions[name], [self.value(x) for x in given])
        raise NotImplementedError(ast.unparse(node))

    def inlined(self, function: ast.FunctionDef, given: list[Any]) -> Any:
        *body, last = function.body
        if not isinstance(last, ast.Return) or last.value is None:
            raise NotImplementedError(ast.unparse(last))
        names = [x.arg for x in function.args.args]
        outer, self.known = self.known, dict(zip(names, given, strict=True))
        self.run(body)
        result, self.known = self.value(last.value), outer
        return result

    def operation(self, op: Any, a: ast.expr, b: ast.expr) -> Number:
        name = _OPERATIONS[type(op)]
        bits, a_name, b_name = self.pair(a, b, 1 if name in ("and", "or", "xor") else 64)
        return self.new(1 if "icmp" in name else bits, f"{name} i{bits} {a_name}, {b_name}")

    def pair(self, a: ast.expr, b: ast.expr, least: int) -> tuple[int, str, str]:
        """Return two numbers as such of the same bits."""
        both = self.value(a), self.value(b)
        bits = max(least, *(x.bits for x in both))
        return bits, self.cast(both[0], bits), self.cast(both[1], bits)

    def truth(self, node: ast.expr) -> str:
        found = self.value(node)
        return found.name if found.bits == 1 else self.new(1, f"icmp ne i64 {found.name}, 0").name

    def pointer(self, place: ast.expr) -> str:
        return self.new(64, f"inttoptr i64 {self.value(place).name} to ptr").name

    def cast(self, value: Number, bits: int) -> str:
        """Return a number as one of so many bits."""
        if value.bits == bits:
            return value.name
        how = "zext" if value.bits < bits else "trunc"
        return self.new(bits, f"{how} i{value.bits} {value.name} to i{bits}").name

    def new(self, bits: int, text: str) -> Number:
        found = Number(bits, f"%{next(self.names)}")
        self.lines.append(f"  {found.name} = {text}")
        return found
