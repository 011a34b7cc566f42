"""Print doubles as Python's `repr` does: the shortest text that reads back, nearest if several.

The digits are found as in R. Giulietti, The Schubfach way to render doubles (2020).  A double is
``c 2^q``; what rounds to it lies within half of a step on both sides, the ends included if c is
even.  With ``k = ⌊log₁₀ 2^q⌋`` (of three quarters of it where the step below is the shorter one)
an interval so wide holds a multiple of 10^k, and at most one of 10^(k+1).  Its ends and middle,
times ``4 · 10^−k``, are rounded to odd, that is cut to integers whose last bit tells whether
something was cut: no comparison with a multiple of 4 is changed by that.  128 bits of the power of
ten are enough for all doubles.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from jounce.codegen.machine_code import load_function

LEAST, MOST = -292, 324  # exponents of the powers of ten
SMALL = 20  # powers that are kept as they are: 10^0 …
LONGEST = 25  # characters of a number and of what stands behind it
SLACK = 64  # bytes beyond the text that may be written to
LOG2_10, LOG10_2 = (1741647, 19), (1262611, 22)  # (1741647 e) >> 19 is ⌊e log₂ 10⌋ for all e here
THREE_QUARTERS = -524031  # log₁₀ ¾ in the unit of LOG10_2


def lines_of(columns: Sequence[np.ndarray]) -> memoryview | None:
    """Return lines of numbers with commas between; None where there is no machine code.

    Each of ``columns`` has shape ``(columns, samples)``; they stand side by side.
    """
    function = _function()
    if function is None:
        return None
    places = [x[k].ctypes.data for x in columns for k in range(len(x))]
    strides = [x.strides[1] for x in columns for _ in range(len(x))]
    words, samples = np.array([places, strides], dtype=np.int64), columns[0].shape[1]
    text = np.empty(samples * len(places) * LONGEST + SLACK, dtype=np.uint8)
    tens = _powers_of_ten().ctypes.data
    start = text.ctypes.data
    end = function(samples, len(places), words.ctypes.data, tens, start)
    return text.data[: end - start]


@cache
def _function() -> Any:
    return load_function(LINES, "lines", 5)


@cache
def _powers_of_ten() -> np.ndarray:
    """Return 10^0 … 10^19 in 8 bytes each, then 10^LEAST … 10^MOST in 16 bytes each.

    Of the latter each is the integer next above it times a power of two, and has 128 bits.
    """
    found = bytearray().join((10**k).to_bytes(8, "little") for k in range(SMALL))
    factor, shift = LOG2_10
    for k in range(LEAST, MOST + 1):
        x = 127 - (factor * k >> shift)
        top, bottom = 10 ** max(k, 0) << max(x, 0), 10 ** max(-k, 0) << max(-x, 0)
        found += (-(-top // bottom)).to_bytes(16, "little")
    return np.frombuffer(found, dtype=np.uint8)


def _odd(name: str, value: str) -> str:
    """Return IR of ``%name``: value times the power %g, of which the upper 64 bits, to odd."""
    return f"""\
  %{name}.shifted = shl i64 {value}, %h
  %{name}.wide = zext i64 %{name}.shifted to i128
  %{name}.low = mul i128 %g.low, %{name}.wide
  %{name}.carry = lshr i128 %{name}.low, 64
  %{name}.high = mul i128 %g.high, %{name}.wide
  %{name}.sum = add i128 %{name}.high, %{name}.carry
  %{name}.rest = trunc i128 %{name}.sum to i64
  %{name}.top = lshr i128 %{name}.sum, 64
  %{name}.cut = trunc i128 %{name}.top to i64
  %{name}.is.cut = icmp ne i64 %{name}.rest, 0
  %{name}.bit = zext i1 %{name}.is.cut to i64
  %{name} = or i64 %{name}.cut, %{name}.bit
