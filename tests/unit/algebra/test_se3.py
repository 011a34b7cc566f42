"""Rigid motions against 4x4 and 6x6 matrices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation as Reference

from jounce.algebra.inertia import SpatialInertia, Symmetric3, parallel_axis
from jounce.algebra.jet import Jet, derivatives
from jounce.algebra.matrix3 import rotated
from jounce.algebra.se3 import Force, Motion, Transform
from jounce.algebra.so3 import (
    Rotation,
    frame_with_z,
    from_quaternion,
    from_rpy,
    integrate_body_rate,
    turned_about_z,
)
from jounce.algebra.vector import ZERO, Vec3
from tests.tolerances import ROUNDOFF, assert_close


def hat(w) -> np.ndarray:
    x, y, z = w
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0.0]])


def random_transform(rng: np.random.Generator) -> Transform:
    rows = Reference.random(rng=rng).as_matrix()
    return Transform(Rotation(tuple(Vec3(*r) for r in rows.tolist())), Vec3(*rng.normal(size=3)))


def adjoint(T: np.ndarray) -> np.ndarray:
    R, p = T[:3, :3], T[:3, 3]
    return np.block([[R, np.zeros((3, 3))], [hat(p) @ R, R]])


def flat(pair) -> np.ndarray:
    return np.concatenate([np.array(pair[0], float), np.array(pair[1], float)])


def test_pull_and_push_are_adjoints(rng: np.random.Generator) -> None:
    T = random_transform(rng)
    V, W = Motion(Vec3(*rng.normal(size=3)), Vec3(*rng.normal(size=3))), rng.normal(size=6)
    Ad_inverse = adjoint(np.linalg.inv(np.array(T.matrix())))
    assert_close(flat(T.pull(V)), Ad_inverse @ flat(V), ROUNDOFF)
    pushed = T.push(Force(Vec3(*W[:3]), Vec3(*W[3:])))
    assert_close(flat(pushed), Ad_inverse.T @ W, ROUNDOFF)


def test_composition_and_inverse(rng: np.random.Generator) -> None:
    a, b = random_transform(rng), random_transform(rng)
    A, B = np.array(a.matrix()), np.array(b.matrix())
    assert_close((a @ b).matrix(), A @ B, ROUNDOFF)
    assert_close(a.inverse.matrix(), np.linalg.inv(A), ROUNDOFF)


def test_cross_dual_is_minus_ad_transposed(rng: np.random.Generator) -> None:
    w, v, h = rng.normal(size=3), rng.normal(size=3), rng.normal(size=6)
    ad = np.block([[hat(w), np.zeros((3, 3))], [hat(v), hat(w)]])
    got = Motion(Vec3(*w), Vec3(*v)).cross_dual(Force(Vec3(*h[:3]), Vec3(*h[3:])))
    assert_close(flat(got), -ad.T @ h, ROUNDOFF)


def test_moved_inertia_is_the_congruence(rng: np.random.Generator) -> None:
    T = random_transform(rng)
    inertia = SpatialInertia(1.7, Vec3(*rng.normal(size=3)), Symmetric3(*rng.normal(size=6)))
    Ad_inverse = adjoint(np.linalg.inv(np.array(T.matrix())))
    wanted = Ad_inverse.T @ matrix(inertia) @ Ad_inverse
    assert_close(matrix(inertia.moved(T)), wanted, ROUNDOFF)


def matrix(inertia: SpatialInertia) -> np.ndarray:
    columns = []
    for k in range(6):
        e = np.eye(6)[k]
        columns.append(flat(inertia.apply(Motion(Vec3(*e[:3]), Vec3(*e[3:])))))
    return np.array(columns).T


def test_parallel_axis_is_steiner_for_a_centred_body(rng: np.random.Generator) -> None:
    p = rng.normal(size=3)
    wanted = 2.5 * (p @ p * np.eye(3) - np.outer(p, p))
    assert_close(parallel_axis(Vec3(*p), ZERO, 2.5).rows, wanted, ROUNDOFF)


def test_quaternions_and_rpy(rng: np.random.Generator) -> None:
    q, angles = rng.normal(size=4), rng.normal(size=3)
    wanted = Reference.from_quat(q).as_matrix()
    assert_close(from_quaternion(*q).rows, wanted, ROUNDOFF)
    assert_close(from_rpy(*angles).rows, Reference.from_euler("xyz", angles).as_matrix(), ROUNDOFF)


@pytest.mark.parametrize("axis", [*np.eye(3), *-np.eye(3), (0.6, 0, 0.8), (0.48, 0.6, 0.64)])
def test_frame_with_z(axis) -> None:
    R = np.array(frame_with_z(Vec3(*map(float, axis))).rows)
    assert_close(R @ R.T, np.eye(3), ROUNDOFF)
    assert np.linalg.det(R) > 0
    assert_close(R[:, 2], axis, ROUNDOFF)
    if np.abs(axis).max() == 1.0:
        assert set(np.abs(R).ravel()) == {0.0, 1.0}


def test_rotation_jet_of_a_constant_rate_is_the_exponential(rng: np.random.Generator) -> None:
    w, order, t = rng.normal(size=3), 18, 0.3
    start = random_transform(rng).rotation
    rate = Vec3(*(Jet((x, *[0.0] * (order - 1))) for x in w))
    R = integrate_body_rate(start, rate, order)
    got = [[sum(c * t**k for k, c in enumerate(x.coeffs)) for x in row] for row in R.rows]
    assert_close(got, np.array(start.rows) @ expm(hat(w) * t), ROUNDOFF)


@pytest.mark.parametrize("kind", ["about z", "body rate"])
def test_turning_by_the_value_and_onwards_is_turning(kind: str, rng: np.random.Generator) -> None:
    """Jets of rotations split into R(0) and the rest, against products with their rows."""
    order = 4
    w, v = (Vec3(*(Jet(row) for row in rng.normal(size=(3, order + 1)))) for _ in range(2))
    if kind == "about z":
        R = turned_about_z(w.x)
    else:
        R = integrate_body_rate(from_quaternion(*rng.normal(size=4)), w, order)
    assert R.split is not None
    start, rest = R.split
    assert all(x.coeffs[1:] == (0.0,) * order for x in start.rows[0] if isinstance(x, Jet))
    here = [[x.coeffs[0] if isinstance(x, Jet) else x for x in row] for row in rest.rows]
    assert here == np.eye(3).tolist()
    whole = R._replace(split=None)
    for got, wanted in ((R.rotate(v), whole.rotate(v)), (R.unrotate(v), whole.unrotate(v))):
        assert_close([x.coeffs for x in got], [x.coeffs for x in wanted], ROUNDOFF)
    back = R.unrotate(R.rotate(v))
    assert_close([x.coeffs for x in back], [x.coeffs for x in v], ROUNDOFF)


def test_turning_an_inertia_about_z_is_the_congruence(rng: np.random.Generator) -> None:
    """In fewer operations, where the angle varies."""
    A, order = rng.normal(size=(3, 3)), 2
    R = turned_about_z(Jet(rng.normal(size=order + 1)))
    assert R.varies_about_z
    a, b, c = (Vec3(*row) for row in A.tolist())

    def series(rows: Sequence[Vec3]) -> np.ndarray:
        entries = [[derivatives(x, order) for x in row] for row in rows]
        return np.moveaxis(np.array(entries) / [1.0, 1.0, 2.0], -1, 0)

    S = series(R.rows)
    wanted = [sum(S[j] @ A @ S[k - j].T for j in range(k + 1)) for k in range(order + 1)]
    assert_close(series(rotated((a, b, c), R)), wanted, ROUNDOFF)
