"""Partials of poses, twists, J, M, C and g by state and inertial parameters; second ones of forces.

The texts of these quantities run on tangent numbers, as they are.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from jounce.algebra.inertia import SpatialInertia
from jounce.algebra.jet import Jet
from jounce.algebra.tangent import Tangent, partial
from jounce.dynamics.gravity import gravity_force_jets, gravity_forces
from jounce.dynamics.jacobian import jacobian
from jounce.dynamics.matrices import (
    coriolis_matrix,
    coriolis_matrix_jets,
    mass_matrix,
    mass_matrix_jets,
)
from jounce.dynamics.momentum import com_jacobian
from jounce.dynamics.motion import Moving, moving
from jounce.dynamics.partials import inverse_dynamics_partials
from jounce.dynamics.poses import frame_pose
from jounce.dynamics.rows import Rates, Rows, Scalars, as_rows
from jounce.dynamics.twists import frame_twist
from jounce.dynamics.variation import (
    configuration_partials,
    motion_partials,
    partials,
    varied_configuration,
    varied_rate,
)
from jounce.model.lowering.tree import lowered
from jounce.model.robot import Robot


def _partials_of(
    text: Callable[..., Rows], name: str, by: Callable[..., Rows] = configuration_partials
) -> Callable[..., Rows]:
    """Return the text of the partials of another one, the varied coordinate running fastest."""
    made: Any = functools.partial(by, text)
    made.__name__ = name
    return made


mass_matrix_partials = _partials_of(mass_matrix, "mass_matrix_partials")  # nv³ scalars
gravity_partials = _partials_of(gravity_forces, "gravity_partials")  # nv²
# with time derivatives, one row each: of 6 nv², 3 nv² and 16 nv scalars
jacobian_partials = _partials_of(jacobian, "jacobian_partials")
com_jacobian_partials = _partials_of(com_jacobian, "com_jacobian_partials")
frame_pose_partials = _partials_of(frame_pose, "frame_pose_partials")
# ∂C_ij/∂q_h and ∂C_ij/∂v_h, two rows of nv³ scalars
coriolis_partials = _partials_of(coriolis_matrix, "coriolis_partials", motion_partials)
# ∂V⁽ᵏ⁾/∂q⁽ʲ⁾, a row of 6 nv scalars for each k and j: k = 0 … K − 1, j = 0 … K
frame_twist_partials = _partials_of(frame_twist, "frame_twist_partials", motion_partials)


def mass_matrix_parameter_partials(robot: Robot, q: Scalars, rates: Rates) -> Rows:
    """Return ∂M_ij/∂π, one row of nv² 10 n scalars."""
    M = mass_matrix_jets(_varied_matter(robot, q, rates))
    return _by_parameters(robot, (x for row in M for x in row))


def coriolis_parameter_partials(robot: Robot, q: Scalars, rates: Rates, factorization: str) -> Rows:
    """Return ∂C_ij/∂π, one row of nv² 10 n scalars."""
    C = coriolis_matrix_jets(_varied_matter(robot, q, rates), factorization)
    return _by_parameters(robot, (x for row in C for x in row))


def gravity_parameter_partials(robot: Robot, q: Scalars, rates: Rates) -> Rows:
    """Return ∂g_i/∂π, one row of nv 10 n scalars."""
    return _by_parameters(robot, gravity_force_jets(_varied_matter(robot, q, rates)))


def _varied_matter(robot: Robot, q: Scalars, rates: Rates) -> Moving:
    """Return the moving tree with tangent numbers for all inertial parameters.

    What is linear in them does not depend on their values, so these are zero.
    """
    tree = lowered(robot)
    links = list(tree.links)
    for body, (i, T) in enumerate(tree.bodies):
        inertia = SpatialInertia.of(Jet([Tangent(0.0, {10 * body + h: 1.0})]) for h in range(10))
        links[i] = links[i]._replace(inertia=inertia.moved(T))
    return moving(tree._replace(links=tuple(links)), q, rates)


def _by_parameters(robot: Robot, jets: Iterable[Any]) -> Rows:
    (row,) = as_rows(jets, 0)
    return [partials(row, range(robot.n_parameters))]


def inverse_dynamics_second_partials(robot: Robot, q: Scalars, rates: Rates) -> Rows:
    """Return ∂²Q/∂q∂q, ∂²Q/∂v∂v, ∂²Q/∂q∂v and ∂²Q/∂a∂q, four rows of nv³ scalars [i, j, h].

    The analytic text of the first partials runs on tangent numbers in q; that gives all but::

        ∂²Q_i/∂v_j∂v_h = ∂M_ij/∂q_h + ∂M_ih/∂q_j − ∂M_jh/∂q_i          twice Christoffel's symbols

    which holds where velocities are dq/dt and friction is linear.  With spherical or free joints,
    or dry friction, the text runs on tangent numbers in v as well.  Increments of such joints do
    not commute: of the two partials by q the last index is taken last.
    """
    nv, varied = robot.nv, varied_configuration(robot, q)
    is_bent = any(not joint.is_flat or joint.friction for joint in robot.joints)
    v, a = rates
    motion = [varied_rate(v, nv), a] if is_bent else rates
    by_q, by_v, by_a = inverse_dynamics_partials(robot, varied, motion)
    by_aq = partials(by_a, range(nv))

    def dM(i: int, j: int, h: int) -> Any:
        return by_aq[(i * nv + j) * nv + h]

    every = [(i, j, h) for i in range(nv) for j in range(nv) for h in range(nv)]
    return [
        partials(by_q, range(nv)),
        partials(by_v, range(nv, 2 * nv))
        if is_bent
        else [dM(i, j, h) + dM(i, h, j) - dM(j, h, i) for i, j, h in every],
        [partial(by_v[i * nv + h], j) for i, j, h in every],
        by_aq,
    ]
