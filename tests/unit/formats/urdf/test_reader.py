"""What the URDF reader makes of links, joints and their fields."""

from __future__ import annotations

import re
import time
from math import inf, pi, sqrt
from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.algebra.so3 import from_rpy
from jounce.errors import ArgumentError, InvalidInertiaError, RobotFormatError
from jounce.formats.json import from_dict
from jounce.formats.urdf.reader import load_urdf
from jounce.model.builder import STANDARD_GRAVITY
from jounce.model.records import Friction
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close

BALL = '<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'


def link(name: str, inside: str = f"<inertial>{BALL}</inertial>") -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(name: str, parent: str, child: str, type_: str = "revolute", inside: str = "") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{type_}">{ends}{inside}</joint>'


def robot(*parts: str) -> str:
    return f'<robot name="r">{"".join(parts)}</robot>'


def one_joint(inside: str = "", type_: str = "revolute", child: str | None = None) -> str:
    return robot(link("a"), child or link("b"), joint("j", "a", "b", type_, inside))


def test_root_link_is_a_frame_of_the_ground_and_its_matter_is_kept() -> None:
    loaded = load_urdf(one_joint())
    assert loaded.name == "r"
    assert loaded.base_name == "a"
    assert loaded.frame("a").body == -1
    assert loaded.base_inertia.mass == 1.0
    assert loaded.mass == 2.0
    assert loaded.gravity == STANDARD_GRAVITY


def test_joints_come_depth_first_in_document_order() -> None:
    text = robot(
        joint("second", "root", "c"),
        joint("deep", "a", "b"),
        joint("first", "root", "a"),
        joint("deeper", "c", "d"),
        joint("deep too", "a", "e"),
        *(link(name) for name in ("e", "d", "b", "root", "c", "a")),
    )
    loaded = load_urdf(text)
    assert [j.name for j in loaded.joints] == ["second", "deeper", "first", "deep", "deep too"]
    assert [b.name for b in loaded.bodies] == ["c", "d", "a", "b", "e"]


def test_very_long_chain_needs_no_recursion() -> None:
    n = 1500
    links = [link(f"l{i}") for i in range(n)]
    joints = [joint(f"j{i}", f"l{i}", f"l{i + 1}") for i in range(n - 1)]
    assert load_urdf(robot(*links, *joints)).nv == n - 1


def test_axis_is_normalised_and_x_by_default() -> None:
    assert load_urdf(one_joint()).joints[0].type.axes == ((1, 0, 0),)
    axis = load_urdf(one_joint('<axis xyz="0 3 -4"/>')).joints[0].type.axes[0]
    assert_close(axis, (0, 0.6, -0.8), ROUNDOFF)


@pytest.mark.parametrize(
    ("type_", "kind", "nq"),
    [
        ("revolute", "revolute", 1),
        ("continuous", "continuous", 1),
        ("prismatic", "prismatic", 1),
        ("floating", "free", 7),
        ("planar", "planar", 3),
    ],
)
def test_joint_types(type_: str, kind: str, nq: int) -> None:
    loaded = load_urdf(one_joint(type_=type_))
    assert (loaded.joints[0].kind, loaded.nq) == (kind, nq)


def test_placement_is_the_origin_and_the_axis_is_in_the_child_frame() -> None:
    origin = f'<origin xyz="1 2 3" rpy="0 0 {pi / 2}"/><axis xyz="1 0 0"/>'
    body = load_urdf(one_joint(origin, "prismatic"))
    T = body.bodies[0].placement @ body.joints[0].type.pose([0.5])
    assert_close(T.p, (1, 2.5, 3), ROUNDOFF)  # the child's x is the parent's y
    assert_close(T.rotation.rows, ((0, -1, 0), (1, 0, 0), (0, 0, 1)), ROUNDOFF)


def test_negative_zeros_of_rotations_do_not_change_the_hash() -> None:
    turned = load_urdf(one_joint('<origin rpy="0 3.14159265359 0" xyz="-0 0 0"/>'))
    again = from_dict(turned.to_dict())
    assert (again, hash(again)) == (turned, hash(turned))


def test_fixed_joints_merge_and_stay_as_frames() -> None:
    tip = joint("weld", "b", "tip", "fixed", '<origin xyz="0 2 0"/>')
    loaded = load_urdf(robot(link("a"), link("b"), link("tip"), joint("j", "a", "b"), tip))
    assert [b.name for b in loaded.bodies] == ["b"]
    assert loaded.frame("tip").placement.p == (0, 2, 0)
    assert loaded.bodies[0].inertia.mass == 2.0
    assert loaded.bodies[0].inertia.com == (0, 1, 0)
    assert_close(loaded.bodies[0].inertia.rotational, np.diag([4.0, 2.0, 4.0]), ROUNDOFF)


