"""Machine code of a program: compile, or load from the cache, and call."""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache as kept
from functools import lru_cache
from typing import Any

from jounce.codegen import cache as disk
from jounce.codegen.gate import compiling
from jounce.codegen.llvm.host import compile_module, host, load_objects
from jounce.codegen.llvm.printer import ENTRY, print_common, print_llvm
from jounce.codegen.parallel import Progress, compile_modules
from jounce.codegen.program import Program
from jounce.codegen.x86 import ASSEMBLE, can_assemble
from jounce.sources import fingerprint

INTERPRET = "JOUNCE_INTERPRET"  # set: compute with the NumPy interpreter, nothing is compiled
WORD = ctypes.c_int64  # of numbers and addresses alike


class MachineCode:
    """Compiled code of one program; keeps the memory of the code alive.

    At `address` is the entry point described in `jounce.codegen.llvm.printer`; every call needs its
    own scratch block of `scratch_bytes`, and then calls may run at the same time.
    """

    __slots__ = ("_engine", "address", "program", "scratch_bytes")

    def __init__(self, program: Program, scratch_bytes: int, objects: list[bytes]) -> None:
        self.program = program
        self.scratch_bytes = scratch_bytes
        self._engine = load_objects(objects)
        self.address: int = self._engine.get_function_address(ENTRY)


def compile_program(
    program: Program,
    *,
    fma: bool = True,
    lanes: int | None = None,
    cache: bool = True,
    assemble: bool = True,
    progress: Progress | None = None,
) -> MachineCode:
    """Return the machine code of a program; raises ImportError without llvmlite.

    `fma` fuses products into sums (faster, one rounding less); without it results equal the
    interpreter's bit for bit given the same sines and cosines. `lanes` is the number of samples
    computed at once, by default the width of the host. Without `assemble` all is left to LLVM, also
    where `jounce.codegen.x86` knows the machine; numbers are the same. `progress(done, total)` is
    told about modules compiled.
    """
    with compiling():
        this = host()
        lanes = lanes or this.lanes
        generator = fingerprint("codegen")  # with it, a program decides its IR unprinted

        def make() -> tuple[int, list[bytes]]:
            assembler = _assembler() if assemble and can_assemble(this, lanes) else None
            printed = print_llvm(
                program, lanes=lanes, fma=fma, host_fma=this.fma, assembler=assembler
            )
            return printed.scratch_bytes, compile_modules(printed.modules, progress=progress)

        key = None
        if cache and generator is not None:
            key = disk.key_of(this.identity, generator, program.digest, f"{lanes} {fma} {assemble}")
        scratch_bytes, objects = disk.kept(key, make)
        common = [_common_object(x, cache=cache) for x in print_common(lanes, host_fma=this.fma)]
        return MachineCode(program, scratch_bytes, [*objects, *common])


@kept
def _assembler() -> Any:
    return load_function(ASSEMBLE, "assemble", 17)


@lru_cache(maxsize=16)
def _common_object(text: str, *, cache: bool) -> bytes:
    """Return the object code of a module that programs have in common, cached like them."""
    key = disk.key_of(host().identity, text) if cache else None
    (data,) = disk.kept(key, lambda: [compile_module(text)])
    return data


def load_module(text: str, symbol: str, *, of_words: bool = False) -> tuple[Any, int]:
    """Return the engine and the address of a function of hand-written IR, cached like programs.

    ``of_words`` tells that it is written as in `jounce.codegen.llvm.words`.
    """

    def printed() -> str:
        from jounce.codegen.llvm.words import words_ir

        return words_ir(text, symbol) if of_words else text

    with compiling():
        generator = fingerprint("codegen")  # with it, words decide their IR unprinted
        known = (generator, text) if of_words and generator else ("", printed())
        key = disk.key_of(host().identity, *known)
        engine = load_objects(disk.kept(key, lambda: [compile_module(printed())]))
        return engine, engine.get_function_address(symbol)


def load_function(text: str, symbol: str, arguments: int) -> Any:
    """Return a function of words to a word (`jounce.codegen.llvm.words`), None where there is none.

    It runs without the lock of Python.  There is none without llvmlite, where compiling is switched
    off, and where the first byte of a number is its highest.
    """
    if sys.byteorder != "little" or os.environ.get(INTERPRET):
        return None
    try:
        engine, address = load_module(text, symbol, of_words=True)
    except ImportError:
        return None
    function: Any = ctypes.CFUNCTYPE(WORD, *[WORD] * arguments)(address)
    function.keep = engine
    return function
