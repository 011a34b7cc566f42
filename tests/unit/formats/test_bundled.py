"""The bundled robots are what their sources say."""

from __future__ import annotations

import json
import pickle
from math import pi
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import jounce
from jounce.errors import InvalidInertiaError, UnknownNameError
from jounce.formats.bundled import load_bundled, robots
from jounce.formats.json import from_dict, to_dict
from jounce.model.inertia import Inertia
from jounce.model.parameters import parameters
from jounce.model.records import Body
from jounce.model.robot import Robot
from tests import bundled_sources, oracle_data
from tests.bundled_sources import DATA, REBUILT
from tests.tolerances import EXACT, INDEPENDENT, ROUNDOFF, assert_close, assert_orders_close

ORACLES = {"panda": "panda_gaz", "iiwa14": "kuka_steiner", "planar2r": "planar2R"}
IMPOSSIBLE = {"iiwa14": {"link4", "link7"}, "puma560": {"link1", "link3"}}
EVERY = pytest.mark.parametrize("name", robots())


def test_every_data_file_has_a_name():
    assert robots() == tuple(sorted(path.stem for path in DATA.glob("*.json")))
    assert set(robots()) == set(REBUILT)


@EVERY
def test_a_data_file_is_made_of_the_published_numbers(name: str):
    assert load_bundled(name) == REBUILT[name]()
    assert (DATA / f"{name}.json").read_text(encoding="utf-8") == bundled_sources.file_content(name)


@EVERY
def test_a_bundled_robot_is_described_and_cited(name: str):
    robot = load_bundled(name)
    assert robot.name == name
    assert 20 < len(robot.description.partition("\n")[0]) < 90
    assert len(json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))["source"]) > 80
    assert load_bundled(name) is robot


@EVERY
def test_a_bundled_robot_survives_a_round_trip(name: str):
    robot = load_bundled(name)
    for again in (from_dict(to_dict(robot), strict=False), pickle.loads(pickle.dumps(robot))):
        assert again == robot
        assert hash(again) == hash(robot)
        assert again.warnings == robot.warnings


@EVERY
def test_every_impossible_body_has_a_warning_and_no_other(name: str, tmp_path: Path):
    robot = jounce.load(name)
    wrong = {warning.partition(":")[0] for warning in robot.warnings}
    assert wrong == {body.name for body in robot.bodies if not is_possible(body)}
    assert wrong == IMPOSSIBLE.get(name, set())
    robot.save(tmp_path / "again.json")
    if not wrong:
        assert jounce.load(tmp_path / "again.json") == robot
        return
    with pytest.raises(InvalidInertiaError, match=rf"again\.json: .*{min(wrong)}"):
        jounce.load(tmp_path / "again.json")
    assert jounce.load(tmp_path / "again.json", strict=False) == robot


def test_a_warning_says_by_how_much():
    line = "violates the triangle inequality of the principal moments by"
    assert f"{line} 0.0075 kg·m² (0.086 > 0.0125 + 0.066)" in load_bundled("puma560").warnings[1]
    assert f"{line} 0.35 kg·m²" in load_bundled("puma560").warnings[0]
    assert f"{line} 0.000291 kg·m²" in load_bundled("iiwa14").warnings[0]


@EVERY
def test_no_friction_unless_asked_for(name: str):
    assert not any(d for joint in load_bundled(name).joints for d in joint.damping)


def test_an_unknown_robot_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match=r"did you mean 'panda'.*humanoid, iiwa14, panda"):
        load_bundled("pandda")


@pytest.mark.parametrize("name", ORACLES)
def test_forces_are_those_of_the_oracle_up_to_order_four(name: str):
    oracle = ORACLES[name]
    forces = jounce.inverse_dynamics(load_bundled(name), *oracle_data.motion(oracle))
    desired = oracle_data.exact(oracle, "Q").swapaxes(0, 1)
    assert_orders_close(forces, desired, INDEPENDENT, what=name)


@pytest.mark.parametrize("name", ORACLES)
def test_poses_are_those_of_the_oracle(name: str):
    oracle = ORACLES[name]
    q, *_ = oracle_data.motion(oracle, rates=0)
    poses = jounce.poses(load_bundled(name), q)[0]
    assert_close(poses, oracle_data.exact(oracle, "pose"), INDEPENDENT, what=name)


@pytest.mark.parametrize("name", ["panda", "iiwa14"])
def test_inertias_are_those_of_the_oracle(name: str):
    desired = parameters(oracle_data.robot(ORACLES[name]))
    assert_close(parameters(load_bundled(name)), desired, EXACT)


def test_puma_has_the_published_tables():
    robot = load_bundled("puma560")
    for i, body in enumerate(robot.bodies):
        assert body.inertia.mass == bundled_sources.PUMA_MASS[i]
        assert_close(body.inertia.com, bundled_sources.PUMA_COM[i], ROUNDOFF)
        moments = np.diag(bundled_sources.PUMA_MOMENTS[i])
        assert_close(body.inertia.rotational, moments, ROUNDOFF, scale=1.0)


