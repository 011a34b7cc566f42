"""Partials of J, M, C and g by state and by inertial parameters.

The texts of these matrices run on tangent numbers, as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from jounce.algebra.inertia import SpatialInertia, Symmetric3
from jounce.algebra.jet import Jet
from jounce.algebra.tangent import Tangent
from jounce.algebra.vector import Vec3
from jounce.dynamics.gravity import gravity_force_jets, gravity_forces
from jounce.dynamics.jacobian import jacobian
from jounce.dynamics.matrices import (
    coriolis_matrix,
    coriolis_matrix_jets,
    mass_matrix,
    mass_matrix_jets,
)
from jounce.dynamics.momentum import com_jacobian
from jounce.dynamics.motion import link_motions
from jounce.dynamics.rows import Rows, Scalars, as_rows
from jounce.dynamics.variation import partials, varied_configuration, varied_rate
from jounce.model.lowering.tree import Tree, lowered
from jounce.model.robot import Robot


def mass_matrix_partials(robot: Robot, q: Scalars, rates: Sequence[Scalars]) -> Rows:
    """Return ∂M_ij/∂q_h, one row of nv³ scalars, the varied coordinate running fastest."""
    (M,) = mass_matrix(robot, varied_configuration(robot, q), rates)
    return [partials(M, range(robot.nv))]


def coriolis_partials(
    robot: Robot, q: Scalars, rates: Sequence[Scalars], factorization: str
) -> Rows:
    """Return ∂C_ij/∂q_h and ∂C_ij/∂v_h, two rows of nv³ scalars."""
    (v,), nv = rates, robot.nv
    (C,) = coriolis_matrix(
        robot, varied_configuration(robot, q), [varied_rate(v, nv)], factorization
    )
    return [partials(C, range(nv)), partials(C, range(nv, 2 * nv))]


def gravity_partials(robot: Robot, q: Scalars, rates: Sequence[Scalars]) -> Rows:
    """Return ∂g_i/∂q_h, one row of nv² scalars."""
    (g,) = gravity_forces(robot, varied_configuration(robot, q), rates)
    return [partials(g, range(robot.nv))]


def jacobian_partials(
    robot: Robot, q: Scalars, rates: Sequence[Scalars], frame: str, representation: str
) -> Rows:
    """Return ∂J/∂q_h, ∂(dJ/dt)/∂q_h, ... of a frame, rows of 6 nv² scalars."""
    varied = varied_configuration(robot, q)
    rows = jacobian(robot, varied, rates, frame, representation)
    return [partials(row, range(robot.nv)) for row in rows]


def com_jacobian_partials(robot: Robot, q: Scalars, rates: Sequence[Scalars]) -> Rows:
    """Return ∂J/∂q_h, ∂(dJ/dt)/∂q_h, ... of the centre of mass, rows of 3 nv² scalars."""
    rows = com_jacobian(robot, varied_configuration(robot, q), rates)
    return [partials(row, range(robot.nv)) for row in rows]


def mass_matrix_parameter_partials(robot: Robot, q: Scalars, rates: Sequence[Scalars]) -> Rows:
    """Return ∂M_ij/∂π, one row of nv² 10 n scalars."""
    tree = _varied_tree(robot)
    M = mass_matrix_jets(tree, link_motions(tree, q, rates))
    return _by_parameters(robot, (x for row in M for x in row))


def coriolis_parameter_partials(
    robot: Robot, q: Scalars, rates: Sequence[Scalars], factorization: str
) -> Rows:
    """Return ∂C_ij/∂π, one row of nv² 10 n scalars."""
    tree = _varied_tree(robot)
    C = coriolis_matrix_jets(tree, link_motions(tree, q, rates), factorization)
    return _by_parameters(robot, (x for row in C for x in row))


def gravity_parameter_partials(robot: Robot, q: Scalars, rates: Sequence[Scalars]) -> Rows:
    """Return ∂g_i/∂π, one row of nv 10 n scalars."""
    tree = _varied_tree(robot)
    return _by_parameters(robot, gravity_force_jets(tree, link_motions(tree, q, rates)))


def _varied_tree(robot: Robot) -> Tree:
    """Return the tree with tangent numbers for all inertial parameters.

    What is linear in them does not depend on their values, so these are zero.
    """
    tree = lowered(robot)
    links = list(tree.links)
    for body, (i, T) in enumerate(zip(tree.body_links, tree.body_placements, strict=True)):
        m, x, y, z, *rotational = (Jet([Tangent(0.0, {10 * body + h: 1.0})]) for h in range(10))
        inertia = SpatialInertia(m, Vec3(x, y, z), Symmetric3(*rotational))
        links[i] = links[i]._replace(inertia=inertia.moved(T))
    return tree._replace(links=tuple(links))


def _by_parameters(robot: Robot, jets: Iterable[Any]) -> Rows:
    (row,) = as_rows(jets, 0)
    return [partials(row, range(robot.n_parameters))]
