"""Inverse dynamics of second order in body-fixed representation [M20, appendix B].

Serial chains.  In the frame of body i about its origin: ``V_i`` twists, ``M_i`` constant mass
matrices, ``W̄_i`` inter-body wrenches, ``X_i`` constant joint screws; ``Ad`` is that of
``C_{i,i−1} = (B_i exp(X_i q_i))⁻¹``; a digit is the order of the derivative.  The appendix stops
at V̇ and W̄̇; jerk, jounce and W̄̈ are what differentiating it once and twice more gives, with
``d/dt Ad = −q̇ ad_X Ad``: marked d(40), d²(40), d(41).  (40)-(42) are right as printed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from jounce.literature.chain import Ad_inverse, Array, SerialChain, ad, exp_screw, scalars


class InverseDynamics(NamedTuple):
    """What the recursions return."""

    Q: Array  # (3, n) generalised forces
    W: Array  # (3, n, 6) inter-body wrenches W̄
    V: Array  # (4, n, 6) twists


def inverse_dynamics(
    chain: SerialChain, q_derivatives: Any, applied: Any = None, *, accelerated_ground: bool = False
) -> InverseDynamics:
    """Run the outward and the inward recursion on ``q … q⁗``, (5, n) [M20, (40)-(42)].

    ``applied`` (3, n, 6): wrenches that the bodies exert on the environment, in the body frames,
    and their derivatives; the sign is the papers', opposite to the API's.
    Gravity adds ``M Ad(C_i)⁻¹ (0, −g)`` to every body; with ``accelerated_ground`` it is
    V̇_0 = (0, −g) instead: cheaper, same Q and W̄, but V̇, V̈, V⃛ are then not the true ones.
    """
    q1, q2 = scalars(q_derivatives)[1:3]
    Ads = [
        Ad_inverse(B @ exp_screw(X, q))
        for B, X, q in zip(chain.B, chain.screws_body, q_derivatives[0], strict=True)
    ]
    ground = chain.ground_acceleration if accelerated_ground else np.zeros(6)
    V = _twists(chain, Ads, q_derivatives, ground)
    own = [_body_wrench(M, V[:, i]) for i, M in enumerate(chain.inertias)]
    if not accelerated_ground:
        own = [w + g for w, g in zip(own, _gravity_wrenches(chain, Ads, V), strict=True)]
    W: list[Array] = []
    for i in reversed(range(chain.n)):
        W0, W1, W2 = own[i] if applied is None else own[i] + np.stack([w[i] for w in applied])
        if W:  # what joint i + 1 passes on
            N0, N1, N2 = W[-1]
            T, x, s, a = Ads[i + 1].T, ad(chain.screws_body[i + 1]).T, q1[i + 1], q2[i + 1]
            W0 = W0 + T @ N0  # (41)
            W1 = W1 + T @ (N1 - (x @ N0) * s)  # (41)
            N2 = N2 - (x @ N1) * (2 * s) - (x @ N0) * a + (x @ (x @ N0)) * (s * s)
            W2 = W2 + T @ N2  # d(41)
        W.append(np.stack([W0, W1, W2]))
    W.reverse()
    Q = [W_i @ X for W_i, X in zip(W, chain.screws_body, strict=True)]  # (42)
    return InverseDynamics(np.stack(Q, axis=1), np.stack(W, axis=1), V)


def _twists(chain: SerialChain, Ads: list[Array], q_derivatives: Any, ground: Array) -> Array:
    """Return ``V, V̇, V̈, V⃛`` of all bodies, (4, n, 6); ``ground`` is V̇_0."""
    _, q1, q2, q3, q4 = scalars(q_derivatives)
    V0 = V2 = V3 = np.zeros(6)
    V1 = ground
    V = []
    for i, X in enumerate(chain.screws_body):
        A, x, s, a, j = Ads[i], ad(X), q1[i], q2[i], q3[i]
        V0 = A @ V0 + X * s  # (40)
        X0 = ad(V0) @ X
        V1 = A @ V1 + X0 * s + X * a  # (40)
        X1 = ad(V1) @ X
        V2 = A @ V2 + X0 * a + X1 * (2 * s) + (x @ X0) * (s * s) + X * j  # d(40)
        X2 = ad(V2) @ X
        V3 = A @ V3 + X0 * j + X1 * (3 * a) + X2 * (3 * s) + X * q4[i]  # d²(40), first line
        V3 = V3 + (x @ X0) * (3 * s * a) + (x @ X1) * (3 * s * s) + (x @ (x @ X0)) * (s * s * s)
        V.append(np.stack([V0, V1, V2, V3]))
    return np.stack(V, axis=1)


def _body_wrench(M: Array, V: Array) -> Array:
    """Return ``M V̇ − ad_Vᵀ M V`` and its derivatives, (3, 6)."""
    P0, P1, P2, P3 = (M @ V_k for V_k in V)
    a0, a1, a2 = ad(V[0]).T, ad(V[1]).T, ad(V[2]).T
    W0 = P1 - a0 @ P0  # (41)
    W1 = P2 - a0 @ P1 - a1 @ P0  # (41)
    W2 = P3 - a0 @ P2 - 2 * (a1 @ P1) - a2 @ P0  # d(41)
    return np.stack([W0, W1, W2])


def _gravity_wrenches(chain: SerialChain, Ads: list[Array], V: Array) -> list[Array]:
    """Return ``M_i G_i``, G_i = Ad(C_i)⁻¹ (0, −g), and derivatives by ``Ġ_i = −ad(V_i) G_i``."""
    G0 = chain.ground_acceleration
    wrenches = []
    for i, M in enumerate(chain.inertias):
        a0, a1 = ad(V[0, i]), ad(V[1, i])
        G0 = Ads[i] @ G0
        G1 = -(a0 @ G0)  # (39) in the body frame
        G2 = -(a1 @ G0) - a0 @ G1
        wrenches.append(np.stack([M @ G0, M @ G1, M @ G2]))
    return wrenches
