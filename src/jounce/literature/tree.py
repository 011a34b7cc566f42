"""Trees as GOA13 describes them: a joint of any kind has a constant matrix of screws.

Composite joints (universal, planar) are chains of massless links, joints with a quaternion take
the velocity of [GOA13, Remark 7], and a joint that follows another has its screws in the columns of
that one, times the multiplier.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from jounce.literature.chain import Array, exp_screw, mass_matrix
from jounce.model.joints.step import Step
from jounce.model.lowering.tree import lowered
from jounce.model.robot import Robot


class Link(NamedTuple):
    """A link and the joint that carries it."""

    parent: int  # index among the links, −1 for the ground
    placement: Array  # (4, 4), pose in the parent with the joint at rest
    screws: Array  # (m, 6), of the joint in the frame of the link, (ω, v)
    step: Step
    q: int  # first of its coordinates
    v: int  # first of its velocities
    multiplier: Any = 1.0
    offset: Any = 0.0

    def pose(self, q: Array) -> Array:
        """Return ``T_{p,k}``: a product of exponentials where they commute."""
        if self.step.brackets:
            own = q[self.q : self.q + self.step.nq]
            return self.placement @ np.array(self.step.pose(list(own)).matrix())
        T = self.placement
        for i, X in enumerate(self.screws):
            T = T @ exp_screw(X, q[self.q + i] * self.multiplier + self.offset)
        return T


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """Links, parents first, and where the bodies are: body i moves with link ``bodies[i]``."""

    links: tuple[Link, ...]
    bodies: tuple[int, ...]
    placements: Array  # (n, 4, 4), pose of a body in its link
    inertias: Array  # Λ (n, 6, 6), in the frame of the body about its origin, (ω, v)
    gravity: Array  # (3,), gravitational acceleration in the world
    nv: int

    def screws(self, link: Link) -> Array:
        """Return the constant ``Ξ_k``, (6, nv), with ``ξ_k = Ξ_k w`` [GOA13, (27)]."""
        Xi = np.zeros((6, self.nv))
        Xi[:, link.v : link.v + len(link.screws)] = link.screws.T * link.multiplier
        return Xi


def from_robot(robot: Robot) -> Tree:
    """Return the tree of a robot; motor inertia and friction are no part of it."""
    tree = lowered(robot)
    links = [
        Link(
            link.parent,
            np.array(link.placement.matrix()),
            np.array([[*X.angular, *X.linear] for X in link.step.screws]),
            link.step,
            *link.coordinates,
        )
        for link in tree.links
    ]
    placements = np.array([T.matrix() for T in tree.body_placements])
    inertias = np.array([mass_matrix(*body.inertia.parameters) for body in robot.bodies])
    gravity = np.array(robot.gravity)
    return Tree(tuple(links), tree.body_links, placements, inertias, gravity, tree.nv)
