"""Machine code of chunks for x86-64 with AVX or AVX-512, without a compiler.

A chunk is straight-line arithmetic on vectors, so there is little to choose but registers. When one
is wanted, the value goes that is needed last (L. A. Belady, 1966), to memory if it is not there
yet; what is in memory and not needed again soon is an operand of the instruction itself.

`ASSEMBLE` is written in the words of `jounce.codegen.llvm.words`. Register rdi points into the
block of a group of samples, so far behind its begin that offsets of one byte reach many slots.
Constants stand before the code. The encodings are those of Intel's manual, volume 2, 2.3 and 2.7.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence
from ctypes import addressof, c_char
from dataclasses import dataclass
from itertools import islice
from typing import Any

from jounce.codegen.fusion import FMA, Code
from jounce.codegen.llvm.host import Host
from jounce.codegen.opcodes import ADD, DIV, MUL, NEG, SQRT, SUB
from jounce.codegen.slots import Slots

REGISTERS = {8: 32, 4: 16}  # by lanes
REACH = {8: 32, 4: 16}  # operations within which a value is needed again to be worth a register
UNIT = {8: 64, 4: 1}  # bytes that an offset of one byte counts
LONGEST = 12  # bytes of an instruction, rounded up
MOST = 9  # instructions of an operation: three loads with stores before, a copy, itself, a store
_OPCODES = sum(
    code << 8 * kind
    for kind, code in {ADD: 0x58, SUB: 0x5C, MUL: 0x59, DIV: 0x5E, NEG: 0x57, SQRT: 0x51}.items()
)  # NEG is an exclusive or
CONSTANT = 1 << 40  # added to the place of a constant, to tell it from one in the block


@dataclass(frozen=True, slots=True)
class Assembled:
    """Constants and chunks as bytes, where the chunks begin, and the slots that they use."""

    data: bytes
    starts: list[int]
    slots: Slots
    lanes: int

    def module(self, runs: Sequence[int], stride: int, groups: int) -> str:
        """Return IR that holds the code, and `@run<k>.many` and `.one` that call some chunks each.

        Blocks of so many groups are `stride` bytes apart; `.many` runs each chunk for all of them.
        """
        data = bytearray(self.data)
        starts = iter(self.starts)
        lines = []
        for k, count in enumerate(runs):
            run = list(islice(starts, count))
            for name, blocks in (("many", groups), ("one", 1)):
                place = f"getelementptr (i8, ptr @code, i64 {len(data)})"
                lines.append(f"@run{k}.{name} = alias void (ptr), {place}")
                self._call(data, run, stride, blocks)
        text = "\\" + data.hex("\\")
        return "\n".join([f'''\
define private void @code() naked nounwind align 64 prologue [{len(data)} x i8] c"{text}" {{
  unreachable
}}''', *lines])  # fmt: skip

    def _call(self, data: bytearray, run: list[int], stride: int, groups: int) -> None:
        """Append a function that runs chunks for groups."""
        step = 128 * UNIT[self.lanes]  # from block to block, and back for the next chunk
        for start in run:
            for group in range(groups):
                if step:
                    data += b"\x48\x81\xc7" + _word(step)  # add rdi, step
                data += b"\xe8" + _word(start - len(data) - 5)  # call
                step = stride if group < groups - 1 else (1 - groups) * stride
        data += b"\xc5\xf8\x77\xc3"  # vzeroupper, ret


def _word(number: int) -> bytes:
    return struct.pack("<i", number)


def can_assemble(host: Host, lanes: int) -> bool:
    """Tell whether a host runs this code, and passes arguments as it wants them."""
    features = {"+avx512f", "+avx512dq"} if lanes == 8 else {"+avx", "+fma"}
    known = features <= set(host.features.split(","))
    return lanes in REGISTERS and known and host.is_linux_x86


def assemble(
    function: Any, code: Code, chunks: list[list[int]], slots: Slots, lanes: int
) -> Assembled:
    """Return the code of chunks, each a list of values; `function` is that of `ASSEMBLE`."""
    size, program = 8 * lanes, code.program
    sign = code.first + len(code.op)  # a value behind all others: −0, which turns signs
    pool = array("d", (*program.constants, -0.0)).tobytes()
    pool += bytes(-len(pool) % 64)
    values = array("q", [-1]) * (3 * (sign + 1))
    for value, slot in slots.of.items():
        values[3 * value + 2] = slot * size
    for k, value in enumerate((*range(program.input_count, code.first), sign)):
        values[3 * value + 2] = CONSTANT + 8 * k
    order, ends = array("q"), array("q")
    for chunk in chunks:
        order.extend(chunk)
        ends.append(len(order))
    longest = max(map(len, chunks), default=0)
    data = bytearray(pool) + bytes(LONGEST * MOST * len(order) + 32 * len(chunks))
    starts = array("q", bytes(8 * (len(chunks) + 1)))
    tables = (
        *(array("q", x) for x in (code.op, code.a, code.b, code.c)),
        order, ends, values, array("q", bytes(96 * longest)), array("q", [-1]) * 64, starts,
    )  # fmt: skip
    room = function(
        *(table.buffer_info()[0] for table in tables), addressof(c_char.from_buffer(data)),
        len(pool), len(chunks), code.first, sign, slots.count * size, lanes,
    )  # fmt: skip
    places = Slots(slots.of, room // size, slots.unused)
    return Assembled(bytes(data[: starts[-1]]), list(starts[:-1]), places, lanes)


# Records of words: a value has its register, the next operation that reads it and its place in
# memory; a register its value and the next operation that reads it; a row of the table has the kind
# of an operation, its operands, who reads these next, who reads the result, registers of operands.
# −1 is none and never; a register that must not be taken is needed at 0.
ASSEMBLE = f"""
def assemble(ops, a, b, c, order, ends, values, rows, registers, starts, data, begin_of_code,
             chunks, first, sign, room, lanes):
    # The bytes of a block with the slots for what is put away.
    count = {REGISTERS[8]} if lanes == 8 else {REGISTERS[4]}
    reach = {REACH[8]} if lanes == 8 else {REACH[4]}
    most, begin, k, at = room, 0, 0, data + begin_of_code
    while k < chunks:
        i64[starts + 8 * k] = at - data
        end = i64[ends + 8 * k]
        r = 0
        while r < count:
            value = i64[registers + 16 * r]
            if value != -1:
                i64[values + 24 * value] = -1
            i64[registers + 16 * r] = -1
            i64[registers + 16 * r + 8] = -1
            r += 1
        i = end
        while i > begin:
            i -= 1
            row = rows + 96 * (i - begin)
            done = list_operation(ops, a, b, c, order, values, row, i, first, sign)
        away = room
        while i < end:
            row, result = rows + 96 * (i - begin), i64[order + 8 * i]
            kind = i64[row]
            folded = operand_in_memory(values, registers, row, kind, i + reach, lanes)
            j = 8
            while j < 32:
                x = i64[row + j]
                if x != -1:
                    if (i64[values + 24 * x] == -1) & (j != folded):
                        r, at, away = take(registers, values, count, at, data, lanes, away)
                        home = i64[values + 24 * x + 16]
                        map = 2 if home >= {CONSTANT} else 1
                        opcode = 0x19 if map == 2 else 0x28
                        at = put(at, data, lanes, opcode, map, r, 0, 0, home)
                        i64[values + 24 * x] = r
                        i64[registers + 16 * r] = x
                        i64[registers + 16 * r + 8] = 0
                    i64[row + 56 + j] = i64[values + 24 * x]
                j += 8
            dies = release(values, registers, row)
            if (kind >= {FMA}) & (dies != 0):
                to = i64[row + 56 + dies]
            else:
                to, at, away = take(registers, values, count, at, data, lanes, away)
            if kind >= {FMA}:
                r0, r1, r2 = i64[row + 64], i64[row + 72], i64[row + 80]
                if dies == 0:
                    dies = 8 if to == r0 else 16 if to == r1 else 24
                    if (dies == 24) & (to != r2):
                        at = put(at, data, lanes, 0x28, 1, to, 0, r2, -1)
                other = 24 - dies
                if dies == 24:
                    form = 0xB8
                    last = 8 if folded == 8 else 16
                    second = 24 - last
                else:
                    form = 0x98 if folded == other else 0xA8
                    last = other if folded == other else 24
                    second = 24 if folded == other else other
                opcode, map = form + 2 * (kind - {FMA}), 2
                left = i64[row + 56 + second]
            else:
                last = 8 if (folded == 8) | (kind == {SQRT}) else 16
                opcode, map = {_OPCODES} >> (8 * kind) & 255, 1
                left = 0 if kind == {SQRT} else i64[row + 80 - last]
            home = i64[values + 24 * i64[row + last] + 16] if last == folded else -1
            at = put(at, data, lanes, opcode, map, to, left, i64[row + 56 + last], home)
            home, following = i64[values + 24 * result + 16], i64[row + 56]
            if home != -1:
                at = put(at, data, lanes, 0x29, 1, to, 0, 0, home)
            i64[values + 24 * result] = to if following != -1 else -1
            i64[registers + 16 * to] = result if following != -1 else -1
            i64[registers + 16 * to + 8] = following
            i += 1
        i8[at] = 0xC3
        at = (at - data + 16) >> 4 << 4
        at += data
        most = max(most, away)
        begin = end
        k += 1
    i64[starts + 8 * chunks] = at - data
    return most

