"""Every robot of example-robot-data, read here and by Pinocchio: the same dynamics."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio")

import jounce  # noqa: E402
from jounce.errors import InvalidInertiaError, RobotFormatError  # noqa: E402
from jounce.formats.json import from_dict  # noqa: E402
from jounce.formats.urdf.reader import load_urdf  # noqa: E402
from jounce.model.robot import Robot  # noqa: E402
from tests.pinocchio_peer import PinocchioPeer, urdf_model  # noqa: E402
from tests.tolerances import INDEPENDENT, assert_close  # noqa: E402

try:
    DATA = distribution("example-robot-data")
    ROBOTS = Path(str(DATA.locate_file("cmeel.prefix/share/example-robot-data/robots")))
    KNOWN_VERSION = DATA.version == "6.0.0"
except PackageNotFoundError:
    pytest.skip("example-robot-data is not installed", allow_module_level=True)

FILES = {str(p.relative_to(ROBOTS)): p for p in sorted(ROBOTS.rglob("*.urdf"))}
UNREADABLE = {"ur_description/urdf/ur3.urdf"}  # no robot name, no links
MISSING_SOURCE = {"alex_description/urdf/alex_psyonic_hands.urdf"}  # mimics of unknown joints
IMPOSSIBLE = {"icub", "icub_reduced", "romeo_small", "romeo_laas_small"}
FEW = ("panda", "solo12", "icub", "tiago_pro", "double_pendulum_continuous", "talos_full_v2")
CASES = [
    pytest.param(name, marks=() if path.stem in FEW else pytest.mark.slow)
    for name, path in FILES.items()
    if name not in UNREADABLE
]
WITH_MIMIC = [
    case
    for case in CASES
    if case.values[0] not in MISSING_SOURCE
    and "<mimic" in FILES[str(case.values[0])].read_text("utf-8", "replace")
]
STATES = 3

floating = pytest.mark.parametrize("floating_base", [False, True], ids=["fixed", "floating"])


@floating
@pytest.mark.parametrize("name", CASES)
def test_inverse_dynamics(name: str, floating_base: bool, rng: np.random.Generator) -> None:
    for mimic in (False, True):
        try:
            model = urdf_model(FILES[name], floating_base=floating_base, mimic=mimic)
        except ValueError:
            assert mimic
            continue
        robot = jounce.load(FILES[name], floating_base=floating_base, mimic=mimic, strict=False)
        peer = PinocchioPeer(robot, model)
        q, v, a = random_motion(robot, rng)
        wanted = np.array([peer.inverse_dynamics(*state) for state in zip(q, v, a, strict=True)])
        assert_dynamics(robot, (q, v, a), wanted)


@floating
@pytest.mark.parametrize("name", WITH_MIMIC)
def test_mimic_is_a_projection(name: str, floating_base: bool, rng: np.random.Generator) -> None:
    """Q = Eᵀ Q_full with q_full = E q + c, also where Pinocchio cannot read the mimics."""
    options: Any = {"floating_base": floating_base, "strict": False}
    robot = jounce.load(FILES[name], **options)
    full = jounce.load(FILES[name], mimic=False, **options)
    peer = PinocchioPeer(full, urdf_model(FILES[name], floating_base=floating_base))
    motion = random_motion(robot, rng)
    wanted = []
    for q, v, a in zip(*motion, strict=True):
        state = unfolded(robot, full, q, v, a)
        wanted.append(folded(robot, full, peer.inverse_dynamics(*state)))
    assert_dynamics(robot, motion, np.array(wanted))


@floating
@pytest.mark.parametrize("name", CASES)
def test_bodies_and_frames(name: str, floating_base: bool) -> None:
    robot = jounce.load(FILES[name], floating_base=floating_base, mimic=False, strict=False)
    peer = PinocchioPeer(robot, urdf_model(FILES[name], floating_base=floating_base))
    if floating_base:  # Pinocchio forgets what is welded to the world
        assert_close(robot.mass, pin.computeTotalMass(peer.model), INDEPENDENT)
    for body, joint in zip(robot.bodies, robot.joints, strict=True):
        wanted = peer.inertia(joint.name)
        assert_close(matrix(body.inertia.spatial), wanted, INDEPENDENT, what=body.name)
    for frame in robot.frames:
        carrier, pose = peer.frame(frame.name)
        assert carrier == ("universe" if frame.body < 0 else robot.joints[frame.body].name)
        assert_close(frame.placement.matrix(), pose, INDEPENDENT, what=frame.name)


@floating
@pytest.mark.parametrize("name", CASES)
def test_round_trip_through_plain_data(name: str, floating_base: bool) -> None:
    mimic = name not in MISSING_SOURCE
    robot = jounce.load(FILES[name], floating_base=floating_base, mimic=mimic, strict=False)
    again = from_dict(robot.to_dict(), strict=False)
    assert again == robot
    assert hash(again) == hash(robot)


@pytest.mark.parametrize("name", CASES)
def test_impossible_inertias_are_refused(name: str) -> None:
    if FILES[name].stem not in IMPOSSIBLE:
        load_urdf(FILES[name], mimic=name not in MISSING_SOURCE)
        return
    with pytest.raises(InvalidInertiaError, match="no rigid body can have the inertia"):
        load_urdf(FILES[name])


@pytest.mark.parametrize("name", sorted(UNREADABLE | MISSING_SOURCE))
def test_refused_here_and_by_pinocchio(name: str) -> None:
    with pytest.raises(RobotFormatError, match=rf"{FILES[name].name}:\d+: "):
        load_urdf(FILES[name])
    with pytest.raises(ValueError):
        urdf_model(FILES[name], mimic=True)


@pytest.mark.slow
@pytest.mark.skipif(not KNOWN_VERSION, reason="counted in example-robot-data 6.0.0")
def test_counts() -> None:
    def loads(mimic: bool) -> int:
        count = 0
        for path in FILES.values():
            try:
                urdf_model(path, mimic=mimic)
            except ValueError:
                continue
            count += 1
        return count

    assert (loads(False), loads(True)) == (68, 64)
    assert len(CASES) == 68


PLANAR = """<robot name="sliding">
  <link name="ground"/>
  <joint name="slide" type="{type}"><origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>
    <parent link="ground"/><child link="puck"/><axis xyz="0 0 1"/></joint>
  <link name="puck"><inertial><origin xyz="0.1 -0.2 0.3" rpy="0.3 0.2 0.1"/><mass value="2"/>
    <inertia ixx="0.2" iyy="0.3" izz="0.4" ixy="0.01" ixz="0.02" iyz="0.03"/></inertial></link>
  <joint name="arm" type="revolute"><origin xyz="0 0.2 0"/><limit effort="1" velocity="1"/>
    <parent link="puck"/><child link="rod"/><axis xyz="1 2 3"/></joint>
  <link name="rod"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
