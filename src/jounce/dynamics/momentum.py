"""Momentum, energies and the centre of mass of a whole tree, as jets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.algebra.inertia import SpatialInertia
from jounce.algebra.se3 import NO_FORCE, Force, Motion, Transform
from jounce.algebra.vector import ZERO, Vec3
from jounce.dynamics.motion import LinkMotion, screws
from jounce.model.lowering.tree import Tree


def momentum(tree: Tree, motions: Sequence[LinkMotion], twists: Sequence[Motion]) -> Force:
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


def kinetic_energy(tree: Tree, motions: Sequence[LinkMotion], twists: Sequence[Motion]) -> Any:
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
        for k, X in enumerate(screws(link.step)):
            w, v = pose.act(X)
            index = link.coordinates.v + k
            column = v * masses[i] + w.cross(moments[i])
            columns[index] = columns[index] + column * link.coordinates.multiplier
        if link.parent >= 0:
            masses[link.parent] = masses[link.parent] + masses[i]
            moments[link.parent] = moments[link.parent] + moments[i]
    return columns
