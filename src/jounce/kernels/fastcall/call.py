"""One sample from Python in about a microsecond: a call without Python in between.

`fast_callable` makes a built-in function that reads the headers of plain NumPy arrays itself,
runs the kernel on one sample and returns a new array.  Whatever is not exactly that (a
batch, a list, keywords, another dtype or layout; on request NaN, infinity, numbers whose products
may overflow and quaternions that are not of unit length) goes to the Python path unchanged, so a
wrong object never reaches the machine code.

The function is compiled once; what differs between kernels stands in a context, a block of words
that is its ``self`` and owns all memory it points to.  The layouts of objects it relies on are
tried out before use (`layouts_are_known`); on any surprise there is no fast path.
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from math import prod
from typing import Any

import numpy as np

from jounce.codegen.llvm.types import bits
from jounce.codegen.machine_code import MachineCode, load_module
from jounce.kernels.arrays import small_square
from jounce.kernels.fastcall.text import CALL, CONTEXT, STRUCT_OFFSET
from jounce.kernels.table import Signature

_ZEROS, _EMPTY = 183, 184  # PyArray_Zeros and PyArray_Empty in NumPy's table of C functions
FASTCALL, KEYWORDS = 0x0080, 0x0002
WRITEABLE = 0x501  # flags of an array: contiguous, aligned, to be written
TUPLE_ITEMS = tuple.__basicsize__  # where they begin: at byte 24, since Python 3.14 at 32
_Words = ctypes.c_int64


class Method(ctypes.Structure):
    """What CPython wants to know of a built-in function; `keep` holds its code."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]
    keep: Any


def fast_callable(
    native: MachineCode,
    signature: Signature,
    fallback: Callable[..., Any],
    *,
    quaternions: Sequence[int] | None = None,
) -> Callable[..., Any]:
    """Return the built-in function of a kernel, or ``fallback`` where none can be made.

    If the places of ``quaternions`` in the first argument are given, values are checked too.
    """
    method = _method()
    if method is None:
        return fallback
    return built_in(method, _context(native, signature, fallback, quaternions))


def _context(
    native: MachineCode,
    signature: Signature,
    fallback: Callable[..., Any],
    quaternions: Sequence[int] | None,
) -> Any:
    expected, pointers = expected_of(signature)
    width = prod(signature.tail)
    shape = (signature.rows, *signature.tail)
    is_filled = set(native.program.output_widths) == {width}
    new = _numpy_function(_EMPTY if is_filled else _ZEROS)
    places = quaternions or ()
    memory = [
        (_Words * len(shape))(*shape),
        (_Words * pointers)(),
        (_Words * pointers)(),
        (_Words * signature.rows)(),
        (_Words * signature.rows)(*[width] * signature.rows),
        expected,
        (_Words * len(places))(*places),
        ctypes.create_string_buffer(native.scratch_bytes),
    ]
    dims, inputs, input_strides, outputs, output_strides, wanted, offsets, scratch = map(
        ctypes.addressof, memory
    )
    context: Any = (_Words * len(CONTEXT))(
        len(signature.arguments), id(np.ndarray), id(np.dtype(np.float64)), native.address, scratch,
        new, python_function("Py_IncRef"), len(shape), dims, id(fallback),
        python_function("PyObject_Vectorcall"), signature.rows, width * 8, inputs,
        input_strides, outputs, output_strides, wanted, int(quaternions is not None),
        len(places), offsets, int(bits(small_square(signature)), 16),
    )  # fmt: skip
    context.keep = (native, fallback, np.ndarray, memory)
    return context


def expected_of(signature: Signature) -> tuple[Any, int]:
    """Return orders and widths of the arguments, in memory, and how many rows they have."""
    words = [n for a in signature.arguments for n in (a.orders, a.width)]
    return (_Words * len(words))(*words), sum(max(a.orders, 1) for a in signature.arguments)


@cache
def _method() -> Method | None:
    return compiled_method("call", CALL, FASTCALL | KEYWORDS)


def compiled_method(name: str, text: str, flags: int) -> Method | None:
    """Return the definition of a built-in function in IR; None if it cannot work here."""
    if not layouts_are_known():
        return None
    engine, address = load_module(text, name)
    return method_at(address, flags, engine)


def method_at(address: int, flags: int, engine: Any) -> Method:
    """Return the definition of a built-in function that ``engine`` has compiled."""
    method = Method(b"kernel", address, flags, None)
    method.keep = engine
    return method


def built_in(method: Method, context: Any) -> Callable[..., Any]:
    """Return a built-in function whose ``self`` is ``context``, a block of words."""
    context.keep += (method,)  # of threads that come first together each makes one of its own
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return new(ctypes.byref(method), context, None)


@cache
def layouts_are_known() -> bool:
    """Tell whether objects look in memory as the compiled function expects them."""
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return False
    if ctypes.sizeof(ctypes.c_void_p) != 8 or object.__basicsize__ != 16:
        return False
    probe = (_Words * 1)()
    if _word(probe, STRUCT_OFFSET) != ctypes.addressof(probe):
        return False
    array = np.zeros((3, 5))
    header = (_word(array, 8), _word(array, 16), _word(array, 24) & 0xFFFFFFFF)
    shape = (_Words * 2).from_address(_word(array, 32))
    flags = _word(array, 64) & 0xFFFFFFFF
    fixed = np.zeros(1)
    fixed.flags.writeable = False
    return (
        header == (id(np.ndarray), array.ctypes.data, 2)
        and tuple(shape) == (3, 5)
        and _word(array, 56) == id(np.dtype(np.float64))
        and flags & WRITEABLE == WRITEABLE
        and not _word(array.T, 64) & 1
        and _word(fixed, 64) & WRITEABLE == 0x101
        and _allocates()
    )


def _allocates() -> bool:
    """Try NumPy's allocation functions."""
    prototype = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.c_int, ctypes.c_void_p, ctypes.py_object, ctypes.c_int
    )
    dtype, made = np.dtype(np.float64), []
    for index in (_ZEROS, _EMPTY):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(dtype))
        made.append(prototype(_numpy_function(index))(2, (_Words * 2)(2, 3), dtype, 0))
    right = [isinstance(x, np.ndarray) and x.shape == (2, 3) and x.dtype == dtype for x in made]
    return all(right) and not made[0].any()


def tuples_are_known() -> bool:
    """Tell whether tuples look in memory as the compiled function expects them."""
    names = ("out", "threads")
    found = [_word(names, x) for x in (16, TUPLE_ITEMS, TUPLE_ITEMS + 8)]
    return found == [2, *map(id, names)]


def _word(thing: Any, offset: int) -> int:
    return _Words.from_address(id(thing) + offset).value


def _numpy_function(index: int) -> int:
    home = "numpy._core" if int(np.__version__.partition(".")[0]) >= 2 else "numpy.core"
    functions = import_module(f"{home}._multiarray_umath")._ARRAY_API
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = get(functions, None)
    return (ctypes.c_void_p * (index + 1)).from_address(table)[index] or 0


def python_function(name: str) -> int:
    """Return the address of a function of Python's own."""
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0
