"""Poses from what files and people write: a position with angles, or with a quaternion."""

from __future__ import annotations

from typing import Any

import numpy as np

from jounce.algebra.rigid import pose_of
from jounce.algebra.so3 import from_rpy
from jounce.errors import ArgumentError
from jounce.model.checks import checked, unit_norms


def transform(xyz: Any = (0.0, 0.0, 0.0), *, rpy: Any = None, quaternion: Any = None) -> np.ndarray:
    """Return the pose ``(*batch, 4, 4)`` at ``xyz``, turned by one of ``rpy`` and ``quaternion``.

    ``rpy`` are roll, pitch, yaw about the fixed axes x, y, z, as in URDF: ``R = Rz Ry Rx``.
    ``quaternion`` is x y z w, of unit length to 1e-6.  With neither it is not turned.  Every
    placement of a builder, frame or goal of inverse kinematics takes such a pose.

    >>> import jounce, math
    >>> jounce.transform((1, 2, 3), rpy=(0, 0, math.pi / 2)).round(12) + 0.0
    array([[ 0., -1.,  0.,  1.],
           [ 1.,  0.,  0.,  2.],
           [ 0.,  0.,  1.,  3.],
           [ 0.,  0.,  0.,  1.]])
    """
    position = checked("xyz", xyz, 3, "x, y, z")
    if rpy is not None and quaternion is not None:
        raise ArgumentError("transform takes rpy or quaternion, got both; give one.")
    given = (0.0, 0.0, 0.0, 1.0) if quaternion is None else quaternion
    q = checked("quaternion", given, 4, "x, y, z, w")
    q = q / unit_norms("quaternion (x y z w)", q)[..., None]
    angles = checked("rpy", (0.0, 0.0, 0.0) if rpy is None else rpy, 3, "roll, pitch, yaw")
    shape = np.broadcast_shapes(*(x.shape[:-1] for x in (position, q, angles)))
    T = pose_of(np.broadcast_to(position, (*shape, 3)), np.broadcast_to(q, (*shape, 4)))
    if rpy is not None:
        for index in np.ndindex(*shape):
            T[index][:3, :3] = from_rpy(*np.broadcast_to(angles, (*shape, 3))[index].tolist()).rows
    return T
