"""The robot as algorithm texts see it: links, one step each, about or along z.

A joint of several steps becomes a chain of links; mimic joints become links that read
another joint's coordinate.  Every link frame has z along its axis and its origin on it, and
is what the algorithms compute in; ``body_placements`` leads back to the user's frames.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from jounce.algebra.inertia import NO_INERTIA, SpatialInertia
from jounce.algebra.se3 import IDENTITY, Transform
from jounce.algebra.vector import Vec3
from jounce.model.joints.step import Step
from jounce.model.records import Frame, Friction, Joint
from jounce.model.robot import Robot


class Coordinates(NamedTuple):
    """Where a link finds its coordinates: ``multiplier * q[index] + offset``."""

    q: int  # first index in q
    v: int  # first index in v
    multiplier: Any = 1.0
    offset: Any = 0.0


class Link(NamedTuple):
    """One step of a joint and the matter it moves, in the link's own frame."""

    parent: int  # index among the links, -1 for the ground
    step: Step  # its axis is z of the link frame
    placement: Transform  # link frame in the parent link at q = 0, less the turn
    turn: float  # constant angle to add to the coordinate of a rotating joint
    inertia: SpatialInertia
    coordinates: Coordinates
    armature: tuple[Any, ...]
    damping: tuple[Any, ...]
    friction: tuple[Friction, ...] = ()

    def add(self, entries: list[Any], k: int, own: Any) -> None:
        """Add to the entry of the k-th velocity; links that mimic a joint share its entries."""
        v = self.coordinates.v + k
        entries[v] = entries[v] + own * self.coordinates.multiplier


class Tree(NamedTuple):
    """Links in topological order and the way back to the bodies of the robot."""

    links: tuple[Link, ...]
    body_links: tuple[int, ...]
    body_placements: tuple[Transform, ...]  # T_link_body
    gravity: Vec3
    nq: int
    nv: int

    @property
    def bodies(self) -> list[tuple[int, Transform]]:
        """The link of every body and its pose in it."""
        return list(zip(self.body_links, self.body_placements, strict=True))

    def frame(self, frame: Frame) -> tuple[int, Transform]:
        """Return the link that carries a frame (-1: the ground) and the frame's pose in it."""
        if frame.body < 0:
            return -1, frame.placement
        return self.body_links[frame.body], self.body_placements[frame.body] @ frame.placement


@lru_cache(maxsize=64)
def lowered(robot: Robot) -> Tree:
    """Return the tree of a robot, body by body as given."""
    links: list[Link] = []
    body_links: list[int] = []
    body_placements: list[Transform] = []
    for body, joint in zip(robot.bodies, robot.joints, strict=True):
        parent, carry = -1, body.placement
        if body.parent >= 0:
            parent = body_links[body.parent]
            carry = body_placements[body.parent] @ body.placement
        q, v = joint.q_slice.start, joint.v_slice.start
        own_v = 0
        for step in joint.type.steps:
            A = step.frame
            where = _coordinates(robot, joint, q, v)
            own = slice(own_v, own_v + step.nv)
            motor = joint.armature[own], joint.damping[own], joint.friction[own]
            links.append(Link(parent, step, carry @ A, 0.0, NO_INERTIA, where, *motor))
            parent, carry = len(links) - 1, A.inverse
            q, v, own_v = q + step.nq, v + step.nv, own_v + step.nv
        matter = body.inertia.spatial
        moved = matter if carry == IDENTITY else matter.moved(carry)
        links[-1] = links[-1]._replace(inertia=moved)
        body_links.append(parent)
        body_placements.append(carry)
    counts = robot.nq, robot.nv
    return Tree(tuple(links), tuple(body_links), tuple(body_placements), robot.gravity, *counts)


def _coordinates(robot: Robot, joint: Joint, q: int, v: int) -> Coordinates:
    if joint.mimic is None:
        return Coordinates(q, v)
    source = robot.joints[joint.mimic.source]
    index = source.q_slice.start, source.v_slice.start
    return Coordinates(*index, joint.mimic.multiplier, joint.mimic.offset)
