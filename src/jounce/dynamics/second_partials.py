"""Second partials of the forces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.algebra.tangent import partial
from jounce.dynamics.partials import inverse_dynamics_partials
from jounce.dynamics.rows import Rows, Scalars
from jounce.dynamics.variation import partials, varied_configuration, varied_rate
from jounce.model.robot import Robot


def inverse_dynamics_second_partials(robot: Robot, q: Scalars, rates: Sequence[Scalars]) -> Rows:
    """Return ∂²Q/∂q∂q, ∂²Q/∂v∂v, ∂²Q/∂q∂v and ∂²Q/∂a∂q, four rows of nv³ scalars [i, j, h].

    The analytic text of the first partials runs on tangent numbers in q; that gives all but::

        ∂²Q_i/∂v_j∂v_h = ∂M_ij/∂q_h + ∂M_ih/∂q_j − ∂M_jh/∂q_i          twice Christoffel's symbols

    which holds where velocities are dq/dt and friction is linear.  With spherical or free joints,
    or dry friction, the text runs on tangent numbers in v as well.  Increments of such joints do
    not commute: of the two partials by q the last index is taken last.
    """
    nv, varied = robot.nv, varied_configuration(robot, q)
    is_bent = any(joint.quaternion is not None or joint.friction for joint in robot.joints)
    v, a = rates
    moving = [varied_rate(v, nv), a] if is_bent else rates
    by_q, by_v, by_a = inverse_dynamics_partials(robot, varied, moving)
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
