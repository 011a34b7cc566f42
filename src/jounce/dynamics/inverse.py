"""Inverse dynamics: the momentum form, written once for every scalar and order, and all forms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

from jounce.algebra.inertia import NO_INERTIA
from jounce.algebra.jet import dt
from jounce.algebra.se3 import NO_FORCE, Force, Motion
from jounce.algebra.vector import Vec3
from jounce.dynamics.inverse_formulations import (
    inverse_dynamics_body,
    inverse_dynamics_hybrid,
    inverse_dynamics_spatial,
)
from jounce.dynamics.motion import LinkMotion, Moving, add_forces, moving
from jounce.dynamics.rows import Rates, Rows, Scalars, as_rows
from jounce.dynamics.wrenches import FrameWrench, Loads, frame_wrenches, wrenches_beyond
from jounce.model.lowering.reduced import reduced
from jounce.model.lowering.tree import Link, Tree
from jounce.model.robot import Robot


def inverse_dynamics(
    robot: Robot,
    q: Scalars,
    rates: Rates,
    wrenches: Loads | None = None,
    formulation: str = "momentum",
    *,
    tree: Tree | None = None,
) -> Rows:
    """Return Q, dQ/dt, ... as rows of nv scalars; K rates give K − 1 rows.

    ``tree`` replaces the reduced tree of the robot (same forces, fewer operations).
    """
    tree = reduced(robot) if tree is None else tree
    loads = frame_wrenches(robot, tree, wrenches)
    return as_rows(FORMULATIONS[formulation](moving(tree, q, rates), loads), len(rates) - 2)


def inverse_dynamics_momentum(m: Moving, wrenches: Sequence[FrameWrench]) -> list[Any]:
    """Return the generalised forces that produce the motion, one jet a velocity.

    With V_i = (ω_i, v_i) the twist of link i in its own frame, Ξ_i its joint screw, M_i its
    inertia and h_i = (L_i, P_i) the momentum of everything beyond joint i, of mass m_i::

        V_i = Ad(C_{i,p}) V_p + Ξ_i v_i                 outwards, V_ground = (0, −g t)
        h_i = M_i V_i + Σ_c Ad(C_{c,i})ᵀ h_c            inwards
        Q_i = Ξ_iᵀ (dh_i/dt − ad(V_i)ᵀ h_i − W_i) + armature a_i + damping v_i + F_i(v_i)

    The inward pass carries P_i − m_i v_i, the momentum less that of a point of mass m_i at the
    origin of link i; the point joins the inertia of the parent.  So v_i × P_i needs no m_i v_i,
    and products of gravity with itself, large where the motion is slow, never arise to cancel.
    The ground that accelerates by −g replaces gravity, exactly and at every order; these
    twists are therefore not the true ones.  ``wrenches`` are jets exerted by the environment
    on the robot; W_i sums those beyond joint i.  F is dry friction (`jounce.dynamics.friction`).
    With K rates (K ≥ 2) the result is of order K − 2.  Cost: O(n K²).  [M20, (29)], [KM21, (19)]
    in momentum form.

    Differs: the papers recurse over wrenches, with 18 products of jets a joint instead of 4.
    """
    twists, motions = m.falling_twists, m.motions
    external = wrenches_beyond(m, wrenches)
    inertias = [link.inertia for link in m.links]
    beyond: list[Force] = [NO_FORCE] * len(m.links)  # L and P − m v
    forces: list[Any] = [0.0] * m.tree.nv
    for i in reversed(range(len(m.links))):
        link, V, mass = m.links[i], twists[i], inertias[i].mass
        h = inertias[i]._replace(mass=0.0).apply(V) + beyond[i]
        if link.parent >= 0:
            w = link.placement.rotation.unrotate(twists[link.parent].angular)
            moved = link.placement.push(_before_joint(motions[i], w, V, h, mass))
            beyond[link.parent] = beyond[link.parent] + moved
            point = NO_INERTIA._replace(mass=mass).moved(link.placement)
            inertias[link.parent] = inertias[link.parent] + point
        add_forces(forces, link, motions[i], _joint_forces(link, V, h, mass, external.get(i)))
    return forces


def _before_joint(motion: LinkMotion, w: Vec3, V: Motion, h: Force, m: Any) -> Force:
    """Return L and P − m v in the parent's frame where the joint is; w its angular velocity."""
    (L, P), (R, r) = h, motion.pose
    moment = R.rotate(L) + r.cross(R.rotate(P + V.linear * m))
    return Force(moment, R.rotate(P) + (w.cross(r) + R.rotate(motion.twist.linear)) * m)


def _joint_forces(link: Link, V: Motion, h: Force, m: Any, W: Force | None) -> list[Any]:
    """Return ``Ξᵀ (dh/dt − ad(V)ᵀ h − W)``; components that no screw has are not computed.

    ``h`` is L and P − m v.
    """
    (w, v), (L, p) = V, h
    P = p + v * m

    def moment(i: int) -> Any:
        rate = dt(L[i]) + (_cross(w, L, i) + _cross(v, p, i))
        return rate if W is None else rate - W.moment[i]

    def force(i: int) -> Any:
        rate = dt(P[i]) + _cross(w, P, i)
        return rate if W is None else rate - W.force[i]

    forces = []
    for angular, linear in link.step.screws:
        terms = [moment(i) * x for i, x in enumerate(angular) if x != 0.0]
        terms += [force(i) * x for i, x in enumerate(linear) if x != 0.0]
        forces.append(reduce(add, terms))
    return forces


def _cross(a: Vec3, b: Vec3, i: int) -> Any:
    j, k = (i + 1) % 3, (i + 2) % 3
    return a[j] * b[k] - a[k] * b[j]


FORMULATIONS = {
    "momentum": inverse_dynamics_momentum,
    "body": inverse_dynamics_body,
    "spatial": inverse_dynamics_spatial,
    "hybrid": inverse_dynamics_hybrid,
}
