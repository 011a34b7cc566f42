"""Motion tables come back as they were written, in any order of columns."""

from __future__ import annotations

import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.errors import NotFiniteError, ShapeError, UnsupportedError
from jounce.tables.file import open_motion, table_writer
from jounce.tables.reader import BLOCK
from jounce.trajectory import MotionTable, TableError, read_motion, read_table, write_table
from tests.tolerances import EXACT, ROUNDOFF, assert_close

ENDINGS = ("csv", "npz", "parquet")
NAMES = ("shoulder", "arm:elbow", 'the "3rd", wrist', "t", "q")


def table(rng: np.random.Generator, samples: int = 50, orders: int = 7, forces: int = 3):
    moving, pushing = rng.standard_normal((2, 9, samples, len(NAMES)))
    t = np.cumsum(rng.uniform(1e-9, 1.0, samples)) - 3.0
    scale = 10.0 ** rng.integers(-300, 300, moving.shape)
    return MotionTable(t, NAMES, (moving * scale)[:orders], pushing[:forces] if forces else None)


def assert_same(got: MotionTable, wanted: MotionTable) -> None:
    assert got.names == tuple(wanted.names)
    assert_close(got.time, wanted.time, EXACT)
    assert_close(got.values, wanted.values, EXACT)
    assert (got.forces is None) == (wanted.forces is None)
    if wanted.forces is not None:
        assert_close(got.forces, wanted.forces, EXACT)
    for array in (got.time, got.values):
        assert array.dtype == np.float64
        assert array.flags.c_contiguous


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(("orders", "forces"), [(1, 0), (7, 3), (3, 1)])
def test_every_bit_comes_back(
    ending: str, orders: int, forces: int, tmp_path: Path, rng: np.random.Generator
):
    path, written = tmp_path / f"motion.{ending}", table(rng, orders=orders, forces=forces)
    write_table(path, written)
    assert_same(read_motion(path), written)
    assert_same(read_motion(str(path), NAMES), written)


@pytest.mark.parametrize("clock", ["t", "time"])
@pytest.mark.parametrize("rates", [0, 2])
def test_arrays_named_like_their_letters_are_in_the_order_of_the_joints(
    clock: str, rates: int, tmp_path: Path, rng
):
    path, wanted = tmp_path / "plain.npz", table(rng, orders=1 + rates, forces=1)
    arrays = dict(zip("qva", wanted.values, strict=False))
    np.savez(path, **{clock: wanted.time}, **arrays, Q=wanted.forces[0], mode=np.zeros(3))
    assert_same(read_motion(path, NAMES), wanted)
    assert open_motion(path, NAMES).said == "not used: mode"
    with pytest.raises(TableError, match=r"no array .*names.* where the joints are given with it"):
        read_motion(path)  # which joints?


def test_a_table_with_tabs(tmp_path: Path, rng):
    path = tmp_path / "motion.csv"
    wanted = MotionTable(np.arange(5.0), ("x", "y"), rng.standard_normal((2, 5, 2)))
    write_table(path, wanted)
    tabbed = path.with_suffix(".tsv")
    tabbed.write_text(path.read_text().replace(",", "\t"))
    assert_same(read_motion(tabbed), wanted)
    assert_same(read_motion(tabbed, ("x", "y")), wanted)
    path.rename(tabbed)
    with pytest.raises(TableError, match=r"tsv:1: columns must be separated by tabs, got 't,q:x"):
        read_motion(tabbed)


def test_a_rate_without_the_one_below_is_not_used(tmp_path: Path, rng):
    path, wanted = tmp_path / "plain.npz", table(rng, orders=1)
    np.savez(path, t=wanted.time, q=wanted.values[0], a=wanted.values[0])
    file = open_motion(path, NAMES)
    assert file.said == "not used: a"
    assert file.orders == (1, 0)


def test_letters_of_a_floating_robot(tmp_path: Path, rng):
    robot = jounce.load("planar2r", floating_base=True)
    near, v, Q = rng.standard_normal((3, 4, robot.nv))
    q = jounce.integrate(robot, robot.random_configuration(rng), 0.1 * near)
    path = tmp_path / "plain.npz"
    np.savez(path, t=np.arange(4.0), q=q, v=v, Q=Q)
    found = read_motion(path, robot)
    for got, wanted in zip((*found.motion, found.forces[0]), (q, v, Q), strict=True):
        assert_close(got, wanted, ROUNDOFF)  # quaternions are normalised


