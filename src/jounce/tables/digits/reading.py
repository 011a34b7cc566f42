"""Read decimals as the doubles nearest to them.

Plain numbers only: digits, perhaps with a minus, a point and an exponent, of 19 digits at most that
count.  They are rounded as in N. Mushtak and D. Lemire, Fast number parsing without fallback
(2023): the product of the digits with 128 bits of the power of ten has all that decides.  Only at
small powers it may lie half way between two doubles, which is a tie if nothing was cut.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from jounce.codegen.machine_code import load_function
from jounce.tables.digits import PRODUCT, powers_of_ten

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
    tables = targets.ctypes.data, _powers().ctypes.data
    found = function(start, start + len(text), len(words), len(rows), *tables, *map(ord, marks))
    return found == len(rows)


@cache
def _function() -> Any:
    return load_function(NUMBERS, "numbers", 8)


@cache
def _powers() -> np.ndarray:
    return np.frombuffer(powers_of_ten(range(LEAST, MOST + 1), ROUNDED_UP), dtype=np.uint8)


NUMBERS = f"""
def numbers(text, end, columns, rows, places, tens, between, decimal):
    # The number of lines whose columns are read, or -1 where something is not plain.
    powers, stride, i, at = tens + {-16 * LEAST}, i64[places + 8 * columns], 0, text
    while at < end:
        if i >= rows:
            return -1
        j = 0
        while j < columns:
            place = i64[places + 8 * j]
            j += 1
            if place:
                is_minus = i8[at] == "-"
                first = at + is_minus
                at = behind_zeros(first)
                begin = at
                at, m = digits(at, 0)
                count, all, power = at - begin, at - first, 0
                if i8[at] == decimal:
                    point = at + 1
                    begin = point
                    if m == 0:
                        begin = behind_zeros(point)
                    at, m = eights(begin, m, end - 8)
                    at, m = digits(at, m)
                    count, all, power = count + at - begin, all + at - point, point - at
                if (all == 0) | (count > 19):
                    return -1
                if (i8[at] | 32) == "e":
                    at += 1
                    is_below = i8[at] == "-"
                    at += is_below | (i8[at] == "+")
                    begin, e = at, 0
                    while ((d := i8[at] - "0") < 10) & (e < 1000):
                        e, at = 10 * e + d, at + 1
                    if at == begin:
                        return -1
                    power += -e if is_below else e
                bits = 0
                if m:
                    if power - {LEAST} > {MOST - LEAST}:
                        return -1
                    empty = leading_zeros(m)
                    top, rest = product(i128[powers + 16 * power], m << empty)
                    upper = top >> 63
                    cut = upper + 9
                    half = top >> cut
                    is_exact = (half << cut == top) & (rest < 2)
                    half -= is_exact & (power + 4 < 28) & ((half & 3) == 1)
                    biased = asr(power * 217706, 16) + {63 + 1023 - 1} + upper - empty
                    if biased >= 2045:
                        return -1
                    bits = (biased << 52) + (half + (half & 1) >> 1)
                i64[place + i * stride] = bits | is_minus << 63
            else:
                while (i8[at] != between) & (i8[at] != "\\n"):
                    at += 1
            if i8[at] != ("\\n" if j == columns else between):
                return -1
            at += 1
        i += 1
    return i

def behind_zeros(at):
    while i8[at] == "0":
        at += 1
    return at

def digits(at, m):
    # The place behind digits, and the number m with these digits behind its own.
    while (d := i8[at] - "0") < 10:
        m, at = 10 * m + d, at + 1
    return at, m

def eights(at, m, last):
    # The same of eight digits at a time, all of them compared and summed side by side in a word.
    while at <= last:
        v = i64[at]
        high = 0xF0F0F0F0F0F0F0F0
        if (v & high | (v + 0x0606060606060606 & high) >> 4) != 0x3333333333333333:
            break
        d = v - 0x3030303030303030
        twos = 10 * d + (d >> 8)
        sum = (twos & 0x000000FF000000FF) * {100 + (1000000 << 32)}
        sum += (twos >> 16 & 0x000000FF000000FF) * {1 + (10000 << 32)}
        m, at = 100000000 * m + (sum >> 32), at + 8
    return at, m
{PRODUCT}"""
