"""Closed form of the equations of motion with two time derivatives by hand [MK21].

Serial chains, body-fixed representation.  System matrices of 6n rows: ``A`` with the blocks
``Ad(C_{i,j})``, ``X`` joint screws, ``a(q̇)`` with ``q̇_i ad(X_i)``, ``b(V)`` with ``ad(V_i)``, ``M``
mass matrices, ``J = A X``, ``V = J q̇``, ``U`` with ``Ad(C_i)⁻¹``.  ``E = A a`` is what all
derivatives are made of (J̇ = −E J, U̇ = −E U); a digit is the order of the derivative.

Most formulas are missing from the text we hold: the numbers are those of the text around them,
the lines follow from (19) and (26).  Errata applied: ``U = (Ad(C_i)⁻¹)``, not ``A (I; 0; …)``;
V̇_0 = (0, −g); C̈ has ``− M A ä``; the C of (29) is not passive, ``passive=True`` adds ``Jᵀ M b J``
of (62); applied wrenches are exerted by the bodies on the environment, ``Q += Jᵀ W`` (34).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from jounce.literature.chain import Array, SerialChain, scalars
from jounce.literature.system_matrices import body_rates, joint_rates, system_matrices


class ClosedForm(NamedTuple):
    """Everything the closed form consists of, orders 0 to 2 on axis 0."""

    Q: Array  # (3, n) generalised forces
    M: Array  # (3, n, n) generalised mass matrix
    C: Array  # (3, n, n) Coriolis matrix
    Q_grav: Array  # (3, n) gravity forces
    Q_ext: Array  # (3, n) forces of the applied wrenches
    V: Array  # (3, n, 6) body-fixed twists
    J: Array  # (3, n, 6, n) body Jacobians


class _System(NamedTuple):
    """System matrices and the derivatives of ``E = A a``."""

    J: Array
    M: Array
    U: Array
    E: tuple[Array, Array, Array]


def closed_form(
    chain: SerialChain, q_derivatives: Any, applied: Any = None, *, passive: bool = False
) -> ClosedForm:
    """Evaluate Q, Q̇, Q̈ on ``q … q⁗``, (5, n) [MK21, (15)-(53), (61), (62)].

    ``applied`` (3, n, 6): wrenches on the environment in the body frames and their derivatives.
    """
    q1, q2, q3, q4 = np.asarray(q_derivatives)[1:5]
    system = _system(chain, q_derivatives)
    J0, _, U, (E, E1, _) = system
    J1 = -(E @ J0)  # (19)
    J2 = -(E1 @ J0) - E @ J1
    V0, V1 = J0 @ q1, J0 @ q2 + J1 @ q1  # (15), (22)
    V2 = J0 @ q3 + 2 * (J1 @ q2) + J2 @ q1
    mass = _mass_matrices(system)
    coriolis = _coriolis_matrices(system, [V0, V1, V2], passive)
    grav = np.stack([J0.T @ (N @ (U @ chain.ground_acceleration)) for N in mass])  # (32), (43)
    ext = _external_forces(system, applied) if applied is not None else np.zeros((3, chain.n))
    M0, M1, M2 = (J0.T @ N @ J0 for N in mass)  # (27), (36), (47)
    C0, C1, C2 = (J0.T @ N @ J0 for N in coriolis)  # (27), (38), (52)
    Q0 = M0 @ q2 + C0 @ q1  # (1)
    Q1 = M0 @ q3 + (M1 + C0) @ q2 + C1 @ q1  # (35)
    Q2 = M0 @ q4 + (2 * M1 + C0) @ q3 + (M2 + 2 * C1) @ q2 + C2 @ q1  # (45)
    n = chain.n
    return ClosedForm(
        Q=np.stack([Q0, Q1, Q2]) + grav + ext,
        M=np.stack([M0, M1, M2]),
        C=np.stack([C0, C1, C2]),
        Q_grav=grav,
        Q_ext=ext,
        V=np.stack([V0, V1, V2]).reshape(3, n, 6),
        J=np.stack([J0, J1, J2]).reshape(3, n, 6, n),
    )


def _system(chain: SerialChain, q_derivatives: Any) -> _System:
    """Return J, M, U and ``E = A a`` with two derivatives."""
    A, X, M, U = system_matrices(chain, q_derivatives[0])  # Erratum: MK21 (33): U = (Ad(C_i)⁻¹)
    a, a1, a2 = (joint_rates(chain, rate) for rate in scalars(q_derivatives)[1:4])  # (20)
    A1 = A @ a - A @ a @ A  # (26)
    A2 = A1 @ a + A @ a1 - A1 @ a @ A - A @ a1 @ A - A @ a @ A1  # (26) differentiated
    E = (A @ a, A1 @ a + A @ a1, A2 @ a + 2 * (A1 @ a1) + A @ a2)
    return _System(A @ X, M, U, E)  # (16)


def _mass_matrices(system: _System) -> list[Array]:
    """Return the system matrices of ``M, Ṁ, M̈`` between Jᵀ and J (or Jᵀ and U)."""
    M, (E, E1, _) = system.M, system.E
    M1 = -(M @ E) - E.T @ M  # (37)
    M1_rate = -(M @ E1) - E1.T @ M
    M2 = M1_rate - M1 @ E - E.T @ M1  # (48)-(50)
    return [M, M1, M2]


def _coriolis_matrices(system: _System, V: list[Array], passive: bool) -> list[Array]:
    """Return the system matrices of ``C, Ċ, C̈`` between Jᵀ and J."""
    M, (E, E1, E2) = system.M, system.E
    b0, b1, b2 = (body_rates(V_k) for V_k in V)  # (30)
    C = -(M @ E) - b0.T @ M  # (29)
    C_rate = -(M @ E1) - b1.T @ M  # (40)
    C_rate2 = -(M @ E2) - b2.T @ M  # Erratum: MK21 (53): − M A ä
    if passive:  # Erratum: MK21 (29): made passive by (61), (62)
        C, C_rate, C_rate2 = C + M @ b0, C_rate + M @ b1, C_rate2 + M @ b2
    C1 = C_rate - C @ E - E.T @ C  # (39)
    C1_rate = C_rate2 - C_rate @ E - C @ E1 - E1.T @ C - E.T @ C_rate
    C2 = C1_rate - C1 @ E - E.T @ C1  # (53)
    return [C, C1, C2]


def _external_forces(system: _System, applied: Any) -> Array:
    """Return ``Jᵀ W`` and its derivatives, (3, n)."""
    E, E1, _ = (e.T for e in system.E)
    W0, W1, W2 = (np.concatenate(list(w)) for w in applied)
    F1 = W1 - E @ W0  # (44)
    F2 = W2 - 2 * (E @ W1) - E1 @ W0 + E @ (E @ W0)
    return np.stack([system.J.T @ F for F in (W0, F1, F2)])  # (34)
