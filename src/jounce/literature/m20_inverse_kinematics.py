"""Combined inverse and forward kinematics of fourth order [M20, algorithm 2].

Serial chains, spatial representation.  World frame, about the world's origin: ``f_i``
displacements, ``S_i`` instantaneous joint screws, ``V_i`` twists; a digit is the order of the
derivative.  ``J = (S_1 … S_n)``; its inverse is computed once, in step 2a.

Errata applied: 3b reads ``V̇_{i−1} + S q̈ + Ṡ q̇`` (printed without the derivatives); 5a has
``3 Ṡ q⃛`` (printed ``Ṡ q⃛``); the loops run to n, not n − 1: Ṡ_n, S̈_n and S⃛_n are used, V_n = V_E.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jounce.literature.chain import Array, SerialChain, ad, scalars
from jounce.literature.m20_kinematics import forward_kinematics


def inverse_kinematics(
    chain: SerialChain, q: Any, V_E: Any, independent: Sequence[int] = (), given: Any = None
) -> Array:
    """Run algorithm 2 on q (n,) and ``V_E … V⃛_E``, (4, 6); return ``q̇ … q⁗``, (4, n).

    [M20, algorithm 2, Remark 2]
    The chain has six joints, or more with the joint-space decomposition of Remark 2: ``given``
    (4, n) holds the rates of the ``independent`` joints, whose share of the twist moves to the
    right-hand side; the other six joints do the rest.
    """
    n = chain.n
    S0 = forward_kinematics(chain, [q, *np.zeros((4, n))]).S[0]  # 1
    dependent = [i for i in range(n) if i not in independent]
    J_inverse = np.linalg.inv(S0[dependent].T)
    rates = np.zeros((4, n)) if given is None else np.array(given, float)

    def solve(k: int, known: Array) -> Array:
        rates[k, dependent] = 0.0
        rates[k, dependent] = J_inverse @ (V_E[k] - S0.T @ rates[k] - known)
        return scalars(rates)[k]

    q1 = solve(0, np.zeros(6))  # 2a
    V0, S1 = np.zeros((n, 6)), np.zeros((n, 6))
    before = np.zeros(6)
    for i in range(n):  # 2b; Erratum: M20 algorithm 2 c: to n
        V0[i] = before = before + S0[i] * q1[i]
        S1[i] = ad(V0[i]) @ S0[i]
    q2 = solve(1, (S1 * q1).sum(0))  # 3a
    V1, S2 = np.zeros((n, 6)), np.zeros((n, 6))
    before = np.zeros(6)
    for i in range(n):  # 3b; Erratum: M20 algorithm 2 a: V̇_{i−1} + S q̈ + Ṡ q̇
        V1[i] = before = before + S0[i] * q2[i] + S1[i] * q1[i]
        a0 = ad(V0[i])
        S2[i] = ad(V1[i]) @ S0[i] + a0 @ (a0 @ S0[i])
    q3 = solve(2, (2 * S1 * q2 + S2 * q1).sum(0))  # 4a
    S3 = np.zeros((n, 6))
    V2 = np.zeros(6)
    for i in range(n):  # 4b
        V2 = V2 + S0[i] * q3[i] + 2 * S1[i] * q2[i] + S2[i] * q1[i]
        a0, a1 = ad(V0[i]), ad(V1[i])
        S3[i] = ad(V2) @ S0[i] + 2 * (a1 @ (a0 @ S0[i])) + a0 @ (a1 @ S0[i])
        S3[i] += a0 @ (a0 @ (a0 @ S0[i]))
    solve(3, (3 * S1 * q3 + 3 * S2 * q2 + S3 * q1).sum(0))  # 5a; Erratum: M20 algorithm 2 b: 3
    return rates
