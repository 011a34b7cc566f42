"""Rigid motions as arrays, batched: quaternions, rotation vectors, poses.

Quaternions are x y z w, ``(*batch, 4)``, of unit length; rotations R ``(*batch, 3, 3)``; poses T
``(*batch, 4, 4)``; screws (ω, v) ``(*batch, 6)``.
"""

from __future__ import annotations

import numpy as np

from jounce.algebra.so3 import from_quaternion

Array = np.ndarray


def multiply(a: Array, b: Array) -> Array:
    """Return the product of quaternions, ``a ∘ b``."""
    u, s, v, t = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    return join(s * v + t * u + np.cross(u, v), s * t - np.sum(u * v, -1, keepdims=True))


def conjugate(q: Array) -> Array:
    """Return the quaternion of the inverse rotation."""
    return q * np.array([-1.0, -1.0, -1.0, 1.0])


def normalized(q: Array) -> Array:
    """Return quaternions of unit length."""
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def rotate(q: Array, x: Array) -> Array:
    """Return ``R x`` of vectors ``(*batch, 3)``, R the rotation of q."""
    u, s = q[..., :3], q[..., 3:]
    twice = 2.0 * np.cross(u, x)
    return x + s * twice + np.cross(u, twice)


def continuous(quaternions: Array) -> Array:
    """Return quaternions ``(samples, *batch, 4)`` whose sign never jumps between two samples."""
    agree = np.sum(quaternions[1:] * quaternions[:-1], axis=-1, keepdims=True)
    signs = np.cumprod(np.where(agree < 0.0, -1.0, 1.0), axis=0)
    return np.concatenate([quaternions[:1], quaternions[1:] * signs])


def quaternion_of(R: Array) -> Array:
    """Return a unit quaternion of rotations, either sign.

    The row of ``4 q qᵀ`` with the largest diagonal entry, normalised: accurate everywhere.
    """
    (a, b, c), (d, e, f), (g, h, i) = np.moveaxis(R, (-2, -1), (0, 1))
    outer = np.array(
        [
            [1 + a - e - i, b + d, c + g, h - f],
            [b + d, 1 - a + e - i, f + h, c - g],
            [c + g, f + h, 1 - a - e + i, d - b],
            [h - f, c - g, d - b, 1 + a + e + i],
        ]
    )
    outer = np.moveaxis(outer, (0, 1), (-2, -1))
    best = np.argmax(np.diagonal(outer, axis1=-2, axis2=-1), axis=-1)
    return normalized(np.take_along_axis(outer, best[..., None, None], axis=-2)[..., 0, :])


def quaternion_exponential(w: Array) -> Array:
    """Return the quaternion of the rotation about w by the angle ``|w|``."""
    angle = np.linalg.norm(w, axis=-1, keepdims=True)
    return join(w * (0.5 * np.sinc(angle / (2 * np.pi))), np.cos(angle / 2))


def quaternion_logarithm(q: Array) -> Array:
    """Return the rotation vector of a quaternion, of length 0 … π."""
    q = np.where(q[..., 3:] < 0, -q, q)
    sine = np.linalg.norm(q[..., :3], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, q[..., 3:])
    is_small = sine < 1e-12
    return q[..., :3] * np.where(is_small, 2.0, angle / np.where(is_small, 1.0, sine))


def rotation_vector(R: Array) -> Array:
    """Return the rotation vector of rotations, of length 0 … π."""
    return quaternion_logarithm(quaternion_of(R))


def pose_of(position: Array, quaternion: Array) -> Array:
    """Return poses of positions ``(*batch, 3)`` and quaternions, whatever their length."""
    rows = from_quaternion(*np.moveaxis(quaternion, -1, 0)).rows
    T = np.zeros((*position.shape[:-1], 4, 4))
    T[..., :3, :3] = np.moveaxis(np.array(rows), (0, 1), (-2, -1))
    T[..., :3, 3] = position
    T[..., 3, 3] = 1.0
    return T


def pose_exponential(X: Array) -> Array:
    """Return the poses ``exp(X)`` of screws [MK21, (10)-(14)]."""
    w, v = X[..., :3], X[..., 3:]
    return pose_of(left_jacobian(w, v), quaternion_exponential(w))


def pose_logarithm(T: Array) -> Array:
    """Return the screw with ``exp(X) = T`` [MK21, (10)-(14)], inverted."""
    w = rotation_vector(T[..., :3, :3])
    return join(w, solve_left_jacobian(w, T[..., :3, 3]))


def left_jacobian(w: Array, v: Array) -> Array:
    """Apply ``1 + (1−cos θ)/θ² ŵ + (θ−sin θ)/θ³ ŵ²`` to v: translation of exp(w, v)."""
    x2 = np.sum(w * w, -1, keepdims=True)
    angle = np.sqrt(x2)
    a = 0.5 * np.sinc(angle / (2 * np.pi)) ** 2
    is_small = x2 < 1e-4
    safe = np.where(is_small, 1.0, angle)
    series = 1 / 6 - x2 / 120 + x2 * x2 / 5040
    b = np.where(is_small, series, (safe - np.sin(safe)) / safe**3)
    wv = np.cross(w, v)
    return v + a * wv + b * np.cross(w, wv)


def solve_left_jacobian(w: Array, x: Array) -> Array:
    """Apply ``1 − ½ ŵ + (1/θ² − cot(θ/2)/(2θ)) ŵ²``, the inverse of the left Jacobian."""
    x2 = np.sum(w * w, -1, keepdims=True)
    angle = np.sqrt(x2)
    is_small = x2 < 1e-4
    safe = np.where(is_small, 1.0, angle)
    series = 1 / 12 + x2 / 720 + x2 * x2 / 30240
    c = np.where(is_small, series, 1 / safe**2 - 1 / (2 * safe * np.tan(safe / 2)))
    wx = np.cross(w, x)
    return x - 0.5 * wx + c * np.cross(w, wx)


def join(*parts: Array) -> Array:
    """Return vectors side by side."""
    return np.concatenate(parts, axis=-1)
