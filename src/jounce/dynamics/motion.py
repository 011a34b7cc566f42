"""The motion of every link of a tree, as jets, from coordinates and their rates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from jounce.algebra.jet import Jet
from jounce.algebra.se3 import Motion, Transform
from jounce.model.joints.kinds import Step
from jounce.model.lowering.tree import Link, Tree


class LinkMotion(NamedTuple):
    """What one joint does: pose of the link in its placement, twist in the link frame.

    With K rates the pose is a jet of order K, the twist of order K − 1.
    """

    pose: Transform
    twist: Motion
    rates: tuple[Any, ...]  # jets of the joint's own velocities


def link_motions(tree: Tree, q: Sequence[Any], rates: Sequence[Sequence[Any]]) -> list[LinkMotion]:
    """Return the motion of every link from q and the rates v, dv/dt, ..."""
    return [_link_motion(link, q, rates) for link in tree.links]


def _link_motion(link: Link, q: Sequence[Any], rates: Sequence[Sequence[Any]]) -> LinkMotion:
    where, step = link.coordinates, link.step
    speeds = tuple(
        Jet.from_derivatives(r[where.v + i] for r in rates) * where.multiplier
        for i in range(step.nv)
    )
    start = [q[where.q + i] * where.multiplier + where.offset for i in range(step.nq)]
    pose = step.moved(start, speeds, len(rates), link.turn)
    return LinkMotion(pose, step.twist(speeds), speeds)


def screws(step: Step) -> tuple[Motion, ...]:
    """Return the constant screws Ξ of a step in the link frame, one a velocity."""
    return step.screws
