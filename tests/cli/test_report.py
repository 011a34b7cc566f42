"""``jounce report``."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import jounce
from jounce.cli import main
from jounce.trajectory import MotionTable, papers_motion, write_table
from tests.cli.program import interrupt

pytest.importorskip("plotly")
ARM = jounce.load("planar2r")
NAMES = tuple(joint.name for joint in ARM.joints)
TIME = np.linspace(0.0, 2.0, 101)


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["report", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


def logged(path: Path, orders: int = 1, names: tuple[str, ...] = NAMES) -> Path:
    """Write a motion with this many orders."""
    write_table(path, MotionTable(TIME, names, papers_motion(2)(TIME)[:orders]))
    return path


def test_without_a_motion(tmp_path: Path):
    out = tmp_path / "report.html"
    code, text, err = run("planar2r", "-o", out, "--time", 1, "--step", 0.01)
    assert (code, err) == (0, "")
    assert "101 samples" in text
    assert "No limits are known." in text
    page = out.read_text("utf-8")
    assert "<title>planar2r</title>" in page
    assert "cosines within the limits" in page


@pytest.mark.parametrize("orders", [1, 3, 5])
@pytest.mark.parametrize("ending", ["csv", "npz"])
def test_a_logged_motion(tmp_path: Path, ending: str, orders: int):
    """Rates that the file lacks come from a spline."""
    file, out = logged(tmp_path / f"log.{ending}", orders), tmp_path / "report.html"
    code, text, err = run("planar2r", file, "-o", out, "--elastic", "500,0.1")
    assert (code, err) == (0, "")
    assert "101 samples" in text
    page = out.read_text("utf-8")
    assert file.name in page
    assert "Series-elastic drives" in page


def test_more_orders_and_other_units(tmp_path: Path):
    out = tmp_path / "report.html"
    code, _, err = run(
        "planar2r", logged(tmp_path / "log.csv"), "--units", "deg", "--order", 4, "-o", out
    )
    assert (code, err) == (0, "")
    assert "Torque Q⁽⁴⁾" in out.read_text("utf-8")


def test_a_log_that_id_takes_is_taken_too(tmp_path: Path):
    """Rows written twice, rates that are better left out, a degree."""
    file, out = logged(tmp_path / "log.csv", 2), tmp_path / "report.html"
    rows = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text("".join([*rows[:5], *rows[4:]]), encoding="utf-8")
    arguments = ("planar2r", file, "--fit", "--degree", 9, "-o", out)
    code, _, err = run(*arguments)
    assert code == 2
    assert f"{file}:6: time" in err
    code, _, err = run(*arguments, "--drop-duplicates")
    note = f"{file}: left out 1 rows that repeat the row before"
    assert (code, err) == (0, f"jounce: {note}\n")
    assert note in out.read_text("utf-8")


def test_exceeded_limits_are_told_and_do_not_fail(tmp_path: Path):
    data = ARM.to_dict()
    data["bodies"][0]["joint"]["limits"] = {"velocity": [1.0]}
    robot, out = tmp_path / "arm.json", tmp_path / "report.html"
    jounce.load(data).save(robot)
    code, text, err = run(robot, logged(tmp_path / "log.csv", 5), "-o", out)
    assert (code, err) == (0, "")
    assert "One limit is exceeded at the " in text
    assert "samples: the velocity of joint1 is " in text
    assert "No torque-rate limit is known." in text
    assert '"state": "bad"' in out.read_text("utf-8")


def test_limits_of_a_file(tmp_path: Path):
    limits, out = tmp_path / "limits.json", tmp_path / "report.html"
    limits.write_text('{"joint1": {"velocity": 1.0, "snap": 1e9}}', encoding="utf-8")
    code, text, err = run("planar2r", "--limits", limits, "-o", out)
    assert (code, err) == (0, "")
    assert "All checked limits hold" in text
    code, text, _ = run("planar2r", logged(tmp_path / "log.csv", 5), "--limits", limits, "-o", out)
    assert code == 0
    assert "One limit is exceeded" in text


def test_a_floating_base_has_a_motion_too(tmp_path: Path):
    builder = jounce.RobotBuilder("cube")
    inertia = jounce.Inertia(1.0, [0, 0, 0], np.eye(3))
    builder.add("body", joint=jounce.joints.free(), inertia=inertia)
    builder.add("arm", "body", joint=jounce.joints.revolute([0, 0, 1]), inertia=inertia)
    builder.build().save(tmp_path / "cube.json")
    command = (tmp_path / "cube.json", "-o", tmp_path / "cube.html", "--time", 0.5)
    code, text, err = run(*command)
    assert (code, err) == (0, "")
    assert "No limits are known" in text
    limits = tmp_path / "limits.csv"
    limits.write_text("joint,effort\nbody[vz],15\n", encoding="utf-8")  # two bodies of 1 kg
    code, text, err = run(*command, "--limits", limits)
    assert (code, err) == (0, "")
    assert "One limit is exceeded" in text


def test_help_shows_an_example():
    code, text, _ = run("--help")
    assert code == 0
    assert "Example: jounce report panda log.csv -o report.html" in text


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (("plannar2r",), "planar2r"),
        (("planar2r", "-o", "report.txt"), "must end in .html"),
        (("planar2r", "-o", "/no/such/report.html"), "no directory /no/such"),
        (("planar2r", "nothing.csv"), "nothing.csv"),
        (("planar2r", "log.txt"), ".csv or .tsv or .npz"),
        (("planar2r", "--elastic", "0,1"), "must be positive"),
        (("planar2r", "--elastic", "5"), "--elastic takes 2 numbers"),
        (("planar2r", "--order", "1"), "--order"),
        (("planar2r", "--limits", "limits.txt"), ".csv or .json"),
        (("planar2r", "--units", "deg"), "--units is for a MOTION"),
        (("planar2r", "--noise", "0"), "--noise is for a MOTION"),
        (("planar2r", "--drop-duplicates"), "--drop-duplicates is for a MOTION"),
        (("planar2r", "--time", "1e9", "--step", "1e-9"), "2000000 at most"),
        (("planar2r", "--time", "nan"), "nan is not a finite number"),
        (("planar2r", "--time", "-1"), "--time: -1.0 is not in the range"),
        (("planar2r", "--time", "abc"), "--time: 'abc' is not a valid float"),
        (("planar2r", "--time", "5", "--duration", "2"), "are the same; give one of them"),
        (("planar2r", "--map", "a=b"), "--map is for a MOTION"),
    ],
)
def test_bad_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], match: str
):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert match in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("table", "match"),
    [
        ("t,q:joint1,q:other\n0,0,0\n1,0,0\n", "joint2"),
        ("t,q:joint1,q:joint2\n0,0,0\n", "samples"),
        ("t,q:joint1,q:joint2\n0,0,0\n0,0,0\n", "time"),
    ],
)
def test_bad_motions(tmp_path: Path, table: str, match: str):
    file = tmp_path / "log.csv"
    file.write_text(table, encoding="utf-8")
    code, out, err = run("planar2r", file, "-o", tmp_path / "report.html")
    assert (code, out) == (2, "")
    assert match in err
    assert err.count("\n") == 1


def test_options_that_do_not_go_with_a_motion(tmp_path: Path):
    code, _, err = run("planar2r", logged(tmp_path / "log.csv"), "--duration", 2)
    assert code == 2
    assert "--duration is for a report without MOTION" in err
    code, _, err = run("planar2r", logged(tmp_path / "log.csv"), "--time", 2)
    assert code == 2
    assert "no column named '2'" in err


def test_a_motion_of_another_robot(tmp_path: Path):
    code, _, err = run("humanoid", logged(tmp_path / "log.csv"), "-o", tmp_path / "report.html")
    assert code == 2
    assert "no joint among t, q:joint1" in err
    assert "known joints: root_joint[" in err


def test_no_plotly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "plotly", None)
    code, out, err = run("planar2r", "-o", tmp_path / "report.html")
    assert (code, out) == (2, "")
    assert "pip install 'jounce[report]'" in err


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to send")
def test_ctrl_c_leaves_nothing(tmp_path: Path):
    out = tmp_path / "report.html"
    out.write_text("before", encoding="utf-8")
    program = f"""
