"""Body Jacobians with two time derivatives by recursion [GOA13, section VI, (27)-(29)].

Serial chains with one degree of freedom a joint (the paper has trees).  ``J_k`` is the Jacobian
of body k in its own frame, p the body before it, ``Ξ_k`` the constant matrix whose column k is
the joint's screw, ``adj_{p,k}`` that of the relative twist ``ξ_k = Ξ_k q̇``.  The paper puts the
linear part first: so do all lines here; the screws are turned round when they come in and the
rows of the result when they go out, which is angular first like everything public.
(27)-(29) are right as printed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jounce.literature.chain import Array, SerialChain, exp_screw, scalars, tilde

OTHER_ORDER = [3, 4, 5, 0, 1, 2]  # (ω, v) <-> (v, ω)


def jacobians(chain: SerialChain, q_derivatives: Any) -> Array:
    """Return ``J_k, J̇_k, J̈_k``, (3, n, 6, n), angular rows first, from ``q, q̇, q̈``, (3, n)."""
    q0 = q_derivatives[0]
    _, q1, q2 = scalars(q_derivatives[:3])
    J = J1 = J2 = np.zeros((6, chain.n))  # the ground: "matrices of zeros"
    rows = []
    for k, X in enumerate(chain.screws_body):
        screw = X[OTHER_ORDER]  # linear first from here
        Xi = np.outer(screw, np.eye(chain.n)[k])
        T = chain.B[k] @ exp_screw(X, q0[k])  # T_{p,k}
        Ad, adj0, adj1 = Ad_inverse(T), adj(screw * q1[k]), adj(screw * q2[k])
        moved, moved1 = Ad @ J, Ad @ J1
        J = moved + Xi  # (27)
        J1 = moved1 - adj0 @ moved  # (28)
        J2 = Ad @ J2 - adj0 @ moved1 - adj1 @ moved - adj0 @ J1  # (29)
        rows.append(np.stack([J, J1, J2])[:, OTHER_ORDER])  # angular first again
    return np.stack(rows, axis=1)


def Ad_inverse(T: Array) -> Array:
    """Return ``Ad⁻¹ = [Rᵀ, −Rᵀ r̃; 0, Rᵀ]``, linear part first."""
    R, r = T[:3, :3], T[:3, 3]
    return np.block([[R.T, -(R.T @ tilde(r))], [np.zeros((3, 3)), R.T]])


def adj(v: Array) -> Array:
    """Return ``adj = [ω̃, ṽ; 0, ω̃]``, linear part first."""
    linear, angular = tilde(v[:3]), tilde(v[3:])
    return np.block([[angular, linear], [np.zeros((3, 3)), angular]])
