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
from jounce.tables import MotionTable, open_log, write_table
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
