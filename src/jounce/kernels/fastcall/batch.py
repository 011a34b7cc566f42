"""Batches of plain arrays: built-in functions that write down where their rows are, and run them.

``lay_out(job, result, *arrays)`` reads the headers of NumPy arrays itself and fills in the places
of rows in a job (`jounce.kernels.team`).  It answers False, and nothing has happened, where the
result is not a contiguous float64 array of its shape that may be written, or an argument not one
apart from it with the same batch, or none but in the first; the Python path sees to that.
``run_batch(*arrays, out=…, threads=…)`` does the same with a job of its own, and runs it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from math import prod
from sys import intern
from typing import Any

import numpy as np

from jounce.codegen.llvm.types import load_word
from jounce.kernels.execution import BLOCK_ROWS, Runner
from jounce.kernels.fastcall.addresses import TAKE, memory_words
from jounce.kernels.fastcall.call import (
    FASTCALL,
    KEYWORDS,
    TUPLE_ITEMS,
    WRITEABLE,
    Method,
    built_in,
    compiled_method,
    expected_of,
    python_function,
    tuples_are_known,
)
from jounce.kernels.fastcall.text import STRUCT_OFFSET, array_header
from jounce.kernels.table import Signature
from jounce.kernels.team import (
    ENTRY,
    FAR,
    GIVEN,
    HEADER,
    HELPERS,
    INPUTS,
    LEAST,
    LINE,
    MOST,
    NEAR,
    PART_ROWS,
    RANGES,
    ROWS,
    words_of_team,
)

INTEGERS = 16  # threads at most that are asked for without Python: it has one object for each
JOB = 416  # words of a job at most: on a stack what is beyond a page needs more care

_FIELDS = (  # words that the function reads
    "count", "array_type", "float64", "expected", "pointers", "blocks", "result_width",
    "tail_ndim", "tail", "true", "false", "incref",
)  # fmt: skip


def _load(name: str, kind: str = "i64") -> str:
    return load_word(name, _FIELDS.index(name), "layout", kind)


def _word(name: str, index: int, value: str, kind: str = "ptr") -> str:
    """Return IR that stores a value into a word of the job."""
    return (
        f"  %{name}.slot = getelementptr i64, ptr %job, i64 {index}\n"
        f"  store {kind} {value}, ptr %{name}.slot\n"
    )


LAID = f"""
; lays out a job for %result and %count arrays; returns the rows, 0 where Python is needed
define private i64 @laid(ptr %layout, ptr %job, ptr %result, ptr %args, i64 %nargs) nounwind {{
start:
{"".join(_load(name, "ptr" if name in ("expected", "tail") else "i64") for name in _FIELDS[:-3])}\
  %result.type.p = getelementptr i8, ptr %result, i64 8
  %result.type = load i64, ptr %result.type.p
  %result.is.array = icmp eq i64 %result.type, %array_type
  br i1 %result.is.array, label %form, label %no

form:
  %result.descr.p = getelementptr i8, ptr %result, i64 56
  %result.descr = load i64, ptr %result.descr.p
  %result.is.float = icmp eq i64 %result.descr, %float64
  %result.flags.p = getelementptr i8, ptr %result, i64 64
  %result.flags = load i32, ptr %result.flags.p
  %result.flags.known = and i32 %result.flags, {WRITEABLE}
  %result.is.plain = icmp eq i32 %result.flags.known, {WRITEABLE}
  %result.ok = and i1 %result.is.float, %result.is.plain
  %result.data.p = getelementptr i8, ptr %result, i64 16
  %result.data = load i64, ptr %result.data.p
  %result.ndim.p = getelementptr i8, ptr %result, i64 24
  %result.ndim32 = load i32, ptr %result.ndim.p
  %result.ndim = zext i32 %result.ndim32 to i64
  %result.dims.p = getelementptr i8, ptr %result, i64 32
  %result.dims = load ptr, ptr %result.dims.p
  %batch = getelementptr i64, ptr %result.dims, i64 1
  %own = add i64 %tail_ndim, 1
  %batch.ndim = sub i64 %result.ndim, %own
  %ranges.p = getelementptr i64, ptr %job, i64 {RANGES}
  %ranges = load i64, ptr %ranges.p
  %lines = mul i64 %ranges, {LINE}
  %places = add i64 %lines, {HEADER}
  %inputs = getelementptr i64, ptr %job, i64 %places
  %strides = getelementptr i64, ptr %inputs, i64 %pointers
  %outputs = getelementptr i64, ptr %strides, i64 %pointers
  %widths = getelementptr i64, ptr %outputs, i64 %blocks
  %right.count = icmp eq i64 %nargs, %count
  %has.batch = icmp sge i64 %batch.ndim, 0
  %result.ok2 = and i1 %result.ok, %has.batch
  %sound = and i1 %result.ok2, %right.count
  br i1 %sound, label %outer, label %no

outer:
  %result.first = load i64, ptr %result.dims
  %right.blocks = icmp eq i64 %result.first, %blocks
  br i1 %right.blocks, label %tail.axis, label %no
tail.axis:
  %e = phi i64 [ 0, %outer ], [ %e.next, %tail.compare ]
  %e.more = icmp slt i64 %e, %tail_ndim
  br i1 %e.more, label %tail.compare, label %size
tail.compare:
  %e.place = add i64 %batch.ndim, %e
  %e.size.p = getelementptr i64, ptr %batch, i64 %e.place
  %e.size = load i64, ptr %e.size.p
  %e.wanted.p = getelementptr i64, ptr %tail, i64 %e
  %e.wanted = load i64, ptr %e.wanted.p
  %e.equal = icmp eq i64 %e.size, %e.wanted
  %e.next = add i64 %e, 1
  br i1 %e.equal, label %tail.axis, label %no

size:
  %d = phi i64 [ 0, %tail.axis ], [ %d.next, %grow ]
  %rows = phi i64 [ 1, %tail.axis ], [ %rows.next, %grow ]
  %d.more = icmp slt i64 %d, %batch.ndim
  br i1 %d.more, label %grow, label %sized
grow:
  %d.p = getelementptr i64, ptr %batch, i64 %d
  %d.size = load i64, ptr %d.p
  %rows.next = mul i64 %rows, %d.size
  %d.next = add i64 %d, 1
  br label %size
sized:
  %block.numbers = mul i64 %rows, %result_width
  %block.bytes = shl i64 %block.numbers, 3
  %result.bytes = mul i64 %block.bytes, %blocks
  %result.end = add i64 %result.data, %result.bytes
  br label %arguments

arguments:
  %k = phi i64 [ 0, %sized ], [ %k.next, %stored ]
  %n = phi i64 [ 0, %sized ], [ %n.after, %stored ]
  %more = icmp ult i64 %k, %count
  br i1 %more, label %check, label %output

check:
{array_header("%k", "no")}\
  %lead = zext i1 %has.orders to i64
  %axes = zext i32 %ndim to i64
  %last = sub i64 %axes, 1
  %own.batch = sub i64 %last, %lead
  %whole = icmp eq i64 %own.batch, %batch.ndim
  %single = icmp eq i64 %own.batch, 0
  %later = icmp ne i64 %k, 0
  %for.all = and i1 %single, %later
  %fits = or i1 %whole, %for.all
  %ok2 = and i1 %ok1, %fits
  br i1 %ok2, label %shape, label %no

shape:
  %dims.p = getelementptr i8, ptr %object, i64 32
  %dims = load ptr, ptr %dims.p
  %first = load i64, ptr %dims
  %last.p = getelementptr i64, ptr %dims, i64 %last
  %last.size = load i64, ptr %last.p
  %right.first = icmp eq i64 %first, %orders
  %no.orders = xor i1 %has.orders, true
  %ok3 = or i1 %right.first, %no.orders
  %right.last = icmp eq i64 %last.size, %width
  %ok4 = and i1 %ok3, %right.last
  br i1 %ok4, label %axis, label %no

axis:
  %i = phi i64 [ 0, %shape ], [ %i.next, %compare ]
  %i.more = icmp slt i64 %i, %own.batch
  br i1 %i.more, label %compare, label %take
compare:
  %wanted.p = getelementptr i64, ptr %batch, i64 %i
  %wanted = load i64, ptr %wanted.p
  %place = add i64 %i, %lead
  %size.p = getelementptr i64, ptr %dims, i64 %place
  %size.i = load i64, ptr %size.p
  %equal = icmp eq i64 %wanted, %size.i
  %i.next = add i64 %i, 1
  br i1 %equal, label %axis, label %no

take:
  %data.p = getelementptr i8, ptr %object, i64 16
  %data = load i64, ptr %data.p
  %own.rows = select i1 %single, i64 1, i64 %rows
  %stride = select i1 %single, i64 0, i64 %width
  %own.numbers = mul i64 %own.rows, %width
  %own.bytes = shl i64 %own.numbers, 3
  %some = select i1 %has.orders, i64 %orders, i64 1
  %n.after = add i64 %n, %some
  %all.bytes = mul i64 %own.bytes, %some
  %data.end = add i64 %data, %all.bytes
  %before = icmp ule i64 %data.end, %result.data
  %behind = icmp ule i64 %result.end, %data
  %apart = or i1 %before, %behind
  br i1 %apart, label %store, label %no

store:
  %m = phi i64 [ %n, %take ], [ %m.next, %store ]
  %row = phi i64 [ %data, %take ], [ %row.next, %store ]
  %in.p = getelementptr i64, ptr %inputs, i64 %m
  store i64 %row, ptr %in.p
  %stride.p = getelementptr i64, ptr %strides, i64 %m
  store i64 %stride, ptr %stride.p
  %row.next = add i64 %row, %own.bytes
  %m.next = add i64 %m, 1
  %again = icmp ult i64 %m.next, %n.after
  br i1 %again, label %store, label %stored
stored:
  %k.next = add i64 %k, 1
  br label %arguments

output:
{_word("in", INPUTS, "%inputs")}{_word("strides", INPUTS + 1, "%strides")}\
{_word("out", INPUTS + 2, "%outputs")}{_word("widths", INPUTS + 3, "%widths")}\
  br label %block
block:
  %b = phi i64 [ 0, %output ], [ %b.next, %block ]
  %out = phi i64 [ %result.data, %output ], [ %out.next, %block ]
  %out.p = getelementptr i64, ptr %outputs, i64 %b
  store i64 %out, ptr %out.p
  %width.slot = getelementptr i64, ptr %widths, i64 %b
  store i64 %result_width, ptr %width.slot
  %out.next = add i64 %out, %block.bytes
  %b.next = add i64 %b, 1
  %b.more = icmp ult i64 %b.next, %blocks
  br i1 %b.more, label %block, label %yes

yes:
  ret i64 %rows
no:
  ret i64 0
}}

