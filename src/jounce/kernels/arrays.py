"""From the arrays users give to rows in memory, with the errors of the public API."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from jounce.errors import NotFiniteError, ShapeError
from jounce.kernels.table import Signature
from jounce.model.checks import as_floats, check_finite, joint_quaternion_norms
from jounce.model.robot import Robot


class Rows(NamedTuple):
    """Rows of several arguments in memory: row r of k starts at ``address[k] + 8 stride[k] r``."""

    address: Sequence[int]
    stride: Sequence[int]
    keep: Any  # owns the memory

    def array(self, k: int, width: int, rows: int) -> np.ndarray:
        """Return the rows of one argument as an array on their memory; one row if repeated."""
        address, stride = self.address[k], self.stride[k]
        count = 1 if width and not stride else rows
        span = stride * (count - 1)
        before = max(-span, 0)  # numbers: rows may go down
        kind = ctypes.c_double * (abs(span) + width)
        memory: Any = kind.from_address(address - 8 * before)
        return np.ndarray((count, width), np.float64, memory, 8 * before, (8 * stride, 8))


class Blocks(NamedTuple):
    """Blocks of rows in contiguous arrays, each with the numbers of a row side by side."""

    place: Sequence[tuple[int, int]]  # number of the array, and bytes before the block for each row
    stride: Sequence[int]

    def rows(self, starts: Sequence[int], rows: int, keep: Any) -> Rows:
        """Return the rows of arrays that start at these addresses."""
        return Rows([starts[k] + rows * before for k, before in self.place], self.stride, keep)


def blocks(forms: Iterable[tuple[int, int]]) -> Blocks:
    """Return the blocks of arrays that have so many blocks, with so many numbers in a row."""
    forms = list(forms)
    place = [(k, 8 * width * b) for k, (count, width) in enumerate(forms) for b in range(count)]
    return Blocks(place, [width for count, width in forms for _ in range(count)])


def checked_arrays(
    signature: Signature, given: Sequence[Any]
) -> tuple[list[np.ndarray], tuple[int, ...]]:
    """Return the arguments as float64 arrays and the batch shape they broadcast to."""
    check_count(signature, given)
    arrays = [as_floats(a.name, x) for a, x in zip(signature.arguments, given, strict=True)]
    _, batch = batch_axes(signature, [x.shape for x in arrays])
    return arrays, batch


def check_count(signature: Signature, given: Sequence[Any]) -> None:
    """Raise unless there are as many arrays as arguments."""
    if len(given) != len(signature.arguments):
        names = ", ".join(a.name for a in signature.arguments)
        raise ShapeError(f"expected {len(signature.arguments)} arrays ({names}), got {len(given)}.")


def batch_axes(
    signature: Signature, shapes: Sequence[tuple[int, ...]]
) -> tuple[list[tuple[int, ...]], tuple[int, ...]]:
    """Return the batch axes of every argument and those they broadcast to; refuse other shapes."""
    leads = []
    for (name, width, orders), shape in zip(signature.arguments, shapes, strict=True):
        bad_lead = orders and (len(shape) < 2 or shape[0] != orders)
        if not shape or shape[-1] != width or bad_lead:
            lead = f"{orders}, *batch" if orders else "*batch"
            raise ShapeError(f"{name} must have shape ({lead}, {width}), got {shape}.")
        leads.append(shape[1:-1] if orders else shape[:-1])
    if leads.count(leads[0]) == len(leads):
        return leads, leads[0]
    try:
        return leads, np.broadcast_shapes(*leads)
    except ValueError:
        pairs = zip(signature.arguments, shapes, strict=True)
        told = ", ".join(f"{a.name}: {shape}" for a, shape in pairs)
        raise ShapeError(f"the batch axes of the arguments do not broadcast: {told}.") from None


def check_values(robot: Robot, signature: Signature, arrays: Sequence[np.ndarray]) -> bool:
    """Raise unless everything is finite and all quaternions have unit norm.

    The answer tells whether all numbers are small enough for a finite result.
    """
    small = True
    for argument, array in zip(signature.arguments, arrays, strict=True):
        if array.flags.c_contiguous and np.vdot(array, array) < small_square(signature):
            continue  # one pass without a temporary or a warning
        with np.errstate(over="ignore"):
            check_finite(argument.name, array)
        small = small and bool((np.abs(array) < small_square(signature) ** 0.5).all())
    for joint in robot.joints if robot.quaternions else ():
        if joint.quaternion is not None:
            joint_quaternion_norms("q", arrays[0][..., joint.quaternion], joint.name)
    return small


def small_square(signature: Signature) -> float:
    """Return the square of numbers so small that no result overflows.

    Forces of order k have products of up to k + 2 arguments, ``rows + 1``; two are in reserve for
    what the robot multiplies them with.
    """
    return 10.0 ** (600.0 / (signature.rows + 3))


def check_result(result: np.ndarray) -> None:
    """Raise if arguments that are finite have led to a result that is not."""
    if not np.isfinite(result).all():
        index = [int(i) for i in np.argwhere(~np.isfinite(result))[0]]
        raise NotFiniteError(
            f"the result leaves the range of floating-point numbers at {index}: the arguments, or "
            "numbers of the robot, are too large; check their units."
        )


def input_rows(signature: Signature, arrays: Sequence[np.ndarray], batch: tuple[int, ...]) -> Rows:
    """Return the rows of every argument, one entry an order for those that have orders."""
    pairs = zip(signature.arguments, arrays, strict=True)
    found = [_rows(x, batch) for a, array in pairs for x in (array if a.orders else (array,))]
    return Rows([x.ctypes.data for x, _ in found], [stride for _, stride in found], found)


def _rows(array: np.ndarray, batch: tuple[int, ...]) -> tuple[np.ndarray, int]:
    """Return the array where its rows allow it, else a copy, and the numbers between rows."""
    width, size = array.shape[-1], prod(batch)
    lead = array.shape[:-1]
    usable = array.flags.aligned and (width <= 1 or array.strides[-1] == 8)
    if usable and prod(lead) == 1:
        return array, 0
    if usable and prod(lead) == size:
        if array.flags.c_contiguous:
            return array, width
        if array.ndim == 2 and array.strides[0] % 8 == 0:
            return array, array.strides[0] // 8
    return np.ascontiguousarray(np.broadcast_to(array, (*batch, width))), width


def result_array(signature: Signature, batch: tuple[int, ...], out: Any) -> np.ndarray:
    """Return a new array for the result, or ``out`` once it is fit to hold it."""
    shape = (signature.rows, *batch, *signature.tail)
    if out is None:
        return np.empty(shape)
    if not isinstance(out, np.ndarray) or out.dtype != np.float64 or out.shape != shape:
        found = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        raise ShapeError(f"out must be a float64 array of shape {shape}, got {found}.")
    if not out.flags.carray:
        raise ShapeError("out must be C-contiguous, aligned and writeable.")
    return out


def result_rows(result: np.ndarray, rows: int) -> Rows:
    """Return the rows of a result, one entry an order."""
    form = len(result), result[0].size // rows
    return blocks([form]).rows([result.ctypes.data], rows, result)


def apart(arrays: Sequence[np.ndarray], out: np.ndarray) -> list[np.ndarray]:
    """Copy the arguments that share memory with ``out``: rows are written while others are read."""
    return [x.copy() if np.may_share_memory(x, out) else x for x in arrays]
