"""Custom calls of XLA on its own memory: Python functions, and machine code in their place.

XLA hands a handler one frame with the buffers of arguments and results (`xla/ffi/api/c_api.h`,
version 0).  `jax.pure_callback` does the same and copies every result once more, which takes a
quarter of the time of a kernel.

A handler is machine code.  It leaves a frame to Python until that has told it of a batch
(`jounce.kernels.fastcall.addresses`), and later whenever it cannot run the batch itself.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from ctypes import POINTER, c_int, c_int64, c_size_t, c_uint32, c_void_p
from typing import Any, ClassVar

from jounce.codegen.llvm.types import load_word
from jounce.codegen.machine_code import INTERPRET, load_module
from jounce.errors import UnsupportedError
from jounce.forks import awaited_lock
from jounce.kernels.fastcall.addresses import ARGUMENTS, NUMBERS, RESULTS, RUN, Place

METADATA = 1  # kind of the extension that asks for version and traits instead of results
INTERNAL = 13  # code of the error that a handler returns
MAJOR = 0  # version of the layouts below


def _structure(**fields: Any) -> Any:
    return type("Structure", (ctypes.Structure,), {"_fields_": [*fields.items()]})


_Version = _structure(size=c_size_t, extension=c_void_p, major=c_int, minor=c_int)
_Metadata = _structure(size=c_size_t, version=_Version, traits=c_uint32)
_Extension = _structure(size=c_size_t, kind=c_int, next=c_void_p, metadata=POINTER(_Metadata))
_NewError = _structure(size=c_size_t, extension=c_void_p, message=ctypes.c_char_p, code=c_int)
_Api = _structure(
    size=c_size_t,
    extension=c_void_p,
    version=_Version,
    internal=c_void_p,
    new_error=ctypes.CFUNCTYPE(c_void_p, POINTER(_NewError)),
)


_Buffer = _structure(
    size=c_size_t, extension=c_void_p, dtype=c_int, data=c_void_p, rank=c_int64, dims=c_void_p
)
_Buffers = _structure(
    size=c_size_t, extension=c_void_p, count=c_int64, types=c_void_p, buffers=c_void_p
)
_Frame = _structure(
    size=c_size_t,
    extension=POINTER(_Extension),
    api=POINTER(_Api),
    context=c_void_p,
    stage=c_int,
    arguments=_Buffers,
    results=_Buffers,
)
_DATA, _RANK, _DIMS = (getattr(_Buffer, x).offset for x in ("data", "rank", "dims"))
_EXTENSION, _WORDS = _Frame.extension.offset // 8, ctypes.sizeof(_Frame) // 8
_ARGUMENTS, _RESULTS = (  # count and buffers among the words of a frame
    slice((x.offset + _Buffers.count.offset) // 8, (x.offset + _Buffers.buffers.offset) // 8 + 1, 2)
    for x in (_Frame.arguments, _Frame.results)
)
_Callback = ctypes.CFUNCTYPE(c_void_p, c_void_p)
_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype = ctypes.py_object
_capsule.argtypes = [c_void_p, ctypes.c_char_p, c_void_p]


def _words(address: int, count: int) -> list[int]:
    return (c_int64 * count).from_address(address)[:]


class Buffers:
    """Arrays of one row after another in memory that XLA owns, valid during a call."""

    def __init__(self, count: int, address: int) -> None:
        self._places = _words(address, count) if count else []

    def addresses(self) -> list[int]:
        """Return where the numbers of each begin; 0 if there are none."""
        return [c_int64.from_address(x + _DATA).value for x in self._places]

    def shape(self, k: int) -> tuple[int, ...]:
        """Return the lengths of the axes of one of them."""
        rank, dims = _words(self._places[k] + _RANK, 2)
        return tuple(_words(dims, rank)) if rank else ()


_ENTRIES = 64  # functions in a module: XLA gives a handler its frame, and no word of ours
_PYTHON, _COUNT, _BATCHES = range(3)  # words of a handler: function in Python, batches that follow
_MOST = 16  # batches of a handler
_KEPT = 256  # of all handlers: those that are known stay in memory, with the code they run
_TEXT = f"""
@handlers = global [{_ENTRIES} x ptr] zeroinitializer