def test_inertia_is_turned_from_the_inertial_frame_to_the_link() -> None:
    text = """<inertial><origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><mass value="2"/>
      <inertia ixx="3" iyy="4" izz="5" ixy="0.1" ixz="0.2" iyz="0.3"/></inertial>"""
    inertia = load_urdf(one_joint(child=link("b", text))).bodies[0].inertia
    R = np.array(from_rpy(0.4, 0.5, 0.6).rows)
    about_com = np.array([[3, 0.1, 0.2], [0.1, 4, 0.3], [0.2, 0.3, 5]])
    assert_close(inertia.com, (0.1, 0.2, 0.3), ROUNDOFF)
    assert_close(inertia.rotational, R @ about_com @ R.T, ROUNDOFF)


def test_limits_are_kept_as_given() -> None:
    limit = '<limit lower="-1" upper="2" velocity="0" effort="30"/>'
    limits = load_urdf(one_joint(limit)).joints[0].limits
    assert (limits.lower, limits.upper) == ((-1,), (2,))
    assert (limits.velocity, limits.effort) == ((0,), (30,))


@pytest.mark.parametrize(
    ("limit", "type_", "bounds"),
    [
        ("", "revolute", (-inf, inf)),
        ('<limit effort="1" velocity="1"/>', "revolute", (-inf, inf)),
        ('<limit upper="2"/>', "prismatic", (0, 2)),
        ('<limit lower="-1" upper="2"/>', "continuous", (-inf, inf)),
        ('<limit lower="-1.79769e+308" upper="1.79769e+308"/>', "revolute", (-inf, inf)),
        ('<limit lower="-1e16" upper="2"/>', "prismatic", (-inf, 2)),
    ],
)
def test_position_limits(limit: str, type_: str, bounds: tuple[float, float]) -> None:
    limits = load_urdf(one_joint(limit, type_)).joints[0].limits
    assert (limits.lower[0], limits.upper[0]) == bounds


def test_negative_rates_and_efforts_are_no_limits() -> None:
    """They are what becomes of SDF, where they say that there is none."""
    limits = load_urdf(one_joint('<limit velocity="-1.0" effort="-1"/>')).joints[0].limits
    assert (limits.velocity, limits.effort) == ((inf,), (inf,))


def test_damping_only_on_request() -> None:
    text = one_joint('<dynamics damping="0.5" friction="3"/>')
    assert load_urdf(text).joints[0].damping == (0.0,)
    assert load_urdf(text, damping=True).joints[0].damping == (0.5,)
    with pytest.raises(RobotFormatError, match=r"^<text>:1: damping of 'j' must be finite"):
        load_urdf(one_joint('<dynamics damping="-1"/>'), damping=True)


def test_friction_only_on_request() -> None:
    text = one_joint('<dynamics damping="0.5" friction="3"/>')
    assert load_urdf(text, damping=True).joints[0].friction == ()
    dry = load_urdf(text, friction=True)
    assert dry.joints[0].friction == (Friction(3.0, 0.0, 0.01),)
    assert dry.joints[0].damping == (0.0,)
    slow = load_urdf(text, friction=True, coulomb_speed=0.2)
    motion = [0.3], [0.1], [0.7]
    more = jounce.inverse_dynamics(slow, *motion) - jounce.inverse_dynamics(
        load_urdf(text), *motion
    )
    assert_close(more, [[3.0 * 0.1 / np.sqrt(0.1**2 + 0.2**2)]], INDEPENDENT)
    assert load_urdf(one_joint('<dynamics friction="0"/>'), friction=True) == load_urdf(one_joint())
    bad = one_joint('<dynamics friction="-1"/>')
    assert load_urdf(bad).nv == 1
    with pytest.raises(
        RobotFormatError, match=r"^<text>:1: Coulomb friction of 'j' must be finite"
    ):
        load_urdf(bad, friction=True)


def test_friction_of_a_file_through_load(tmp_path) -> None:
    path = tmp_path / "one.urdf"
    path.write_text(one_joint('<dynamics friction="3"/>'))
    assert jounce.load(path).joints[0].friction == ()
    assert jounce.load(path, friction=True, coulomb_speed=0.1).joints[0].friction[0].speed == 0.1
    with pytest.raises(ArgumentError, match="coulomb_speed must be positive"):
        jounce.load(path, friction=True, coulomb_speed=0.0)


def mimic_robot(mimic: str, source_type: str = "revolute", type_: str = "revolute") -> str:
    follower = joint("follower", "a", "b", type_, mimic)
    return robot(link("a"), link("b"), link("c"), follower, joint("j", "a", "c", source_type))


