"""Kernels on arguments whose columns lie in one piece, as tables of columns have them.

To make rows of such arguments, and columns of the result, takes as long as the forces of an arm
themselves.  The same program with an argument and a result a column reads and writes them as they
are; operations and their order do not change, nor do results, to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from jounce.codegen.machine_code import compile_program
from jounce.kernels.arrays import Rows
from jounce.kernels.execution import Runner
from jounce.kernels.kernel import Kernel
from jounce.memory import new_columns

KEPT = 16


class ColumnKernel:
    """A kernel that is called with rows or columns in one piece, ``(samples, width)``.

    Of the latter it returns orders that are columns in one piece too; their code is compiled when
    they first come.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._runner: Runner | None = None

    def __call__(self, *arrays: np.ndarray) -> np.ndarray:
        """Return what the kernel does."""
        kernel, samples = self._kernel, len(arrays[0])
        widths = [a.width for a in kernel.signature.arguments if not a.orders]
        is_plain = samples and _are_columns(arrays, [(samples, width) for width in widths])
        if not is_plain or kernel.runner is None:  # or there is no machine code
            return kernel(*arrays)
        if self._runner is None:
            self._runner = self._compiled()
        rows, (width,) = kernel.signature.rows, kernel.signature.tail
        result = new_columns(rows * width, samples).reshape(rows, width, samples).swapaxes(1, 2)
        self._runner.run(_columns(arrays), _columns(result), samples, 1)
        return result

    def _compiled(self) -> Runner:
        program = self._kernel.program
        single = tuple((x,) for row in program.outputs for x in row)
        columns = replace(program, input_widths=(1,) * program.input_count, outputs=single)
        return Runner(compile_program(columns), program.operations)


@lru_cache(KEPT)
def column_kernel(kernel: Kernel) -> ColumnKernel:
    """Return the kernel for columns, made once."""
    return ColumnKernel(kernel)


def _are_columns(arrays: Sequence[Any], shapes: Sequence[tuple[int, int]]) -> bool:
    """Whether arrays have these shapes, and numbers of a column side by side."""
    return len(arrays) == len(shapes) and all(
        x.shape == shape and x.dtype == np.float64 and x.flags.aligned and x.strides[0] == 8
        for x, shape in zip(arrays, shapes, strict=True)
    )


def _columns(arrays: Sequence[np.ndarray] | np.ndarray) -> Rows:
    """Return the columns of arrays as rows of one number."""
    places = [x.ctypes.data + k * x.strides[1] for x in arrays for k in range(x.shape[1])]
    return Rows(places, [1] * len(places), arrays)
