"""Functions of words do in machine code what the same text does in Python."""

from __future__ import annotations

import pytest

from jounce.codegen.llvm.words import words_ir
from jounce.codegen.machine_code import load_function

STEPS = """
def steps(n, most):
    k, highest = 0, n
    while n != 1:
        if k >= most:
            return -1
        if n & 1:
            n = tripled(n)
            highest = n if n > highest else highest
        else:
            n = n // 2
        k += 1
        if highest == 9232:
            break
    return k | highest << 32

def tripled(n):
    more, times = n, 2
    while times:
        more, times = more + n, times - 1
    return more + 1
"""


@pytest.mark.parametrize("n", [1, 2, 7, 26, 27, 871])
@pytest.mark.parametrize("most", [3, 1000])
def test_branches_loops_and_helpers(n: int, most: int):
    names: dict = {}
    exec(STEPS, names)
    assert load_function(STEPS, "steps", 2)(n, most) == names["steps"](n, most)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("-x", -12),
        ("asr(-x, 2)", -3),
        ("-x >> 63", 1),
        ("(x > 3) + (x == 12) + (x < 12)", 2),
        ("i64(i128(-x) * 16 >> 64)", 15),
        ("leading_zeros(x) + abs(-x) + max(x, 100)", 60 + 12 + 100),
        ('x | "ab"', 0x6261 | 12),
        ("5 if x - 12 else 7", 7),
    ],
)
def test_words_have_no_sign_and_wrap_around(expression: str, value: int):
    text = f"def f(x):\n    return {expression}\n"
    assert load_function(text, "f", 1)(12) == value


@pytest.mark.parametrize("line", ["for i in x: pass", "x = [x]", "x = ~x", "x = g(x)"])
def test_what_is_not_understood_is_said(line: str):
    with pytest.raises(NotImplementedError):
        words_ir(f"def f(x):\n    {line}\n    return x\ndef g(x):\n    y = x\n", "f")