"""


def _eight(name: str, value: str) -> str:
    """Return IR of ``%name``: the eight digits of a value below 10^8 as characters, first lowest.

    It is halved three times: numbers of four, two and one digit, side by side in a word.
    """
    return f"""\
  %{name}.q4 = udiv i64 {value}, 10000
  %{name}.t4 = mul i64 %{name}.q4, 10000
  %{name}.r4 = sub i64 {value}, %{name}.t4
  %{name}.s4 = shl i64 %{name}.r4, 32
  %{name}.w4 = or i64 %{name}.q4, %{name}.s4
  %{name}.m2 = mul i64 %{name}.w4, 5243
  %{name}.h2 = lshr i64 %{name}.m2, 19
  %{name}.q2 = and i64 %{name}.h2, {0x0000007F0000007F}
  %{name}.t2 = mul i64 %{name}.q2, 100
  %{name}.r2 = sub i64 %{name}.w4, %{name}.t2
  %{name}.s2 = shl i64 %{name}.r2, 16
  %{name}.w2 = or i64 %{name}.q2, %{name}.s2
  %{name}.m1 = mul i64 %{name}.w2, 103
  %{name}.h1 = lshr i64 %{name}.m1, 10
  %{name}.q1 = and i64 %{name}.h1, {0x000F000F000F000F}
  %{name}.t1 = mul i64 %{name}.q1, 10
  %{name}.r1 = sub i64 %{name}.w2, %{name}.t1
  %{name}.s1 = shl i64 %{name}.r1, 8
  %{name}.w1 = or i64 %{name}.q1, %{name}.s1
  %{name} = or i64 %{name}.w1, {0x3030303030303030}
