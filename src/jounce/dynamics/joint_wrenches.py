"""Wrenches that parents exert on bodies through their joints, as jets."""

from __future__ import annotations

from collections.abc import Sequence

from jounce.algebra.se3 import Force, Motion
from jounce.algebra.vector import ZERO
from jounce.dynamics.motion import LinkMotion
from jounce.dynamics.twists import link_twists
from jounce.dynamics.wrenches import FrameWrench, link_wrenches
from jounce.model.lowering.tree import Tree


def joint_wrenches(
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
    fields = _fields(tree, motions)
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


def _fields(tree: Tree, motions: Sequence[LinkMotion]) -> list[Motion]:
    """Return the acceleration (0, −g) of the ground in every link frame."""
    fields: list[Motion] = []
    for link, motion in zip(tree.links, motions, strict=True):
        G = fields[link.parent] if link.parent >= 0 else Motion(ZERO, -tree.gravity)
        fields.append(motion.pose.pull(link.placement.pull(G)))
    return fields
