"""Custom calls of XLA on Python functions: memory, empty arrays, errors, refusals."""

from __future__ import annotations

import ctypes
import gc
import math
import re
import time
from functools import partial
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.adapters import rules, xla
from jounce.adapters.rules import Batch
from jounce.kernels import kernel as kernels
from jounce.kernels.execution import BLOCK_ROWS
from jounce.kernels.team import words_of_team
from tests.optimiser_cases import in_threads
from tests.tolerances import EXACT, assert_close

jax = pytest.importorskip("jax")
export = pytest.importorskip("jax.export")


@pytest.fixture(autouse=True)
def _double() -> Any:
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def call(name: str, *shapes: tuple[int, ...]) -> Any:
    results = [jax.ShapeDtypeStruct(shape, np.float64) for shape in shapes]
    return jax.jit(jax.ffi.ffi_call(name, results))


def numbers(buffers: xla.Buffers) -> list[np.ndarray]:
    found = []
    for k, address in enumerate(buffers.addresses()):
        shape = buffers.shape(k)
        memory: Any = (ctypes.c_double * math.prod(shape)).from_address(address)
        found.append(np.frombuffer(memory).reshape(shape))
    return found


def test_arguments_and_results_are_in_order_and_of_their_shapes():
    def function(arguments: xla.Buffers, results: xla.Buffers) -> None:
        x, y = numbers(arguments)
        assert [x.shape, y.shape] == [(2, 3), ()]
        double, less = numbers(results)
        double[...], less[...] = 2.0 * x, y - 1.0

    xla.register(jax, "test.order", function)
    double, less = call("test.order", (2, 3), ())(np.arange(6.0).reshape(2, 3), np.float64(4.0))
    assert_close(double, [[0.0, 2.0, 4.0], [6.0, 8.0, 10.0]], EXACT)
    assert_close(less, 3.0, EXACT)


def test_an_error_in_the_function_is_an_error_of_the_call():
    def function(arguments: xla.Buffers, results: xla.Buffers) -> None:
        raise RuntimeError(f"no {len(arguments.addresses())} and {len(results.addresses())}")

    xla.register(jax, "test.error", function)
    with pytest.raises(Exception, match="RuntimeError: no 1 and 1"):
        jax.block_until_ready(call("test.error", (2,))(np.ones(2)))


def test_an_error_of_any_text_is_an_error_of_the_call():
    """A name may have bytes that are no text; results without an error would be those of chance."""

    def function(arguments: xla.Buffers, results: xla.Buffers) -> None:
        raise RuntimeError("arm_\udcff")

    xla.register(jax, "test.text", function)
    with pytest.raises(Exception, match=r"RuntimeError: arm_\?"):
        jax.block_until_ready(call("test.text", (2,))(np.ones(2)))


def test_a_name_stays_with_its_first_function():
    xla.register(jax, "test.first", lambda _, results: numbers(results)[0].fill(1.0))
    xla.register(jax, "test.first", lambda _, results: numbers(results)[0].fill(2.0))
    (found,) = call("test.first", (2,))(np.ones(2))
    assert_close(found, np.ones(2), EXACT)


def test_another_interface_is_refused(monkeypatch: pytest.MonkeyPatch):
    jax.devices()  # as where a function is compiled: names are only noted down before
    monkeypatch.setattr(xla, "MAJOR", 7)
    with pytest.raises(jounce.UnsupportedError, match="version 7 of XLA's interface"):
        xla.register(jax, "test.version", lambda *_: None)


