"""Curves as pictures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from jounce.cli import main
from jounce.cli.picture import POINTS, Pane, Sketch, draw
from jounce.errors import TableError
from jounce.tables.log import Gap
from jounce.trajectory import MotionTable, papers_motion, write_table

pytest.importorskip("matplotlib")


def sketched(time: np.ndarray, values: np.ndarray, block: int = 16_384, gaps: Sequence[Gap] = ()):
    sketch = Sketch()
    for start in range(0, len(time), block):
        part = slice(start, start + block)
        sketch.add(time[part], values[:, part], gaps)
    assert sketch.samples == len(time)
    return sketch.joined()


def test_a_sketch_keeps_the_peaks():
    time, values = np.arange(200_000.0), np.zeros((2, 200_000, 3))
    values[0, 123_456, 1], values[1, 77, 2] = 5.0, -7.0
    shown, rows = sketched(time, values)
    assert shown.shape == rows.shape
    assert len(rows) <= 4 * POINTS
    assert (np.diff(shown, axis=0) >= 0).all()
    assert (shown[0] == 0.0).all()
    assert (shown[-1] == 199_999.0).all()
    assert rows.max(axis=0).tolist() == [0, 5, 0, 0, 0, 0]
    assert rows.min(axis=0).tolist() == [0, 0, 0, 0, 0, -7]
    assert shown[rows[:, 1].argmax(), 1] == 123_456
    assert shown[rows[:, 5].argmin(), 5] == 77


@pytest.mark.parametrize("block", [1000, 16_384])
def test_a_long_log_is_drawn_alike_from_its_beginning_to_its_end(block: int):
    """Every wave has its peaks, at times of samples."""
    time = np.arange(1_000_000) * 1e-3
    values = np.sin(2 * np.pi * time)[None, :, None]
    shown, rows = sketched(time, values, block)
    steps = np.diff(shown[:, 0])
    assert steps.max() <= 4 * len(time) / len(rows) * 1e-3
    waves = np.floor(shown[:, 0]).astype(int)
    for second in range(1000):
        wave = rows[waves == second, 0]
        assert (wave.min(), wave.max()) == (values.min(), values.max())
    assert np.isin(shown, time).all()
    assert np.array_equal(rows[:, 0], values[0, np.searchsorted(time, shown[:, 0]), 0])


def test_nothing_is_drawn_over_a_gap():
    """Not even where the samples beside it would be one point."""
    time = np.arange(100_001.0)
    time[33_333:] += 5000.0
    time[77_777:] += 1.0
    gaps = [Gap(33_332.0, 38_333.0, ""), Gap(82_776.0, 82_778.0, "")]
    shown, rows = sketched(time, np.ones((1, len(time), 2)), gaps=gaps)
    breaks = np.flatnonzero(np.isnan(rows[:, 0]))
    assert np.isnan(shown[breaks]).all()
    assert np.isnan(rows[breaks]).all()
    assert shown[breaks - 1, 0].tolist() == [gap.start for gap in gaps]
    assert shown[breaks + 1, 0].tolist() == [gap.end for gap in gaps]


def test_a_sketch_of_nothing():
    with pytest.raises(TableError, match="no samples to draw"):
        Sketch().joined()


def test_names_are_drawn_as_they_are(tmp_path: Path):
    """Neither formulas nor hidden ones; a name that is in two panes is in one legend once."""
    names = ["_hidden", "$x$", "plain"]
    panes = [Pane("q [rad]", names, np.ones((5, 3))), Pane("v", ["plain"], np.ones((5, 1)))]
    panes.append(Pane("empty", [], np.ones((5, 0))))
    draw(tmp_path / "names.svg", "a_b $c$", np.arange(5.0), panes)
    comments = re.findall("<!-- (.*?) -->", (tmp_path / "names.svg").read_text("utf-8"))
    told = [text.replace("\u200b", "").replace("\\$", "$") for text in comments]
    for name in (*names, "a_b $c$", "no limit is known"):
        assert told.count(name) == 1


def test_torques_of_a_log(tmp_path: Path):
    time = np.linspace(0.0, 4.0, 801)
    names = tuple(f"joint{i + 1}" for i in range(7))
    write_table(tmp_path / "log.csv", MotionTable(time, names, papers_motion(7)(time)))
    out = tmp_path / "torques.svg"
    arguments = ["id", "panda", str(tmp_path / "log.csv"), "--plot", str(out)]
    found = CliRunner().invoke(main, arguments)
    assert (found.exit_code, found.stderr) == (0, "")
    drawn = out.read_text("utf-8")
    for label in ("Q [N m]", "Q̇ [N m/s]", "Q̈ [N m/s²]", "joint7", "t [s]"):
        assert f"<!-- {label} -->" in drawn
    assert "<!-- panda: torques of log.csv, 801 samples -->" in drawn
    curves = [path.count("L ") for path in re.findall(r'<path d="([^"]*)"', drawn)]
    assert sum(points > 10 for points in curves) == 21
    refused = CliRunner().invoke(main, [*arguments[:-1], "torques.gif"])
    assert refused.exit_code == 2
    assert "must end in .png" in refused.stderr


def test_a_gap_in_a_log_is_one_in_the_picture(tmp_path: Path):
    time = np.linspace(0.0, 8.0, 1601)
    motion = papers_motion(2)(time)
    some = (time < 3.0) | (time > 5.0)
    table = MotionTable(time[some], ("joint1", "joint2"), motion[:, some])
    write_table(tmp_path / "log.csv", table)
    out = tmp_path / "torques.svg"
    found = CliRunner().invoke(
        main, ["id", "planar2r", str(tmp_path / "log.csv"), "--order", "0", "--plot", str(out)]
    )
    assert found.exit_code == 0
    assert "a gap" in found.stderr
    curves = re.findall(r'<path d="([^"]*)"', out.read_text("utf-8"))
    long = [path for path in curves if path.count("L ") > 10]
    assert [path.count("M ") for path in long] == [2, 2]
