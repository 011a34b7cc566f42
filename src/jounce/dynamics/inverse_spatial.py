"""Inverse dynamics by recursion over momenta in spatial representation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.algebra.se3 import NO_MOTION, Force, Motion
from jounce.algebra.vector import ZERO
from jounce.dynamics.motion import add_forces, link_motions
from jounce.dynamics.poses import link_poses
from jounce.dynamics.wrenches import FrameWrench, link_wrenches
from jounce.model.lowering.tree import Tree


def inverse_dynamics_spatial(
    tree: Tree,
    q: Sequence[Any],
    rates: Sequence[Sequence[Any]],
    wrenches: Sequence[FrameWrench] = (),
) -> list[Any]:
    """Return the generalised forces that produce the motion, one jet a velocity.

    Everything in the world frame about its origin, so the recursions transform nothing::

        S_i = Ad(C_i) Ξ_i     V_i = V_p + S_i v_i          [M20, (6)-(9), algorithm 1]
        Π_i = M_i V_i         M_i = Ad(C_i)⁻ᵀ M_i,body Ad(C_i)⁻¹      [M20, (10), (13)]
        W_i = dΠ_i/dt + M_i G − W_ext,i + Σ_c W_c          [M20, (15), (23), (30)]
        Q_i = S_iᵀ W_i        G = (0, −g)                  [M20, (29), algorithm 3]

    Differs: the derivatives (19), (22), (24), (25) follow from the jets; external wrenches act
    on the robot, the paper's are exerted by it.
    """
    motions = link_motions(tree, q, rates)
    poses = link_poses(tree, motions)
    joint_screws = [
        [pose.act(X) for X in link.step.screws]
        for link, pose in zip(tree.links, poses, strict=True)
    ]
    external = link_wrenches(tree, motions, wrenches)
    G = Motion(ZERO, -tree.gravity)
    twists: list[Motion] = []
    for link, motion, S in zip(tree.links, motions, joint_screws, strict=True):
        V = twists[link.parent] if link.parent >= 0 else NO_MOTION
        for column, rate in zip(S, motion.rates, strict=True):
            V = V + column * rate
        twists.append(V)
    beyond: dict[int, Force] = {}
    forces: list[Any] = [0.0] * tree.nv
    for i in reversed(range(len(tree.links))):
        link, inertia = tree.links[i], tree.links[i].inertia.moved(poses[i])
        W = inertia.apply(twists[i]).dt() + inertia.apply(G)
        W = W - poses[i].push(external[i]) if i in external else W
        W = W + beyond[i] if i in beyond else W
        add_forces(forces, link, motions[i], [S.power(W) for S in joint_screws[i]])
        if link.parent >= 0:
            beyond[link.parent] = beyond[link.parent] + W if link.parent in beyond else W
    return forces
