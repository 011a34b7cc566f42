"""Inertia: both reference points, what the constructor refuses, what a body can have."""

from __future__ import annotations

import numpy as np
import pytest

from jounce.errors import ArgumentError, InvalidInertiaError, ModelError, ShapeError
from jounce.model.inertia import Inertia, check_inertia
from tests.tolerances import ROUNDOFF, assert_close

COM = np.array([0.1, -0.2, 0.3])
ABOUT_COM = np.array([[0.05, 0.01, -0.004], [0.01, 0.06, 0.002], [-0.004, 0.002, 0.07]])
MASS = 1.7
ABOUT_ORIGIN = ABOUT_COM + MASS * (COM @ COM * np.eye(3) - np.outer(COM, COM))  # Steiner


def test_both_reference_points_give_the_same_body():
    for inertia in (
        Inertia(MASS, COM, ABOUT_COM),
        Inertia(MASS, COM, ABOUT_COM, about="com"),
        Inertia(MASS, COM, ABOUT_ORIGIN, about="origin"),
    ):
        assert inertia.mass == MASS
        assert_close(inertia.com, COM, ROUNDOFF)
        assert_close(inertia.rotational, ABOUT_COM, ROUNDOFF)
        assert_close(inertia.rotational_origin, ABOUT_ORIGIN, ROUNDOFF)
        check_inertia(inertia, "body")


def test_the_ten_parameters_are_in_the_order_of_the_api():
    inertia = Inertia(MASS, COM, ABOUT_COM)
    I = ABOUT_ORIGIN
    desired = [MASS, *MASS * COM, I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
    assert_close(inertia.parameters, desired, ROUNDOFF)
    assert Inertia.from_parameters(inertia.parameters) == inertia
    assert hash(Inertia.from_parameters(inertia.parameters)) == hash(inertia)


def test_a_massless_inertia_has_its_centre_at_the_origin():
    rotor = Inertia(0.0, (1, 2, 3), np.diag([1.0, 1.0, 1.0]))
    assert tuple(rotor.com) == (0.0, 0.0, 0.0)
    assert_close(rotor.rotational, np.eye(3), ROUNDOFF)


@pytest.mark.parametrize(
    ("args", "error", "message"),
    [
        ((1.0, (0, 0), np.eye(3)), ShapeError, "com must have 3 components"),
        ((1.0, (0, np.nan, 0), np.eye(3)), ModelError, "com must be finite"),
        ((1.0, COM, np.eye(2)), ShapeError, "rotational inertia must be a 3x3 matrix"),
        ((1.0, COM, [1, 2, 3]), ShapeError, "rotational inertia must be a 3x3 matrix"),
        ((1.0, COM, 0.1), ShapeError, "rotational inertia must be a 3x3 matrix"),
        ((1.0, COM, [[1, 2, 3], [1, 2], [1]]), ShapeError, "must be a 3x3 matrix"),
        ((1.0, COM, [["a"] * 3] * 3), ModelError, "rotational inertia must be a number, got 'a'"),
        (("1", COM, np.eye(3)), ModelError, "mass must be a number, got '1'"),
        (([1.0], COM, np.eye(3)), ShapeError, "mass must be a single number"),
        ((np.ones(1), COM, np.eye(3)), ShapeError, r"mass must be a single number.*\(1,\)"),
        ((None, COM, np.eye(3)), ModelError, "mass must be a number, got None"),
    ],
)
def test_what_is_no_inertia_is_refused_at_once(args, error: type, message: str):
    with pytest.raises(error, match=message):
        Inertia(*args)


@pytest.mark.parametrize(("i", "j"), [(0, 1), (0, 2), (1, 2)])
def test_an_asymmetric_matrix_is_refused(i: int, j: int):
    matrix = ABOUT_COM.copy()
    matrix[i, j] += 1e-6
    with pytest.raises(InvalidInertiaError, match=rf"not symmetric: entry \({i}, {j}\)"):
        Inertia(MASS, COM, matrix)
    matrix[i, j] = ABOUT_COM[i, j] + 1e-12  # round-off is not worth an error
    Inertia(MASS, COM, matrix)


def test_an_unknown_reference_point_is_refused():
    with pytest.raises(ArgumentError, match="'com' or 'origin', got 'tip'"):
        Inertia(MASS, COM, ABOUT_COM, about="tip")


def test_parameters_must_be_ten():
    with pytest.raises(ShapeError, match=r"10 parameters.* got 9"):
        Inertia.from_parameters([0.0] * 9)
    with pytest.raises(ModelError, match="first moment must be a number, got None"):
        Inertia.from_parameters([1.0, None, 0, 0, 1, 1, 1, 0, 0, 0])


@pytest.mark.parametrize(
    ("inertia", "message"),
    [
        (Inertia(-1.0, COM, ABOUT_COM), "mass of body 'arm' is negative: -1 kg"),
        (Inertia(1.0, COM, np.nan * np.eye(3)), "inertia of body 'arm' is not finite"),
        (Inertia(np.inf, (0, 0, 0), np.eye(3)), "inertia of body 'arm' is not finite"),
        (Inertia.from_parameters([0, 1, 0, 0, 1, 1, 1, 0, 0, 0]), "'arm' is massless but has"),
        (Inertia(1.0, COM, np.diag([1, 1, 2.5])), r"'arm'.*eigenvalue -0.25 kg"),
        (Inertia(1.0, COM, -np.eye(3)), "'arm'.*eigenvalue -0.5 kg"),
        (Inertia(MASS, COM, ABOUT_COM, about="origin"), r"about the wrong point.*strict=False"),
    ],
)
def test_what_no_body_can_have_is_named_with_its_reason(inertia: Inertia, message: str):
    with pytest.raises(InvalidInertiaError, match=message):
        check_inertia(inertia, "arm")


def test_bodies_at_the_edge_are_accepted():
    for moments in ((0, 0, 0), (0, 1, 1), (1, 1, 2), (0.3, 0.4, 0.7), (1, 1, 2.000001)):
        check_inertia(Inertia(1.0, 100 * COM, np.diag(moments)), "rod, disc or point")
    check_inertia(Inertia(0.0, (0, 0, 0), np.zeros((3, 3))), "nothing")
    with pytest.raises(InvalidInertiaError):
        check_inertia(Inertia(1.0, COM, np.diag([1, 1, 2.0001])), "more than a disc")
