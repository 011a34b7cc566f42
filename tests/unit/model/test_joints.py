"""Joint constructors: unit axes, refusals that say what is wrong, motion of every kind."""

from __future__ import annotations

from math import hypot

import numpy as np
import pytest

from jounce.algebra.vector import Vec3
from jounce.errors import ModelError, ShapeError
from jounce.model import joints
from jounce.model.examples import random_joint
from jounce.model.joints import KINDS, unit_axis
from tests.tolerances import ROUNDOFF, assert_close

AXIAL = ["revolute", "continuous", "prismatic", "cylindrical", "planar"]
# nq, nv: the table of DESIGN.md
COUNTS = {"revolute": (1, 1), "continuous": (1, 1), "prismatic": (1, 1), "helical": (1, 1)}
COUNTS |= {"cylindrical": (2, 2), "universal": (2, 2), "planar": (3, 3), "spherical": (4, 3)}
COUNTS |= {"free": (7, 6), "fixed": (0, 0)}


@pytest.mark.parametrize("kind", KINDS)
def test_sizes_are_those_of_the_table(kind: str, rng: np.random.Generator):
    joint = random_joint(rng, kind)
    assert (joint.kind, joint.nq, joint.nv) == (kind, *COUNTS[kind])
    assert sum(step.nq for step in joint.steps) == joint.nq
    assert sum(step.nv for step in joint.steps) == joint.nv


def pose(joint: joints.JointType, q) -> np.ndarray:
    return np.array(joint.pose(list(q)).matrix())


def turn(axis, angle: float) -> np.ndarray:
    """Rodrigues' formula, 4x4."""
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    W = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    T = np.eye(4)
    T[:3, :3] += np.sin(angle) * W + (1 - np.cos(angle)) * W @ W
    return T


def shift(p) -> np.ndarray:
    T = np.eye(4)
    T[:3, 3] = p
    return T


AXIS, OTHER, POINT = (
    np.array([1.0, -2.0, 2.0]),
    np.array([0.0, 3.0, 4.0]),
    np.array([0.1, 0.2, -0.3]),
)


@pytest.mark.parametrize("make", [joints.revolute, joints.continuous])
def test_turning_keeps_the_point_on_the_axis(make):
    about = shift(POINT) @ turn(AXIS, 0.7) @ shift(-POINT)
    assert_close(pose(make(AXIS, point=POINT), [0.7]), about, ROUNDOFF)


def test_sliding_and_screwing_advance_along_the_axis():
    step = AXIS / 3.0
    assert_close(pose(joints.prismatic(AXIS), [0.4]), shift(0.4 * step), ROUNDOFF)
    about = shift(POINT) @ turn(AXIS, 0.7) @ shift(-POINT)
    screw = joints.helical(AXIS, 0.05, point=POINT)
    assert_close(pose(screw, [0.7]), shift(0.035 * step) @ about, ROUNDOFF)
    both = joints.cylindrical(AXIS, point=POINT)
    assert_close(pose(both, [0.7, 0.4]), shift(0.4 * step) @ about, ROUNDOFF)


def test_the_second_axis_of_a_universal_joint_is_carried_by_the_first():
    desired = shift(POINT) @ turn(AXIS, 0.7) @ turn(OTHER, -0.4) @ shift(-POINT)
    assert_close(pose(joints.universal(AXIS, OTHER, point=POINT), [0.7, -0.4]), desired, ROUNDOFF)


@pytest.mark.parametrize("normal", ["xyz", "yzx", "zxy"])
def test_a_planar_joint_slides_along_the_axes_that_follow_its_normal(normal: str):
    third, first, second = (np.eye(3)["xyz".index(letter)] for letter in normal)
    desired = shift(0.3 * first - 0.2 * second) @ turn(third, 0.7)
    assert_close(pose(joints.planar(third), [0.3, -0.2, 0.7]), desired, ROUNDOFF)


def test_balls_turn_by_their_quaternion_and_free_bodies_move_first():
    quaternion = np.r_[np.sin(0.35) * AXIS / 3.0, np.cos(0.35)]
    desired = shift(POINT) @ turn(AXIS, 0.7) @ shift(-POINT)
    assert_close(pose(joints.spherical(point=POINT), quaternion), desired, ROUNDOFF)
    desired = shift(POINT) @ turn(AXIS, 0.7)
    assert_close(pose(joints.free(), np.r_[POINT, quaternion]), desired, ROUNDOFF)
    assert_close(pose(joints.fixed(), []), np.eye(4), ROUNDOFF)


def test_normalising_twice_changes_nothing(rng: np.random.Generator):
    for axis in rng.normal(size=(500, 3)) * 10.0 ** rng.uniform(-6, 6, (500, 1)):
        unit = unit_axis(axis)
        assert abs(hypot(*unit) - 1.0) < 1e-15
        assert unit_axis(unit) == unit
    assert unit_axis((0, 0, 5)) == Vec3(0.0, 0.0, 1.0)
    assert str(unit_axis((-0.0, 0, -2))) == str(Vec3(0.0, 0.0, -1.0))


@pytest.mark.parametrize("kind", AXIAL)
@pytest.mark.parametrize(
    ("axis", "error", "message"),
    [
        ((0, 0, 0), ModelError, "axis must not be zero"),
        ((0, 1e-13, 0), ModelError, "axis must not be zero"),
        ((0, float("nan"), 0), ModelError, "axis must be finite"),
        ((0, float("inf"), 0), ModelError, "axis must be finite"),
        ((0, 1), ShapeError, "axis must have 3 components, got 2"),
        (2.0, ShapeError, "axis must have 3 components, got 2.0"),
        (np.eye(3), ShapeError, r"axis must be a single number, got an array of shape \(3,\)"),
        ("xyz", ModelError, "axis must be a number, got 'x'"),
        ((0, None, 1), ModelError, "axis must be a number, got None"),
        ((0, True, 1), ModelError, "axis must be a number, got True"),
        ((0, 1j, 1), ModelError, "axis must be a number"),
        ((0, [1], 1), ShapeError, "axis must be a single number"),
    ],
)
def test_a_bad_axis_is_refused(kind: str, axis, error: type, message: str):
    with pytest.raises(error, match=message):
        getattr(joints, kind)(axis)


def test_a_bad_point_or_pitch_is_refused():
    with pytest.raises(ModelError, match="point must be finite"):
        joints.spherical(point=(0, float("nan"), 0))
    with pytest.raises(ShapeError, match="point must have 3 components"):
        joints.revolute((0, 0, 1), point=(1, 2))
    for pitch in (float("nan"), float("inf")):
        with pytest.raises(ModelError, match="pitch of a helical joint must be finite"):
            joints.helical((0, 0, 1), pitch)
    with pytest.raises(ModelError, match="pitch of a helical joint must be a number, got '1'"):
        joints.helical((0, 0, 1), "1")


def test_parallel_universal_axes_are_refused():
    for second in ((0, 0, 1), (0, 0, -2), (1e-10, 0, 1)):
        with pytest.raises(ModelError, match="must not be parallel"):
            joints.universal((0, 0, 1), second)
    assert joints.universal((0, 0, 1), (1e-3, 0, 1)).nv == 2
