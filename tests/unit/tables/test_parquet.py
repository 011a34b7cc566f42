"""Parquet files of other programs, and what is wrong with some."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from jounce.errors import NotFiniteError, TableError, UnsupportedError
from jounce.tables.file import table_writer
from jounce.tables.parquet import join_parquet
from jounce.trajectory import MotionTable, read_motion, write_table
from tests.tolerances import EXACT, assert_close

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

PLAIN = """
import sys
import numpy as np
from jounce.tables import MotionTable, read_motion, write_table
written, stamped = sys.argv[1:]
write_table(written, MotionTable(np.arange(3.0), ("x",), np.ones((1, 3, 1))))
assert read_motion(written).values.sum() == 3.0
assert read_motion(stamped).time.tolist() == [0.0, 0.5, 2.0]
print(*{"pandas", "pyarrow.compute"} & set(sys.modules))
"""  # what pyarrow converts arrays with imports these, half a second

GOOD = {"t": [0.0, 1.0, 2.0], "q:x": [1.0, 2.0, 3.0], "v:x": [4.0, 5.0, 6.0]}


def write(path: Path, **changed: object) -> Path:
    pq.write_table(pa.table({**GOOD, **changed}), path)
    return path


def test_numbers_of_any_type(tmp_path: Path):
    changed = {
        "t": pa.array([0, 1, 2], pa.int64()),
        "q:x": pa.array([0.5, 1.5, 2.5], pa.float32()),
        "v:x": pa.array([1, 2, 3], pa.uint8()),
    }
    got = read_motion(write(tmp_path / "log.parquet", **changed))
    assert_close(got.time, [0.0, 1.0, 2.0], EXACT)
    assert_close(got.values[:, :, 0], [[0.5, 1.5, 2.5], [1.0, 2.0, 3.0]], EXACT)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"q:x": [1.0, None, 3.0]}, TableError, "row 2: column q:x: is empty"),
        ({"q:x": [1.0, 2.0, np.nan]}, NotFiniteError, "row 3: q:x is nan"),
        ({"t": [0.0, 2.0, 1.0]}, TableError, "row 3: time 1.0 does not come after 2.0"),
        ({"q:x": ["a", "b", "c"]}, TableError, "column q:x holds string; it must hold numbers"),
        ({"x": [1.0, 2.0, 3.0]}, KeyError, "column 'x' is not understood"),
    ],
)
def test_what_is_refused(changed, error, message: str, tmp_path: Path):
    path = write(tmp_path / "log.parquet", **changed)
    with pytest.raises(error, match=rf"log\.parquet: {message}"):
        read_motion(path)


def test_no_rows(tmp_path: Path):
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table({name: pa.array([], pa.float64()) for name in GOOD}), path)
    with pytest.raises(TableError, match=r"log\.parquet: no sample"):
        read_motion(path)


@pytest.mark.parametrize("content", [b"", b"t,q:x\n0,1\n", b"PAR1 and then nothing PAR1"])
def test_what_is_no_parquet_file(content: bytes, tmp_path: Path):
    path = tmp_path / "log.parquet"
    path.write_bytes(content)
    with pytest.raises(TableError, match=r"log\.parquet: not a whole Parquet file \("):
        read_motion(path)


def test_a_column_twice(tmp_path: Path):
    path, values = tmp_path / "log.parquet", pa.array([0.0, 1.0, 2.0])
    pq.write_table(pa.table([values] * 3, names=["t", "q:x", "q:x"]), path)
    with pytest.raises(TableError, match=r"log\.parquet: column q:x is there more than once"):
        read_motion(path)


def test_a_name_that_is_no_text(tmp_path: Path):
    path = write(tmp_path / "log.parquet")
    path.write_bytes(path.read_bytes().replace(b"q:x", b"q:\xcd"))
    with pytest.raises(TableError, match=r"log\.parquet: not a whole Parquet file \(.*decode"):
        read_motion(path)


def test_damaged_data(tmp_path: Path, rng: np.random.Generator):
    path = tmp_path / "log.parquet"
    write_table(path, MotionTable(np.arange(1e4), ("x",), rng.standard_normal((1, 10**4, 1))))
    content = bytearray(path.read_bytes())
    content[4:4000] = bytes(3996)
    path.write_bytes(content)
    with pytest.raises(TableError, match=r"log\.parquet: not a whole Parquet file \("):
        read_motion(path)


def test_other_programs_read_what_we_write(tmp_path: Path):
    path = tmp_path / "motion.parquet"
    write_table(path, MotionTable(np.array([0.0, 1.0]), ("x",), np.array([[[2.0], [3.0]]])))
    assert pq.read_table(path).to_pydict() == {"t": [0.0, 1.0], "q:x": [2.0, 3.0]}


def test_pandas_is_not_imported(tmp_path: Path):
    stamps = pa.array([0, 500, 2000], pa.duration("ms"))
    stamped = write(tmp_path / "stamped.parquet", t=stamps)
    run = [sys.executable, "-c", PLAIN, tmp_path / "written.parquet", stamped]
    assert subprocess.run(run, capture_output=True, check=True).stdout.split() == []


def test_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = write(tmp_path / "log.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UnsupportedError, match=r"pip install 'jounce\[parquet\]'"):
        read_motion(path)
    with pytest.raises(UnsupportedError, match="pyarrow"):
        write_table(path, MotionTable(np.zeros(1), ("x",), np.zeros((1, 1, 1))))
    assert [p.name for p in tmp_path.iterdir()] == ["log.parquet"]


@pytest.mark.parametrize("block", [1, 700, 70_000])
def test_bytes_do_not_depend_on_the_blocks(block: int, tmp_path: Path, rng: np.random.Generator):
    samples = 1_500 if block == 1 else 140_000
    table = MotionTable(np.arange(float(samples)), ("x",), rng.random((1, samples, 1)))
    write_table(tmp_path / "whole.parquet", table)
    parts = [tmp_path / f"{i}.parquet" for i in range(2)]
    cuts = 0, samples // 3, samples
    with table_writer(tmp_path / "blocks.parquet") as write:
        for start in range(0, samples, block):
            write(table.part(slice(start, start + block)))
    for path, first, stop in zip(parts, cuts[:-1], cuts[1:], strict=True):
        write_table(path, table.part(slice(first, stop)))
    with (tmp_path / "joined.parquet").open("wb") as file:
        join_parquet(parts, file)
    whole = (tmp_path / "whole.parquet").read_bytes()
    assert (tmp_path / "blocks.parquet").read_bytes() == whole
    assert (tmp_path / "joined.parquet").read_bytes() == whole
