"""Batches of tensors: a built-in function that finds their numbers and runs a kernel on them.

``fill(*arguments, *results)`` computes the results, with the lock of Python released, and answers
True; ``fill(*arguments)`` answers whether it would, as far as the arguments are concerned.  It
takes tensors of exactly PyTorch's own types, of double precision, on the CPU, contiguous, of the
shapes of one batch, and without a sign that is still to be applied.  It answers False, and nothing
has happened, on all else, and where `jounce.kernels.fastcall.addresses` declines.

PyTorch tells where a tensor is by a C function of DLPack's exchange interface (`dlpack.h`, version
1).  Where it has no such function, and where a trial shows another layout, there is no ``fill``.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
from functools import cache
from typing import Any

from jounce.codegen.llvm.types import load_word
from jounce.kernels.fastcall.addresses import RUN, Place
from jounce.kernels.fastcall.call import (
    FASTCALL,
    Method,
    built_in,
    compiled_method,
    python_function,
)
from jounce.kernels.fastcall.text import STRUCT_OFFSET

MAJOR = 1  # version of the layouts below
CPU, FLOAT = 1, 2  # codes of devices and types


class _Api(ctypes.Structure):
    _fields_ = [
        ("major", c_uint32),
        ("minor", c_uint32),
        ("previous", c_void_p),
        ("allocate", c_void_p),
        ("from_object", c_void_p),
        ("to_object", c_void_p),
        ("look", c_void_p),  # fills in a `_Tensor` of an object, which keeps what it points to
    ]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", c_void_p),
        ("strides", c_void_p),
        ("before", c_uint64),
    ]


_DOUBLE = FLOAT | 64 << 8 | 1 << 16  # code, bits and lanes in one number
_FIELDS = (  # words that the function reads
    "place", "look", "tensor", "parameter", "is_neg", "arguments", "all", "shapes", "true", "false",
    "vectorcall", "incref", "decref", "clear", "save", "restore",
)  # fmt: skip
_FUNCTIONS = (  # of Python, the last of these words
    "PyObject_Vectorcall", "Py_IncRef", "Py_DecRef", "PyErr_Clear", "PyEval_SaveThread",
    "PyEval_RestoreThread",
)  # fmt: skip
_NUMBERS = "tensor", "parameter", "arguments", "all", "true", "false"  # or compared as such


def _load(name: str, kind: str = "i64") -> str:
    return load_word(name, _FIELDS.index(name), "context", kind)


def _field(name: str, kind: str) -> str:
    """Return IR that loads a field of the tensor that is looked at."""
    return (
        f"  %{name}.p = getelementptr i8, ptr %view, i64 {getattr(_Tensor, name).offset}\n"
        f"  %{name} = load {kind}, ptr %{name}.p\n"
    )


_TEXT = f"""
define ptr @fill(ptr %self, ptr %args, i64 %nargs) nounwind {{
start:
  %context.p = getelementptr i8, ptr %self, i64 {STRUCT_OFFSET}
  %context = load ptr, ptr %context.p
{"".join(_load(name, "i64" if name in _NUMBERS else "ptr") for name in _FIELDS)}\
  %view = alloca [{ctypes.sizeof(_Tensor)} x i8], align 8
  %arrays = alloca i64, i64 %all
  %only.arguments = icmp eq i64 %nargs, %arguments
  %everything = icmp eq i64 %nargs, %all
  %right.count = or i1 %only.arguments, %everything
  br i1 %right.count, label %next, label %no

next:
  %k = phi i64 [ 0, %start ], [ %k.next, %taken ]
  %form = phi ptr [ %shapes, %start ], [ %form.next, %taken ]
  %more = icmp ult i64 %k, %nargs
  br i1 %more, label %kind, label %known
kind:
  %object.p = getelementptr ptr, ptr %args, i64 %k
  %object = load ptr, ptr %object.p
  %type.p = getelementptr i8, ptr %object, i64 8
  %type = load i64, ptr %type.p
  %is.tensor = icmp eq i64 %type, %tensor
  %is.parameter = icmp eq i64 %type, %parameter
  %is.plain = or i1 %is.tensor, %is.parameter
  br i1 %is.plain, label %see, label %no
see:
  %failed = call i32 %look(ptr %object, ptr %view)
  %seen = icmp eq i32 %failed, 0
  br i1 %seen, label %header, label %error
header:
{_field("data", "i64")}{_field("device", "i32")}{_field("ndim", "i32")}{_field("code", "i32")}\
{_field("shape", "ptr")}{_field("strides", "ptr")}{_field("before", "i64")}\
{load_word("axes", 0, "form")}\
  %here = icmp eq i32 %device, {CPU}
  %is.double = icmp eq i32 %code, {_DOUBLE}
  %ndim64 = zext i32 %ndim to i64
  %right.ndim = icmp eq i64 %ndim64, %axes
  %in.memory = icmp ne i64 %data, 0
  %ok1 = and i1 %here, %is.double
  %ok2 = and i1 %right.ndim, %in.memory
  %ok = and i1 %ok1, %ok2
  %packed = icmp eq ptr %strides, null
  br i1 %ok, label %axis, label %no
axis:
  %i = phi i64 [ %axes, %header ], [ %i.before, %stride.known ]
  %numbers = phi i64 [ 1, %header ], [ %numbers.next, %stride.known ]
  %any = icmp ne i64 %i, 0
  br i1 %any, label %compare, label %sign
compare:
  %i.before = sub i64 %i, 1
  %wanted.p = getelementptr i64, ptr %form, i64 %i
  %wanted = load i64, ptr %wanted.p
  %size.p = getelementptr i64, ptr %shape, i64 %i.before
  %size = load i64, ptr %size.p
  %numbers.next = mul i64 %numbers, %size
  %equal = icmp eq i64 %size, %wanted
  br i1 %equal, label %step, label %no
step:
  %single = icmp eq i64 %size, 1
  %easy = or i1 %single, %packed
  br i1 %easy, label %stride.known, label %stride
stride:
  %stride.p = getelementptr i64, ptr %strides, i64 %i.before
  %stride.i = load i64, ptr %stride.p
  %dense = icmp eq i64 %stride.i, %numbers
  br i1 %dense, label %stride.known, label %no
stride.known:
  br label %axis
sign:
  %slot = getelementptr i64, ptr %arrays, i64 %k
  %begin = add i64 %data, %before
  store i64 %begin, ptr %slot
  %is.argument = icmp ult i64 %k, %arguments
  br i1 %is.argument, label %ask, label %taken
ask:
  %answer = call ptr %vectorcall(ptr %is_neg, ptr %object.p, i64 1, ptr null)
  %answered = icmp ne ptr %answer, null
  br i1 %answered, label %told, label %error
told:
  %answer.word = ptrtoint ptr %answer to i64
  call void %decref(ptr %answer)
  %positive = icmp eq i64 %answer.word, %false
  br i1 %positive, label %taken, label %no
taken:
  %k.next = add i64 %k, 1
  %after = add i64 %axes, 1
  %form.next = getelementptr i64, ptr %form, i64 %after
  br label %next

known:
  br i1 %only.arguments, label %yes, label %compute
compute:
  %state = call ptr %save()
  %done = call i64 @run(ptr %place, ptr %arrays)
  call void %restore(ptr %state)
  %is.done = icmp ne i64 %done, 0
  br i1 %is.done, label %yes, label %no

error:
  call void %clear()
  br label %no
yes:
  br label %verdict
no:
  br label %verdict
verdict:
  %word = phi i64 [ %true, %yes ], [ %false, %no ]
  %result = inttoptr i64 %word to ptr
  call void %incref(ptr %result)
  ret ptr %result
}}
{RUN}"""


Fill = Callable[..., bool]
Shapes = Sequence[Sequence[int]]


def fill(torch: Any, place: Place, arguments: Shapes, results: Shapes) -> Fill | None:
    """Return the function for a batch of these shapes; None where PyTorch does not allow for it."""
    return _fill(torch, place.address, arguments, results, place) if _is_known(torch) else None


def _fill(
    torch: Any, place: int, arguments: Shapes, results: Shapes, keep: Any = None
) -> Fill | None:
    method, look = _method(), _look(torch)
    if method is None or look is None:
        return None
    forms = [n for shape in (*arguments, *results) for n in (len(shape), *shape)]
    shapes, types = (c_int64 * len(forms))(*forms), (torch.Tensor, torch.nn.Parameter)
    is_neg, count = torch.Tensor.is_neg, len(arguments)
    context: Any = (c_int64 * len(_FIELDS))(
        place, look, *map(id, types), id(is_neg), count, count + len(results),
        ctypes.addressof(shapes), id(True), id(False), *map(python_function, _FUNCTIONS),
    )  # fmt: skip
    context.keep = (keep, shapes, types, is_neg)
    return built_in(method, context)


@cache
def _method() -> Method | None:
    return compiled_method("fill", _TEXT, FASTCALL)


def _look(torch: Any) -> int | None:
    """Return the address of the function that tells where a tensor is."""
    capsule = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
    if type(capsule).__name__ != "PyCapsule":
        return None
    get = ctypes.PYFUNCTYPE(c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", ctypes.pythonapi)
    )
    api = _Api.from_address(get(capsule, b"dlpack_exchange_api"))
    return api.look if api.major == MAJOR else None


@cache
def _is_known(torch: Any) -> bool:
    """Tell whether tensors are seen as what they are, by a trial."""
    check = _fill(torch, 0, [(3, 2)], [])
    if check is None:
        return False
    try:
        numbers = torch.arange(6, dtype=torch.float64, device="cpu").reshape(3, 2)
        right = [numbers, numbers.clone().requires_grad_(), torch.nn.Parameter(numbers)]
        wrong = [
            numbers.reshape(2, 3), numbers.reshape(2, 3).T, numbers[:2], numbers[:1].expand(3, 2),
            numbers.float(), numbers.long(), torch._neg_view(numbers), numbers.to("meta"),
            numbers.to_sparse(), numbers.tolist(), None,
        ]  # fmt: skip
    except (AttributeError, RuntimeError):  # modes of PyTorch may be in the way
        return False
    return all(map(check, right)) and not any(map(check, wrong))
