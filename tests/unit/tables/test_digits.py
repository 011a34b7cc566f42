"""Machine code prints every double as Python does."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from jounce.kernels.kernel import INTERPRET
from jounce.tables import csv
from jounce.tables.digits import printing
from jounce.trajectory import MotionTable

SAMPLES = csv.WORTH_IT + 5
TWOS = np.ldexp(1.0, np.arange(-1074, 1024))


@pytest.fixture
def no_code(monkeypatch: pytest.MonkeyPatch):
    """Switch compiling off."""
    monkeypatch.setenv(INTERPRET, "1")
    printing._function.cache_clear()
    yield
    printing._function.cache_clear()


def printed(*columns: np.ndarray) -> str:
    lines = printing.lines_of(columns)
    assert lines is not None
    return bytes(lines).decode()


def assert_same(numbers: np.ndarray) -> None:
    wanted = [repr(x) for x in numbers.tolist()]
    *lines, end = printed(numbers[None]).split("\n")
    wrong = [pair for pair in zip(lines, wanted, strict=True) if pair[0] != pair[1]]
    assert (wrong[:5], end) == ([], "")


def test_any_bits(rng: np.random.Generator):
    """NaN and infinity among them."""
    assert_same(rng.integers(0, 2**64, 300_000, dtype=np.uint64).view(float))


def test_every_exponent(rng: np.random.Generator):
    fractions = rng.integers(0, 2**52, (2048, 100), dtype=np.uint64)
    fractions[:, :4] = [0, 1, 2**52 - 1, 2**51]
    signs = rng.integers(0, 2, fractions.shape, dtype=np.uint64) << np.uint64(63)
    exponents = np.arange(2048, dtype=np.uint64)[:, None] << np.uint64(52)
    assert_same((signs | exponents | fractions).ravel().view(float))


@pytest.mark.parametrize("beside", [-1, 0, 1])
def test_powers_of_two_and_ten_and_their_neighbours(beside: int):
    """Below a power of two the step is half of that above."""
    tens = np.array([float(f"{x}e{k}") for k in range(-323, 309) for x in (1, 5, 9)])
    for numbers in (TWOS, tens[np.isfinite(tens)]):
        assert_same(np.abs((numbers.view(np.int64) + beside).view(float)))


def test_short_decimals_and_integers(rng: np.random.Generator):
    whole = rng.integers(-(10**6), 10**6, 20_000)
    for divisor in (1, 10, 1000, 10**7, 10**12):
        assert_same(whole / divisor)
    assert_same(rng.integers(-(2**62), 2**62, 20_000).astype(float))
    assert_same(np.arange(1.0, 4000.0) * 2.0**40)


def test_ends_of_the_range_and_of_both_notations():
    assert_same(np.arange(3000, dtype=np.uint64).view(float))
    ends = [2.2250738585072014e-308, 1.7976931348623157e308]
    turns = [1e16, 9999999999999998.0, 9007199254740993.0, 1e-4, 9.999999999999999e-05]
    assert_same(np.array([*ends, *turns, 0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1e100, 1e99]))


def test_columns_anywhere_in_memory(rng: np.random.Generator):
    """They stand side by side, whatever lies between two numbers of one."""
    time, values = np.arange(50.0)[::-1], rng.standard_normal((50, 9))[:, ::3]
    rows = np.column_stack([time, values])
    wanted = "".join([",".join(map(repr, row)) + "\n" for row in rows.tolist()])
    assert printed(time[None], values.T) == wanted
    assert printed(np.empty((3, 0))) == ""


def written(tables: list[MotionTable], change: bool = False) -> bytes:
    file = io.BytesIO()
    with csv.csv_writer(file, Path()) as write:
        for table in tables:
            write(table)
            if change:
                table.time[:] = table.values[:] = 0.0
    return file.getvalue()


def tables(rng: np.random.Generator) -> list[MotionTable]:
    sizes = (SAMPLES, 3, 2 * SAMPLES)
    return [MotionTable(np.arange(n) / 7, ("x", "y"), rng.random((2, n, 2))) for n in sizes]


def test_files_are_the_same_without_machine_code(
    rng: np.random.Generator, request: pytest.FixtureRequest
):
    given = tables(rng)
    with_code = written(given)
    request.getfixturevalue("no_code")
    assert printing.lines_of([np.ones((1, 1))]) is None
    assert written(given) == with_code


def test_arrays_may_change_once_they_are_given(rng: np.random.Generator):
    given = tables(rng)
    wanted = written(given)
    assert written(given, change=True) == wanted


def test_integers_are_written_as_numbers():
    whole = MotionTable(np.arange(SAMPLES), ("x",), np.arange(SAMPLES)[None, :, None])
    as_floats = MotionTable(whole.time.astype(float), ("x",), whole.values.astype(float))
    assert written([whole]) == written([as_floats])
