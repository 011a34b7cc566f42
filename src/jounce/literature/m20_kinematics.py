"""Forward kinematics of fourth order in spatial representation [M20, algorithm 1].

Serial chains.  World frame, about the world's origin: ``f_i`` displacements, ``C_i = f_i A_i``
poses, ``S_i`` instantaneous joint screws, ``V_i`` twists; a digit is the order of the derivative.

Errata applied: the last term of V⃛ is ``1 · S⃛ q̇``, not ``3 S̈ q̇``; prismatic screws are (0, e).
(9) is right as printed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from jounce.literature.chain import Ad, Array, SerialChain, ad, exp_screw, scalars


class Kinematics(NamedTuple):
    """What algorithm 1 returns, orders 0 to 3."""

    C: Array  # (n, 4, 4) poses in the world
    S: Array  # (4, n, 6) joint screws
    V: Array  # (4, n, 6) twists


def forward_kinematics(
    chain: SerialChain, q_derivatives: Any, ground_acceleration: Array | None = None
) -> Kinematics:
    """Run algorithm 1 on ``q … q⁗``, (5, n) [M20, algorithm 1, (9)].

    ``ground_acceleration`` is V̇_0, zero unless given; with ``(0, −g)`` it stands for gravity, as
    section III proposes: then V̇ and all that depends on it are those of an accelerating ground.
    """
    q0 = q_derivatives[0]
    _, q1, q2, q3, q4 = scalars(q_derivatives)
    f = np.eye(4)
    V0 = V2 = V3 = np.zeros(6)
    V1 = np.zeros(6) if ground_acceleration is None else ground_acceleration
    C, S, V = [], [], []
    for i, Y in enumerate(chain.screws_spatial):
        f = f @ exp_screw(Y, q0[i])  # (4)
        C.append(f @ chain.A[i])
        S0 = Ad(f) @ Y  # (7)
        V0 = V0 + S0 * q1[i]  # (6)
        a0 = ad(V0)
        S1 = a0 @ S0  # (9)
        V1 = V1 + S0 * q2[i] + S1 * q1[i]
        a1 = ad(V1)
        S2 = a1 @ S0 + a0 @ (a0 @ S0)  # (9)
        V2 = V2 + S0 * q3[i] + S1 * (2 * q2[i]) + S2 * q1[i]
        a2 = ad(V2)
        S3 = a2 @ S0 + 2 * (a1 @ (a0 @ S0)) + a0 @ (a1 @ S0) + a0 @ (a0 @ (a0 @ S0))  # (9)
        # Erratum: M20 algorithm 1: 1 · S⃛ q̇
        V3 = V3 + S0 * q4[i] + S1 * (3 * q3[i]) + S2 * (3 * q2[i]) + S3 * q1[i]
        S.append(np.stack([S0, S1, S2, S3]))
        V.append(np.stack([V0, V1, V2, V3]))
    return Kinematics(np.stack(C), np.stack(S, axis=1), np.stack(V, axis=1))
