"""Jacobians with their derivatives by time and by the state, by recursion [GOA13, section VI].

Trees with every kind of joint: p is the parent of link k, ``J_k`` the Jacobian in the frame of the
link, ``Ξ_k`` the constant matrix of the joint with ``ξ_k = Ξ_k w``, ``adj_{p,k}`` that of the
relative twist ξ_k.  w is q̇, or the velocity of [GOA13, Remark 7] where a joint has a quaternion;
derivatives by q_h are then by the increment ``T exp(Ξ^h ε)``, which is what (33) says.  The paper
puts the linear part first: so do all lines here; the screws are turned round when they come in and
the rows of the result when they go out, which is angular first like everything public.
(26)-(33) are right as printed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from jounce.literature.chain import Array, tilde
from jounce.literature.tree import Link, Tree

OTHER_ORDER = [3, 4, 5, 0, 1, 2]  # (ω, v) <-> (v, ω)


class Kinematics(NamedTuple):
    """What the algorithm propagates, of every body; h is the last axis. Angular rows first."""

    Ad_inverse: Array  # (n, 6, 6), Ad_{0,k}⁻¹
    J: Array  # (n, 6, nv)
    J1: Array
    J2: Array
    dJ_dq: Array  # (n, 6, nv, nv); also ∂J̇/∂w, by (30) and (33)
    dJ1_dq: Array


def kinematics(tree: Tree, q: Any, w: Any, w1: Any) -> Kinematics:
    """Run "Iterative computation of the kinematics" on q, w and ẇ [GOA13, (27)-(32)]."""
    links: list[Kinematics] = []
    for link in tree.links:
        links.append(_next(tree, link, _parent(tree, link, links), q, (w, w1)))
    bodies = [
        Kinematics(*(_times(Ad_inverse(T), x) for x in links[k]))
        for k, T in zip(tree.bodies, tree.placements, strict=True)
    ]
    rows = [np.stack(part)[:, OTHER_ORDER] for part in zip(*bodies, strict=True)]
    return Kinematics(rows[0][..., OTHER_ORDER], *rows[1:])


def jacobians(tree: Tree, q: Any, w: Any, w1: Any) -> Array:
    """Return ``J_k, J̇_k, J̈_k`` of every body, (3, n, 6, nv) [GOA13, (27)-(29)]."""
    found = kinematics(tree, q, w, w1)
    return np.stack([found.J, found.J1, found.J2])


def _parent(tree: Tree, link: Link, links: list[Kinematics]) -> Kinematics:
    """Return what the parent has; of the ground "matrices of zeros" and the identity."""
    if link.parent >= 0:
        return links[link.parent]
    zero, more = np.zeros((6, tree.nv)), np.zeros((6, tree.nv, tree.nv))
    return Kinematics(np.eye(6), zero, zero, zero, more, more)


def _next(tree: Tree, link: Link, p: Kinematics, q: Any, rates: tuple[Any, Any]) -> Kinematics:
    """Propagate from the parent p to a link."""
    Xi = tree.screws(link)[OTHER_ORDER]  # linear first from here
    adj0, adj1 = (adj(Xi @ np.asarray(rate)) for rate in rates)
    Ad = Ad_inverse(link.pose(np.asarray(q)))
    moved, moved1 = Ad @ p.J, Ad @ p.J1
    J1 = moved1 - adj0 @ moved  # (28)
    J2 = Ad @ p.J2 - adj0 @ moved1 - adj1 @ moved - adj0 @ J1  # (29)
    columns = [adj(Xi[:, h]) for h in range(tree.nv)]  # adj of Ξ_k^h
    turned, turned1 = (np.stack([a @ x for a in columns], axis=-1) for x in (moved, moved1))
    dJ = _times(Ad, p.dJ_dq) - turned  # (31)
    dJ1 = _times(Ad, p.dJ1_dq) - turned1 - _times(adj0, dJ)  # (32)
    return Kinematics(Ad @ p.Ad_inverse, moved + Xi, J1, J2, dJ, dJ1)  # (27)


def _times(matrix: Array, columns: Array) -> Array:
    """Return the product over the first axis of the second factor, any scalar."""
    flat = columns.reshape(6, -1)
    return (matrix @ flat).reshape(columns.shape)


def Ad_inverse(T: Array) -> Array:
    """Return ``Ad⁻¹ = [Rᵀ, −Rᵀ r̃; 0, Rᵀ]``, linear part first [GOA13, (26)]."""
    R, r = T[:3, :3], T[:3, 3]
    return np.block([[R.T, -(R.T @ tilde(r))], [np.zeros((3, 3)), R.T]])


def adj(v: Array) -> Array:
    """Return ``adj = [ω̃, ṽ; 0, ω̃]``, linear part first [GOA13, (17)]."""
    linear, angular = tilde(v[:3]), tilde(v[3:])
    return np.block([[angular, linear], [np.zeros((3, 3)), angular]])
