"""The motion of every link of a tree, as jets, from coordinates and their rates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from jounce.algebra.jet import Jet, dt
from jounce.algebra.se3 import Motion, Transform
from jounce.dynamics.friction import friction_force
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
    pose = step.moved(_own_coordinates(link, q), speeds, len(rates), link.turn)
    return LinkMotion(pose, step.twist(speeds), speeds)


def joint_poses(tree: Tree, q: Sequence[Any]) -> list[Transform]:
    """Return the pose of every link in its placement, no jets."""
    return [link.step.pose(_own_coordinates(link, q), link.turn) for link in tree.links]


def _own_coordinates(link: Link, q: Sequence[Any]) -> list[Any]:
    where = link.coordinates
    return [q[where.q + i] * where.multiplier + where.offset for i in range(link.step.nq)]


def add_forces(forces: list[Any], link: Link, motion: LinkMotion, own: Sequence[Any]) -> None:
    """Add the forces of one joint, motor inertia and friction included; mimics share a row."""
    where = link.coordinates
    for k, (force, speed) in enumerate(zip(own, motion.rates, strict=True)):
        total = force + dt(speed) * link.armature[k] + speed * link.damping[k]
        if link.friction:
            total = total + friction_force(link.friction[k], speed)
        forces[where.v + k] = forces[where.v + k] + total * where.multiplier