def test_mimic_of_a_later_joint() -> None:
    text = mimic_robot('<mimic joint="j" multiplier="-2" offset="0.5"/>')
    loaded = load_urdf(text)
    assert loaded.nv == 1
    assert loaded.joints[0].mimic == (1, -2.0, 0.5)
    assert load_urdf(text, mimic=False).nv == 2
    assert load_urdf(mimic_robot('<mimic joint="j"/>')).joints[0].mimic == (1, 1.0, 0.0)
    zero = load_urdf(mimic_robot('<mimic joint="j" multiplier="0"/>'))
    assert zero.joints[0].mimic == (1, 0.0, 0.0)


def test_mimic_on_a_fixed_joint_is_ignored() -> None:
    assert load_urdf(mimic_robot('<mimic joint="nobody"/>', type_="fixed")).nv == 1


def test_broken_mimic_does_not_matter_when_mimics_are_free() -> None:
    assert load_urdf(mimic_robot('<mimic joint="nobody"/>'), mimic=False).nv == 2


def test_floating_base() -> None:
    loaded = load_urdf(one_joint()).with_floating_base()
    assert [j.name for j in loaded.joints] == ["root_joint", "j"]
    assert [b.name for b in loaded.bodies] == ["a", "b"]
    assert loaded.bodies[0].inertia.mass == 1.0
    clash = robot(link("a"), link("b"), joint("root_joint", "a", "b"))
    names = [j.name for j in load_urdf(clash).with_floating_base().joints]
    assert names == ["floating_base_joint", "root_joint"]


def test_massless_moving_bodies_are_warned_about_and_frames_are_not() -> None:
    empty = robot(
        link("world", ""),
        link("a", ""),
        link("carrier", ""),
        link("hand", ""),
        link("tool"),
        joint("w", "world", "a", "fixed"),
        joint("j", "a", "carrier"),
        joint("k", "carrier", "hand"),
        joint("t", "hand", "tool", "fixed"),
    )
    loaded = load_urdf(empty)
    warning = "<text>:1: link 'carrier' moves but has no <inertial>: massless."
    assert loaded.warnings == (warning,)
    assert loaded.bodies[0].inertia.mass == 0.0


def test_foreign_attributes_of_dynamics_are_one_warning() -> None:
    loaded = load_urdf(one_joint('<dynamics K="7000" damping="1" mu="2"/>'))
    assert loaded.warnings == ("<text>:1: attributes of <dynamics> not used: K, mu.",)


def test_elements_without_a_part_in_the_dynamics_are_ignored() -> None:
    harmless = "<visual><xacro:odd/></visual><collision/><surface><x/></surface><self_filter/>"
    switches = '<gravity>1</gravity><kinematic>0</kinematic><origin xyz="0 0 0" rpy="0 -0 0"/>'
    contact = '<contact><lateral_friction value="1"/><inertia_scaling value="1.0"/></contact>'
    text = robot(
        "<material/><transmission><joint/></transmission><sensor/><gazebo><link/></gazebo>",
        "<ros2_control><joint/></ros2_control><mujoco><compiler/></mujoco>",
        link("a", harmless + switches + contact),
        link("b"),
        joint("j", "a", "b", inside="<calibration/><safety_controller/>"),
    )
    assert load_urdf(text).nv == 1


def test_strict_refuses_impossible_inertias_after_merging() -> None:
    thin = '<mass value="1"/><inertia ixx="1" iyy="1" izz="3" ixy="0" ixz="0" iyz="0"/>'
    text = one_joint(child=link("b", f"<inertial>{thin}</inertial>"))
    with pytest.raises(InvalidInertiaError, match=r"<text>: no rigid body .* 'b'"):
        load_urdf(text)
    assert load_urdf(text, strict=False).nv == 1
    repaired = robot(
        link("a"),
        link("b", f"<inertial>{thin}</inertial>"),
        link("c"),
        joint("j", "a", "b"),
        joint("weld", "b", "c", "fixed"),
    )
    assert load_urdf(repaired).nv == 1


def test_noise_that_is_negative_as_written_is_refused_and_point_masses_are_not() -> None:
    def body(ixx: str) -> str:
        zeros = "".join(f' {k}="0"' for k in ("iyy", "izz", "ixy", "ixz", "iyz"))
        origin = '<origin xyz="0.1 -0.7 0.3" rpy="0.1 0.2 0.3"/><mass value="0.3"/>'
        inertial = f'<inertial>{origin}<inertia ixx="{ixx}"{zeros}/></inertial>'
        return one_joint(child=link("b", inertial))

    assert load_urdf(body("0")).mass == 1.3
    with pytest.raises(InvalidInertiaError, match=r"^<text>:1: no rigid body"):
        load_urdf(body("-5.4e-20"))


