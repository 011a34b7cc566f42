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
_DATA, _RANK = _Buffer.data.offset, _Buffer.rank.offset
_EXTENSION, _WORDS = _Frame.extension.offset // 8, ctypes.sizeof(_Frame) // 8
_ARGUMENTS, _RESULTS = (  # count and buffers among the words of a frame
    slice((x.offset + _Buffers.count.offset) // 8, (x.offset + _Buffers.buffers.offset) // 8 + 1, 2)
    for x in (_Frame.arguments, _Frame.results)
)
_Handler = ctypes.CFUNCTYPE(c_void_p, c_void_p)
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
        try:
            words = _words(address, _WORDS)
            if words[_EXTENSION]:
                frame = _Frame.from_address(address)
                if frame.extension[0].kind == METADATA:
                    return _describe(frame)
            function(Buffers(*words[_ARGUMENTS]), Buffers(*words[_RESULTS]))
        except BaseException as error:  # nothing passes through C
            return _error(_Frame.from_address(address), f"{type(error).__name__}: {error}")
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


def _error(frame: Any, message: str) -> Any:
    new = _NewError(ctypes.sizeof(_NewError), None, message.encode(errors="replace"), INTERNAL)
    return frame.api[0].new_error(new)
