"""Curves as pictures."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from jounce.cli import main
from jounce.cli.picture import POINTS, Pane, Sketch, draw
from jounce.trajectory import MotionTable, papers_motion, write_table

pytest.importorskip("matplotlib")


def test_a_sketch_keeps_the_peaks():
    time, values = np.arange(200_000.0), np.zeros((2, 200_000, 3))
    values[0, 123_456, 1], values[1, 77, 2] = 5.0, -7.0
    sketch = Sketch()
    for start in range(0, 200_000, 16_384):
        part = slice(start, start + 16_384)
        sketch.add(time[part], values[:, part])
    shown, rows = sketch.joined()
    assert sketch.samples == 200_000
    assert len(shown) == len(rows) <= 9 * POINTS
    assert (np.diff(shown) > 0).all()
    assert (shown[0], shown[-1]) == (0.0, 199_999.0)
    assert rows.max(axis=0).tolist() == [0, 5, 0, 0, 0, 0]
    assert rows.min(axis=0).tolist() == [0, 0, 0, 0, 0, -7]
    assert abs(shown[rows[:, 1].argmax()] - 123_456) < 100


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
