"""Generalised gravity forces."""

from __future__ import annotations

from typing import Any

from jounce.algebra.vector import ZERO, Vec3
from jounce.dynamics.motion import Moving, moving
from jounce.dynamics.rows import Rates, Rows, Scalars, as_rows
from jounce.dynamics.twists import body_forces
from jounce.model.lowering.reduced import reduced
from jounce.model.lowering.tree import lowered
from jounce.model.robot import Robot


def gravity_forces(robot: Robot, q: Scalars, rates: Rates) -> Rows:
    """Return the gravity forces g, dg/dt, ... as rows of nv scalars; K rates give K + 1 rows."""
    return as_rows(gravity_force_jets(moving(reduced(robot), q, rates)), len(rates))


def gravity_wrenches(robot: Robot, q: Scalars, rates: Rates, representation: str) -> Rows:
    """Return the wrench of gravity on every body, ``W_i = M_i Ad(C_i)⁻¹ (0, g)`` [M20, (23)-(25)].

    6 scalars each; K rates give K + 1 rows.
    """
    m = moving(lowered(robot), q, rates)
    fields = m.gravity_fields  # minus gravity
    weights = [link.inertia.apply(G * -1.0) for link, G in zip(m.links, fields, strict=True)]
    return as_rows(body_forces(m, weights, representation), len(rates))


def gravity_force_jets(m: Moving) -> list[Any]:
    """Return the forces that hold the robot against gravity, one jet a velocity.

    With G_i minus gravity in the frame of link i, m_i and h_i mass and first moment of all
    that lies beyond joint i, in that frame::

        G_i = R_{i,p}ᵀ G_p        h_p = Σ_c m_c p_c + R_c h_c + own
        g_i = Ξ_iᵀ (h_i × G_i, m_i G_i)                       [MK21], corrected as any direction
    """
    fields: list[Vec3] = []
    for link, motion in zip(m.links, m.motions, strict=True):
        G = fields[link.parent] if link.parent >= 0 else -m.tree.gravity
        fields.append(motion.pose.rotation.unrotate(link.placement.rotation.unrotate(G)))
    masses: list[Any] = [0.0] * len(m.links)
    moments = [ZERO] * len(m.links)
    forces: list[Any] = [0.0] * m.tree.nv
    for i in reversed(range(len(m.links))):
        link, G = m.links[i], fields[i]
        mass = masses[i] + link.inertia.mass
        h = moments[i] + link.inertia.first_moment
        torque, push = h.cross(G), G * mass
        for k, X in enumerate(link.step.screws):
            link.add(forces, k, X.angular.dot(torque) + X.linear.dot(push))
        if link.parent >= 0:
            pose, place = m.motions[i].pose, link.placement
            inner = pose.rotation.rotate(h) + pose.p * mass
            masses[link.parent] = masses[link.parent] + mass
            moved = place.rotation.rotate(inner) + place.p * mass
            moments[link.parent] = moments[link.parent] + moved
    return forces
