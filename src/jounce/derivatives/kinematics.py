"""Kinematics with time derivatives, from numbers of any kind: rows of scalars, one an order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from jounce.algebra.jet import derivatives
from jounce.algebra.se3 import NO_MOTION, Force, Motion, Transform
from jounce.dynamics.jacobian import Columns, frame_columns, joint_screws, link_columns
from jounce.dynamics.motion import link_motions
from jounce.dynamics.poses import link_poses
from jounce.dynamics.twists import link_twists, motion_in, twist_rates_in
from jounce.errors import UnsupportedError
from jounce.model.lowering.tree import lowered
from jounce.model.robot import Robot

Rows = list[list[Any]]
Scalars = Sequence[Any]


def body_poses(robot: Robot, q: Scalars, rates: Sequence[Scalars]) -> Rows:
    """Return ``T_world_body`` of every body, 16 scalars each."""
    tree = lowered(robot)
    links = link_poses(tree, link_motions(tree, q, rates))
    placed = zip(tree.body_links, tree.body_placements, strict=True)
    return as_rows((x for link, T in placed for x in _entries(links[link] @ T)), len(rates))


def frame_pose(robot: Robot, q: Scalars, rates: Sequence[Scalars], frame: str) -> Rows:
    """Return ``T_world_frame``, 16 scalars."""
    tree = lowered(robot)
    links = link_poses(tree, link_motions(tree, q, rates))
    link, T = frame_place(robot, frame)
    return as_rows(_entries(links[link] @ T if link >= 0 else T), len(rates))


def body_twists(robot: Robot, q: Scalars, rates: Sequence[Scalars], representation: str) -> Rows:
    """Return the twist of every body, 6 scalars each; K rates give K rows."""
    tree = lowered(robot)
    places = list(zip(tree.body_links, tree.body_placements, strict=True))
    return _twist_rows(robot, q, rates, representation, places)


def frame_twist(
    robot: Robot, q: Scalars, rates: Sequence[Scalars], frame: str, representation: str
) -> Rows:
    """Return the twist of a frame, 6 scalars; K rates give K rows."""
    link, T = frame_place(robot, frame)
    if representation == "body" or link < 0:
        return _twist_rows(robot, q, rates, representation, [(link, T)])
    tree = lowered(robot)
    V = T.pull(link_twists(tree, link_motions(tree, q, rates))[link])
    pose = link_poses(tree, link_motions(tree, q, ()))[link] @ T
    moved = twist_rates_in(representation, V, pose, len(rates) - 1)
    return [as_rows(components(X), 0)[0] for X in moved]


def _twist_rows(
    robot: Robot,
    q: Scalars,
    rates: Sequence[Scalars],
    representation: str,
    places: Sequence[tuple[int, Transform]],
) -> Rows:
    tree = lowered(robot)
    motions = link_motions(tree, q, rates)
    twists, poses = link_twists(tree, motions), link_poses(tree, motions)
    scalars: list[Any] = []
    for link, T in places:
        if link < 0:
            scalars += [0.0] * 6
            continue
        V = motion_in(representation, T.pull(twists[link]), poses[link] @ T)
        scalars += components(V)
    return as_rows(scalars, len(rates) - 1)


def frame_jacobian(
    robot: Robot, q: Scalars, rates: Sequence[Scalars], frame: str, representation: str
) -> Rows:
    """Return the Jacobian of a frame, 6 nv scalars, row by row."""
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


def screws_of_joints(
    robot: Robot, q: Scalars, rates: Sequence[Scalars], representation: str
) -> Rows:
    """Return the joint screws S_i, 6 scalars a velocity."""
    if any(joint.mimic for joint in robot.joints):
        raise UnsupportedError(
            f"robot {robot.name!r} has mimic joints, which share a velocity: a velocity has no "
            "single screw. Load it with mimic=False."
        )
    tree = lowered(robot)
    motions = link_motions(tree, q, rates)
    scalars = [x for S in joint_screws(tree, motions, representation) for x in components(S)]
    return as_rows(scalars, len(rates))


def frame_place(robot: Robot, frame: str) -> tuple[int, Transform]:
    """Return the link that carries a frame (-1: the ground) and the frame's pose in it."""
    place = robot.frame(frame)
    return lowered(robot).frame(place.body, place.placement)


def components(pair: Motion | Force) -> list[Any]:
    """Return the six components, angular first."""
    return [*pair[0], *pair[1]]


def as_rows(scalars: Iterable[Any], order: int) -> Rows:
    """Return the derivatives of jets as rows, one an order."""
    columns = [derivatives(x, order) for x in scalars]
    return [[column[k] for column in columns] for k in range(order + 1)]


def _entries(T: Transform) -> list[Any]:
    return [entry for row in T.matrix() for entry in row]
