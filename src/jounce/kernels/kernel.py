"""A kernel: one quantity of one robot at one order, bound to its code."""

from __future__ import annotations

import threading
import warnings
from collections import OrderedDict
from collections.abc import Sequence
from functools import cache, cached_property
from math import prod
from typing import Any

import numpy as np

from jounce.codegen.graph import Graph
from jounce.codegen.interpreter import interpret
from jounce.codegen.native import compile_program
from jounce.codegen.program import Program
from jounce.kernels.arrays import (
    apart,
    check_values,
    checked_arrays,
    input_rows,
    result_array,
)
from jounce.kernels.execution import Runner
from jounce.kernels.quantities import KernelSpec, kernel_spec, run_text, signature
from jounce.model.robot import Robot

KEPT_KERNELS = 256


class Kernel:
    """Compiled code for one quantity; call it with ``q, *rates, *wrenches``."""

    def __init__(self, spec: KernelSpec) -> None:
        self.spec = spec
        self.signature = signature(spec)

    def __repr__(self) -> str:
        robot, quantity, order, _ = self.spec
        names = ", ".join(a.name for a in self.signature.arguments)
        return f"<Kernel {quantity} of {robot.name!r}, order {order}: ({names})>"

    @cached_property
    def program(self) -> Program:
        """The traced operations."""
        graph = Graph()
        widths = [a.width for a in self.signature.arguments for _ in range(max(a.orders, 1))]
        return graph.program(widths, run_text(self.spec, graph.inputs(sum(widths))))

    @cached_property
    def runner(self) -> Runner | None:
        """The machine code; None where llvmlite is missing and the interpreter runs."""
        try:
            native = compile_program(self.program)
        except ImportError:
            _warn_once()
            return None
        return Runner(native, self.program.operations)

    @property
    def operations(self) -> int:
        """Number of arithmetic operations of one sample."""
        return self.program.operations

    def __call__(
        self, *arrays: Any, out: np.ndarray | None = None, threads: int | None = 1, check: bool = False
    ) -> np.ndarray:
        """Return the quantity and its derivatives, ``(order + 1, *batch, ...)``."""
        given, batch = checked_arrays(self.signature, arrays)
        if check:
            check_values(self.spec.robot, self.signature, given)
        result = result_array(self.signature, batch, out)
        if out is not None:
            given = apart(given, out)
        rows = prod(batch)
        if rows and self.runner is None:
            self._interpret(given, batch, result)
        elif rows and self.runner is not None:
            self.runner.run(input_rows(self.signature, given, batch), result, rows, threads)
        return result

    def _interpret(self, arrays: Sequence[np.ndarray], batch: Any, result: np.ndarray) -> None:
        rows = []
        for argument, array in zip(self.signature.arguments, arrays, strict=True):
            rows += list(array) if argument.orders else [array]
        for k, block in enumerate(interpret(self.program, rows)):
            result[k] = np.broadcast_to(block, (*batch, block.shape[-1])).reshape(result[k].shape)


def kernel(robot: Robot, quantity: str, *, order: int = 0, wrenches: Sequence[Any] = ()) -> Kernel:
    """Return the compiled kernel of a quantity, for hot loops and export."""
    return cached_kernel(kernel_spec(robot, quantity, order, wrenches))


_kernels: OrderedDict[KernelSpec, Kernel] = OrderedDict()
_lock = threading.Lock()


def cached_kernel(spec: KernelSpec) -> Kernel:
    """Return the kernel of this description, made once and kept while it is used."""
    with _lock:
        found = _kernels.get(spec)
        if found is None:
            found = _kernels[spec] = Kernel(spec)
            if len(_kernels) > KEPT_KERNELS:
                _kernels.popitem(last=False)
        else:
            _kernels.move_to_end(spec)
        return found


@cache
def _warn_once() -> None:
    warnings.warn(
        "llvmlite is not installed: Jounce computes with its NumPy interpreter, correct but "
        "tens of times slower. Install llvmlite to get machine code.",
        RuntimeWarning,
        stacklevel=5,
    )
