"""The host as LLVM sees it, and compilation of one module for it."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import sys
from dataclasses import dataclass
from typing import Any

from jounce.codegen.gate import hold_at_forks

OPTIMIZATION = 1  # code as fast as with 2, compiled in 10 to 30 % less time
FAR = "; calls other modules\n"  # first line of a module that is not self-contained


@dataclass(frozen=True, slots=True)
class Host:
    """What decides the machine code besides the IR."""

    triple: str
    cpu: str
    features: str
    lanes: int
    fma: bool
    llvmlite: str

    @property
    def is_linux_x86(self) -> bool:
        """Tell whether it is the machine that most run on, for which more is known."""
        return sys.platform == "linux" and self.triple.startswith("x86_64")

    @property
    def identity(self) -> str:
        """Text that differs where object code could differ."""
        pointer = ctypes.sizeof(ctypes.c_void_p)
        return "\n".join(
            (self.triple, self.cpu, self.features, self.llvmlite, str(pointer), str(OPTIMIZATION))
        )


@functools.cache
def host() -> Host:
    """Return this machine; needs llvmlite."""
    import llvmlite
    from llvmlite import binding

    try:
        features: dict[str, bool] = dict(binding.get_host_cpu_features())
    except RuntimeError:  # LLVM does not know how to ask this machine
        features = {}
    triple = binding.get_process_triple()
    arm = triple.startswith(("aarch64", "arm64"))
    lanes = 8 if features.get("avx512f") else 4 if features.get("avx") else 2
    flags = ",".join(f"{'+' if on else '-'}{name}" for name, on in sorted(features.items()))
    cpu = binding.get_host_cpu_name()
    fma = arm or bool(features.get("fma"))
    return Host(triple, cpu, flags, lanes, fma, llvmlite.__version__)


@functools.cache
def _ready() -> None:
    """Start LLVM once and let generated code find libm."""
    from llvmlite import binding

    lock = getattr(getattr(binding.ffi.lib, "_lock", None), "_lock", None)
    if lock is not None:  # taken to dispose of code, too
        hold_at_forks(lock)
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    for name in ("sin", "cos"):
        if binding.address_of_symbol(name) is None:
            library = "msvcrt" if sys.platform == "win32" else ctypes.util.find_library("m")
            function = getattr(ctypes.CDLL(library), name)
            binding.add_symbol(name, ctypes.cast(function, ctypes.c_void_p).value)


def _compact() -> bool:
    """Tell whether code may reach its constants by 32-bit offsets.

    LLVM's default for code in memory loads each address as a 64-bit number first. The small
    code model avoids that, but needs llvmlite's memory manager, which keeps the sections of an
    object together and cannot link calls to libm; known to work on Linux.
    """
    return host().is_linux_x86


def target_machine(*, compact: bool) -> Any:
    """Return a new LLVM target machine for this host."""
    from llvmlite import binding

    _ready()
    this = host()
    return binding.Target.from_triple(this.triple).create_target_machine(
        cpu=this.cpu,
        features=this.features,
        opt=OPTIMIZATION,
        reloc="pic" if compact else "default",
        codemodel="small" if compact else "jitdefault",
        jit=True,
    )


def compile_module(text: str) -> bytes:
    """Return the object code of one module of IR; it is compact if it calls nothing outside."""
    from llvmlite import binding

    machine = target_machine(compact=_compact() and not text.startswith(FAR))
    with binding.create_context() as context:
        module = binding.parse_assembly(text, context)
        with module:
            module.triple = host().triple
            return _emitted(machine, module)


def _emitted(machine: Any, module: Any) -> bytes:
    """Return the object code of a module, while other threads emit theirs.

    llvmlite lets one thread at a time into LLVM, since modules may share a context.  Ours have one
    of their own, and a machine of their own, and then LLVM lets threads work side by side, as
    compilers that are built on it do.  A llvmlite whose function is not to be had without its lock
    lets them in one after the other.
    """
    from llvmlite.binding import ffi

    emit = getattr(ffi.lib.LLVMPY_TargetMachineEmitToMemory, "_cfn", None)
    if emit is None:
        return machine.emit_object(module)
    with ffi.OutputString() as error:
        buffer = emit(machine, module, 1, error)
        if not buffer:
            raise RuntimeError(str(error))
    try:
        start, size = ffi.lib.LLVMPY_GetBufferStart(buffer), ffi.lib.LLVMPY_GetBufferSize(buffer)
        return ctypes.string_at(start, size)
    finally:
        ffi.lib.LLVMPY_DisposeMemoryBuffer(buffer)


def load_objects(objects: list[bytes]) -> Any:
    """Return an engine that holds the linked objects."""
    from llvmlite import binding

    machine, together = target_machine(compact=False), True if _compact() else None
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine, use_lmm=together)
    for data in objects:
        engine.add_object_file(binding.ObjectFileRef.from_data(data))
    engine.finalize_object()
    return engine
