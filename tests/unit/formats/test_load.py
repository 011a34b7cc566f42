"""`jounce.load`: every kind of source, every option for every kind, every refusal."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.errors import (
    InvalidInertiaError,
    ModelError,
    RobotFormatError,
    UnknownNameError,
    UnsupportedError,
)
from jounce.model import joints
from jounce.model.builder import RobotBuilder
from jounce.model.inertia import Inertia
from jounce.model.robot import Robot
from tests.tolerances import EXACT, assert_close

INERTIAL = (
    '<inertial><origin xyz="0 0 0.1"/><mass value="1"/>'
    '<inertia ixx="0.1" iyy="0.1" izz="{izz}" ixy="0" ixz="0" iyz="0"/></inertial>'
)
URDF = """<?xml version="1.0"?>
<!-- {comment} -->
<robot name="hand">
  <link name="palm"/>
  <link name="lead">{inertial}</link>
  <link name="follow">{inertial}</link>
  <joint name="a" type="continuous"><parent link="palm"/><child link="lead"/>
    <axis xyz="1 0 0"/><dynamics damping="0.5"/></joint>
  <joint name="b" type="continuous"><parent link="lead"/><child link="follow"/>
    <axis xyz="1 0 0"/><mimic joint="a" multiplier="2" offset="0.1"/></joint>
</robot>
""".replace("{inertial}", INERTIAL).replace("{izz}", "0.1")
MJCF = """<!-- {comment} --><mujoco model="hand"><compiler angle="radian"/>
<option gravity="0 0 -3"/>
<worldbody><body name="lead"><joint name="a" axis="1 0 0" damping="0.5"/>
  <inertial pos="0 0 0.1" mass="1" diaginertia="0.1 0.1 0.1"/>
  <body name="follow"><joint name="b" axis="1 0 0"/>
    <inertial pos="0 0 0.1" mass="1" diaginertia="0.1 0.1 0.1"/></body></body></worldbody>
