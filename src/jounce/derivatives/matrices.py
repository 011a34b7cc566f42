"""Mass and Coriolis matrices with time derivatives, from numbers of any kind."""

from __future__ import annotations

from collections.abc import Sequence

from jounce.derivatives.kinematics import Rows, Scalars, as_rows
from jounce.dynamics.matrices import coriolis_matrix, mass_matrix
from jounce.dynamics.motion import link_motions
from jounce.model.lowering.reduced import reduced
from jounce.model.robot import Robot


def mass(robot: Robot, q: Scalars, rates: Sequence[Scalars]) -> Rows:
    """Return M, dM/dt, ... as rows of nv² scalars; K rates give K + 1 rows."""
    tree = reduced(robot)
    M = mass_matrix(tree, link_motions(tree, q, rates))
    return as_rows((x for row in M for x in row), len(rates))


def coriolis(robot: Robot, q: Scalars, rates: Sequence[Scalars], factorization: str) -> Rows:
    """Return C, dC/dt, ... as rows of nv² scalars; K rates give K rows.

    Only the christoffel matrix is one of M alone and so indifferent to regrouped inertias.
    """
    tree = reduced(robot, regrouped=factorization == "christoffel")
    C = coriolis_matrix(tree, link_motions(tree, q, rates), factorization)
    return as_rows((x for row in C for x in row), len(rates) - 1)
