"""Momentum, energy and centre of mass with time derivatives, from numbers of any kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.algebra.se3 import Force, Motion
from jounce.algebra.vector import Vec3
from jounce.derivatives.kinematics import Rows, Scalars, as_rows, components
from jounce.dynamics.momentum import (
    first_moment,
    first_moment_jacobian,
    kinetic_energy,
    momentum,
)
from jounce.dynamics.motion import LinkMotion, link_motions
from jounce.dynamics.poses import link_poses
from jounce.dynamics.twists import link_twists
from jounce.errors import UnsupportedError
from jounce.model.lowering.tree import Tree, lowered
from jounce.model.robot import Robot


def total_momentum(robot: Robot, q: Scalars, rates: Sequence[Scalars]) -> Rows:
    """Return angular and linear momentum about the world origin; K rates give K rows."""
    tree, motions, twists = _moving(robot, q, rates)
    return as_rows(components(momentum(tree, motions, twists)), len(rates) - 1)


def centroidal_momentum(robot: Robot, q: Scalars, rates: Sequence[Scalars]) -> Rows:
    """Return angular and linear momentum about the centre of mass; K rates give K rows."""
    tree, motions, twists = _moving(robot, q, rates)
    L, P = momentum(tree, motions, twists)
    about_com = Force(L - _center_of_mass(robot, tree, motions).cross(P), P)
    return as_rows(components(about_com), len(rates) - 1)


def energy_of_motion(robot: Robot, q: Scalars, rates: Sequence[Scalars]) -> Rows:
    """Return the kinetic energy, motors included; K rates give K rows."""
    return as_rows([kinetic_energy(*_moving(robot, q, rates))], len(rates) - 1)


def energy_of_position(robot: Robot, q: Scalars, rates: Sequence[Scalars]) -> Rows:
    """Return the potential energy, zero for all matter at the world origin."""
    tree = lowered(robot)
    poses = link_poses(tree, link_motions(tree, q, rates))
    h = first_moment(tree, poses, robot.base_inertia.spatial)
    return as_rows([-robot.gravity.dot(h)], len(rates) - 1)


def center_of_mass(robot: Robot, q: Scalars, rates: Sequence[Scalars]) -> Rows:
    """Return the centre of mass in the world; K rates give K + 1 rows."""
    tree = lowered(robot)
    motions = link_motions(tree, q, rates)
    return as_rows(_center_of_mass(robot, tree, motions), len(rates))


def com_jacobian(robot: Robot, q: Scalars, rates: Sequence[Scalars]) -> Rows:
    """Return the Jacobian of the centre of mass, 3 nv scalars, row by row [GOA13, (7)]."""
    tree = lowered(robot)
    columns = first_moment_jacobian(tree, link_poses(tree, link_motions(tree, q, rates)))
    scale = 1.0 / _mass(robot)
    return as_rows([column[k] * scale for k in range(3) for column in columns], len(rates))


def _center_of_mass(robot: Robot, tree: Tree, motions: Sequence[LinkMotion]) -> Vec3:
    h = first_moment(tree, link_poses(tree, motions), robot.base_inertia.spatial)
    return h * (1.0 / _mass(robot))


def _mass(robot: Robot) -> Any:
    if robot.mass == 0.0:
        raise UnsupportedError(f"robot {robot.name!r} has no mass, so no centre of mass.")
    return robot.mass


def _moving(
    robot: Robot, q: Scalars, rates: Sequence[Scalars]
) -> tuple[Tree, list[LinkMotion], list[Motion]]:
    tree = lowered(robot)
    motions = link_motions(tree, q, rates)
    return tree, motions, link_twists(tree, motions)
