"""Poses of bodies and frames in the world."""

from __future__ import annotations

from typing import Any

from jounce.algebra.se3 import Transform
from jounce.dynamics.motion import moving
from jounce.dynamics.rows import Rates, Rows, Scalars, as_rows
from jounce.model.lowering.tree import lowered
from jounce.model.robot import Robot


def poses(robot: Robot, q: Scalars, rates: Rates) -> Rows:
    """Return ``T_world_body`` of every body, 16 scalars each; K rates give K + 1 rows."""
    m = moving(lowered(robot), q, rates)
    return as_rows((x for place in m.tree.bodies for x in _entries(m.placed(*place))), len(rates))


def frame_pose(robot: Robot, q: Scalars, rates: Rates, frame: str) -> Rows:
    """Return ``T_world_frame``, 16 scalars; K rates give K + 1 rows."""
    m = moving(lowered(robot), q, rates)
    return as_rows(_entries(m.placed(*m.tree.frame(robot.frame(frame)))), len(rates))


def _entries(T: Transform) -> list[Any]:
    return [entry for row in T.matrix() for entry in row]
