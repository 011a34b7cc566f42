"""How far a pose is from another, measured apart from the solver."""

from __future__ import annotations

import numpy as np

from jounce.derivatives.inverse_kinematics import DIRECTIONS


def pose_error(pose: np.ndarray, target: np.ndarray, directions: str, representation: str) -> np.ndarray:
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