@pytest.mark.parametrize("ending", ENDINGS)
def test_forces_alone_are_a_table_but_no_motion(ending: str, tmp_path: Path, rng):
    path, written = tmp_path / f"forces.{ending}", table(rng, orders=0)
    write_table(path, written)
    assert_same(read_table(path), written)
    with pytest.raises(TableError, match=r"forces\.\w+: no positions.*q:JOINT.*shoulder"):
        read_motion(path)


@pytest.mark.parametrize("ending", ENDINGS)
def test_joints_come_in_the_order_asked_for(ending: str, tmp_path: Path, rng):
    path, written = tmp_path / f"motion.{ending}", table(rng)
    write_table(path, written)
    got = read_motion(path, NAMES[::-1])
    forces = np.asarray(written.forces)[..., ::-1]
    assert_same(got, MotionTable(written.time, NAMES[::-1], written.values[..., ::-1], forces))


@pytest.mark.parametrize("samples", [1, BLOCK - 1, BLOCK, BLOCK + 1])
def test_blocks_leave_no_seam(samples: int, tmp_path: Path, rng):
    path, written = tmp_path / "motion.csv", table(rng, samples, orders=1, forces=0)
    write_table(path, written)
    assert_same(read_motion(path), written)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("size", [1, 7, 50, 1000])
def test_a_file_can_be_read_and_written_in_blocks_of_any_size(
    ending: str, size: int, tmp_path: Path, rng
):
    path, again, written = tmp_path / f"a.{ending}", tmp_path / f"b.{ending}", table(rng)
    write_table(path, written)
    blocks = list(open_motion(path).blocks(size))
    assert max(len(block.table.time) for block in blocks) == min(size, 50)
    assert blocks[-1].done == 1.0
    with table_writer(again) as write:
        for block in blocks:
            write(block.table)
    assert_same(read_motion(again), written)


