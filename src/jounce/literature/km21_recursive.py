"""Forward kinematics and inverse dynamics of any order by recursion [KM21, section II].

Body-fixed representation, serial chains.  With ``q … q^(K)`` given, in the order of the papers:
``C_i`` poses, ``B_{i,j}`` the screw of joint j in body i (bold in the paper), ``b_{i,j}`` the sum
of ``B_{i,k} q̇_k`` over j ≤ k ≤ i (sans serif), ``V_i`` twists, ``W_i`` joint wrenches, ``D^r`` the
r-th time derivative.  Indices count from 0, so the paper's body 1 is body 0.

Errata applied: (9) ``B_{i,i} = X_i``; (14), (18) the sum runs from j, in its inclusive form of the
box, so ``D^r V_i = D^r b_{i,1}``; box: the sum takes ``D^l B_{i,k} q_k``, its conditions are r ≥ 1,
``j = 1 … i−1``, own index for D^r Ad; (20) ``M_i D^(k+1) V_i``; the backward loop starts at n with
``W_{n+1} = 0`` and its outer loop is over k; gravity, absent in the paper, is added.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import comb
from typing import Any, NamedTuple

import numpy as np

from jounce.literature.chain import Ad_inverse, Array, SerialChain, ad, exp_screw, scalars

Table = dict[tuple[int, int, int], Array]  # (order, body, joint) -> screw


class Kinematics(NamedTuple):
    """What the box returns; K orders, ``D^0 … D^(K−1)``."""

    C: Array  # (n, 4, 4) poses in the world
    Ad: Array  # (K, n, 6, 6) D^r Ad(C_{i,i−1}); the ground is before body 0
    B: Array  # (K, n, n, 6) D^r B_{i,j}, zero for j > i
    b: Array  # (K, n, n, 6) D^r b_{i,j}, zero for j > i
    V: Array  # (K, n, 6) D^r V_i, body-fixed


def forward_kinematics(chain: SerialChain, q_derivatives: Any) -> Kinematics:
    """Run "kth-Order Forward Kinematics": ``q … q^(K)``, (K + 1, n), give V to order K − 1.

    The box of section II-E [KM21, (9), (14)-(18)].
    """
    q = scalars(q_derivatives)
    orders, n, X = len(q) - 1, chain.n, chain.screws_body
    C, Ad_0, B = _preparation(chain, q_derivatives[0])
    Ads = [Ad_0]
    b: Table = {}
    for r in range(orders):  # recursion over order of derivative
        if r:  # Erratum: KM21 II-E b: r ≥ 1
            Ads.append([_Ad_rate(X[i], [level[i] for level in Ads], q[:, i]) for i in range(n)])
            B[r, 0, 0] = np.zeros(6)  # body 1
        b[r, 0, 0] = X[0] * q[r + 1, 0]
        for i in range(1, n):  # recursion over bodies
            for j in reversed(range(i + 1)):
                _screws_and_sums(B, b, q, (r, i, j))
    # Erratum: KM21 (15): b_{i,1} with inclusive sums
    twists = [[b[r, i, 0] for i in range(n)] for r in range(orders)]
    screws, sums = _stacked(B, orders, n), _stacked(b, orders, n)
    return Kinematics(np.array(C), np.array(Ads), screws, sums, np.array(twists))


def _preparation(chain: SerialChain, q: Array) -> tuple[list[Array], list[Array], Table]:
    """Run "Preparation run": poses, ``Ad(C_{i,i−1})`` and ``B_{i,j}``."""
    C: list[Array] = []
    Ads: list[Array] = []
    B: Table = {}
    for i, X_i in enumerate(chain.screws_body):
        step = chain.B[i] @ exp_screw(X_i, q[i])
        C.append(C[-1] @ step if i else step)  # C_i = C_{i−1} B_i exp(X_i q_i)
        Ads.append(Ad_inverse(step))  # C_{i,i−1} = C_i⁻¹ C_{i−1} = (B_i exp(X_i q_i))⁻¹
        for j in range(i):  # Erratum: KM21 II-E a: j = 1 … i − 1
            B[0, i, j] = Ads[i] @ B[0, i - 1, j]  # (9)
        B[0, i, i] = X_i  # Erratum: KM21 (9): B_{i,i}
    return C, Ads, B


def _Ad_rate(X: Array, Ads: list[Array], q: Array) -> Array:
    """Return the next ``D^r Ad = −ad_X Σ_{p<r} C(r−1,p) D^p Ad q^(r−p)``."""
    r = len(Ads)  # Erratum: KM21 II-D: d/dt Ad = −q̇ ad_X Ad; Erratum: KM21 II-E d: own index p
    return -(ad(X) @ _total(Ads[p] * (comb(r - 1, p) * q[r - p]) for p in range(r)))


def _screws_and_sums(B: Table, b: Table, q: Array, index: tuple[int, int, int]) -> None:
    """Set ``D^r B_{i,j}`` and ``D^r b_{i,j}``; the sum over bodies grows as j falls."""
    r, i, j = index
    if r:  # (17); Erratum: KM21 II-E b: r ≥ 1
        terms = (comb(r - 1, l) * (ad(B[l, i, j]) @ b[r - l - 1, i, j]) for l in range(r))
        B[r, i, j] = _total(terms)
    # Erratum: KM21 II-E c: the term of body k has B_{i,k} and q_k; here k = j
    own = _total(B[l, i, j] * (comb(r, l) * q[r - l + 1, j]) for l in range(r + 1))
    # Erratum: KM21 (14); Erratum: KM21 (18): the sum is over j ≤ k ≤ i
    b[r, i, j] = own if j == i else b[r, i, j + 1] + own  # (18)


def inverse_dynamics(chain: SerialChain, q_derivatives: Any, applied: Any = None) -> Array:
    """Run "kth-Order Inverse Dynamics": ``q … q^(K)``, (K + 1, n), give Q to order K − 2.

    The box of section II-E [KM21, (20)].
    ``applied`` (K − 1, n, 6): wrenches that the bodies exert on the environment, in the body
    frames, and their derivatives; the sign is the papers' (MK21 (34)), opposite to the API's.
    """
    kinematics = forward_kinematics(chain, q_derivatives)  # Erratum: KM21 II-E e: V to k + 1
    V, Ads, X, M = kinematics.V, kinematics.Ad, chain.screws_body, chain.inertias
    orders, n = len(V) - 1, chain.n
    G = _ground_acceleration(chain, Ads)
    W: list[dict[int, Array]] = []
    for k in range(orders):  # Erratum: KM21 II-E f: outer loop over k
        W.append({})
        for i in reversed(range(n)):  # Erratum: KM21 II-E f: i = n … 1
            W_i = M[i] @ V[k + 1, i]  # Erratum: KM21 (20): D^(k+1)
            for r in range(k + 1):
                W_i = W_i - comb(k, r) * (ad(V[r, i]).T @ (M[i] @ V[k - r, i]))  # (20)
            for r in range(k + 1 if i + 1 < n else 0):  # Erratum: KM21 II-E f: W_{n+1} = 0
                W_i = W_i + comb(k, r) * (Ads[r, i + 1].T @ W[k - r][i + 1])  # (20)
            W_i = W_i + M[i] @ G[k][i]  # Erratum: KM21 II: gravity; ad-terms keep the true twists
            W[k][i] = W_i if applied is None else W_i + applied[k][i]
    return np.array([[X[i] @ W[k][i] for i in range(n)] for k in range(orders)])


def _ground_acceleration(chain: SerialChain, Ads: Array) -> list[list[Array]]:
    """Return ``D^k(Ad(C_i)⁻¹) (0, −g)``; Leibniz on ``Ad(C_i)⁻¹ = Ad(C_{i,i−1}) Ad(C_{i−1})⁻¹``."""
    G: list[list[Array]] = []
    for k in range(len(Ads)):
        G.append([Ads[k, 0] @ chain.ground_acceleration])
        for i in range(1, chain.n):
            terms = (comb(k, r) * (Ads[r, i] @ G[k - r][i - 1]) for r in range(k + 1))
            G[k].append(_total(terms))
    return G


def _total(terms: Iterable[Array]) -> Array:
    first, *others = terms
    return sum(others, first)


def _stacked(table: Table, orders: int, n: int) -> Array:
    zero, bodies, rows = np.zeros(6), range(n), range(orders)
    return np.array([[[table.get((r, i, j), zero) for j in bodies] for i in bodies] for r in rows])
