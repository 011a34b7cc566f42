"""``jounce simulate``."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import jounce
from jounce.cli import main
from jounce.trajectory import read_motion
from tests.cli.program import interrupt
from tests.tolerances import INDEPENDENT, assert_close

ARM = jounce.load("planar2r")
Q, V = "0.3 -0.4", "0.5,1"


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["simulate", "planar2r", "--order", "8", *arguments])
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("ending", ["csv", "npz"])
def test_a_table(tmp_path: Path, ending: str):
    out = tmp_path / f"motion.{ending}"
    code, text, err = run("--time", "0.3", "--q", Q, "--v", V, "--torque", "1,2", "-o", str(out))
    assert (code, err) == (0, "")
    assert "31 samples" in text
    table = read_motion(out)
    wanted = jounce.simulation.taylor(
        ARM, ([0.3, -0.4], [0.5, 1.0]), [1.0, 2.0], (0, 0.3), order=8
    )(table.time)
    assert_close(table.values, [wanted["q"], wanted["v"]], INDEPENDENT)


def test_going_on_from_a_result(tmp_path: Path):
    first, second, whole = (str(tmp_path / f"{n}.json") for n in "abc")
    springs = ["--elastic", "500,0.1", "--elastic", "inf,0.2"]
    assert run("--time", "0.1", "--q", Q, *springs, "-o", first)[0] == 0
    assert run("--time", "0.1", "--state", first, *springs, "-o", second)[0] == 0
    assert run("--time", "0.2", "--q", Q, *springs, "-o", whole)[0] == 0
    a, b = (json.loads(Path(p).read_text("utf-8")) for p in (second, whole))
    for name in ("q", "v", "theta", "theta1"):
        assert_close(a[name][-1], b[name][-1], INDEPENDENT)


def test_without_a_file_the_last_state_is_printed():
    code, out, _ = run("--time", "0.1")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["time", "q", "v", "t"]


def test_a_plot(tmp_path: Path):
    pytest.importorskip("matplotlib")
    out = tmp_path / "motion.png"
    code, _, err = run("--time", "0.1", "--plot", str(out))
    assert (code, err) == (0, "")
    assert out.read_bytes().startswith(b"\x89PNG")


def test_a_plot_is_smooth_and_has_the_motors(tmp_path: Path):
    """However far the samples of the table are apart; texts stand in an SVG as comments."""
    pytest.importorskip("matplotlib")
    out = tmp_path / "motion.svg"
    arguments = ("--time", "1", "--step", "0.5", "--torque", "1,0", "--elastic", "100,1")
    code, text, err = run(*arguments, "--plot", str(out))
    assert (code, err) == (0, "")
    assert "3 samples" in text
    drawn = out.read_text("utf-8")
    for label in ("q [rad]", "v [rad/s]", "θ, motors [rad]", "dθ/dt, motors [rad/s]"):
        assert f"<!-- {label} -->" in drawn
    assert "<!-- planar2r under 1,0 N m, behind springs: end of time at 1 s -->" in drawn
    curves = [path.count("L ") for path in re.findall(r'<path d="([^"]*)"', drawn)]
    assert sum(points > 10 for points in curves) == 8


def test_no_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, out, err = run("--plot", str(tmp_path / "motion.png"))
    assert (code, out) == (2, "")
    assert "jounce[plot]" in err


def test_what_was_simulated_is_kept(tmp_path: Path):
    """Two rods without mass and a point mass: stretched, nothing resists, and steps underflow."""
    b = jounce.RobotBuilder("point")
    b.add("rod", joint=jounce.joints.revolute([0, 0, 1]))
    T = np.eye(4)
    T[0, 3] = 1.0
    mass = jounce.Inertia(1.0, [1, 0, 0], np.zeros((3, 3)))
    b.add("tip", "rod", jounce.joints.revolute([0, 0, 1]), placement=T, inertia=mass)
    robot, out = tmp_path / "point.json", tmp_path / "motion.json"
    b.build().save(robot)
    arguments = ["--q", "0 1", "--v", "0 -1", "--order", "8", "-o", str(out)]
    found = CliRunner().invoke(main, ["simulate", str(robot), *arguments])
    assert found.exit_code == 1
    message = r"^jounce: .*too small at t = 0\.\d+ s.*; what was simulated before is in .*\.json\n$"
    assert re.match(message, found.stderr)
    kept = json.loads(out.read_text("utf-8"))
    assert kept["reason"] == "step underflow"
    assert len(kept["time"]) > 10
    assert abs(kept["q"][-1][1]) < 1e-3


def test_help_shows_an_example():
    assert "Example: jounce simulate panda" in run("--help")[1]


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (("--q", "1"), "--q takes 2 numbers"),
        (("--torque", "1 x"), "--torque takes 2 numbers"),
        (("--elastic", "0,1"), "stiffness of joint 'joint1' must be positive"),
        (("--elastic", "1"), "--elastic takes 2 numbers"),
        (("--elastic", "1,1", "--elastic", "1,1", "--elastic", "1,1"), "once, or 2 times"),
        (("-o", "x.txt"), "must end in .csv"),
        (("-o", "/no/such/x.csv"), "no directory"),
        (("--plot", "x.gif"), "must end in .png"),
        (("--state", "nothing.json"), "nothing.json"),
        (("--state", "nothing.txt"), ".json or .npz"),
        (("--time", "-1"), "--time"),
    ],
)
def test_bad_input(arguments: tuple[str, ...], match: str):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert match in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("text", ["{", "[1]", '{"v": [1, 2]}', '{"q": ["a"]}'])
def test_bad_state_files(tmp_path: Path, text: str):
    file = tmp_path / "state.json"
    file.write_text(text, encoding="utf-8")
    code, out, err = run("--state", str(file))
    assert (code, out) == (2, "")
    assert "state.json" in err


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to send")
def test_ctrl_c_leaves_nothing(tmp_path: Path):
    out = tmp_path / "motion.csv"
    program = (
        "import sys\nfrom jounce.cli import main\nimport jounce.simulation as s\n"
        "t = s.taylor\n"
        "def slow(*a, **k):\n print('ready', flush=True)\n return t(*a, **k)\n"
        f"s.taylor = slow\nsys.argv = ['jounce', 'simulate', 'planar2r', '--time', '9e4', "
        f"'--order', '8', '-o', {str(out)!r}]\nmain()"
    )
    code, err = interrupt(program)
    assert code == 130
    assert err == "jounce: interrupted\n"
    assert list(tmp_path.iterdir()) == []


def test_a_robot_with_closures_starts_closed(tmp_path: Path):
    robot, file, out = jounce.examples.fourbar(), tmp_path / "fourbar.json", tmp_path / "run.npz"
    robot.save(file)
    for given in ([], ["--q", "0.5 0.421 1.414", "--v", "1 0 0"]):
        arguments = ["simulate", str(file), "--order", "6", "--time", "0.05", "-o", str(out)]
        result = CliRunner().invoke(main, [*arguments, *given])
        assert result.exit_code == 0
        assert ("put onto the closures" if given else "closed configuration") in result.stderr
        q = read_motion(out).values[0]
        assert np.abs(jounce.closure_error(robot, q)).max() < 1e-12
    springs = CliRunner().invoke(main, ["simulate", str(file), "--elastic", "900,0.1"])
    assert springs.exit_code == 2
    assert "--elastic is for trees" in springs.stderr