define private ptr @handle(ptr %frame, ptr %handler) nounwind {{
start:
{load_word("python", _PYTHON, "handler", "ptr")}{load_word("extension", _EXTENSION, "frame")}\
{load_word("ins", _ARGUMENTS.start, "frame")}{load_word("outs", _RESULTS.start, "frame")}\
{load_word("in.buffers", _ARGUMENTS.stop - 1, "frame", "ptr")}\
{load_word("out.buffers", _RESULTS.stop - 1, "frame", "ptr")}\
  %count.p = getelementptr i64, ptr %handler, i64 {_COUNT}
  %count = load atomic i64, ptr %count.p acquire, align 8
  %known = icmp ne i64 %count, 0
  %some = icmp ne i64 %ins, 0
  %plain = icmp eq i64 %extension, 0
  %ready.1 = and i1 %known, %some
  %ready = and i1 %ready.1, %plain
  br i1 %ready, label %measure, label %other
measure:
  %first = load ptr, ptr %in.buffers
  %rank.p = getelementptr i8, ptr %first, i64 {_RANK}
  %rank = load i64, ptr %rank.p
  %dims.p = getelementptr i8, ptr %first, i64 {_DIMS}
  %dims = load ptr, ptr %dims.p
  br label %axis
axis:
  %d = phi i64 [ 0, %measure ], [ %d.next, %length ]
  %numbers = phi i64 [ 1, %measure ], [ %numbers.next, %length ]
  %d.more = icmp slt i64 %d, %rank
  br i1 %d.more, label %length, label %search
length:
{load_word("size", "%d", "dims")}\
  %numbers.next = mul i64 %numbers, %size
  %d.next = add i64 %d, 1
  br label %axis
search:
  %b = phi i64 [ 0, %axis ], [ %b.next, %next ]
  %b.more = icmp ult i64 %b, %count
  br i1 %b.more, label %compare, label %other
compare:
  %b.place = add i64 %b, {_BATCHES}
{load_word("batch", "%b.place", "handler", "ptr")}{load_word("wanted", NUMBERS, "batch")}\
{load_word("arguments", ARGUMENTS, "batch")}{load_word("results", RESULTS, "batch")}\
  %right.ins = icmp eq i64 %ins, %arguments
  %right.outs = icmp eq i64 %outs, %results
  %right.size = icmp eq i64 %numbers, %wanted
  %right.1 = and i1 %right.ins, %right.outs
  %right = and i1 %right.1, %right.size
  br i1 %right, label %compute, label %next
next:
  %b.next = add i64 %b, 1
  br label %search
compute:
  %all = add i64 %ins, %outs
  %arrays = alloca i64, i64 %all
  %behind = getelementptr i64, ptr %arrays, i64 %ins
  call void @addresses(ptr %in.buffers, i64 %ins, ptr %arrays)
  call void @addresses(ptr %out.buffers, i64 %outs, ptr %behind)
  %done = call i64 @run(ptr %batch, ptr %arrays)
  %is.done = icmp ne i64 %done, 0
  br i1 %is.done, label %end, label %other
end:
  ret ptr null
other:
  %answer = call ptr %python(ptr %frame)
  ret ptr %answer
}}

; writes down where the numbers of buffers begin
define private void @addresses(ptr %buffers, i64 %count, ptr %into) nounwind {{
start:
  br label %again
again:
  %k = phi i64 [ 0, %start ], [ %k.next, %take ]
  %more = icmp ult i64 %k, %count
  br i1 %more, label %take, label %end
take:
{load_word("buffer", "%k", "buffers", "ptr")}\
  %data.p = getelementptr i8, ptr %buffer, i64 {_DATA}
  %data = load i64, ptr %data.p
  %slot = getelementptr i64, ptr %into, i64 %k
  store i64 %data, ptr %slot
  %k.next = add i64 %k, 1
  br label %again
end:
  ret void
}}
{RUN}""" + "".join(
    f"""
