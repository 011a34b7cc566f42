"""``jounce identify`` and ``jounce excite``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import jounce
from jounce.cli import main
from jounce.trajectory import Fourier, MotionTable, check_limits, read_table, write_table
from tests.cli.program import only_line

pytest.importorskip("clarabel")
ARM = jounce.load("planar2r")
NAMES = ("joint1", "joint2")


def run(*arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, [*map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


def log(path: Path, robot: jounce.Robot = ARM, seed: int = 0) -> Path:
    rng = np.random.default_rng(seed)
    series = Fourier(*rng.normal(size=(2, 3, 2)), 1.3, [0.2, -0.4])
    t = np.arange(3000) * 0.003
    q, v, a = series(t, order=2)
    Q = jounce.inverse_dynamics(robot, q, v, a)[0] + 0.3 * v + 0.05
    Q += 0.02 * rng.normal(size=Q.shape)
    q = q + 1e-6 * rng.normal(size=q.shape)
    write_table(path, MotionTable(t, NAMES, q[None], Q[None]))
    return path


def test_from_logs_to_a_robot(tmp_path: Path) -> None:
    heavy = ARM.with_payload("tip", jounce.Inertia(0.8, (0, 0, 0), np.eye(3) * 1e-3))
    one, two = log(tmp_path / "one.csv", heavy), log(tmp_path / "two.csv", heavy, seed=1)
    out = tmp_path / "robot.json"
    page = tmp_path / "page.html"
    code, text, err = run(
        "identify", "planar2r", one, "--validate", two, "-o", out, "--report", page
    )  # fmt: skip
    assert "measured" in page.read_text(encoding="utf-8")
    assert (code, err) == (0, "")
    assert "validation" in text
    assert "joint2" in text
    found = jounce.load(out)
    q, v, a = np.random.default_rng(3).normal(size=(3, 50, 2))
    wanted = jounce.inverse_dynamics(heavy, q, v, a)[0] + 0.3 * v + 0.05
    error = jounce.inverse_dynamics(found, q, v, a)[0] - wanted
    assert np.sqrt(np.mean(error**2)) < 0.02 * np.sqrt(np.mean(wanted**2))


def test_a_load(tmp_path: Path) -> None:
    load = jounce.Inertia(0.8, (0.1, 0, 0), np.eye(3) * 1e-2)
    held = log(tmp_path / "held.csv", ARM.with_payload("tip", load))
    bare = log(tmp_path / "bare.csv", seed=1)
    code, text, _ = run(
        "identify", "planar2r", held, "--payload-frame", "tip", "--without", bare,
        "-o", tmp_path / "loaded.json",
    )  # fmt: skip
    assert code == 0
    assert "load at tip" in text
    assert (tmp_path / "loaded.json").is_file()


def test_back_into_a_urdf(tmp_path: Path) -> None:
    text = """<robot name="arm"><link name="base"/>
      <link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
        <inertia ixx="0.1" iyy="0.1" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="pivot" type="continuous"><parent link="base"/><child link="rod"/>
        <axis xyz="0 1 0"/></joint></robot>"""
    source, out = tmp_path / "arm.urdf", tmp_path / "new.urdf"
    source.write_text(text)
    robot = jounce.load(source)
    t = np.arange(2000) * 0.005
    q, v, a = Fourier([[1.0], [0.8]], [[0.5], [-1.0]], 1.0)(t, order=2)
    Q = 1.3 * jounce.inverse_dynamics(robot, q, v, a)[0] + 0.2 * v
    noise = 0.01 * np.random.default_rng(0).normal(size=Q.shape)
    write_table(tmp_path / "log.csv", MotionTable(t, ("pivot",), q[None], (Q + noise)[None]))
    code, _, err = run("identify", source, tmp_path / "log.csv", "-o", out)
    assert code == 0
    assert "no place for the offset" in err
    again = jounce.load(out, damping=True)
    assert again.joints[0].damping[0] == pytest.approx(0.2, abs=0.02)
    assert again.bodies[0].inertia.spatial.first_moment.z == pytest.approx(-0.65, abs=0.02)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--friction", "sticky"], "--friction takes viscous, coulomb, offset or none"),
        (["--without", "x.csv"], "--without needs --payload-frame"),
        (["--report", "p.html", "--payload-frame", "tip"], "--report is about a whole robot"),
        (["-o", "new.urdf"], "a URDF can be written only if ROBOT is one"),
        (["-o", "new.txt"], "must end in .json or .urdf"),
    ],
)
def test_bad_input(arguments: list[str], said: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = run("identify", "planar2r", log(tmp_path / "log.csv"), *arguments)
    assert code == 2
    assert said in only_line(err)


@pytest.mark.parametrize("options", [["--validate"], ["--payload-frame", "tip", "--without"]])
def test_a_folder_can_be_a_bag(options: list[str], tmp_path: Path) -> None:
    pytest.importorskip("rosbags")
    (tmp_path / "bag").mkdir()
    (tmp_path / "bag" / "metadata.yaml").write_text("torn: true\n")
    code, _, err = run(
        "identify", "planar2r", log(tmp_path / "log.csv"), *options, tmp_path / "bag"
    )
    assert code == 2
    assert "bag: not a whole bag" in only_line(err)


def test_logs_without_torques(tmp_path: Path) -> None:
    t = np.arange(500) * 0.01
    write_table(tmp_path / "q.csv", MotionTable(t, NAMES, np.sin(t)[None, :, None] * np.ones(2)))
    code, _, err = run("identify", "planar2r", tmp_path / "q.csv")
    assert code == 2
    assert "no forces" in only_line(err)


def test_a_motion_to_log(tmp_path: Path) -> None:
    limits, out = tmp_path / "limits.csv", tmp_path / "motion.csv"
    limits.write_text("joint,velocity,acceleration\njoint1,2,8\njoint2,2,8\n")
    code, text, err = run(
        "excite", "planar2r", "--limits", limits, "--time", "5", "--starts", "1",
        "--harmonics", "3", "--step", "0.01", "-o", out,
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert "limits hold" in text
    assert "Izz(link2)" in text
    table = read_table(out)
    assert len(table.time) == 501
    from jounce.trajectory import MotionLimits

    bounds = MotionLimits.read(limits, ARM)
    assert check_limits(ARM, (table.time, table.values), bounds).ok
    code, _, err = run("excite", "planar2r", "--time", "5")
    assert code == 2 or "limits hold" in text
