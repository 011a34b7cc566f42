"""Custom calls of XLA on Python functions: memory, empty arrays, errors, refusals."""

from __future__ import annotations

import ctypes
import math
import time
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.adapters import xla
from tests.optimiser_cases import in_threads
from tests.tolerances import EXACT, assert_close

jax = pytest.importorskip("jax")


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
    monkeypatch.setattr(xla, "MAJOR", 7)
    with pytest.raises(jounce.UnsupportedError, match="version 7 of XLA's interface"):
        xla.register(jax, "test.version", lambda *_: None)


def test_empty_batches():
    f = jax.jit(jounce.adapters.jax.function(jounce.load("planar2r"), "inverse_dynamics"))
    assert f(*np.ones((3, 0, 2))).shape == (1, 0, 2)


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
