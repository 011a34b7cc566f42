"""Exported C compiles without a warning and gives the interpreter's bits."""

from __future__ import annotations

import ctypes
import math
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from jounce.codegen import Graph, Program, interpret
from jounce.codegen.c99 import C99, CFunction, Dialect
from tests.tolerances import EXACT, ROUNDOFF, assert_close
from tests.unit.codegen.programs import chain

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
WARNINGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
FLAGS = [*WARNINGS, "-O2", "-ffp-contract=off", "-shared", "-fPIC"]


def run_c(
    source: str, program: Program, inputs: list[np.ndarray], place: Path, samples: int = 1
) -> list[np.ndarray]:
    (place / "code.c").write_text(source)
    library = place / f"code{len(list(place.iterdir()))}.so"  # one that is loaded stays
    subprocess.run(["cc", *FLAGS, str(place / "code.c"), "-o", str(library), "-lm"], check=True)
    function = ctypes.CDLL(str(library)).evaluate
    outputs = [np.full(samples * width, np.nan) for width in program.output_widths]
    function(*[ctypes.c_void_p(x.ctypes.data) for x in (*inputs, *outputs)])
    return outputs


@needs_compiler
@pytest.mark.parametrize("chunk", [2000, 50])
def test_c_gives_the_interpreters_bits(chunk: int, tmp_path: Path):
    program = chain(20, sines=False)
    inputs = [np.random.default_rng(0).normal(size=w) for w in program.input_widths]
    source = CFunction(program, "evaluate").source("A test. */ Not code.", chunk)
    assert ("_part" in source) == (chunk == 50)
    desired = interpret(program, inputs)
    for got, wanted in zip(run_c(source, program, inputs, tmp_path), desired, strict=True):
        assert_close(got, wanted, EXACT)


@needs_compiler
def test_c_calls_libm(tmp_path: Path):
    program = chain(20)
    inputs = [np.random.default_rng(0).normal(size=w) for w in program.input_widths]
    source = CFunction(program, "evaluate").source()
    desired = interpret(program, inputs)
    for got, wanted in zip(run_c(source, program, inputs, tmp_path), desired, strict=True):
        assert_close(got, wanted, ROUNDOFF)


@needs_compiler
def test_odd_programs_compile(tmp_path: Path):
    graph = Graph()
    x, _, z = graph.inputs(3)
    rows = [[x, -x, 2.0, -0.1, math.inf, -(z / x).sqrt(), (-z).sincos()[0] - 1e-300], []]
    program = graph.program([1, 1, 1], rows)
    inputs = [np.array([0.5]), np.array([1.0]), np.array([0.25])]
    source = CFunction(program, "evaluate").source()
    assert "(void)in1;" in source
    assert "(void)out1;" in source
    got, _ = run_c(source, program, inputs, tmp_path)
    assert_close(got[:6], interpret(program, inputs)[0][:6], EXACT)
    assert got[6] == -math.sin(0.25)


@needs_compiler
@pytest.mark.parametrize("samples", [1, 32, 45])
@pytest.mark.parametrize("chunk", [None, 7])
def test_a_batch_gives_the_interpreters_bits(samples: int, chunk: int | None, tmp_path: Path):
    program = chain(20, sines=False)
    rng = np.random.default_rng(0)
    inputs = [rng.normal(size=(samples, w)) for w in program.input_widths]
    source = CFunction(program, "evaluate", dialect=Dialect(samples=samples)).source(chunk=chunk)
    results = run_c(source, program, inputs, tmp_path, samples)
    for got, wanted in zip(results, interpret(program, inputs), strict=True):
        assert_close(got, wanted.ravel(), EXACT)


@needs_compiler
def test_odd_batches_compile(tmp_path: Path):
    """Inputs that are results, constants, sines of sines, nothing to hand on, nothing at all."""
    graph = Graph()
    x, y = graph.inputs(2)
    inner = (x + y).sincos()[0]
    inputs = [np.linspace(0, 1, 40)[:, None], np.linspace(2, 5, 40)[:, None]]
    for rows in ([[x, 2.0, y], [y]], [[inner.sincos()[1] * x]], [[x * y]], [[]]):
        program = graph.program([1, 1], rows)
        source = CFunction(program, "evaluate", dialect=Dialect(samples=40)).source()
        results = run_c(source, program, inputs, tmp_path, 40)
        for got, wanted in zip(results, interpret(program, inputs), strict=True):
            assert_close(got, wanted.ravel(), ROUNDOFF)


def test_names_and_prototype():
    program = chain(2)
    function = CFunction(program, "torques", inputs=["q", "v"], outputs=["x", "tau"])
    text = function.prototype
    assert text == "void torques(const double *q, const double *v, double *x, double *tau)"
    assert text in function.source()


@pytest.mark.parametrize("value", [0.1, -0.1, 16777217.0, -3.0, 1e-44])
def test_single_literals_are_the_nearest(value: float):
    text = Dialect(float32=True).literal(value).strip("()").partition(" /*")[0]
    assert text.endswith("f")
    number = float.fromhex(text[:-1]) if "x" in text else float(text[:-1])
    assert number == float(np.float32(value))


@pytest.mark.parametrize("value", [0.1, -0.1, 1e-300, 123456.0, 1e22, -3.0, 5e-324])
def test_literals_are_exact(value: float):
    text = C99.literal(value).strip("()").partition(" /*")[0]
    assert (float.fromhex(text) if "x" in text else float(text)) == value
