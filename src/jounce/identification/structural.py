"""Inertias that no force can tell apart, from the geometry of the robot alone.

The regrouping rule: an inertia that the motion of a joint leaves unchanged may sit on either
side of it (`jounce.model.regroup`).  Here unchanged means: as far as the link can move.  With S
the twists a link can have and G the directions gravity can have in it, both in its frame, an
inertia M may leave link i for its parent if for all x, y in S, γ in G and the screws Ξ of joint i::

    Ξᵀ M x = 0      Ξᵀ M γ = 0      xᵀ (ad(Ξ)ᵀ M + M ad(Ξ)) y = 0

The second says that the joint feels no weight of it, so the potential does not depend on the
joint, and no other joint feels a change either.

On a link that moves in all directions this is the rule of `regroup`.  Parallel axes (S is that
of a plane) and gravity along an axis (G is a line) leave more.  At the ground it disappears.
"""

from __future__ import annotations

import numpy as np

from jounce.algebra.se3 import Transform
from jounce.dynamics.motion import screws
from jounce.dynamics.regressor import UNITS
from jounce.dynamics.tensors import ad, inertia_matrix, twist_matrix
from jounce.model.robot import Robot
from jounce.model.tree import Link, Tree, lowered

Array = np.ndarray


def structural_null_space(robot: Robot, tolerance: float) -> Array:
    """Return changes of the parameters that change no force, as columns ``(10 n_bodies, r)``."""
    tree = lowered(robot)
    spaces = _mobilities(tree, tolerance)
    count = len(tree.links)
    vectors = []
    for i, link in enumerate(tree.links):
        movable = _movable(link, *spaces[i], tolerance)
        change = np.zeros((count, 10, movable.shape[1]))
        change[i] = movable
        if link.parent >= 0:
            change[link.parent] -= shift_matrix(link.placement) @ movable
        vectors.append(change.reshape(10 * count, -1))
    return _on_bodies(tree, np.concatenate(vectors, axis=1), tolerance)


def _mobilities(tree: Tree, tolerance: float) -> list[tuple[Array, Array]]:
    """Return S and G of every link: bases of subspaces, in the frame of the link."""
    gravity = np.array([[0.0], [0.0], [0.0], *([float(g)] for g in tree.gravity)])
    result: list[tuple[Array, Array]] = []
    for link in tree.links:
        S, G = result[link.parent] if link.parent >= 0 else (np.zeros((6, 0)), gravity)
        Ad = twist_matrix(link.placement)
        Xi = _screws(link)
        S = _closed(np.concatenate([Ad @ S, Xi], axis=1), Xi, tolerance)
        result.append((S, _closed(Ad @ G, Xi, tolerance)))
    return result


def _closed(space: Array, Xi: Array, tolerance: float) -> Array:
    """Return the smallest space that holds ``space`` and that no motion of the joint leaves."""
    basis = column_space(space, tolerance)
    while True:
        turned = [ad(X) @ basis for X in Xi.T]
        grown = column_space(np.concatenate([basis, *turned], axis=1), tolerance)
        if grown.shape == basis.shape:
            return basis
        basis = grown


def _movable(link: Link, S: Array, G: Array, tolerance: float) -> Array:
    """Return the inertias that may leave a link for its parent, as columns of parameters."""
    conditions = []
    for X in _screws(link).T:
        bracket = ad(X)
        for unit in _unit_matrices():
            L = bracket.T @ unit + unit @ bracket
            terms = (X @ unit @ S, X @ unit @ G, S.T @ L @ S)
            conditions.append(np.concatenate([term.ravel() for term in terms]))
    rows = np.concatenate(np.split(np.array(conditions), len(conditions) // 10), axis=1).T
    return null_space(rows, tolerance)


def _on_bodies(tree: Tree, vectors: Array, tolerance: float) -> Array:
    """Keep what touches bodies only, and express it in the frames users see."""
    bodies = {link: body for body, link in enumerate(tree.body_links)}
    blocks = vectors.reshape(len(tree.links), 10, -1)
    inner = [i for i in range(len(tree.links)) if i not in bodies]  # of universal, planar joints
    if inner:
        kept = null_space(blocks[inner].reshape(-1, blocks.shape[-1]), tolerance)
        blocks = blocks @ kept
    own = [
        shift_matrix(T.inverse) @ blocks[link]
        for link, T in zip(tree.body_links, tree.body_placements, strict=True)
    ]
    return column_space(np.concatenate(own), tolerance)


def shift_matrix(T: Transform) -> Array:
    """Return the 10x10 matrix that takes parameters in a frame at ``T`` to its parent's."""
    moved = [unit.moved(T) for unit in UNITS]
    return np.array([[m, *h, *I] for m, h, I in moved], float).T


def _unit_matrices() -> list[Array]:
    return [inertia_matrix(unit) for unit in UNITS]


def _screws(link: Link) -> Array:
    return np.array([[*X.angular, *X.linear] for X in screws(link.step)], float).T


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
