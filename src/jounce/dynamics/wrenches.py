"""External wrenches in the frames of links, whatever their representation, and their forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from jounce.algebra.jet import Jet
from jounce.algebra.se3 import Force, Transform
from jounce.algebra.vector import Vec3
from jounce.dynamics.motion import LinkMotion, link_motions
from jounce.dynamics.poses import link_poses
from jounce.dynamics.rows import Rows, Scalars, as_rows
from jounce.model.lowering.tree import Tree, lowered
from jounce.model.robot import Robot

Loads = Mapping[tuple[str, str], Sequence[Scalars]]  # frame, representation -> rows of six


class FrameWrench(NamedTuple):
    """A wrench on a frame, in one of the representations of `jounce.dynamics.twists`."""

    link: int
    placement: Transform  # T_link_frame
    representation: str
    wrench: Force


def frame_wrenches(robot: Robot, tree: Tree, loads: Loads | None) -> list[FrameWrench]:
    """Return rows of wrench derivatives as wrenches of jets on links."""
    result = []
    for (frame, representation), rows in (loads or {}).items():
        place = robot.frame(frame)
        link, T_link_frame = tree.frame(place.body, place.placement)
        parts = [Jet.from_derivatives(column) for column in zip(*rows, strict=True)]
        W = Force(Vec3(*parts[:3]), Vec3(*parts[3:]))
        result.append(FrameWrench(link, T_link_frame, representation, W))
    return result


def link_wrenches(
    tree: Tree, motions: Sequence[LinkMotion], wrenches: Sequence[FrameWrench]
) -> dict[int, Force]:
    """Return the sum of the wrenches on every link, in the frame of the link."""
    world: list[Transform] = []
    if any(w.representation != "body" for w in wrenches):
        world = link_poses(tree, motions)
    total: dict[int, Force] = {}
    for given in wrenches:
        if given.link >= 0:  # the ground carries the others
            W = _in_link(given, world)
            total[given.link] = total[given.link] + W if given.link in total else W
    return total


def wrenches_beyond(
    tree: Tree, motions: Sequence[LinkMotion], wrenches: Sequence[FrameWrench]
) -> dict[int, Force]:
    """Return the sum of the wrenches beyond every joint, over the branches that carry one."""
    beyond = link_wrenches(tree, motions, wrenches)
    for i in reversed(range(len(tree.links))):
        parent = tree.links[i].parent
        if i in beyond and parent >= 0:
            moved = tree.links[i].placement.push(motions[i].pose.push(beyond[i]))
            beyond[parent] = beyond[parent] + moved if parent in beyond else moved
    return beyond


def wrench_forces(
    robot: Robot, q: Scalars, rates: Sequence[Scalars], wrenches: Loads | None = None
) -> Rows:
    """Return ``Σ Jᵀ W`` of the wrenches as rows of nv scalars; K rates give K + 1 rows.

    No Jacobian is formed: with W the sum of what acts beyond a joint, ``Q_i = Ξ_iᵀ W_i``.
    """
    tree = lowered(robot)
    motions = link_motions(tree, q, rates)
    Q: list[Any] = [0.0] * robot.nv
    for i, W in wrenches_beyond(tree, motions, frame_wrenches(robot, tree, wrenches)).items():
        where = tree.links[i].coordinates
        for k, X in enumerate(tree.links[i].step.screws):
            Q[where.v + k] = Q[where.v + k] + X.power(W) * where.multiplier
    return as_rows(Q, len(rates))


def _in_link(given: FrameWrench, world: Sequence[Transform]) -> Force:
    link, T_link_frame, representation, W = given
    if representation == "body":
        return T_link_frame.push(W)
    if representation == "spatial":
        return world[link].inverse.push(W)
    R = world[link].rotation  # hybrid: turn into the link's axes, then shift to its origin
    moment, force = R.unrotate(W.moment), R.unrotate(W.force)
    return Force(moment + T_link_frame.p.cross(force), force)
