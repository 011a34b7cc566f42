"""Read decimals as the doubles nearest to them.

Plain numbers only: digits, perhaps with a minus, a point and an exponent, of 19 digits at most that
count.  They are rounded as in N. Mushtak and D. Lemire, Fast number parsing without fallback
(2023): the product of the digits with 128 bits of the power of ten has all that decides.  Only at
small powers it may lie half way between two doubles, which is a tie if nothing was cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from jounce.codegen.machine_code import load_function

LEAST, MOST = -342, 308  # exponents of the powers of ten
ROUNDED_UP = range(-27, 0)  # powers that are rounded up, others are cut


def read_columns(text: bytes, rows: np.ndarray, columns: list[int], marks: str) -> bool:
    """Fill rows ``(lines, columns)`` with some columns of a text; tell whether it was plain.

    ``columns`` says for each column of the text which of ``rows`` it becomes, or −1; ``marks`` are
    what stands between the columns, and the decimal point.  The rows must be as many as the lines.
    """
    function = _function()
    if function is None:
        return False
    text = text if text.endswith(b"\n") else text + b"\n"
    start, places = np.frombuffer(text, dtype=np.uint8).ctypes.data, rows.ctypes.data
    words = [places + k * rows.strides[1] if k >= 0 else 0 for k in columns]
    targets = np.array([*words, rows.strides[0]], dtype=np.int64)
    tables = targets.ctypes.data, _powers_of_five().ctypes.data
    found = function(start, start + len(text), len(words), len(rows), *tables, *map(ord, marks))
    return found == len(rows)


@cache
def _function() -> Any:
    return load_function(NUMBERS, "numbers", 8)


@cache
def _powers_of_five() -> np.ndarray:
    """Return 5^LEAST … 5^MOST in 16 bytes each: integers of 128 bits, times a power of two."""
    found = bytearray()
    for k in range(LEAST, MOST + 1):
        x = 128 - (5**k).bit_length() if k >= 0 else 127 + (5**-k).bit_length()
        top, bottom = 5 ** max(k, 0) << max(x, 0), 5 ** max(-k, 0) << max(-x, 0)
        found += (top // bottom + (k in ROUNDED_UP)).to_bytes(16, "little")
    return np.frombuffer(found, dtype=np.uint8)


_ALL = 0x0101010101010101


def _digits(label: str, x: str, begin: tuple[str, str], before: Sequence[str], end: str) -> str:
    """Return IR that takes digits one by one, until something else comes, and goes to ``end``.

    ``begin`` is the first place and the number so far, as they are in the blocks ``before``; behind
    are ``%x.p``, ``%x.m``, the character there ``%x.c`` and the place after it ``%x.next``.
    """
    places = ", ".join(f"[ {begin[0]}, %{block} ]" for block in before)
    numbers = ", ".join(f"[ {begin[1]}, %{block} ]" for block in before)
    return f"""\
{label}:
  %{x}.p = phi ptr {places}, [ %{x}.next, %{label}.digit ]
  %{x}.m = phi i64 {numbers}, [ %{x}.sum, %{label}.digit ]
  %{x}.c = load i8, ptr %{x}.p, align 1
  %{x}.next = getelementptr i8, ptr %{x}.p, i64 1
  %{x}.d = sub i8 %{x}.c, {ord("0")}
  %{x}.is = icmp ult i8 %{x}.d, 10
  br i1 %{x}.is, label %{label}.digit, label %{end}

{label}.digit:
  %{x}.ten = mul i64 %{x}.m, 10
  %{x}.digit = zext i8 %{x}.d to i64
  %{x}.sum = add i64 %{x}.ten, %{x}.digit
  br label %{label}
