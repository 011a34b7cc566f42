"""Partials of Ad⁻¹ and adj by the state [GOA13, section IV, (17)-(20)].

Trees with every kind of joint.  ``Ad_{0,k}⁻¹`` takes a twist from the world to the frame of body k,
``adj_{0,k}`` is that of its twist ``v_k = J_k w``.  Partials by q_h are by the increments of
`jounce.literature.goa13_jacobians`.  Linear part first inside, as the paper has it; results are
angular first like everything public.  (17)-(20) are right as printed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from jounce.literature.chain import Array
from jounce.literature.goa13_jacobians import OTHER_ORDER, adj, kinematics
from jounce.literature.tree import Tree


class AdjointPartials(NamedTuple):
    """``Ad⁻¹`` and ``adj`` of every body k, (n, 6, 6), and partials [k, h], (n, nv, 6, 6)."""

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


def adjoint_partials(tree: Tree, q: Any, w: Any) -> AdjointPartials:
    """Return Ad⁻¹, adj and their partials by q and w from q and w [GOA13, (17)-(20)]."""
    W, w = factor_W(), np.asarray(w)
    found, rows = kinematics(tree, q, w, np.zeros(tree.nv)), []
    for Ad, J, dJ in zip(found.Ad_inverse, found.J, found.dJ_dq, strict=True):
        Ad = Ad[OTHER_ORDER][:, OTHER_ORDER]
        own = [_product(W, v[OTHER_ORDER]) for v in J.T]  # adj of J_k^h, by (17)
        turned = [(dJ[..., h] @ w)[OTHER_ORDER] for h in range(tree.nv)]  # ∂J_k/∂q_h w
        rows.append(
            (
                Ad,
                _product(W, (J @ w)[OTHER_ORDER]),  # (17)
                np.stack([-(a @ Ad) for a in own]),  # (18)
                np.stack(own),  # (19)
                np.stack([_product(W, v) for v in turned]),  # (20)
            )
        )
    return AdjointPartials(*(_angular_first(np.stack(part)) for part in zip(*rows, strict=True)))


def _product(W: Array, v: Array) -> Array:
    """Return ``W blkdiag(v)``."""
    return np.stack([W[:, 6 * c : 6 * c + 6] @ v for c in range(6)], axis=1)


def _angular_first(matrices: Array) -> Array:
    return matrices[..., OTHER_ORDER, :][..., OTHER_ORDER]
