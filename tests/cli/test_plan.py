"""``jounce plan``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import jounce
from jounce.cli import main
from jounce.elastic import SeriesElastic
from jounce.trajectory import MotionLimits, read_table
from tests.cli.program import only_line

POINTS = "t,joint1,joint2\n0,0.0,0.5\n1,1.0,1.0\n2,1.5,0.2\n"
LIMITS = "joint,velocity,effort,effort_rate\njoint1,2,80,500\njoint2,2,30,500\n"


def run(*arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["plan", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "points.csv").write_text(POINTS)
    (tmp_path / "limits.csv").write_text(LIMITS)
    return tmp_path


def test_the_motion_is_written(folder: Path):
    out, plot, page = (folder / name for name in ("motion.csv", "motion.png", "page.html"))
    code, text, err = run("planar2r", folder / "points.csv", "--limits", folder / "limits.csv",
                          "-o", out, "--plot", plot, "--report", page)  # fmt: skip
    assert (code, err) == (0, "")
    table = read_table(out)
    arm = jounce.load("planar2r")
    limits = MotionLimits.read(folder / "limits.csv", arm)
    assert table.forces is not None
    assert (np.abs(table.forces[1]) / limits.effort_rate).max() <= 1.0 + 1e-9
    np.testing.assert_allclose(table.values[0][[0, -1]], [[0.0, 0.5], [1.5, 0.2]], atol=1e-12)
    assert f"duration {table.time[-1]:.6g} s; lower bound" in text
    assert f"{table.time.size} samples" in text
    assert plot.read_bytes()[:4] == b"\x89PNG"
    assert "fastest motion through points.csv" in page.read_text(encoding="utf-8")


def test_what_cannot_be_done_is_one_line(folder: Path):
    (folder / "limits.csv").write_text("joint,effort\njoint1,0\n")
    code, text, err = run("planar2r", folder / "points.csv", "--limits", folder / "limits.csv")
    assert (code, text) == (2, "")
    assert "'joint1'" in only_line(err)
    code, _, err = run("planar2r", folder / "points.csv", "-o", folder / "points.csv")
    assert code == 2
    assert only_line(err)


def test_a_robot_with_closures(folder: Path):
    robot = jounce.examples.fourbar()
    robot.save(folder / "fourbar.json")
    points = [jounce.close(robot, [x, 0.5, 1.5], hold="crank_joint") for x in (0.3, 1.2)]
    rows = [",".join(map(repr, [k, *q.tolist()])) for k, q in enumerate(points)]
    names = ",".join(joint.name for joint in robot.joints)
    (folder / "points.csv").write_text("\n".join([f"t,{names}", *rows, ""]))
    (folder / "limits.csv").write_text("joint,velocity,effort_rate\ncrank_joint,9,100\n")
    code, text, err = run(folder / "fourbar.json", folder / "points.csv", "--limits",
                          folder / "limits.csv", "--actuated", "crank_joint",
                          "-o", folder / "motion.csv")  # fmt: skip
    assert (code, err) == (0, "")
    assert "crank_joint" in text
    q = read_table(folder / "motion.csv").values[0]
    assert np.abs(jounce.closure_error(robot, q)).max() < 1e-12
    rounded = [",".join(f"{x:.4f}" for x in [k, *q]) for k, q in enumerate(points)]
    (folder / "points.csv").write_text("\n".join([f"t,{names}", *rounded, ""]))
    page = folder / "page.html"
    code, text, err = run(folder / "fourbar.json", folder / "points.csv", "--limits",
                          folder / "limits.csv", "--actuated", "crank_joint",
                          "--independent", "coupler_joint")  # fmt: skip
    assert code == 0
    given = (folder / "fourbar.json", folder / "points.csv", "--limits", folder / "limits.csv")
    code, _, err = run(*given, "--actuated", " crank_joint ", "--report", page)
    assert code == 0
    assert "put onto the closures" in only_line(err)
    assert "Open by at most" in page.read_text("utf-8")
    (folder / "limits.csv").write_text("joint,effort,motor_torque\ncrank_joint,20,15\n")
    springs = (*given, "--actuated", "crank_joint", "--elastic", "500,0.01", "--knots", "40")
    code, text, err = run(*springs, "--report", page)
    assert code == 0
    assert "motor-torque" in text
    assert "Series-elastic drives" in page.read_text("utf-8")
    code, _, err = run(*springs, "--elastic", "inf,0", "--elastic", "500,0.01")
    assert code == 2
    assert "springs at crank_joint, rocker_joint, --actuated motors at crank" in only_line(err)
    code, text, err = run(folder / "fourbar.json", folder / "points.csv", "--report", page)
    assert (code, text) == (2, "")
    assert "--actuated" in only_line(err)


def test_motors_behind_springs(folder: Path):
    text = "joint,velocity,effort,motor_torque,motor_speed\njoint1,4,90,70,2.5\njoint2,4,40,20,\n"
    (folder / "limits.csv").write_text(text)
    given = ("planar2r", folder / "points.csv", "--limits", folder / "limits.csv")
    code, _, err = run(*given)
    assert code == 2
    assert "motor_speed, motor_torque are limits of motors" in only_line(err)
    assert "--elastic K,J" in err
    out, page = folder / "motion.csv", folder / "page.html"
    springs = ("--elastic", "400,0.4", "--elastic", "300,0.2")
    code, text, err = run(*given, *springs, "-o", out, "--report", page)
    assert (code, err) == (0, "")
    assert "motor-torque" in text or "motor-speed" in text
    table = read_table(out)
    drives = SeriesElastic(jounce.load("planar2r"), (400.0, 300.0), (0.4, 0.2))
    found = drives.feedforward(*table.motion)
    assert (np.abs(found.torque) / [70.0, 20.0]).max() <= 1.0 + 1e-9
    assert np.abs(found.theta1[:, 0]).max() <= 2.5 * (1.0 + 1e-9)
    assert "motor" in page.read_text(encoding="utf-8")


def test_speeds_at_the_ends(folder: Path):
    out = folder / "motion.csv"
    code, _, err = run("planar2r", folder / "points.csv", "--limits", folder / "limits.csv",
                       "-o", out, "--start-speed", "0.4", "--end-speed", "0.3")  # fmt: skip
    assert (code, err) == (0, "")
    speeds = np.linalg.norm(read_table(out).values[1][[0, -1]], axis=1)
    np.testing.assert_allclose(speeds, [0.4, 0.3], atol=1e-9)


def test_too_many_samples_are_those_of_the_rate(folder: Path):
    given = ("planar2r", folder / "points.csv", "--limits", folder / "limits.csv")
    code, _, err = run(*given, "--rate", "1e9", "--knots", "16")
    assert code == 2
    assert "--rate 1e+09 makes " in only_line(err)
