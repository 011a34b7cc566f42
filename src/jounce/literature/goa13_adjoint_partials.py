"""Partials of Ad⁻¹ and adj by the state [GOA13, section IV, (17)-(20)].

Serial chains with one degree of freedom a joint.  ``Ad_{0,k}⁻¹`` takes a twist from the world to
the frame of body k, ``adj_{0,k}`` is that of its twist ``v_k = J_k q̇``.  Linear part first
inside, as the paper has it; results are angular first like everything public.
(17)-(20) are right as printed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from jounce.literature.chain import Array, SerialChain, exp_screw
from jounce.literature.goa13_jacobians import OTHER_ORDER, Ad_inverse, adj


class AdjointPartials(NamedTuple):
    """``Ad⁻¹`` and ``adj`` of every body k, (n, 6, 6), and their partials [k, h], (n, n, 6, 6)."""

    Ad_inverse: Array
    adj: Array
    dAd_inverse_dq: Array
    dadj_dv: Array
    dadj_dq: Array


def factor_W() -> Array:
    """Return the constant W, (6, 36), of ``adj = W blkdiag(v)``, linear first [GOA13, (17)].

    blkdiag(v) has v six times on its diagonal: block c of W times v is column c of adj.
    """
    return np.concatenate([np.array([adj(e)[:, c] for e in np.eye(6)]).T for c in range(6)], axis=1)


def adjoint_partials(chain: SerialChain, q_derivatives: Any) -> AdjointPartials:
    """Return Ad⁻¹, adj and their partials by q and q̇ from ``q, q̇``, (2, n) [GOA13, (17)-(20)]."""
    q0, q1 = q_derivatives[:2]
    n, W = chain.n, factor_W()
    Ad, J = np.eye(6), np.zeros((6, n))
    rows = []
    for k, X in enumerate(chain.screws_body):
        moved = Ad_inverse(chain.B[k] @ exp_screw(X, q0[k]))
        Ad, J = moved @ Ad, moved @ J + np.outer(X[OTHER_ORDER], np.eye(n)[k])
        own = [_product(W, J[:, h]) for h in range(n)]  # adj of J_k^h, by (17)
        turned = [_partial(J, own[h], h) @ q1 for h in range(n)]  # ∂J_k/∂q_h q̇
        rows.append(
            (
                Ad,
                _product(W, J @ q1),  # (17)
                np.stack([-(a @ Ad) for a in own]),  # (18)
                np.stack(own),  # (19)
                np.stack([_product(W, v) for v in turned]),  # (20)
            )
        )
    return AdjointPartials(*(_angular_first(np.stack(part)) for part in zip(*rows, strict=True)))


def _product(W: Array, v: Array) -> Array:
    """Return ``W blkdiag(v)``."""
    return np.stack([W[:, 6 * c : 6 * c + 6] @ v for c in range(6)], axis=1)


def _partial(J: Array, adj_h: Array, h: int) -> Array:
    """Return ``∂J_k/∂q_h``: by (18) ``−adj_{J_k^h} J_k^j`` for joints j before h, else zero."""
    before = np.arange(J.shape[1]) < h
    return -(adj_h @ J) * before


def _angular_first(matrices: Array) -> Array:
    return matrices[..., OTHER_ORDER, :][..., OTHER_ORDER]
