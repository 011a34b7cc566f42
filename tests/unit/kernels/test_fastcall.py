"""The built-in call of a kernel: taken by plain samples, left to Python by all else."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.kernels.description import kernel_spec
from jounce.kernels.fastcall import batch
from jounce.kernels.fastcall import call as fastcall
from jounce.kernels.kernel import Kernel
from tests.tolerances import EXACT, assert_close
from tests.unit.kernels.motions import random_motion

ROBOT = jounce.load("panda")
STATUS = Path("/proc/self/status")


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return jounce.kernel(ROBOT, "inverse_dynamics", order=2)


def resident() -> int:
    """Return the memory of this process in bytes."""
    for line in STATUS.read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no VmRSS")


def test_plain_samples_take_the_builtin(kernel: Kernel, monkeypatch: pytest.MonkeyPatch):
    assert type(kernel.__call__) is type(len), "the built-in call was not made on this machine"
    calls: list[Any] = []

    def noted(self, *given: Any, **options: Any) -> Any:
        calls.append(options)
        return "python"

    monkeypatch.setattr(Kernel, "call", noted)
    own = Kernel(kernel.spec).compile()
    plain = [np.zeros(7)] * 5
    assert own(*plain).shape == (3, 7)
    assert not calls
    assert own(*plain, threads=2) == "python"
    assert own(*plain[:4], [0.0] * 7) == "python"
    assert own(*plain[:4]) == "python"
    assert own() == "python"
    assert own(*plain[:4], np.zeros((1, 7))) == "python"
    assert own(*plain[:4], np.zeros(14)[::2]) == "python"
    assert own(*plain[:4], np.zeros(7, ">f8")) == "python"
    assert own(*plain[:4], np.zeros(8)[:7].view(np.matrix)) == "python"
    assert calls[0] == {"threads": 2}


@pytest.mark.parametrize("floating", [False, True])
def test_checked_samples_take_the_builtin(floating: bool, monkeypatch: pytest.MonkeyPatch):
    robot = jounce.load("planar2r", floating_base=floating)
    spec = kernel_spec(robot, "inverse_dynamics", 1, ["link2"])
    monkeypatch.setattr(Kernel, "call", lambda *_, **options: options)
    own = Kernel(spec).compile()
    v, W = np.full(robot.nv, 1e50), np.zeros((2, 6))
    plain = [robot.neutral.copy(), v, v, v, W]
    assert own.checked(*plain).shape == (2, robot.nv)
    python = {"check": True, "threads": None}
    assert own.checked(*plain[:4], W.tolist()) == python
    for k, x in enumerate(plain):
        for bad in (np.nan, np.inf, -np.inf, -1e70):  # the last one may overflow
            for place in (0, x.size // 2, x.size - 1):
                spoilt = x.copy()
                spoilt.flat[place] = bad
                assert own.checked(*plain[:k], spoilt, *plain[k + 1 :]) == python
    if floating:
        for length in (1 - 9e-7, 1 + 9e-7):
            assert own.checked(robot.neutral * length, *plain[1:]).shape == (2, robot.nv)
        for length in (1 - 2e-6, 1 + 2e-6, 0.0, -2.0):
            assert own.checked(robot.neutral * length, *plain[1:]) == python


def test_every_quaternion_is_looked_at(rng: np.random.Generator):
    kinds = ("spherical", "revolute", "free")
    robot = jounce.examples.random_tree(rng, 6, kinds)
    balls = [joint for joint in robot.joints if joint.nq > joint.nv]
    assert len(balls) > 2
    q, *rates = random_motion(robot, 0, rng)
    wanted = jounce.kernel(robot, "inverse_dynamics")(q, *rates)
    assert_close(jounce.inverse_dynamics(robot, q, *rates), wanted, EXACT)
    for joint in balls:
        for place in range(joint.q_slice.stop - 4, joint.q_slice.stop):
            spoilt = q.copy()
            spoilt[place] += 2.0
            with pytest.raises(
                jounce.ArgumentError, match=f"quaternion .* of joint '{joint.name}'"
            ):
                jounce.inverse_dynamics(robot, spoilt, *rates)


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "mass_matrix", "kinetic_energy"])
def test_a_robot_that_cannot_move(quantity: str):
    builder = jounce.RobotBuilder("plate")
    builder.add("plate", None, jounce.joints.fixed(), np.eye(4))
    own = Kernel(kernel_spec(builder.build(), quantity)).compile()
    nothing = [np.zeros(0)] * len(own.signature.arguments)
    wanted = own.call(*nothing)
    assert_close(own(*nothing), wanted, EXACT)
    assert_close(own.checked(*nothing), wanted, EXACT)


def test_keywords_go_to_python(kernel: Kernel, rng: np.random.Generator):
    motion = random_motion(ROBOT, 2, rng)
    wanted = kernel(*motion)
    out = np.empty((3, 7))
    assert kernel(*motion, out=out, threads=4, check=True) is out
    assert_close(out, wanted, EXACT)
    assert_close(kernel(*motion, threads=None), wanted, EXACT)


def test_results_are_new_arrays(kernel: Kernel, rng: np.random.Generator):
    motion = random_motion(ROBOT, 2, rng)
    first = kernel(*motion)
    copy = first.copy()
    second = kernel(*[x + 1.0 for x in motion])
    assert not np.shares_memory(first, second)
    assert_close(first, copy, EXACT)
    assert first.flags.owndata
    assert first.flags.writeable
    assert first.flags.c_contiguous


def test_one_array_for_all_arguments(kernel: Kernel):
    same = np.full(7, 0.25)
    assert_close(kernel(*[same] * 5), kernel(*[same.copy() for _ in range(5)]), EXACT)
    assert (same == 0.25).all()


def test_reference_counts_stay(kernel: Kernel):
    plain = [np.zeros(7) for _ in range(5)]
    dtype, shape = np.dtype(np.float64), plain[0]
    before = sys.getrefcount(dtype), sys.getrefcount(shape), sys.getrefcount(kernel)
    for _ in range(1000):
        kernel(*plain)
        with pytest.raises(jounce.ShapeError):
            kernel(*plain, out=3)
    after = sys.getrefcount(dtype), sys.getrefcount(shape), sys.getrefcount(kernel)
    assert all(abs(b - a) < 20 for a, b in zip(before, after, strict=True)), (before, after)


@pytest.mark.skipif(not STATUS.exists(), reason="needs /proc")
def test_calls_leave_no_memory_behind(kernel: Kernel, rng: np.random.Generator):
    motion = random_motion(ROBOT, 2, rng)
    many = [np.tile(x, (10, 1)) for x in motion]
    out = kernel(*many)
    lists = [x.tolist() for x in motion]

    def some(turns: int) -> None:
        for _ in range(turns):
            for _ in range(100):
                kernel(*motion)
                kernel.checked(*motion)
            kernel(*many)
            kernel(*many, threads=2)
            kernel(*many, out=out, threads=2)
            kernel(*lists, check=True)
            with pytest.raises(jounce.ShapeError):
                kernel(None, *motion[1:])
            with pytest.raises(jounce.NotFiniteError):
                kernel.checked(motion[0] * np.nan, *motion[1:])

    some(100)
    gc.collect()
    before = resident()
    some(1000)  # 10⁵ single samples
    gc.collect()
    assert resident() - before < 2 * 2**20


def test_compiled_code_is_freed(rng: np.random.Generator):
    if not STATUS.exists():
        pytest.skip("needs /proc")
    spec = kernel_spec(ROBOT, "inverse_dynamics", 0)

    def some(turns: int) -> None:
        for _ in range(turns):
            Kernel(spec).compile()(*[np.zeros(7)] * 3)
        gc.collect()

    some(10)
    before = resident()
    some(30)
    assert resident() - before < 8 * 2**20


def test_unknown_layouts_leave_python_in_charge(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
):
    motion = random_motion(ROBOT, 0, rng)
    wanted = jounce.kernel(ROBOT, "inverse_dynamics")(*motion)
    monkeypatch.setattr(fastcall, "_method", lambda: None)
    monkeypatch.setattr(batch, "_run_method", lambda: None)
    kernel = Kernel(kernel_spec(ROBOT, "inverse_dynamics")).compile()
    assert kernel.__call__ == kernel.call
    assert_close(kernel(*motion), wanted, EXACT)
    assert_close(kernel(*motion, check=True), wanted, EXACT)


def test_the_definition_lives_as_long_as_the_function(kernel: Kernel):
    """Threads that come first together each make one, and only one of them is remembered."""
    for function in (kernel.__call__, kernel.checked):
        kept: Any = function.__self__  # type: ignore[attr-defined]
        assert any(x is fastcall._method() for x in kept.keep)
