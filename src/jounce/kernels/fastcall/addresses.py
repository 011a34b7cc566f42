"""Batches at addresses: machine code that runs a kernel on memory of others, without Python.

``run(batch, arrays)`` takes the words of a `Place` and the addresses of contiguous arrays, the
arguments one after the other and then the results.  It answers 0, and nothing has happened, while
there are no helpers or too few of them, and while another thread computes with the same memory;
its caller then goes through Python, which sees to the first and has memory for every thread.

The text is part of modules that know whose arrays they are: `jounce.adapters.xla`,
`jounce.adapters.dlpack`.
"""

from __future__ import annotations

import ctypes
from typing import Any

from jounce.codegen.llvm.types import load_word
from jounce.kernels.arrays import Blocks
from jounce.kernels.execution import BLOCK_ROWS, Runner
from jounce.kernels.team import (
    BOXES,
    DONE,
    HELPERS,
    INPUTS,
    ROOM,
    SIZE,
    SPINS,
    STARTED,
    TOGETHER,
    WIDTHS,
    words_of_team,
)
from jounce.memory import new_scratch

# Words of a batch: how many arguments and results it has, how many numbers the first argument has,
# and what `run` reads, `memory_words` among it.  What is `taken` holds the team of who computes: a
# fork leaves it behind.
_FIELDS = (
    "arguments", "results", "numbers", "team", "taken", "scratch", "scratch_bytes", "job",
    "helpers", "blocks", "places",
)  # fmt: skip
ARGUMENTS, RESULTS, NUMBERS = range(3)
_MOVE = 3  # words of a place: its word in the job, number of the array, bytes before the block
_Word = ctypes.c_int64


def _load(name: str, kind: str = "i64") -> str:
    return load_word(name, _FIELDS.index(name), "batch", kind)


TAKE = f"""
; takes the scratch memory of a kernel, if there are so many helpers; returns the words of the team
define private ptr @take(ptr %memory, i64 %helpers) nounwind {{
start:
{load_word("team", 0, "memory", "ptr")}{load_word("taken", 1, "memory", "ptr")}\
{load_word("scratch_bytes", 3, "memory")}\
  %words.now = load atomic i64, ptr %team acquire, align 8
  %words = inttoptr i64 %words.now to ptr
  %any.team = icmp ne i64 %words.now, 0
  br i1 %any.team, label %look, label %no
look:
{load_word("started", STARTED, "words")}{load_word("room", ROOM, "words")}\
  %alone = icmp eq i64 %helpers, 0
  %many = icmp sge i64 %started, %helpers
  %large = icmp sge i64 %room, %scratch_bytes
  %ready = and i1 %many, %large
  %go = or i1 %alone, %ready
  br i1 %go, label %try, label %no
try:
  %holder = load atomic i64, ptr %taken monotonic, align 8
  %pair = cmpxchg ptr %taken, i64 %holder, i64 %words.now acquire monotonic
  %was.same = extractvalue {{ i64, i1 }} %pair, 1
  %free = icmp ne i64 %holder, %words.now
  %ours = and i1 %was.same, %free
  br i1 %ours, label %yes, label %no
yes:
  ret ptr %words
no:
  ret ptr null
}}

; does a job with it, and gives it back
define private void @do(ptr %memory, ptr %words, ptr %job) nounwind {{
{load_word("taken", 1, "memory", "ptr")}{load_word("scratch", 2, "memory", "ptr")}\
  %done.p = getelementptr i64, ptr %job, i64 {DONE}
  store i64 0, ptr %done.p
{load_word("together", TOGETHER, "words", "ptr")}{load_word("boxes", BOXES, "words", "ptr")}\
{load_word("size", SIZE, "words")}{load_word("spins", SPINS, "words")}\
  call void %together(ptr %job, ptr %scratch, ptr %boxes, i64 %size, i64 %spins)
  store atomic i64 0, ptr %taken release, align 8
  ret void
}}
"""
RUN = f"""
{TAKE}
define private i64 @run(ptr %batch, ptr %arrays) nounwind {{
start:
{_load("helpers")}{_load("job", "ptr")}{_load("blocks")}{_load("places", "ptr")}\
  %memory = getelementptr i64, ptr %batch, i64 {_FIELDS.index("team")}
  %words = call ptr @take(ptr %memory, i64 %helpers)
  %taken = icmp ne ptr %words, null
  br i1 %taken, label %fill, label %no
fill:
  %b = phi i64 [ 0, %start ], [ %b.next, %fill ]
  %first = mul i64 %b, {_MOVE}
  %move = getelementptr i64, ptr %places, i64 %first
{load_word("place", 0, "move")}{load_word("array", 1, "move")}{load_word("before", 2, "move")}\
{load_word("begin", "%array", "arrays")}\
  %row = add i64 %begin, %before
  %slot = getelementptr i64, ptr %job, i64 %place
  store i64 %row, ptr %slot
  %b.next = add i64 %b, 1
  %more = icmp ult i64 %b.next, %blocks
  br i1 %more, label %fill, label %go
go:
  call void @do(ptr %memory, ptr %words, ptr %job)
  ret i64 1
no:
  ret i64 0
}}
"""


def memory_words(runner: Runner) -> tuple[int, ...]:
    """Return the words that `@take` and `@do` read; the runner keeps what they point to."""
    taken, scratch = map(ctypes.addressof, runner.reserve)
    return ctypes.addressof(words_of_team), taken, scratch, runner.native.scratch_bytes


class Place:
    """The words of one batch of a kernel, for machine code; keeps all that they point to."""

    def __init__(self, runner: Runner, rows: int, ins: Blocks, outs: Blocks) -> None:
        job, places = _beside_nothing(runner.job(rows, None)), len(ins.place) + len(outs.place)
        first = len(job) - 2 * places
        strides = first + len(ins.place)
        outputs = strides + len(ins.place)
        widths = outputs + len(outs.place)
        job[strides:outputs], job[widths:] = ins.stride, outs.stride
        at = ctypes.addressof(job)
        job[INPUTS : WIDTHS + 1] = [at + 8 * x for x in (first, strides, outputs, widths)]
        arrays, results = (1 + max(k for k, _ in x.place) for x in (ins, outs))
        moves = [
            n for b, (k, before) in enumerate(ins.place) for n in (first + b, k, rows * before)
        ]
        for b, (k, before) in enumerate(outs.place):
            moves += outputs + b, arrays + k, rows * before
        table = (_Word * len(moves))(*moves)
        numbers = rows * sum(n for (k, _), n in zip(ins.place, ins.stride, strict=True) if not k)
        self.words: Any = (_Word * len(_FIELDS))(
            arrays, results, numbers, *memory_words(runner), at, job[HELPERS], places,
            ctypes.addressof(table),
        )  # fmt: skip
        self.address = ctypes.addressof(self.words)
        self._keep = (runner, words_of_team, job, table)


def _beside_nothing(job: Any) -> Any:
    """Return a copy of a job that begins with a line of the cache."""
    kept = type(job).from_buffer(new_scratch(ctypes.sizeof(job)))
    ctypes.memmove(kept, job, ctypes.sizeof(job))
    return kept


def place(runner: Runner | None, rows: int, ins: Blocks, outs: Blocks) -> Place | None:
    """Return the words of a batch; None where Python is needed in between, or nothing computed."""
    if runner is None or not 0 < rows <= BLOCK_ROWS:
        return None
    return Place(runner, rows, ins, outs)
