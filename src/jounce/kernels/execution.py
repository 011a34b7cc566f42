"""Run machine code on rows of memory, on one thread or several."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from jounce.codegen.interpreter import interpret
from jounce.codegen.machine_code import MachineCode
from jounce.codegen.parallel import available_cores
from jounce.codegen.program import Program
from jounce.kernels.arrays import Rows
from jounce.kernels.team import (
    FAR,
    HEADER,
    HELPERS,
    INPUTS,
    LINE,
    MAX_THREADS,
    NEAR,
    PART_ROWS,
    WIDTHS,
    Team,
    team,
)
from jounce.lazy import cached_property
from jounce.memory import new_scratch

BLOCK_ROWS = 1 << 15  # rows a native call: Ctrl-C is answered in between
INTERPRETED_ROWS = 1 << 12  # rows interpreted at once: bounds the memory of intermediate values
THREAD_OPERATIONS = 2_000_000  # work for each thread, 60 µs: to wake one takes half as long
NEAR_OPERATIONS = 18_000  # work in 0.5 µs: so long a job is on its way to another core and back
LEAST_OPERATIONS = 100_000  # work that is worth to be given to another core
FAR_OPERATIONS = 500_000  # work up to which it stays with its owner: others would fetch its memory
MOVED = 8  # operations in the time that it takes to read or write a number
KEPT_HEADERS = 64  # of jobs: a batch is often as large as the one before
FINEST = 1 << 12  # parts of a batch at most

_held: dict[int, Any] = {}  # code and memory that helpers may be at work on


class Runner:
    """The machine code of a kernel and a scratch block for every thread that runs it."""

    def __init__(self, native: MachineCode, operations: int) -> None:
        program = native.program
        self.native = native
        self.operations = operations
        numbers = sum(program.input_widths) + sum(program.output_widths)
        self._work = operations + MOVED * numbers
        unit = PART_ROWS * max(1, self._work)
        self.near, self.far = round(NEAR_OPERATIONS / unit), FAR_OPERATIONS // unit
        self.least = max(1, LEAST_OPERATIONS // unit)
        self._places = 2 * (len(program.input_widths) + len(program.outputs))
        self._header = lru_cache(KEPT_HEADERS)(self._new_header)
        self._local = threading.local()

    def run(self, inputs: Rows, outputs: Rows, rows: int, threads: int | None) -> None:
        """Compute all rows; ``threads=None`` takes as many as the work is worth."""
        places = [*inputs.address, *inputs.stride, *outputs.address, *outputs.stride]
        self.run_at(places, len(inputs.address), rows, threads, (inputs, outputs))

    def run_at(
        self, places: list[int], inputs: int, rows: int, threads: int | None, memory: Any
    ) -> None:
        """Compute rows at places: addresses and strides of so many inputs, then of the outputs."""
        job = self.job(rows, threads)
        place = len(job) - self._places
        job[place:] = places
        first = ctypes.addressof(job) + 8 * place
        ins, outs = 8 * inputs, 4 * self._places - 8 * inputs
        between = first + 2 * ins
        job[INPUTS : WIDTHS + 1] = first, first + ins, between, between + outs
        self.do(job, rows, memory)

    def job(self, rows: int, threads: int | None) -> Any:
        """Return a job for rows whose places are still to be filled in; see `jounce.kernels.team`.

        ``threads=None`` takes as many as the work is worth.
        """
        if threads is None:
            threads = self._worth(rows)
        copy, words = self._header(rows, threads)
        return copy(words)

    def _new_header(self, rows: int, asked: int) -> tuple[Callable[[bytes], Any], bytes]:
        """Return what makes a job of words, and the words: nothing is known but its size."""
        count = max(1, min(int(asked), -(-rows // PART_ROWS), MAX_THREADS))
        most = max(1, BLOCK_ROWS // PART_ROWS)
        least = most if count == 1 else max(part_size(rows), self.least)
        kind = ctypes.c_int64 * (HEADER + LINE * count + self._places)
        words = kind(rows, least, most, count, self.native.address)
        words[NEAR : HELPERS + 1] = self.near, self.far, count - 1
        return kind.from_buffer_copy, bytes(words)

    def do(self, job: Any, rows: int, memory: Any) -> None:
        """Do a job on rows of ``memory``."""
        scratch, helpers, crew = self._scratch(), job[HELPERS], team()
        if helpers:
            crew.prepare(helpers, self.native.scratch_bytes)
        if rows <= BLOCK_ROWS:
            crew.together(job, scratch)
        else:
            self._do_in_blocks(crew, job, scratch, memory)

    def _do_in_blocks(self, crew: Team, job: Any, scratch: Any, memory: Any) -> None:
        """Come back to Python now and then.

        If this thread is interrupted the others stop at their next part.  That may be on the way
        into `finish`, or out of it, which is then done once more; should that be interrupted too,
        nobody knows when they stop, and the memory is kept.  What is left when `share` has nothing
        more to do would be lost, so nothing is left to its owner.
        """
        job[FAR] = 0
        key = id(job)  # beforehand: signals are answered at calls
        _held[key] = job, memory, self.native, crew
        try:
            crew.give(job)
            while crew.share(job, 1, scratch):
                pass
        finally:
            try:
                crew.finish(job)
            except BaseException:
                crew.finish(job)
                del _held[key]
                raise
            del _held[key]

    @cached_property
    def reserve(self) -> tuple[Any, Any]:
        """A word that says who computes, and scratch memory; for who has no thread of Python's."""
        return ctypes.c_int64(0), new_scratch(self.native.scratch_bytes)

    def _scratch(self) -> Any:
        try:
            return self._local.scratch
        except AttributeError:
            self._local.scratch = new_scratch(self.native.scratch_bytes)
            return self._local.scratch

    def _worth(self, rows: int) -> int:
        """Return how many threads the work on so many rows is worth."""
        worth = rows * self._work // THREAD_OPERATIONS
        return 1 if worth < 2 else min(available_cores(), worth)


def part_size(rows: int) -> int:
    """Return how many times `PART_ROWS` rows a thread takes at least."""
    return -(-(rows // FINEST + 1) // PART_ROWS)


def run_interpreted(program: Program, inputs: Rows, outputs: Rows, rows: int) -> None:
    """Compute all rows without machine code."""
    given = [inputs.array(k, width, rows) for k, width in enumerate(program.input_widths)]
    blocks = [outputs.array(k, width, rows) for k, width in enumerate(program.output_widths)]
    for begin in range(0, rows, INTERPRETED_ROWS):
        span = slice(begin, begin + INTERPRETED_ROWS)
        parts = [x if len(x) == 1 else x[span] for x in given]
        for block, values in zip(blocks, interpret(program, parts), strict=True):
            block[span] = values
