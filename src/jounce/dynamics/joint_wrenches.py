"""Wrenches that parents exert on bodies through their joints, as jets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.algebra.se3 import NO_FORCE, Force
from jounce.dynamics.inverse import falling_ground
from jounce.dynamics.motion import link_motions
from jounce.dynamics.twists import link_twists
from jounce.dynamics.wrenches import FrameWrench, wrenches_beyond
from jounce.model.tree import Tree


def joint_wrenches(
    tree: Tree,
    q: Sequence[Any],
    rates: Sequence[Sequence[Any]],
    wrenches: Sequence[FrameWrench] = (),
) -> list[Force]:
    """Return the wrench on every link from its parent, in the frame of the link.

    ``W_i = dh_i/dt − ad(V_i)ᵀ h_i − W_ext`` with the momentum h_i of everything beyond.  The
    falling ground changes twists, but not these components, which refer to the moving link;
    components in the world must be made of them with true poses.
    """
    motions = link_motions(tree, q, rates)
    twists = link_twists(tree, motions, falling_ground(tree.gravity, len(rates) - 1))
    external = wrenches_beyond(tree, motions, wrenches)
    beyond = [NO_FORCE] * len(tree.links)
    result: list[Force] = [NO_FORCE] * len(tree.links)
    for i in reversed(range(len(tree.links))):
        link, V = tree.links[i], twists[i]
        h = link.inertia.apply(V) + beyond[i]
        if link.parent >= 0:
            moved = link.placement.push(motions[i].pose.push(h))
            beyond[link.parent] = beyond[link.parent] + moved
        W = h.dt() + V.cross_dual(h)
        result[i] = W - external[i] if i in external else W
    return result
