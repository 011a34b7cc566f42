"""Partials of M and C by state, of M, C and g by inertial parameters, as arrays [GOA13, III-VI].

What `jounce.dynamics.tensors` computes, by another way: its check, and for robots too large to
compile up to sixty times as fast.  NumPy, batched.  All of it in the frames of links, body by
body; only the velocities on the way from a body to the ground have columns.  k is a link, p its
parent, Ad = Ad(C_{k,p}), Ξ_k the constant screws of its joint, ξ_k = Ξ_k v.  Index h is the
coordinate that is varied, by an increment in the child frame where a joint is spherical or free
(v is kept then), so every formula holds for all joints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from jounce.algebra.se3 import components
from jounce.algebra.spatial_matrix import Array, ad_matrix, inertia_matrix, pull_matrix
from jounce.dynamics.matrices import FACTORIZATIONS
from jounce.dynamics.motion import moving
from jounce.dynamics.regressor import UNITS
from jounce.model.lowering.tree import Link, Tree


class LinkTensors(NamedTuple):
    """Jacobian of a link in its own frame and its derivatives; d columns, batch axes first."""

    columns: Array  # (d,) the velocities the columns belong to
    J: Array  # (…, 6, d)
    J1: Array  # (…, 6, d)
    dJ: Array  # (…, d, 6, d): the varied coordinate comes first
    dJ1: Array  # (…, d, 6, d)
    gravity: Array  # (…, 6, 1): Ad(C_k)⁻¹ (0, −g)


def link_tensors(tree: Tree, q: Array, v: Array) -> Iterator[tuple[int, LinkTensors]]:
    """Yield every link with its Jacobian and the partials of it.

    ::

        J_k         = Ad J_p + Ξ_k                                            [GOA13, (27)]
        dJ_k/dt     = Ad dJ_p/dt − ad(ξ_k) Ad J_p                             [GOA13, (28)]
        ∂J_k/∂q_h   = Ad ∂J_p/∂q_h − ad(Ξ_k^h) Ad J_p                         [GOA13, (31)]
        ∂J̇_k/∂q_h   = Ad ∂J̇_p/∂q_h − ad(Ξ_k^h) Ad dJ_p/dt − ad(ξ_k) ∂J_k/∂q_h  [GOA13, (32)]
    """
    batch = q.shape[:-1]
    J, dJ = np.zeros((*batch, 6, 0)), np.zeros((*batch, 0, 6, 0))
    gravity = np.array([[0.0], [0.0], [0.0], *([-g] for g in tree.gravity)])
    ground = LinkTensors(np.zeros(0, int), J, J, dJ, dJ, gravity)
    motions = moving(tree, list(np.moveaxis(q, -1, 0))).motions
    last_child = {link.parent: i for i, link in enumerate(tree.links)}  # none is kept longer
    parents = {-1: ground}
    for i, (link, motion) in enumerate(zip(tree.links, motions, strict=True)):
        own = _next(link, parents[link.parent], pull_matrix(link.placement @ motion.pose, batch), v)
        if last_child[link.parent] == i:
            del parents[link.parent]
        if i in last_child:
            parents[i] = own
        yield i, own


def _next(link: Link, parent: LinkTensors, Ad: Array, v: Array) -> LinkTensors:
    own = [link.coordinates.v + k for k in range(link.step.nv)]
    new = [c for c in own if c not in parent.columns]  # a mimic joint may share a column
    columns = np.array([*parent.columns, *new], int)
    where = [int(np.flatnonzero(columns == c)[0]) for c in own]
    Xi = np.array([components(X) for X in link.step.screws]).T * link.coordinates.multiplier
    d, inner = len(columns), len(parent.columns)
    Ad_h = Ad[..., None, :, :]

    def carried(matrix: Array) -> Array:
        return _padded(Ad @ matrix, d)

    def carried_partials(tensor: Array) -> Array:
        result = np.zeros((*Ad.shape[:-2], d, 6, d))
        result[..., :inner, :, :inner] = Ad_h @ tensor
        return result

    AJ, AJ1 = carried(parent.J), carried(parent.J1)
    xi = ad_matrix(v[..., own] @ Xi.T)
    dJ, dJ1 = carried_partials(parent.dJ), carried_partials(parent.dJ1)
    for h, X in zip(where, Xi.T, strict=True):
        dJ[..., h, :, :] -= ad_matrix(X) @ AJ
        dJ1[..., h, :, :] -= ad_matrix(X) @ AJ1
    dJ1 -= xi[..., None, :, :] @ dJ
    J = AJ.copy()
    J[..., :, where] += Xi
    return LinkTensors(columns, J, AJ1 - xi @ AJ, dJ, dJ1, Ad @ parent.gravity)


def mass_matrix_partials(tree: Tree, q: Array) -> Array:
    """Return ∂M_ij/∂q_h, ``(…, nv, nv, nv)``: Σ_k ∂J_kᵀ/∂q_h Λ_k J_k and its transposed.

    [GOA13, (24a)]
    """
    result = np.zeros((*q.shape[:-1], *[tree.nv] * 3))
    for Lambda, k in _matter(tree, q, np.zeros((*q.shape[:-1], tree.nv))):
        half = _T(k.dJ) @ (Lambda @ k.J)[..., None, :, :]
        _add(result, k.columns, np.moveaxis(half + _T(half), -3, -1))
    return result


def coriolis_partials(tree: Tree, q: Array, v: Array, factorization: str) -> tuple[Array, Array]:
    """Return ∂C_ij/∂q_h and ∂C_ij/∂v_h, ``(…, nv, nv, nv)`` each.

    With ``C = Σ_k J_kᵀ (Λ_k dJ_k/dt + Ψ_k(V_k) J_k)``, where Ψ_k is linear in the twist V_k
    (see `coriolis_form`) [GOA13, (24b, c)]::

        ∂C/∂q_h = Σ_k ∂Jᵀ/∂q_h (Λ dJ/dt + Ψ(V) J)
                  + Jᵀ (Λ ∂J̇/∂q_h + Ψ(∂J/∂q_h v) J + Ψ(V) ∂J/∂q_h)
        ∂C/∂v_h = Σ_k Jᵀ (Ψ(J^h) J + Λ ∂J/∂q_h)
    """
    by_q, by_v = np.zeros((2, *q.shape[:-1], *[tree.nv] * 3))
    for Lambda, k in _matter(tree, q, v):
        form = coriolis_form(Lambda, factorization)
        speeds = v[..., k.columns, None]
        J, JT = k.J[..., None, :, :], _T(k.J)[..., None, :, :]
        Psi = _applied(form, (k.J @ speeds)[..., 0])[..., None, :, :]
        Psi_h = _applied(form, (k.dJ @ speeds[..., None, :, :])[..., 0])
        inner = Lambda @ k.J1[..., None, :, :] + Psi @ J
        part = _T(k.dJ) @ inner + JT @ (Lambda @ k.dJ1 + Psi_h @ J + Psi @ k.dJ)
        _add(by_q, k.columns, np.moveaxis(part, -3, -1))
        part = JT @ (_applied(form, _T(k.J)) @ J + Lambda @ k.dJ)
        _add(by_v, k.columns, np.moveaxis(part, -3, -1))
    return by_q, by_v


def mass_matrix_parameter_partials(tree: Tree, q: Array) -> Array:
    """Return ∂M_ij/∂π, ``(…, nv, nv, 10 n)``: ``J_kᵀ U_h J_k`` with unit inertias U_h.

    [GOA13, (13a)]
    """

    def own(k: LinkTensors) -> Array:
        return _T(k.J)[..., None, :, :] @ (_unit_matrices() @ k.J[..., None, :, :])

    return _by_parameters(tree, q, np.zeros((*q.shape[:-1], tree.nv)), own)


def coriolis_parameter_partials(tree: Tree, q: Array, v: Array, factorization: str) -> Array:
    """Return ∂C_ij/∂π, ``(…, nv, nv, 10 n)``: ``J_kᵀ (U_h dJ_k/dt + Ψ_h(V_k) J_k)``.

    [GOA13, (13b)], with dJ/dt where the text has J
    """
    units = _unit_matrices()
    forms = np.stack([coriolis_form(U, factorization) for U in units])

    def own(k: LinkTensors) -> Array:
        V = (k.J @ v[..., k.columns, None])[..., None, :, 0]
        inner = units @ k.J1[..., None, :, :] + _applied(forms, V) @ k.J[..., None, :, :]
        return _T(k.J)[..., None, :, :] @ inner

    return _by_parameters(tree, q, v, own)


def gravity_parameter_partials(tree: Tree, q: Array) -> Array:
    """Return ∂g_i/∂π, ``(…, nv, 10 n)``: ``J_kᵀ U_h Ad(C_k)⁻¹ (0, −g)``  [GOA13, (13c)]."""

    def own(k: LinkTensors) -> Array:
        return (_T(k.J)[..., None, :, :] @ (_unit_matrices() @ k.gravity[..., None, :, :]))[..., 0]

    return _by_parameters(tree, q, np.zeros((*q.shape[:-1], tree.nv)), own, axes=1)


def _by_parameters(
    tree: Tree, q: Array, v: Array, own: Callable[[LinkTensors], Array], axes: int = 2
) -> Array:
    """Return results with as many axes of velocities, from those of links, parameters first."""
    result = np.zeros((*q.shape[:-1], *[tree.nv] * axes, 10 * len(tree.body_links)))
    for body, k in _bodies(tree, q, v):
        place = np.ix_(*[k.columns] * axes, np.arange(10 * body, 10 * body + 10))
        result[(..., *place)] = np.moveaxis(own(k), -1 - axes, -1)
    return result


def coriolis_form(Lambda: Array, factorization: str) -> Array:
    """Return the constant Ψ of a body, ``(6, 6, 6)``: ``Ψ(V)_ab = Σ_c Ψ_abc V_c``.

    ::

        passive       Ψ(V) = Λ ad(V) − ad(V)ᵀ Λ                  [GOA13, (6b)]
        kinematic     Ψ(V) = −ad(V)ᵀ Λ
        christoffel   Ψ(V) = ½ (Λ ad(V) − ad(V)ᵀ Λ + x)          x u = −ad(u)ᵀ Λ V
    """
    brackets = ad_matrix(np.eye(6))  # ad of the unit twists
    left = np.moveaxis(Lambda @ brackets, 0, -1)
    right = np.moveaxis(_T(brackets) @ Lambda, 0, -1)
    if factorization == "passive":
        return left - right
    if factorization == "kinematic":
        return -right
    assert factorization == FACTORIZATIONS[2]
    return 0.5 * (left - right - np.swapaxes(right, 1, 2))


def _matter(tree: Tree, q: Array, v: Array) -> Iterator[tuple[Array, LinkTensors]]:
    """Yield the inertia Λ of every link that has one, in its frame, with its tensors."""
    for i, tensors in link_tensors(tree, q, v):
        Lambda = inertia_matrix(tree.links[i].inertia)
        if Lambda.any():
            yield Lambda, tensors


def _bodies(tree: Tree, q: Array, v: Array) -> Iterator[tuple[int, LinkTensors]]:
    """Yield every body with Jacobians and gravity in the frame its parameters are given in."""
    bodies = {link: body for body, link in enumerate(tree.body_links)}
    for i, k in link_tensors(tree, q, v):
        if i in bodies:
            B = pull_matrix(tree.body_placements[bodies[i]])
            yield bodies[i], k._replace(J=B @ k.J, J1=B @ k.J1, gravity=B @ k.gravity)


@cache
def _unit_matrices() -> Array:
    return np.stack([inertia_matrix(unit) for unit in UNITS])


def _applied(form: Array, V: Array) -> Array:
    """Return ``Ψ(V)``."""
    return (form @ V[..., None, :, None])[..., 0]


def _padded(matrix: Array, columns: int) -> Array:
    missing = np.zeros((*matrix.shape[:-1], columns - matrix.shape[-1]))
    return np.concatenate([matrix, missing], -1)


def _add(result: Array, columns: Array, part: Array) -> None:
    """Add to the entries whose last three axes have these indices."""
    result[(..., *np.ix_(*[columns] * 3))] += part


def _T(matrix: Array) -> Array:
    return np.swapaxes(matrix, -1, -2)
