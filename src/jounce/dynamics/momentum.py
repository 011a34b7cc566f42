"""Momentum, energies and the centre of mass of a whole robot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.algebra.inertia import SpatialInertia
from jounce.algebra.se3 import NO_FORCE, Force, Motion, Transform, components
from jounce.algebra.vector import ZERO, Vec3
from jounce.dynamics.motion import LinkMotion, link_motions
from jounce.dynamics.poses import link_poses
from jounce.dynamics.rows import Rows, Scalars, as_rows
from jounce.dynamics.twists import body_forces, link_twists
from jounce.errors import UnsupportedError
from jounce.model.lowering.tree import Tree, lowered
from jounce.model.robot import Robot


def momentum_jets(tree: Tree, motions: Sequence[LinkMotion], twists: Sequence[Motion]) -> Force:
    """Return the momentum of all bodies about the world origin, ``Σ Ad(C_i)⁻ᵀ M_i V_i``.

    Summed inwards, so each link is transformed once: ``h_i = M_i V_i + Σ_c Ad(C_{c,i})ᵀ h_c``.
    """
    total = NO_FORCE
    beyond = [NO_FORCE] * len(tree.links)
    for i in reversed(range(len(tree.links))):
        link = tree.links[i]
        h = link.placement.push(motions[i].pose.push(link.inertia.apply(twists[i]) + beyond[i]))
        if link.parent < 0:
            total = total + h
        else:
            beyond[link.parent] = beyond[link.parent] + h
    return total


def kinetic_energy_jet(tree: Tree, motions: Sequence[LinkMotion], twists: Sequence[Motion]) -> Any:
    """Return ``½ Σ V_iᵀ M_i V_i`` and that of the motors, ``½ Σ armature v²``: ½ vᵀ M v."""
    twice: Any = 0.0
    for link, motion, V in zip(tree.links, motions, twists, strict=True):
        twice = twice + V.power(link.inertia.apply(V))
        for rate, armature in zip(motion.rates, link.armature, strict=True):
            twice = twice + rate * rate * armature
    return twice * 0.5


def first_moment(tree: Tree, poses: Sequence[Transform], base: SpatialInertia) -> Vec3:
    """Return ``Σ m_i c_i`` in the world, the matter welded to the ground included."""
    total = base.first_moment
    for link, pose in zip(tree.links, poses, strict=True):
        mass, h, _ = link.inertia
        total = total + pose.rotation.rotate(h) + pose.p * mass
    return total


def first_moment_jacobian(tree: Tree, poses: Sequence[Transform]) -> list[Vec3]:
    """Return the columns of ``∂(Σ m_i c_i)/∂q``, one a velocity; [GOA13, (7)] times the mass.

    With mass m and first moment h in the world of everything beyond a joint whose spatial
    screw is (w, v): ``m v + w × h``.
    """
    columns = [ZERO] * tree.nv
    masses: list[Any] = [0.0] * len(tree.links)
    moments = [ZERO] * len(tree.links)
    for i in reversed(range(len(tree.links))):
        link, pose = tree.links[i], poses[i]
        mass, h, _ = link.inertia
        masses[i] = masses[i] + mass
        moments[i] = moments[i] + pose.rotation.rotate(h) + pose.p * mass
        for k, X in enumerate(link.step.screws):
            w, v = pose.act(X)
            index = link.coordinates.v + k
            column = v * masses[i] + w.cross(moments[i])
            columns[index] = columns[index] + column * link.coordinates.multiplier
        if link.parent >= 0:
            masses[link.parent] = masses[link.parent] + masses[i]
            moments[link.parent] = moments[link.parent] + moments[i]
    return columns


def body_momenta(robot: Robot, q: Scalars, rates: Sequence[Scalars], representation: str) -> Rows:
    """Return the momentum ``M_i V_i`` of every body [M20, (10)]; K rates give K rows."""
    tree, motions, twists = _moving(robot, q, rates)
    momenta = [link.inertia.apply(V) for link, V in zip(tree.links, twists, strict=True)]
    forces = body_forces(tree, motions, momenta, representation)
    return as_rows((x for h in forces for x in components(h)), len(rates) - 1)


def momentum(robot: Robot, q: Scalars, rates: Sequence[Scalars]) -> Rows:
    """Return angular and linear momentum about the world origin; K rates give K rows."""
    tree, motions, twists = _moving(robot, q, rates)
    return as_rows(components(momentum_jets(tree, motions, twists)), len(rates) - 1)


def centroidal_momentum(robot: Robot, q: Scalars, rates: Sequence[Scalars]) -> Rows:
    """Return angular and linear momentum about the centre of mass; K rates give K rows."""
    tree, motions, twists = _moving(robot, q, rates)
    L, P = momentum_jets(tree, motions, twists)
    about_com = Force(L - center_of_mass_jets(robot, tree, motions).cross(P), P)
    return as_rows(components(about_com), len(rates) - 1)


def kinetic_energy(robot: Robot, q: Scalars, rates: Sequence[Scalars]) -> Rows:
    """Return the kinetic energy, motors included; K rates give K rows."""
    return as_rows([kinetic_energy_jet(*_moving(robot, q, rates))], len(rates) - 1)


def potential_energy(robot: Robot, q: Scalars, rates: Sequence[Scalars]) -> Rows:
    """Return the potential energy, zero for all matter at the world origin."""
    tree = lowered(robot)
    poses = link_poses(tree, link_motions(tree, q, rates))
    h = first_moment(tree, poses, robot.base_inertia.spatial)
    return as_rows([-robot.gravity.dot(h)], len(rates) - 1)


def center_of_mass(robot: Robot, q: Scalars, rates: Sequence[Scalars]) -> Rows:
    """Return the centre of mass in the world; K rates give K + 1 rows."""
    tree = lowered(robot)
    motions = link_motions(tree, q, rates)
    return as_rows(center_of_mass_jets(robot, tree, motions), len(rates))


def com_jacobian(robot: Robot, q: Scalars, rates: Sequence[Scalars]) -> Rows:
    """Return the Jacobian of the centre of mass, 3 nv scalars, row by row [GOA13, (7)]."""
    tree = lowered(robot)
    columns = com_jacobian_jets(robot, tree, link_motions(tree, q, rates))
    return as_rows([column[k] for k in range(3) for column in columns], len(rates))


def com_jacobian_jets(robot: Robot, tree: Tree, motions: Sequence[LinkMotion]) -> list[Vec3]:
    """Return the columns of the Jacobian of the centre of mass, one a velocity."""
    scale = 1.0 / _mass(robot)
    return [column * scale for column in first_moment_jacobian(tree, link_poses(tree, motions))]


def center_of_mass_jets(robot: Robot, tree: Tree, motions: Sequence[LinkMotion]) -> Vec3:
    """Return the centre of mass in the world."""
    h = first_moment(tree, link_poses(tree, motions), robot.base_inertia.spatial)
    return h * (1.0 / _mass(robot))


def _mass(robot: Robot) -> Any:
    if robot.mass == 0.0:
        raise UnsupportedError(f"robot {robot.name!r} has no mass, so no centre of mass.")
    return robot.mass


def _moving(
    robot: Robot, q: Scalars, rates: Sequence[Scalars]
) -> tuple[Tree, list[LinkMotion], list[Motion]]:
    tree = lowered(robot)
    motions = link_motions(tree, q, rates)
    return tree, motions, link_twists(tree, motions)