class Watched:
    """A jitted function of a kernel, and how often its handlers go through Python."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, robot: str | jounce.Robot, quantity: str
    ) -> None:
        self.robot = jounce.load(robot) if isinstance(robot, str) else robot
        self.calls = 0
        self.kernel = jounce.kernel(self.robot, quantity)
        self.f = jax.jit(jounce.adapters.jax.function(self.robot, quantity))
        original = Batch.run

        def run(*arguments: Any) -> None:
            self.calls += 1
            original(*arguments)

        monkeypatch.setattr(Batch, "run", run)

    def through_python(self, *arrays: np.ndarray) -> int:
        """Return how often a call went through Python; its result is that of the kernel."""
        before = self.calls
        found = np.asarray(self.f(*arrays))
        np.testing.assert_array_equal(found, self.kernel(*arrays, threads=None))
        return self.calls - before


def test_machine_code_takes_over(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator):
    watched = Watched(monkeypatch, "panda", "gravity_forces")
    q = rng.normal(size=(20_000, 7))  # enough for helpers
    assert watched.through_python(q) == 1
    assert watched.through_python(q[::-1].copy()) == 0
    q[5, 3] = np.nan
    assert watched.through_python(q) == 0
    assert watched.through_python(q[:10]) == 1  # another batch
    assert watched.through_python(q[:10]) == 0
    assert watched.through_python(q[:10].reshape(5, 2, 7)) == 0  # as many rows
    assert watched.through_python(q) == 0


def test_a_name_is_that_of_all_batches(rng: np.random.Generator):
    """A program that was stored elsewhere finds it, whatever was compiled here."""
    before = set(xla._registered)
    robot = jounce.examples.chain(4)
    f = jax.jit(jounce.adapters.jax.function(robot, "gravity_forces"))
    for shape in ((4,), (3, 4), (2, 3, 4)):
        q = rng.normal(size=shape)
        assert_close(f(q), jounce.gravity_forces(robot, q), EXACT)
    assert len(set(xla._registered) - before) == 1


@pytest.mark.parametrize(("bound", "joints"), [("_MOST", 6), ("_KEPT", 7)])
def test_there_is_an_end_of_what_is_known(
    bound: str, joints: int, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
):
    monkeypatch.setattr(xla.Handler, "known", [])
    monkeypatch.setattr(xla, bound, 2)
    watched = Watched(monkeypatch, jounce.examples.chain(joints), "gravity_forces")
    batches = [rng.normal(size=(rows, joints)) for rows in (41, 42, 43)]
    assert [watched.through_python(q) for q in batches] == [1, 1, 1]
    assert [watched.through_python(q) for q in batches] == [0, 0, 1]


def test_empty_batches():
    f = jax.jit(jounce.adapters.jax.function(jounce.load("planar2r"), "inverse_dynamics"))
    for _ in range(2):
        assert f(*np.ones((3, 0, 2))).shape == (1, 0, 2)


def test_batches_that_come_back_to_python(monkeypatch: pytest.MonkeyPatch):
    """Long ones, so that they can be interrupted."""
    watched = Watched(monkeypatch, "planar2r", "gravity_forces")
    for _ in range(3):
        assert watched.through_python(np.ones((BLOCK_ROWS + 1, 2))) == 1


def test_who_comes_second_goes_through_python(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
):
    watched = Watched(monkeypatch, "planar2r", "gravity_forces")
    q = rng.normal(size=(30, 2))
    watched.through_python(q)
    assert watched.kernel.runner is not None
    taken = watched.kernel.runner.reserve[0]
    monkeypatch.setattr(taken, "value", words_of_team.value)
    assert watched.through_python(q) == 1
    taken.value = 0
    assert watched.through_python(q) == 0


@pytest.mark.usefixtures("interpreted")
def test_without_machine_code(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator):
    watched = Watched(monkeypatch, "planar2r", "gravity_forces")
    for _ in range(3):
        assert watched.through_python(rng.normal(size=(31, 2))) == 1


def test_other_operands_are_not_read(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator):
    """A name may be called by others, with fewer arrays than the kernel has."""
    watched = Watched(monkeypatch, jounce.examples.chain(5), "inverse_dynamics")
    before = set(xla._registered)
    watched.through_python(*rng.normal(size=(3, 29, 5)))
    (name,) = set(xla._registered) - before
    with pytest.raises(Exception, match="ValueError"):
        jax.block_until_ready(call(name, (1, 29, 5))(np.ones((29, 5))))


def test_threads_with_batches(rng: np.random.Generator):
    """Some compute in machine code, and who finds the memory taken in Python."""
    robot = jounce.load("panda")
    motions = rng.normal(size=(8, 3, 200, 7))
    wanted = [jounce.inverse_dynamics(robot, *x) for x in motions]
    f = jax.jit(jounce.adapters.jax.function(robot, "inverse_dynamics"))

    def work(k: int) -> None:
        for _ in range(125):
            np.testing.assert_array_equal(f(*motions[k]), wanted[k])

    in_threads(8, work)


def test_handlers_outlive_kernels(rng: np.random.Generator):
    """XLA keeps a function as long as it likes, and the caches of kernels have an end."""
    q = rng.normal(size=(28, 2))
    f = jax.jit(jounce.adapters.jax.function(jounce.load("planar2r"), "gravity_forces"))
    wanted = np.asarray(f(q))
    for cache in (rules._bound, kernels._kernel):
        cache.cache_clear()
    gc.collect()
    noise = [np.full(n, np.nan) for n in range(1, 2000)]
    for _ in range(3):
        np.testing.assert_array_equal(f(q), wanted)
    del noise


def test_more_handlers_than_a_module_has():
    for k in range(xla._ENTRIES + 2):
        xla.register(jax, f"test.many.{k}", partial(_fill, float(k)))
    for k in range(xla._ENTRIES + 2):
        (found,) = call(f"test.many.{k}", (2,))(np.ones(2))
        assert_close(found, np.full(2, float(k)), EXACT)


def _fill(value: float, _: xla.Buffers, results: xla.Buffers) -> None:
    numbers(results)[0].fill(value)


def test_lengths_that_are_symbols(rng: np.random.Generator):
    """One exported program for batches of any length."""
    robot = jounce.load("planar2r")
    (n,) = export.symbolic_shape("n")
    f = jax.jit(jounce.adapters.jax.function(robot, "gravity_forces"))
    kind = jax.ShapeDtypeStruct((n, 2), np.float64)
    with pytest.raises(ValueError, match="custom_call @jounce") as refused:
        export.export(f)(kind)
    (name,) = re.findall(r"@(jounce\.\w+)", str(refused.value))
    safe = [export.DisabledSafetyCheck.custom_call(name)]
    exported = export.export(f, disabled_checks=safe)(kind)
    for rows in (3, 5, 3):
        q = rng.normal(size=(rows, 2))
        assert_close(exported.call(q), jounce.gravity_forces(robot, q), EXACT)


def test_a_name_is_registered_once_whoever_asks(monkeypatch: pytest.MonkeyPatch):
    asked = []
    original = jax.ffi.register_ffi_target

    def slow(name: str, *arguments: Any, **options: Any) -> Any:
        asked.append(name)
        time.sleep(0.05)
        return original(name, *arguments, **options)

    monkeypatch.setattr(jax.ffi, "register_ffi_target", slow)
    in_threads(4, lambda _: xla.register(jax, "test.threads", lambda *_: None))
    assert asked == ["test.threads"]
