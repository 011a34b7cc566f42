"""``jounce show``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import jounce
from jounce.cli import main

URDF = """<robot name="two [arms]">
  <link name="torso"><inertial><mass value="5"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="left"><inertial><mass value="{mass}"/>
    <inertia ixx="{ixx}" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="right"/>
  <link name="hand"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="l" type="revolute"><parent link="torso"/><child link="left"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="2" velocity="3" effort="4"/></joint>
  <joint name="r" type="continuous"><parent link="torso"/><child link="right"/>
    <axis xyz="0 0 1"/></joint>
  <joint name="h" type="prismatic"><parent link="right"/><child link="hand"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="1" velocity="3" effort="4"/>
    <mimic joint="l" multiplier="-2" offset="0.5"/></joint>
</robot>"""


@pytest.fixture
def two_arms(tmp_path: Path) -> str:
    path = tmp_path / "two_arms.urdf"
    path.write_text(URDF.format(mass=2, ixx=1), encoding="utf-8")
    return str(path)


def show(*arguments: str) -> str:
    result = CliRunner(env={"COLUMNS": "160"}).invoke(main, ["show", *arguments])
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return result.stdout


def test_the_table(two_arms: str):
    out = show(two_arms)
    assert out.splitlines()[0].strip() == "two [arms]"
    assert "nq 2, nv 2, 3 bodies" in out
    assert "mass 8 kg, gravity (0 0 -9.80665) m/s²" in out
    rows = {row.split()[1]: row for row in out.splitlines() if "─ " in row}
    assert list(rows) == ["left", "right"]
    assert rows["left"].startswith("├─ left")
    assert "-1 … 2" in rows["left"]
    assert rows["right"].startswith("└─ right")
    (hand,) = (row for row in out.splitlines() if row.startswith("   hand"))
    assert "prismatic = -2 l +0.5" in hand
    assert "warning: " in out.splitlines()[-1]  # the massless link


def test_json(two_arms: str):
    summary = json.loads(show(two_arms, "--json"))
    assert (summary["name"], summary["nq"], summary["nv"]) == ("two [arms]", 2, 2)
    assert summary["mass"] == 8.0
    assert summary["gravity"] == [0.0, 0.0, -9.80665]
    left, right, hand = summary["bodies"]
    assert (left["parent"], right["parent"], hand["parent"]) == (None, None, "right")
    assert left["limits"]["upper"] == [2.0]
    assert left["limits"]["jerk"] == right["limits"]["upper"] == [None]
    assert hand["mimic"] == {"joint": "l", "multiplier": -2.0, "offset": 0.5}
    assert {"torso", "left"} <= {frame["name"] for frame in summary["frames"]}
    assert summary["warnings"]


def test_options(two_arms: str):
    floating = json.loads(show(two_arms, "--floating-base", "--json"))
    assert (floating["nq"], floating["nv"], floating["bodies"][0]["kind"]) == (9, 8, "free")
    assert json.loads(show(two_arms, "--no-mimic", "--json"))["nv"] == 3


def test_impossible_inertia(tmp_path: Path):
    path = tmp_path / "impossible.urdf"
    path.write_text(URDF.format(mass=2, ixx=100), encoding="utf-8")
    result = CliRunner().invoke(main, ["show", str(path)])
    assert result.exit_code == 2
    assert "left" in result.stderr
    assert result.stderr.count("\n") == 1
    assert "nq 2" in show(str(path), "--no-strict")


@pytest.mark.parametrize("name", ["panda", "planar2r"])
def test_bundled_robots(name: str):
    robot = jounce.load(name)
    out = show(name)
    assert all(body.name in out for body in robot.bodies)
    assert all(joint.name in out for joint in robot.joints)


def test_a_long_chain_stays_narrow(tmp_path: Path):
    path = tmp_path / "chain.json"
    jounce.examples.chain(60).save(path)
    widths = [len(line) for line in show(str(path)).splitlines()]
    assert max(widths) < 120


def test_frames_are_listed_when_asked_for():
    plain = CliRunner().invoke(main, ["show", "panda"])
    result = CliRunner().invoke(main, ["show", "panda", "--frames"])
    assert result.exit_code == 0, result.output
    assert "position there [m]" in result.output
    assert "position there" not in plain.output
    for frame in jounce.load("panda").frames:
        assert frame.name in result.output