@pytest.mark.parametrize("name", ["puma560", "iiwa14"])
def test_impossible_inertias_move_as_in_pinocchio(name: str, rng: np.random.Generator):
    """Our own inverse dynamics regroups inertias; Pinocchio does not."""
    robot = load_bundled(name)
    for q, v, a in rng.uniform(-1, 1, (20, 3, robot.nv)):
        forces = pinocchio_forces(robot, q, v, a)
        assert_close(jounce.inverse_dynamics(robot, q, v, a)[0], forces, INDEPENDENT)


def test_puma_has_the_gravity_load_and_inertia_of_corkes_book():
    """Robotics, Vision and Control, chapter on dynamics, pose qn; four digits are printed."""
    robot = load_bundled("puma560").with_gravity((0, 0, -9.81))
    q, zero = np.array([0, pi / 4, pi, 0, pi / 4, 0]), np.zeros(6)
    load = jounce.inverse_dynamics(robot, q, zero, zero)[0]
    assert np.abs(load - [0, 31.6399, 6.0351, 0, 0.0283, 0]).max() < 1e-4
    M = mass_matrix(robot, q)
    upper = {(0, 0): 3.6594, (0, 1): -0.4044, (0, 2): 0.1006, (0, 3): -0.0025, (1, 1): 4.4137}
    upper |= {(1, 2): 0.3509, (1, 4): 0.0024, (2, 2): 0.9378, (2, 4): 0.0015, (3, 3): 0.1925}
    upper |= {(4, 4): 0.1713, (5, 5): 0.1941}
    desired = np.zeros((6, 6))
    for (i, j), value in upper.items():
        desired[i, j] = desired[j, i] = value
    assert np.abs(M - desired).max() < 1e-4


def test_planar_arm_is_two_point_masses():
    robot = load_bundled("planar2r")
    for body in robot.bodies:
        assert_close(body.inertia.rotational, np.zeros((3, 3)), ROUNDOFF, scale=1.0)
    c = np.cos(0.7)
    M = [
        [1.5 + 0.7 * (1 + 0.64 + 1.6 * c), 0.7 * (0.64 + 0.8 * c)],
        [0.7 * (0.64 + 0.8 * c), 0.448],
    ]
    assert_close(mass_matrix(robot, np.array([0.3, 0.7])), M, ROUNDOFF)


def test_humanoid_has_the_layout_of_toro():
    robot = load_bundled("humanoid")
    assert (robot.nq, robot.nv, robot.n_bodies) == (32, 31, 26)
    assert robot.joints[0].kind == "free"
    assert [joint.kind for joint in robot.joints[1:]] == ["revolute"] * 25
    for side in ("left", "right"):
        limbs = [body for body in robot.bodies if body.name.startswith(side)]
        assert len(limbs) == 12
    assert robot.mass == pytest.approx(76.4)


def test_humanoid_is_symmetric_and_stands_on_its_soles():
    robot = load_bundled("humanoid")
    poses = jounce.poses(robot, robot.neutral)[0]
    flip = np.diag([1.0, -1.0, 1.0])
    for left in (body for body in robot.bodies if body.name.startswith("left")):
        right = robot.body(left.name.replace("left", "right"))
        assert right.inertia == mirrored(left.inertia)
        here, there = (poses[robot.bodies.index(body)][:3, 3] for body in (left, right))
        assert_close(here, flip @ there, ROUNDOFF)
    foot = robot.frame("left_sole")
    sole = poses[foot.body] @ np.array(foot.placement.matrix())
    assert_close(sole[:3, 3], [0, 0.1, -0.88], ROUNDOFF)


def is_possible(body: Body) -> bool:
    first, second, largest = np.linalg.eigvalsh(np.array(body.inertia.rotational))
    return largest - first - second <= 1e-6 * abs(largest)


def mirrored(inertia: Inertia) -> Inertia:
    m, x, y, z, xx, yy, zz, xy, xz, yz = inertia.parameters
    return Inertia.from_parameters([m, x, -y, z, xx, yy, zz, -xy, xz, -yz])


def pinocchio_forces(robot: Robot, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Return ``M a + C v + g`` of a serial revolute arm with its motor inertias."""
    model = pin.Model()
    model.gravity = pin.Motion(np.array(robot.gravity), np.zeros(3))
    for i, (body, joint) in enumerate(zip(robot.bodies, robot.joints, strict=True)):
        # Pinocchio turns about the origin of the joint frame: put it on the axis and shift back
        point = pin.SE3(np.eye(3), np.array(joint.type.point))
        place = pin.SE3(np.array(body.placement.matrix())) * point
        place = (
            pin.SE3(np.eye(3), -np.array(robot.joints[i - 1].type.point if i else (0, 0, 0)))
            * place
        )
        axis = pin.JointModelRevoluteUnaligned(np.array(joint.type.axes[0]))
        index = model.addJoint(i, axis, place, joint.name)
        matter = body.inertia
        link = pin.Inertia(matter.mass, np.array(matter.com), np.array(matter.rotational))
        model.appendBodyToJoint(index, link, point.inverse())
    motors = np.array([joint.armature[0] for joint in robot.joints])
    return pin.rnea(model, model.createData(), q, v, a) + motors * a


def mass_matrix(robot: Robot, q: np.ndarray) -> np.ndarray:
    weightless, zero = robot.with_gravity((0, 0, 0)), np.zeros(robot.nv)
    return jounce.inverse_dynamics(weightless, q, zero, np.eye(robot.nv))[0]