define ptr @entry_{k}(ptr %frame) nounwind {{
  %handler.p = getelementptr ptr, ptr @handlers, i64 {k}
  %handler = load ptr, ptr %handler.p
  %answer = tail call ptr @handle(ptr %frame, ptr %handler)
  ret ptr %answer
}}
"""
    for k in range(_ENTRIES)
)


class Handler:
    """A function of a frame: machine code for the batches that it knows of, Python for others.

    ``function(arguments, results)`` fills the results, and returns the words of the batch if
    machine code may run it from now on.
    """

    known: ClassVar[list[Place]] = []  # of all handlers, for good: any thread may be using them

    def __init__(self, function: Callable[[Buffers, Buffers], Place | None]) -> None:
        self._function = function
        self._callback = _Callback(self._call)
        python = ctypes.cast(self._callback, c_void_p).value or 0
        self._words: Any = (c_int64 * (_BATCHES + _MOST))(python)
        self._sizes: set[int] = set()
        self.address = _entry(ctypes.addressof(self._words)) or python

    def _call(self, address: int) -> Any:
        try:
            words = _words(address, _WORDS)
            if words[_EXTENSION]:
                frame = _Frame.from_address(address)
                if frame.extension[0].kind == METADATA:
                    return _describe(frame)
            place = self._function(Buffers(*words[_ARGUMENTS]), Buffers(*words[_RESULTS]))
            if place is not None:
                self._remember(place)
        except BaseException as error:  # nothing passes through C
            return _error(_Frame.from_address(address), f"{type(error).__name__}: {error}")
        return None

    def _remember(self, place: Place) -> None:
        """Let machine code run a batch, if there is room for one more."""
        with _remembering:
            count, size = self._words[_COUNT], place.words[NUMBERS]
            if size not in self._sizes and count < _MOST and len(self.known) < _KEPT:
                self.known.append(place)
                self._sizes.add(size)
                self._words[_BATCHES + count] = place.address
                self._words[_COUNT] = count + 1


_remembering = awaited_lock()
_entries: list[tuple[int, int]] = []  # that are free: function, and the slot for its handler


def _entry(handler: int) -> int | None:
    """Return the machine code of a handler with these words; None where there cannot be any."""
    if os.environ.get(INTERPRET):
        return None
    if not _entries:
        try:
            engine, _ = load_module(_TEXT, "entry_0")
        except ImportError:
            return None
        _keep(engine)
        slots = engine.get_global_value_address("handlers")
        for k in range(_ENTRIES):
            _entries.append((engine.get_function_address(f"entry_{k}"), slots + 8 * k))
    address, slot = _entries.pop()
    c_int64.from_address(slot).value = handler
    return address


def _keep(thing: object) -> None:
    """Let something live as long as the process: threads of XLA may be in it at the end."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


_registered: dict[str, Handler] = {}  # XLA keeps the address of a handler for good
_lock = awaited_lock()  # and takes a name once


def register(jax: Any, name: str, function: Callable[[Buffers, Buffers], Place | None]) -> None:
    """Let custom calls of a name run ``function(arguments, results)``, which fills the results.

    Arguments and results are arrays of numbers, one row after another.  What it returns is for
    machine code: see `Handler`.
    """
    with _lock:
        if name not in _registered:
            _registered[name] = _register(jax, name, Handler(function))


def _register(jax: Any, name: str, handler: Handler) -> Handler:
    _keep(handler)
    try:
        capsule = _capsule(handler.address, None, None)
        jax.ffi.register_ffi_target(name, capsule, platform="cpu")
    except Exception as error:
        raise UnsupportedError(
            f"JAX {jax.__version__} does not take Jounce's functions ({error}); this adapter was "
            f"made for version {MAJOR} of XLA's interface, that of JAX 0.8 to 0.10."
        ) from error
    return handler


def _describe(frame: Any) -> None:
    """Tell XLA the version of these layouts: its own, as long as the major one is ours."""
    version = frame.extension[0].metadata[0].version
    version.major, version.minor = MAJOR, frame.api[0].version.minor
    frame.extension[0].metadata[0].traits = 0


def _error(frame: Any, message: str) -> Any:
    new = _NewError(ctypes.sizeof(_NewError), None, message.encode(errors="replace"), INTERNAL)
    return frame.api[0].new_error(new)
