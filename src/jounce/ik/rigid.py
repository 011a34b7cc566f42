"""Poses as arrays: what is left to go from one to another, logarithm and exponential."""

from __future__ import annotations

import numpy as np

from jounce.derivatives.inverse_kinematics import DIRECTIONS


def pose_error(
    pose: np.ndarray, target: np.ndarray, directions: str, representation: str
) -> np.ndarray:
    """Return what is left to go, ``(*batch, directions)``: rotation vector in rad, distance in m.

    ``body``: in the axes of the frame as it is; ``hybrid``: in world axes.
    """
    R, Rt = pose[..., :3, :3], target[..., :3, :3]
    away = target[..., :3, 3] - pose[..., :3, 3]
    back = np.swapaxes(R, -1, -2)
    if representation == "body":
        turn, shift = back @ Rt, (back @ away[..., None])[..., 0]
    else:
        turn, shift = Rt @ back, away
    rows = [DIRECTIONS.index(d) for d in directions.split()]
    return np.concatenate([rotation_vector(turn), shift], axis=-1)[..., rows]


def rotation_vector(R: np.ndarray) -> np.ndarray:
    """Return the rotation vector of rotations ``(*batch, 3, 3)``, of length 0 … π."""
    quaternion = quaternion_of(R)
    quaternion = np.where(quaternion[..., 3:] < 0, -quaternion, quaternion)
    sine = np.linalg.norm(quaternion[..., :3], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, quaternion[..., 3:])
    is_small = sine < 1e-12
    return quaternion[..., :3] * np.where(is_small, 2.0, angle / np.where(is_small, 1.0, sine))


def quaternion_of(R: np.ndarray) -> np.ndarray:
    """Return a unit quaternion x y z w of rotations ``(*batch, 3, 3)``, either sign.

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
    row = np.take_along_axis(outer, best[..., None, None], axis=-2)[..., 0, :]
    return row / np.linalg.norm(row, axis=-1, keepdims=True)


def pose_logarithm(T: np.ndarray) -> np.ndarray:
    """Return the screw (ω, v) with ``exp(X) = T``, of poses ``(*batch, 4, 4)``.

    ``v = (1 − ½ ŵ + (1/θ² − cot(θ/2) / (2θ)) ŵ²) p`` [MK21, (10)-(14)], inverted.
    """
    w, p = rotation_vector(T[..., :3, :3]), T[..., :3, 3]
    angle = np.linalg.norm(w, axis=-1, keepdims=True)
    is_small = angle < 1e-2
    safe = np.where(is_small, 1.0, angle)
    exact = 1 / safe**2 - 1 / (2 * safe * np.tan(safe / 2))
    c = np.where(is_small, 1 / 12 + angle**2 / 720 + angle**4 / 30240, exact)
    wp = np.cross(w, p)
    return np.concatenate([w, p - 0.5 * wp + c * np.cross(w, wp)], axis=-1)


def pose_exponential(X: np.ndarray) -> np.ndarray:
    """Return the poses ``exp(X)`` of screws ``(*batch, 6)`` [MK21, (10)-(14)]."""
    w, v = X[..., :3], X[..., 3:]
    angle = np.linalg.norm(w, axis=-1)[..., None, None]
    W = np.cross(w[..., None, :], -np.eye(3))  # ŵ
    a = np.sinc(angle / np.pi)
    b = 0.5 * np.sinc(angle / (2 * np.pi)) ** 2
    is_small = angle < 1e-2
    safe = np.where(is_small, 1.0, angle)
    series = 1 / 6 - angle**2 / 120 + angle**4 / 5040
    c = np.where(is_small, series, (safe - np.sin(safe)) / safe**3)
    T = np.zeros((*X.shape[:-1], 4, 4))
    T[..., :3, :3] = np.eye(3) + a * W + b * (W @ W)
    T[..., :3, 3] = ((np.eye(3) + b * W + c * (W @ W)) @ v[..., None])[..., 0]
    T[..., 3, 3] = 1.0
    return T
