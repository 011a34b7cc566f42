"""A kernel: one quantity of one robot at one order, bound to its code."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import cache, lru_cache, partial
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from jounce.codegen.gate import compiling
from jounce.codegen.machine_code import INTERPRET, compile_program
from jounce.codegen.matlab import WORDS as MATLAB
from jounce.codegen.parallel import Progress
from jounce.codegen.program import Program
from jounce.errors import check_name
from jounce.kernels.arrays import (
    Rows,
    apart,
    check_result,
    check_values,
    checked_arrays,
    input_rows,
    result_array,
    result_rows,
)
from jounce.kernels.casadi_c import export_casadi
from jounce.kernels.description import KernelSpec, kernel_spec, partials_of, signature
from jounce.kernels.execution import Runner, run_interpreted
from jounce.kernels.export import c_source, export_c, exported
from jounce.kernels.export_cpp import export_cpp
from jounce.kernels.export_matlab import export_matlab
from jounce.kernels.fastcall.batch import lay_out, run_batch
from jounce.kernels.fastcall.call import fast_callable
from jounce.kernels.products import PRODUCTS
from jounce.kernels.tracing import traced
from jounce.kernels.waiting import told_when_slow
from jounce.lazy import cached_property
from jounce.model.checks import checked_integer
from jounce.model.robot import Robot

KEPT_KERNELS = 256
LARGE = 1e50  # a constant beyond it may overflow with what it is multiplied with


class Kernel:
    """Compiled code for one quantity; call it with ``q, *rates, *wrenches``.

    ``__call__`` is a slot: once the code is compiled it holds a built-in function that takes
    single samples without a detour through Python, see `jounce.kernels.fastcall.call`.  So does
    ``checked``, which does what the public functions do: everything checked, any threads.
    """

    __slots__ = ("__call__", "__dict__", "__weakref__", "checked")
    __call__: Callable[..., np.ndarray]
    checked: Callable[..., np.ndarray]

    def __init__(self, spec: KernelSpec) -> None:
        self.spec = spec
        self.signature = signature(spec)
        self._numbers = self.signature.rows * prod(self.signature.tail)  # of one sample
        self._lock = threading.RLock()  # held while compiling
        self._runner: Runner | None = None
        self._lay_out: Callable[..., bool] | None = None
        self._is_ready = False
        self.__call__ = self.call
        self.checked = partial(self.call, check=True, threads=None)

    def __reduce__(self) -> Any:
        return kernel_of, (self.spec,)

    @property
    def _title(self) -> str:
        robot, quantity, order, *_ = self.spec
        quantity = " of ".join([*reversed(self.spec.products), quantity])
        return f"{quantity} of {robot.name!r}, order {order}"

    def __repr__(self) -> str:
        names = ", ".join(a.name for a in self.signature.arguments)
        return f"<Kernel {self._title}: ({names})>"

    def __str__(self) -> str:
        shapes = [
            f"{a.name} ({f'{a.orders}, ' if a.orders else ''}*batch, {a.width})"
            for a in self.signature.arguments
        ]
        results = (self.signature.rows, "*batch", *self.signature.tail)
        state = "compiled" if self._is_ready else "not compiled yet"
        if "program" in self.__dict__:  # tracing may take its time
            state = f"{self.operations} operations, {state}"
        return (
            f"kernel of {self._title}: {state}\n"
            f"arguments: {', '.join(shapes)}\nresult: ({', '.join(map(str, results))})"
        )

    @cached_property
    def program(self) -> Program:
        """The traced operations."""
        return traced(self.spec)

    @cached_property
    def _stored(self) -> Program:
        """The operations without the zeros behind partials by short arguments."""
        arguments, rows = partials_of(self.spec), self.program.outputs
        widths = [a.width for a in arguments or () for _ in range(max(a.orders, 1))]
        if len(set(widths)) < 2:
            return self.program
        cut = [row[:width] for row, width in zip(rows, widths, strict=True)]
        return replace(self.program, outputs=tuple(cut))

    @property
    def operations(self) -> int:
        """Number of arithmetic operations of one sample."""
        return self.program.operations

    @cached_property
    def _ordinary(self) -> bool:
        """Whether the robot's own numbers let no result of small arguments overflow."""
        return all(abs(x) < LARGE for x in self.program.constants)  # NaN is not

    def compile(self, progress: Progress | None = None) -> Kernel:
        """Compile now rather than at the first call.

        ``progress(done, total)`` is told about parts of the code that are compiled; it is not
        called where the code is there already, in this process or on disk.  Without it, what
        takes more than a second is said on stderr, if that is a terminal.
        """
        with compiling(), self._lock:  # whoever comes second finds it done
            if not self._is_ready:
                told = f"compiling {self._title}; it is kept for the next time"
                with told_when_slow(told) if progress is None else nullcontext():
                    self._runner = self._compiled(progress)
                self._is_ready = True
        return self

    @property
    def runner(self) -> Runner | None:
        """The machine code; None where llvmlite is missing and the interpreter runs."""
        if not self._is_ready:
            self.compile()
        return self._runner

    def _compiled(self, progress: Progress | None) -> Runner | None:
        ordinary = self._ordinary  # traced here: a fork elsewhere would copy a lock that is taken
        if os.environ.get(INTERPRET):
            return None
        try:
            native = compile_program(self._stored, progress=progress)
        except ImportError:
            _warn_once()
            return None
        runner = Runner(native, self.program.operations)
        is_whole = self._stored is self.program  # nothing is left for Python to fill
        batch = run_batch(runner, self.signature, self.call) if is_whole else self.call
        self.__call__ = fast_callable(native, self.signature, batch)
        self._lay_out = lay_out(self.signature)
        balls = [part.start for part in self.spec.robot.quaternions]
        if ordinary:
            self.checked = fast_callable(native, self.signature, self.checked, quaternions=balls)
        return runner

    def call(
        self,
        *arrays: Any,
        out: np.ndarray | None = None,
        threads: int | None = 1,
        check: bool = False,
    ) -> np.ndarray:
        """Return the quantity and its derivatives, ``(order + 1, *batch, ...)``.

        ``out`` is filled and returned; it may overlap the arguments.  ``threads=None`` takes
        as many as the work is worth; the result is the same whatever their number.
        ``check=True`` refuses NaN, infinity, also in a result of numbers that are too large, and
        quaternions that are not of unit length.
        """
        if threads is not None:
            checked_integer("threads", threads, 1)
        plain = self._plain(arrays, out, threads)
        if plain is not None:
            result, job, rows, runner = plain
            small = not check or self._is_small(arrays)
            runner.do(job, rows, (arrays, result))
        else:
            given, batch = checked_arrays(self.signature, arrays)
            small = not check or self._is_small(given)
            if check and small and not batch and out is None and self.runner is not None:
                return self.__call__(*given)  # one sample: the built-in, if it takes it
            result = result_array(self.signature, batch, out)
            if out is not None:
                given = apart(given, out)
            if rows := prod(batch):
                places = input_rows(self.signature, given, batch)
                self.run_rows(places, result_rows(result, rows), rows, threads)
        if self._stored is not self.program:
            for block, width in zip(result, self._stored.output_widths, strict=True):
                block[..., width:] = 0.0
        if not small:
            check_result(result)
        return result

    def run_rows(self, inputs: Rows, outputs: Rows, rows: int, threads: int | None = None) -> None:
        """Run on rows in memory, unchecked: one entry an order of every argument and result.

        Partials are written as wide as their argument, without the zeros that a call appends.
        """
        if (runner := self.runner) is not None:
            runner.run(inputs, outputs, rows, threads)
        else:
            run_interpreted(self._stored, inputs, outputs, rows)

    def _is_small(self, arrays: Sequence[np.ndarray]) -> bool:
        """Check the values of arguments; tell whether they let no result overflow."""
        return check_values(self.spec.robot, self.signature, arrays) and self._ordinary

    def _plain(
        self, arrays: Sequence[Any], out: np.ndarray | None, threads: int | None
    ) -> tuple[np.ndarray, Any, int, Runner] | None:
        """Return the result and the job of a batch of plain arrays; None where they are not."""
        runner, result = self.runner, out
        if runner is None or self._lay_out is None or not arrays:
            return None
        if out is None:
            first = arrays[0]
            if type(first) is not np.ndarray or first.ndim < 2:
                return None
            result = np.empty((self.signature.rows, *first.shape[:-1], *self.signature.tail))
        if type(result) is not np.ndarray or not result.size or not self._numbers:
            return None
        rows = result.size // self._numbers
        job = runner.job(rows, threads)
        return (result, job, rows, runner) if self._lay_out(job, result, *arrays) else None

    def c_source(
        self, name: str | None = None, *, float32: bool = False, batch: int | None = None
    ) -> str:
        """Return the kernel as one C99 function; ``name`` is the function's."""
        return c_source(exported(self.spec, self.program, name, float32=float32, batch=batch))

    def export_c(
        self,
        directory: str | Path,
        name: str | None = None,
        *,
        float32: bool = False,
        batch: int | None = None,
    ) -> tuple[Path, ...]:
        """Write header, source, ``examples/main.c`` and ``CMakeLists.txt``; return the paths.

        With ``float32`` in single precision, whose measured error the header states; with ``batch``
        for that many samples at once, one after another in every array.
        """
        own = exported(self.spec, self.program, name, float32=float32, batch=batch)
        return export_c(own, Path(directory))

    def export_cpp(
        self,
        directory: str | Path,
        name: str | None = None,
        *,
        float32: bool = False,
        batch: int | None = None,
        template: str | None = None,
    ) -> tuple[Path, ...]:
        """Write one C++17 header, ``examples/main.cpp`` and ``CMakeLists.txt``; return the paths.

        ``float32`` and ``batch`` as for C.  ``template`` adds a file that calls it: "ros2_control",
        a controller, or "sfunction", a block of Simulink.
        """
        own = exported(self.spec, self.program, name, cpp=True, float32=float32, batch=batch)
        return export_cpp(own, Path(directory), template)

    def export_matlab(self, directory: str | Path, name: str | None = None) -> tuple[Path, ...]:
        """Write a function of MATLAB (and Octave), ``name.m``; return the path."""
        own = exported(self.spec, self.program, name, taken=MATLAB.split())
        return export_matlab(own, Path(directory))

    def export_casadi(self, directory: str | Path, name: str | None = None) -> tuple[Path, ...]:
        """Write C with CasADi's external interface and the exact Jacobian; return the path."""
        return export_casadi(exported(self.spec, self.program, name), Path(directory))

    def product(self, kind: str) -> Kernel:
        """Return the kernel of a derivative by the arguments: ``jvp``, ``vjp`` or ``jacobian``.

        ``jvp`` takes a direction for each argument after the arguments and returns ``J dx``;
        ``vjp`` takes λ of ``(rows, *batch, size)`` and returns ``Jᵀ λ``, one row an argument,
        shorter ones followed by zeros; ``jacobian`` returns J, its columns one argument after the
        other.  Quaternions are varied number by number.  A product has products itself.
        """
        check_name("product", kind, PRODUCTS)
        return kernel_of(self.spec._replace(products=(*self.spec.products, kind)))


