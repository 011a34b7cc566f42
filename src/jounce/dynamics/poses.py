"""Poses of links in the world, as jets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.algebra.se3 import Transform
from jounce.dynamics.motion import LinkMotion, link_motions
from jounce.model.lowering.tree import Tree


def poses(tree: Tree, q: Sequence[Any], rates: Sequence[Sequence[Any]]) -> list[Transform]:
    """Return ``T_world_link`` of every link, ``C_i = C_p A_i exp(X_i q_i)``, as jets of order K."""
    return link_poses(tree, link_motions(tree, q, rates))


def link_poses(tree: Tree, motions: Sequence[LinkMotion]) -> list[Transform]:
    """Return ``T_world_link`` of every link from the motion of the joints."""
    result: list[Transform] = []
    for link, motion in zip(tree.links, motions, strict=True):
        step = link.placement @ motion.pose
        result.append(result[link.parent] @ step if link.parent >= 0 else step)
    return result
