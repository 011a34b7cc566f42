"""Rigid motions on arrays against SciPy and the exponential of matrices."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from jounce.algebra import rigid
from jounce.algebra.jet import Jet
from jounce.algebra.se3 import body_twist
from jounce.algebra.vector import Vec3
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close


def random_quaternions(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rigid.normalized(rng.normal(size=(*shape, 4)))


def test_quaternions_are_scipys(rng: np.random.Generator):
    a, b = random_quaternions(rng, 30), random_quaternions(rng, 30)
    x = rng.normal(size=(30, 3))
    A, B = Rotation.from_quat(a), Rotation.from_quat(b)
    product = rigid.multiply(a, b)
    assert_close(Rotation.from_quat(product).as_matrix(), (A * B).as_matrix(), INDEPENDENT)
    assert_close(rigid.rotate(a, x), A.apply(x), INDEPENDENT)
    assert_close(rigid.rotate(rigid.conjugate(a), x), A.inv().apply(x), INDEPENDENT)
    assert_close(rigid.quaternion_logarithm(a), A.as_rotvec(), INDEPENDENT)
    assert_close(rigid.rotation_vector(A.as_matrix()), A.as_rotvec(), INDEPENDENT)
    assert_close(rigid.pose_of(x, 3.0 * a)[:, :3, :3], A.as_matrix(), INDEPENDENT)


def test_poses_are_exponentials_of_matrices(rng: np.random.Generator):
    X = rng.normal(size=(50, 6)) * np.logspace(-9, 0.3, 50)[:, None]
    X[:, :3] *= np.minimum(1.0, 3.1 / np.linalg.norm(X[:, :3], axis=1))[:, None]
    hats = np.zeros((50, 4, 4))
    hats[:, :3, :3] = np.cross(X[:, None, :3], -np.eye(3))
    hats[:, :3, 3] = X[:, 3:]
    assert_close(rigid.pose_exponential(X), [expm(hat) for hat in hats], INDEPENDENT)
    assert_close(rigid.pose_logarithm(rigid.pose_exponential(X)), X, INDEPENDENT)
    turn = rigid.pose_exponential(np.array([np.pi, 0, 0, 0, 0, 0.0]))[:3, :3]
    assert_close(np.abs(rigid.rotation_vector(turn)), [np.pi, 0, 0], INDEPENDENT)


def test_continuous_signs(rng: np.random.Generator):
    angle = np.linspace(0.0, 20.0, 200)
    smooth = np.stack([0 * angle, 0 * angle, np.sin(angle / 2), np.cos(angle / 2)], axis=-1)
    flipped = smooth * rng.choice([-1.0, 1.0], size=(200, 1))
    assert_close(rigid.continuous(flipped) * flipped[0, 3], smooth, ROUNDOFF)
    assert rigid.continuous(flipped[:1]).shape == (1, 4)


def test_the_twist_of_a_path_of_quaternions(rng: np.random.Generator):
    """R' = R ω̂ and x' = R v, at second order, of a quaternion that is not of unit length."""
    rows = rng.normal(size=(3, 7))
    x, y, z, *p, w = (Jet.from_derivatives(column) for column in rows.T)
    twist = body_twist(Vec3(x, y, z), Vec3(*p), w)
    step = 1e-5

    def pose(t: float) -> np.ndarray:
        at = rows[0] + rows[1] * t + 0.5 * rows[2] * t * t
        return rigid.pose_of(at[:3], at[3:])

    found = np.array([x.derivatives()[:2] for x in (*twist.angular, *twist.linear)]).T
    ahead = rigid.pose_logarithm(np.linalg.solve(pose(-step), pose(step))) / (2 * step)
    assert_close(ahead, found[0], 1e-8)
    later, sooner = (
        rigid.pose_logarithm(np.linalg.solve(pose(t - step), pose(t + step))) / (2 * step)
        for t in (100 * step, -100 * step)
    )
    assert_close((later - sooner) / (200 * step), found[1], 1e-4)
