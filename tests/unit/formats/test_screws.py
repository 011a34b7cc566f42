"""Robots from screws: geometry, both representations, and refusals that say what to do."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.algebra.se3 import Motion
from jounce.algebra.vector import Vec3
from jounce.errors import ArgumentError, InvalidInertiaError, ModelError, NotFiniteError, ShapeError
from jounce.formats.screws import from_screws, screw_joint
from jounce.model.inertia import Inertia
from tests import oracle_data
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close, assert_orders_close

BALL = Inertia(1.0, (0, 0, 0), 0.1 * np.eye(3))
Z = [0.0, 0, 1, 0, 0, 0]
ONES = [np.eye(4), np.eye(4)]
CASES = [(name, kind) for name in oracle_data.NAMES for kind in oracle_data.REPRESENTATIONS]


def motion(screw) -> Motion:
    return Motion(Vec3(*screw[:3]), Vec3(*screw[3:]))


def exponential(screw, q: float) -> np.ndarray:
    """Exponential of a screw by its power series."""
    (a, b, c), v = screw[:3], screw[3:]
    X = np.zeros((4, 4))
    X[:3, :3] = [[0, -c, b], [c, 0, -a], [-b, a, 0]]
    X[:3, 3] = v
    term = total = np.eye(4)
    for k in range(1, 40):
        term = term @ X * (q / k)
        total = total + term
    return total


@pytest.mark.parametrize("pitch", [0.0, 0.07, -0.4])
def test_a_joint_moves_by_the_exponential_of_its_screw(rng: np.random.Generator, pitch: float):
    for q in (0.0, 1e-9, 0.8, -2.5):
        axis, point = rng.normal(size=3), rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        screw = np.r_[axis, np.cross(point, axis) + pitch * axis]
        joint = screw_joint(motion(screw))
        assert joint.kind == ("helical" if pitch else "revolute")
        pose = np.array(joint.pose([q]).matrix(), dtype=float)
        assert_close(pose, exponential(screw, q), ROUNDOFF)


def test_a_screw_without_rotation_slides():
    joint = screw_joint(motion([0, 0, 0, 0, 0.6, -0.8]))
    assert (joint.kind, joint.axes) == ("prismatic", (Vec3(0.0, 0.6, -0.8),))


def test_roundoff_is_no_pitch():
    assert screw_joint(motion([0, 0, 1, 3.0, 4.0, 5e-10])).kind == "revolute"
    assert screw_joint(motion([0, 0, 1, 3.0, 4.0, 5e-8])).kind == "helical"


@pytest.mark.parametrize(("name", "representation"), CASES)
def test_the_oracle_robots_have_their_kinds_and_poses(name: str, representation: str):
    robot = oracle_data.robot(name, representation)
    bodies = oracle_data.model(name)["bodies"]
    assert [joint.kind for joint in robot.joints] == [b["joint_type"] for b in bodies]
    assert robot.parents == tuple(b["parent"] for b in bodies)
    q, *_ = oracle_data.motion(name, rates=0)
    assert_close(jounce.poses(robot, q)[0], oracle_data.exact(name, "pose"), INDEPENDENT)


@pytest.mark.parametrize("name", oracle_data.NAMES)
def test_both_representations_give_the_same_forces(name: str):
    motion = oracle_data.motion(name)
    body, spatial = (
        jounce.inverse_dynamics(oracle_data.robot(name, kind), *motion)
        for kind in oracle_data.REPRESENTATIONS
    )
    assert_orders_close(body, spatial, ROUNDOFF)


@pytest.mark.parametrize("name", oracle_data.NAMES)
def test_strict_takes_what_a_body_can_have(name: str):
    model, inertias = oracle_data.model(name), oracle_data.inertias(name)
    screws = [b["screw_body"] for b in model["bodies"]]
    placements = [b["B_parent_to_body_ref"] for b in model["bodies"]]
    if name in oracle_data.PHYSICAL:
        assert from_screws(screws, placements, inertias).n_bodies == model["n"]
    else:
        with pytest.raises(InvalidInertiaError, match="body_"):
            from_screws(screws, placements, inertias)


def test_names_parents_and_gravity_are_kept():
    robot = from_screws([Z, Z], ONES, [BALL, BALL], parents=[-1, -1], gravity=(0, 1, 0))
    assert [body.name for body in robot.bodies] == ["body_0", "body_1"]
    assert robot.parents == (-1, -1)
    assert tuple(robot.gravity) == (0.0, 1.0, 0.0)
    named = from_screws([Z, Z], ONES, [BALL, BALL], names=["upper", "lower"])
    assert [body.name for body in named.bodies] == ["upper", "lower"]
    assert named.parents == (-1, 0)


def test_nothing_makes_an_empty_robot_but_the_shape_must_say_so():
    assert from_screws(np.zeros((0, 6)), [], []).n_bodies == 0
    with pytest.raises(ShapeError, match=r"\(n, 6\)"):
        from_screws([], [], [])


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"screws": [Z, [0, 0, 2, 0, 0, 0]]}, ModelError, r"screws\[1\].*\|ω\| = 2"),
        ({"screws": [Z, [0, 0, 0, 0, 0, 3]]}, ModelError, r"screws\[1\].*\|v\| = 3"),
        ({"screws": [Z, [0] * 6]}, ModelError, r"unit screw"),
        ({"screws": [Z, Z[:5]]}, ShapeError, "array of numbers"),
        ({"screws": [Z[:5], Z[:5]]}, ShapeError, r"\(2, 5\)"),
        ({"screws": [Z, [0, 0, 1, 0, np.nan, 0]]}, NotFiniteError, r"screws\[1, 4\] is nan"),
        ({"placements": [np.eye(4)]}, ShapeError, "1 placements"),
        ({"placements": [np.eye(4), np.eye(3)]}, ShapeError, r"placements\[1\].*4x4"),
        ({"placements": [np.eye(4), 2 * np.eye(4)]}, ModelError, r"placements\[1\]"),
        ({"inertias": [BALL]}, ShapeError, "1 inertias"),
        ({"inertias": [BALL, np.eye(6)]}, ModelError, r"inertias\[1\].*jounce.Inertia"),
        ({"parents": [-1]}, ShapeError, "1 parents"),
        ({"parents": [1, -1]}, ModelError, r"parents\[0\] is 1"),
        ({"parents": [-1, 1]}, ModelError, r"parents\[1\] is 1.*before their children"),
        ({"parents": [-1, -2]}, ModelError, r"parents\[1\] is -2"),
        ({"parents": [-1, 0.0]}, ModelError, r"parents\[1\] is 0.0"),
        ({"representation": "hybrid"}, ArgumentError, "'body' or 'spatial', got 'hybrid'"),
        ({"representation": np.eye(2)}, ArgumentError, "'body' or 'spatial', got array"),
        ({"names": ["a"]}, ShapeError, "2 bodies, but 1 names"),
        ({"names": ["a", "a"]}, ModelError, "already has a body or frame named 'a'"),
    ],
)
def test_refusals(change: dict, error: type[Exception], message: str):
    arguments = {"screws": [Z, Z], "placements": ONES, "inertias": [BALL, BALL]} | change
    with pytest.raises(error, match=message):
        from_screws(**arguments)


@pytest.mark.parametrize("given", [None, 3.0, "xyz", np.float32(1.0), np.array(2.0)])
def test_what_is_no_list_is_refused(given):
    with pytest.raises(ShapeError, match="placements must be a list with one entry a body"):
        jounce.from_screws([[0, 0, 1, 0, 0, 0]], given, [])
    with pytest.raises(ShapeError, match="rows must be a list with one entry a body"):
        jounce.from_dh(given, [])


def test_numpy_integers_are_parents():
    parents = np.array([-1, 0])
    rod = jounce.Inertia(1.0, (0, 0, 0), np.eye(3))
    screws = [[0, 0, 1, 0, 0, 0]] * 2
    robot = jounce.from_screws(screws, [np.eye(4)] * 2, [rod] * 2, parents=parents)
    assert robot.parents == (-1, 0)
    assert jounce.examples.chain(np.int64(2)) == jounce.examples.chain(2)
