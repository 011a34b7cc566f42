"""What a logged file may look like beside the columns that are wanted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.errors import NotFiniteError, TableError, UnknownNameError
from jounce.model.components import position_kinds, position_names
from jounce.tables.file import open_motion
from jounce.tables.units import units_of
from jounce.trajectory import MotionTable, read_motion, write_table
from tests.tolerances import EXACT, ROUNDOFF, assert_close

LOG = (
    "stamp,time,mode,y,effort x,x,v:x,v:y,Q:x,q:third\n"
    "9,0,idle,1,7,2,3,4,5,6\n"
    "9,1,,1.5,,2.5,3.5,4.5,x,y\n"
)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_other_columns_are_ignored_whatever_they_hold(tmp_path: Path):
    log = open_motion(write(tmp_path / "log.csv", LOG), ["x", "y"], others=True, orders=3)
    assert log.ignored == ("stamp", "mode", "effort x", "q:third")
    table = log.table()
    assert table.time.tolist() == [0.0, 1.0]
    assert table.values.tolist() == [[[2.0, 1.0], [2.5, 1.5]], [[3.0, 4.0], [3.5, 4.5]]]
    assert table.forces is None


def test_only_the_positions(tmp_path: Path):
    text = LOG.replace("v:y", "w:y")  # an order without all of its joints
    path = write(tmp_path / "log.csv", text)
    with pytest.raises(TableError, match=r"log\.csv:1: no column v:y"):
        open_motion(path, ["x", "y"], others=True, orders=3)
    assert open_motion(path, ["x", "y"], others=True, orders=1).orders == (1, 0)


def test_a_missing_joint_lists_what_is_there(tmp_path: Path):
    path = write(tmp_path / "log.csv", "t,shoulder,elbo\n0,1,2\n")
    with pytest.raises(TableError, match=r":1: no column q:elbow;.*found: t, shoulder, elbo\."):
        read_motion(path, ["shoulder", "elbow"], others=True)
    path = write(tmp_path / "log.csv", "t,a,b\n0,1,2\n")
    with pytest.raises(TableError, match=r"no joint among t, a, b; .*known joints: x, y\."):
        read_motion(path, ["x", "y"], others=True)


@pytest.mark.parametrize("row", ["1,2,3,4,5,6,7,8,9", "1,2,3,4,5,6,7,8,9,10,11"])
def test_rows_must_be_as_long_as_the_header(row: str, tmp_path: Path):
    with pytest.raises(TableError, match=rf"log\.csv:4: {len(row.split(','))} fields, but 10"):
        open_motion(
            write(tmp_path / "log.csv", LOG + row), ["x", "y"], others=True, orders=1
        ).table()


ROWS = "t,x\n0,1\n0,1\n1,2\n1,2\n1,2\n2,2\n"


@pytest.mark.parametrize("ending", ["csv", "npz", "parquet"])
@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_rows_that_repeat_the_row_before(ending: str, size: int, tmp_path: Path):
    path = write(tmp_path / "log.csv", ROWS)
    if ending != "csv":
        path = _converted(path, ending)
    with pytest.raises(TableError, match=r"time 0\.0 does not come after 0\.0"):
        read_motion(path, ["x"])
    log = open_motion(path, ["x"], drop_duplicates=True)
    blocks = list(log.blocks(size))
    assert np.concatenate([b.table.time for b in blocks]).tolist() == [0.0, 1.0, 2.0]
    assert log.dropped == 3
    numbers = {"csv": [2, 4, 7], "npz": [0, 2, 5], "parquet": [1, 3, 6]}[ending]
    places = [b.place(i).rpartition(":" if ending == "csv" else " ")[2] for b in blocks
              for i in range(len(b.table.time))]  # fmt: skip
    assert places == list(map(str, numbers))


def _converted(path: Path, ending: str) -> Path:
    """Write the rows in another format, which `write_table` would refuse."""
    rows = np.loadtxt(path, delimiter=",", skiprows=1)
    target = path.with_suffix(f".{ending}")
    if ending == "npz":
        np.savez(target, time=rows[:, 0], names=["x"], values=rows[None, :, 1:])
    else:
        pq = pytest.importorskip("pyarrow.parquet")
        pq.write_table(
            pytest.importorskip("pyarrow").table({"t": rows[:, 0], "x": rows[:, 1]}), target
        )
    return target


def test_the_same_time_with_other_values_is_no_duplicate(tmp_path: Path):
    path = write(tmp_path / "log.csv", "t,x\n0,1\n0,2\n")
    with pytest.raises(TableError, match=r"log\.csv:3: time 0.0 does not come after 0.0"):
        read_motion(path, ["x"], drop_duplicates=True)


def test_an_error_in_a_window_knows_its_line(tmp_path: Path):
    rows = [f"{k},{k}\n" for k in range(5000)]
    rows[4990] = "4990,nan\n"
    path = write(tmp_path / "log.csv", "t,x\n" + "".join(rows))
    with pytest.raises(NotFiniteError, match=r"log\.csv:4992: x is nan"):
        open_motion(path, ["x"]).windows(3, 50)


def robot() -> jounce.Robot:
    b = jounce.RobotBuilder("mixed")
    ball = jounce.Inertia(1.0, (0.1, 0.2, 0.3), np.eye(3))
    b.add("a", joint=jounce.joints.planar((0, 0, 1)), inertia=ball, joint_name="base")
    b.add("b", parent="a", joint=jounce.joints.revolute((0, 1, 0)), inertia=ball, joint_name="hip")
    b.add("c", parent="b", joint=jounce.joints.prismatic((0, 1, 0)), inertia=ball, joint_name="leg")
    screw = jounce.joints.cylindrical((1, 0, 0))
    b.add("d", parent="c", joint=screw, inertia=ball, joint_name="screw")
    return b.build()


def test_the_coordinates_of_a_robot():
    names = ("base[0]", "base[1]", "base[2]", "hip", "leg", "screw[0]", "screw[1]")
    assert position_names(robot()) == names
    assert [kind == "length" for kind in position_kinds(robot())] == [1, 1, 0, 0, 1, 0, 1]
    floating = robot().with_floating_base()
    base = [f"root_joint[{k}]" for k in ("x", "y", "z", "qx", "qy", "qz", "qw")]
    assert position_names(floating) == (*base, *names)
    assert position_kinds(floating)[:7] == ("length",) * 3 + ("number",) * 4


@pytest.mark.parametrize("ending", ["csv", "npz", "parquet"])
def test_units_follow_the_joints(ending: str, tmp_path: Path, rng: np.random.Generator):
    n, t = 7, np.arange(10.0)
    values, forces = rng.standard_normal((3, 10, n)), rng.standard_normal((1, 10, n))
    path = tmp_path / f"log.{ending}"
    per_si = np.where([kind == "length" for kind in position_kinds(robot())], 1000.0, 180.0 / np.pi)
    write_table(path, MotionTable(t * 1e6, position_names(robot()), values * per_si, forces))
    got = read_motion(path, robot(), units="mm deg,us")
    assert_close(got.time, t, EXACT)
    assert_close(got.values, values, ROUNDOFF)
    assert_close(got.forces, forces, EXACT)
    turning = read_motion(path, position_names(robot()), units="deg")
    assert_close(turning.values, np.deg2rad(values * per_si), ROUNDOFF)


def test_units_by_name():
    assert units_of(None) == units_of("rad,m,s") == (1.0, 1.0, 1.0)
    assert units_of("ns, deg") == (180.0 / np.pi, 1.0, 1e9)
    with pytest.raises(
        UnknownNameError, match=r"no unit named 'grad'\. Known units are angle: rad,"
    ):
        units_of("grad")
    with pytest.raises(UnknownNameError, match="two units of time in 's,ms'"):
        units_of("s,ms")