def list_operation(ops, a, b, c, order, values, row, i, first, sign):
    # Fill a row of the table, from the last operation of a chunk to the first.
    value = i64[order + 8 * i]
    k = 8 * (value - first)
    kind, x1, x2 = i64[ops + k], i64[b + k], i64[c + k]
    i64[row] = kind
    i64[row + 8] = i64[a + k]
    i64[row + 16] = sign if kind == {NEG} else -1 if kind == {SQRT} else x1
    i64[row + 24] = x2 if kind >= {FMA} else -1
    i64[row + 56] = later(values, value, i)
    j = 8
    while j < 32:
        x = i64[row + j]
        if x != -1:
            i64[row + 24 + j] = later(values, x, i)
        j += 8
    j = 8
    while j < 32:
        x = i64[row + j]
        if x != -1:
            i64[values + 24 * x + 8] = i
        j += 8
    return 0

def later(values, x, i):
    # The next operation after i that reads a value; what is noted before it is of other chunks.
    found = i64[values + 24 * x + 8]
    return found if found > i else -1

def operand_in_memory(values, registers, row, kind, soon, lanes):
    # The operand that stays in memory, or 0; those in registers must stay where they are.
    # A fused operation writes over an operand, another one that is not needed again; and only
    # wide instructions spread a constant.
    folded, dying, j = 0, 0, 8
    while j < 32:
        x = i64[row + j]
        if x != -1:
            dying += 1 if i64[row + 24 + j] == -1 else 0
            r = i64[values + 24 * x]
            if r != -1:
                i64[registers + 16 * r + 8] = 0
        j += 8
    j = 16 if (kind == {SUB}) | (kind == {DIV}) else 8
    while j < 32:
        x, following = i64[row + j], i64[row + 24 + j]
        if x != -1:
            out = (i64[values + 24 * x] == -1) & (following > soon)
            alone = (i64[row + 8] == x) + (i64[row + 16] == x) + (i64[row + 24] == x) == 1
            writes = (kind < {FMA}) | (dying > (following == -1))
            is_whole = (lanes == 8) | (i64[values + 24 * x + 16] < {CONSTANT})
            folded = j if out & alone & writes & is_whole else folded
        j += 8
    return folded

