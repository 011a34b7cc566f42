"""Generalised forces with time derivatives, from numbers of any kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jounce.algebra.jet import Jet, derivatives
from jounce.algebra.se3 import Force
from jounce.algebra.vector import Vec3
from jounce.dynamics.inverse import inverse_dynamics
from jounce.dynamics.wrenches import FrameWrench
from jounce.model.economy import economical
from jounce.model.robot import Robot
from jounce.model.tree import Tree

Rows = list[list[Any]]


def forces(
    robot: Robot,
    q: Sequence[Any],
    rates: Sequence[Sequence[Any]],
    wrenches: Mapping[tuple[str, str], Sequence[Sequence[Any]]] | None = None,
    *,
    tree: Tree | None = None,
) -> Rows:
    """Return Q, dQ/dt, ... as rows of nv scalars; K rates give K − 1 rows.

    ``wrenches[frame, representation]`` are rows of six: the wrench and its derivatives.
    ``tree`` replaces the economical tree of the robot (same forces, fewer operations).
    """
    tree = economical(robot) if tree is None else tree
    given = [
        frame_wrench(robot, tree, frame, representation, rows)
        for (frame, representation), rows in (wrenches or {}).items()
    ]
    order = len(rates) - 2
    columns = [derivatives(Q, order) for Q in inverse_dynamics(tree, q, rates, given)]
    return [list(row) for row in zip(*columns, strict=True)]


def frame_wrench(
    robot: Robot, tree: Tree, frame: str, representation: str, rows: Sequence[Sequence[Any]]
) -> FrameWrench:
    """Return rows of wrench derivatives as one wrench of jets on a named frame."""
    place = robot.frame(frame)
    link, placement = tree.frame(place.body, place.placement)
    components = [Jet.from_derivatives(column) for column in zip(*rows, strict=True)]
    wrench = Force(Vec3(*components[:3]), Vec3(*components[3:]))
    return FrameWrench(link, placement, representation, wrench)
