"""Wrenches that parents exert on bodies through their joints."""

from __future__ import annotations

from collections.abc import Sequence

from jounce.algebra.se3 import Force
from jounce.dynamics.motion import Moving, moving
from jounce.dynamics.rows import Rates, Rows, Scalars, as_rows
from jounce.dynamics.twists import body_forces
from jounce.dynamics.wrenches import FrameWrench, Loads, frame_wrenches, link_wrenches
from jounce.model.lowering.tree import lowered
from jounce.model.robot import Robot


def joint_wrench_jets(m: Moving, wrenches: Sequence[FrameWrench]) -> list[Force]:
    """Return the wrench on every link from its parent, in the frame of the link.

    V_i is the true twist of link i, G_i minus gravity seen from it::

        V_i = Ad(C_{i,p}) V_p + Ξ_i v_i                    G_i = Ad(C_{i,p}) G_p
        W_i = M_i (dV_i/dt + G_i) − ad(V_i)ᵀ M_i V_i − W_ext,i + Σ_c Ad(C_{c,i})ᵀ W_c

    [KM21, (19)], [M20, (40)-(41)].  Differs: KM21 has no gravity; external wrenches act on the
    robot, the papers' by it.
    """
    twists, fields = m.twists, m.gravity_fields
    external = link_wrenches(m, wrenches)

    def own(i: int) -> Force:
        V, M = twists[i], m.links[i].inertia
        W = M.apply(V.dt() + fields[i]) + V.cross_dual(M.apply(V))
        return W - external[i] if i in external else W

    return m.inwards(own)


def joint_wrenches(
    robot: Robot,
    q: Scalars,
    rates: Rates,
    wrenches: Loads | None,
    representation: str,
) -> Rows:
    """Return the wrench of the parent on every body, about its origin or the world's."""
    m = moving(lowered(robot), q, rates)
    links = joint_wrench_jets(m, frame_wrenches(robot, m.tree, wrenches))
    return as_rows(body_forces(m, links, representation), len(rates) - 2)
