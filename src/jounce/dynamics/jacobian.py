"""Jacobians of frames and joint screws, as jets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.algebra.se3 import NO_MOTION, Motion, Transform
from jounce.dynamics.motion import LinkMotion, screws
from jounce.dynamics.poses import link_poses
from jounce.dynamics.twists import motion_in
from jounce.model.tree import Tree


def jacobian(
    tree: Tree,
    motions: Sequence[LinkMotion],
    link: int,
    T_link_frame: Transform,
    representation: str = "body",
) -> list[Motion]:
    """Return the columns of the Jacobian of a frame, one a velocity: ``V = J v``.

    In body representation column j is ``Ad(C_{frame,j}) Ξ_j`` [KM21, (9)], [GOA13, (27)], for the
    joints on the way to the ground; the others follow by `motion_in`.
    """
    columns = [NO_MOTION] * tree.nv
    T = T_link_frame  # of the frame, in the link the walk has come to
    i = link
    while i >= 0:
        where = tree.links[i].coordinates
        for k, X in enumerate(screws(tree.links[i].step)):
            column = T.pull(X) * where.multiplier
            columns[where.v + k] = columns[where.v + k] + column
        T = tree.links[i].placement @ motions[i].pose @ T
        i = tree.links[i].parent
    return [motion_in(representation, column, T) for column in columns]  # T is T_world_frame


def joint_screws(
    tree: Tree, motions: Sequence[LinkMotion], representation: str = "spatial"
) -> list[Motion]:
    """Return the screw of every velocity: ``S_i = Ad(C_i) Ξ_i`` in the world [M20, (9)].

    A joint that others mimic has the sum of their screws: the twist it causes is S v of the
    tip only where one branch holds them all.
    """
    poses = link_poses(tree, motions) if representation != "body" else None
    result: list[Any] = [NO_MOTION] * tree.nv
    for i, link in enumerate(tree.links):
        for k, X in enumerate(screws(link.step)):
            S = X if poses is None else motion_in(representation, X, poses[i])
            v = link.coordinates.v + k
            result[v] = result[v] + S * link.coordinates.multiplier
    return result
