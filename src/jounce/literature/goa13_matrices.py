"""Mass and Coriolis matrix and gravity, with their derivatives by state and time [GOA13].

    M = Σ Jᵀ Λ J      C = Σ Jᵀ (Ψ J + Λ J̇)      g = Σ Jᵀ Λ γ      Ψ = Λ adj − adjᵀ Λ       (6)

sums over the bodies k; γ_k = Ad_{0,k}⁻¹ γ_0 with γ_0 = −g₀ of the world.  Trees with every kind of
joint; partials by q_h are by the increments of `jounce.literature.goa13_jacobians`.  C is the
passive one: Ṁ = C + Cᵀ.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from jounce.literature.chain import Array, ad
from jounce.literature.goa13_jacobians import Kinematics, kinematics
from jounce.literature.tree import Tree


class Matrices(NamedTuple):
    """The dynamic matrices and their derivatives; h is the last axis."""

    M: Array  # (nv, nv)
    C: Array
    g: Array  # (nv,)
    M1: Array
    C1: Array
    g1: Array
    dM_dq: Array  # (nv, nv, nv)
    dC_dq: Array
    dC_dw: Array
    dg_dq: Array  # (nv, nv)


def dynamic_matrices(tree: Tree, q: Any, w: Any, w1: Any) -> Matrices:
    """Return the matrices and their derivatives by state and time [GOA13, (6), (24), (25)]."""
    found = kinematics(tree, q, w, w1)
    gamma = np.concatenate([np.zeros(3), -tree.gravity])  # γ_0
    bodies = []
    for Lambda, *own in zip(tree.inertias, *found, strict=True):
        body = Kinematics(*own)
        bodies.append(_body(Lambda, body, body.Ad_inverse @ gamma, np.asarray(w), w1))
    return Matrices(*(np.sum(parts, axis=0) for parts in zip(*bodies, strict=True)))


def _body(Lambda: Array, own: Kinematics, gamma: Array, w: Array, w1: Any) -> list[Array]:
    """Return what one body adds to every matrix."""
    _, J, J1, J2, dJ, dJ1 = own
    adj0 = ad(J @ w)
    adj1 = ad(J @ np.asarray(w1) + J1 @ w)  # of the rate of the twist
    Psi, Psi1 = Lambda @ adj0 - adj0.T @ Lambda, Lambda @ adj1 - adj1.T @ Lambda
    inner = Psi @ J + Lambda @ J1
    parts = [J.T @ Lambda @ J, J.T @ inner, J.T @ Lambda @ gamma]  # (6)
    parts += [
        J1.T @ Lambda @ J + J.T @ Lambda @ J1,  # (25a)
        # Erratum: GOA13 (25b): Jᵀ Λ J̇ and adj of the twist are printed in the last bracket
        J1.T @ inner + J.T @ (Lambda @ J2 + Psi1 @ J + Psi @ J1),
        (J1.T @ Lambda - J.T @ Lambda @ adj0) @ gamma,  # (25c)
    ]
    columns: list[list[Array]] = [[], [], [], []]
    for h in range(J.shape[1]):
        dJ_h, dJ1_h, adj_h, turned = dJ[..., h], dJ1[..., h], ad(J[:, h]), ad(dJ[..., h] @ w)
        dPsi_q, dPsi_w = (Lambda @ a - a.T @ Lambda for a in (turned, adj_h))
        columns[0].append(dJ_h.T @ Lambda @ J + J.T @ Lambda @ dJ_h)  # (24a)
        columns[1].append(
            dJ_h.T @ inner + J.T @ (Lambda @ dJ1_h + dPsi_q @ J + Psi @ dJ_h)
        )  # (24b)
        columns[2].append(J.T @ (dPsi_w @ J + Lambda @ dJ_h))  # (24c), ∂J̇/∂w by (30)
        columns[3].append((dJ_h.T @ Lambda - J.T @ Lambda @ adj_h) @ gamma)  # (24d)
    return [*parts, *(np.stack(rows, axis=-1) for rows in columns)]
