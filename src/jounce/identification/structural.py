"""Inertias that no force can tell apart, from the geometry of the robot alone.

The regrouping rule: an inertia that the motion of a joint leaves unchanged may sit on either
side of it (`jounce.model.lowering.reduced`).  Here unchanged means: as far as the link can
move.  With S the twists a link can have and G the directions gravity can have in it, both in its
frame, an inertia M may leave link i for its parent if for all x, y in S, γ in G and the screws Ξ
of joint i::

    Ξᵀ M x = 0      Ξᵀ M γ = 0      xᵀ (ad(Ξ)ᵀ M + M ad(Ξ)) y = 0

Where only ``Ξᵀ M Ξ`` is left of the first, for one screw of the joint, a motor inertia of this
size does the same.  The second says that the joint feels no weight of it, so the potential does
not depend on the joint, and no other joint feels a change either.

On a link that moves in all directions this is `invariant_part` of its joint.  Parallel axes (S
is that of a plane) and gravity along an axis (G is a line) leave more.  At the ground it
disappears.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jounce.algebra.se3 import Transform
from jounce.algebra.spatial_matrix import ad_matrix, inertia_matrix, pull_matrix
from jounce.dynamics.regressor import UNITS
from jounce.model.lowering.tree import Link, Tree, lowered
from jounce.model.robot import Robot

Array = np.ndarray


def structural_null_space(robot: Robot, tolerance: float, *, armature: bool = False) -> Array:
    """Return changes of the parameters that change no force, as columns ``(10 n_bodies, r)``.

    With ``armature`` nv rows follow, of the motor inertias.
    """
    tree = lowered(robot)
    count = len(tree.links)
    matter, motors = [], []
    for i, (link, space) in enumerate(zip(tree.links, _mobilities(tree, tolerance), strict=True)):
        movable = _movable(link, space, tolerance, armature)
        change = np.zeros((count, 10, movable.shape[1]))
        change[i] = movable[:10]
        if link.parent >= 0:
            change[link.parent] -= shift_matrix(link.placement) @ movable[:10]
        matter.append(change)
        motor = np.zeros((tree.nv if armature else 0, movable.shape[1]))
        v, factor = link.coordinates.v, float(link.coordinates.multiplier) ** 2
        motor[v : v + len(movable) - 10] = -factor * movable[10:]
        motors.append(motor)
    return _on_bodies(
        tree, np.concatenate(matter, axis=-1), np.concatenate(motors, axis=1), tolerance
    )


class _Space(NamedTuple):
    """Bases of subspaces in the frame of a link."""

    carried: Array  # the part of S that the joints before this one give
    S: Array
    G: Array


def _mobilities(tree: Tree, tolerance: float) -> list[_Space]:
    """Return how every link, and gravity in it, can move."""
    gravity = np.array([[0.0], [0.0], [0.0], *([float(g)] for g in tree.gravity)])
    none = np.zeros((6, 0))
    result: list[_Space] = []
    for link in tree.links:
        _, S, G = result[link.parent] if link.parent >= 0 else (none, none, gravity)
        Ad, Xi = pull_matrix(link.placement), _screws(link)
        carried = _closed(Ad @ S, Xi, tolerance)
        S = _closed(np.concatenate([carried, Xi], axis=1), Xi, tolerance)
        result.append(_Space(carried, S, _closed(Ad @ G, Xi, tolerance)))
    return result


def _closed(space: Array, Xi: Array, tolerance: float) -> Array:
    """Return the smallest space that holds ``space`` and that no motion of the joint leaves."""
    basis = column_space(space, tolerance)
    while True:
        turned = [ad_matrix(X) @ basis for X in Xi.T]
        grown = column_space(np.concatenate([basis, *turned], axis=1), tolerance)
        if grown.shape == basis.shape:
            return basis
        basis = grown


def _movable(link: Link, space: _Space, tolerance: float, armature: bool) -> Array:
    """Return the inertias that may leave a link for its parent, as columns of parameters.

    With ``armature`` also those that leave it but for motor inertias, which follow.
    """
    carried, S, G = space
    Xi = _screws(link)
    brackets = [ad_matrix(X) for X in Xi.T]

    def conditions(M: Array, own: Array) -> Array:
        felt = (Xi.T @ M @ carried, own, Xi.T @ M @ G)
        changed = (S.T @ (bracket.T @ M + M @ bracket) @ S for bracket in brackets)
        return np.concatenate([term.ravel() for term in (*felt, *changed)])

    columns = [conditions(M, Xi.T @ M @ Xi) for M in map(inertia_matrix, UNITS)]
    if armature:
        columns += [conditions(np.zeros((6, 6)), -np.diag(e)) for e in np.eye(Xi.shape[1])]
    return null_space(np.array(columns).T, tolerance)


def _on_bodies(tree: Tree, blocks: Array, motors: Array, tolerance: float) -> Array:
    """Keep what touches bodies and motors only, and express it in the frames users see."""
    bodies = {link: body for body, link in enumerate(tree.body_links)}
    inner = [i for i in range(len(tree.links)) if i not in bodies]  # of universal, planar joints
    if inner:
        kept = null_space(blocks[inner].reshape(-1, blocks.shape[-1]), tolerance)
        blocks, motors = blocks @ kept, motors @ kept
    own = [
        shift_matrix(T.inverse) @ blocks[link]
        for link, T in zip(tree.body_links, tree.body_placements, strict=True)
    ]
    return column_space(np.concatenate([*own, motors]), tolerance)


def shift_matrix(T: Transform) -> Array:
    """Return the 10x10 matrix that takes parameters in a frame at ``T`` to its parent's."""
    moved = [unit.moved(T) for unit in UNITS]
    return np.array([[m, *h, *I] for m, h, I in moved], float).T


def _screws(link: Link) -> Array:
    return np.array([[*X.angular, *X.linear] for X in link.step.screws], float).T


def column_space(matrix: Array, tolerance: float) -> Array:
    """Return an orthonormal basis of the columns."""
    if not matrix.size:
        return matrix
    U, s, _ = np.linalg.svd(matrix, full_matrices=False)
    return U[:, s > tolerance * max(1.0, s[0])]


def null_space(matrix: Array, tolerance: float) -> Array:
    """Return an orthonormal basis of the vectors that the matrix takes to zero."""
    _, s, Vt = np.linalg.svd(matrix, full_matrices=True)
    rank = int(np.sum(s > tolerance * max(1.0, s[0] if s.size else 0.0)))
    return Vt[rank:].T
