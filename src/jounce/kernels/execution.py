"""Run machine code on rows of memory, on one thread or several.

Threads take parts of the rows in turn until none is left, so that one that starts late or stands
still for a while leaves more to the others; the calling thread is one of them. The others are kept:
to start one takes as long as a thousand samples.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from math import prod
from typing import Any

import numpy as np

from jounce.codegen.interpreter import interpret
from jounce.codegen.llvm.sweep import PAST_CACHE
from jounce.codegen.machine_code import MachineCode, load_module
from jounce.codegen.program import Program
from jounce.kernels.arrays import Rows
from jounce.model.checks import checked_integer

BLOCK_ROWS = 1 << 15  # rows a native call: Ctrl-C is answered in between
INTERPRETED_ROWS = 1 << 12  # rows interpreted at once: bounds the memory of intermediate values
MAX_THREADS = 256
THREAD_OPERATIONS = 5_000_000  # work below which a second thread does not pay
PARTS = 8  # parts of the rows for each thread
PART_ROWS = 32  # a part is a multiple of it: what the code computes at once, in whole vectors

# Takes parts of ``%part`` rows until all up to ``%end`` are taken, ``%most`` of them; tells whether
# there may be more.  The next row to take is common to all threads.
_SHARE = """
define i64 @share(ptr %next, i64 %part, i64 %end, i64 %most, ptr %entry, ptr %in, ptr %in.strides, \
ptr %out, ptr %out.strides, ptr %scratch) nounwind {
start:
  br label %take
take:
  %k = phi i64 [ 0, %start ], [ %k.next, %run ]
  %k.next = add i64 %k, 1
  %enough = icmp sge i64 %k, %most
  br i1 %enough, label %more, label %try
try:
  %begin = atomicrmw add ptr %next, i64 %part monotonic
  %left = icmp slt i64 %begin, %end
  br i1 %left, label %run, label %none
run:
  %after = add i64 %begin, %part
  %short = icmp slt i64 %after, %end
  %last = select i1 %short, i64 %after, i64 %end
  call void %entry(i64 %begin, i64 %last, ptr %in, ptr %in.strides, ptr %out, ptr %out.strides, \
ptr %scratch)
  br label %take
more:
  ret i64 1
none:
  ret i64 0
}
"""
_SIGNATURE = ctypes.CFUNCTYPE(
    ctypes.c_int64, ctypes.c_void_p, *[ctypes.c_int64] * 3, *[ctypes.c_void_p] * 6
)  # the GIL is released during the call


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
        else:
            part = part_rows(rows, count, 8 * width)
            self._share(count, rows, part, arguments, (inputs, result))

    def _span(self, begin: int, end: int, arguments: tuple[Any, ...]) -> None:
        scratch = self._scratch()
        for row in range(begin, end, BLOCK_ROWS):
            self.native.function(row, min(row + BLOCK_ROWS, end), *arguments, scratch)

    def _share(
        self, count: int, rows: int, part: int, arguments: tuple[Any, ...], memory: Any
    ) -> None:
        """Let several threads take parts, this one among them.

        If this thread is interrupted the others stop at their next part; until then they hold
        the memory that they write to.
        """
        function, following = _native_share()[1], ctypes.c_int64(0)
        most = max(1, BLOCK_ROWS // part)
        common = ctypes.byref(following), part, rows, most, self.native.address, *arguments

        def work(_held: Any = memory) -> None:
            scratch = self._scratch()
            while function(*common, scratch):
                pass

        others = []
        try:
            for _ in range(count - 1):
                others.append(_pool().submit(work))
            work()
        finally:
            following.value = rows
            for other in others:
                if not other.cancel():
                    other.result()

    def _scratch(self) -> Any:
        if not hasattr(self._local, "scratch"):
            self._local.scratch = ctypes.create_string_buffer(self.native.scratch_bytes)
        return self._local.scratch

    def _threads(self, asked: int | None, rows: int) -> int:
        if asked is None:
            worth = rows * self.operations // THREAD_OPERATIONS
            return 1 if worth < 2 else min(_cores(), worth)
        return min(int(asked), -(-rows // PART_ROWS), MAX_THREADS)


def part_rows(rows: int, threads: int, row_bytes: int) -> int:
    """Return how many rows a thread takes at once: few, so that all end at the same time.

    What is written past the cache is written so in parts that are themselves too large for it.
    """
    share = -(-rows // threads)
    part = -(-rows // (threads * PARTS))
    if part * row_bytes <= PAST_CACHE < share * row_bytes:
        part = share
    return -(-part // PART_ROWS) * PART_ROWS


@cache
def _native_share() -> tuple[Any, Any]:
    """Return the engine that holds the code which takes parts, and the code."""
    engine, address = load_module(_SHARE, "share")
    return engine, _SIGNATURE(address)


@cache
def _pool() -> ThreadPoolExecutor:
    """Return the threads that are kept; they start when they are first needed."""
    return ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="jounce")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # the threads stay with the parent


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
