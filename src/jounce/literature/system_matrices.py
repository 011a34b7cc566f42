"""System matrices of a chain at one configuration, which all closed forms are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from jounce.literature.chain import Ad_inverse, Array, SerialChain, ad, exp_screw


class SystemMatrices(NamedTuple):
    """Matrices of 6n rows, body-fixed."""

    A: Array  # (6n, 6n) blocks Ad(C_{i,j}), j ≤ i [KM21, (23)], [MK21, (17)]
    X: Array  # (6n, n) diagonal of the joint screws [KM21, (23)], [MK21, (17)]
    M: Array  # (6n, 6n) diagonal of the mass matrices [KM21, (29)]
    U: Array  # (6n, 6) blocks Ad(C_i)⁻¹; Erratum: KM21 (33); Erratum: MK21 (33): not A (I; 0; …)


def system_matrices(chain: SerialChain, q: Any) -> SystemMatrices:
    """Return A, X, M and U at q, (n,) [KM21, (23), (29), (33)], [MK21, (17)]."""
    Ads = [
        Ad_inverse(B @ exp_screw(X, angle))
        for B, X, angle in zip(chain.B, chain.screws_body, q, strict=True)
    ]
    zero = np.zeros((6, 6))
    blocks: list[list[Array]] = []
    U = [Ads[0]]
    for i, Ad_i in enumerate(Ads):
        before = [Ad_i @ block for block in blocks[-1][:i]] if i else []
        blocks.append([*before, np.eye(6), *[zero] * (chain.n - i - 1)])
        if i:
            U.append(Ad_i @ U[-1])
    X = diagonal([X_i[:, None] for X_i in chain.screws_body])
    return SystemMatrices(np.block(blocks), X, diagonal(list(chain.inertias)), np.concatenate(U))


def joint_rates(chain: SerialChain, rate: Array) -> Array:
    """Return ``a = diag(q̇_i ad(X_i))`` of one rate of all joints [KM21, (25)], [MK21, (20)]."""
    return diagonal([ad(X) * s for X, s in zip(chain.screws_body, rate, strict=True)])


def body_rates(V: Array) -> Array:
    """Return ``b = diag(ad(V_i))`` of a system twist, (6n,) [KM21, (31)], [MK21, (30)]."""
    return diagonal([ad(V_i) for V_i in V.reshape(-1, 6)])


def diagonal(blocks: Sequence[Array]) -> Array:
    """Return the block-diagonal matrix."""
    zero = np.zeros(blocks[0].shape)
    n = len(blocks)
    return np.block([[blocks[i] if i == j else zero for j in range(n)] for i in range(n)])
