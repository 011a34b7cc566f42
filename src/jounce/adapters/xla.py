"""Python functions as custom calls of XLA, on its own memory.

XLA hands a handler one frame with the buffers of arguments and results (`xla/ffi/api/c_api.h`,
version 0).  `jax.pure_callback` does the same and copies every result once more, which takes a
quarter of the time of a kernel.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import POINTER, c_int, c_int64, c_size_t, c_uint32, c_void_p
from typing import Any

from jounce.errors import UnsupportedError
from jounce.forks import awaited_lock

Buffers = list["Buffer"]

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


class Buffer(ctypes.Structure):
    """An array in memory that XLA owns, valid during a call."""

    _fields_ = [
        ("size", c_size_t), ("extension", c_void_p), ("dtype", c_int), ("data", c_void_p),
        ("rank", c_int64), ("dims", POINTER(c_int64)),
    ]  # fmt: skip

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes; numbers along the last one are neighbours."""
        return tuple(self.dims[: self.rank])

    @property
    def address(self) -> int:
        """Where the numbers begin; 0 if there are none."""
        return self.data or 0


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
_Handler = ctypes.CFUNCTYPE(c_void_p, c_void_p)
_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype = ctypes.py_object
_capsule.argtypes = [c_void_p, ctypes.c_char_p, c_void_p]

_registered: dict[str, Any] = {}  # XLA keeps the address of a handler for good
_lock = awaited_lock()  # and takes a name once


def register(jax: Any, name: str, function: Callable[[Buffers, Buffers], None]) -> None:
    """Let custom calls of a name run ``function(arguments, results)``, which fills the results.

    Arguments and results are arrays of numbers, one row after another.
    """
    with _lock:
        if name not in _registered:
            _registered[name] = _register(jax, name, function)


def _register(jax: Any, name: str, function: Callable[[Buffers, Buffers], None]) -> Any:
    @_Handler
    def handler(address: int) -> Any:
        frame: Any = _Frame.from_address(address)
        try:
            if frame.extension and frame.extension[0].kind == METADATA:
                return _describe(frame)
            function(_found(frame.arguments), _found(frame.results))
        except BaseException as error:  # nothing passes through C
            return _error(frame, f"{type(error).__name__}: {error}")
        return None

    address = ctypes.cast(handler, c_void_p).value
    try:
        jax.ffi.register_ffi_target(name, _capsule(address, None, None), platform="cpu")
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


def _found(buffers: Any) -> Buffers:
    if not buffers.count:
        return []
    places = (c_void_p * buffers.count).from_address(buffers.buffers)
    return list(map(Buffer.from_address, places))


def _error(frame: Any, message: str) -> Any:
    new = _NewError(ctypes.sizeof(_NewError), None, message.encode(errors="replace"), INTERNAL)
    return frame.api[0].new_error(new)
