"""Momentum, energies and the centre of mass of a whole robot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.algebra.se3 import NO_FORCE, Force, Motion, components
from jounce.algebra.vector import ZERO, Vec3
from jounce.dynamics.motion import Moving, moving
from jounce.dynamics.rows import Rates, Rows, Scalars, as_rows
from jounce.dynamics.twists import body_forces
from jounce.errors import UnsupportedError
from jounce.model.lowering.tree import lowered
from jounce.model.robot import Robot


def momenta_beyond(m: Moving, twists: Sequence[Motion]) -> list[Force]:
    """Return the momentum of everything beyond each joint.

    ``h_i = M_i V_i + Σ_c Ad(C_{c,i})ᵀ h_c``; the twists of the links are the true ones, or
    those over a falling ground.
    """
    return m.inwards(lambda i: m.links[i].inertia.apply(twists[i]))


def momentum_jets(m: Moving) -> Force:
    """Return the momentum of all bodies about the world origin, ``Σ Ad(C_i)⁻ᵀ M_i V_i``.

    Summed inwards, so each link is transformed once.
    """
    total, beyond = NO_FORCE, momenta_beyond(m, m.twists)
    for i, link in reversed(list(enumerate(m.links))):
        if link.parent < 0:
            total = total + m.inward(i, beyond[i])
    return total


def first_moment(robot: Robot, m: Moving) -> Vec3:
    """Return ``Σ m_i c_i`` in the world, the matter welded to the ground included."""
    total = robot.base_inertia.spatial.first_moment
    for link, pose in zip(m.links, m.poses, strict=True):
        mass, h, _ = link.inertia
        total = total + pose.rotation.rotate(h) + pose.p * mass
    return total


def body_momenta(robot: Robot, q: Scalars, rates: Rates, representation: str) -> Rows:
    """Return the momentum ``M_i V_i`` of every body [M20, (10)]; K rates give K rows."""
    m = moving(lowered(robot), q, rates)
    momenta = [link.inertia.apply(V) for link, V in zip(m.links, m.twists, strict=True)]
    return as_rows(body_forces(m, momenta, representation), len(rates) - 1)


def momentum(robot: Robot, q: Scalars, rates: Rates) -> Rows:
    """Return angular and linear momentum about the world origin; K rates give K rows."""
    h = momentum_jets(moving(lowered(robot), q, rates))
    return as_rows(components(h), len(rates) - 1)


def centroidal_momentum(robot: Robot, q: Scalars, rates: Rates) -> Rows:
    """Return angular and linear momentum about the centre of mass; K rates give K rows."""
    m = moving(lowered(robot), q, rates)
    L, P = momentum_jets(m)
    about_com = Force(L - center_of_mass_jets(robot, m).cross(P), P)
    return as_rows(components(about_com), len(rates) - 1)


def kinetic_energy(robot: Robot, q: Scalars, rates: Rates) -> Rows:
    """Return ``½ Σ V_iᵀ M_i V_i`` and that of the motors, ``½ Σ armature v²``: ½ vᵀ M v; K rows."""
    m = moving(lowered(robot), q, rates)
    twice: Any = 0.0
    for link, motion, V in zip(m.links, m.motions, m.twists, strict=True):
        twice = twice + V.power(link.inertia.apply(V))
        for rate, armature in zip(motion.rates, link.armature, strict=True):
            twice = twice + rate * rate * armature
    return as_rows([twice * 0.5], len(rates) - 1)


def potential_energy(robot: Robot, q: Scalars, rates: Rates) -> Rows:
    """Return the potential energy, zero for all matter at the world origin."""
    h = first_moment(robot, moving(lowered(robot), q, rates))
    return as_rows([-robot.gravity.dot(h)], len(rates) - 1)


def center_of_mass(robot: Robot, q: Scalars, rates: Rates) -> Rows:
    """Return the centre of mass in the world; K rates give K + 1 rows."""
    return as_rows(center_of_mass_jets(robot, moving(lowered(robot), q, rates)), len(rates))


def com_jacobian(robot: Robot, q: Scalars, rates: Rates) -> Rows:
    """Return the Jacobian of the centre of mass, 3 nv scalars, row by row [GOA13, (7)]."""
    columns = com_jacobian_jets(robot, moving(lowered(robot), q, rates))
    return as_rows([column[k] for k in range(3) for column in columns], len(rates))


def com_jacobian_jets(robot: Robot, m: Moving) -> list[Vec3]:
    """Return the columns of the Jacobian of the centre of mass, one a velocity; [GOA13, (7)].

    With mass m and first moment h in the world of everything beyond a joint whose spatial
    screw is (w, v): ``m v + w × h``, over the mass of the robot.
    """
    scale = 1.0 / _mass(robot)
    columns = [ZERO] * m.tree.nv
    masses: list[Any] = [0.0] * len(m.links)
    moments = [ZERO] * len(m.links)
    for i in reversed(range(len(m.links))):
        link, pose = m.links[i], m.poses[i]
        mass, h, _ = link.inertia
        masses[i] = masses[i] + mass
        moments[i] = moments[i] + pose.rotation.rotate(h) + pose.p * mass
        for k, X in enumerate(link.step.screws):
            w, v = pose.act(X)
            link.add(columns, k, v * masses[i] + w.cross(moments[i]))
        if link.parent >= 0:
            masses[link.parent] = masses[link.parent] + masses[i]
            moments[link.parent] = moments[link.parent] + moments[i]
    return [column * scale for column in columns]


def center_of_mass_jets(robot: Robot, m: Moving) -> Vec3:
    """Return the centre of mass in the world."""
    return first_moment(robot, m) * (1.0 / _mass(robot))


def _mass(robot: Robot) -> Any:
    if robot.mass == 0.0:
        raise UnsupportedError(f"robot {robot.name!r} has no mass, so no centre of mass.")
    return robot.mass
