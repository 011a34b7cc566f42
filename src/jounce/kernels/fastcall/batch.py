"""Batches of plain arrays: a built-in function that writes down where their rows are.

``lay_out(job, result, *arrays)`` reads the headers of NumPy arrays itself and fills in the places
of rows in a job (`jounce.kernels.team`).  It answers False, and nothing has happened, where the
result is not a contiguous float64 array of its shape that may be written, or an argument not one
apart from it with the same batch, or none but in the first; the Python path sees to that.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any

import numpy as np

from jounce.codegen.llvm.types import load_word
from jounce.kernels.fastcall.call import (
    FASTCALL,
    WRITEABLE,
    Method,
    built_in,
    compiled_method,
    expected_of,
    python_function,
)
from jounce.kernels.fastcall.text import STRUCT_OFFSET, array_header
from jounce.kernels.table import Signature
from jounce.kernels.team import HEADER, INPUTS, LINE, RANGES

_FIELDS = (  # words that the function reads
    "count", "array_type", "float64", "expected", "pointers", "blocks", "result_width",
    "tail_ndim", "tail", "true", "false", "incref",
)  # fmt: skip


def _load(name: str, kind: str = "i64") -> str:
    return load_word(name, _FIELDS.index(name), "layout", kind)


def _word(name: str, index: int, value: str) -> str:
    """Return IR that stores a value into a word of the job."""
    return (
        f"  %{name}.slot = getelementptr i64, ptr %job, i64 {index}\n"
        f"  store ptr {value}, ptr %{name}.slot\n"
    )


LAY_OUT = f"""
define ptr @lay_out(ptr %self, ptr %args, i64 %nargs) nounwind {{
start:
  %layout.p = getelementptr i8, ptr %self, i64 {STRUCT_OFFSET}
  %layout = load ptr, ptr %layout.p
{"".join(_load(name, "ptr" if name in ("expected", "tail") else "i64") for name in _FIELDS)}\
  %job.object = load ptr, ptr %args
  %job.p = getelementptr i8, ptr %job.object, i64 {STRUCT_OFFSET}
  %job = load ptr, ptr %job.p
  %result.p = getelementptr ptr, ptr %args, i64 1
  %result = load ptr, ptr %result.p
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
  %enough = sub i64 %nargs, 2
  %right.count = icmp eq i64 %enough, %count
  %has.batch = icmp sgt i64 %batch.ndim, 0
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
  %at = add i64 %k, 2
{array_header("%at", "no")}\
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
  br label %answer
no:
  br label %answer
answer:
  %verdict = phi i64 [ %true, %yes ], [ %false, %no ]
  %object.verdict = inttoptr i64 %verdict to ptr
  %incref.f = inttoptr i64 %incref to ptr
  call void %incref.f(ptr %object.verdict)
  ret ptr %object.verdict
}}
"""


def lay_out(signature: Signature) -> Callable[..., bool] | None:
    """Return the built-in function of kernels with this signature; None where none can be made."""
    method = _method()
    if method is None:
        return None
    expected, pointers = expected_of(signature)
    tail = (ctypes.c_int64 * len(signature.tail))(*signature.tail)
    layout: Any = (ctypes.c_int64 * len(_FIELDS))(
        len(signature.arguments), id(np.ndarray), id(np.dtype(np.float64)),
        ctypes.addressof(expected), pointers, signature.rows, prod(signature.tail),
        len(signature.tail), ctypes.addressof(tail), id(True), id(False),
        python_function("Py_IncRef"),
    )  # fmt: skip
    layout.keep = (expected, tail, np.ndarray)
    return built_in(method, layout)


@cache
def _method() -> Method | None:
    return compiled_method("lay_out", LAY_OUT, FASTCALL)
