"""One sample from Python in about a microsecond: a call without Python in between.

`fast_callable` makes a built-in function that reads the headers of plain NumPy arrays itself,
runs the kernel on one sample and returns a new array.  Whatever is not exactly that (a
batch, a list, keywords, another dtype or layout) goes to the Python path unchanged, so a
wrong object never reaches the machine code.

The function is compiled once; what differs between kernels stands in a `Context`, which is
its ``self`` and owns all memory it points to.  The layouts of objects it relies on are
tried out before use (`_layouts_are_known`); on any surprise there is no fast path.
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from collections.abc import Callable
from functools import cache
from importlib import import_module
from math import prod
from typing import Any

import numpy as np

from jounce.codegen.native import Native, load_module
from jounce.kernels.quantities import Signature

_EMPTY = 184  # PyArray_Empty in NumPy's table of C functions
_FASTCALL_KEYWORDS = 0x0080 | 0x0002
_STRUCT_OFFSET = 16  # of the pointer to its memory in a ctypes object
_Words = ctypes.c_int64


class Context(ctypes.Structure):
    """What the compiled function reads; `keep` holds the Python objects behind the addresses."""

    _fields_ = [
        (name, _Words)
        for name in (
            "count", "array_type", "float64", "entry", "scratch", "empty", "incref",
            "result_ndim", "result_shape", "fallback", "vectorcall", "blocks", "block_bytes",
            "inputs", "input_strides", "outputs", "output_strides", "expected",
        )
    ]  # fmt: skip
    keep: Any


class _Method(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]
    keep: Any


def fast_callable(
    native: Native, signature: Signature, fallback: Callable[..., Any]
) -> Callable[..., Any]:
    """Return the built-in function of a kernel, or ``fallback`` where none can be made."""
    method = _method()
    if method is None:
        return fallback
    context = _context(native, signature, fallback)
    return ctypes.pythonapi.PyCFunction_NewEx(ctypes.byref(method), context, None)


def _context(native: Native, signature: Signature, fallback: Callable[..., Any]) -> Context:
    arguments = signature.arguments
    expected = [n for a in arguments for n in (a.orders, a.width)]
    pointers = sum(max(a.orders, 1) for a in arguments)
    width = prod(signature.tail)
    shape = (signature.rows, *signature.tail)
    memory = [
        (_Words * len(shape))(*shape),
        (_Words * pointers)(),
        (_Words * pointers)(),
        (_Words * signature.rows)(),
        (_Words * signature.rows)(*[width] * signature.rows),
        (_Words * len(expected))(*expected),
        ctypes.create_string_buffer(native.scratch_bytes),
    ]
    dims, inputs, input_strides, outputs, output_strides, wanted, scratch = map(
        ctypes.addressof, memory
    )
    context = Context(
        len(arguments), id(np.ndarray), id(np.dtype(np.float64)), native.address, scratch,
        _numpy_function(_EMPTY), _python_function("Py_IncRef"), len(shape), dims, id(fallback),
        _python_function("PyObject_Vectorcall"), signature.rows, width * 8, inputs,
        input_strides, outputs, output_strides, wanted,
    )  # fmt: skip
    context.keep = (native, fallback, np.ndarray, memory)
    return context


@cache
def _method() -> _Method | None:
    """Return the definition of the built-in function, compiled once; None if it cannot work."""
    if not _layouts_are_known():
        return None
    engine, address = load_module(_IR, "call")
    method = _Method(b"kernel", address, _FASTCALL_KEYWORDS, None)
    method.keep = engine
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return method


def _layouts_are_known() -> bool:
    """Tell whether objects look in memory as the compiled function expects them."""
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return False
    if ctypes.sizeof(ctypes.c_void_p) != 8 or object.__basicsize__ != 16:
        return False
    probe = Context()
    if _word(probe, _STRUCT_OFFSET) != ctypes.addressof(probe):
        return False
    array = np.zeros((3, 5))
    header = (_word(array, 8), _word(array, 16), _word(array, 24) & 0xFFFFFFFF)
    shape = (_Words * 2).from_address(_word(array, 32))
    flags = _word(array, 64) & 0xFFFFFFFF
    return (
        header == (id(np.ndarray), array.ctypes.data, 2)
        and tuple(shape) == (3, 5)
        and _word(array, 56) == id(np.dtype(np.float64))
        and flags & 0x101 == 0x101
        and not _word(array.T, 64) & 1
        and _allocates()
    )


def _allocates() -> bool:
    """Try NumPy's allocation function."""
    empty = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.c_int, ctypes.c_void_p, ctypes.py_object, ctypes.c_int
    )(_numpy_function(_EMPTY))
    dtype = np.dtype(np.float64)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(dtype))
    made = empty(2, (_Words * 2)(2, 3), dtype, 0)
    return isinstance(made, np.ndarray) and made.shape == (2, 3) and made.dtype == dtype


def _word(thing: Any, offset: int) -> int:
    return _Words.from_address(id(thing) + offset).value


def _numpy_function(index: int) -> int:
    home = "numpy._core" if int(np.__version__.partition(".")[0]) >= 2 else "numpy.core"
    functions = import_module(f"{home}._multiarray_umath")._ARRAY_API
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = get(functions, None)
    return (ctypes.c_void_p * (index + 1)).from_address(table)[index] or 0


def _python_function(name: str) -> int:
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0


def _field(name: str) -> int:
    return getattr(Context, name).offset


def _load(name: str, kind: str = "i64") -> str:
    """Return IR that loads a field of the context into ``%name``."""
    return (
        f"  %{name}.p = getelementptr i8, ptr %context, i64 {_field(name)}\n"
        f"  %{name} = load {kind}, ptr %{name}.p\n"
    )