def release(values, registers, row):
    # Note when operands are read again; return one that is not and is in a register, or 0.
    dies, j = 0, 8
    while j < 32:
        x = i64[row + j]
        if x != -1:
            r, following = i64[values + 24 * x], i64[row + 24 + j]
            if r != -1:
                i64[registers + 16 * r + 8] = following
                if following == -1:
                    dies = j
                    i64[registers + 16 * r] = -1
                    i64[values + 24 * x] = -1
        j += 8
    return dies

def take(registers, values, count, at, data, lanes, away):
    # The register whose value is needed last, which is stored first if it is nowhere else.
    best, latest, r = 0, 0, 0
    while r < count:
        following = i64[registers + 16 * r + 8]
        best = r if following > latest else best
        latest = max(latest, following)
        r += 1
    value = i64[registers + 16 * best]
    if value != -1:
        i64[values + 24 * value] = -1
        i64[registers + 16 * best] = -1
        if i64[values + 24 * value + 16] == -1:
            i64[values + 24 * value + 16] = away
            at = put(at, data, lanes, 0x29, 1, best, 0, 0, away)
            away += 8 * lanes
    return best, at, away

def put(at, data, lanes, opcode, map, to, left, right, home):
    # Write an instruction; its right operand is in memory if it has a home.
    wide, memory = lanes == 8, home != -1
    constant = memory & (home >= {CONSTANT})
    x = 1 if memory else right >> 4 & 1 ^ 1
    low = 1 if memory else right >> 3 & 1 ^ 1
    top = (to >> 3 & 1 ^ 1) << 7 | x << 6 | low << 5 | map
    if wide:
        spread = 16 if constant & (opcode != 0x19) else 0
        i8[at] = 0x62
        i8[at + 1] = top | (to >> 4 & 1 ^ 1) << 4
        i8[at + 2] = 0x85 | (left & 15 ^ 15) << 3
        i8[at + 3] = 0x40 | spread | (left >> 4 & 1 ^ 1) << 3
        at += 4
    else:
        i8[at] = 0xC4
        i8[at + 1] = top
        i8[at + 2] = (0x80 if (map == 2) & (opcode != 0x19) else 0) | (left & 15 ^ 15) << 3 | 5
        at += 3
    i8[at] = opcode
    middle, shift = (to & 7) << 3, 6 if wide else 0
    if memory:
        if constant:
            i8[at + 1] = 5 | middle
            i32[at + 2] = data + home - {CONSTANT} - (at + 6)
            at += 6
        else:
            if home < (256 << shift):
                i8[at + 1] = 0x47 | middle
                i8[at + 2] = (home >> shift) - 128
                at += 3
            else:
                i8[at + 1] = 0x87 | middle
                i32[at + 2] = home - (128 << shift)
                at += 6
    else:
        i8[at + 1] = 0xC0 | middle | right & 7
        at += 2
    return at
"""
