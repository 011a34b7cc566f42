"""Jacobians of frames and bodies, and joint screws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.algebra.se3 import NO_MOTION, Motion, Transform, components
from jounce.dynamics.motion import LinkMotion, link_motions
from jounce.dynamics.poses import frame_place, link_poses
from jounce.dynamics.rows import Rows, Scalars, as_rows
from jounce.dynamics.twists import motion_in
from jounce.errors import UnsupportedError
from jounce.model.lowering.tree import Tree, lowered
from jounce.model.robot import Robot

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
        for k, X in enumerate(link.step.screws):
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
        for k, X in enumerate(tree.links[i].step.screws):
            S = poses[i].act(X) * where.multiplier
            columns[where.v + k] = columns[where.v + k] + S if where.v + k in columns else S
        i = tree.links[i].parent
    if representation == "spatial":
        return columns
    return {v: Motion(w, u + w.cross(origin)) for v, (w, u) in columns.items()}


def jacobian(
    robot: Robot, q: Scalars, rates: Sequence[Scalars], frame: str, representation: str
) -> Rows:
    """Return the Jacobian of a frame, 6 nv scalars, row by row; K rates give K + 1 rows."""
    tree = lowered(robot)
    motions = link_motions(tree, q, rates)
    columns = frame_columns(tree, motions, *frame_place(robot, frame), representation)
    return as_rows(_matrix(columns, robot.nv), len(rates))


def body_jacobians(robot: Robot, q: Scalars, rates: Sequence[Scalars], representation: str) -> Rows:
    """Return the Jacobians of all bodies; column j of body i is B_{i,j} of KM21."""
    tree = lowered(robot)
    motions = link_motions(tree, q, rates)
    poses, columns = link_poses(tree, motions), link_columns(tree, motions)
    scalars: list[Any] = []
    for link, T in zip(tree.body_links, tree.body_placements, strict=True):
        pose = poses[link] @ T
        moved = {v: motion_in(representation, T.pull(X), pose) for v, X in columns[link].items()}
        scalars += _matrix(moved, robot.nv)
    return as_rows(scalars, len(rates))


def _matrix(columns: Columns, nv: int) -> list[Any]:
    """Return the entries of a Jacobian, row by row."""
    dense = [components(columns.get(v, NO_MOTION)) for v in range(nv)]
    return [column[row] for row in range(6) for column in dense]


def joint_screws(robot: Robot, q: Scalars, rates: Sequence[Scalars], representation: str) -> Rows:
    """Return the joint screws, 6 scalars a velocity; K rates give K + 1 rows.

    ``S_i = Ad(C_i) Ξ_i`` in the world [M20, (7)]; in every representation they are the joint's
    own columns in the Jacobian of its body.
    """
    if any(joint.mimic for joint in robot.joints):
        raise UnsupportedError(
            f"robot {robot.name!r} has mimic joints, which share a velocity: a velocity has no "
            "single screw. Load it with mimic=False."
        )
    tree = lowered(robot)
    motions = link_motions(tree, q, rates)
    poses = link_poses(tree, motions)
    screws: list[Motion] = []  # bodies, their joints and velocities have one order
    if representation == "spatial":
        for link, pose in zip(tree.links, poses, strict=True):
            screws += [pose.act(X) for X in link.step.screws]
    else:
        columns = link_columns(tree, motions)
        for joint, i, T in zip(robot.joints, tree.body_links, tree.body_placements, strict=True):
            own = range(joint.v_slice.start, joint.v_slice.stop)
            pose = poses[i] @ T
            screws += [motion_in(representation, T.pull(columns[i][v]), pose) for v in own]
    return as_rows((x for S in screws for x in components(S)), len(rates))
