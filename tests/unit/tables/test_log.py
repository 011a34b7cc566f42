"""The rates of a log from Python: what ``jounce id`` reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.errors import ArgumentError, TableError
from jounce.model.components import position_names, velocity_names
from jounce.tables import MotionTable, open_log, write_table
from jounce.tables.log import Log, Part
from jounce.trajectory import Fourier, Spline
from tests.tolerances import EXACT, INDEPENDENT, assert_close, assert_orders_close

ARM = jounce.load("planar2r")
NAMES = ("joint1", "joint2")
MOTION = Fourier([[0.3, -0.2], [0.1, 0.4]], [[0.1, 0.2], [-0.3, 0.1]], 3.0, [0.2, 0.5])
STREAMED = 1e-9  # of scale: in windows against all at once


def logged(path: Path, samples: int = 3000, orders: int = 1, pushed: int = 1) -> np.ndarray:
    """Write positions with noise, or exact rates, and forces that are two numbers a sample."""
    rng = np.random.default_rng(1)
    t = np.cumsum(rng.uniform(0.5e-3, 1.5e-3, samples))
    values = MOTION(t, order=orders - 1)
    if orders == 1:
        values = values + 1e-5 * rng.standard_normal(values.shape)
    forces = rng.standard_normal((pushed, samples, 2)) if pushed else None
    write_table(path, MotionTable(t, NAMES, values, forces))
    return t


def test_rates_are_those_of_the_spline_and_forces_those_of_the_file(tmp_path: Path):
    t = logged(tmp_path / "log.csv", pushed=2)
    log = open_log(ARM, tmp_path / "log.csv", order=3)
    found = log.table()
    whole = jounce.tables.read_motion(tmp_path / "log.csv", ARM)
    assert_close(found.time, t, EXACT)
    assert_close(found.forces, whole.forces, EXACT)
    spline = Spline.fit(t, whole.values[0], order=3)
    assert_orders_close(found.values, spline(t, order=3), STREAMED)
    assert log.method.startswith("smoothing spline of degree 7 near q, a knot every ")
    assert (log.gaps, log.notes, log.done) == ([], [], 1.0)


@pytest.mark.parametrize("samples", [1, 700, 10**6])
def test_blocks_hold_what_the_table_holds(samples: int, tmp_path: Path):
    logged(tmp_path / "log.npz", 900, orders=2)
    log = open_log(ARM, tmp_path / "log.npz", order=3)
    whole, blocks = log.table(), list(log.blocks(np.int64(samples)))
    assert max(len(block.time) for block in blocks) == min(samples, 900)
    for name in ("time", "values", "forces"):
        axis = 0 if name == "time" else 1
        parts = np.concatenate([getattr(block, name) for block in blocks], axis=axis)
        assert_close(parts, getattr(whole, name), EXACT)
    assert_close(whole.values[0], MOTION(whole.time, 0)[0], EXACT)  # as they were logged


def test_rates_of_the_file_are_used_as_they_are(tmp_path: Path):
    t = logged(tmp_path / "log.parquet", 50, orders=5)
    log = open_log(ARM, tmp_path / "log.parquet", order=2, forces=False)
    found = log.table()
    assert_close(found.values, MOTION(t, order=2), INDEPENDENT)
    assert (log.smoothing, found.forces, log.method) == (None, None, "as logged, up to a")
    assert open_log(ARM, tmp_path / "log.parquet", order=2, fit=True).smoothing is not None


def test_gaps_are_named_and_divide_the_log(tmp_path: Path):
    t = np.concatenate([np.arange(300), np.arange(900, 1200)]) / 1e3
    q = MOTION(t, order=0)
    write_table(tmp_path / "log.csv", MotionTable(t, NAMES, q))
    write_table(tmp_path / "first.csv", MotionTable(t[:300], NAMES, q[:, :300]))
    log = open_log(ARM, tmp_path / "log.csv", order=2, noise=0.0)
    found = log.table()
    assert log.gaps == [(0.299, 0.9, f"{tmp_path / 'log.csv'}:302")]
    assert log.notes == [f"{tmp_path / 'log.csv'}:302: a gap of 0.601 s before t = 0.9"]
    alone = open_log(ARM, tmp_path / "first.csv", order=2, noise=0.0).table()
    assert_close(found.values[:, :300], alone.values, STREAMED)


def test_stages_can_be_observed(tmp_path: Path):
    logged(tmp_path / "log.csv", 100)
    entered: Counter[str] = Counter()

    @contextmanager
    def observe(stage: str) -> Iterator[None]:
        entered[stage] += 1
        yield

    log = open_log(ARM, tmp_path / "log.csv", observe=observe)
    assert entered == {"read": 1, "fit": 1}
    log.table()
    assert entered["read"] > 1
    assert entered["fit"] > 1


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"order": -1}, ArgumentError, "order must be an integer ≥ 0, got -1"),
        ({"order": 60}, TableError, r"log\.csv: a spline of degree 63 needs at least 64 samples"),
        ({"degree": 6}, TableError, r"log\.csv: degree must be odd, got 6"),
        ({"units": "deg", "noise": [1.0, 0.0]}, TableError, "for all coordinates"),
    ],
)
def test_bad_options(options: dict[str, object], error: type[Exception], message: str, tmp_path):
    logged(tmp_path / "log.csv", 30)
    with pytest.raises(error, match=message):
        open_log(ARM, tmp_path / "log.csv", **options)
    with pytest.raises(ArgumentError, match="samples must be an integer ≥ 1, got 0"):
        next(open_log(ARM, tmp_path / "log.csv").blocks(0))


def grouped(path: Path, table: MotionTable, rows: int) -> None:
    """Write a table with so many rows in a row group."""
    pq = pytest.importorskip("pyarrow.parquet")
    write_table(path, table)
    pq.write_table(pq.read_table(path), path, row_group_size=rows)


def together(blocks: list[MotionTable]) -> list[np.ndarray]:
    first = [np.concatenate([block.time for block in blocks])]
    rates = [np.concatenate(x) for x in zip(*(block.motion for block in blocks), strict=True)]
    return first + rates + [np.concatenate([x.forces for x in blocks if x.forces is not None], 1)]


@pytest.mark.parametrize("orders", [1, 2, 4])
@pytest.mark.parametrize(("group", "samples"), [(997, 1), (997, 5000), (20_000, 1)])
def test_parts_together_are_the_whole(orders: int, group: int, samples: int, tmp_path: Path):
    """Row groups of any size, a pause in the middle: the same bits."""
    rng, path = np.random.default_rng(2), tmp_path / "log.parquet"
    t = np.cumsum(rng.uniform(0.5e-2, 1.5e-2, 60_000))
    t[31_000:] += 77.0
    values = MOTION(t, order=orders - 1) + 1e-6 * rng.standard_normal((orders, t.size, 2))
    grouped(path, MotionTable(t, NAMES, values, rng.standard_normal((1, t.size, 2))), group)
    log = open_log(ARM, path, order=3)
    whole, gaps = together([*log.blocks()]), log.gaps
    parts, found, seen = log.parts(samples), [], set()
    assert len(parts) > (2 if orders < 4 else 60_000 // max(group, samples) - 1)
    for part in parts:
        found += log.blocks(3000, part)
        seen |= {*log.gaps}
    for got, expected in zip(together(found), whole, strict=True):
        assert_close(got, expected, EXACT)
    assert sorted(seen) == gaps


def test_parts_of_quaternions_are_the_same_but_for_the_sign(tmp_path: Path):
    walker = jounce.load("planar2r", floating_base=True)
    names, rng = position_names(walker), np.random.default_rng(3)
    t = np.arange(40_000) / 1e2
    q = 0.2 * np.sin(t[:, None] * rng.uniform(0.5, 2.0, len(names)))
    (place,) = walker.quaternions
    turn = np.stack([0 * t, 0 * t, np.sin(0.4 * t), np.cos(0.4 * t)], axis=1)
    q[:, place] = turn * np.where(t > 13.0, -1.0, 1.0)[:, None]
    table = MotionTable(t, names, q[None], rate_names=velocity_names(walker))
    grouped(tmp_path / "log.parquet", table, 4096)
    log = open_log(walker, tmp_path / "log.parquet", order=2)
    parts = log.parts(1)
    assert len(parts) > 2
    assert_close(pushed(log, *parts), pushed(log, None), EXACT)


def pushed(log: Log, *parts: Part | None) -> np.ndarray:
    """Return the forces of the motion in these parts."""
    tables = [table for part in parts for table in log.blocks(part=part)]
    motion = (np.concatenate(x) for x in zip(*(table.motion for table in tables), strict=True))
    return jounce.inverse_dynamics(log.robot, *motion)
