"""The MJCF reader: structure, names, limits, and what it refuses."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.errors import RobotFormatError, UnsupportedError
from jounce.formats.mjcf.reader import load_mjcf
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close

mujoco = pytest.importorskip("mujoco")

DATA = Path(__file__).parents[3] / "data" / "mjcf"
BALL = '<geom type="sphere" size="0.1" mass="1"/>'


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Return a function that writes an MJCF file around a world and other sections."""
    monkeypatch.chdir(tmp_path)  # where MuJoCo leaves its log when the compiler warns

    def write(world: str, rest: str = "", option: str = "") -> Path:
        path = tmp_path / "model.xml"
        path.write_text(
            f'<mujoco><compiler angle="radian"/><option {option}/>\n'
            f"<worldbody>{world}</worldbody>{rest}</mujoco>"
        )
        return path

    return write


def one_joint(attributes: str = "", body: str = "") -> str:
    return f'<body name="a" {body}><joint name="j" {attributes}/>{BALL}</body>'


TWO = one_joint() + f'<body name="b" pos="1 0 0"><joint name="k"/>{BALL}</body>'


def tendon(attributes: str) -> str:
    fixed = f'<fixed name="t" {attributes}><joint joint="j" coef="1"/></fixed>'
    return f"<tendon>{fixed}</tendon>"


def test_kinds_names_and_order():
    robot = load_mjcf(DATA / "tree.xml")
    assert robot.name == "tree"
    assert {j.name: j.kind for j in robot.joints} == {
        "root": "free",
        "arm_ball": "spherical",
        "elbow": "revolute",
        "wrist_ball": "spherical",
        "hip": "continuous",
        "pivot": "spherical",
    }
    names = [b.name for b in robot.bodies]
    assert names == ["torso", "arm", "forearm", "hand", "leg", "pendulum"]
    assert robot.parents == (-1, 0, 1, 2, 0, -1)
    assert (robot.nq, robot.nv) == (21, 17)
    assert robot.frame("target").body == -1  # mocap: part of the ground, with its matter
    ball = 1000 * 4 / 3 * np.pi * 0.05**3
    assert robot.mass == pytest.approx(12 + 2.1 + 1.3 + 0.4 + 4 + 1.1 + ball)
    assert_close(robot.base_inertia.com, np.ones(3), ROUNDOFF)


def test_joints_of_one_body_become_a_chain_of_massless_bodies():
    robot = load_mjcf(DATA / "multi.xml")
    names = [b.name for b in robot.bodies]
    assert names[:6] == ["cart/x", "cart/z", "cart", "thigh/hip_x", "thigh/hip_y", "thigh"]
    assert names[6:] == ["body_5/joint1", "body_5", "lamp/lift", "lamp"]
    massless = [b.name for b in robot.bodies if b.inertia.mass == 0.0]
    assert massless == [b.name for b in robot.bodies if "/" in b.name]
    assert robot.joints[6].name == "body_5/joint1"
    assert robot.joint("swivel").kind == "spherical"
    for weld, body in (("rail", "cart"), ("brace", "thigh"), ("mark", "thigh")):
        assert robot.bodies[robot.frame(weld).body].name == body
    assert tuple(robot.gravity) == (1.5, -2.5, -8.0)


def test_motors_limits_and_notes():
    robot = load_mjcf(DATA / "arm.xml")
    yaw, reach, roll = (robot.joint(name) for name in ("yaw", "reach", "roll"))
    assert (yaw.kind, roll.kind) == ("revolute", "continuous")
    assert (yaw.limits.lower, yaw.limits.upper, yaw.limits.effort) == ((-2.0,), (2.5,), (30.0,))
    assert reach.limits.upper == (0.6,)
    assert roll.limits.upper == roll.limits.effort == (np.inf,)
    assert (yaw.armature, yaw.damping) == ((0.2,), (0.0,))
    assert load_mjcf(DATA / "arm.xml", damping=True).joint("yaw").damping == (1.5,)
    assert robot.warnings == ("frictionloss of joint 'reach' is not applied.",)


