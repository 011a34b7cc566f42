"""Partials of the generalised forces by position, velocity and acceleration, as jets.

For joints i and j on one branch let k be the deeper one; I, h are inertia and momentum of
everything beyond it.  In the world frame, S joint screws, V_λ the twist of a joint's parent::

    ∂h/∂q_j   = −ad(S_j)ᵀ h_k − I_k A_j                  A_j = ad(S_j) V_λ(j)
    ∂Q_i/∂q_j = S_iᵀ (d/dt ∂h/∂q_j + N_j)                i at or below j
              = −H_iᵀ A_j − G_iᵀ (dA_j/dt + ad(s_j) V_λ(j))          i beyond j
    ∂Q_i/∂v_j = S_iᵀ (d/dt (I_k S_j) + ∂h/∂q_j)          i at or below j
              = H_iᵀ S_j + G_iᵀ (dS_j/dt − A_j)          i beyond j
    ∂Q_i/∂a_j = M_ij = G_kᵀ S
    G_i = I_i S_i     H_i = dI_i/dt S_i + ad(S_i)ᵀ h_i
    N_j = −ad(s_j)ᵀ h_k − I_k ad(s_j) V_λ(j)             s_j = ad(S_j) (V_j − V_λ(j))

s_j is zero but for spherical and free joints, whose screws do not commute; there, within
one joint, ``(ad(S_j) S_i)ᵀ dh/dt`` comes on top.  By q of such joints: by an increment in the
child frame.  Here all of it is done in the frames of links, where d/dt of a wrench W is
``dW/dt − ad(V)ᵀ W``, and of a screw X ``dX/dt + ad(V) X``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from jounce.algebra.inertia import SpatialInertia
from jounce.algebra.se3 import NO_FORCE, Force, Motion
from jounce.dynamics.inverse import falling_ground
from jounce.dynamics.matrices import Matrix, add_entry, branch, composite_inertias, zeros
from jounce.dynamics.motion import LinkMotion, screws
from jounce.model.lowering.tree import Tree


class Partials(NamedTuple):
    """Partials of Q by q, v and a as rows of jets."""

    by_q: Matrix
    by_v: Matrix
    by_a: Matrix


class _Screw(NamedTuple):
    """A joint screw with what its own column needs, in the frame of its link."""

    X: Motion
    rate: Motion  # dS/dt
    A: Motion
    A_rate: Motion  # dA/dt + ad(s) V_λ
    s: Motion
    s_carried: Motion  # ad(s) V_λ


class _Wrenches(NamedTuple):
    """What a joint screw contributes to the entries with the joints below it."""

    by_q: Force
    by_v: Force
    G: Force
    H: Force


def force_partials(tree: Tree, motions: Sequence[LinkMotion], order: int) -> Partials:
    """Return ∂Q/∂q, ∂Q/∂v and M of the motion; twists are jets of the given order."""
    carried, twists = _twists(tree, motions, order)
    inertias = composite_inertias(tree, motions)
    momenta = _momenta(tree, motions, twists)
    all_screws = [
        [_screw(X, twists[i], carried[i], motions[i].twist) for X in screws(link.step)]
        for i, link in enumerate(tree.links)
    ]
    result = Partials(zeros(tree), zeros(tree), zeros(tree))
    for i, own in enumerate(all_screws):
        for k, screw in enumerate(own):
            W = _wrenches(screw, inertias[i], momenta[i], twists[i])
            _add_within(result, tree, (i, k), own, W, _rate(momenta[i], twists[i]))
            for j, moved in branch(tree, motions, i, *W):
                _add_across(result, tree, j, (i, k), all_screws[j], _Wrenches(*moved))
    return result


def _add_within(
    result: Partials,
    tree: Tree,
    column: tuple[int, int],
    own: Sequence[_Screw],
    W: _Wrenches,
    h_rate: Force,
) -> None:
    """Add the entries of one velocity with all velocities of its joint, motor included."""
    i, k = column
    link, X = tree.links[i], own[k].X
    for m, (Y, *_) in enumerate(own):
        damping, armature = (link.damping[k], link.armature[k]) if k == m else (0.0, 0.0)
        by_q = Y.power(W.by_q) + X.cross(Y).power(h_rate)
        by_v, by_a = Y.power(W.by_v) + damping, Y.power(W.G) + armature
        _add(result, tree, (i, m), column, (by_q, by_v, by_a))


def _add_across(
    result: Partials,
    tree: Tree,
    link: int,
    beyond: tuple[int, int],
    screws_below: Sequence[_Screw],
    W: _Wrenches,
) -> None:
    """Add both entries of a velocity and those of a joint below, where W is expressed."""
    for m, screw in enumerate(screws_below):
        X, below = screw.X, (link, m)
        mass = X.power(W.G)
        _add(result, tree, below, beyond, (X.power(W.by_q), X.power(W.by_v), mass))
        by_q = -(screw.A.power(W.H) + screw.A_rate.power(W.G))
        by_v = X.power(W.H) + (screw.rate + screw.A * -1.0).power(W.G)
        _add(result, tree, beyond, below, (by_q, by_v, mass))


def _screw(X: Motion, V: Motion, carried: Motion, own: Motion) -> _Screw:
    A = X.cross(carried)
    s = X.cross(own)
    s_carried = s.cross(carried)
    return _Screw(X, V.cross(X), A, A.dt() + V.cross(A) + s_carried, s, s_carried)


def _wrenches(screw: _Screw, inertia: SpatialInertia, h: Force, V: Motion) -> _Wrenches:
    dh_dq = screw.X.cross_dual(h) - inertia.apply(screw.A)
    N = screw.s.cross_dual(h) - inertia.apply(screw.s_carried)
    G = inertia.apply(screw.X)
    G_rate = _rate(G, V)
    H = G_rate - inertia.apply(screw.rate) - screw.X.cross_dual(h)
    return _Wrenches(_rate(dh_dq, V) + N, G_rate + dh_dq, G, H)


def _rate(W: Force, V: Motion) -> Force:
    """Return dW/dt in the world, for components in a frame that moves with V."""
    return W.dt() + V.cross_dual(W)


def _twists(
    tree: Tree, motions: Sequence[LinkMotion], order: int
) -> tuple[list[Motion], list[Motion]]:
    """Return the twist of every link and of its parent, both in the frame of the link."""
    ground = falling_ground(tree.gravity, order)
    carried: list[Motion] = []
    twists: list[Motion] = []
    for link, motion in zip(tree.links, motions, strict=True):
        V_p = twists[link.parent] if link.parent >= 0 else ground
        carried.append(motion.pose.pull(link.placement.pull(V_p)))
        twists.append(carried[-1] + motion.twist)
    return carried, twists


def _momenta(tree: Tree, motions: Sequence[LinkMotion], twists: Sequence[Motion]) -> list[Force]:
    """Return the momentum of everything beyond each joint."""
    total = [NO_FORCE] * len(tree.links)
    for i in reversed(range(len(tree.links))):
        link = tree.links[i]
        total[i] = total[i] + link.inertia.apply(twists[i])
        if link.parent >= 0:
            moved = link.placement.push(motions[i].pose.push(total[i]))
            total[link.parent] = total[link.parent] + moved
    return total


def _add(
    result: Partials,
    tree: Tree,
    row: tuple[int, int],
    column: tuple[int, int],
    entries: tuple[Any, Any, Any],
) -> None:
    for matrix, entry in zip(result, entries, strict=True):
        add_entry(matrix, tree, row, column, entry)