_IR = f"""
define ptr @call(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) nounwind {{
start:
  %context.p = getelementptr i8, ptr %self, i64 {_STRUCT_OFFSET}
  %context = load ptr, ptr %context.p
{_load("count")}{_load("array_type")}{_load("float64")}{_load("inputs", "ptr")}\
{_load("expected", "ptr")}{_load("fallback", "ptr")}{_load("vectorcall", "ptr")}\
  %plain = icmp eq ptr %kwnames, null
  %enough = icmp eq i64 %nargs, %count
  %try = and i1 %plain, %enough
  br i1 %try, label %arguments, label %python

arguments:
  %k = phi i64 [ 0, %start ], [ %k.next, %stored ]
  %n = phi i64 [ 0, %start ], [ %n.after, %stored ]
  %more = icmp ult i64 %k, %count
  br i1 %more, label %check, label %allocate

check:
  %object.p = getelementptr ptr, ptr %args, i64 %k
  %object = load ptr, ptr %object.p
  %type.p = getelementptr i8, ptr %object, i64 8
  %type = load i64, ptr %type.p
  %is.array = icmp eq i64 %type, %array_type
  br i1 %is.array, label %header, label %python

header:
  %descr.p = getelementptr i8, ptr %object, i64 56
  %descr = load i64, ptr %descr.p
  %is.float = icmp eq i64 %descr, %float64
  %flags.p = getelementptr i8, ptr %object, i64 64
  %flags = load i32, ptr %flags.p
  %flags.known = and i32 %flags, 257
  %is.plain = icmp eq i32 %flags.known, 257
  %two.k = shl i64 %k, 1
  %orders.p = getelementptr i64, ptr %expected, i64 %two.k
  %orders = load i64, ptr %orders.p
  %width.p = getelementptr i64, ptr %orders.p, i64 1
  %width = load i64, ptr %width.p
  %ndim.p = getelementptr i8, ptr %object, i64 24
  %ndim = load i32, ptr %ndim.p
  %has.orders = icmp ne i64 %orders, 0
  %ndim.wanted = select i1 %has.orders, i32 2, i32 1
  %right.ndim = icmp eq i32 %ndim, %ndim.wanted
  %ok1 = and i1 %is.float, %is.plain
  %ok2 = and i1 %ok1, %right.ndim
  br i1 %ok2, label %shape, label %python

shape:
  %dims.p = getelementptr i8, ptr %object, i64 32
  %dims = load ptr, ptr %dims.p
  %first = load i64, ptr %dims
  %last.k = select i1 %has.orders, i64 1, i64 0
  %last.p = getelementptr i64, ptr %dims, i64 %last.k
  %last = load i64, ptr %last.p
  %first.wanted = select i1 %has.orders, i64 %orders, i64 %width
  %right.first = icmp eq i64 %first, %first.wanted
  %right.last = icmp eq i64 %last, %width
  %ok3 = and i1 %right.first, %right.last
  br i1 %ok3, label %take, label %python

take:
  %data.p = getelementptr i8, ptr %object, i64 16
  %data = load ptr, ptr %data.p
  %pointers = select i1 %has.orders, i64 %orders, i64 1
  %n.after = add i64 %n, %pointers
  br label %store

store:
  %m = phi i64 [ %n, %take ], [ %m.next, %store ]
  %row = phi ptr [ %data, %take ], [ %row.next, %store ]
  %slot = getelementptr ptr, ptr %inputs, i64 %m
  store ptr %row, ptr %slot
  %row.next = getelementptr double, ptr %row, i64 %width
  %m.next = add i64 %m, 1
  %again = icmp ult i64 %m.next, %n.after
  br i1 %again, label %store, label %stored

stored:
  %k.next = add i64 %k, 1
  br label %arguments

allocate:
{_load("incref", "ptr")}{_load("empty", "ptr")}{_load("result_ndim")}{_load("result_shape", "ptr")}\
{_load("outputs", "ptr")}{_load("output_strides", "ptr")}{_load("input_strides", "ptr")}\
{_load("entry", "ptr")}{_load("scratch", "ptr")}{_load("blocks")}{_load("block_bytes")}\
  %dtype = inttoptr i64 %float64 to ptr
  call void %incref(ptr %dtype)
  %ndim32 = trunc i64 %result_ndim to i32
  %result = call ptr %empty(i32 %ndim32, ptr %result_shape, ptr %dtype, i32 0)
  %made = icmp ne ptr %result, null
  br i1 %made, label %output, label %failed

output:
  %out.p = getelementptr i8, ptr %result, i64 16
  %out = load ptr, ptr %out.p
  br label %block

block:
  %b = phi i64 [ 0, %output ], [ %b.next, %block ]
  %out.row = phi ptr [ %out, %output ], [ %out.next, %block ]
  %out.slot = getelementptr ptr, ptr %outputs, i64 %b
  store ptr %out.row, ptr %out.slot
  %out.next = getelementptr i8, ptr %out.row, i64 %block_bytes
  %b.next = add i64 %b, 1
  %b.more = icmp ult i64 %b.next, %blocks
  br i1 %b.more, label %block, label %run

run:
  call void %entry(i64 0, i64 1, ptr %inputs, ptr %input_strides, ptr %outputs, \
ptr %output_strides, ptr %scratch)
  ret ptr %result

failed:
  ret ptr null

python:
  %handed = call ptr %vectorcall(ptr %fallback, ptr %args, i64 %nargs, ptr %kwnames)
  ret ptr %handed
}}
"""