def test_text_path_and_bytes_give_equal_robots(tmp_path: Path) -> None:
    text = one_joint('<axis xyz="1 1 0"/>')
    path = tmp_path / "r.urdf"
    path.write_text(text)
    robots = {load_urdf(given) for given in (text, text.encode(), path, str(path))}
    assert len(robots) == 1


def test_address_in_a_package(tmp_path: Path) -> None:
    (tmp_path / "urdf").mkdir()
    (tmp_path / "urdf" / "r.urdf").write_text(one_joint())
    assert load_urdf("package://arm/urdf/r.urdf", packages={"arm": tmp_path}).nv == 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1"])
def test_encodings(encoding: str) -> None:
    declaration = f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?>'
    text = declaration + one_joint().replace('name="b"', 'name="bé"').replace('k="b"', 'k="bé"')
    assert load_urdf(text.encode(encoding)).bodies[0].name == "bé"


def test_bad_bytes_and_wrong_or_unknown_encodings_are_tolerated() -> None:
    comment = b"<!-- caf\xe9 -->"
    text = one_joint().encode()
    assert load_urdf(comment + text).nv == 1
    assert load_urdf(b'<?xml version="1.0" encoding="klingon"?>' + comment + text).nv == 1
    assert load_urdf('\ufeff<?xml version="1.0" encoding="utf-16"?>' + one_joint()).nv == 1
    assert load_urdf('\n\n  <?xml version="1.0"?>' + one_joint()).nv == 1


def test_namespaces() -> None:
    declared = one_joint().replace("<robot ", '<robot xmlns="http://u" xmlns:x="http://x" ')
    assert load_urdf(declared).nv == 1
    prefixed = one_joint().replace("</", "</u:").replace("<", "<u:").replace("<u:/u:", "</u:")
    assert load_urdf(prefixed).nv == 1


def test_fifty_links_load_in_fifty_milliseconds() -> None:
    n = 50
    origin = '<origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/>'
    limit = '<axis xyz="0 1 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>'
    links = [link(f"l{i}", f"<inertial>{origin}{BALL}</inertial><visual/>") for i in range(n)]
    joints = [joint(f"j{i}", f"l{i}", f"l{i + 1}", inside=origin + limit) for i in range(n - 1)]
    text = robot(*links, *joints)
    assert_close(load_urdf(text).joints[0].type.axes[0], (0, sqrt(0.5), sqrt(0.5)), ROUNDOFF)
    times = []
    for _ in range(5):
        start = time.process_time()
        load_urdf(text)
        times.append(time.process_time() - start)
    assert min(times) < 0.05


LENIENT = {
    "an element": ('<joint_properties damping="0"/>', r"<joint_properties> in .* it is ignored"),
    "a second axis": ('<axis xyz="1 0 0"/>', r"second <axis> in .* the first is taken"),
    "an attribute": ('rpy="0 0 1"', r"no attribute named 'rpy'.* rpy='0 0 1' is ignored"),
    "a second origin": ('<origin xyz="9 9 9"/>', r"second <origin> in .* the first is taken"),
}


@pytest.mark.parametrize("case", LENIENT)
def test_what_urdf_does_not_know_is_left_out_on_request(case: str) -> None:
    extra, message = LENIENT[case]
    inside = '<origin xyz="1 2 3"/><axis xyz="0 0 1"/>'
    good = load_urdf(one_joint(inside))
    rest = inside.replace('1"/>', f'1" {extra}/>') if extra.startswith("rpy") else inside + extra
    text = one_joint(rest)
    assert text != one_joint(inside)
    with pytest.raises(RobotFormatError):
        load_urdf(text)
    loaded = load_urdf(text, strict=False)
    assert loaded == good
    (warning,) = loaded.warnings
    assert re.search(rf"<text>:\d+: .*{message}", warning)


def test_a_continuous_joint_may_follow_and_be_followed() -> None:
    text = mimic_robot('<mimic joint="j" multiplier="-1"/>', "continuous", "continuous")
    assert load_urdf(text).nv == 1


def test_a_fixed_joint_does_not_take_the_name_of_the_floating_one(tmp_path: Path) -> None:
    text = robot(link("a"), link("b"), joint("root_joint", "a", "b", "fixed"))
    path = tmp_path / "arm.urdf"
    path.write_text(text, encoding="utf-8")
    loaded = jounce.load(path, floating_base=True)
    assert loaded == load_urdf(text).with_floating_base()
    assert [j.name for j in loaded.joints] == ["root_joint"]


@pytest.mark.parametrize("encoding", ["idna", "undefined", "rot13"])
def test_encodings_that_are_none(encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?>{one_joint()}'
    assert load_urdf(text.encode()) == load_urdf(one_joint())