"""
LAY_OUT = f"""
{LAID}
; the same as a built-in function of Python
define ptr @lay_out(ptr %self, ptr %args, i64 %nargs) nounwind {{
  %layout.p = getelementptr i8, ptr %self, i64 {STRUCT_OFFSET}
  %layout = load ptr, ptr %layout.p
{_load("true", "ptr")}{_load("false", "ptr")}{_load("incref", "ptr")}\
  %job.object = load ptr, ptr %args
  %job.p = getelementptr i8, ptr %job.object, i64 {STRUCT_OFFSET}
  %job = load ptr, ptr %job.p
  %result.p = getelementptr ptr, ptr %args, i64 1
  %result = load ptr, ptr %result.p
  %arrays = getelementptr ptr, ptr %args, i64 2
  %count = sub i64 %nargs, 2
  %rows = call i64 @laid(ptr %layout, ptr %job, ptr %result, ptr %arrays, i64 %count)
  %some = icmp ne i64 %rows, 0
  %verdict = select i1 %some, ptr %true, ptr %false
  call void %incref(ptr %verdict)
  ret ptr %verdict
}}
"""

# Behind the words of a layout, those of a kernel: names of keywords, small integers from 1 on,
# whom to ask otherwise, what a job says of it, and `memory_words`.
_OWN = (
    "out", "threads", "integers", "fallback", "vectorcall", "save", "restore", "entry", "least",
    "near", "far", "most", "team",
)  # fmt: skip


def _own(name: str, kind: str = "i64") -> str:
    return load_word(name, len(_FIELDS) + _OWN.index(name), "layout", kind)


RUN_BATCH = f"""
{LAID}
{TAKE}
define ptr @run_batch(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) nounwind {{
start:
  %job = alloca i64, i64 {JOB}, align {8 * LINE}
  %layout.p = getelementptr i8, ptr %self, i64 {STRUCT_OFFSET}
  %layout = load ptr, ptr %layout.p
{"".join(_own(name) for name in ("out", "threads", "entry", "least", "near", "far", "most"))}\
{"".join(_own(name, "ptr") for name in ("integers", "fallback", "vectorcall", "save", "restore"))}\
{_load("incref", "ptr")}\
  %memory = getelementptr i64, ptr %layout, i64 {len(_FIELDS) + _OWN.index("team")}
  %one = load i64, ptr %integers
  %named = icmp ne ptr %kwnames, null
  br i1 %named, label %keywords, label %python
keywords:
  %names.p = getelementptr i8, ptr %kwnames, i64 16
  %names = load i64, ptr %names.p
  %name.first = getelementptr i8, ptr %kwnames, i64 {TUPLE_ITEMS}
  br label %keyword
keyword:
  %k = phi i64 [ 0, %keywords ], [ %k.next, %name ]
  %result = phi ptr [ null, %keywords ], [ %result.next, %name ]
  %asked = phi i64 [ %one, %keywords ], [ %asked.next, %name ]
  %more = icmp ult i64 %k, %names
  br i1 %more, label %name, label %number
name:
  %name.p = getelementptr i64, ptr %name.first, i64 %k
  %name.now = load i64, ptr %name.p
  %place = add i64 %nargs, %k
  %given.p = getelementptr i64, ptr %args, i64 %place
  %given = load i64, ptr %given.p
  %given.object = inttoptr i64 %given to ptr
  %is.out = icmp eq i64 %name.now, %out
  %is.threads = icmp eq i64 %name.now, %threads
  %result.next = select i1 %is.out, ptr %given.object, ptr %result
  %asked.next = select i1 %is.threads, i64 %given, i64 %asked
  %k.next = add i64 %k, 1
  %known = or i1 %is.out, %is.threads
  br i1 %known, label %keyword, label %python
number:
  %t = phi i64 [ 0, %keyword ], [ %count, %number.next ]
  %count = add i64 %t, 1
  %integer.p = getelementptr i64, ptr %integers, i64 %t
  %integer = load i64, ptr %integer.p
  %found = icmp eq i64 %integer, %asked
  br i1 %found, label %whole, label %number.next
number.next:
  %last = icmp uge i64 %count, %most
  br i1 %last, label %python, label %number
whole:
  %any = icmp ne ptr %result, null
  br i1 %any, label %fill, label %python
fill:
  %alone = icmp eq i64 %count, 1
  %part = select i1 %alone, i64 {BLOCK_ROWS // PART_ROWS}, i64 %least
{_word("part", LEAST, "%part", "i64")}{_word("most", MOST, str(BLOCK_ROWS // PART_ROWS), "i64")}\
{_word("near", NEAR, "%near", "i64")}{_word("far", FAR, "%far", "i64")}\
{_word("ranges", RANGES, "%count", "i64")}{_word("entry", ENTRY, "%entry", "i64")}\
{_word("given", GIVEN, "0", "i64")}\
  %rows = call i64 @laid(ptr %layout, ptr %job, ptr %result, ptr %args, i64 %nargs)
  %before = sub i64 %rows, 1
  %fits = icmp ult i64 %before, {BLOCK_ROWS}
  br i1 %fits, label %take, label %python
take:
  %others = udiv i64 %before, {PART_ROWS}
  %few = icmp ult i64 %others, %t
  %helpers = select i1 %few, i64 %others, i64 %t
{_word("rows", ROWS, "%rows", "i64")}{_word("helpers", HELPERS, "%helpers", "i64")}\
  %team = call ptr @take(ptr %memory, i64 %helpers)
  %taken = icmp ne ptr %team, null
  br i1 %taken, label %run, label %python
run:
  %is.one = icmp eq i64 %rows, 1
  br i1 %is.one, label %keep, label %release
keep:  ; the lock: to have it back from another thread of Python may take milliseconds
  call void @do(ptr %memory, ptr %team, ptr %job)
  br label %filled
release:
  %state = call ptr %save()
  call void @do(ptr %memory, ptr %team, ptr %job)
  call void %restore(ptr %state)
  br label %filled
filled:
  call void %incref(ptr %result)
  ret ptr %result
python:
  %handed = call ptr %vectorcall(ptr %fallback, ptr %args, i64 %nargs, ptr %kwnames)
  ret ptr %handed
}}
"""


def run_batch(
    runner: Runner, signature: Signature, fallback: Callable[..., Any]
) -> Callable[..., Any]:
    """Return the built-in function that runs a kernel on plain arrays, into a given result.

    That is ``(*arrays, out=…)``, with ``threads=`` or without; all else goes to ``fallback``, also
    where none can be made.
    """
    program, method = runner.native.program, _run_method()
    places = 2 * (len(program.input_widths) + len(program.outputs))
    most = min(INTEGERS, (JOB - HEADER - places) // LINE)
    if method is None or most < 1:
        return fallback
    layout, keep = _layout(signature)
    integers = (ctypes.c_int64 * INTEGERS)(*map(id, range(1, INTEGERS + 1)))
    functions = ("PyObject_Vectorcall", "PyEval_SaveThread", "PyEval_RestoreThread")
    words = (
        *layout, id(intern("out")), id(intern("threads")), ctypes.addressof(integers),
        id(fallback), *map(python_function, functions), runner.native.address,
        runner.least, runner.near, runner.far, most, *memory_words(runner),
    )  # fmt: skip
    context: Any = (ctypes.c_int64 * len(words))(*words)
    context.keep = (*keep, integers, runner, runner.reserve, words_of_team, fallback)
    return built_in(method, context)


def lay_out(signature: Signature) -> Callable[..., bool] | None:
    """Return the built-in function of kernels with this signature; None where none can be made."""
    method = _method()
    if method is None:
        return None
    words, keep = _layout(signature)
    layout: Any = (ctypes.c_int64 * len(words))(*words)
    layout.keep = keep
    return built_in(method, layout)


def _layout(signature: Signature) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """Return the words of `_FIELDS`, and what they point to."""
    expected, pointers = expected_of(signature)
    tail = (ctypes.c_int64 * len(signature.tail))(*signature.tail)
    words = (
        len(signature.arguments), id(np.ndarray), id(np.dtype(np.float64)),
        ctypes.addressof(expected), pointers, signature.rows, prod(signature.tail),
        len(signature.tail), ctypes.addressof(tail), id(True), id(False),
        python_function("Py_IncRef"),
    )  # fmt: skip
    return words, (expected, tail, np.ndarray)


@cache
def _method() -> Method | None:
    return compiled_method("lay_out", LAY_OUT, FASTCALL)


@cache
def _run_method() -> Method | None:
    known = tuples_are_known()
    return compiled_method("run_batch", RUN_BATCH, FASTCALL | KEYWORDS) if known else None
