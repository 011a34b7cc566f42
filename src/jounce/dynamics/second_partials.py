"""Second partials of the forces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.algebra.tangent import partial
from jounce.dynamics.partials import inverse_dynamics_partials
from jounce.dynamics.rows import Rows, Scalars
from jounce.dynamics.variation import partials, varied_configuration
from jounce.errors import UnsupportedError
from jounce.model.robot import Robot


def inverse_dynamics_second_partials(robot: Robot, q: Scalars, rates: Sequence[Scalars]) -> Rows:
    """Return ∂²Q/∂q∂q, ∂²Q/∂v∂v, ∂²Q/∂q∂v and ∂²Q/∂a∂q, four rows of nv³ scalars [i, j, h].

    The analytic text of the first partials runs on tangent numbers in q; that gives all but::

        ∂²Q_i/∂v_j∂v_h = ∂M_ij/∂q_h + ∂M_ih/∂q_j − ∂M_jh/∂q_i          twice Christoffel's symbols

    For joints whose velocity is dq/dt: all but spherical and free ones.
    """
    balls = [joint.name for joint in robot.joints if joint.quaternion is not None]
    if balls:
        raise UnsupportedError(
            f"second partials need joints whose velocity is dq/dt; robot {robot.name!r} has the "
            f"spherical or free joint {balls[0]!r}, whose increments do not commute."
        )
    nv = robot.nv
    by_q, by_v, by_a = inverse_dynamics_partials(robot, varied_configuration(robot, q), rates)
    by_aq = partials(by_a, range(nv))

    def dM(i: int, j: int, h: int) -> Any:
        return by_aq[(i * nv + j) * nv + h]

    every = [(i, j, h) for i in range(nv) for j in range(nv) for h in range(nv)]
    return [
        partials(by_q, range(nv)),
        [dM(i, j, h) + dM(i, h, j) - dM(j, h, i) for i, j, h in every],
        [partial(by_v[i * nv + h], j) for i, j, h in every],
        by_aq,
    ]
