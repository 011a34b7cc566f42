"""6 × 6 matrices against the pairs of vectors that they stand for."""

from __future__ import annotations

import numpy as np

from jounce.algebra.inertia import SpatialInertia, Symmetric3
from jounce.algebra.se3 import Force, Motion, Transform, components
from jounce.algebra.so3 import from_quaternion
from jounce.algebra.spatial_matrix import ad_matrix, dual_matrix, inertia_matrix, pull_matrix
from jounce.algebra.vector import Vec3
from tests.tolerances import ROUNDOFF, assert_close


def motion(x: np.ndarray) -> Motion:
    return Motion(Vec3(*x[:3].tolist()), Vec3(*x[3:].tolist()))


def test_brackets(rng: np.random.Generator) -> None:
    V, U, h = rng.normal(size=(3, 4, 6))
    for v, u, w, ad, dual in zip(V, U, h, ad_matrix(V), dual_matrix(h), strict=True):
        assert_close(ad @ u, components(motion(v).cross(motion(u))), ROUNDOFF)
        wrench = Force(*motion(w))
        assert_close(-ad.T @ w, components(motion(v).cross_dual(wrench)), ROUNDOFF)
        assert_close(dual @ u, components(motion(u).cross_dual(wrench)), ROUNDOFF)


def test_poses(rng: np.random.Generator) -> None:
    x = rng.normal(size=4)
    T = Transform(from_quaternion(*(x / np.linalg.norm(x)).tolist()), Vec3(0.1, -0.2, 0.3))
    V, W = rng.normal(size=(2, 6))
    Ad = pull_matrix(T)
    assert_close(Ad @ V, components(T.pull(motion(V))), ROUNDOFF)
    assert_close(Ad.T @ W, components(T.push(Force(*motion(W)))), ROUNDOFF)
    assert_close(pull_matrix(T, (2, 1))[1, 0], Ad, ROUNDOFF)


def test_inertias(rng: np.random.Generator) -> None:
    m, *rest = rng.normal(size=10).tolist()
    inertia = SpatialInertia(m, Vec3(*rest[:3]), Symmetric3(*rest[3:]))
    V = rng.normal(size=6)
    M = inertia_matrix(inertia)
    assert_close(M @ V, components(inertia.apply(motion(V))), ROUNDOFF)
    assert_close(M, M.T, ROUNDOFF)
