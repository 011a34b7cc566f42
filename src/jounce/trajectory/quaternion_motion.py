"""Velocities of ball and free joints from the time derivatives of their coordinates."""

from __future__ import annotations

import numpy as np

from jounce.algebra.jet import Jet
from jounce.algebra.rigid import normalized
from jounce.algebra.se3 import body_twist
from jounce.algebra.vector import ZERO, Vec3
from jounce.model.records import Joint
from jounce.model.robot import Robot


def motion_of(robot: Robot, values: np.ndarray) -> list[np.ndarray]:
    """Return q ``(m, nq)`` and its rates ``(m, nv)`` from q and its derivatives ``(K + 1, m, nq)``.

    The quaternions among them need not have unit length, as those of a spline have not; see
    `jounce.algebra.se3.body_twist`.
    """
    if not robot.quaternions:
        return [*values]
    q = values[0].copy()
    rates = np.empty((len(values) - 1, values.shape[1], robot.nv))
    for joint in robot.joints:
        if joint.quaternion is None:
            rates[:, :, joint.v_slice] = values[1:, :, joint.q_slice]
        else:
            q[:, joint.quaternion] = normalized(q[:, joint.quaternion])
            rates[:, :, joint.v_slice] = _joint_rates(joint, values)
    return [q, *rates]


def _joint_rates(joint: Joint, values: np.ndarray) -> np.ndarray:
    """Return ω, and v of a free joint, with their derivatives, ``(K, m, nv)``."""
    own = values[:, :, joint.q_slice]
    *x, x_p, y_p, z_p, w = (Jet.from_derivatives(own[:, :, i]) for i in range(joint.nq))
    angular, linear = body_twist(Vec3(*x) if x else ZERO, Vec3(x_p, y_p, z_p), w)
    shape = len(values) - 1, values.shape[1]
    parts = [*angular, *linear][: joint.nv]
    return np.stack([np.reshape(part.derivatives(), shape) for part in parts], axis=-1)
