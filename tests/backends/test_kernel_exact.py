"""Random robots: machine code without FMA equals the interpreter bit for bit; with FMA closely."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.codegen.interpreter import interpret
from jounce.codegen.machine_code import compile_program
from jounce.kernels.description import kernel_spec
from jounce.kernels.kernel import Kernel
from jounce.model.robot import Robot
from tests.backends.entry_point import run_rows
from tests.tolerances import EXACT, ROUNDOFF, assert_close
from tests.unit.kernels.motions import random_motion
from tests.unit.kernels.sines import sines_as_inputs

ROWS = 11  # no multiple of any number of lanes


def a_robot(seed: int) -> Robot:
    rng = np.random.default_rng(seed)
    return jounce.examples.random_tree(
        rng,
        int(rng.integers(1, 13)),
        branching=rng.random(),
        massless=0.3 * (seed % 2),
        floating_base=seed % 3 == 0,
        oblique_gravity=seed % 2 == 1,
        armature=seed % 5 == 0,
        damping=seed % 7 == 0,
    )


def compiled(program, inputs: list[np.ndarray], *, fma: bool, lanes: int | None = None):
    native = compile_program(program, fma=fma, lanes=lanes, cache=False)
    outputs = [np.empty((ROWS, width)) for width in program.output_widths]
    run_rows(native, inputs, outputs)
    return outputs


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "poses"])
@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 12))]
)
def test_without_fma_bit_for_bit(seed: int, quantity: str, rng: np.random.Generator):
    robot = a_robot(seed)
    if not robot.nv:
        robot = robot.with_floating_base()
    order = seed % 4
    kernel = Kernel(kernel_spec(robot, quantity, order))
    program, angles = sines_as_inputs(kernel.program)
    motion = random_motion(robot, order, rng, (ROWS,))[: len(kernel.signature.arguments)]
    (turns,) = interpret(angles, [*motion, np.zeros((ROWS, angles.input_widths[-1]))])
    inputs = [*motion, np.sin(turns)]  # any numbers would do
    wanted = interpret(program, inputs)
    for lanes in (None, 2):
        results = compiled(program, inputs, fma=False, lanes=lanes)
        for got, desired in zip(results, wanted, strict=True):
            assert_close(got, desired, EXACT, what=f"{robot.name} order {order}")
    for got, desired in zip(compiled(program, inputs, fma=True), wanted, strict=True):
        assert_close(got, desired, ROUNDOFF, scale=1.0)


@pytest.mark.parametrize("seed", range(4))
def test_with_sines_and_fma_closely(seed: int, rng: np.random.Generator):
    robot = a_robot(seed + 20)
    kernel = Kernel(kernel_spec(robot, "inverse_dynamics", 2))
    motion = random_motion(robot, 2, rng, (ROWS,))
    wanted = interpret(kernel.program, motion)
    for fma in (False, True):
        for got, desired in zip(compiled(kernel.program, motion, fma=fma), wanted, strict=True):
            assert_close(got, desired, ROUNDOFF, scale=1.0)


def test_a_changed_bit_would_be_seen(rng: np.random.Generator):
    """The comparison is not vacuous: FMA does change bits."""
    robot = jounce.load("panda")
    kernel = Kernel(kernel_spec(robot, "inverse_dynamics", 1))
    program, _ = sines_as_inputs(kernel.program)
    inputs = [rng.normal(size=(ROWS, width)) for width in program.input_widths]
    pairs = zip(compiled(program, inputs, fma=True), interpret(program, inputs), strict=True)
    assert any((got != desired).any() for got, desired in pairs)
