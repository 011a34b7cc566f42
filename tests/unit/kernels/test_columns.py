"""Kernels of arguments that are columns in one piece: the bits that rows give."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import jounce
from jounce.codegen.machine_code import compile_program
from jounce.errors import ShapeError
from jounce.kernels.arrays import Rows
from jounce.kernels.columns import column_kernel
from jounce.kernels.execution import Runner
from jounce.memory import new_columns
from tests.tolerances import EXACT, assert_close

GUARD = 77.0


def in_columns(x: np.ndarray) -> np.ndarray:
    """Return the same numbers ``(samples, width)``, those of a column side by side."""
    found = new_columns(x.shape[1], len(x))
    found[...] = x.T
    return found.T


@pytest.mark.parametrize("name", ["planar2r", "panda", "pendulum"])
@pytest.mark.parametrize("samples", [1, 7, 8, 100])
def test_bits_are_those_of_rows(name: str, samples: int, rng: np.random.Generator):
    robot = jounce.load("panda" if name == "pendulum" else name)
    if name == "pendulum":
        robot = robot.with_locked({joint.name: 0.3 for joint in robot.joints[1:]})
    kernel = jounce.kernel(robot, "inverse_dynamics", order=2)
    rows = list(rng.normal(size=(5, samples, robot.nv)))
    got = column_kernel(kernel)(*map(in_columns, rows))
    assert_close(got, kernel(*rows), EXACT)
    assert samples == 1 or got.strides[1] == 8


def test_whatever_is_not_columns_the_kernel_sees_to(rng: np.random.Generator):
    kernel = jounce.kernel(jounce.load("planar2r"), "inverse_dynamics", order=1)
    both = column_kernel(kernel)
    motion = list(rng.normal(size=(4, 20, 2)))
    wanted = kernel(*motion)
    assert_close(both(*motion), wanted, EXACT)
    assert_close(both(in_columns(motion[0]), *motion[1:]), wanted, EXACT)
    single = [x.astype(np.float32) for x in motion]
    assert_close(both(*map(np.asfortranarray, single)), kernel(*single), EXACT)
    assert both(*[in_columns(x[:0]) for x in motion]).shape == (2, 0, 2)
    with pytest.raises(ShapeError, match="expected 4 arrays"):
        both(*map(in_columns, motion[:3]))


def test_without_machine_code(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch):
    kernel = jounce.kernel(jounce.load("planar2r"), "inverse_dynamics")
    motion = [in_columns(x) for x in rng.normal(size=(3, 20, 2))]
    wanted = kernel(*motion)
    monkeypatch.setattr(kernel, "_runner", None)
    monkeypatch.setattr(kernel, "__call__", lambda *_: wanted)
    assert column_kernel(kernel)(*motion) is wanted


@pytest.mark.parametrize("samples", [1, 5, 8, 13, 40, 75])
@pytest.mark.parametrize("step", [1, 3, -1])
def test_arguments_of_one_number(samples: int, step: int, rng: np.random.Generator):
    """Side by side or apart, upwards or down; nothing beside the results is written."""
    program = jounce.kernel(jounce.load("planar2r"), "inverse_dynamics").program
    single = tuple((x,) for row in program.outputs for x in row)
    split = replace(program, input_widths=(1,) * program.input_count, outputs=single)
    runner = Runner(compile_program(split), program.operations)
    values = rng.normal(size=(6, samples))
    given, got = (np.full((n, 3 * samples + 40), GUARD) for n in (6, 2))
    places = slice(20, 20 + 3 * samples, 3) if step == 3 else slice(20, 20 + samples)
    inside, outside = given[:, places], got[:, places]
    inside[...] = values if step > 0 else values[:, ::-1]
    first = 8 * (20 if step > 0 else 19 + samples)
    rows = [
        Rows([x.ctypes.data + first for x in memory], [step] * len(memory), memory)
        for memory in (given, got)
    ]
    runner.run(*rows, samples, 1)
    wanted = jounce.kernel(jounce.load("planar2r"), "inverse_dynamics")(
        *(np.ascontiguousarray(x.T) for x in values.reshape(3, 2, samples))
    )
    found = outside if step > 0 else outside[:, ::-1]
    assert_close(found, wanted[0].T, EXACT)
    outside[...] = GUARD
    assert (got == GUARD).all()


def test_columns_have_places_of_their_own_in_a_cache():
    for samples in (1, 1000, 4096, 16384, 65536):
        columns = new_columns(36, samples)
        assert columns.shape == (36, samples)
        lines = (columns.ctypes.data + columns.strides[0] * np.arange(36)) / 64.0
        assert len(set(lines % 64)) == 36
        assert (lines % 1.0 == 0.0).all()
