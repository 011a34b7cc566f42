"""Text becomes numbers and numbers text, by all ways to do so, to the last bit."""

from __future__ import annotations

import errno
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jounce.codegen.machine_code import INTERPRET
from jounce.errors import JounceError, TableError
from jounce.tables import csv as text
from jounce.tables.digits import printing, reading
from jounce.trajectory import MotionTable, read_motion, write_table
from tests.tolerances import EXACT, assert_close

SAMPLES = text.WORTH_IT + 3


@pytest.fixture(params=["machine code", "pyarrow", "neither"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch):
    """Run with machine code, with pyarrow only, and without both."""
    if request.param == "pyarrow":
        pytest.importorskip("pyarrow")
    else:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    if request.param != "machine code":
        monkeypatch.setenv(INTERPRET, "1")
    caches = text._arrow, printing._function, reading._function
    for cache in caches:
        cache.cache_clear()
    yield request.param
    monkeypatch.undo()
    for cache in caches:
        cache.cache_clear()


def numbers(rng: np.random.Generator) -> np.ndarray:
    """Return every sort of double: any bits, short decimals, integers, the ends of the range."""
    bits = rng.integers(0, 2**64, SAMPLES, dtype=np.uint64).view(np.float64)
    bits[~np.isfinite(bits)] = 0.1
    short = rng.integers(-(10**6), 10**6, SAMPLES) / 1000
    whole = rng.integers(-(2**60), 2**60, SAMPLES).astype(float)
    bits[:6] = [0.0, -0.0, 5e-324, -2.2250738585072014e-308, 1.7976931348623157e308, 1e22]
    return np.stack([bits, short, whole, rng.standard_normal(SAMPLES)], axis=1)


def test_every_double_comes_back(way: str, tmp_path: Path, rng: np.random.Generator):
    path, values = tmp_path / "motion.csv", numbers(rng)[None]
    write_table(path, MotionTable(np.arange(SAMPLES) / 7, tuple("wxyz"), values))
    got = read_motion(path)
    assert_close(got.values, values, EXACT)
    assert_close(got.time, np.arange(SAMPLES) / 7, EXACT)


def test_long_decimals_are_rounded_the_same(way: str, tmp_path: Path, rng: np.random.Generator):
    """Digits beyond the 17th decide which double is nearest."""
    digits = rng.integers(0, 10, (SAMPLES, 30)).astype("U1")
    texts = [f"{i % 10}.{''.join(row)}e{i % 600 - 300}" for i, row in enumerate(digits)]
    texts[:2] = ["0.500000000000000166533453693773481063544750213623046875", "9007199254740993"]
    path = tmp_path / "motion.csv"
    rows = [f"{i},{text}" for i, text in enumerate(texts)]
    path.write_text("\n".join(["t,q:x", *rows]), encoding="utf-8")
    assert_close(read_motion(path).values[0, :, 0], [float(text) for text in texts], EXACT)


@pytest.mark.parametrize(
    "field", ["+1", " 1 ", "\t1", "1.", ".5", "1E+2", "0001", "1e-400", "-0", "1e5\t"]
)
def test_ways_to_write_a_number(way: str, field: str, tmp_path: Path):
    path = tmp_path / "motion.csv"
    rows = [f"{i},{field}" for i in range(SAMPLES)]
    path.write_text("\n".join(["t,q:x", *rows]), encoding="utf-8")
    assert_close(read_motion(path).values[0, :, 0], [float(field)] * SAMPLES, EXACT)


@pytest.mark.parametrize(
    "field",
    ["", "x", "NA", "null", "#N/A", '"1"', "1_0", "0x10", "1e", "1,1", "1;1", "1d5", "1 2", "--1"],
)
def test_what_is_no_number(way: str, field: str, tmp_path: Path):
    path = tmp_path / "motion.csv"
    rows = [f"{i},1,{i}" for i in range(SAMPLES)]
    rows[SAMPLES - 9] = f"{SAMPLES - 9},{field},1"
    path.write_text("\n".join(["t,q:x,v:x", *rows]), encoding="utf-8")
    with pytest.raises(TableError, match=rf"motion\.csv:{SAMPLES - 7}: (column q:x|4 fields)"):
        read_motion(path)


@pytest.mark.parametrize("field", ["nan", "-NaN", "inf", "-Infinity", "1e400"])
def test_what_is_not_finite(way: str, field: str, tmp_path: Path):
    path = tmp_path / "motion.csv"
    rows = [f"{i},1" for i in range(SAMPLES)]
    rows[99] = f"99,{field}"
    path.write_text("\n".join(["t,q:x", *rows]), encoding="utf-8")
    with pytest.raises(JounceError, match=r"motion\.csv:101: q:x is -?(nan|inf)"):
        read_motion(path)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r", "\n\n", "\n \t\n"])
def test_ends_of_lines(way: str, newline: str, tmp_path: Path):
    path = tmp_path / "motion.csv"
    rows = ["t,q:x", *(f"{i},{i}" for i in range(SAMPLES))]
    path.write_text(newline.join(rows), encoding="utf-8", newline="")
    assert_close(read_motion(path).values[0, :, 0], np.arange(SAMPLES), EXACT)
    rows[-1] = "x,y"
    path.write_text(newline.join(rows), encoding="utf-8", newline="")
    line = newline.join(rows).replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    with pytest.raises(TableError, match=rf"motion\.csv:{line}: column t"):
        read_motion(path)


def test_blocks_stay_in_order_and_a_full_disk_is_told():
    """They are turned into text in threads."""

    class Disk(io.BytesIO):
        room = 10**7

        def write(self, line: Any) -> int:
            if self.tell() + len(line) > self.room:
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().write(line)

    blocks = [np.arange(n, dtype=float) for n in (5000, 1, 3000, 2, 1, 4000, 1, 1, 1, 2500)]

    def write_all(disk: Disk) -> None:
        with text.csv_writer(disk, Path()) as write:
            for i, t in enumerate(blocks):
                write(MotionTable(t, ("x",), np.full((1, t.size, 1), float(i))))

    disk = Disk()
    write_all(disk)
    found = np.loadtxt(disk.getvalue().decode().splitlines()[1:], delimiter=",")
    wanted = np.concatenate([np.stack([t, np.full(t.size, i)], 1) for i, t in enumerate(blocks)])
    assert_close(found, wanted, EXACT)
    small = Disk()
    small.room = 40_000
    with pytest.raises(OSError, match="No space left"):
        write_all(small)
