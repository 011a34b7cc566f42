"""External wrenches in the frames of links, whatever their representation, and their forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from jounce.algebra.jet import Jet
from jounce.algebra.se3 import Force, Transform
from jounce.algebra.vector import Vec3
from jounce.dynamics.motion import Moving, moving
from jounce.dynamics.rows import Rates, Rows, Scalars, as_rows
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
        link, T_link_frame = tree.frame(robot.frame(frame))
        parts = [Jet.from_derivatives(column) for column in zip(*rows, strict=True)]
        W = Force(Vec3(*parts[:3]), Vec3(*parts[3:]))
        result.append(FrameWrench(link, T_link_frame, representation, W))
    return result


def link_wrenches(m: Moving, wrenches: Sequence[FrameWrench]) -> dict[int, Force]:
    """Return the sum of the wrenches on every link, in the frame of the link."""
    total: dict[int, Force] = {}
    for given in wrenches:
        if given.link >= 0:  # the ground carries the others
            W = _in_link(m, given)
            total[given.link] = total[given.link] + W if given.link in total else W
    return total


def wrenches_beyond(m: Moving, wrenches: Sequence[FrameWrench]) -> dict[int, Force]:
    """Return the sum of the wrenches beyond every joint, over the branches that carry one."""
    beyond = link_wrenches(m, wrenches)
    for i in reversed(range(len(m.links))):
        parent = m.links[i].parent
        if i in beyond and parent >= 0:
            moved = m.inward(i, beyond[i])
            beyond[parent] = beyond[parent] + moved if parent in beyond else moved
    return beyond


def wrench_forces(robot: Robot, q: Scalars, rates: Rates, wrenches: Loads | None = None) -> Rows:
    """Return ``Σ Jᵀ W`` of the wrenches as rows of nv scalars; K rates give K + 1 rows.

    No Jacobian is formed: with W the sum of what acts beyond a joint, ``Q_i = Ξ_iᵀ W_i``.
    """
    m = moving(lowered(robot), q, rates)
    Q: list[Any] = [0.0] * robot.nv
    for i, W in wrenches_beyond(m, frame_wrenches(robot, m.tree, wrenches)).items():
        for k, X in enumerate(m.links[i].step.screws):
            m.links[i].add(Q, k, X.power(W))
    return as_rows(Q, len(rates))


def _in_link(m: Moving, given: FrameWrench) -> Force:
    link, T_link_frame, representation, W = given
    if representation == "body":
        return T_link_frame.push(W)
    if representation == "spatial":
        return m.poses[link].inverse.push(W)
    R = m.poses[link].rotation  # hybrid: turn into the link's axes, then shift to its origin
    moment, force = R.unrotate(W.moment), R.unrotate(W.force)
    return Force(moment + T_link_frame.p.cross(force), force)
