"""Chains from robots, refusals, and the screw algebra of the papers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jounce.errors import UnsupportedError
from jounce.formats.load import load
from jounce.literature.chain import (
    Ad,
    Ad_inverse,
    ad,
    exp_screw,
    from_robot,
    mass_matrix,
    scalars,
    tilde,
)
from jounce.model import joints
from jounce.model.builder import RobotBuilder
from jounce.model.inertia import Inertia
from tests import oracle_data as oracle
from tests.tolerances import EXACT, ROUNDOFF, assert_close

Z = (0.0, 0.0, 1.0)
SCREWS = {
    "revolute": [0.6, 0.0, 0.8, 0.3, -0.2, -0.225],
    "prismatic": [0.0, 0.0, 0.0, 0.6, 0.0, 0.8],
    "helical": [0.6, 0.0, 0.8, 0.42, -0.2, -0.065],
}


def hat(X: np.ndarray) -> np.ndarray:
    matrix = np.zeros((4, 4))
    matrix[:3, :3], matrix[:3, 3] = tilde(X[:3]), X[3:]
    return matrix


@pytest.mark.parametrize("kind", SCREWS)
def test_exponential_is_the_series(kind: str) -> None:
    X, q = np.array(SCREWS[kind]), 0.7
    term, series = np.eye(4), np.eye(4)
    for k in range(1, 30):
        term = term @ hat(X) * (q / k)
        series = series + term
    assert_close(exp_screw(X, q), series, ROUNDOFF)


def test_adjoint_maps() -> None:
    C = exp_screw(np.array(SCREWS["helical"]), 0.7)
    V, X = np.random.default_rng(0).normal(size=(2, 6))
    assert_close(hat(Ad(C) @ X), C @ hat(X) @ np.linalg.inv(C), ROUNDOFF)
    assert_close(Ad_inverse(C), np.linalg.inv(Ad(C)), ROUNDOFF)
    assert_close(hat(ad(V) @ X), hat(V) @ hat(X) - hat(X) @ hat(V), ROUNDOFF)


def test_mass_matrix_gives_the_kinetic_energy() -> None:
    m, c = 2.0, np.array([0.1, -0.2, 0.3])
    about_com = np.array([[0.3, 0.01, 0.02], [0.01, 0.4, 0.03], [0.02, 0.03, 0.5]])
    M = mass_matrix(*Inertia(m, c, about_com).parameters)
    w, v = np.random.default_rng(1).normal(size=(2, 3))
    at_com = v + np.cross(w, c)
    energy = 0.5 * (m * at_com @ at_com + w @ about_com @ w)
    V = np.concatenate([w, v])
    assert_close(0.5 * (V @ M @ V), energy, ROUNDOFF)


def test_chain_of_a_robot() -> None:
    chain = from_robot(oracle.robot("chain5_open"))
    assert chain.n == 5
    gravity = np.array(oracle.model("chain5_open")["gravity"])
    assert_close(chain.ground_acceleration, [0.0, 0.0, 0.0, *-gravity], EXACT)
    assert scalars(np.ones((3, 5))).shape == (3, 5, 1)


def test_a_bundled_arm_is_a_chain() -> None:
    assert from_robot(load("panda")).n == 7


def test_trees_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="branches"):
        from_robot(oracle.robot("tree6_open"))


@pytest.mark.parametrize(
    ("joint", "options", "message"),
    [
        (joints.spherical(), {}, r"'b' \(spherical\) has 3"),
        (joints.cylindrical(Z), {}, r"\(cylindrical\) has 2"),
        (joints.revolute(Z), {"mimic": ("a", 2.0, 0.0)}, r"\(mimic\) has 0"),
        (joints.revolute(Z), {"armature": 0.1}, "no motor inertia"),
        (joints.revolute(Z), {"damping": 0.1}, "no friction"),
    ],
)
def test_other_joints_are_refused(joint: joints.JointType, options: Any, message: str) -> None:
    builder, matter = RobotBuilder("r"), Inertia(1.0, (0, 0, 0), np.eye(3))
    builder.add("a", joint=joints.revolute(Z), inertia=matter)
    builder.add("b", "a", joint, inertia=matter, **options)
    with pytest.raises(UnsupportedError, match=message):
        from_robot(builder.build())
