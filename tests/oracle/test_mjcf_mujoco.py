"""The MJCF reader against MuJoCo itself: poses and inverse dynamics at random states."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.formats.mjcf.reader import load_mjcf
from tests.tolerances import INDEPENDENT, assert_close

mujoco = pytest.importorskip("mujoco")
from tests.mujoco_peer import Case, forces, motion, mujoco_forces, random_case, unconstrained  # noqa: E402

DATA = Path(__file__).parents[1] / "data" / "mjcf"
MODELS = ("arm", "multi", "tree")


def compiled(name: str, *, damping: bool):
    """Compile a file; without constraints, and without damping unless asked for."""
    model = mujoco.MjModel.from_xml_path(str(DATA / f"{name}.xml"))
    return unconstrained(model, damping=damping)


@pytest.mark.parametrize("damping", [False, True])
@pytest.mark.parametrize("name", MODELS)
def test_inverse_dynamics(name: str, damping: bool, rng):
    robot = load_mjcf(DATA / f"{name}.xml", damping=damping, mimic=False)
    model = compiled(name, damping=damping)
    for _ in range(20):
        case = random_case(model, rng)
        got = jounce.inverse_dynamics(robot, *motion(case))
        assert_close(got[0], forces(case), INDEPENDENT, what=name)


@pytest.mark.parametrize("name", MODELS)
def test_poses_of_bodies_and_sites(name: str, rng):
    robot = load_mjcf(DATA / f"{name}.xml", mimic=False)
    case = random_case(compiled(name, damping=False), rng)
    model, data = case.model, mujoco.MjData(case.model)
    data.qpos = case.qpos
    mujoco.mj_kinematics(model, data)
    T_world_body = jounce.poses(robot, motion(case)[0])[0]
    wanted = {model.body(i).name: (data.xpos[i], data.xmat[i]) for i in range(1, model.nbody)}
    sites = {model.site(i).name: (data.site_xpos[i], data.site_xmat[i]) for i in range(model.nsite)}
    wanted |= {f"boom/{n}" if n in wanted else n: T for n, T in sites.items()}
    wanted.pop("", None)  # a body without a name
    for frame_name, (p, R) in wanted.items():
        frame = robot.frame(frame_name)
        carrier = np.eye(4) if frame.body < 0 else T_world_body[frame.body]
        T = carrier @ np.array(frame.placement.matrix())
        assert_close(T[:3, 3], p, INDEPENDENT, scale=1.0, what=frame_name)
        assert_close(T[:3, :3], R.reshape(3, 3), INDEPENDENT, what=frame_name)


@pytest.mark.parametrize("damping", [False, True])
def test_a_linear_equality_is_a_mimic_joint(damping: bool, rng):
    """q_full = E q + c, Q = Eᵀ Q_full: MuJoCo's forces at a state that obeys the equality."""
    robot = load_mjcf(DATA / "arm.xml", damping=damping)
    model = compiled("arm", damping=damping)
    assert (robot.nv, model.nv) == (4, 5)
    E = np.vstack([np.eye(4), [0.0, 0.0, 0.0, 1.5]])
    c = np.array([0, 0, 0, 0, 0.02 + 0.004 - 1.5 * 0.01])  # y − 0.02 = 0.004 + 1.5 (x − 0.01)
    q, v, a = rng.normal(size=(3, 4))
    case = Case(model, E @ q + c, E @ v, E @ a)
    assert_close(jounce.inverse_dynamics(robot, q, v, a)[0], E.T @ mujoco_forces(case), INDEPENDENT)


def test_the_equality_means_what_mujoco_makes_of_it():
    model = mujoco.MjModel.from_xml_path(str(DATA / "arm.xml"))
    data = mujoco.MjData(model)
    mimic = load_mjcf(DATA / "arm.xml").joint("right").mimic
    data.qpos[3] = 0.123
    data.qpos[4] = mimic.multiplier * 0.123 + mimic.offset
    mujoco.mj_forward(model, data)
    residual = data.efc_pos[data.efc_type == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)]
    assert_close(residual, [0.0], INDEPENDENT, scale=1.0)


@pytest.mark.skipif(not hasattr(mujoco.MjModel, "actuator_armature"), reason="not in this MuJoCo")
def test_armature_and_damping_of_actuators(tmp_path: Path, rng):
    text = (DATA / "multi.xml").read_text()
    motors = """<motor joint="hip_y" gear="6" armature="0.01" damping="0.02"/>
                <motor joint="hip_y" gear="-2" armature="0.03" damping="0.04"/>
                <motor jointinparent="x" gear="3" armature="0.05"/>"""
    path = tmp_path / "geared.xml"
    path.write_text(text.replace("<actuator>", f"<actuator>{motors}"))
    robot = load_mjcf(path, damping=True)
    model = unconstrained(mujoco.MjModel.from_xml_path(str(path)), damping=True)
    case = random_case(model, rng)
    assert_close(jounce.inverse_dynamics(robot, *motion(case))[0], forces(case), INDEPENDENT)
    assert robot.joint("hip_y").armature == pytest.approx((0.05 + 0.36 + 0.12,))


@pytest.mark.parametrize("flag", ["gravity", "damper", "spring", "equality"])
def test_flags_of_the_file(flag: str, tmp_path: Path, rng):
    text = (DATA / "multi.xml").read_text()
    text = text.replace('-8.0"/>', f'-8.0"><flag {flag}="disable"/></option>')
    extra = {"spring": ('name="x"', 'name="x" stiffness="3"')}.get(flag, ("", ""))
    text = text.replace(*extra) if extra[0] else text
    if flag == "equality":
        text = text.replace("<actuator>", '<equality><joint joint1="x"/></equality><actuator>')
    path = tmp_path / "flags.xml"
    path.write_text(text)
    robot = load_mjcf(path, damping=True)
    model = unconstrained(mujoco.MjModel.from_xml_path(str(path)), damping=True)
    case = random_case(model, rng)
    assert_close(jounce.inverse_dynamics(robot, *motion(case))[0], forces(case), INDEPENDENT)


def test_a_floating_base_carries_what_was_welded_to_the_world(rng):
    """The arm on a pedestal, loaded floating, against the pedestal with a free joint."""
    robot = jounce.load(DATA / "arm.xml", floating_base=True, mimic=False)
    text = (DATA / "arm.xml").read_text().replace('<key name="home" qpos="0 0 0 0 0"/>', "")
    text = text.replace(
        '<body name="pedestal"',
        '<body name="ship"><freejoint/>'
        '<inertial pos="0 0 0" mass="1e-9" diaginertia="1e-9 1e-9 1e-9"/>'
        '<body name="pedestal"',
    ).replace("  </worldbody>", "</body></worldbody>")
    model = unconstrained(mujoco.MjModel.from_xml_string(text), damping=False)
    model.body_mass[1], model.body_inertia[1] = 0.0, 0.0
    case = random_case(model, rng)
    assert robot.joints[0].name == "root_joint"
    assert_close(jounce.inverse_dynamics(robot, *motion(case))[0], forces(case), INDEPENDENT)
