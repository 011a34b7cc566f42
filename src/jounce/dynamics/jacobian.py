"""Jacobians of frames and joint screws, as jets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.algebra.se3 import NO_MOTION, Motion, Transform
from jounce.dynamics.motion import LinkMotion, screws
from jounce.dynamics.poses import link_poses
from jounce.dynamics.twists import motion_in
from jounce.model.lowering.tree import Tree

Columns = dict[int, Motion]  # by velocity; those not named are zero


def link_columns(tree: Tree, motions: Sequence[LinkMotion]) -> list[Columns]:
    """Return the Jacobian of every link in its own frame.

    ``B_{i,j} = Ad(C_{i,p}) B_{p,j}`` for the joints j below, ``B_{i,i} = Ξ_i``  [KM21, (9)],
    [GOA13, (27)].
    """
    result: list[Columns] = []
    for link, motion in zip(tree.links, motions, strict=True):
        below = result[link.parent] if link.parent >= 0 else {}
        columns = {v: motion.pose.pull(link.placement.pull(X)) for v, X in below.items()}
        for k, X in enumerate(screws(link.step)):
            v, own = link.coordinates.v + k, X * link.coordinates.multiplier
            columns[v] = columns[v] + own if v in columns else own
        result.append(columns)
    return result


def frame_columns(
    tree: Tree,
    motions: Sequence[LinkMotion],
    link: int,
    T_link_frame: Transform,
    representation: str = "body",
) -> Columns:
    """Return the Jacobian of a frame, ``V = J v``.

    In the world the columns are the screws of the joints below, ``S_j = Ad(C_j) Ξ_j``, shifted
    to the origin of the frame for ``hybrid``.
    """
    if link < 0:
        return {}
    if representation == "body":
        body = link_columns(tree, motions)[link]
        return {v: T_link_frame.pull(X) for v, X in body.items()}
    poses = link_poses(tree, motions)
    origin = (poses[link] @ T_link_frame).p
    columns: Columns = {}
    i = link
    while i >= 0:
        where = tree.links[i].coordinates
        for k, X in enumerate(screws(tree.links[i].step)):
            S = poses[i].act(X) * where.multiplier
            columns[where.v + k] = columns[where.v + k] + S if where.v + k in columns else S
        i = tree.links[i].parent
    if representation == "spatial":
        return columns
    return {v: Motion(w, u + w.cross(origin)) for v, (w, u) in columns.items()}


def joint_screws(
    tree: Tree, motions: Sequence[LinkMotion], representation: str = "spatial"
) -> list[Motion]:
    """Return the screw of every velocity: ``S_i = Ad(C_i) Ξ_i`` in the world [M20, (7)]."""
    poses = link_poses(tree, motions)
    result: list[Any] = [NO_MOTION] * tree.nv
    for i, link in enumerate(tree.links):
        for k, X in enumerate(screws(link.step)):
            result[link.coordinates.v + k] = motion_in(representation, X, poses[i])
    return result
