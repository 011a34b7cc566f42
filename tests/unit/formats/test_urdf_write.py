"""Inertias and friction written back into a URDF, every other byte as it was."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.errors import UnsupportedError
from jounce.formats.urdf.write import write_urdf
from jounce.model.records import Friction
from tests.tolerances import INDEPENDENT, assert_close

TEXT = """<?xml version='1.0'?>
<!-- <link name="upper"/> is no link: ümlaut -->
<robot name="arm">
  <link name="base"><inertial><mass value="4"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name='upper'>\t<visual><geometry><box size="1 1 1"/></geometry></visual>
    <inertial>
      <origin xyz="0 0 0.3" rpy="0.1 0 0"/>
      <mass   value="2"/> <!-- kept? no: part of the inertial -->
      <inertia ixx="0.1" iyy="0.1" izz="0.02" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <link name="tool"><inertial><origin xyz="0 0.1 0"/><mass value="0.5"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lower" />
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/>
    <axis xyz="0 1 0"/><dynamics friction="9" damping="9"/></joint>
  <joint name="weld" type="fixed"><parent link="lower"/><child link="tool"/><origin xyz="0 0 0.2"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
    <limit effort="1" velocity="1" lower="-1" upper="1"/><axis xyz="1 0 0"/>
    <origin xyz="0 0 1"/></joint>
</robot>
"""  # noqa: E501


def rest(text: str) -> str:
    """Return the text without what may change."""
    text = re.sub(r"\s*<inertial>.*?</inertial>", "", text, flags=re.DOTALL)
    text = re.sub(r"\s*<dynamics[^>]*>", "", text)
    return re.sub(r"<link name=\"lower\" (/>|>\s*</link>)", "LOWER", text)


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.mark.parametrize("light", [False, True])
def test_only_inertials_and_dynamics_change(arm: Path, tmp_path: Path, light: bool) -> None:
    robot = jounce.load(arm)
    rng = np.random.default_rng(0)
    P = jounce.parameters(robot).reshape(-1, 10) * rng.uniform(1.5, 2.0, (2, 1))
    if light:
        P[1] = jounce.Inertia(0.1, (0, 0, 0.1), np.eye(3) * 1e-3).parameters  # less than the tool
    friction = [(Friction(0.7, 0.0),), (Friction(0.2, 0.4),)]
    changed = robot.with_parameters(P.ravel())
    joints = [
        replace(j, friction=f, damping=(d,))
        for j, f, d in zip(changed.joints, friction, (1.5, 0.25), strict=True)
    ]
    changed = replace(changed, joints=tuple(joints))
    notes = write_urdf(changed, arm, tmp_path / "new.urdf")
    assert notes == ("a URDF has no place for the offset of its force of elbow",)
    text = (tmp_path / "new.urdf").read_text(encoding="utf-8")
    assert rest(text) == rest(TEXT)
    again = jounce.load(tmp_path / "new.urdf", damping=True)
    assert_close(jounce.parameters(again), P.ravel(), INDEPENDENT)
    assert [joint.damping for joint in again.joints] == [(1.5,), (0.25,)]
    assert '<dynamics damping="1.5" friction="0.7"/>' in text
    dry = jounce.load(tmp_path / "new.urdf", friction=True).joints
    assert [joint.friction for joint in dry] == [(Friction(0.7),), (Friction(0.2),)]
    assert ('<mass value="0.5"/>' in text) is not light  # the tool keeps its matter if it can
    assert again.base_inertia == robot.base_inertia
    assert TEXT.encode() == arm.read_bytes()


def test_another_speed_of_smoothing_is_named(arm: Path, tmp_path: Path) -> None:
    robot = jounce.load(arm, friction=True, coulomb_speed=0.05)
    notes = write_urdf(robot, arm, tmp_path / "new.urdf")
    assert notes == (
        "a URDF has no place for the speed 0.05 that smooths the friction of shoulder",
    )  # fmt: skip
    again = jounce.load(tmp_path / "new.urdf", friction=True, coulomb_speed=0.05)
    assert [j.friction for j in again.joints] == [j.friction for j in robot.joints]


def test_onto_itself_and_twice(arm: Path) -> None:
    robot = jounce.load(arm)
    write_urdf(robot, arm, arm)
    once = arm.read_bytes()
    write_urdf(robot, arm, arm)
    assert arm.read_bytes() == once
    assert_close(jounce.parameters(jounce.load(arm)), jounce.parameters(robot), INDEPENDENT)


def test_windows_line_ends_stay(arm: Path) -> None:
    arm.write_bytes(TEXT.replace("\n", "\r\n").encode())
    write_urdf(jounce.load(arm), arm, arm)
    assert rest(arm.read_bytes().decode().replace("\r\n", "\n")) == rest(TEXT)
    assert (
        b'axis xyz="0 1 0"/><dynamics damping="0.0" friction="0.0"/></joint>\r\n'
        in arm.read_bytes()
    )


def test_other_robots_are_refused(arm: Path, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="'link1' is not in it"):
        write_urdf(jounce.load("planar2r"), arm, tmp_path / "new.urdf")
    with pytest.raises(UnsupportedError, match=r"only a \.urdf file"):
        write_urdf(jounce.load(arm), tmp_path / "arm.xacro", tmp_path / "new.urdf")
    assert not (tmp_path / "new.urdf").exists()
