"""``jounce verify``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import jounce
from jounce.cli import main
from tests import oracle_data as oracle

pytestmark = pytest.mark.usefixtures("interpreted")


def verify(*arguments: str) -> Result:
    return CliRunner(env={"COLUMNS": "160"}).invoke(main, ["verify", *arguments])


def test_a_sound_robot():
    result = verify("planar2r", "--samples", "2", "--order", "1", "--seed", "5")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0].strip() == "planar2r: 2 samples, orders 0 to 1, seed 5"
    assert lines[1].split() == ["check", "value", "limit"]
    assert lines[-1].startswith("all ")
    rows = lines[2:-1]
    assert len(rows) == 27
    assert all(" ok" in row for row in rows)
    assert any(row.startswith("forces: closed_form and momentum") for row in rows)


@pytest.fixture
def broken(tmp_path: Path) -> str:
    """The authors' KUKA, with inertias about the wrong point."""
    path = tmp_path / "kuka.json"
    oracle.robot("kuka_authors").save(path)
    return str(path)


def test_a_broken_robot_exits_with_one(broken: str):
    result = verify(broken, "--no-strict", "--samples", "2", "--order", "0")
    assert result.exit_code == 1
    assert result.stderr.startswith("jounce: 2 of ")
    assert result.stderr.count("\n") == 1
    assert "mass matrix is positive definite" in result.stderr
    failed = [line for line in result.stdout.splitlines() if "FAILED" in line]
    assert len(failed) == 2
    assert "body_0, body_1, body_2" in failed[0]


def test_impossible_inertias_alone_are_a_note_as_the_help_says(tmp_path: Path):
    """A moment of inertia above the sum of the others: no body, but of positive energy."""
    b = jounce.RobotBuilder("thin")
    odd = jounce.Inertia(1.0, (0.0, 0.0, 0.0), np.diag([1.0, 1.0, 3.0]))
    b.add("arm", joint=jounce.joints.revolute((0, 0, 1)), inertia=odd)
    path = tmp_path / "thin.json"
    b.build(strict=False).save(path)
    result = verify(str(path), "--no-strict", "--samples", "1", "--order", "0")
    assert (result.exit_code, result.stderr) == (0, "")
    (note,) = [line for line in result.stdout.splitlines() if " note " in line]
    assert "pseudo-inertia of arm" in note
    assert "other impossible inertias are a note" in " ".join(verify("--help").stdout.split())
    assert verify(str(path)).exit_code == 2


def test_a_broken_robot_is_bad_input_unless_told(broken: str):
    result = verify(broken)
    assert result.exit_code == 2
    assert "strict" in result.stderr


@pytest.mark.parametrize("option", ["--samples=0", "--order=-1", "--seed=x"])
def test_bad_options(option: str):
    result = verify("planar2r", option)
    assert result.exit_code == 2
    assert option.split("=")[0] in result.stderr
