"""Poses of links, bodies and frames in the world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.algebra.se3 import Transform
from jounce.dynamics.motion import LinkMotion, link_motions
from jounce.dynamics.rows import Rows, Scalars, as_rows
from jounce.model.lowering.tree import Tree, lowered
from jounce.model.robot import Robot


def link_poses(tree: Tree, motions: Sequence[LinkMotion]) -> list[Transform]:
    """Return ``T_world_link`` of every link, ``C_i = C_p A_i exp(X_i q_i)``, as jets of order K."""
    result: list[Transform] = []
    for link, motion in zip(tree.links, motions, strict=True):
        step = link.placement @ motion.pose
        result.append(result[link.parent] @ step if link.parent >= 0 else step)
    return result


def poses(robot: Robot, q: Scalars, rates: Sequence[Scalars]) -> Rows:
    """Return ``T_world_body`` of every body, 16 scalars each; K rates give K + 1 rows."""
    tree = lowered(robot)
    links = link_poses(tree, link_motions(tree, q, rates))
    placed = zip(tree.body_links, tree.body_placements, strict=True)
    return as_rows((x for link, T in placed for x in _entries(links[link] @ T)), len(rates))


def frame_pose(robot: Robot, q: Scalars, rates: Sequence[Scalars], frame: str) -> Rows:
    """Return ``T_world_frame``, 16 scalars; K rates give K + 1 rows."""
    tree = lowered(robot)
    links = link_poses(tree, link_motions(tree, q, rates))
    link, T = frame_place(robot, frame)
    return as_rows(_entries(links[link] @ T if link >= 0 else T), len(rates))


def frame_place(robot: Robot, frame: str) -> tuple[int, Transform]:
    """Return the link that carries a frame (-1: the ground) and the frame's pose in it."""
    place = robot.frame(frame)
    return lowered(robot).frame(place.body, place.placement)


def _entries(T: Transform) -> list[Any]:
    return [entry for row in T.matrix() for entry in row]