def test_frictionloss_is_what_mujoco_brakes_with():
    """Its solver slows a fast joint down with just the frictionloss; ours at 1000 speeds of s."""
    smooth, rough = (load_mjcf(DATA / "arm.xml", friction=x) for x in (False, True))
    assert rough.warnings == ()
    model = mujoco.MjModel.from_xml_path(str(DATA / "arm.xml"))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_EQUALITY
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
    data = mujoco.MjData(model)
    dof = model.joint("reach").dofadr[0]
    data.qvel[dof] = 10.0
    mujoco.mj_forward(model, data)
    v = np.zeros(smooth.nv)
    v[smooth.joint("reach").v_slice] = 10.0
    motion = smooth.neutral, v, np.zeros(smooth.nv)
    more = jounce.inverse_dynamics(rough, *motion)[0] - jounce.inverse_dynamics(smooth, *motion)[0]
    assert more[smooth.joint("reach").v_slice] == pytest.approx(
        -data.qfrc_constraint[dof], rel=1e-5
    )


def test_sites_are_frames_with_names_of_their_own():
    robot = load_mjcf(DATA / "arm.xml")
    assert robot.bodies[robot.frame("tool").body].name == "wrist"
    assert robot.frame("origin").body == robot.frame("pedestal").body == -1
    assert robot.bodies[robot.frame("boom/shoulder").body].name == "boom"
    assert robot.bodies[robot.frame("shoulder").body].name == "shoulder"


def test_equalities_of_joints_are_mimics_or_free():
    coupled = load_mjcf(DATA / "arm.xml")
    assert coupled.joint("right").mimic is not None
    assert (coupled.nv, load_mjcf(DATA / "arm.xml", mimic=False).nv) == (4, 5)


def test_gravity_and_floating_base():
    assert tuple(load_mjcf(DATA / "arm.xml").gravity) == (0.0, 0.0, -9.81)
    assert tuple(jounce.load(DATA / "arm.xml", gravity=(0, 1, 2)).gravity) == (0.0, 1.0, 2.0)
    robot = jounce.load(DATA / "arm.xml", floating_base=True)
    assert (robot.joints[0].name, robot.joints[0].kind) == ("root_joint", "free")
    assert robot.bodies[0].inertia.mass == 7.0  # the pedestal
    with pytest.raises(UnsupportedError, match="already has a floating base"):
        jounce.load(DATA / "tree.xml", floating_base=True)


def test_a_model_without_names(write):
    robot = load_mjcf(write(f"<body><joint/>{BALL}<body><joint/>{BALL}</body></body>"))
    assert robot.name == "model"
    assert [j.name for j in robot.joints] == ["body_1", "body_2"]


def test_names_made_up_do_not_collide(write):
    world = f'<body><joint name="body_2"/>{BALL}</body><body name="body_1"><joint/>{BALL}'
    world += f'<site name="body_1"/></body><body><joint/>{BALL}</body>'
    robot = load_mjcf(write(world))
    assert [b.name for b in robot.bodies] == ["body_1_2", "body_1", "body_3"]
    assert [j.name for j in robot.joints] == ["body_2", "body_1", "body_3"]
    assert robot.frames[-1].name == "body_1/body_1"


