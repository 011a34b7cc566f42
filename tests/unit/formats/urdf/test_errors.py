"""Every way a URDF can be wrong has its own message, with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from jounce.errors import ModelError, RobotFormatError
from jounce.formats.urdf.reader import load_urdf

MATTER = '<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
ENDS = '<parent link="a"/><child link="b"/>'
PLAIN = f"""<robot name="r">
<link name="a"/>
<link name="b"><inertial>{MATTER}</inertial></link>
<joint name="j" type="revolute">{ENDS}</joint>
</robot>"""


def weld(parent: str, child: str) -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{parent}_{child}" type="fixed">{ends}</joint>'


# what is wrong: (replace this in PLAIN, by that), line, pattern of the message
CASES = {
    "cycle": (
        ("</robot>", f'<link name="c"/><link name="d"/>{weld("c", "d")}{weld("d", "c")}</robot>'),
        5, "cycle of links, c → d → c; joint 'd_c' is part of it",
    ),
    "no root": (
        ("</robot>", f'{weld("b", "a")}</robot>'),
        4, r"no root link: .* cycle of links, b → a → b",
    ),
    "own parent": (('link="a"/><child', 'link="b"/><child'), 4, r"cycle of links, b → b"),
    "two roots": (
        ("</robot>", '<link name="c"/></robot>'),
        5, r"2 root links: 'a' \(line 2\), 'c' \(line 5\)",
    ),
    "no links": ((PLAIN[PLAIN.index("<link"):PLAIN.index("</robot>")], ""), 1, "has no <link>"),
    "missing parent link": (
        ('parent link="a"', 'parent link="aa"'),
        4, r"parent of joint 'j' is missing: no link named 'aa'; did you mean 'a'.*: a, b\.",
    ),
    "missing child link": (
        ('child link="b"', 'child link="zzz"'), 4, r"child of joint 'j' .*names: a, b\.",
    ),
    "duplicate link": (
        ("</robot>", '<link name="a"/></robot>'),
        5, r"duplicate link name 'a', first used in line 2",
    ),
    "duplicate joint": (
        ("</robot>", f'<joint name="j" type="fixed">{ENDS}</joint></robot>'),
        5, r"duplicate joint name 'j', first used in line 4",
    ),
    "two parents": (
        ("</robot>", f'<joint name="k" type="fixed">{ENDS}</joint></robot>'),
        5, r"link 'b' has two parents: .* joint 'k' and of joint 'j' in line 4",
    ),
    "zero axis": (("</joint>", '<axis xyz="0 0 0"/></joint>'), 4, "axis of joint 'j' is zero"),
    "axis without xyz": (("</joint>", "<axis/></joint>"), 4, "<axis> has no attribute 'xyz'"),
    "misspelt attribute": (
        ("</joint>", '<axis xzy="0 0 1"/></joint>'),
        4, "<axis>: no attribute named 'xzy'; did you mean 'xyz'",
    ),
    "not a number": (
        ('value="1"', 'value="one"'), 3, r"value='one' of <mass> must be a number .*got 'one'",
    ),
    "digit of another script": (('value="1"', 'value="１"'), 3, "must be a number"),
    "number with underscore": (('value="1"', 'value="1_0"'), 3, "must be a number"),
    "unexpanded xacro": (('value="1"', 'value="${m}"'), 3, "unexpanded xacro"),
    "wrong count": (
        ("</joint>", '<origin xyz="1 2"/></joint>'),
        4, r"xyz='1 2' of <origin> must be 3 numbers separated by spaces, got 2",
    ),
    "two masses in one": (('value="1"', 'value="1 2"'), 3, "must be one number .* got 2"),
    "NaN": (('value="1"', 'value="nan"'), 3, r"not finite \('nan'\)"),
    "infinity": (("</joint>", '<limit effort="-Inf"/></joint>'), 4, r"not finite \('-Inf'\)"),
    "overflow": (('value="1"', 'value="1e999"'), 3, "too large"),
    "empty value": (('value="1"', 'value=" "'), 3, "attribute 'value' of <mass> is empty"),
    "mismatched tag": (("</joint>", "</link>"), 4, "not well-formed XML: mismatched tag at column"),
    "undefined entity": (('name="a"', 'name="&a;"'), 2, "undefined entity"),
    "doctype": (("<robot ", "<!DOCTYPE robot><robot "), 1, "<!DOCTYPE robot> refused"),
    "robot without name": ((' name="r"', ""), 1, "<robot> has no attribute 'name'"),
    "link without name": (('link name="a"', "link"), 2, "<link> has no attribute 'name'"),
    "joint without name": (('joint name="j"', "joint"), 4, "<joint> has no attribute 'name'"),
    "joint without type": ((' type="revolute"', ""), 4, "no attribute 'type'"),
    "unknown type": (
        ('"revolute"', '"revolut"'),
        4, r"unknown type: no joint type named 'revolut'; did you mean 'revolute'.*planar",
    ),
    "joint without parent": (('<parent link="a"/>', ""), 4, "has no <parent>"),
    "joint without child": (('<child link="b"/>', ""), 4, "has no <child>"),
    "parent without link": (('<parent link="a"/>', "<parent/>"), 4, "<parent> has no attribute"),
    "two axes": (
        ("</joint>", '<axis xyz="1 0 0"/>\n<axis xyz="1 0 0"/></joint>'),
        5, "second <axis> in <joint name='j'>, the first is in line 4",
    ),
    "two inertials": (("</link>", "<inertial/></link>"), 3, "second <inertial>"),
    "no mass": (('<mass value="1"/>', ""), 3, "<inertial> has no <mass>"),
    "no inertia": ((MATTER, '<mass value="1"/>'), 3, "<inertial> has no <inertia>"),
    "inertia without izz": ((' izz="1"', ""), 3, "<inertia> has no attribute 'izz'"),
    "unknown element of robot": (
        ("</robot>", "<loop_joint/></robot>"),
        5, "<loop_joint> in <robot name='r'> is not understood and may change the dynamics",
    ),
    "unknown element of link": (("<inertial>", "<inertia/><inertial>"), 3, "<inertia> in <link"),
    "unknown element of inertial": (("<mass", "<density/><mass"), 3, "<density> in <inertial>"),
    "unknown element of joint": (("</joint>", "<spring/></joint>"), 4, "<spring> in <joint"),
    "xacro element": (("</robot>", "<xacro:macro/></robot>"), 5, "is xacro, not URDF"),
    "gravity off": (("<inertial>", "<gravity>0</gravity><inertial>"), 3, "<gravity>0</gravity>"),
    "kinematic": (("<inertial>", "<kinematic>1</kinematic><inertial>"), 3, "only 0, which is"),
    "link origin": (
        ("<inertial>", '<origin xyz="1 0 0"/><inertial>'), 3, "would be lost: put it in the joint",
    ),
    "inertia scaling": (
        ("<inertial>", '<contact><inertia_scaling value="3"/></contact><inertial>'),
        3, "scale the <inertia> itself",
    ),
    "limits exchanged": (
        ("</joint>", '<limit lower="1" upper="-1"/></joint>'), 4, "lower 1 is above upper -1",
    ),
    "mimic of nobody": (
        ("</joint>", '<mimic joint="i"/></joint>'),
        4, r"'j' mimics a joint that is missing: no joint named 'i'.*: j\. Pass mimic=False",
    ),
    "mimic of itself": (("</joint>", '<mimic joint="j"/></joint>'), 4, "in a cycle: j → j"),
    "mimic of a fixed joint": (
        ("</joint>", f'<mimic joint="b_c"/></joint><link name="c"/>{weld("b", "c")}'),
        4, "'j' mimics 'b_c', but 'b_c' is fixed",
    ),
    "mimic without joint": (("</joint>", "<mimic/></joint>"), 4, "no attribute 'joint'"),
}  # fmt: skip


def test_the_robot_the_cases_start_from_is_right() -> None:
    assert load_urdf(PLAIN).nv == 1


@pytest.mark.parametrize("case", CASES)
def test_error(case: str, tmp_path: Path) -> None:
    (old, new), line, pattern = CASES[case]
    assert old in PLAIN
    path = tmp_path / "robot.urdf"
    path.write_text(PLAIN.replace(old, new, 1), "utf-8")
    with pytest.raises(RobotFormatError, match=pattern) as caught:
        load_urdf(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert isinstance(caught.value, ValueError | ModelError)


@pytest.mark.parametrize("end", range(1, len(PLAIN) - 1, 7))
def test_truncated_anywhere(end: int) -> None:
    with pytest.raises(RobotFormatError, match=r"^<text>:\d+: the file ends .*truncated\?"):
        load_urdf(PLAIN[:end])


@pytest.mark.parametrize(
    ("content", "pattern"),
    [
        (b"", "^<text>:1: the file is empty"),
        (b" \n\n ", "^<text>:1: the file is empty"),
        (b"\n\nsolid mesh", "^<text>:3: not XML: expected '<', got 'solid mesh'"),
        (b"\x89PNG\r\n\x1a\n\x00", "^<text>:1: not XML"),
        (b"<robot name='r'>\x00</robot>", "^<text>:1: not well-formed"),
        (b"<mujoco/>", r"^<text>:1: expected <robot> .* got <mujoco> \(MJCF, a MuJoCo file\)"),
        (b"<!-- only -->", "^<text>:1: the file ends without any element"),
        (b"<robot name='r'/><robot name='s'/>", "^<text>:1: not well-formed XML: junk after"),
    ],
)
def test_not_a_urdf(content: bytes, pattern: str) -> None:
    with pytest.raises(RobotFormatError, match=pattern):
        load_urdf(content)


def test_billion_laughs() -> None:
    entities = '<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">'
    with pytest.raises(RobotFormatError, match=r"^<text>:1: document type .* remove it"):
        load_urdf(f'<!DOCTYPE robot [{entities}]><robot name="&b;"/>')


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(RobotFormatError, match=r"nowhere.urdf:1: cannot be read: No such file"):
        load_urdf("nowhere.urdf")
    with pytest.raises(RobotFormatError, match="cannot be read: Is a directory"):
        load_urdf(tmp_path)
    with pytest.raises(ModelError, match="packages must map package names to folders, got list"):
        load_urdf(PLAIN, packages=[])  # type: ignore[arg-type]
