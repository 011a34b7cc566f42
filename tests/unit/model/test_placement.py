"""Poses from positions, angles and quaternions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import jounce


def test_angles_are_about_fixed_axes():
    rng = np.random.default_rng(3)
    xyz, rpy = rng.standard_normal((2, 4, 3))
    T = jounce.transform(xyz, rpy=rpy)
    assert T.shape == (4, 4, 4)
    wanted = Rotation.from_euler("xyz", rpy).as_matrix()
    np.testing.assert_allclose(T[:, :3, :3], wanted, atol=1e-15)
    np.testing.assert_array_equal(T[:, :3, 3], xyz)
    np.testing.assert_array_equal(T[:, 3], np.tile([0.0, 0.0, 0.0, 1.0], (4, 1)))


def test_quaternions_are_x_y_z_w():
    quaternion = Rotation.random(5, random_state=4).as_quat()
    T = jounce.transform((1.0, 2.0, 3.0), quaternion=quaternion)
    wanted = Rotation.from_quat(quaternion).as_matrix()
    np.testing.assert_allclose(T[:, :3, :3], wanted, atol=1e-15)
    np.testing.assert_array_equal(T[:, :3, 3], np.tile([1.0, 2.0, 3.0], (5, 1)))
    np.testing.assert_array_equal(jounce.transform(), np.eye(4))


def test_builders_and_frames_take_it():
    T = jounce.transform((0.1, 0.0, 0.2), rpy=(0.1, 0.2, 0.3))
    robot = jounce.load("planar2r").with_frame("tool", "link2", T)
    np.testing.assert_allclose(np.array(robot.frame("tool").placement.matrix()), T, atol=1e-15)


def test_what_cannot_be_meant_is_refused():
    with pytest.raises(jounce.ArgumentError, match="got both"):
        jounce.transform((0, 0, 0), rpy=(0, 0, 0), quaternion=(0, 0, 0, 1))
    with pytest.raises(jounce.ArgumentError, match="unit norm"):
        jounce.transform((0, 0, 0), quaternion=(0, 0, 0, 2))
    with pytest.raises(jounce.ShapeError, match="xyz"):
        jounce.transform((0, 0))
