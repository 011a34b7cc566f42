"""The NumPy interpreter: one array per value; the check of all compiled code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jounce.codegen.opcodes import COS, OPERATORS, SIN, SQRT
from jounce.codegen.program import Program
from jounce.errors import ShapeError

_FUNCTIONS = {**OPERATORS, SQRT: np.sqrt, SIN: np.sin, COS: np.cos}


def interpret(
    program: Program, inputs: Sequence[Any], *, dtype: type[np.floating] = np.float64
) -> list[NDArray[Any]]:
    """Return the output blocks (*batch, width) for one array (*batch, width) per argument.

    Batch shapes broadcast. A value is freed after its last use, so memory stays at the number
    of values alive at once. ``dtype`` is the precision of everything.
    """
    arrays = [np.asarray(x, dtype=dtype) for x in inputs]
    _check(program, arrays)
    batch = np.broadcast_shapes((), *(x.shape[:-1] for x in arrays))
    values: dict[int, Any] = {}
    for x in arrays:
        for column in range(x.shape[-1]):
            values[len(values)] = x[..., column]
    values.update(enumerate(map(dtype, program.constants), start=len(values)))
    with np.errstate(all="ignore"):
        carry_out(program, values, _FUNCTIONS)
    return [_block(row, values, batch, dtype) for row in program.outputs]


def carry_out(
    program: Program,
    values: dict[int, Any],
    functions: Mapping[int, Callable[..., Any]],
    *,
    keep: bool = False,
) -> None:
    """Carry out the operations on numbers of any kind, given a function for each operation.

    ``values`` holds inputs and constants and is completed; what is not used again is dropped
    unless it is to be kept.
    """
    last = {} if keep else _last_uses(program)
    for value, kind, operands in program.steps():
        values[value] = functions[kind](*(values[x] for x in operands))
        for x in operands:
            if last.get(x) == value:
                values.pop(x, None)


def _last_uses(program: Program) -> dict[int, int]:
    """Map each value to the last operation that reads it; outputs are never dropped."""
    last = {x: value for value, _, operands in program.steps() for x in operands}
    return last | {x: -1 for row in program.outputs for x in row}


def _block(
    row: Sequence[int], values: dict[int, Any], batch: tuple[int, ...], dtype: type[np.floating]
) -> NDArray[Any]:
    """Gather the values of one output into (*batch, width)."""
    block = np.empty((*batch, len(row)), dtype)
    for column, value in enumerate(row):
        block[..., column] = values[value]
    return block


def _check(program: Program, arrays: list[NDArray[Any]]) -> None:
    """Refuse a wrong number of arguments or a wrong width."""
    widths = tuple(x.shape[-1] if x.ndim else -1 for x in arrays)
    if widths != program.input_widths:
        raise ShapeError(
            f"arguments have widths {widths}, expected {program.input_widths} "
            "(the last axis of each array holds the values of one sample)"
        )
