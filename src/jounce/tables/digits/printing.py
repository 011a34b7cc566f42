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
from jounce.tables.digits import PRODUCT, powers_of_ten

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
    """Return 10^0 … 10^19 in 8 bytes each, then 10^LEAST … 10^MOST, rounded up."""
    small = b"".join((10**k).to_bytes(8, "little") for k in range(SMALL))
    exponents = range(LEAST, MOST + 1)
    return np.frombuffer(small + powers_of_ten(exponents, exponents), dtype=np.uint8)


LINES = f"""
def lines(rows, columns, places, tens, to):
    powers, strides, i = tens + {8 * SMALL - 16 * LEAST}, places + 8 * columns, 0
    while i < rows:
        j = 0
        while j < columns:
            x = i64[i64[places + 8 * j] + i * i64[strides + 8 * j]]
            size = x & 0x7FFFFFFFFFFFFFFF
            exponent = size >> 52
            i8[to] = "-"
            first = to + (x >> 63)
            if unlikely((size == 0) | (exponent == 2047)):
                is_nan = size > 2047 << 52
                first = to if is_nan else first
                i32[first] = "nan" if is_nan else "inf" if exponent else "0.0"
                to = first + 3
            else:
                d, power = shortest(powers, exponent, x & 0xFFFFFFFFFFFFF)
                to = printed(first, tens, d, power)
            i8[to] = ","
            to += 1
            j += 1
        i8[to - 1] = "\\n"
        i += 1
    return to

def shortest(powers, exponent, fraction):
    # The digits, of which the last is none of 0, and the power of ten that is their unit.
    c = fraction | 1 << 52 if exponent else fraction
    q = (exponent if exponent else 1) - 1075
    is_nearer = (fraction == 0) & (exponent > 1)
    k = asr(q * {LOG10_2[0]} + ({THREE_QUARTERS} if is_nearer else 0), {LOG10_2[1]})
    h = q + 1 + asr(-k * {LOG2_10[0]}, {LOG2_10[1]})
    g, odd = i128[powers - 16 * k], c & 1
    lower = to_odd(g, (4 * c - 2 | is_nearer) << h) + odd
    middle = to_odd(g, 4 * c << h)
    upper = to_odd(g, (4 * c | 2) << h) - odd
    s = middle >> 2
    tenth = s // 10
    is_above = 40 * tenth + 40 <= upper
    is_short = (lower <= 40 * tenth) ^ is_above
    floor = middle & -4
    is_next = floor + 4 <= upper
    is_one = (lower <= floor) ^ is_next
    is_past = (middle > (floor | 2)) | (middle == (floor | 2)) & s
    long = s + (is_next if is_one else is_past)
    d, k = tenth + is_above if is_short else long, k + is_short
    eight = d // 100000000
    has_eight = eight * 100000000 == d
    d, k = eight if has_eight else d, k + 8 if has_eight else k
    while unlikely((tenth := d // 10) * 10 == d):
        d, k = tenth, k + 1
    return d, k

def to_odd(g, x):
    # The upper word of a product; its last bit tells whether something was cut.
    top, rest = product(g, x)
    return top | (rest != 0)

def printed(to, tens, d, power):
    # Print a number d 10^power as Python does; where it ends.
    least = (64 - leading_zeros(d)) * 1233 >> 12
    count = least + (d >= i64[tens + 8 * least])
    point = count + power
    d *= i64[tens + 8 * (17 - count)]
    sixteen = d // 10
    high, last = sixteen // 100000000, d - 10 * sixteen | "0"
    text = eight_digits(high) | i128(eight_digits(sixteen - high * 100000000)) << 64
    if point - 1 < 16:
        i128[to] = text
        i8[to + point] = "."
        i128[to + point + 1] = text >> 8 >> 8 * (point - 1)
        i8[to + 17] = last
        to += max(count, point + 1) + 1
    elif (point > -4) | (point == 0):
        i64[to] = "0.000000"
        to = to + 2 - point
        i128[to] = text
        i8[to + 16] = last
        to += count
    else:
        i128[to] = text
        i128[to + 2] = text >> 8
        i8[to + 17] = last
        i8[to + 1] = "."
        to += count + (count > 1)
        i8[to] = "e"
        i8[to + 1] = "-" if point - 1 >> 63 else "+"
        e = abs(point - 1)
        hundreds = e // 100
        i8[to + 2] = hundreds | "0"
        to += 2 + (hundreds != 0)
        e -= 100 * hundreds
        i16[to] = e // 10 | e - 10 * (e // 10) << 8 | "00"
        to += 2
    return to

def eight_digits(x):
    # The digits of x below 10^8 as text: halved to numbers of four, two and one, side by side.
    fours = x // 10000 | x - 10000 * (x // 10000) << 32
    high = fours * 5243 >> 19 & 0x0000007F0000007F
    twos = high | fours - 100 * high << 16
    high = twos * 103 >> 10 & 0x000F000F000F000F
    return high | twos - 10 * high << 8 | 0x3030303030303030
{PRODUCT}"""