"""


NUMBERS = f"""
define i64 @numbers(ptr %text, ptr %end, i64 %columns, i64 %rows, ptr %places, ptr %fives,
                    i64 %between, i64 %decimal) nounwind {{
start:
  %powers = getelementptr i8, ptr %fives, i64 {-16 * LEAST}
  %stride.p = getelementptr i64, ptr %places, i64 %columns
  %stride = load i64, ptr %stride.p, align 8
  %mark = trunc i64 %between to i8
  %dot = trunc i64 %decimal to i8
  %end.8 = getelementptr i8, ptr %end, i64 -8
  br label %row

row:
  %i = phi i64 [ 0, %start ], [ %i.next, %line.end ]
  %line = phi ptr [ %text, %start ], [ %next, %line.end ]
  %row.more = icmp ult ptr %line, %end
  %row.room = icmp ult i64 %i, %rows
  br i1 %row.more, label %row.start, label %done

row.start:
  %offset = mul i64 %i, %stride
  br i1 %row.room, label %field, label %failed

line.end:
  %i.next = add i64 %i, 1
  br label %row

done:
  ret i64 %i

failed:
  ret i64 -1

field:
  %j = phi i64 [ 0, %row.start ], [ %j.next, %field.end ]
  %from = phi ptr [ %line, %row.start ], [ %next, %field.end ]
  %j.next = add i64 %j, 1
  %is.last = icmp eq i64 %j.next, %columns
  %stop = select i1 %is.last, i8 10, i8 %mark
  %place.p = getelementptr ptr, ptr %places, i64 %j
  %place = load ptr, ptr %place.p, align 8
  %is.wanted = icmp ne ptr %place, null
  br i1 %is.wanted, label %number, label %skipped

skipped:
  %s.p = phi ptr [ %from, %field ], [ %s.next, %skip ]
  %s.c = load i8, ptr %s.p, align 1
  %s.is.mark = icmp eq i8 %s.c, %mark
  %s.is.end = icmp eq i8 %s.c, 10
  %s.stops = or i1 %s.is.mark, %s.is.end
  br i1 %s.stops, label %field.stop, label %skip

skip:
  %s.next = getelementptr i8, ptr %s.p, i64 1
  br label %skipped

number:
  %sign.c = load i8, ptr %from, align 1
  %is.minus = icmp eq i8 %sign.c, {ord("-")}
  %minus = zext i1 %is.minus to i64
  %sign = shl i64 %minus, 63
  %first = getelementptr i8, ptr %from, i64 %minus
  br label %zeros

zeros:
  %z.p = phi ptr [ %first, %number ], [ %z.next, %zeros ]
  %z.c = load i8, ptr %z.p, align 1
  %z.next = getelementptr i8, ptr %z.p, i64 1
  %z.is = icmp eq i8 %z.c, {ord("0")}
  br i1 %z.is, label %zeros, label %whole

{_digits("whole", "w", ("%z.p", "0"), ("zeros",), "whole.end")}
whole.end:
  %first.n = ptrtoint ptr %first to i64
  %z.n = ptrtoint ptr %z.p to i64
  %w.n = ptrtoint ptr %w.p to i64
  %w.all = sub i64 %w.n, %first.n
  %w.count = sub i64 %w.n, %z.n
  %has.point = icmp eq i8 %w.c, %dot
  br i1 %has.point, label %point, label %digits.end

point:
  %is.below.one = icmp eq i64 %w.m, 0
  br i1 %is.below.one, label %small, label %eight

small:
  %l.p = phi ptr [ %w.next, %point ], [ %l.next, %small ]
  %l.c = load i8, ptr %l.p, align 1
  %l.next = getelementptr i8, ptr %l.p, i64 1
  %l.is = icmp eq i8 %l.c, {ord("0")}
  br i1 %l.is, label %small, label %eight

eight:
  %f.start = phi ptr [ %w.next, %point ], [ %l.p, %small ], [ %f.start, %eight.digits ]
  %f.p = phi ptr [ %w.next, %point ], [ %l.p, %small ], [ %f.next, %eight.digits ]
  %f.m = phi i64 [ %w.m, %point ], [ 0, %small ], [ %f.sum, %eight.digits ]
  %f.is.before = icmp ule ptr %f.p, %end.8
  br i1 %f.is.before, label %eight.load, label %one

eight.load:
  %f.v = load i64, ptr %f.p, align 1
  %f.over = add i64 %f.v, {0x06 * _ALL}
  %f.high = and i64 %f.v, {(0xF0 * _ALL) - 2**64}
  %f.over.high = and i64 %f.over, {(0xF0 * _ALL) - 2**64}
  %f.over.low = lshr i64 %f.over.high, 4
  %f.kind = or i64 %f.high, %f.over.low
  %f.is = icmp eq i64 %f.kind, {0x33 * _ALL}
  br i1 %f.is, label %eight.digits, label %one

eight.digits:
  %f.next = getelementptr i8, ptr %f.p, i64 8
  %f.d = sub i64 %f.v, {0x30 * _ALL}
  %f.ten = mul i64 %f.d, 10
  %f.up = lshr i64 %f.d, 8
  %f.two = add i64 %f.ten, %f.up
  %f.odd = and i64 %f.two, {0x000000FF000000FF}
  %f.a = mul i64 %f.odd, {100 + (1000000 << 32)}
  %f.two.up = lshr i64 %f.two, 16
  %f.even = and i64 %f.two.up, {0x000000FF000000FF}
  %f.b = mul i64 %f.even, {1 + (10000 << 32)}
  %f.ab = add i64 %f.a, %f.b
  %f.value = lshr i64 %f.ab, 32
  %f.scaled = mul i64 %f.m, 100000000
  %f.sum = add i64 %f.scaled, %f.value
  br label %eight

{_digits("one", "o", ("%f.p", "%f.m"), ("eight", "eight.load"), "fraction.end")}
fraction.end:
  %f.start.n = ptrtoint ptr %f.start to i64
  %point.n = ptrtoint ptr %w.next to i64
  %o.n = ptrtoint ptr %o.p to i64
  %f.count = sub i64 %o.n, %f.start.n
  %f.all = sub i64 %o.n, %point.n
  %f.power = sub i64 %point.n, %o.n
  %all.count = add i64 %w.count, %f.count
  %all.all = add i64 %w.all, %f.all
  br label %digits.end

digits.end:
  %d.p = phi ptr [ %w.p, %whole.end ], [ %o.p, %fraction.end ]
  %d.c = phi i8 [ %w.c, %whole.end ], [ %o.c, %fraction.end ]
  %m = phi i64 [ %w.m, %whole.end ], [ %o.m, %fraction.end ]
  %d.power = phi i64 [ 0, %whole.end ], [ %f.power, %fraction.end ]
  %count = phi i64 [ %w.count, %whole.end ], [ %all.count, %fraction.end ]
  %all = phi i64 [ %w.all, %whole.end ], [ %all.all, %fraction.end ]
  %has.digits = icmp ne i64 %all, 0
  %is.short = icmp ult i64 %count, 20
  %is.good = and i1 %has.digits, %is.short
  br i1 %is.good, label %exponent, label %failed

exponent:
  %lower.c = or i8 %d.c, 32
  %has.e = icmp eq i8 %lower.c, {ord("e")}
  br i1 %has.e, label %e.sign, label %value

e.sign:
  %e.p = getelementptr i8, ptr %d.p, i64 1
  %e.c = load i8, ptr %e.p, align 1
  %e.is.minus = icmp eq i8 %e.c, {ord("-")}
  %e.is.plus = icmp eq i8 %e.c, {ord("+")}
  %e.has.sign = or i1 %e.is.minus, %e.is.plus
  %e.skip = zext i1 %e.has.sign to i64
  %e.first = getelementptr i8, ptr %e.p, i64 %e.skip
  br label %e.digits

e.digits:
  %x.p = phi ptr [ %e.first, %e.sign ], [ %x.next, %e.digit ]
  %x.m = phi i64 [ 0, %e.sign ], [ %x.sum, %e.digit ]
  %x.c = load i8, ptr %x.p, align 1
  %x.next = getelementptr i8, ptr %x.p, i64 1
  %x.d = sub i8 %x.c, {ord("0")}
  %x.is = icmp ult i8 %x.d, 10
  %x.is.small = icmp ult i64 %x.m, 1000
  %x.goes.on = and i1 %x.is, %x.is.small
  br i1 %x.goes.on, label %e.digit, label %e.end

e.digit:
  %x.ten = mul i64 %x.m, 10
  %x.digit = zext i8 %x.d to i64
  %x.sum = add i64 %x.ten, %x.digit
  br label %e.digits

e.end:
  %x.minus = sub i64 0, %x.m
  %x = select i1 %e.is.minus, i64 %x.minus, i64 %x.m
  %e.power = add i64 %d.power, %x
  %has.x = icmp ne ptr %x.p, %e.first
  br i1 %has.x, label %value, label %failed

value:
  %v.p = phi ptr [ %d.p, %exponent ], [ %x.p, %e.end ]
  %power = phi i64 [ %d.power, %exponent ], [ %e.power, %e.end ]
  %target = getelementptr i8, ptr %place, i64 %offset
  %is.zero = icmp eq i64 %m, 0
  br i1 %is.zero, label %store, label %product

product:
  %from.least = sub i64 %power, {LEAST}
  %has.power = icmp ule i64 %from.least, {MOST - LEAST}
  br i1 %has.power, label %multiply, label %failed

multiply:
  %g.p = getelementptr i128, ptr %powers, i64 %power
  %g = load i128, ptr %g.p, align 1
  %g.high = lshr i128 %g, 64
  %g.low = and i128 %g, {2**64 - 1}
  %empty = call i64 @llvm.ctlz.i64(i64 %m, i1 true)
  %m.up = shl i64 %m, %empty
  %m.wide = zext i64 %m.up to i128
  %low.product = mul i128 %g.low, %m.wide
  %carry = lshr i128 %low.product, 64
  %high.product = mul i128 %g.high, %m.wide
  %whole.product = add i128 %high.product, %carry
  %rest = trunc i128 %whole.product to i64
  %top.wide = lshr i128 %whole.product, 64
  %top = trunc i128 %top.wide to i64
  %upper = lshr i64 %top, 63
  %cut = add i64 %upper, 9
  %quotient = lshr i64 %top, %cut
  %back = shl i64 %quotient, %cut
  %is.exact.top = icmp eq i64 %back, %top
  %is.exact.rest = icmp ult i64 %rest, 2
  %power.4 = add i64 %power, 4
  %is.near = icmp ult i64 %power.4, 28
  %last.two = and i64 %quotient, 3
  %is.half.even = icmp eq i64 %last.two, 1
  %tie.1 = and i1 %is.exact.top, %is.exact.rest
  %tie.2 = and i1 %is.near, %is.half.even
  %tie = and i1 %tie.1, %tie.2
  %down = zext i1 %tie to i64
  %even = sub i64 %quotient, %down
  %odd = and i64 %even, 1
  %rounded.2 = add i64 %even, %odd
  %rounded = lshr i64 %rounded.2, 1
  %log = mul i64 %power, 217706
  %log.bits = ashr i64 %log, 16
  %bias.1 = add i64 %log.bits, {63 + 1023 - 1}
  %bias.2 = add i64 %bias.1, %upper
  %biased = sub i64 %bias.2, %empty
  %in.range = icmp ult i64 %biased, 2045
  %exponent.bits = shl i64 %biased, 52
  %bits = add i64 %exponent.bits, %rounded
  br i1 %in.range, label %store, label %failed

store:
  %found = phi i64 [ 0, %value ], [ %bits, %multiply ]
  %signed = or i64 %found, %sign
  store i64 %signed, ptr %target, align 8
  br label %field.stop

field.stop:
  %end.p = phi ptr [ %s.p, %skipped ], [ %v.p, %store ]
  %c = load i8, ptr %end.p, align 1
  %next = getelementptr i8, ptr %end.p, i64 1
  %is.stop = icmp eq i8 %c, %stop
  br i1 %is.stop, label %field.end, label %failed

field.end:
  br i1 %is.last, label %line.end, label %field
}}
declare i64 @llvm.ctlz.i64(i64, i1)
"""