@pytest.mark.parametrize("ending", ENDINGS)
def test_wide_tables_are_read_in_smaller_blocks(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path, t = tmp_path / f"motion.{ending}", np.arange(1000.0)
    write_table(path, MotionTable(t, ("x", "y"), np.zeros((1, 1000, 2))))
    monkeypatch.setattr("jounce.tables.reader.NUMBERS", 3 * 70)
    blocks = [block.table.time for block in open_motion(path).blocks(400)]
    assert max(map(len, blocks)) == 70
    assert_close(np.concatenate(blocks), t, EXACT)
    sizes = [len(window.time) for window in open_motion(path).windows(3, 100)]
    assert len(sizes) == 3
    assert all(90 <= size <= 100 for size in sizes)  # a CSV guesses where they begin


@pytest.mark.parametrize("ending", ENDINGS)
def test_windows_are_spread_over_the_file(ending: str, tmp_path: Path):
    path, t = tmp_path / f"motion.{ending}", np.arange(1000.0)
    write_table(path, MotionTable(t, ("x",), np.sin(t)[None, :, None]))
    windows = open_motion(path).windows(3, 50)
    starts = [int(window.time[0]) for window in windows]
    assert starts[0] == 0
    assert abs(starts[1] - 475) < 50
    assert windows[-1].time[-1] == 999.0
    for window in windows:
        assert 40 <= len(window.time) <= 50  # lines have different lengths
        assert_close(window.values[0, :, 0], np.sin(window.time), EXACT)
    (whole,) = open_motion(path).windows(3, 400)
    assert_close(whole.time, t, EXACT)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_long_file_passes_through_little_memory(ending: str, tmp_path: Path, rng):
    path, samples = tmp_path / f"motion.{ending}", 20 * BLOCK
    write_table(path, MotionTable(np.arange(samples), ("x",), rng.random((1, samples, 1))))
    log = open_motion(path)
    tracemalloc.start()
    try:
        log.windows(4, 500)
        assert sum(len(block.table.time) for block in log.blocks(2048)) == samples
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 16 * samples / 2  # bytes; time and position


def test_the_names_of_the_columns(tmp_path: Path):
    path = tmp_path / "motion.csv"
    values, forces = np.zeros((7, 1, 2)), np.zeros((3, 1, 2))
    write_table(path, MotionTable(np.zeros(1), ("x", "y"), values, forces))
    wanted = (
        "t,q:x,q:y,v:x,v:y,a:x,a:y,j:x,j:y,s:x,s:y,q5:x,q5:y,q6:x,q6:y,Q:x,Q:y,Q1:x,Q1:y,Q2:x,Q2:y"
    )
    assert path.read_bytes() == (wanted + "\n" + ",".join(["0.0"] * 21) + "\n").encode()


@pytest.mark.parametrize(
    "text",
    [
        "time,q:x,v:x\n0,1,2\n1,3,4\n",
        "v:x,t,q:x\n2,0,1\n4,1,3\n",
        "\ufefft,q:x,v:x\r\n0,1,2\r\n1,3,4",
        't , "q:x",  q1:x\n\n0, 1 ,\t2\n  \n1,3e0,4.\n\n',
        "t,x,v:x\n0,1,2\n1,3,4\n",
    ],
)
def test_what_other_programs_write_is_read(text: str, tmp_path: Path):
    path = tmp_path / "MOTION.CSV"
    path.write_text(text, encoding="utf-8", newline="")
    got = read_motion(path, ["x"])
    assert got.time.tolist() == [0.0, 1.0]
    assert got.values.tolist() == [[[1.0], [3.0]], [[2.0], [4.0]]]
    assert got.forces is None


def test_a_long_file_is_read_fast(tmp_path: Path, rng: np.random.Generator):
    """The limit is generous, the machine may be busy; 100,000 rows take ten times as long."""
    path, names = tmp_path / "motion.csv", [f"joint{i}" for i in range(7)]
    write_table(path, MotionTable(np.arange(1e4), names, rng.standard_normal((5, 10000, 7))))
    start = time.process_time()
    read_motion(path, names)
    assert time.process_time() - start < 1.0


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"time": [0.0, 0.0]}, TableError, r"time\[1\]: time 0.0 does not come after 0.0"),
        ({"time": [0.0, np.nan]}, NotFiniteError, r"time\[1\]: time is nan"),
        ({"time": 0.0}, ShapeError, r"time must have shape \(samples,\)"),
        ({"names": ("x",)}, ShapeError, r"values must have shape \(orders, 2, 1\)"),
        ({"names": ("x", "x")}, ShapeError, "different joints"),
        ({"names": ("x", "y\nz")}, ShapeError, "plain texts of one line"),
        ({"names": ("x", " y")}, ShapeError, "plain texts"),
        ({"names": ("x", 3)}, ShapeError, "plain texts"),
        ({"names": ()}, ShapeError, "one or more"),
        ({"values": np.zeros((1, 3, 2))}, ShapeError, r"values must have shape \(orders, 2, 2\)"),
        ({"values": np.full((1, 2, 2), np.inf)}, NotFiniteError, r"values\[0, 0, 0\] is inf"),
        ({"values": np.zeros((0, 2, 2))}, ShapeError, "needs values or forces"),
        ({"forces": np.zeros((2, 2))}, ShapeError, r"forces must have shape \(orders, 2, 2\)"),
    ],
)
@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_no_table_is_not_written(ending: str, changed, error, message: str, tmp_path: Path):
    good = MotionTable(np.array([0.0, 1.0]), ("x", "y"), np.zeros((1, 2, 2)))
    with pytest.raises(error, match=message):
        write_table(tmp_path / f"motion.{ending}", good._replace(**changed))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["motion.dat", "motion", "motion.csv.gz"])
def test_other_endings_are_refused(name: str, tmp_path: Path):
    with pytest.raises(UnsupportedError, match=r"end in \.csv or .*, not in '"):
        read_motion(tmp_path / name)
    with pytest.raises(UnsupportedError, match=name):
        write_table(name, MotionTable(np.zeros(1), ("x",), np.zeros((1, 1, 1))))