<equality><joint joint1="b" joint2="a" polycoef="0.1 2 0 0 0"/></equality></mujoco>
"""


def hand() -> Robot:
    b = RobotBuilder("hand")
    bar = Inertia(1.0, (0, 0, 0.1), 0.1 * np.eye(3))
    b.add("lead", None, joints.continuous((1, 0, 0)), inertia=bar, joint_name="a", damping=0.5)
    mimic = ("a", 2.0, 0.1)
    b.add("follow", "lead", joints.continuous((1, 0, 0)), np.eye(4), bar, "b", mimic=mimic)
    return b.build()


@pytest.fixture(params=["urdf", "urdf.xml", "mjcf.xml", "mjcf", "xacro", "json", "dict"])
def source(request, tmp_path: Path):
    """Return the same hand in every form a robot can come in."""
    if request.param in ("mjcf.xml", "mjcf"):
        pytest.importorskip("mujoco")
    if request.param == "xacro":
        pytest.importorskip("xacrodoc")
    if request.param == "dict":
        return hand().to_dict()
    path = tmp_path / f"hand.{request.param}"
    if request.param == "json":
        hand().save(path)
    else:
        text = MJCF if request.param.startswith("mjcf") else URDF
        path.write_text(text.replace("{comment}", "a hand"), encoding="utf-8")
    return path


def gravity_of(source) -> float:
    return -3.0 if "mjcf" in str(source) else -9.80665


def damped(robot: Robot) -> bool:
    return any(x for joint in robot.joints for x in joint.damping)


def test_every_kind_of_source_moves_alike(source):
    robot = jounce.load(source)
    assert (robot.nq, robot.nv, robot.n_bodies) == (1, 1, 2)
    assert robot.gravity.z == gravity_of(source)
    same = jounce.load(source, gravity=(0, 0, -9.80665))
    motion = [0.3], [0.0], [1.0]  # at rest, so that damping plays no part
    desired = jounce.inverse_dynamics(hand(), *motion)
    assert np.abs(jounce.inverse_dynamics(same, *motion) - desired).max() < 1e-9


def test_options_for_every_kind_of_source(source):
    assert jounce.load(source, mimic=False).nv == 2
    floating = jounce.load(source, floating_base=True)
    assert (floating.joints[0].kind, floating.nv) == ("free", 7)
    assert jounce.load(source, floating_base=True, mimic=False).nv == 8
    turned = jounce.load(source, gravity=(1, 2, 3), floating_base=True)
    assert tuple(turned.gravity) == (1.0, 2.0, 3.0)
    with pytest.raises(ModelError, match="gravity must be finite"):
        jounce.load(source, gravity=(0, 0, np.nan))


def test_damping_is_a_choice_in_files_of_others_and_kept_in_our_own(source):
    native = isinstance(source, dict) or source.suffix == ".json"
    assert damped(jounce.load(source)) == native
    assert damped(jounce.load(source, damping=True))
    assert damped(jounce.load(source, damping=False)) == native


def test_mappings_are_for_xacro_files(source):
    if str(source).endswith(".xacro"):
        assert jounce.load(source, mappings={"unused": 1}) == jounce.load(source)
        return
    assert jounce.load(source, mappings={}) == jounce.load(source)
    with pytest.raises(UnsupportedError, match=r"only xacro files take mappings, got \['a'\]"):
        jounce.load(source, mappings={"a": 1})


def test_a_path_may_be_a_string(source):
    if not isinstance(source, dict):
        assert jounce.load(str(source)) == jounce.load(source)


def test_a_home_directory_is_expanded(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    hand().save(tmp_path / "hand.json")
    assert jounce.load("~/hand.json") == hand()


def test_suffixes_may_be_capital(tmp_path: Path):
    hand().save(tmp_path / "HAND.JSON")
    (tmp_path / "HAND.URDF").write_text(URDF)
    assert jounce.load(tmp_path / "HAND.JSON") == hand()
    assert jounce.load(tmp_path / "HAND.URDF").nv == 1


@pytest.mark.parametrize("comment", ["<robot> is not the root", "x" * 20000])
def test_the_root_element_tells_what_an_xml_file_is(comment: str, tmp_path: Path):
    pytest.importorskip("mujoco")
    for text in (URDF, MJCF):
        (tmp_path / "hand.xml").write_text(text.replace("{comment}", comment))
        assert jounce.load(tmp_path / "hand.xml").bodies[0].name == "lead"


def test_an_address_is_looked_up(tmp_path: Path):
    package = tmp_path / "somewhere"
    (package / "urdf").mkdir(parents=True)
    (package / "urdf" / "hand.urdf").write_text(URDF)
    robot = jounce.load(
        "package://hand_description/urdf/hand.urdf", packages={"hand_description": str(package)}
    )
    assert robot.name == "hand"
    assert jounce.load(f"file://{package}/urdf/hand.urdf") == robot
    with pytest.raises(RobotFormatError, match="package 'nobody'"):
        jounce.load("package://nobody/hand.urdf")


@pytest.mark.parametrize("name", jounce.robots())
def test_bundled_robots_load_by_default_and_with_options(name: str):
    robot = jounce.load(name)
    assert jounce.load(Path(name)) is robot
    assert jounce.load(name, mimic=False, damping=True) == robot
    assert tuple(jounce.load(name, gravity=(0, 0, 0)).gravity) == (0.0, 0.0, 0.0)
    if name == "humanoid":
        with pytest.raises(UnsupportedError, match="already has a floating base"):
            jounce.load(name, floating_base=True)
    else:
        assert jounce.load(name, floating_base=True).nv == robot.nv + 6


def test_strict_for_every_kind(tmp_path: Path):
    wrong = URDF.replace('izz="0.1"', 'izz="0.5"')
    (tmp_path / "wrong.urdf").write_text(wrong)
    b = RobotBuilder("wrong")
    b.add(
        "arm", None, joints.revolute((0, 0, 1)), inertia=Inertia(1, (0, 0, 0), np.diag([1, 1, 3]))
    )
    b.build(strict=False).save(tmp_path / "wrong.json")
    data = json.loads((tmp_path / "wrong.json").read_text())
    for source in (tmp_path / "wrong.urdf", tmp_path / "wrong.json", data):
        with pytest.raises(InvalidInertiaError, match="strict=False"):
            jounce.load(source)
        assert jounce.load(source, strict=False).n_bodies


def test_freeing_the_mimics_of_a_file_is_freeing_those_of_the_source(tmp_path: Path):
    (tmp_path / "hand.urdf").write_text(URDF)
    jounce.load(tmp_path / "hand.urdf").save(tmp_path / "hand.json")
    free = jounce.load(tmp_path / "hand.urdf", mimic=False)
    assert jounce.load(tmp_path / "hand.json", mimic=False) == free
    motion = [0.1, 0.2], [0.3, 0.4], [0.5, 0.6]
    again = jounce.load(tmp_path / "hand.json", mimic=False)
    assert_close(
        jounce.inverse_dynamics(again, *motion), jounce.inverse_dynamics(free, *motion), EXACT
    )


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ("pandda", UnknownNameError, "no robot named 'pandda'; did you mean 'panda'.*iiwa14"),
        ("panda.urdf", RobotFormatError, "panda.urdf: no such file. Bundled robots: .*panda"),
        ("~nobody-here/arm.urdf", RobotFormatError, "nobody-here/arm.urdf: no such file"),
        ("some/where", RobotFormatError, "no such file, nor a bundled robot .*panda"),
        ("robot.step", RobotFormatError, "robot.step: no such file"),
        ("{tmp}", RobotFormatError, "is a directory; give the path of a robot file"),
        ("{tmp}/folder.urdf", RobotFormatError, "is a directory; give the path of a robot file"),
        ("{tmp}/robot.step", UnsupportedError, r"suffix '\.step'; expected one of \.urdf, \.xacro"),
        ("{tmp}/robot", UnsupportedError, "cannot tell the format from the suffix ''"),
        ("{tmp}/none.json", RobotFormatError, r"none\.json: no such file"),
        ("", RobotFormatError, "is a directory"),
        (
            "<robot name='r'/>",
            RobotFormatError,
            "the name of a robot or of a file, not its content",
        ),
        (' {"format": "jounce-robot"}', RobotFormatError, "not its content; .*json.loads"),
        (b"panda", RobotFormatError, "cannot load a robot from a bytes; give a bundled name"),
        (None, RobotFormatError, "cannot load a robot from a NoneType"),
        (3, RobotFormatError, "cannot load a robot from a int"),
        (["panda"], RobotFormatError, "cannot load a robot from a list"),
        ({}, RobotFormatError, "robot: not a Jounce robot"),
    ],
)
def test_what_cannot_be_loaded_says_what_can(given, error: type, message: str, tmp_path: Path):
    (tmp_path / "folder.urdf").mkdir()
    (tmp_path / "robot.step").write_text("")
    (tmp_path / "robot").write_text("")
    if isinstance(given, str):
        given = given.replace("{tmp}", str(tmp_path))
    with pytest.raises(error, match=message):
        jounce.load(given)


@pytest.mark.parametrize("content", ["", "not xml", "<robot", "\x00\x01"])
def test_a_broken_xml_file_is_refused_by_a_reader(content: str, tmp_path: Path):
    pytest.importorskip("mujoco")
    (tmp_path / "broken.xml").write_text(content)
    with pytest.raises(RobotFormatError, match=r"broken\.xml"):
        jounce.load(tmp_path / "broken.xml")


def test_a_robot_is_no_source():
    with pytest.raises(RobotFormatError, match="cannot load a robot from a Robot"):
        jounce.load(hand())  # type: ignore[arg-type]


def test_a_xacro_file_is_refused_on_request(tmp_path: Path):
    path = tmp_path / "hand.xacro"
    path.write_text(URDF)
    with pytest.raises(UnsupportedError, match=r"hand\.xacro: xacro files can run commands"):
        jounce.load(path, xacro=False)
