"""Files and tables as logs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.errors import ArgumentError, TableError
from jounce.identification import identify
from jounce.identification.logs import samples_of
from jounce.tables import MotionTable, write_table
from jounce.trajectory import Fourier

NAMES = ("joint1", "joint2")


def log(noise: float = 0.0) -> MotionTable:
    rng = np.random.default_rng(0)
    series = Fourier(*rng.normal(size=(2, 3, 2)), 1.3, [0.2, -0.4])
    t = np.arange(2000) * 0.005
    robot = jounce.load("planar2r")
    motion = series(t, order=2)
    Q = jounce.inverse_dynamics(robot, *motion)
    motion[0] += noise * rng.normal(size=motion[0].shape)
    return MotionTable(t, NAMES, motion, Q + 0.01 * rng.normal(size=Q.shape))


def test_files_and_tables_tell_the_same(tmp_path: Path) -> None:
    robot, table = jounce.load("planar2r"), log()
    positions = log(1e-5)
    write_table(tmp_path / "all.csv", table)
    write_table(tmp_path / "positions.csv", positions._replace(values=positions.values[:1]))
    found = [
        identify(robot, source, friction=(), consistent=False).base
        for source in (table, tmp_path / "all.csv", str(tmp_path / "positions.csv"))
    ]
    np.testing.assert_allclose(found[1].values, found[0].values, rtol=1e-9)
    off = (found[2].values - found[0].values) / found[0].uncertainty
    assert np.abs(off).max() < 4.0
    assert np.abs(off).max() > 0.0


def test_the_ends_of_a_log_are_left_out(tmp_path: Path) -> None:
    robot, table = jounce.load("planar2r"), log(1e-5)
    write_table(tmp_path / "log.csv", table._replace(values=table.values[:1]))
    for trim in (0.0, 0.5, 1.234):
        blocks = [*samples_of(robot, tmp_path / "log.csv", {"trim": trim})]
        time = np.concatenate([block[0] for block in blocks])
        inside = (table.time >= trim) & (table.time <= table.time[-1] - trim)
        np.testing.assert_allclose(time, table.time[inside], atol=1e-9)
    (first, *_), *_ = samples_of(robot, tmp_path / "log.csv", {})
    assert first[0] > 0.0  # of a spline


def test_missing_forces_are_named(tmp_path: Path) -> None:
    robot, table = jounce.load("planar2r"), log()
    write_table(tmp_path / "bare.csv", table._replace(forces=None))
    with pytest.raises(TableError, match=r"bare\.csv: no forces; .* Q:JOINT .*joint1, joint2"):
        identify(robot, tmp_path / "bare.csv")
    with pytest.raises(TableError, match="the table: no forces"):
        identify(robot, table._replace(forces=None))
    with pytest.raises(TableError, match="no accelerations"):
        identify(robot, table._replace(values=table.values[:1]))
    with pytest.raises(ArgumentError, match="a log is an Information, a file"):
        identify(robot, 3.0)
    text = (tmp_path / "bare.csv").read_text().splitlines()
    rows = [f"{text[0]},Q:joint1"] + [f"{line},0.1" for line in text[1:]]
    (tmp_path / "half.csv").write_text("\n".join(rows))
    with pytest.raises(TableError, match="joint2"):
        identify(robot, tmp_path / "half.csv")
