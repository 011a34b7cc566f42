"""Velocities of ball and free joints from the time derivatives of their coordinates."""

from __future__ import annotations

import numpy as np

from jounce.algebra.jet import Jet
from jounce.algebra.vector import Vec3
from jounce.model.records import Joint
from jounce.model.robot import Robot


def motion_of(robot: Robot, values: np.ndarray) -> list[np.ndarray]:
    """Return q ``(m, nq)`` and its rates ``(m, nv)`` from q and its derivatives ``(K + 1, m, nq)``.

    The quaternions p among them need not have unit length, as those of a spline have not: the
    orientation is that of p / |p|, and all rates follow exactly from the path of p:

        ω = 2 vec(p* ∘ ṗ) / |p|² = 2 (w u̇ − ẇ u − u × u̇) / |p|²
        v = Rᵀ ẋ = ẋ + 2 (u × (u × ẋ) − w u × ẋ) / |p|²

    with p = (u, w), its conjugate p*, its rotation R, and the position x of a free joint; ω and v
    are in the child frame.
    """
    if robot.nq == robot.nv:
        return [*values]
    q = values[0].copy()
    rates = np.empty((len(values) - 1, values.shape[1], robot.nv))
    for joint in robot.joints:
        if joint.nq == joint.nv:
            rates[:, :, joint.v_slice] = values[1:, :, joint.q_slice]
        else:
            end = joint.q_slice.stop
            q[:, end - 4 : end] /= np.linalg.norm(q[:, end - 4 : end], axis=1)[:, None]
            rates[:, :, joint.v_slice] = _joint_rates(joint, values)
    return [q, *rates]


def _joint_rates(joint: Joint, values: np.ndarray) -> np.ndarray:
    """Return ω, and v of a free joint, with their derivatives, ``(K, m, nv)``."""
    own = values[:, :, joint.q_slice]
    *x, x_p, y_p, z_p, w = (Jet.from_derivatives(own[:, :, i]) for i in range(joint.nq))
    u = Vec3(x_p, y_p, z_p)
    scale = (u.dot(u) + w * w).reciprocal() * 2.0
    parts = [*(u.dt() * w - u * w.dt() - u.cross(u.dt())) * scale]
    if x:
        speed = Vec3(*x).dt()
        turned = u.cross(speed)
        parts += [*speed + (u.cross(turned) - turned * w) * scale]
    shape = len(values) - 1, values.shape[1]
    return np.stack([np.reshape(part.derivatives(), shape) for part in parts], axis=-1)
