"""Chunks assembled without LLVM give, bit for bit, what LLVM's give."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import jounce
from jounce.codegen.graph import Graph
from jounce.codegen.llvm.host import host
from jounce.codegen.machine_code import compile_program
from jounce.codegen.program import Program
from jounce.codegen.x86 import can_assemble
from jounce.kernels.description import kernel_spec
from jounce.kernels.tracing import trace
from tests.backends.entry_point import run_rows

pytest.importorskip("llvmlite")
LANES = [n for n in (4, 8) if can_assemble(host(), n)]
pytestmark = pytest.mark.skipif(not LANES, reason="no x86-64 with AVX")
ROWS = 37  # blocks of groups, single groups and a part of one, at 4 lanes and at 8


def both(program: Program, lanes: int, *, fma: bool, rng: np.random.Generator) -> list[np.ndarray]:
    """Return all results by assembled code and by LLVM's."""
    inputs = [rng.uniform(0.5, 2.0, size=(ROWS, width)) for width in program.input_widths]
    results = []
    for assemble in (True, False):
        code = compile_program(program, lanes=lanes, fma=fma, cache=False, assemble=assemble)
        outputs = [np.full((ROWS, width), np.nan) for width in program.output_widths]
        run_rows(code, inputs, outputs)
        results.append(np.concatenate(outputs, axis=1))
    return results


def random_program(rng: np.random.Generator, operations: int, live: int) -> Program:
    """Return operations of all kinds on the last ``live`` values and constants."""
    graph = Graph()
    values = list(graph.inputs(7))
    for _ in range(operations):
        pool = values[-live:]
        a, b, c = (pool[rng.integers(len(pool))] for _ in range(3))
        constant = float(rng.uniform(0.5, 2.0))
        makers = [
            lambda a=a, b=b: a + b,
            lambda a=a, b=b: a - b,
            lambda a=a, b=b: 0.5 * (a * b),
            lambda a=a, b=b: a / (b * b + 1.0),
            lambda a=a, b=b, c=c: a * b + c,
            lambda a=a, b=b, c=c: c - a * b,
            lambda a=a, b=b, c=c: a * b - c,
            lambda a=a, b=b, c=c: -(a * b) - c,
            lambda a=a: a * a + a,
            lambda a=a: -a,
            lambda a=a, x=constant: x - a,
            lambda a=a, b=b, x=constant: a * x + b,
            lambda a=a, b=b, x=constant: a * b + x,
            lambda a=a, x=constant: x / (a * a + 1.0),
            lambda a=a: (a * a + 1.0).sqrt(),
        ]
        made = makers[rng.integers(len(makers))]()
        if not isinstance(made, float):  # a − a
            values.append(made / (made * made + 1.0))  # no sum grows into infinity
    return graph.program([7], [values[-live:]])


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("fma", [True, False])
@pytest.mark.parametrize(("operations", "live"), [(1, 2), (60, 5), (900, 40), (900, 300)])
def test_all_operations_and_register_pressures(
    lanes: int, fma: bool, operations: int, live: int, rng: np.random.Generator
):
    program = random_program(rng, operations, live)
    ours, llvm = both(program, lanes, fma=fma, rng=rng)
    assert np.isfinite(llvm).all()
    np.testing.assert_array_equal(ours.view(np.int64), llvm.view(np.int64))


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        ("planar2r", "inverse_dynamics"),
        ("panda", "inverse_dynamics"),
        ("panda", "forward_dynamics_partials"),
        ("panda", "regressor"),
        ("panda", "inverse_kinematics_rates"),
    ],
)
def test_kernels(name: str, quantity: str, lanes: int, rng: np.random.Generator):
    robot = jounce.load(name)
    options = {"frame": robot.bodies[-1].name} if quantity == "inverse_kinematics_rates" else {}
    program = trace(kernel_spec(robot, quantity, options=options))
    ours, llvm = both(program, lanes, fma=True, rng=rng)
    np.testing.assert_array_equal(ours.view(np.int64), llvm.view(np.int64))


def test_a_machine_is_asked_for_what_the_code_needs():
    this = host()
    assert not can_assemble(this, 2)
    assert not can_assemble(replace(this, features=this.features.replace("+avx", "-avx")), 4)
    assert not can_assemble(replace(this, features=this.features.replace("+avx512dq", "")), 8)
    assert not can_assemble(replace(this, triple="aarch64-unknown-linux-gnu"), 4)
