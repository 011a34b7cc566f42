"""Inverse dynamics by recursion over wrenches or momenta, in body, spatial, hybrid representation.

Each returns the generalised forces that produce the motion, one jet a velocity.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.algebra.inertia import SpatialInertia
from jounce.algebra.se3 import NO_FORCE, NO_MOTION, Force, Motion
from jounce.algebra.vector import ZERO, Vec3
from jounce.dynamics.joint_wrenches import joint_wrench_jets
from jounce.dynamics.motion import Moving, add_forces
from jounce.dynamics.twists import represented
from jounce.dynamics.wrenches import FrameWrench, link_wrenches


def inverse_dynamics_body(m: Moving, wrenches: Sequence[FrameWrench]) -> list[Any]:
    """Return ``Q_i = Ξ_iᵀ W_i`` with the wrench W_i of `joint_wrench_jets`.

    Everything is in the frame of link i [KM21, (19)], [M20, (42)].
    """
    forces: list[Any] = [0.0] * m.tree.nv
    own = joint_wrench_jets(m, wrenches)
    for link, motion, W in zip(m.links, m.motions, own, strict=True):
        add_forces(forces, link, motion, [X.power(W) for X in link.step.screws])
    return forces


def inverse_dynamics_spatial(m: Moving, wrenches: Sequence[FrameWrench]) -> list[Any]:
    """Return Q from the world frame about its origin, so the recursions transform nothing.

    ::

        S_i = Ad(C_i) Ξ_i     V_i = V_p + S_i v_i          [M20, (6)-(9), algorithm 1]
        Π_i = M_i V_i         M_i = Ad(C_i)⁻ᵀ M_i,body Ad(C_i)⁻¹      [M20, (10), (13)]
        W_i = dΠ_i/dt + M_i G − W_ext,i + Σ_c W_c          [M20, (15), (23), (30)]
        Q_i = S_iᵀ W_i        G = (0, −g)                  [M20, (29), algorithm 3]

    Differs: the derivatives (19), (22), (24), (25) follow from the jets; external wrenches act
    on the robot, the paper's are exerted by it.
    """
    poses = m.poses
    joint_screws = [
        [pose.act(X) for X in link.step.screws] for link, pose in zip(m.links, poses, strict=True)
    ]
    external = link_wrenches(m, wrenches)
    G = Motion(ZERO, -m.tree.gravity)
    twists: list[Motion] = []
    for link, motion, S in zip(m.links, m.motions, joint_screws, strict=True):
        V = twists[link.parent] if link.parent >= 0 else NO_MOTION
        for column, rate in zip(S, motion.rates, strict=True):
            V = V + column * rate
        twists.append(V)
    beyond = [NO_FORCE] * len(m.links)
    forces: list[Any] = [0.0] * m.tree.nv
    for i in reversed(range(len(m.links))):
        link, inertia = m.links[i], m.links[i].inertia.moved(poses[i])
        W = inertia.apply(twists[i]).dt() + inertia.apply(G)
        W = (W - poses[i].push(external[i]) if i in external else W) + beyond[i]
        add_forces(forces, link, m.motions[i], [S.power(W) for S in joint_screws[i]])
        if link.parent >= 0:
            beyond[link.parent] = beyond[link.parent] + W
    return forces


def inverse_dynamics_hybrid(m: Moving, wrenches: Sequence[FrameWrench]) -> list[Any]:
    """Return Q in world axes, about the origin p_i of every link frame.

    With r = p_i − p_p and R_i the rotation of link i::

        V_i = (ω_p, v_p + ω_p × r) + (R_i Ξ_i) v_i
        Π_i = M_i V_i                                    M_i: inertia turned by R_i
        W_i = dΠ_i/dt + (v_i × P_i, 0) + M_i (0, −g) − W_ext,i + Σ_c (N_c + r_c × F_c, F_c)
        Q_i = (R_i Ξ_i)ᵀ W_i                             Π = (L, P), W = (N, F)

    The term v × P is due to the moving point the moments refer to.
    """
    poses, gravity = m.poses, m.tree.gravity
    external = link_wrenches(m, wrenches)
    twists = _hybrid_twists(m)
    beyond = [NO_FORCE] * len(m.links)
    forces: list[Any] = [0.0] * m.tree.nv
    for i in reversed(range(len(m.links))):
        link, R = m.links[i], poses[i].rotation
        mass, first_moment, rotational = link.inertia
        turned = SpatialInertia(mass, R.rotate(first_moment), rotational.rotated(R))
        W = _hybrid_wrench(turned, twists[i], gravity)
        if i in external:
            W = W - represented("hybrid", external[i], poses[i])
        W = W + beyond[i]
        S = [represented("hybrid", X, poses[i]) for X in link.step.screws]
        add_forces(forces, link, m.motions[i], [column.power(W) for column in S])
        if link.parent >= 0:
            r = poses[i].p - poses[link.parent].p
            moved = Force(W.moment + r.cross(W.force), W.force)
            beyond[link.parent] = beyond[link.parent] + moved
    return forces


def _hybrid_twists(m: Moving) -> list[Motion]:
    twists: list[Motion] = []
    for link, motion, pose in zip(m.links, m.motions, m.poses, strict=True):
        V = NO_MOTION
        if link.parent >= 0:
            w, v = twists[link.parent]
            V = Motion(w, v + w.cross(pose.p - m.poses[link.parent].p))
        twists.append(V + represented("hybrid", motion.twist, pose))
    return twists


def _hybrid_wrench(inertia: SpatialInertia, V: Motion, gravity: Vec3) -> Force:
    momentum = inertia.apply(V)
    rate = momentum.dt()
    weight = gravity * -inertia.mass
    lever = inertia.first_moment.cross(gravity * -1.0)
    return Force(rate.moment + V.linear.cross(momentum.force) + lever, rate.force + weight)
