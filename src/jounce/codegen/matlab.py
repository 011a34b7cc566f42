"""Print a program as a function of MATLAB, which Octave takes too: one sample, straight-line."""

from __future__ import annotations

import math
from collections.abc import Sequence

from jounce.codegen.c99 import ARITHMETIC, FUNCTIONS
from jounce.codegen.program import Program

LONGEST_NAME = 63  # MATLAB reads no further
WORDS = """
    break case catch classdef continue else elseif end for function global if otherwise parfor
    persistent return spmd switch try while until do unwind_protect assert cos numel ones permute
    reshape sin sqrt zeros Inf NaN ans
"""
_FORMAT = ARITHMETIC | {kind: f"{name}({{}})" for kind, name in FUNCTIONS.items()}


def print_matlab(
    program: Program,
    name: str,
    *,
    inputs: Sequence[str],
    outputs: Sequence[str],
    shapes: Sequence[tuple[int, ...]],
    comment: Sequence[str] = (),
) -> str:
    """Return the source of `function [out, …] = name(in, …)`.

    Inputs are vectors, checked to be of the right length; outputs have the given shapes, vectors
    are columns.
    """
    lines = [f"{_head(name, inputs, outputs)}", *(f"% {line}".rstrip() for line in comment)]
    texts: list[str] = []
    for x, width in zip(inputs, program.input_widths, strict=True):
        lines.append(f"  assert(numel({x}) == {width}, '{x} must have {width} numbers');")
        texts += [f"{x}({k})" for k in range(1, width + 1)]
    texts += map(_number, program.constants)
    for value, kind, operands in program.steps():
        text = _FORMAT[kind].format(*(texts[x] for x in operands))
        lines.append(f"  v{value} = {text};")
        texts.append(f"v{value}")
    for x, row, shape in zip(outputs, program.outputs, shapes, strict=True):
        lines += _array(x, [texts[value] for value in row], shape)
    return "\n".join([*lines, "end", ""])


def print_call(
    name: str,
    called: str,
    *,
    inputs: Sequence[str],
    outputs: Sequence[str],
    more: str,
    values: Sequence[str],
) -> str:
    """Return a function that calls another with one more vector, whose values are given as text."""
    return "\n".join(
        [
            _head(name, inputs, outputs),
            *_array(more, list(values), (len(values),)),
            f"  [{', '.join(outputs)}] = {called}({', '.join([*inputs, more])});",
            "end",
            "",
        ]
    )


def _head(name: str, inputs: Sequence[str], outputs: Sequence[str]) -> str:
    return f"function [{', '.join(outputs)}] = {name}({', '.join(inputs)})"


def _array(name: str, entries: list[str], shape: tuple[int, ...]) -> list[str]:
    """Return the assignment of an array whose entries come row by row."""
    if not entries:
        return [f"  {name} = zeros({', '.join(map(str, (*shape, 1, 1)[: max(len(shape), 2)]))});"]
    columns = shape[1] if len(shape) == 2 else 1
    rows = [", ".join(entries[k : k + columns]) for k in range(0, len(entries), columns)]
    lines = [f"  {name} = [", *(f"    {row}" for row in rows), "  ];"]
    if len(shape) > 2:  # MATLAB counts the first axis fastest
        sizes, axes = reversed(shape), range(len(shape), 0, -1)
        lines.append(f"  {name} = permute(reshape({name}, {[*sizes]}), {[*axes]});")
    return lines


def _number(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    text = "Inf" if math.isinf(value) else repr(abs(value))
    return text if math.copysign(1.0, value) > 0 else f"(-{text})"
