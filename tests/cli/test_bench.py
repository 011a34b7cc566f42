"""``jounce bench``: the table, and that both programs compute the same."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from jounce.cli import main
from jounce.comparison.speed import CONTESTS
from jounce.model.builder import RobotBuilder
from tests.cli.program import only_line


def jounce(*arguments: str) -> tuple[int, str, str]:
    options = ["--samples", "8", "--rounds", "2"]
    result = CliRunner(env={"COLUMNS": "160"}).invoke(main, ["bench", *arguments, *options])
    return result.exit_code, result.stdout, result.stderr


def test_every_quantity_is_timed_beside_pinocchio():
    pytest.importorskip("pinocchio")
    code, out, err = jounce("planar2r")
    assert (code, err) == (0, "")
    for contest in CONTESTS:
        (row,) = [line for line in out.splitlines() if line.startswith(f"│ {contest.title} ")]
        figures = re.findall(r"\d+\.\d+", row)
        assert len(figures) == (1 if contest.peer is None else 3), row
        assert all(float(figure) > 0 for figure in figures[:2]), row
    found = re.search(r"difference between our Q and Pinocchio's: (\S+) of Q", out)
    assert found is not None
    assert float(found[1]) < 1e-14


def test_velocities_of_a_free_base_are_those_of_pinocchio():
    pytest.importorskip("pinocchio")
    out = jounce("planar2r", "--floating-base")[1]  # two masses turn freely about their line
    assert "not timed: a; the mass matrix of robot 'planar2r' is singular" in " ".join(out.split())
    found = re.search(r"Pinocchio's: (\S+) of Q", out)
    assert found is not None
    assert float(found[1]) < 1e-14


def test_without_pinocchio_ours_are_timed_alone(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("jounce.comparison.speed.find_spec", lambda _: None)
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    code, out, err = jounce("planar2r")
    assert (code, err) == (0, "")
    assert "Pinocchio is not installed (pip install pin)" in out
    assert "rneaInParallel" not in out


def test_unknown_robot():
    code, out, err = jounce("nobody")
    assert (code, out) == (2, "")
    assert "nobody" in only_line(err)


def test_a_robot_that_stands_still(tmp_path: Path):
    RobotBuilder("post").build().save(tmp_path / "post.json")
    code, out, err = jounce(str(tmp_path / "post.json"))
    assert (code, out) == (2, "")
    assert only_line(err) == "jounce: robot 'post' has no joint that moves: nothing to time."
