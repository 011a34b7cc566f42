"""Jacobians of frames and bodies, and joint screws."""

from __future__ import annotations

from typing import Any

from jounce.algebra.se3 import NO_MOTION, Motion, Transform, components
from jounce.dynamics.motion import Columns, Moving, moving
from jounce.dynamics.rows import Rates, Rows, Scalars, as_rows
from jounce.dynamics.twists import represented
from jounce.errors import UnsupportedError
from jounce.model.lowering.tree import lowered
from jounce.model.robot import Robot


def frame_columns(m: Moving, link: int, T_link_frame: Transform, representation: str) -> Columns:
    """Return the Jacobian of a frame, ``V = J v``.

    In the world the columns are the screws of the joints below, ``S_j = Ad(C_j) Ξ_j``, shifted
    to the origin of the frame for ``hybrid``.
    """
    if link < 0:
        return {}
    if representation == "body":
        return {v: T_link_frame.pull(X) for v, X in m.columns[link].items()}
    origin = m.placed(link, T_link_frame).p
    columns: Columns = {}
    i = link
    while i >= 0:
        where = m.links[i].coordinates
        for k, X in enumerate(m.links[i].step.screws):
            S = m.poses[i].act(X) * where.multiplier
            columns[where.v + k] = columns[where.v + k] + S if where.v + k in columns else S
        i = m.links[i].parent
    if representation == "spatial":
        return columns
    return {v: Motion(w, u + w.cross(origin)) for v, (w, u) in columns.items()}


def jacobian(robot: Robot, q: Scalars, rates: Rates, frame: str, representation: str) -> Rows:
    """Return the Jacobian of a frame, 6 nv scalars, row by row; K rates give K + 1 rows."""
    m = moving(lowered(robot), q, rates)
    columns = frame_columns(m, *m.tree.frame(robot.frame(frame)), representation)
    return as_rows(_matrix(columns, robot.nv), len(rates))


def body_jacobians(robot: Robot, q: Scalars, rates: Rates, representation: str) -> Rows:
    """Return the Jacobians of all bodies; column j of body i is B_{i,j} of KM21."""
    m = moving(lowered(robot), q, rates)
    poses, columns = m.poses, m.columns
    scalars: list[Any] = []
    for link, T in m.tree.bodies:
        pose = poses[link] @ T
        moved = {v: represented(representation, T.pull(X), pose) for v, X in columns[link].items()}
        scalars += _matrix(moved, robot.nv)
    return as_rows(scalars, len(rates))


def _matrix(columns: Columns, nv: int) -> list[Any]:
    """Return the entries of a Jacobian, row by row."""
    dense = [components(columns.get(v, NO_MOTION)) for v in range(nv)]
    return [column[row] for row in range(6) for column in dense]


def joint_screws(robot: Robot, q: Scalars, rates: Rates, representation: str) -> Rows:
    """Return the joint screws, 6 scalars a velocity; K rates give K + 1 rows.

    ``S_i = Ad(C_i) Ξ_i`` in the world [M20, (7)]; in every representation they are the joint's
    own columns in the Jacobian of its body.
    """
    if any(joint.mimic for joint in robot.joints):
        raise UnsupportedError(
            f"robot {robot.name!r} has mimic joints, which share a velocity: a velocity has no "
            "single screw. Load it with mimic=False."
        )
    m = moving(lowered(robot), q, rates)
    poses = m.poses
    screws: list[Motion] = []  # bodies, their joints and velocities have one order
    if representation == "spatial":
        for link, pose in zip(m.links, poses, strict=True):
            screws += [pose.act(X) for X in link.step.screws]
    else:
        columns = m.columns
        for joint, (i, T) in zip(robot.joints, m.tree.bodies, strict=True):
            own = range(joint.v_slice.start, joint.v_slice.stop)
            pose = poses[i] @ T
            screws += [represented(representation, T.pull(columns[i][v]), pose) for v in own]
    return as_rows((x for S in screws for x in components(S)), len(rates))
