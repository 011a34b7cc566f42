"""Partials by q of what external wrenches contribute to the forces, as jets."""

from __future__ import annotations

from collections.abc import Sequence

from jounce.algebra.tangent import partial
from jounce.dynamics.matrices import Matrix, zeros
from jounce.dynamics.motion import LinkMotion
from jounce.dynamics.variation import varied_motion
from jounce.dynamics.wrenches import FrameWrench, wrenches_beyond
from jounce.model.lowering.tree import Tree


def load_partials(
    tree: Tree, motions: Sequence[LinkMotion], wrenches: Sequence[FrameWrench]
) -> Matrix:
    """Return ``∂(−Jᵀ W)/∂q`` for wrenches that stay constant in their representation.

    Every joint pose gets the variation ``C exp(Ξ δ)`` as tangent numbers over jets.
    """
    varied = [varied_motion(link, motion) for link, motion in zip(tree.links, motions, strict=True)]
    beyond = wrenches_beyond(tree, varied, wrenches)
    result = zeros(tree)
    for i, W in beyond.items():
        where = tree.links[i].coordinates
        for k, X in enumerate(tree.links[i].step.screws):
            force = X.power(W) * -where.multiplier
            row = result[where.v + k]
            for v in range(tree.nv):
                row[v] = row[v] + partial(force, v)
    return result
