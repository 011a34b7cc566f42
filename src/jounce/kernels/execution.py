"""Run machine code on rows of memory, on one thread or several."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from math import prod
from typing import Any

import numpy as np

from jounce.codegen.interpreter import interpret
from jounce.codegen.machine_code import MachineCode
from jounce.codegen.program import Program
from jounce.kernels.arrays import Rows
from jounce.model.checks import checked_integer

BLOCK_ROWS = 1 << 15  # rows a native call: Ctrl-C is answered in between
INTERPRETED_ROWS = 1 << 12  # rows interpreted at once: bounds the memory of intermediate values
MAX_THREADS = 256
THREAD_OPERATIONS = 20_000_000  # work below which a second thread does not pay


class Runner:
    """The machine code of a kernel and a scratch block for every thread that runs it."""

    def __init__(self, native: MachineCode, operations: int) -> None:
        self.native = native
        self.operations = operations
        self._local = threading.local()

    def run(
        self, inputs: Sequence[Rows], result: np.ndarray, rows: int, threads: int | None
    ) -> None:
        """Compute all rows; ``threads=None`` takes as many as the work is worth."""
        addresses = (ctypes.c_void_p * len(inputs))(*(r.address for r in inputs))
        strides = (ctypes.c_int64 * len(inputs))(*(r.stride for r in inputs))
        width = result[0].size // rows
        start, size = result.ctypes.data, result[0].size * 8
        blocks = (ctypes.c_void_p * len(result))(*(start + k * size for k in range(len(result))))
        widths = (ctypes.c_int64 * len(result))(*[width] * len(result))
        arguments = addresses, strides, blocks, widths
        count = self._threads(threads, rows)
        if count == 1:
            self._span(0, rows, arguments)
            return
        share = -(-rows // count)
        spans = [(k, min(k + share, rows)) for k in range(0, rows, share)]
        with ThreadPoolExecutor(len(spans)) as pool:
            for future in [pool.submit(self._span, a, b, arguments) for a, b in spans]:
                future.result()

    def _span(self, begin: int, end: int, arguments: tuple[Any, ...]) -> None:
        scratch = self._scratch()
        for row in range(begin, end, BLOCK_ROWS):
            self.native.function(row, min(row + BLOCK_ROWS, end), *arguments, scratch)

    def _scratch(self) -> Any:
        if not hasattr(self._local, "scratch"):
            self._local.scratch = ctypes.create_string_buffer(self.native.scratch_bytes)
        return self._local.scratch

    def _threads(self, asked: int | None, rows: int) -> int:
        if asked is None:
            worth = rows * self.operations // THREAD_OPERATIONS
            return 1 if worth < 2 else min(_cores(), worth)
        return min(int(asked), rows, MAX_THREADS)


def run_interpreted(
    program: Program, inputs: Sequence[Rows], result: np.ndarray, rows: int
) -> None:
    """Compute all rows without machine code."""
    arrays = [x.keep.reshape(prod(x.keep.shape[:-1]), x.keep.shape[-1]) for x in inputs]
    blocks = result.reshape(len(result), rows, result[0].size // rows)
    for begin in range(0, rows, INTERPRETED_ROWS):
        span = slice(begin, begin + INTERPRETED_ROWS)
        parts = [x if len(x) == 1 else x[span] for x in arrays]
        for block, values in zip(blocks, interpret(program, parts), strict=True):
            block[span] = values


def check_threads(asked: Any) -> None:
    """Refuse a number of threads that is none."""
    if asked is not None:
        checked_integer("threads", asked, 1)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
