"""Quaternions in motion tables: rates of ball and free joints, signs, and what is refused."""

from __future__ import annotations

from math import factorial
from pathlib import Path

import numpy as np
import pytest

from jounce.errors import ShapeError, TableError
from jounce.model.components import (
    position_kinds,
    position_names,
    velocity_kinds,
    velocity_names,
)
from jounce.model.configuration import configuration_rate, motion_of
from jounce.tables.table import table_of
from jounce.trajectory import (
    MotionLimits,
    MotionTable,
    check_limits,
    open_motion,
    read_motion,
    write_table,
)
from tests.floating_walker import exact_motion, walker
from tests.tolerances import EXACT, INDEPENDENT, ROUNDOFF, assert_close

ROBOT = walker()
NAMES, RATE_NAMES = position_names(ROBOT), velocity_names(ROBOT)
TIME = np.linspace(0.0, 3.0, 50)
ENDINGS = ["csv", "npz", "parquet"]


def scaled(path: np.ndarray) -> np.ndarray:
    """Return the path with quaternions whose length changes with time, as e^(t/2)."""
    path, orders = path.copy(), range(len(path))
    rate = [0.5**k for k in orders]
    for part in ROBOT.quaternions:
        given = path[:, :, part].copy()
        for k in orders:
            path[k, :, part] = sum(
                factorial(k) // factorial(i) // factorial(k - i) * rate[i] * given[k - i]
                for i in range(k + 1)
            )
    return path


@pytest.mark.parametrize("stretch", [lambda path: path, scaled])
@pytest.mark.parametrize("order", [0, 1, 4, 7])
def test_rates_follow_from_the_path(order: int, stretch):
    path, motion = exact_motion(TIME, order)
    got = motion_of(ROBOT, stretch(path))
    assert len(got) == order + 1
    for k, (found, want) in enumerate(zip(got, motion, strict=True)):
        assert_close(found, want, INDEPENDENT, what=f"order {k}")


def test_the_velocity_is_that_of_the_library():
    path, (q, v) = exact_motion(TIME, 1)
    assert_close(configuration_rate(ROBOT, q, v), path[1], INDEPENDENT)


def test_kinds():
    free = ("length",) * 3 + ("number",) * 4
    assert position_kinds(ROBOT) == (*free, "length", "angle", *("number",) * 4)
    assert velocity_kinds(ROBOT)[:8] == (*("angle",) * 3, *("length",) * 3, "length", "angle")
    assert ROBOT.quaternions == (slice(3, 7), slice(9, 13))


def table(orders: int) -> MotionTable:
    motion = exact_motion(TIME, 4)[1]
    forces = np.arange(2.0 * len(TIME) * ROBOT.nv).reshape(2, len(TIME), ROBOT.nv)
    return table_of(ROBOT, TIME, motion[:orders], forces)


@pytest.mark.parametrize("orders", [0, 1, 4])
@pytest.mark.parametrize("ending", ENDINGS)
def test_tables_come_back(ending: str, orders: int, tmp_path: Path):
    written, path = table(orders), tmp_path / f"motion.{ending}"
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    write_table(path, written)
    file = open_motion(path, ROBOT, forces_only=True)
    assert (file.names, file.rate_names, file.orders) == (NAMES, RATE_NAMES, (orders, 2))
    got = file.table()
    assert len(got.motion) == orders
    for k, (found, want) in enumerate(zip(got.motion, written.motion, strict=True)):
        assert_close(found, want, EXACT if k else ROUNDOFF)  # q is normalised
    assert_close(got.forces, written.forces, EXACT)


def test_what_is_normalised_reads_back_bit_for_bit(tmp_path: Path, rng: np.random.Generator):
    q = rng.normal(size=(1, 1000, len(NAMES)))
    for part in ROBOT.quaternions:
        q[..., part] /= np.linalg.norm(q[..., part], axis=-1, keepdims=True) * (1.0 + 1e-7)
    write_table(tmp_path / "log.npz", MotionTable(np.arange(1000.0), NAMES, q))
    first = read_motion(tmp_path / "log.npz", ROBOT)
    assert not np.array_equal(np.abs(first.values), np.abs(q))
    write_table(tmp_path / "log.csv", first)
    assert np.array_equal(read_motion(tmp_path / "log.csv", ROBOT).values, first.values)