"""


def _word(text: str) -> int:
    return int.from_bytes(text.encode(), "little")


LINES = f"""
define ptr @lines(i64 %rows, i64 %columns, ptr %places, ptr %tens, ptr %out) nounwind {{
start:
  %powers = getelementptr i8, ptr %tens, i64 {8 * SMALL - 16 * LEAST}
  %strides = getelementptr i64, ptr %places, i64 %columns
  br label %row

row:
  %i = phi i64 [ 0, %start ], [ %i.next, %line.end ]
  %line = phi ptr [ %out, %start ], [ %next, %line.end ]
  %row.more = icmp ult i64 %i, %rows
  br i1 %row.more, label %number, label %end

line.end:
  store i8 {_word(chr(10))}, ptr %behind, align 1
  %i.next = add i64 %i, 1
  br label %row

end:
  ret ptr %line

number:
  %j = phi i64 [ 0, %row ], [ %j.next, %written ]
  %to = phi ptr [ %line, %row ], [ %next, %written ]
  %place.p = getelementptr ptr, ptr %places, i64 %j
  %place = load ptr, ptr %place.p, align 8
  %stride.p = getelementptr i64, ptr %strides, i64 %j
  %stride = load i64, ptr %stride.p, align 8
  %offset = mul i64 %i, %stride
  %x.p = getelementptr i8, ptr %place, i64 %offset
  %x = load i64, ptr %x.p, align 1
  %sign = lshr i64 %x, 63
  %size = and i64 %x, {2**63 - 1}
  %exponent = lshr i64 %size, 52
  %fraction = and i64 %x, {2**52 - 1}
  store i8 {_word("-")}, ptr %to, align 1
  %first = getelementptr i8, ptr %to, i64 %sign
  %is.zero = icmp eq i64 %size, 0
  %is.large = icmp eq i64 %exponent, 2047
  %is.special = or i1 %is.zero, %is.large
  br i1 %is.special, label %special, label %plain, !prof !0

special:
  %is.infinite = icmp eq i64 %size, {2047 << 52}
  %is.nan = icmp ugt i64 %size, {2047 << 52}
  %zero.or = select i1 %is.infinite, i32 {_word("inf")}, i32 {_word("0.0")}
  %word = select i1 %is.nan, i32 {_word("nan")}, i32 %zero.or
  %word.p = select i1 %is.nan, ptr %to, ptr %first
  store i32 %word, ptr %word.p, align 1
  %special.end = getelementptr i8, ptr %word.p, i64 3
  br label %written

plain:
  %is.normal = icmp ne i64 %exponent, 0
  %with.one = or i64 %fraction, {2**52}
  %c = select i1 %is.normal, i64 %with.one, i64 %fraction
  %biased = select i1 %is.normal, i64 %exponent, i64 1
  %q = sub i64 %biased, 1075
  %no.fraction = icmp eq i64 %fraction, 0
  %above.least = icmp ugt i64 %exponent, 1
  %is.power = and i1 %no.fraction, %above.least
  %nearer = zext i1 %is.power to i64
  %q.log = mul i64 %q, {LOG10_2[0]}
  %quarters = select i1 %is.power, i64 {THREE_QUARTERS}, i64 0
  %log = add i64 %q.log, %quarters
  %k = ashr i64 %log, {LOG10_2[1]}
  %k.minus = sub i64 0, %k
  %k.log = mul i64 %k.minus, {LOG2_10[0]}
  %k.bits = ashr i64 %k.log, {LOG2_10[1]}
  %q.up = add i64 %q, 1
  %h = add i64 %q.up, %k.bits
  %g.p = getelementptr i128, ptr %powers, i64 %k.minus
  %g = load i128, ptr %g.p, align 1
  %g.high = lshr i128 %g, 64
  %g.low = and i128 %g, {2**64 - 1}
  %middle.4 = shl i64 %c, 2
  %upper.4 = or i64 %middle.4, 2
  %below.4 = sub i64 %middle.4, 2
  %lower.4 = or i64 %below.4, %nearer
{_odd("lower.in", "%lower.4")}{_odd("middle", "%middle.4")}{_odd("upper.in", "%upper.4")}\
  %odd = and i64 %c, 1
  %lower = add i64 %lower.in, %odd
  %upper = sub i64 %upper.in, %odd
  %s = lshr i64 %middle, 2
  %tenth = udiv i64 %s, 10
  %tenth.40 = mul i64 %tenth, 40
  %tenth.above = add i64 %tenth.40, 40
  %tenth.in = icmp ule i64 %lower, %tenth.40
  %tenth.up = icmp ule i64 %tenth.above, %upper
  %is.short = xor i1 %tenth.in, %tenth.up
  %tenth.more = zext i1 %tenth.up to i64
  %short = add i64 %tenth, %tenth.more
  %s.4 = and i64 %middle, -4
  %s.above = add i64 %s.4, 4
  %s.in = icmp ule i64 %lower, %s.4
  %s.up = icmp ule i64 %s.above, %upper
  %s.one = xor i1 %s.in, %s.up
  %half = or i64 %s.4, 2
  %past = icmp ugt i64 %middle, %half
  %at = icmp eq i64 %middle, %half
  %s.bit = trunc i64 %s to i1
  %to.even = and i1 %at, %s.bit
  %is.nearer.up = or i1 %past, %to.even
  %is.up = select i1 %s.one, i1 %s.up, i1 %is.nearer.up
  %up = zext i1 %is.up to i64
  %long = add i64 %s, %up
  %found = select i1 %is.short, i64 %short, i64 %long
  %one.less = zext i1 %is.short to i64
  %k.found = add i64 %k, %one.less
  %found.8 = udiv i64 %found, 100000000
  %found.whole = mul i64 %found.8, 100000000
  %has.8 = icmp eq i64 %found, %found.whole
  %k.8 = add i64 %k.found, 8
  %d.start = select i1 %has.8, i64 %found.8, i64 %found
  %k.start = select i1 %has.8, i64 %k.8, i64 %k.found
  br label %zeros

zeros:
  %d = phi i64 [ %d.start, %plain ], [ %d.tenth, %zeros ]
  %power = phi i64 [ %k.start, %plain ], [ %power.next, %zeros ]
  %d.tenth = udiv i64 %d, 10
  %d.whole = mul i64 %d.tenth, 10
  %power.next = add i64 %power, 1
  %has.zero = icmp eq i64 %d, %d.whole
  br i1 %has.zero, label %zeros, label %digits, !prof !0

digits:
  %empty = call i64 @llvm.ctlz.i64(i64 %d, i1 true)
  %bits = sub i64 64, %empty
  %bits.log = mul i64 %bits, 1233
  %count.least = lshr i64 %bits.log, 12
  %ten.p = getelementptr i64, ptr %tens, i64 %count.least
  %ten = load i64, ptr %ten.p, align 8
  %one.more = icmp uge i64 %d, %ten
  %one = zext i1 %one.more to i64
  %count = add i64 %count.least, %one
  %point = add i64 %count, %power
  %missing = sub i64 17, %count
  %scale.p = getelementptr i64, ptr %tens, i64 %missing
  %scale = load i64, ptr %scale.p, align 8
  %d.17 = mul i64 %d, %scale
  %d.16 = udiv i64 %d.17, 10
  %d.160 = mul i64 %d.16, 10
  %d.last = sub i64 %d.17, %d.160
  %d.high = udiv i64 %d.16, 100000000
  %d.high.8 = mul i64 %d.high, 100000000
  %d.low = sub i64 %d.16, %d.high.8
{_eight("left", "%d.high")}{_eight("right", "%d.low")}\
  %left.wide = zext i64 %left to i128
  %right.wide = zext i64 %right to i128
  %right.up = shl i128 %right.wide, 64
  %sixteen = or i128 %left.wide, %right.up
  %last.word = or i64 %d.last, {_word("0")}
  %last = trunc i64 %last.word to i8
  %point.less = sub i64 %point, 1
  %is.fixed = icmp ult i64 %point.less, 16
  br i1 %is.fixed, label %fixed, label %not.fixed

fixed:
  store i128 %sixteen, ptr %first, align 1
  %mark = getelementptr i8, ptr %first, i64 %point
  store i8 {_word(".")}, ptr %mark, align 1
  %after = getelementptr i8, ptr %mark, i64 1
  %point.bits = shl i64 %point.less, 3
  %point.wide = zext i64 %point.bits to i128
  %from.second = lshr i128 %sixteen, 8
  %from.point = lshr i128 %from.second, %point.wide
  store i128 %from.point, ptr %after, align 1
  %last.p = getelementptr i8, ptr %first, i64 17
  store i8 %last, ptr %last.p, align 1
  %behind.point = add i64 %point, 1
  %whole = call i64 @llvm.umax.i64(i64 %count, i64 %behind.point)
  %fixed.length = add i64 %whole, 1
  %fixed.end = getelementptr i8, ptr %first, i64 %fixed.length
  br label %written

not.fixed:
  %is.small = icmp ugt i64 %point, -4
  %is.at.zero = icmp eq i64 %point, 0
  %is.fraction = or i1 %is.small, %is.at.zero
  br i1 %is.fraction, label %fraction.only, label %scientific

fraction.only:
  store i64 {_word("0.000000")}, ptr %first, align 1
  %begin = sub i64 2, %point
  %begin.p = getelementptr i8, ptr %first, i64 %begin
  store i128 %sixteen, ptr %begin.p, align 1
  %final.p = getelementptr i8, ptr %begin.p, i64 16
  store i8 %last, ptr %final.p, align 1
  %small.end = getelementptr i8, ptr %begin.p, i64 %count
  br label %written

scientific:
  store i128 %sixteen, ptr %first, align 1
  %rest = lshr i128 %sixteen, 8
  %second.p = getelementptr i8, ptr %first, i64 2
  store i128 %rest, ptr %second.p, align 1
  %tail.p = getelementptr i8, ptr %first, i64 17
  store i8 %last, ptr %tail.p, align 1
  %dot.p = getelementptr i8, ptr %first, i64 1
  store i8 {_word(".")}, ptr %dot.p, align 1
  %has.more = icmp ugt i64 %count, 1
  %dot = zext i1 %has.more to i64
  %mantissa = add i64 %count, %dot
  %e.p = getelementptr i8, ptr %first, i64 %mantissa
  store i8 {_word("e")}, ptr %e.p, align 1
  %sign.p = getelementptr i8, ptr %e.p, i64 1
  %is.negative = icmp slt i64 %point.less, 0
  %e.sign = select i1 %is.negative, i8 {_word("-")}, i8 {_word("+")}
  store i8 %e.sign, ptr %sign.p, align 1
  %e = call i64 @llvm.abs.i64(i64 %point.less, i1 true)
  %hundreds = udiv i64 %e, 100
  %hundreds.p = getelementptr i8, ptr %sign.p, i64 1
  %hundreds.word = or i64 %hundreds, {_word("0")}
  %hundreds.digit = trunc i64 %hundreds.word to i8
  store i8 %hundreds.digit, ptr %hundreds.p, align 1
  %has.hundreds = icmp ne i64 %hundreds, 0
  %three = zext i1 %has.hundreds to i64
  %tens.p = getelementptr i8, ptr %hundreds.p, i64 %three
  %hundreds.100 = mul i64 %hundreds, 100
  %below.100 = sub i64 %e, %hundreds.100
  %e.tens = udiv i64 %below.100, 10
  %e.tens.10 = mul i64 %e.tens, 10
  %e.ones = sub i64 %below.100, %e.tens.10
  %e.ones.up = shl i64 %e.ones, 8
  %e.both = or i64 %e.tens, %e.ones.up
  %e.two = or i64 %e.both, {_word("00")}
  %e.word = trunc i64 %e.two to i16
  store i16 %e.word, ptr %tens.p, align 1
  %e.end = getelementptr i8, ptr %tens.p, i64 2
  br label %written

written:
  %behind = phi ptr [ %special.end, %special ], [ %fixed.end, %fixed ], \
[ %small.end, %fraction.only ], [ %e.end, %scientific ]
  store i8 {_word(",")}, ptr %behind, align 1
  %next = getelementptr i8, ptr %behind, i64 1
  %j.next = add i64 %j, 1
  %more = icmp ult i64 %j.next, %columns
  br i1 %more, label %number, label %line.end
}}
declare i64 @llvm.ctlz.i64(i64, i1)
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.abs.i64(i64, i1)
!0 = !{{!"branch_weights", i32 1, i32 64}}
"""
