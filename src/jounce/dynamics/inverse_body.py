"""Inverse dynamics by recursion over wrenches in body representation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.algebra.se3 import Force, Motion
from jounce.algebra.vector import ZERO
from jounce.dynamics.inverse import add_forces
from jounce.dynamics.motion import link_motions, screws
from jounce.dynamics.twists import link_twists
from jounce.dynamics.wrenches import FrameWrench, link_wrenches
from jounce.model.tree import Tree


def inverse_dynamics_body(
    tree: Tree,
    q: Sequence[Any],
    rates: Sequence[Sequence[Any]],
    wrenches: Sequence[FrameWrench] = (),
) -> list[Any]:
    """Return the generalised forces that produce the motion, one jet a velocity.

    Everything in the frame of link i, V_i its true twist, G_i minus gravity seen from it::

        V_i = Ad(C_{i,p}) V_p + Ξ_i v_i                    G_i = Ad(C_{i,p}) G_p
        W_i = M_i (dV_i/dt + G_i) − ad(V_i)ᵀ M_i V_i − W_ext,i + Σ_c Ad(C_{c,i})ᵀ W_c
        Q_i = Ξ_iᵀ W_i                                     [KM21, (19)], [M20, (40)-(42)]

    Differs: KM21 has no gravity; external wrenches act on the robot, the papers' by it.
    """
    motions = link_motions(tree, q, rates)
    twists = link_twists(tree, motions)
    fields = _fields(tree, motions)
    external = link_wrenches(tree, motions, wrenches)
    beyond: dict[int, Force] = {}
    forces: list[Any] = [0.0] * tree.nv
    for i in reversed(range(len(tree.links))):
        link, V = tree.links[i], twists[i]
        W = link.inertia.apply(V.dt() + fields[i]) + V.cross_dual(link.inertia.apply(V))
        W = W - external[i] if i in external else W
        W = W + beyond[i] if i in beyond else W
        add_forces(forces, link, motions[i], [X.power(W) for X in screws(link.step)])
        if link.parent >= 0:
            moved = link.placement.push(motions[i].pose.push(W))
            beyond[link.parent] = beyond[link.parent] + moved if link.parent in beyond else moved
    return forces


def _fields(tree: Tree, motions: Sequence[Any]) -> list[Motion]:
    """Return the acceleration (0, −g) of the ground in every link frame."""
    fields: list[Motion] = []
    for link, motion in zip(tree.links, motions, strict=True):
        G = fields[link.parent] if link.parent >= 0 else Motion(ZERO, -tree.gravity)
        fields.append(motion.pose.pull(link.placement.pull(G)))
    return fields
