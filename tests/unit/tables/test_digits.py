"""Machine code prints every double as Python does, and reads what is printed."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from jounce.codegen.machine_code import INTERPRET
from jounce.tables import csv
from jounce.tables.digits import printing, reading
from jounce.trajectory import MotionTable
from tests.tolerances import EXACT, assert_close

SAMPLES = csv.WORTH_IT + 5
TWOS = np.ldexp(1.0, np.arange(-1074, 1024))


@pytest.fixture
def no_code(monkeypatch: pytest.MonkeyPatch):
    """Switch compiling off."""
    monkeypatch.setenv(INTERPRET, "1")
    for part in (printing, reading):
        part._function.cache_clear()
    yield
    for part in (printing, reading):
        part._function.cache_clear()


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


def read(texts: list[str], marks: str = ",.") -> np.ndarray | None:
    rows = np.full((len(texts), 1), np.nan, order="F")
    return rows[:, 0] if reading.read_columns("\n".join(texts).encode(), rows, [0], marks) else None


def assert_read(texts: list[str]) -> None:
    found = read(texts)
    assert found is not None
    wanted = [float(text) for text in texts]
    pairs = zip(texts, found.view(np.int64), np.array(wanted).view(np.int64), strict=True)
    assert [text for text, x, y in pairs if x != y][:5] == []


def test_what_is_printed_is_read(rng: np.random.Generator):
    numbers = rng.integers(0, 2**64, 100_000, dtype=np.uint64).view(float)
    size = np.abs(numbers)
    assert_read([repr(x) for x in numbers[(size > 3e-308) & (size < 8e307)].tolist()])
    assert_read([repr(x) for x in rng.standard_normal(50_000).tolist()])


def test_any_digits_and_powers(rng: np.random.Generator):
    """One to nineteen digits that count, with a point anywhere, with an exponent or without."""
    digits = [str(x) for x in rng.integers(1, 10 ** rng.integers(1, 19, 50_000)).tolist()]
    assert_read([f"{x}e{k}" for x, k in zip(digits, rng.integers(-300, 280, 50_000), strict=True)])
    assert_read([f"-{x[:3]}.{x[3:]}E+{k % 9}" for k, x in enumerate(digits)])
    assert_read([f"000{x[:9]}.{x[9:]}" for x in digits])
    assert_read([f"0.{'0' * (k % 40)}{x}" for k, x in enumerate(digits)])
    assert_read([f".{x}" for x in digits] + ["9999999999999999999", "-0", "0", "-0.000e-999"])


def test_halves_between_two_doubles(rng: np.random.Generator):
    """A tie goes to the even one, what is next to it does not."""
    for c in rng.integers(2**52, 2**53, 2000).tolist():
        halves = [((2 * c + 1) * 2**k, 0) for k in range(12)]
        halves += [((2 * c + 1) * 5**k, -k) for k in range(1, 5)]
        texts = [(str(x + d), e) for x, e in halves for d in (-1, 0, 1)]
        assert_read([f"{x}e{e}" for x, e in texts if len(x) < 20])


@pytest.mark.parametrize(
    "field",
    [
        "",
        " 1",
        "1 ",
        "1\r",
        "1\x00",
        "1,2",
        "+1",
        "-",
        ".",
        "-.",
        "e5",
        "1e",
        "1e+",
        "x",
        "nan",
        "inf",
        "1_0",
        "1.1.1",
        "--1",
        "0x1",
        "1d5",
        "1;",
        '"1"',
        "12345678901234567890",
        "9e308",
        "1e400",
        "1e-320",
        "1e99999",
        "1e-99999",
    ],
)
def test_what_is_not_plain_is_left_to_others(field: str):
    assert read(["1", field, "2"]) is None


@pytest.mark.parametrize("text", ["1,2,3\n4,5", "1,2\n4,5,6", "1,2,3,9\n4,5,6", "1,2,3\n\n4,5,6"])
def test_lines_of_other_lengths_are_left_to_others(text: str):
    rows = np.empty((2, 2), order="F")
    assert not reading.read_columns(text.encode(), rows, [0, -1, 1], ",.")


@pytest.mark.parametrize("lines", [1, 3])
def test_other_numbers_of_lines_are_left_to_others(lines: int):
    """And nothing is written behind the rows."""
    memory = np.full((4, 2), 7.0)
    assert not reading.read_columns(b"1,2\n3,4\n", memory[:lines], [0, 1], ",.")
    assert (memory[lines:] == 7.0).all()


@pytest.mark.parametrize("end", ["", "\n"])
def test_columns_that_are_not_wanted_hold_anything(end: str):
    rows = np.empty((2, 2), order="F")
    text = f"1,5;a b;-2,5e1\n3;;4{end}".encode()
    assert reading.read_columns(text, rows, [1, -1, 0], ";,")
    assert_close(rows, [[-25.0, 1.5], [4.0, 3.0]], EXACT)


def test_nothing_is_read_without_machine_code(no_code: None):
    assert read(["1"]) is None
