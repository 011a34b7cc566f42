"""Inverse dynamics of second order in spatial representation [M20, algorithm 3].

Serial chains.  World frame, about the world's origin: ``M_i`` spatial mass matrices, ``Π_i``
momenta, ``W̄_i`` inter-body wrenches, ``W^app`` applied and ``W^grav`` gravity wrenches; a digit is
the order of the derivative.

Errata applied: (22) and algorithm 3, Π⃛: ``− 3 adᵀ Π̈`` (algorithm 3 prints 2) and ``ad_V ad_V̇``
((22) prints ``ad_V² ad_V̇``); (25) has ``− M ad_V̇`` in both brackets; (23) one constant G = (0, −g).
(14), (18), (19), (21), (24), (31), (39) are right as printed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from jounce.literature.chain import Ad_inverse, Array, SerialChain, ad
from jounce.literature.m20_kinematics import Kinematics, forward_kinematics


class InverseDynamics(NamedTuple):
    """What algorithm 3 returns, orders 0 to 2, and the kinematics it used."""

    Q: Array  # (3, n) generalised forces
    W: Array  # (3, n, 6) inter-body wrenches W̄
    kinematics: Kinematics


def inverse_dynamics(
    chain: SerialChain, q_derivatives: Any, applied: Any = None, *, accelerated_ground: bool = False
) -> InverseDynamics:
    """Run algorithms 1 and 3 on ``q … q⁗``, (5, n) [M20, algorithm 3, (22)-(25)].

    ``applied`` (3, n, 6): wrenches that the bodies exert on the environment, spatial, and their
    derivatives (see `spatial_wrenches`); the sign is the papers', opposite to the API's.
    Gravity adds (23)-(25); with ``accelerated_ground`` it is V̇_0 = (0, −g) instead, as section III
    proposes: cheaper and the same Q, but S̈, S⃛, V̇ … V⃛ and W̄̈ are then not the true ones, and
    ``applied`` must be spatial in that accelerating world: give `spatial_wrenches` its kinematics.
    """
    # Erratum: M20 III a; Erratum: M20 III b: what else changes with the ground, see above
    ground = chain.ground_acceleration if accelerated_ground else None
    kinematics = forward_kinematics(chain, q_derivatives, ground)
    Q, W = [], []
    W0 = W1 = W2 = np.zeros(6)  # W̄_{n+1} = 0
    for i in reversed(range(chain.n)):
        Ad_i = Ad_inverse(kinematics.C[i])
        M = Ad_i.T @ chain.inertias[i] @ Ad_i  # (13)
        P1, P2, P3 = _momentum_rates(M, kinematics.V[:, i])
        W0, W1, W2 = W0 + P1, W1 + P2, W2 + P3  # (30) and derivatives
        if not accelerated_ground:
            G0, G1, G2 = _gravity_wrenches(M, kinematics.V[:, i], chain.ground_acceleration)
            W0, W1, W2 = W0 + G0, W1 + G1, W2 + G2  # (30)
        if applied is not None:
            W0, W1, W2 = W0 + applied[0][i], W1 + applied[1][i], W2 + applied[2][i]  # (30)
        S0, S1, S2, _ = kinematics.S[:, i]
        Q.append([S0 @ W0, S0 @ W1 + S1 @ W0, S0 @ W2 + S2 @ W0 + 2 * (S1 @ W1)])  # (29), (31)
        W.append(np.stack([W0, W1, W2]))
    return InverseDynamics(np.array(Q[::-1]).T, np.stack(W[::-1], axis=1), kinematics)


def _momentum_rates(M: Array, V: Array) -> tuple[Array, Array, Array]:
    """Return ``Π̇, Π̈, Π⃛``."""
    V0, V1, V2, V3 = V
    a0, a1, a2 = ad(V0), ad(V1), ad(V2)
    P0 = M @ V0  # (10)
    P1 = M @ V1 - a0.T @ P0  # (16)
    P2 = M @ (V2 - a0 @ V1) - 2 * (a0.T @ P1) - (a1.T @ P0 + a0.T @ (a0.T @ P0))  # (19)
    # Erratum: M20 algorithm 3: the factor 3 of Π̈
    P3 = M @ (V3 - 2 * (a0 @ V2) + a0 @ (a0 @ V1)) - 3 * (a0.T @ P2)  # (22)
    P3 = P3 - 3 * (a1.T @ P1 + a0.T @ (a0.T @ P1))  # (22)
    P3 = P3 - (a2.T @ P0 + 2 * (a0.T @ (a1.T @ P0)))  # (22)
    P3 = P3 - (a1.T @ (a0.T @ P0) + a0.T @ (a0.T @ (a0.T @ P0)))  # Erratum: M20 (22): ad_V ad_V̇
    return P1, P2, P3


def _gravity_wrenches(M: Array, V: Array, G: Array) -> tuple[Array, Array, Array]:
    """Return ``W^grav`` and its derivatives."""
    a0, a1 = ad(V[0]), ad(V[1])
    W0 = M @ G  # Erratum: M20 (23): one constant G
    W1 = -(M @ (a0 @ G) + a0.T @ W0)  # (24)
    W2 = M @ (a0 @ (a0 @ G)) + a0.T @ (M @ (a0 @ G)) - M @ (a1 @ G)  # Erratum: M20 (25): − M ad_V̇
    W2 = W2 + a0.T @ (a0.T @ W0) + a0.T @ (M @ (a0 @ G)) - a1.T @ W0  # (25), the transposed bracket
    return W0, W1, W2


def spatial_wrenches(kinematics: Kinematics, body_wrenches: Any) -> Array:
    """Return wrenches and two derivatives, (3, n, 6), from those in the bodies [M20, (39)]."""
    rows = []
    for i, C in enumerate(kinematics.C):
        T = Ad_inverse(C).T
        a0, a1 = ad(kinematics.V[0, i]).T, ad(kinematics.V[1, i]).T
        B0, B1, B2 = (T @ body_wrenches[k][i] for k in range(3))
        W0 = B0  # W = Ad⁻ᵀ W^b
        W1 = B1 - a0 @ W0  # (39)
        W2 = B2 - a0 @ B1 - a1 @ W0 - a0 @ W1  # (39) twice
        rows.append(np.stack([W0, W1, W2]))
    return np.stack(rows, axis=1)
