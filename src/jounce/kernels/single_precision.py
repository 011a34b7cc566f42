"""How far single precision is from double, measured where code is exported."""

from __future__ import annotations

import numpy as np

from jounce.codegen.interpreter import interpret
from jounce.codegen.program import Program
from jounce.errors import UnsupportedError
from jounce.kernels.description import KernelSpec

SAMPLES = 1000
_LARGEST = float(np.finfo(np.float32).max)


def errors(spec: KernelSpec, program: Program) -> list[float]:
    """Return the largest error of each result, as part of its largest number; NaN if one is.

    Both precisions start from the same single-precision inputs, always the same ones.
    """
    inputs = random_inputs(spec, program)
    single = interpret(program, inputs, dtype=np.float32)
    double = interpret(program, inputs)
    return [_error(x, y) for x, y in zip(single, double, strict=True)]


def random_inputs(spec: KernelSpec, program: Program, seed: int = 0) -> list[np.ndarray]:
    """Return samples in single precision: q within its limits, the rest between −1 and 1."""
    rng = np.random.default_rng(seed)
    q = spec.robot.random_configuration(rng, size=SAMPLES)
    rest = [rng.uniform(-1.0, 1.0, (SAMPLES, width)) for width in program.input_widths[1:]]
    return [x.astype(np.float32) for x in (q, *rest)]


def check_constants(program: Program) -> None:
    """Raise if a number of the robot is beyond single precision."""
    large = [x for x in program.constants if not abs(x) <= _LARGEST]
    if large:
        raise UnsupportedError(
            f"a constant of this function is {large[0]:.6g}, and single precision ends at "
            f"{_LARGEST:.3g}; export it in double precision."
        )


def _error(single: np.ndarray, double: np.ndarray) -> float:
    scale = np.abs(double).max(initial=0.0)
    with np.errstate(invalid="ignore"):
        return float(np.abs(single - double).max(initial=0.0) / scale) if scale else 0.0