</robot>"""


@pytest.mark.parametrize(
    ("type_", "floating_base"), [("planar", False), ("planar", True), ("floating", False)]
)
def test_joints_of_several_coordinates(
    type_: str, floating_base: bool, rng: np.random.Generator
) -> None:
    text = PLANAR.format(type=type_)
    robot = load_urdf(text)
    robot = robot.with_floating_base() if floating_base else robot
    peer = PinocchioPeer(robot, urdf_model(text, floating_base=floating_base))
    motion = random_motion(robot, rng)
    wanted = np.array([peer.inverse_dynamics(*state) for state in zip(*motion, strict=True)])
    assert_dynamics(robot, motion, wanted)


def assert_dynamics(robot: Robot, motion: tuple[np.ndarray, ...], wanted: np.ndarray) -> None:
    if robot.nv == 0:
        assert wanted.size == 0
        return
    assert_close(jounce.inverse_dynamics(robot, *motion)[0], wanted, INDEPENDENT)


def random_motion(robot: Robot, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Return q, v, a of STATES random states, whatever the limits are."""
    q = rng.uniform(-np.pi, np.pi, (STATES, robot.nq))
    for joint in robot.joints:
        if joint.kind == "free":
            quaternion = q[:, joint.q_slice.start + 3 : joint.q_slice.stop]
            quaternion /= np.linalg.norm(quaternion, axis=1, keepdims=True)
    v, a = rng.normal(size=(2, STATES, robot.nv))
    return q, v, a


def unfolded(robot: Robot, full: Robot, q: Any, v: Any, a: Any) -> tuple[np.ndarray, ...]:
    """Return the motion of the robot whose mimic joints move freely."""
    result = np.zeros(full.nq), np.zeros(full.nv), np.zeros(full.nv)
    for joint, free in zip(robot.joints, full.joints, strict=True):
        source = robot.joints[joint.mimic.source] if joint.mimic else joint
        factor, offset = (joint.mimic.multiplier, joint.mimic.offset) if joint.mimic else (1.0, 0.0)
        result[0][free.q_slice] = factor * q[source.q_slice] + offset
        result[1][free.v_slice] = factor * v[source.v_slice]
        result[2][free.v_slice] = factor * a[source.v_slice]
    return result


def folded(robot: Robot, full: Robot, forces: np.ndarray) -> np.ndarray:
    result = np.zeros(robot.nv)
    for joint, free in zip(robot.joints, full.joints, strict=True):
        source = robot.joints[joint.mimic.source] if joint.mimic else joint
        factor = joint.mimic.multiplier if joint.mimic else 1.0
        result[source.v_slice] += factor * forces[free.v_slice]
    return result


def matrix(spatial: Any) -> np.ndarray:
    """Return the 6x6 inertia about the origin, angular first."""
    m, (x, y, z), rotational = spatial
    h = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.block([[np.array(rotational.rows), h], [h.T, m * np.eye(3)]])
