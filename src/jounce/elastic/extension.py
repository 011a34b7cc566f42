"""Exact linearisation of robots with rigid and elastic joints by a dynamic extension.

The torque of a rigid joint moves all links at once, that of an elastic joint only two orders
later; so static feedback does not linearise a robot that has both (De Luca 1998).  Once the
torques of the rigid joints are states, driven through two integrators, it does: with
``Q_r = τ_r`` and ``Q_r'`` known, the state gives a and j, and a wanted q⁽⁴⁾ gives ``τ_r'' = Q_r''``
beside the torques of the elastic joints.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jounce.api.call import Wrenches
from jounce.api.dynamics import inverse_dynamics
from jounce.api.matrices import forward_dynamics
from jounce.elastic.series import SeriesElastic
from jounce.errors import ShapeError, UnsupportedError
from jounce.model.checks import checked


class DynamicExtension:
    """A `SeriesElastic` whose rigid joints have torque and torque rate as states.

    Torques are ``(*batch, nv)`` on the motor side; of the rigid ones only those entries count.
    """

    def __init__(self, robot: SeriesElastic) -> None:
        robot.require_flat("exact linearisation")
        others = [joint.name for joint in robot.robot.joints if joint.quaternion is not None]
        if others:
            raise UnsupportedError(
                "exact linearisation needs a motor behind every joint and coordinates whose rate "
                f"is the velocity; {', '.join(others)} with quaternions have neither. Feedforward, "
                "forward dynamics and simulation work."
            )
        self.robot = robot

    def flat_state(
        self,
        q: Any,
        v: Any,
        theta: Any,
        theta1: Any,
        rigid_torques: Any,
        *,
        wrenches: Wrenches = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return ``(a, j)``; ``rigid_torques`` are torque and rate, ``(2, *batch, nv)``."""
        robot = self.robot
        given = checked("rigid_torques", rigid_torques, robot.robot.nv) * robot.gear_ratio
        if given.ndim < 2 or len(given) != 2:
            raise ShapeError(f"rigid_torques must hold torque and rate, got shape {given.shape}.")
        springs = robot.spring_torques(q, v, theta, theta1, rate=True)
        Q, Q1 = (np.where(robot.rigid, t, s) for t, s in zip(given, springs, strict=True))
        a, j = forward_dynamics(robot.links, q, v, Q, Q1, wrenches=wrenches)
        return a, j

    def linearizing(
        self, q: Any, v: Any, a: Any, j: Any, q4: Any, *, wrenches: Wrenches = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the torque of elastic joints and the second derivative of it for rigid ones.

        Both ``(*batch, nv)`` with zeros elsewhere, for a wanted fourth derivative ``q4``.
        """
        rigid, n = self.robot.rigid, self.robot.gear_ratio
        torque = self.robot.feedforward(q, v, a, j, q4, wrenches=wrenches).torque
        Q2 = inverse_dynamics(self.robot.links, q, v, a, j, q4, wrenches=wrenches)[2]
        return np.where(rigid, 0.0, torque), np.where(rigid, Q2 / n, 0.0)
