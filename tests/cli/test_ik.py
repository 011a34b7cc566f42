"""``jounce ik``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import jounce
from jounce.algebra.rigid import quaternion_of
from jounce.cli import main
from jounce.trajectory import read_motion
from tests.tolerances import assert_close

PATH = Path(__file__).parents[1] / "data" / "poses.csv"  # far out of reach
Q = np.array([0.1, 0.5, -0.4, 0.3, 0.9, 0.2])


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["ik", "puma560", "--frame", "link6", *arguments])
    return result.exit_code, result.stdout, result.stderr


def numbers(values: np.ndarray) -> str:
    return " ".join(map(repr, values.tolist()))


def pose_text(q: np.ndarray) -> str:
    T = jounce.frame_pose(jounce.load("puma560"), "link6", q)[0]
    return numbers(np.concatenate([T[:3, 3], quaternion_of(T[:3, :3])]))


def test_a_pose():
    code, out, err = run("--pose", pose_text(Q), "--q0", numbers(Q + 0.01))
    assert code == 0, err
    rows = [line.split() for line in out.splitlines()]
    assert [row[0] for row in rows] == [f"joint{k}" for k in range(1, 7)]
    assert_close([float(row[1]) for row in rows], Q, 1e-9)
    assert "error" in err


def test_json_and_roll_pitch_yaw():
    code, out, err = run("--pose", "0.4, 0.1, 0.3, 0.1, 0.2, 0.3", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert found["error"] < 1e-9
    T = jounce.frame_pose(jounce.load("puma560"), "link6", found["q"])[0]
    assert_close(T[:3, 3], [0.4, 0.1, 0.3], 1e-9)
    assert_close(T[2, 0], -np.sin(0.2), 1e-9)


def test_out_of_reach_is_a_failed_check():
    code, out, err = run("--pose", "9 0 0 0 0 0")
    assert (code, out) == (1, "")
    assert "misses it by" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("kind", ["spline", "screws"])
def test_a_path(tmp_path: Path, kind: str):
    file, out = tmp_path / "path.csv", tmp_path / "motion.csv"
    motion = np.linspace(Q, Q + 0.3, 4)
    rows = [
        f"{t},{pose_text(q).replace(' ', ',')}" for t, q in zip([0, 1, 2, 3], motion, strict=True)
    ]
    file.write_text("\n".join(["t,x,y,z,qx,qy,qz,qw", *rows]), encoding="utf-8")
    arguments = ["--path", str(file), "--q0", numbers(Q), "--kind", kind, "--step", "0.1"]
    code, text, err = run(*arguments, "--out", str(out))
    assert (code, err) == (0, "")
    assert "31 samples" in text
    table = read_motion(out)
    assert table.values.shape == (5, 31, 6)
    assert_close(table.values[0, ::10], motion, 1e-8)
    V = jounce.frame_twist(jounce.load("puma560"), "link6", *table.values)
    assert np.abs(V[0, 0]).max() < 1e-9


def test_a_path_without_a_start_begins_in_the_middle_of_the_range(tmp_path: Path):
    robot = jounce.load("iiwa14")
    middle = 0.5 * (robot.limits.lower + robot.limits.upper)
    q = middle + np.array([0.1, 0.4, 0.1, -0.6, 0.1, 0.4, 0.1])
    T = jounce.frame_pose(robot, "flange", np.array([q, q + 0.05]))[0]
    rows = [numbers(np.concatenate([x[:3, 3], quaternion_of(x[:3, :3])])) for x in T]
    lines = [f"{t} {row}".replace(" ", ",") for t, row in zip((0, 2), rows, strict=True)]
    file = tmp_path / "path.csv"
    file.write_text("\n".join(["t,x,y,z,qx,qy,qz,qw", *lines]), encoding="utf-8")
    arguments = ["ik", "iiwa14", "--frame", "flange", "--path", str(file), "--step", "0.5"]
    found = []
    for more in ([], ["--q0", numbers(middle)]):
        out = tmp_path / f"motion{len(more)}.csv"
        result = CliRunner().invoke(main, [*arguments, *more, "--out", str(out)])
        assert result.exit_code == 0, result.output
        assert ("middle of the range" in result.stderr) == (not more)
        found.append(read_motion(out).values)
    np.testing.assert_array_equal(*found)


def test_a_path_that_is_too_fast(tmp_path: Path):
    file, out = tmp_path / "path.csv", tmp_path / "motion.csv"
    q = np.array([0.1, 0.5, 0.2, -1.0, 0.3, 0.8, 0.1])
    T = jounce.frame_pose(jounce.load("iiwa14"), "flange", np.array([q, q + 0.3]))[0]
    rows = [numbers(np.concatenate([x[:3, 3], quaternion_of(x[:3, :3])])) for x in T]
    lines = [f"{t} {row}".replace(" ", ",") for t, row in zip((0, 0.1), rows, strict=True)]
    file.write_text("\n".join(["t,x,y,z,qx,qy,qz,qw", *lines]), encoding="utf-8")
    arguments = ["ik", "iiwa14", "--frame", "flange", "--path", str(file), "--q0", numbers(q),
                 "--out", str(out)]  # fmt: skip
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 1
    assert "velocity limit" in result.stderr
    assert not out.exists()
    for option in ("--no-velocity-limits", "--no-limits"):
        assert CliRunner().invoke(main, [*arguments, option]).exit_code == 0


def test_a_path_that_leaves_the_reach(tmp_path: Path):
    file, out = tmp_path / "path.csv", tmp_path / "motion.csv"
    start = pose_text(Q).replace(" ", ",")
    end = "9" + start[start.index(",") :]
    file.write_text(f"t,x,y,z,qx,qy,qz,qw\n0,{start}\n1,{end}\n", encoding="utf-8")
    code, _, err = run("--path", str(file), "--q0", numbers(Q), "-o", str(out))
    assert code == 1
    assert "ends at t =" in err
    assert "--q0" in err
    assert not out.exists()


@pytest.mark.parametrize(("more", "still"), [([], 4), (["--degree", "5"], 2)])
def test_a_path_ends_at_rest(tmp_path: Path, more: list[str], still: int):
    """To the fourth derivative unless told otherwise."""
    file, out = tmp_path / "path.csv", tmp_path / "motion.csv"
    motion = np.linspace(Q, Q + 0.3, 4)
    rows = [f"{t},{pose_text(q).replace(' ', ',')}" for t, q in enumerate(motion)]
    file.write_text("\n".join(["t,x,y,z,qx,qy,qz,qw", *rows]), encoding="utf-8")
    arguments = ["--path", str(file), "--q0", numbers(Q), "--step", "0.05", "-o", str(out)]
    assert run(*arguments, *more)[0] == 0
    rates = read_motion(out).values[1:]
    for k, rate in enumerate(rates, start=1):
        at_ends = np.abs(rate[[0, -1]]).max() / np.abs(rate).max()
        assert (at_ends < 1e-9) == (k <= still)
    code, _, err = run(*arguments, "--kind", "screws", "--degree", "5")
    assert code == 2
    assert "--degree is for --kind spline" in err


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ((), "either --pose or --path"),
        (("--pose", "1 2 3"), "6 or 7 numbers"),
        (("--pose", "1 2 3 0 0 0 2"), "unit norm"),
        (("--pose", "1 2 3 0 0 0", "--q0", "1"), "--q0 takes 6 numbers"),
        (("--pose", "1 2 3 0 0 0", "--seed", "-1"), "'--seed': -1 is not in the range"),
        (("--path", "nothing.csv"), "--out"),
        (("--path", "nothing.csv", "--out", "x.csv"), "nothing.csv"),
        (("--path", str(PATH), "--out", "x.txt"), "x.txt"),
        (("--path", str(PATH), "--out", "nowhere/x.csv"), "nowhere"),
    ],
)
def test_bad_input(arguments: tuple[str, ...], match: str):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert match in err
    assert err.count("\n") == 1
