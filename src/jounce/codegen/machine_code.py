"""Machine code of a program: compile, or load from the cache, and call."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jounce.codegen import cache as disk
from jounce.codegen.gate import compiling
from jounce.codegen.llvm.host import compile_module, host, load_objects
from jounce.codegen.llvm.printer import ENTRY, print_llvm
from jounce.codegen.parallel import Progress, available_workers, compile_modules, helpers
from jounce.codegen.program import Program
from jounce.sources import fingerprint

PARALLEL = 8_000  # operations from which helper processes pay

_SIGNATURE = ctypes.CFUNCTYPE(
    None, ctypes.c_int64, ctypes.c_int64, *[ctypes.c_void_p] * 5
)  # the GIL is released during the call


class MachineCode:
    """Compiled code of one program; keeps the memory of the code alive.

    `function` at `address` is the entry point described in `jounce.codegen.llvm.printer`; every
    call needs its own scratch block of `scratch_bytes`, and then calls may run at the same time.
    """

    __slots__ = ("_engine", "address", "function", "lanes", "program", "scratch_bytes")

    def __init__(
        self, program: Program, lanes: int, scratch_bytes: int, objects: list[bytes]
    ) -> None:
        self.program = program
        self.lanes = lanes
        self.scratch_bytes = scratch_bytes
        self._engine = load_objects(objects)
        self.address: int = self._engine.get_function_address(ENTRY)
        self.function = _SIGNATURE(self.address)

    def run(
        self,
        inputs: Sequence[NDArray[np.float64]],
        outputs: Sequence[NDArray[np.float64]],
        begin: int = 0,
        end: int | None = None,
    ) -> None:
        """Compute rows begin…end−1 of arrays (rows, width); an input of one row is repeated."""
        rows = max((len(x) for x in (*inputs, *outputs)), default=0)
        scratch = ctypes.create_string_buffer(self.scratch_bytes)
        self.function(
            begin, rows if end is None else end, *_pointers(inputs, rows),
            *_pointers(outputs, rows), scratch,
        )  # fmt: skip


def compile_program(
    program: Program,
    *,
    fma: bool = True,
    lanes: int | None = None,
    cache: bool = True,
    progress: Progress | None = None,
) -> MachineCode:
    """Return the machine code of a program; raises ImportError without llvmlite.

    `fma` fuses products into sums (faster, one rounding less); without it results equal the
    interpreter's bit for bit given the same sines and cosines. `lanes` is the number of samples
    computed at once, by default the width of the host. `progress(done, total)` is told about
    modules compiled.
    """
    with compiling():
        this = host()
        lanes = lanes or this.lanes
        generator = fingerprint("codegen")  # with it, a program decides its IR unprinted

        def make() -> tuple[int, list[bytes]]:
            with helpers(available_workers() if len(program.op) > PARALLEL else 0) as team:
                printed = print_llvm(program, lanes=lanes, fma=fma, host_fma=this.fma)
                objects = compile_modules(printed.modules, team, progress=progress)
            return printed.scratch_bytes, objects

        key = None
        if cache and generator is not None:
            key = disk.key_of(this.identity, generator, program.digest, f"{lanes} {fma}")
        scratch_bytes, objects = disk.kept(key, make)
        return MachineCode(program, lanes, scratch_bytes, objects)


def _pointers(arrays: Sequence[NDArray[np.float64]], rows: int) -> tuple[Any, Any]:
    """Return the addresses and row strides (in doubles) of arrays."""
    for x in arrays:
        assert x.dtype == np.float64
        assert x.ndim == 2
        assert len(x) in (1, rows)
        assert x.size < 2 or x.shape[1] < 2 or x.strides[1] == 8, (
            "values of a row must be contiguous"
        )
    count = max(len(arrays), 1)
    strides = [0 if len(x) == 1 else x.strides[0] // 8 for x in arrays]
    addresses = [x.ctypes.data for x in arrays]
    return (ctypes.c_void_p * count)(*addresses), (ctypes.c_int64 * count)(*strides)


def load_module(text: str, symbol: str) -> tuple[Any, int]:
    """Return the engine and the address of a function of hand-written IR, cached like programs."""
    with compiling():
        key = disk.key_of(host().identity, text)
        engine = load_objects(disk.kept(key, lambda: [compile_module(text)]))
        return engine, engine.get_function_address(symbol)
