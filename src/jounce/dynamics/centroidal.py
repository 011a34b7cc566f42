"""The centroidal momentum matrix, and the partials of the centroidal momentum.

With I_k, h_k inertia and momentum of everything beyond a joint, S_j its screws, V_λ the twist of
its parent, in the world frame about its origin::

    ∂h/∂v_j = I_k S_j             ∂h/∂q_j = −ad(S_j)ᵀ h_k − I_k ad(S_j) V_λ(j)

and about the centre of mass c, with h = (L, P)::

    L_c = L − c × P               ∂L_c/∂q_j = ∂L/∂q_j − ∂c/∂q_j × P − c × ∂P/∂q_j

All of them are jets.  The columns are found in the frames of links and carried to the world.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.algebra.se3 import NO_FORCE, Force, components
from jounce.algebra.vector import Vec3
from jounce.dynamics.matrices import composite_inertias
from jounce.dynamics.momentum import center_of_mass_jets, com_jacobian_jets, momenta_beyond
from jounce.dynamics.motion import Moving, moving
from jounce.dynamics.partials import carried_twists, mixed_partials
from jounce.dynamics.rows import Rates, Rows, Scalars, matrix_rows
from jounce.model.lowering.tree import lowered
from jounce.model.robot import Robot


def centroidal_momentum_matrix(robot: Robot, q: Scalars, rates: Rates) -> Rows:
    """Return A with ``h = A v`` about the centre of mass, 6 nv scalars row by row; K + 1 rows."""
    m = moving(lowered(robot), q, rates)
    poses, inertias = m.poses, composite_inertias(m)
    c = center_of_mass_jets(robot, m)
    columns = [NO_FORCE] * robot.nv
    for i, link in enumerate(m.links):
        for k, X in enumerate(link.step.screws):
            link.add(columns, k, poses[i].push(inertias[i].apply(X)))
    return matrix_rows(_rows([_about(c, column) for column in columns]), len(rates))


def centroidal_momentum_partials(robot: Robot, q: Scalars, rates: Rates) -> Rows:
    """Return ∂h⁽ᵏ⁾/∂q⁽ʲ⁾, a row of 6 nv scalars for each k and j: k = 0 … K − 1, j = 0 … K."""
    m = moving(lowered(robot), q, rates)
    by_q, by_v, (_, P) = _columns(m)
    c, J = center_of_mass_jets(robot, m), com_jacobian_jets(robot, m)
    moved = [_about(c, h) - Force(dc.cross(P), P * 0.0) for h, dc in zip(by_q, J, strict=True)]
    first = [_rows(moved), _rows([_about(c, h) for h in by_v])]
    return mixed_partials(robot, rates, first, len(rates) - 1)


def _columns(m: Moving) -> tuple[list[Force], list[Force], Force]:
    """Return partials of the momentum about the world origin by q and by v, and the momentum."""
    poses, inertias = m.poses, composite_inertias(m)
    momenta, carried = momenta_beyond(m, m.twists), carried_twists(m, m.twists)
    by_q, by_v, total = [NO_FORCE] * m.tree.nv, [NO_FORCE] * m.tree.nv, NO_FORCE
    for i, link in enumerate(m.links):
        for k, X in enumerate(link.step.screws):
            dh = X.cross_dual(momenta[i]) - inertias[i].apply(X.cross(carried[i]))
            link.add(by_q, k, poses[i].push(dh))
            link.add(by_v, k, poses[i].push(inertias[i].apply(X)))
        if link.parent < 0:
            total = total + poses[i].push(momenta[i])
    return by_q, by_v, total


def _about(c: Vec3, h: Force) -> Force:
    return Force(h.moment - c.cross(h.force), h.force)


def _rows(columns: Sequence[Force]) -> list[list[Any]]:
    """Return the matrix of these columns, row by row."""
    return [list(row) for row in zip(*(components(h) for h in columns), strict=True)]