import sys, time
import jounce.report.write as write
from jounce.cli import main
def page(report):
    print("ready", flush=True)
    while True:
        time.sleep(0.1)
write.page = page
sys.argv = ["jounce", "report", "planar2r", "--time", "0.5", "-o", {str(out)!r}]
main()
"""
    code, err = interrupt(program)
    assert (code, err) == (130, "jounce: interrupted\n")
    assert out.read_text("utf-8") == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_robot_with_closures(tmp_path: Path):
    """Motors are named; a log that is off by its sensors is put onto the closures."""
    robot, file, out = (
        jounce.examples.fourbar(),
        tmp_path / "fourbar.json",
        tmp_path / "report.html",
    )
    robot.save(file)
    code, text, err = run(file, "-o", out)
    assert (code, text) == (2, "")
    assert "--actuated" in err
    motors = ("--actuated", "crank_joint", "--elastic", "500,0.01")
    code, text, err = run(file, "-o", out, *motors, "--duration", 2, "--step", 0.05)
    assert (code, err) == (0, "")
    page = out.read_text("utf-8")
    assert "Closed to" in page
    assert "Series-elastic drives" in page
    motion = np.array(jounce.report.default_motion(robot, TIME, 0, actuated="crank_joint"))
    noise = 1e-5 * np.random.default_rng(0).standard_normal(motion.shape)
    names = tuple(joint.name for joint in robot.joints)
    write_table(tmp_path / "log.csv", MotionTable(TIME, names, motion + noise))
    code, text, err = run(file, tmp_path / "log.csv", "-o", out, *motors)
    assert code == 0
    assert "put onto the closures" in err
    assert "put onto the closures" in out.read_text("utf-8")
