"""The vector sine and cosine against mpmath, in units in the last place."""

from __future__ import annotations

import math
from pathlib import Path

import mpmath
import numpy as np
import pytest

from jounce.codegen import Graph, cache
from jounce.codegen.llvm.sincos import LIMIT
from jounce.codegen.machine_code import compile_program
from tests.backends.entry_point import run_rows

MAX_ULP = 1.0


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))


def sincos(angles: np.ndarray, lanes: int | None = None) -> np.ndarray:
    graph = Graph()
    (x,) = graph.inputs(1)
    code = compile_program(graph.program([1], [x.sincos()]), lanes=lanes)
    result = np.full((len(angles), 2), np.nan)
    run_rows(code, [angles[:, None].copy()], [result])
    return result


def error_in_ulp(angles: np.ndarray) -> float:
    worst = 0.0
    with mpmath.workdps(60):
        for x, (s, c) in zip(angles.tolist(), sincos(angles).tolist(), strict=True):
            for value, exact in ((s, mpmath.sin(x)), (c, mpmath.cos(x))):
                ulp = math.ulp(float(exact))
                worst = max(worst, float(abs(value - exact)) / ulp)
    return worst


def near_multiples_of_half_pi() -> np.ndarray:
    rng = np.random.default_rng(0)
    counts = np.r_[np.arange(-40, 41), rng.integers(-63661, 63661, 1500)]
    with mpmath.workdps(60):
        nearest = np.array([float(int(n) * mpmath.pi / 2) for n in counts])
    shifted = [np.nextafter(nearest, np.inf), np.nextafter(nearest, -np.inf)]
    return np.concatenate([nearest, *shifted])


def sampled(low: float, high: float, count: int = 1500) -> np.ndarray:
    rng = np.random.default_rng(1)
    return np.exp(rng.uniform(np.log(low), np.log(high), count)) * rng.choice([-1, 1], count)


CASES = {
    "one turn": np.random.default_rng(2).uniform(-7, 7, 3000),
    "whole range": np.random.default_rng(3).uniform(-LIMIT, LIMIT, 3000),
    "logarithmic": sampled(1e-9, LIMIT),
    "tiny": sampled(5e-324, 1e-8, 300),
    "near multiples of a quarter turn": near_multiples_of_half_pi(),
    "beyond": sampled(LIMIT, 1e300, 300),
    "edges": np.array([0.0, -0.0, LIMIT, -LIMIT, np.nextafter(LIMIT, 2e5), np.pi / 4]),
}


@pytest.mark.parametrize("case", CASES)
def test_error_is_below_one_ulp(case: str):
    assert error_in_ulp(CASES[case]) < MAX_ULP


def test_nan_and_infinity_give_nan():
    assert np.isnan(sincos(np.array([np.nan, np.inf, -np.inf]))).all()


def test_lanes_do_not_affect_each_other():
    calm = np.random.default_rng(4).uniform(-10, 10, 64)
    wild = calm.copy()
    wild[::3] = [np.nan, np.inf, 1e300, -3e5] * 5 + [7e7, 1e18]
    expected = sincos(calm)
    result = sincos(wild)
    same = wild == calm
    assert (result[same] == expected[same]).all()


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_the_number_of_lanes_does_not_matter(lanes: int):
    angles = np.r_[sampled(1e-5, 1e7, 200), np.nan]
    np.testing.assert_array_equal(sincos(angles, lanes), sincos(angles))


def test_without_fma_instructions_libm_is_called():
    from jounce.codegen.llvm.host import compile_module
    from jounce.codegen.llvm.printer import print_common, print_llvm
    from jounce.codegen.machine_code import MachineCode

    graph = Graph()
    (x,) = graph.inputs(1)
    program = graph.program([1], [x.sincos()])
    printed = print_llvm(program, lanes=4, fma=True, host_fma=False)
    modules = *printed.modules, *print_common(4, host_fma=False)
    objects = [compile_module(module) for module in modules]
    code = MachineCode(program, printed.scratch_bytes, objects)
    angles = np.array([[0.3], [2.0], [-1e6], [5.0], [np.nan]])
    result = np.empty((5, 2))
    run_rows(code, [angles], [result])
    libm = [[math.sin(x), math.cos(x)] for x in angles[:, 0]]
    np.testing.assert_array_equal(result, libm)
