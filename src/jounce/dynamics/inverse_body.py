"""Inverse dynamics by recursion over wrenches in body representation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.dynamics.joint_wrenches import joint_wrench_jets
from jounce.dynamics.motion import add_forces, link_motions
from jounce.dynamics.wrenches import FrameWrench
from jounce.model.lowering.tree import Tree


def inverse_dynamics_body(
    tree: Tree,
    q: Sequence[Any],
    rates: Sequence[Sequence[Any]],
    wrenches: Sequence[FrameWrench] = (),
) -> list[Any]:
    """Return the generalised forces that produce the motion, one jet a velocity.

    ``Q_i = Ξ_iᵀ W_i`` with the wrench W_i of `joint_wrench_jets`, everything in the frame of
    link i [KM21, (19)], [M20, (42)].
    """
    motions = link_motions(tree, q, rates)
    forces: list[Any] = [0.0] * tree.nv
    own = joint_wrench_jets(tree, motions, wrenches)
    for link, motion, W in zip(tree.links, motions, own, strict=True):
        add_forces(forces, link, motion, [X.power(W) for X in link.step.screws])
    return forces
