"""Inverse dynamics by recursion over momenta in hybrid representation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.algebra.inertia import SpatialInertia
from jounce.algebra.se3 import NO_MOTION, Force, Motion, Transform
from jounce.algebra.vector import Vec3
from jounce.dynamics.motion import LinkMotion, add_forces, link_motions
from jounce.dynamics.poses import link_poses
from jounce.dynamics.twists import motion_in
from jounce.dynamics.wrenches import FrameWrench, link_wrenches
from jounce.model.lowering.tree import Link, Tree


def inverse_dynamics_hybrid(
    tree: Tree,
    q: Sequence[Any],
    rates: Sequence[Sequence[Any]],
    wrenches: Sequence[FrameWrench] = (),
) -> list[Any]:
    """Return the generalised forces that produce the motion, one jet a velocity.

    World axes, about the origin p_i of every link frame; r = p_i − p_p, R_i its rotation::

        V_i = (ω_p, v_p + ω_p × r) + (R_i Ξ_i) v_i
        Π_i = M_i V_i                                    M_i: inertia turned by R_i
        W_i = dΠ_i/dt + (v_i × P_i, 0) + M_i (0, −g) − W_ext,i + Σ_c (N_c + r_c × F_c, F_c)
        Q_i = (R_i Ξ_i)ᵀ W_i                             Π = (L, P), W = (N, F)

    The term v × P is due to the moving point the moments refer to.
    """
    motions = link_motions(tree, q, rates)
    poses = link_poses(tree, motions)
    external = link_wrenches(tree, motions, wrenches)
    twists = _twists(tree, motions, poses)
    beyond: dict[int, Force] = {}
    forces: list[Any] = [0.0] * tree.nv
    for i in reversed(range(len(tree.links))):
        link, R = tree.links[i], poses[i].rotation
        W = _own_wrench(_turned(link, poses[i]), twists[i], tree.gravity)
        if i in external:
            W = W - Force(R.rotate(external[i].moment), R.rotate(external[i].force))
        W = W + beyond[i] if i in beyond else W
        S = [motion_in("hybrid", X, poses[i]) for X in link.step.screws]
        add_forces(forces, link, motions[i], [column.power(W) for column in S])
        if link.parent >= 0:
            r = poses[i].p - poses[link.parent].p
            moved = Force(W.moment + r.cross(W.force), W.force)
            beyond[link.parent] = beyond[link.parent] + moved if link.parent in beyond else moved
    return forces


def _twists(tree: Tree, motions: Sequence[LinkMotion], poses: Sequence[Transform]) -> list[Motion]:
    twists: list[Motion] = []
    for link, motion, pose in zip(tree.links, motions, poses, strict=True):
        V = twists[link.parent] if link.parent >= 0 else NO_MOTION
        if link.parent >= 0:
            r = pose.p - poses[link.parent].p
            V = Motion(V.angular, V.linear + V.angular.cross(r))
        twists.append(V + motion_in("hybrid", motion.twist, pose))
    return twists


def _turned(link: Link, pose: Transform) -> SpatialInertia:
    """Return the inertia of a link about its origin, in world axes."""
    mass, first_moment, rotational = link.inertia
    R = pose.rotation
    return SpatialInertia(mass, R.rotate(first_moment), rotational.rotated(R))


def _own_wrench(inertia: SpatialInertia, V: Motion, gravity: Vec3) -> Force:
    momentum = inertia.apply(V)
    rate = momentum.dt()
    weight = gravity * -inertia.mass
    lever = inertia.first_moment.cross(gravity * -1.0)
    return Force(rate.moment + V.linear.cross(momentum.force) + lever, rate.force + weight)
