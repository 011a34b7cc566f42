"""Wrenches that parents exert on bodies through their joints."""

from __future__ import annotations

from collections.abc import Sequence

from jounce.algebra.se3 import Force, components
from jounce.dynamics.motion import LinkMotion, link_motions
from jounce.dynamics.rows import Rows, Scalars, as_rows
from jounce.dynamics.twists import body_forces, gravity_fields, link_twists
from jounce.dynamics.wrenches import FrameWrench, Loads, frame_wrenches, link_wrenches
from jounce.model.lowering.tree import Tree, lowered
from jounce.model.robot import Robot


def joint_wrench_jets(
    tree: Tree, motions: Sequence[LinkMotion], wrenches: Sequence[FrameWrench] = ()
) -> list[Force]:
    """Return the wrench on every link from its parent, in the frame of the link.

    V_i is the true twist of link i, G_i minus gravity seen from it::

        V_i = Ad(C_{i,p}) V_p + Ξ_i v_i                    G_i = Ad(C_{i,p}) G_p
        W_i = M_i (dV_i/dt + G_i) − ad(V_i)ᵀ M_i V_i − W_ext,i + Σ_c Ad(C_{c,i})ᵀ W_c

    [KM21, (19)], [M20, (40)-(41)].  Differs: KM21 has no gravity; external wrenches act on the
    robot, the papers' by it.
    """
    twists = link_twists(tree, motions)
    fields = gravity_fields(tree, motions)
    external = link_wrenches(tree, motions, wrenches)
    beyond: dict[int, Force] = {}
    result: dict[int, Force] = {}
    for i in reversed(range(len(tree.links))):
        link, V = tree.links[i], twists[i]
        W = link.inertia.apply(V.dt() + fields[i]) + V.cross_dual(link.inertia.apply(V))
        W = W - external[i] if i in external else W
        W = W + beyond[i] if i in beyond else W
        result[i] = W
        if link.parent >= 0:
            moved = link.placement.push(motions[i].pose.push(W))
            beyond[link.parent] = beyond[link.parent] + moved if link.parent in beyond else moved
    return [result[i] for i in range(len(tree.links))]


def joint_wrenches(
    robot: Robot,
    q: Scalars,
    rates: Sequence[Scalars],
    wrenches: Loads | None,
    representation: str,
) -> Rows:
    """Return the wrench of the parent on every body, about its origin or the world's."""
    tree = lowered(robot)
    motions = link_motions(tree, q, rates)
    links = joint_wrench_jets(tree, motions, frame_wrenches(robot, tree, wrenches))
    found = body_forces(tree, motions, links, representation)
    return as_rows((x for W in found for x in components(W)), len(rates) - 2)
