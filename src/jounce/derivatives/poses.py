"""Poses of bodies with time derivatives, from numbers of any kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.algebra.jet import derivatives
from jounce.dynamics.poses import poses
from jounce.model.robot import Robot
from jounce.model.tree import lowered


def body_poses(robot: Robot, q: Sequence[Any], rates: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return ``T_world_body`` and its derivatives as rows of 16 scalars a body."""
    tree = lowered(robot)
    links = poses(tree, q, rates)
    order = len(rates)
    columns = [
        derivatives(entry, order)
        for link, T_link_body in zip(tree.body_links, tree.body_placements, strict=True)
        for row in (links[link] @ T_link_body).matrix()
        for entry in row
    ]
    return [list(row) for row in zip(*columns, strict=True)]