@pytest.mark.parametrize("samples", [1, 7, 50])
def test_signs_are_made_continuous(samples: int, tmp_path: Path, rng: np.random.Generator):
    path, q = tmp_path / "log.npz", exact_motion(TIME, 0)[1][0]
    flipped = q.copy()
    for part in ROBOT.quaternions:
        flipped[:, part] *= rng.choice([-1.0, 1.0], (len(q), 1))
        flipped[0, part] = q[0, part]
    write_table(path, MotionTable(TIME, NAMES, flipped[None]))
    file = open_motion(path, ROBOT)
    found = np.concatenate([block.table.values[0] for block in file.blocks(samples)])
    assert_close(found, q, ROUNDOFF)
    assert_close(file.windows(4, 1000)[0].values[0], q, ROUNDOFF)


def test_units_leave_quaternions_alone(tmp_path: Path):
    motion = exact_motion(TIME, 1)[1]
    per_si = {"angle": 180.0 / np.pi, "length": 1e3, "number": 1.0}
    scale = [[per_si[kind] for kind in kinds(ROBOT)] for kinds in (position_kinds, velocity_kinds)]
    units = [x * np.array(s) for x, s in zip(motion, scale, strict=True)]
    write_table(tmp_path / "log.csv", table_of(ROBOT, TIME * 1e3, units))
    got = read_motion(tmp_path / "log.csv", ROBOT, units="deg,mm,ms")
    assert_close(got.time, TIME, INDEPENDENT)
    for found, want in zip(got.motion, motion, strict=True):
        assert_close(found, want, INDEPENDENT)


def test_rows_that_repeat_are_dropped_whatever_their_sign(tmp_path: Path):
    q = exact_motion(TIME, 0)[1][0][:4]
    twice = -np.repeat(q, 2, axis=0)
    twice[:, [0, 1, 2, 7, 8]] *= -1.0
    (tmp_path / "log.csv").write_text(
        "\n".join([",".join(["t", *NAMES]), *(
            ",".join(map(repr, [i // 2, *row])) for i, row in enumerate(twice.tolist())
        )]), encoding="utf-8",
    )  # fmt: skip
    file = open_motion(tmp_path / "log.csv", ROBOT, drop_duplicates=True)
    assert sum(len(block.table.time) for block in file.blocks(3)) == 4
    assert file.dropped == 4


@pytest.mark.parametrize("size", [0.0, 0.5, 1.00001])
def test_a_length_that_is_not_one(size: float, tmp_path: Path):
    q = exact_motion(TIME, 0)[1][0]
    q[17, 9:13] *= size
    write_table(tmp_path / "log.csv", MotionTable(TIME, NAMES, q[None]))
    names = r"q:ball\[qx\], q:ball\[qy\], q:ball\[qz\], q:ball\[qw\]"
    message = (
        rf"log\.csv:19: the quaternion {names} \(x y z w\) must have unit norm to 1e-06, "
        rf"got {size:.9g}; normalise"
    )
    with pytest.raises(TableError, match=message):
        read_motion(tmp_path / "log.csv", ROBOT)
    with pytest.raises(TableError, match=message):
        open_motion(tmp_path / "log.csv", ROBOT).windows(4, 1000)


def test_a_missing_column_is_named(tmp_path: Path):
    write_table(tmp_path / "log.csv", MotionTable(TIME, NAMES[:-1], np.zeros((1, 50, 12))))
    with pytest.raises(TableError, match=r"no column q:ball\[qw\];"):
        read_motion(tmp_path / "log.csv", ROBOT)


def test_without_the_robot_the_error_asks_for_it(tmp_path: Path):
    write_table(tmp_path / "log.csv", table(2))
    with pytest.raises(TableError, match="unless there are quaternions: then give the robot"):
        read_motion(tmp_path / "log.csv")


def test_what_is_no_table_of_quaternions():
    motion = exact_motion(TIME, 1)[1]
    rates = motion[1][None]
    for strange in (
        MotionTable(TIME, NAMES, motion[0][None], rates=rates),
        MotionTable(TIME, NAMES, np.stack([motion[0]] * 2), rates=rates, rate_names=RATE_NAMES),
        MotionTable(TIME, NAMES, motion[0][None], rates=motion[0][None], rate_names=RATE_NAMES),
        MotionTable(TIME, NAMES, motion[0][None], motion[0][None], rate_names=RATE_NAMES),
    ):
        with pytest.raises(ShapeError, match=r"rate|forces"):
            write_table("motion.csv", strange)


def test_limits_of_a_table_are_checked_with_its_rates():
    motion = exact_motion(TIME, 2)[1]
    limits = MotionLimits.of(ROBOT, velocity=1.0, acceleration=2.0, effort=10.0)
    rows = check_limits(ROBOT, table_of(ROBOT, TIME, motion), limits).rows
    assert rows == check_limits(ROBOT, (TIME, motion), limits).rows
    assert {row.quantity for row in rows} == {"velocity", "acceleration", "effort"}