def kernel(
    robot: Robot,
    quantity: str,
    *,
    order: int = 0,
    wrenches: Sequence[Any] = (),
    **options: Any,
) -> Kernel:
    """Return the compiled kernel of a quantity, for hot loops and export.

    ``wrenches`` names frames, or pairs of frame and representation; ``options`` are those of
    the public function: ``frame``, ``representation``, ``formulation``, ``friction``.

    A call ``k(q, v, …)`` takes arrays in the order of the public function, with any batch.
    ``out=`` is an array that is filled and returned; ``threads=`` is how many share a batch (None:
    as many as the work is worth); ``check=True`` refuses what the public function refuses, NaN
    and infinity, which a call without it does not look for.

    >>> import jounce, numpy as np
    >>> k = jounce.kernel(jounce.load("panda"), "inverse_dynamics", order=2, wrenches=("flange",))
    >>> q = v = a = j = s = np.full(7, 0.1)
    >>> k(q, v, a, j, s, np.zeros((3, 6))).shape
    (3, 7)
    """
    return kernel_of(kernel_spec(robot, quantity, order, wrenches, options)).compile()


_kernel = lru_cache(KEPT_KERNELS)(Kernel)
_registry = threading.Lock()


def _new_registry() -> None:
    """Let a forked child forget that another thread of its parent was looking."""
    global _registry  # noqa: PLW0603
    _registry = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_registry)


def kernel_of(spec: KernelSpec) -> Kernel:
    """Return the kernel of this description, made once and kept while it is used."""
    with _registry:  # of threads that come together one makes it
        return _kernel(spec)


@cache
def _warn_once() -> None:
    warnings.warn(
        "llvmlite is not installed: Jounce computes with its NumPy interpreter, correct but "
        "tens of times slower. Install llvmlite to get machine code.",
        RuntimeWarning,
        stacklevel=5,
    )
