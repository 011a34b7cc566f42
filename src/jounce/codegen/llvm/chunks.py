"""Print one chunk of machine operations as an LLVM function on the scratch block."""

from __future__ import annotations

from jounce.codegen.fusion import FMA, FMS, FNMA, FNMS, Code
from jounce.codegen.llvm.types import splat, suffix, vector
from jounce.codegen.opcodes import ADD, DIV, MUL, NEG, SQRT, SUB
from jounce.codegen.slots import Slots

_BINARY = {ADD: "fadd", SUB: "fsub", MUL: "fmul", DIV: "fdiv"}


class ChunkPrinter:
    """Prints the chunks of one program; values are `%v<number>`, constants are spelled out."""

    def __init__(self, code: Code, slots: Slots, lanes: int) -> None:
        self.code = code
        self.slots = slots
        self.lanes = lanes
        self.type = vector(lanes)
        inputs = code.program.input_count
        self.constants = {
            inputs + k: splat(value) for k, value in enumerate(code.program.constants)
        }

    def function(self, name: str, values: list[int]) -> str:
        """Return the definition of a function that computes `values`."""
        names = dict(self.constants)
        lines = [f"define private void @{name}(ptr noalias %s) #0 {{"]
        slot_of = self.slots.of
        reads = self.code.reads
        for value in values:
            for x in reads[value]:
                if x not in names:
                    names[x] = f"%v{x}"
                    self._load(lines, x)
            lines.append(self._operation(value, names))
            names[value] = f"%v{value}"
            if value in slot_of:
                self._store(lines, value)
        lines.append("  ret void\n}")
        return "\n".join(lines)

    def _load(self, lines: list[str], value: int) -> None:
        offset = self.slots.of[value] * self.lanes * 8
        lines.append(
            f"  %l{value} = getelementptr i8, ptr %s, i64 {offset}\n"
            f"  %v{value} = load {self.type}, ptr %l{value}, align {self.lanes * 8}"
        )

    def _store(self, lines: list[str], value: int) -> None:
        offset = self.slots.of[value] * self.lanes * 8
        lines.append(
            f"  %s{value} = getelementptr i8, ptr %s, i64 {offset}\n"
            f"  store {self.type} %v{value}, ptr %s{value}, align {self.lanes * 8}"
        )

    def _operation(self, value: int, names: dict[int, str]) -> str:
        """Return the line (or lines) that compute one value."""
        code = self.code
        k = value - code.first
        kind = code.op[k]
        a = names[code.a[k]]
        if kind == NEG:
            return f"  %v{value} = fneg {self.type} {a}"
        if kind == SQRT:
            t = self.type
            return f"  %v{value} = call {t} @llvm.sqrt.{suffix(self.lanes)}({t} {a})"
        b = names[code.b[k]]
        if kind in _BINARY:
            return f"  %v{value} = {_BINARY[kind]} {self.type} {a}, {b}"
        return self._fused(value, kind, a, b, names[code.c[k]])

    def _fused(self, value: int, kind: int, a: str, b: str, c: str) -> str:
        """Return a fused operation; signs fold into the machine instruction."""
        t = self.type
        before = ""
        if kind in (FNMA, FNMS):
            if a[0] != "%":  # the sign of a constant would need a second constant
                a, b = b, a
            before += f"  %n{value} = fneg {t} {a}\n"
            a = f"%n{value}"
        if kind in (FMS, FNMS):
            before += f"  %m{value} = fneg {t} {c}\n"
            c = f"%m{value}"
        assert kind in (FMA, FMS, FNMA, FNMS)
        intrinsic = f"@llvm.fma.{suffix(self.lanes)}"
        return f"{before}  %v{value} = call {t} {intrinsic}({t} {a}, {t} {b}, {t} {c})"
