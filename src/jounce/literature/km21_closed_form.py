"""Closed form of the equations of motion with time derivatives of any order [KM21, section III].

Serial chains, body-fixed representation; letters as in `system_matrices`.  A list has the time
derivative of order k at place k; ``q̇^(k)`` is the k-th derivative of q̇.

Errata applied: (33), (47) ``U = (Ad(C_i)⁻¹)``, so ``U^(n) = −Σ C(n−1,k) (A a)^(n−1−k) U^(k)``, and
V̇_0 = (0, −g).  (34) and (37)-(46) are right as printed.  Literal: (39) is cubic in the order, and
all matrices are dense.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any, NamedTuple

import numpy as np

from jounce.literature.chain import Array, SerialChain, scalars
from jounce.literature.system_matrices import body_rates, joint_rates, system_matrices


class ClosedForm(NamedTuple):
    """What the closed form consists of, orders 0 … K − 2 on axis 0."""

    Q: Array  # (K − 1, n) generalised forces
    M: Array  # (K − 1, n, n) generalised mass matrix
    C: Array  # (K − 1, n, n) Coriolis matrix; not passive
    Q_grav: Array  # (K − 1, n) gravity forces
    V: Array  # (K − 1, n, 6) body-fixed twists
    J: Array  # (K − 1, n, 6, n) body Jacobians

    def coefficient(self, k: int, n: int) -> Array:
        """Return ``P_k``, what q^(k) is multiplied with in Q^(n); 1 ≤ k ≤ n + 2 [KM21, (38)]."""
        P = np.zeros_like(self.M[0])
        if k >= 2:
            P = P + comb(n, k - 2) * self.M[n - k + 2]
        if k <= n + 1:
            P = P + comb(n, k - 1) * self.C[n - k + 1]
        return P


def closed_form(chain: SerialChain, q_derivatives: Any) -> ClosedForm:
    """Evaluate Q to order K − 2 on ``q … q^(K)``, (K + 1, n) [KM21, (33), (34), (39)-(47)]."""
    q, *rates = np.asarray(q_derivatives)
    orders = range(len(rates) - 1)
    A_0, X, M_sys, U_0 = system_matrices(chain, q)
    a = [joint_rates(chain, rate) for rate in scalars(rates)]  # (40)
    A = [A_0]
    for n in orders[1:]:
        aA = [_leibniz(k, a, A) for k in range(n)]
        A.append(_leibniz(n - 1, A, a) - _leibniz(n - 1, A, aA))  # (39)
    J = [A_n @ X for A_n in A]  # (41)
    JT = [J_n.T for J_n in J]
    V = [_leibniz(n, J, rates) for n in orders]  # (42)
    M = [_leibniz(n, JT, [M_sys @ J_n for J_n in J]) for n in orders]  # (43)
    Aa = [_leibniz(n, A, a) for n in orders]
    C_sys = [-(M_sys @ Aa[n]) - body_rates(V[n]).T @ M_sys for n in orders]  # (45), (46)
    CJ = [_leibniz(n, C_sys, J) for n in orders]
    C = [_leibniz(n, JT, CJ) for n in orders]  # (44)
    U = [U_0]
    for n in orders[1:]:
        U.append(-_leibniz(n - 1, Aa, U))  # Erratum: KM21 (47)
    weights = [M_sys @ (U_n @ chain.ground_acceleration) for U_n in U]  # Erratum: KM21 (33): −g
    grav = [_leibniz(n, JT, weights) for n in orders]  # (47)
    Q = [_leibniz(n, M, rates[1:]) + _leibniz(n, C, rates) + grav[n] for n in orders]  # (34)
    bodies = len(orders), chain.n, 6
    return ClosedForm(
        Q=np.stack(Q),
        M=np.stack(M),
        C=np.stack(C),
        Q_grav=np.stack(grav),
        V=np.stack(V).reshape(bodies),
        J=np.stack(J).reshape(*bodies, chain.n),
    )


def _leibniz(n: int, f: Sequence[Array], g: Sequence[Array]) -> Array:
    """Return the n-th derivative of a product, ``Σ_k C(n,k) f^(n−k) g^(k)`` [KM21, (2)]."""
    total = f[n] @ g[0]
    for k in range(1, n + 1):
        total = total + comb(n, k) * (f[n - k] @ g[k])
    return total
