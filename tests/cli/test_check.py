"""``jounce check``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import jounce
from jounce.cli import main
from jounce.trajectory import ClosedMotion, Fourier, MotionTable, Polynomial, write_table
from tests.cli.program import only_line

MOTION = Fourier([[0.3, -0.2], [0.1, 0.4]], [[0.1, 0.2], [-0.3, 0.1]], 3.0, [0.2, 0.5])
LIMITS = "joint,velocity,effort_rate\njoint1,{},5000\njoint2,9,5000\n"


def run(*arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["check", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def log(tmp_path: Path) -> Path:
    t = np.linspace(0.0, 2.0, 801)
    path = tmp_path / "log.csv"
    write_table(path, MotionTable(t, ("joint1", "joint2"), MOTION(t, order=0)))
    return path


def test_limits_that_hold(log: Path, tmp_path: Path):
    (tmp_path / "limits.csv").write_text(LIMITS.format(9))
    code, text, err = run("planar2r", log, "--limits", tmp_path / "limits.csv")
    assert (code, err) == (0, "")
    assert "all known limits hold at the samples; no position limit is known" in text
    assert "no jerk limit is known" in text
    assert "torque-rate limit is known" not in text
    assert "rates: " in text
    row = next(line.split() for line in text.splitlines() if line.startswith("joint1  velocity"))
    fine = np.abs(MOTION(np.linspace(0.0, 2.0, 801), order=1)[1, :, 0]).max()
    assert abs(abs(float(row[3])) - fine) < 1e-3 * fine


def test_a_limit_that_is_exceeded_is_named(log: Path, tmp_path: Path):
    (tmp_path / "limits.csv").write_text(LIMITS.format(0.2))
    code, text, err = run("planar2r", log, "--limits", tmp_path / "limits.csv")
    assert code == 1
    assert "joint1  velocity" in text
    assert "all known limits" not in text
    assert err.startswith("jounce: the velocity of joint1 is ")
    assert "beyond its limit" in err
    assert len(err.splitlines()) == 1


def test_no_limits_at_all(log: Path, tmp_path: Path):
    robot = tmp_path / "arm.json"
    builder = jounce.RobotBuilder("bare")
    rod = jounce.Inertia(1.0, (0.1, 0.0, 0.0), 0.01 * np.eye(3))
    for name, parent in (("a", None), ("b", "a")):
        builder.add(name, parent, jounce.joints.revolute((0, 0, 1)), inertia=rod,
                    joint_name=f"joint{1 if parent is None else 2}")  # fmt: skip
    builder.build().save(robot)
    code, text, err = run(robot, log)
    assert (code, text) == (2, "")
    assert "no limits are known of 'bare'; give some with --limits" in err


@pytest.mark.parametrize("many", [False, True])
def test_a_robot_with_closures_names_its_motors(tmp_path: Path, many: bool):
    """The crank alone carries what three joints would share."""
    if many:
        pytest.importorskip("distributed")
    robot = jounce.examples.fourbar()
    robot.save(tmp_path / "fourbar.json")
    ends = [jounce.close(robot, [x, 0.5, 1.5], hold="crank_joint") for x in (0.3, 2.2)]
    motion = ClosedMotion(robot, Polynomial.rest_to_rest(*ends, 0.3), "crank_joint")
    t = np.linspace(0.0, 0.3, 101)
    rates = motion(t, order=2)
    names = tuple(joint.name for joint in robot.joints)
    (tmp_path / "logs").mkdir()
    write_table(tmp_path / "logs" / "log.csv", MotionTable(t, names, np.array(rates)))
    alone, shared = (
        np.abs(jounce.constrained_inverse_dynamics(robot, *rates, actuated=who).values[0, :, 0])
        for who in ("crank_joint", None)
    )
    assert shared.max() < 0.9 * alone.max()
    limit = (alone.max() + shared.max()) / 2.0
    (tmp_path / "limits.csv").write_text(f"joint,effort\ncrank_joint,{limit}\n")
    log = tmp_path / "logs" if many else tmp_path / "logs" / "log.csv"
    given = (tmp_path / "fourbar.json", log, "--limits", tmp_path / "limits.csv")
    code, text, err = run(*given)
    assert (code, text) == (2, "")
    assert "--actuated" in only_line(err)
    code, text, err = run(*given, "--actuated", " crank_joint")
    assert code == 1
    assert f"{alone.max():.6g}"[:5] in text
    assert "exceed a limit" in err if many else "the torque of crank_joint" in err