REFUSED = {
    "joint spring": (one_joint('stiffness="2"'), "", "", "joint 'j' has a spring"),
    "tendon spring": (TWO, tendon('stiffness="2"'), "", "tendon 't' has a spring"),
    "tendon armature": (TWO, tendon('armature="2"'), "", "tendon 't' has armature"),
    "tendon damping": (TWO, tendon('damping="2"'), "", "tendon 't' has damping"),
    "gravcomp": (one_joint("", 'gravcomp="1"'), "", "", "body 'a' has gravity compensation"),
    "density": (TWO, "", 'density="1.2"', "fluid"),
    "viscosity": (TWO, "", 'viscosity="0.1"', "fluid"),
    "free armature": (one_joint('type="free" armature="1"'), "", "", "free joint 'j'"),
    "lock": (TWO, '<equality><joint joint1="j"/></equality>', "", "locks a joint"),
    "polynomial": (
        TWO,
        '<equality><joint joint1="j" joint2="k" polycoef="0 1 2 0 0"/></equality>',
        "",
        "degree above 1",
    ),
    "coupled twice": (
        TWO,
        '<equality><joint joint1="j" joint2="k"/><joint joint1="j" joint2="k"/></equality>',
        "",
        "joint 'j' a second time",
    ),
    "tendon equality": (
        TWO,
        tendon("") + '<equality><tendon tendon1="t"/></equality>',
        "",
        r"\(tendon\)",
    ),
    "polynomial damping": (one_joint('damping="1 2"'), "", "", "joint 'j' has damping of degree"),
    "armature of a ball": (
        one_joint('type="ball"'),
        '<actuator><motor name="m" joint="j" armature="1"/></actuator>',
        "",
        "actuator 'm' has armature but does not drive a hinge or a slide",
    ),
    "damping on a tendon": (
        TWO,
        tendon("") + '<actuator><motor tendon="t" damping="1"/></actuator>',
        "",
        "actuator 0 has damping but",
    ),
    "polynomial motor": (
        TWO,
        '<actuator><motor joint="j" damping="1 2"/></actuator>',
        "",
        "actuator 0 has damping of degree above 1",
    ),
    "flex": (
        '<flexcomp name="cloth" type="grid" count="3 3 1" dim="2" radius="0.01" mass="1"/>',
        "",
        "",
        "flex",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_by_name(case: str, write):
    world, rest, option, message = REFUSED[case]
    path = write(world, rest, option)
    with pytest.raises(UnsupportedError, match=message) as caught:
        load_mjcf(path, damping=True)
    assert str(caught.value).startswith(str(path))


def test_passive_plugins_are_refused(write):
    cable = '<plugin plugin="mujoco.elasticity.cable">{}</plugin>'
    config = '<config key="twist" value="1e6"/><config key="bend" value="1e6"/>'
    geom = '<geom type="capsule" size="0.1 0.1" mass="1"/>'
    world = f'<body name="a"><joint/>{geom}{cable.format(config)}</body>'
    path = write(world, f"<extension>{cable.format('')}</extension>")
    if int(mujoco.__version__.split(".")[0]) > 3:
        pytest.skip("this MuJoCo comes without the elasticity plugins")
    with pytest.raises(UnsupportedError, match="body 'a' has a plugin"):
        load_mjcf(path)


def test_damping_that_is_not_asked_for_is_no_obstacle(write):
    assert load_mjcf(write(TWO, tendon('damping="2" frictionloss="1"'))).warnings == (
        "frictionloss of tendons is not applied.",
    )


def test_all_obstacles_are_named_at_once(write):
    with pytest.raises(UnsupportedError, match=r"'j' has a spring.*fluid"):
        load_mjcf(write(one_joint('stiffness="1"'), "", 'density="1"'))


def test_joints_that_follow_each_other_in_a_circle(write):
    rest = '<equality><joint joint1="j" joint2="k"/><joint joint1="k" joint2="j"/></equality>'
    path = write(TWO, rest)
    with pytest.raises(RobotFormatError, match=r"model\.xml: mimic joints follow .* j → k → j"):
        load_mjcf(path)


NOT_READ = {
    "<mujoco>\n<worldbdy/></mujoco>": r"model\.xml:2: .*unrecognized element.*worldbdy",
    "<mujoco>\n\n<worldbody>": r"model\.xml:3: .*parse error",
    "<mujoco>\n<worldbody>\n<body><joint/></body></worldbody></mujoco>": (
        r"model\.xml:3: .*mass and inertia of moving bodies"
    ),
    "<!-- <mujoco/> -->\n<robot name='r'><link name='l'/></robot>": "this is a URDF",
    "": r"model\.xml: ",
}


@pytest.mark.parametrize("text", NOT_READ)
def test_files_that_cannot_be_read(text: str, tmp_path: Path):
    path = tmp_path / "model.xml"
    path.write_text(text)
    with pytest.raises(RobotFormatError, match=NOT_READ[text]) as caught:
        load_mjcf(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_a_missing_file(tmp_path: Path):
    with pytest.raises(RobotFormatError, match=r"nothing\.xml:1: no such file"):
        load_mjcf(tmp_path / "nothing.xml")


def test_mujoco_refuses_impossible_inertias_itself(write):
    inertial = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 2.5"/>'
    with pytest.raises(RobotFormatError, match=r"A \+ B"):
        load_mjcf(write(f'<body name="a"><joint/>{inertial}</body>'))


def test_without_the_mujoco_package(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)  # as if it were not installed
    with pytest.raises(UnsupportedError, match=r"pip install 'jounce\[mjcf\]'"):
        load_mjcf(DATA / "arm.xml")


def test_the_centre_of_mass_is_that_of_mujoco_mocap_bodies_included() -> None:
    model = mujoco.MjModel.from_xml_path(str(DATA / "tree.xml"))
    data = mujoco.MjData(model)
    model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    mujoco.mj_forward(model, data)
    robot = load_mjcf(DATA / "tree.xml")
    q = np.concatenate([_from_mujoco(model, data.qpos, j) for j in range(model.njnt)])
    assert_close(jounce.center_of_mass(robot, q)[0], data.subtree_com[0], INDEPENDENT)
    assert_close(
        jounce.potential_energy(robot, q, np.zeros(robot.nv))[0], data.energy[0], INDEPENDENT
    )


def _from_mujoco(model, qpos: np.ndarray, joint: int) -> np.ndarray:
    """Return the coordinates of a joint; quaternions of MuJoCo have w first."""
    start = model.jnt_qposadr[joint]
    free, ball = (model.jnt_type[joint] == kind for kind in (0, 1))
    own = qpos[start : start + (7 if free else 4 if ball else 1)]
    if free:
        return np.r_[own[:3], own[4:], own[3]]
    return np.r_[own[1:], own[0]] if ball else own


@pytest.mark.parametrize("place", ['model="m"', 'name="a"', 'name="j"', 'name="s"'])
def test_names_in_latin_1(place: str, tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    inside = '<body name="a"><joint name="j"/><site name="s"/><geom size="1" mass="1"/></body>'
    text = f'<mujoco model="m"><worldbody>{inside}</worldbody></mujoco>'
    path.write_bytes(text.replace(place, place[:-2] + 'é"').encode("latin-1"))
    robot = load_mjcf(path)
    assert "é" in {robot.name, robot.bodies[0].name, robot.joints[0].name, robot.frames[-1].name}


@pytest.mark.parametrize(
    ("attributes", "body", "message"),
    [
        ('ref="inf"', "", "ref of joint 'j' is inf, not finite"),
        ('ref="nan"', "", "ref of joint 'j' is nan, not finite"),
        ("", 'quat="1e308 1e308 0 0"', "orientation of body 'a' is .* no rotation"),
    ],
)
def test_numbers_that_mujoco_compiles_and_none_can_use(
    write, attributes: str, body: str, message: str
) -> None:
    with pytest.raises(RobotFormatError, match=f"model.xml: .*{message}"):
        load_mjcf(write(one_joint(attributes, body)))


def test_warnings_of_mujoco_are_those_of_the_robot(
    write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = write(one_joint() + '<site name="s" user="nan"/>')
    robot = load_mjcf(path)
    assert robot.warnings == ("XML contains a 'NaN'. Please check it carefully.",)
    assert not (tmp_path / "MUJOCO_LOG.TXT").exists()


def test_many_bodies_without_a_name(write) -> None:
    robot = load_mjcf(write(f'<body name="body_2"/>{f"<body><joint/>{BALL}</body>" * 300}'))
    names = [body.name for body in robot.bodies]
    assert [names[0], names[-1]] == ["body_2_2", "body_301"]
    assert [joint.name for joint in robot.joints] == names


def test_a_file_of_comments_that_never_end(tmp_path: Path) -> None:
    path = tmp_path / "model.mjcf"
    path.write_text("<!--" * 100_000)
    start = time.perf_counter()
    with pytest.raises(RobotFormatError, match=r"model\.mjcf"):
        load_mjcf(path)
    assert time.perf_counter() - start < 5.0
