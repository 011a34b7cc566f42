"""Forces with time derivatives, from numbers of any kind: rows of scalars, one an order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jounce.algebra.jet import Jet
from jounce.algebra.se3 import Force
from jounce.algebra.vector import Vec3
from jounce.derivatives.kinematics import Rows, Scalars, as_rows, components
from jounce.dynamics.gravity import gravity_forces
from jounce.dynamics.inverse import inverse_dynamics
from jounce.dynamics.inverse_body import inverse_dynamics_body
from jounce.dynamics.inverse_hybrid import inverse_dynamics_hybrid
from jounce.dynamics.inverse_spatial import inverse_dynamics_spatial
from jounce.dynamics.joint_wrenches import joint_wrenches
from jounce.dynamics.motion import link_motions
from jounce.dynamics.poses import link_poses
from jounce.dynamics.twists import force_in
from jounce.dynamics.wrenches import FrameWrench
from jounce.model.lowering.reduced import reduced
from jounce.model.lowering.tree import Tree, lowered
from jounce.model.robot import Robot

FORMULATIONS = {
    "momentum": inverse_dynamics,
    "body": inverse_dynamics_body,
    "spatial": inverse_dynamics_spatial,
    "hybrid": inverse_dynamics_hybrid,
}
Loads = Mapping[tuple[str, str], Sequence[Scalars]]  # frame, representation -> rows of six


def forces(
    robot: Robot,
    q: Scalars,
    rates: Sequence[Scalars],
    wrenches: Loads | None = None,
    formulation: str = "momentum",
    *,
    tree: Tree | None = None,
) -> Rows:
    """Return Q, dQ/dt, ... as rows of nv scalars; K rates give K − 1 rows.

    ``tree`` replaces the reduced tree of the robot (same forces, fewer operations).
    """
    tree = reduced(robot) if tree is None else tree
    loads = frame_wrenches(robot, tree, wrenches or {})
    return as_rows(FORMULATIONS[formulation](tree, q, rates, loads), len(rates) - 2)


def gravity(robot: Robot, q: Scalars, rates: Sequence[Scalars]) -> Rows:
    """Return the gravity forces g, dg/dt, ... as rows of nv scalars; K rates give K + 1 rows."""
    tree = reduced(robot)
    return as_rows(gravity_forces(tree, link_motions(tree, q, rates)), len(rates))


def wrenches_of_joints(
    robot: Robot,
    q: Scalars,
    rates: Sequence[Scalars],
    wrenches: Loads | None,
    representation: str,
) -> Rows:
    """Return the wrench of the parent on every body, about its origin or the world's."""
    tree = lowered(robot)
    motions = link_motions(tree, q, rates)
    links = joint_wrenches(tree, motions, frame_wrenches(robot, tree, wrenches or {}))
    poses = link_poses(tree, motions)
    scalars: list[Any] = []
    for link, T_link_body in zip(tree.body_links, tree.body_placements, strict=True):
        W = T_link_body.inverse.push(links[link])
        scalars += components(force_in(representation, W, poses[link] @ T_link_body))
    return as_rows(scalars, len(rates) - 2)


def frame_wrenches(robot: Robot, tree: Tree, wrenches: Loads) -> list[FrameWrench]:
    """Return rows of wrench derivatives as wrenches of jets on links."""
    result = []
    for (frame, representation), rows in wrenches.items():
        place = robot.frame(frame)
        link, T_link_frame = tree.frame(place.body, place.placement)
        parts = [Jet.from_derivatives(column) for column in zip(*rows, strict=True)]
        W = Force(Vec3(*parts[:3]), Vec3(*parts[3:]))
        result.append(FrameWrench(link, T_link_frame, representation, W))
    return result
