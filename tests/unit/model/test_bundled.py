"""The bundled robots are what their sources say."""

from __future__ import annotations

import pickle
from math import pi

import numpy as np
import pytest

import jounce
from jounce.errors import UnknownNameError
from jounce.model.bundled import bundled_source, load_bundled, robots
from jounce.model.inertia import Inertia, check_inertia
from jounce.model.native import from_dict, to_dict
from jounce.model.robot import Robot, parameters
from tests import bundled_sources, oracle_data
from tests.bundled_sources import DATA, REBUILT
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close, assert_orders_close

ORACLES = {"panda": "panda_gaz", "iiwa14": "kuka_steiner", "planar2r": "planar2R"}
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
    assert len(bundled_source(name)) > 80
    assert load_bundled(name) is robot


@EVERY
def test_a_bundled_robot_is_consistent_and_survives_a_round_trip(name: str):
    robot = load_bundled(name)
    for body in robot.bodies:
        check_inertia(body.inertia, body.name)
    assert robot.with_parameters(parameters(robot)) == robot
    for again in (from_dict(to_dict(robot)), pickle.loads(pickle.dumps(robot))):
        assert again == robot
        assert hash(again) == hash(robot)


@EVERY
def test_no_friction_unless_asked_for(name: str):
    assert not any(d for joint in load_bundled(name).joints for d in joint.damping)


def test_an_unknown_robot_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match=r"did you mean 'panda'.*humanoid, iiwa14, panda"):
        load_bundled("pandda")
    with pytest.raises(UnknownNameError, match="puma560"):
        bundled_source("r2d2")


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


def test_panda_has_the_parameters_of_the_oracle():
    desired = parameters(oracle_data.robot("panda_gaz"))
    assert_close(parameters(load_bundled("panda")), desired, ROUNDOFF)


def test_iiwa_differs_from_its_table_only_where_a_body_could_not_have_it():
    robot, table = load_bundled("iiwa14"), oracle_data.robot("kuka_steiner")
    changed = [
        i
        for i, (ours, theirs) in enumerate(zip(robot.bodies, table.bodies, strict=True))
        if not np.allclose(ours.inertia.parameters, theirs.inertia.parameters, rtol=0, atol=1e-12)
    ]
    assert changed == [2, 3, 6]
    assert_close(robot.mass, table.mass, ROUNDOFF)


def test_puma_moves_like_the_published_table(rng: np.random.Generator):
    ours, table = load_bundled("puma560"), bundled_sources.published_puma()
    motion = rng.uniform(-1, 1, (5, 20, 6))
    forces = [jounce.inverse_dynamics(robot, *motion) for robot in (ours, table)]
    assert_orders_close(*forces, ROUNDOFF)
    with pytest.raises(jounce.InvalidInertiaError, match="link1"):
        table.with_parameters(parameters(table))


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


def mirrored(inertia: Inertia) -> Inertia:
    m, x, y, z, xx, yy, zz, xy, xz, yz = inertia.parameters
    return Inertia.from_parameters([m, x, -y, z, xx, yy, zz, -xy, xz, -yz])


def mass_matrix(robot: Robot, q: np.ndarray) -> np.ndarray:
    weightless, zero = robot.with_gravity((0, 0, 0)), np.zeros(robot.nv)
    return jounce.inverse_dynamics(weightless, q, zero, np.eye(robot.nv))[0]
