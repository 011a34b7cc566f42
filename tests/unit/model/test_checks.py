"""Checks of the numbers and poses users give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jounce.algebra.se3 import IDENTITY, Transform
from jounce.algebra.so3 import Rotation
from jounce.algebra.vector import Vec3
from jounce.errors import ArgumentError, ModelError, ShapeError
from jounce.model.checks import checked_integer, plain, rigid_transform
from jounce.model.examples import random_placement
from tests.tolerances import EXACT, ROUNDOFF, assert_close


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3), np.int32(3)])
def test_integers_of_python_and_numpy_pass(value: Any) -> None:
    got = checked_integer("order", value)
    assert got == 3
    assert type(got) is int


@pytest.mark.parametrize("value", [True, np.True_, 3.0, np.float64(3), "3", None, -1, [3]])
def test_what_is_no_integer_is_refused(value: Any) -> None:
    with pytest.raises(ArgumentError, match="order must be an integer ≥ 0, got"):
        checked_integer("order", value)


def test_the_least_one_is_named() -> None:
    assert checked_integer("threads", 1, 1) == 1
    assert checked_integer("threads", 4, 1, 4) == 4
    with pytest.raises(ArgumentError, match="threads must be 4 at most, got 5"):
        checked_integer("threads", 5, 1, 4)
    with pytest.raises(ArgumentError, match="threads must be an integer ≥ 1, got 0"):
        checked_integer("threads", 0, 1)


def test_numbers_become_plain_floats():
    for given in (1, np.float32(1), np.int64(1), np.float64(1), np.array(1.0)):
        assert type(plain(given)) is float
        assert plain(given) == 1.0
    assert str(plain(-0.0)) == str(plain(np.float64(-0.0))) == "0.0"


def changed(i: int, j: int, value: float) -> np.ndarray:
    T = np.eye(4)
    T[i, j] = value
    return T


def test_arrays_lists_and_transforms_are_the_same(rng: np.random.Generator):
    T = random_placement(rng)
    one = rigid_transform(T)
    assert one == rigid_transform(T.tolist()) == rigid_transform(one)
    assert_close(one.matrix(), T, EXACT)
    assert all(type(x) is float for row in one.matrix() for x in row)


def test_few_digits_are_made_a_rotation(rng: np.random.Generator):
    T = random_placement(rng)
    rounded = rigid_transform(np.round(T, 7))
    R = np.array(rounded.rotation.rows)
    assert_close(R.T @ R, np.eye(3), ROUNDOFF)
    assert np.abs(R - T[:3, :3]).max() < 1e-6
    assert rigid_transform(rounded) == rounded


@pytest.mark.parametrize(
    ("placement", "error", "message"),
    [
        (np.eye(3), ShapeError, r"4x4 matrix, got rows of lengths \[3, 3, 3\]"),
        ([[1, 0, 0, 0], [0, 1]], ShapeError, r"4x4 matrix, got rows of lengths \[4, 2\]"),
        (np.zeros((2, 4, 4)), ShapeError, "4x4 matrix"),
        ((1, 2, 3), ShapeError, r"4x4 matrix, got \(1, 2, 3\)"),
        (1.0, ShapeError, "4x4 matrix, got 1.0"),
        (None, ShapeError, "4x4 matrix, got None"),
        (changed(0, 3, np.nan), ModelError, "must be finite with last row"),
        (changed(1, 1, np.inf), ModelError, "must be finite with last row"),
        (changed(3, 0, 0.1), ModelError, "last row 0 0 0 1"),
        (changed(3, 3, 2.0), ModelError, "last row 0 0 0 1"),
        (
            changed(0, 1, 1e-5),
            ModelError,
            "orthonormal and right-handed; RᵀR differs from 1 by 1e-05",
        ),
        (2.0 * np.eye(4) - np.diag([0, 0, 0, 1]), ModelError, "orthonormal"),
        (np.diag([1.0, 1, -1, 1]), ModelError, "right-handed; .*det R = -1"),
        (np.diag([1.0, 1, 0, 1]), ModelError, "orthonormal"),
        ([["a"] * 4] * 4, ModelError, "must be a number, got 'a'"),
    ],
)
def test_what_is_not_rigid_is_refused(placement, error: type, message: str):
    with pytest.raises(error, match=f"tool.*{message}"):
        rigid_transform(placement, "tool")


def test_a_transform_is_checked_too():
    stretched = Transform(Rotation((Vec3(2.0, 0, 0), Vec3(0, 1.0, 0), Vec3(0, 0, 1.0))), IDENTITY.p)
    with pytest.raises(ModelError, match="orthonormal"):
        rigid_transform(stretched)


def test_negative_zero_is_zero():
    T = np.eye(4)
    T[0, 1] = T[2, 3] = -0.0
    assert repr(rigid_transform(T)) == repr(IDENTITY)
