"""What of a robot is drawn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import jounce
from jounce import joints
from jounce.report.drawing import equivalent_ellipsoid, placements, skeleton
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close


def test_a_ball_is_a_ball():
    """2/5 m r²."""
    mass, radius = 3.0, 0.2
    ball = jounce.Inertia(mass, [0.1, 0.2, 0.3], 0.4 * mass * radius**2 * np.eye(3))
    found = equivalent_ellipsoid(ball)
    assert found is not None
    assert_close(found.radii, [radius] * 3, INDEPENDENT)
    assert_close(found.center, [0.1, 0.2, 0.3], ROUNDOFF)


def test_the_ellipsoid_has_the_inertia_of_the_body(rng: np.random.Generator):
    """Of second moments S = m/5 R diag(r²) Rᵀ the inertia is tr S − S."""
    for body in jounce.load("panda").bodies:
        found = equivalent_ellipsoid(body.inertia)
        assert found is not None
        R, r = found.rotation, found.radii
        S = body.inertia.mass / 5.0 * R @ np.diag(r**2) @ R.T
        assert_close(np.trace(S) * np.eye(3) - S, body.inertia.rotational, INDEPENDENT)
        assert_close(R @ R.T, np.eye(3), INDEPENDENT)
        assert_close(np.linalg.det(R), 1.0, INDEPENDENT)


def test_no_mass_no_ellipsoid():
    assert equivalent_ellipsoid(jounce.Inertia(0.0, [0, 0, 0], np.zeros((3, 3)))) is None


def test_moments_that_no_body_has_make_it_flat():
    found = equivalent_ellipsoid(jounce.Inertia(1.0, [0, 0, 0], np.diag([0.1, 0.1, 0.5])))
    assert found is not None
    assert found.radii[2] == 0.0
    assert (found.radii[:2] > 0.5).all()


def test_quaternions_are_those_of_the_poses(rng: np.random.Generator):
    """Half turns included, where the formula with the trace fails."""
    turns = Rotation.random(200, random_state=1).as_matrix()
    turns[:3] = [np.diag(d) for d in ([1, -1, -1], [-1, 1, -1], [-1, -1, 1])]
    poses = np.tile(np.eye(4), (200, 1, 1, 1))
    poses[:, 0, :3, :3], poses[:, 0, :3, 3] = turns, rng.normal(size=(200, 3))
    found = placements(poses)
    assert_close(Rotation.from_quat(found[:, 0, 3:]).as_matrix(), turns, INDEPENDENT)
    assert np.array_equal(found[:, 0, :3], poses[:, 0, :3, 3])


def test_quaternions_do_not_jump():
    angles = np.linspace(0.0, 20.0, 500)
    poses = np.tile(np.eye(4), (500, 1, 1, 1))
    poses[:, 0, :3, :3] = Rotation.from_rotvec(np.outer(angles, [0.6, 0.0, 0.8])).as_matrix()
    assert np.abs(np.diff(placements(poses)[:, 0, 3:], axis=0)).max() < 0.03


def test_sticks_of_an_arm():
    panda = jounce.load("panda")
    drawing = skeleton(panda)
    *bodies, ground = drawing["bodies"]
    assert [body["parent"] for body in bodies] == list(panda.parents)
    assert all(body["held"] for body in bodies)
    assert ground["parent"] == -1
    assert drawing["up"] == [0.0, 0.0, 1.0]
    flange = panda.frame("flange")
    assert bodies[flange.body]["tips"] == [list(flange.placement.p)]


def test_up_is_against_gravity():
    assert skeleton(jounce.load("planar2r"))["up"] == [0.0, 1.0, 0.0]
    assert skeleton(jounce.load("planar2r").with_gravity([0, 0, 0]))["up"] == [0.0, 0.0, 1.0]


def test_a_floating_body_hangs_on_no_stick():
    base, *others, _ = skeleton(jounce.load("humanoid"))["bodies"]
    assert not base["held"]
    assert all(body["held"] for body in others)


def test_a_joint_is_where_its_axis_is_and_a_stick_ends_in_the_matter():
    builder = jounce.RobotBuilder("arm")
    inertia = jounce.Inertia(1.0, [0.3, 0.0, 0.0], 0.01 * np.eye(3))
    builder.add("link", joint=joints.revolute([0, 0, 1], point=[0.1, 0, 0]), inertia=inertia)
    link, _ = skeleton(builder.build())["bodies"]
    assert link["joint"] == [0.1, 0.0, 0.0]
    assert link["tips"] == [pytest.approx([0.3, 0.0, 0.0], abs=1e-15)]


def test_matter_welded_to_the_ground_is_drawn_there():
    builder = jounce.RobotBuilder("arm")
    inertia = jounce.Inertia(2.0, [0.0, 0.0, 0.5], np.eye(3))
    builder.add("stand", joint=joints.fixed(), placement=_shift(1.0), inertia=inertia)
    builder.add("link", joint=joints.revolute([0, 0, 1]), inertia=inertia)
    robot = builder.build()
    ground = skeleton(robot)["bodies"][-1]
    assert ground["ellipsoid"] is not None
    assert_close(ground["ellipsoid"]["center"], [1.0, 0.0, 0.5], INDEPENDENT)


def _shift(x: float) -> np.ndarray:
    T = np.eye(4)
    T[0, 3] = x
    return T


def test_the_matter_of_the_ground_is_drawn_where_it_is():
    """It is in the frame of the ground, wherever the base link is."""
    b = jounce.RobotBuilder("displaced", base_name="plinth")
    T = np.eye(4)
    T[:3, 3] = (1.0, 2.0, 3.0)
    ball = jounce.Inertia(1.0, (0.0, 0.0, 0.1), 0.1 * np.eye(3))
    b.add("plinth", None, jounce.joints.fixed(), T, ball)
    b.add("arm", "plinth", jounce.joints.revolute((0, 0, 1)), inertia=ball)
    robot = b.build()
    assert_close(robot.base_inertia.com, [1.0, 2.0, 3.1], ROUNDOFF)
    ground = skeleton(robot)["bodies"][-1]
    assert ground["name"] == "plinth"
    assert_close(ground["ellipsoid"]["center"], [1.0, 2.0, 3.1], ROUNDOFF)
    assert_close(jounce.center_of_mass(robot, [0.0])[0], [1.0, 2.0, 3.1], ROUNDOFF)
