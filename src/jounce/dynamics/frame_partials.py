"""Partials of poses and twists of frames by q and by the rates.

The texts of these quantities run on tangent numbers, as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from jounce.dynamics.poses import frame_pose
from jounce.dynamics.rows import Rows, Scalars
from jounce.dynamics.twists import frame_twist
from jounce.dynamics.variation import motion_partials, partials, varied_configuration
from jounce.model.robot import Robot


def frame_pose_partials(robot: Robot, q: Scalars, rates: Sequence[Scalars], frame: str) -> Rows:
    """Return ∂T/∂q_h, ∂(dT/dt)/∂q_h, ... of a frame, rows of 16 nv scalars."""
    rows = frame_pose(robot, varied_configuration(robot, q), rates, frame)
    return [partials(row, range(robot.nv)) for row in rows]


def frame_twist_partials(
    robot: Robot, q: Scalars, rates: Sequence[Scalars], frame: str, representation: str
) -> Rows:
    """Return ∂V⁽ᵏ⁾/∂q⁽ʲ⁾, a row of 6 nv scalars for each k and j: k = 0 … K − 1, j = 0 … K."""
    return motion_partials(frame_twist, robot, q, rates, frame, representation)
