"""The MJCF reader against MuJoCo itself: poses and inverse dynamics at random states."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import jounce
from jounce.formats.mjcf.reader import load_mjcf
from tests.tolerances import INDEPENDENT, assert_close

mujoco = pytest.importorskip("mujoco")

DATA = Path(__file__).parents[1] / "data" / "mjcf"
MODELS = ("arm", "multi", "tree")
FREE, BALL = 0, 1  # mjtJoint


class Case(NamedTuple):
    """MuJoCo's model, and a random motion in its own coordinates."""

    model: object
    qpos: np.ndarray
    qvel: np.ndarray
    qacc: np.ndarray


def compiled(name: str, *, damping: bool):
    """Compile a file; without constraints, and without damping unless asked for."""
    model = mujoco.MjModel.from_xml_path(str(DATA / f"{name}.xml"))
    return unconstrained(model, damping=damping)


def unconstrained(model, *, damping: bool):
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    if not damping:
        model.dof_damping[:] = 0.0
        if hasattr(model, "actuator_damping"):
            model.actuator_damping[:] = 0.0
    return model


def random_case(model, rng) -> Case:
    qpos = rng.normal(size=model.nq)
    for kind, start in zip(model.jnt_type, model.jnt_qposadr, strict=True):
        if kind in (FREE, BALL):
            quaternion = qpos[start + 3 * (kind == FREE) :][:4]
            quaternion /= np.linalg.norm(quaternion)
    return Case(model, qpos, rng.normal(size=model.nv), rng.normal(size=model.nv))


def mujoco_forces(case: Case) -> np.ndarray:
    data = mujoco.MjData(case.model)
    data.qpos, data.qvel, data.qacc = case.qpos, case.qvel, case.qacc
    mujoco.mj_inverse(case.model, data)
    return data.qfrc_inverse.copy()


def motion(case: Case) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return q, v, a as Jounce has them.

    Quaternions are x y z w here; the velocity of a free body is (ω, Rᵀ ṗ), so its rate is
    (ω̇, Rᵀ p̈ − ω × Rᵀ ṗ).
    """
    q, v, a = case.qpos.copy(), case.qvel.copy(), case.qacc.copy()
    for start, dof, R in rotating(case):
        q[start : start + 4] = np.roll(case.qpos[start : start + 4], -1)
        if R is None:
            continue
        velocity, omega = R.T @ case.qvel[dof : dof + 3], case.qvel[dof + 3 : dof + 6]
        linear = R.T @ case.qacc[dof : dof + 3] - np.cross(omega, velocity)
        v[dof : dof + 6] = *omega, *velocity
        a[dof : dof + 6] = *case.qacc[dof + 3 : dof + 6], *linear
    return q, v, a


def forces(case: Case) -> np.ndarray:
    """Return MuJoCo's forces as Jounce has them: moment and force on a free body in its frame."""
    Q = mujoco_forces(case)
    for _, dof, R in rotating(case):
        if R is not None:
            Q[dof : dof + 6] = *Q[dof + 3 : dof + 6], *(R.T @ Q[dof : dof + 3])
    return Q


def rotating(case: Case):
    """Yield where every quaternion starts, its first velocity, and R for free bodies."""
    model = case.model
    for kind, start, dof in zip(model.jnt_type, model.jnt_qposadr, model.jnt_dofadr, strict=True):
        if kind == BALL:
            yield start, dof, None
        if kind == FREE:
            R = np.zeros(9)
            mujoco.mju_quat2Mat(R, case.qpos[start + 3 : start + 7])
            yield start + 3, dof, R.reshape(3, 3)


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
    robot = load_mjcf(DATA / "arm.xml", floating_base=True, mimic=False)
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
