"""The xacro reader: expansion, arguments, packages, and errors that name the file."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import jounce
from jounce.errors import InvalidInertiaError, ModelError, RobotFormatError, UnsupportedError
from jounce.formats.urdf.reader import load_urdf
from jounce.formats.xacro import expand, load_xacro

xacrodoc = pytest.importorskip("xacrodoc")

DATA = Path(__file__).parents[2] / "data" / "xacro"
PENDULUM = DATA / "pendulum.xacro"
HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'


@pytest.fixture
def write(tmp_path: Path):
    """Return a function that writes a xacro file around some elements."""

    def write(body: str, name: str = "robot.xacro") -> Path:
        path = tmp_path / name
        path.write_text(f"{HEAD}\n{body}\n</robot>")
        return path

    return write


def test_a_relative_include_whatever_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    robot = load_xacro(PENDULUM)
    assert robot.name == "pendulum"
    assert [b.name for b in robot.bodies] == ["upper", "lower"]
    assert [b.inertia.mass for b in robot.bodies] == [1.5, 0.75]
    monkeypatch.chdir(DATA)
    assert load_xacro("pendulum.xacro") == robot
    assert load_urdf(expand(PENDULUM)) == robot


def test_arguments():
    assert load_xacro(PENDULUM, mappings={"limbs": 1}).n_bodies == 1
    heavy = load_xacro(PENDULUM, mappings={"limbs": "1", "heavy": True})
    assert heavy.mass == 11.5  # and its mesh, in a package nobody has, is no matter
    assert load_xacro(PENDULUM, mappings={"heavy": False}).mass == 2.25
    assert jounce.load(PENDULUM, mappings={"limbs": 1, "heavy": True}) == heavy


def test_options_of_the_urdf_reader():
    robot = jounce.load(PENDULUM, floating_base=True, damping=True, gravity=(0, 0, -1))
    assert robot.joints[0].kind == "free"
    assert robot.joints[1].damping == (0.25,)
    assert tuple(robot.gravity) == (0.0, 0.0, -1.0)


def test_packages_are_found_as_told_and_forgotten_afterwards(write):
    path = write('<xacro:include filename="$(find jounce_parts)/limb.xacro"/><link name="a"/>')
    assert load_xacro(path, packages={"jounce_parts": DATA}).frames[0].name == "a"
    with pytest.raises(RobotFormatError, match="jounce_parts"):
        load_xacro(path)
    with pytest.raises(ModelError, match="packages must map"):
        load_xacro(path, packages=str(DATA))  # type: ignore[arg-type]


def test_a_package_above_the_file(tmp_path: Path):
    (tmp_path / "package.xml").write_text("<package><name>jounce_above</name></package>")
    (tmp_path / "urdf").mkdir()
    (tmp_path / "part.xacro").write_text(f'{HEAD}<link name="part"/></robot>')
    path = tmp_path / "urdf" / "robot.xacro"
    path.write_text(f'{HEAD}<xacro:include filename="$(find jounce_above)/part.xacro"/></robot>')
    assert load_xacro(path).frames[0].name == "part"


BROKEN = {
    '<link name="${nothing}"/>': r"xacro: .*nothing.* is not defined",
    '<xacro:if value="maybe"><link name="a"/></xacro:if>': "xacro: .*boolean",
    '<link name="$(arg size)"/>': r"xacro: Undefined substitution argument size",
    '<xacro:include filename="missing.xacro"/>': r"xacro: No such file .*missing\.xacro",
    '<link name="a">': r"robot\.xacro:3: xacro: mismatched tag",
    '<xacro:arm name="a"/>': r"xacro: .*[Uu]nknown macro name: .*arm",
    '<link name="a"/>\n<link name="b"/>': r"robot\.xacro \(expanded\):\d+: .*root",
}


@pytest.mark.parametrize("body", BROKEN)
def test_errors_name_the_file_and_the_cause(body: str, write):
    path = write(body)
    with pytest.raises(RobotFormatError, match=BROKEN[body]) as caught:
        load_xacro(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_an_error_in_an_included_file_leaves_nothing_behind(write, tmp_path: Path):
    (tmp_path / "sub").mkdir()
    write('<link name="${oops}"/>', "sub/part.xacro")
    with pytest.raises(RobotFormatError, match=r"oops.*\(in .*sub/part\.xacro\)"):
        load_xacro(write('<xacro:include filename="sub/part.xacro"/>'))
    assert load_xacro(PENDULUM).n_bodies == 2


def test_impossible_inertia(write):
    wrong = """<link name="ground"/><link name="a"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="${1 + 2}" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="j" type="continuous"><parent link="ground"/><child link="a"/></joint>"""
    path = write(wrong)
    with pytest.raises(InvalidInertiaError, match=r"robot\.xacro \(expanded\): no rigid body"):
        load_xacro(path)
    assert load_xacro(path, strict=False).nv == 1


def test_a_missing_file(tmp_path: Path):
    with pytest.raises(RobotFormatError, match=r"nothing\.xacro:1: no such file"):
        load_xacro(tmp_path / "nothing.xacro")


def test_without_the_xacrodoc_package(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "xacrodoc.xacrodoc", None)  # as if it were not installed
    with pytest.raises(UnsupportedError, match=r"pip install 'jounce\[xacro\]'"):
        load_xacro(PENDULUM)


def test_threads_get_the_robot_they_ask_for(tmp_path: Path):
    names = [f"link_{i}" for i in range(8)] * 25
    for name in set(names):
        (tmp_path / f"{name}.xacro").write_text(
            f'{HEAD}<xacro:property name="label" value="{name}"/></robot>'
        )
        (tmp_path / f"of_{name}.xacro").write_text(
            f'{HEAD}<xacro:include filename="{name}.xacro"/><link name="${{label}}"/></robot>'
        )
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            robots = list(pool.map(lambda name: load_xacro(tmp_path / f"of_{name}.xacro"), names))
    finally:
        sys.setswitchinterval(interval)
    assert [robot.base_name for robot in robots] == names
