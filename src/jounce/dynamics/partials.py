"""Partials of the generalised forces and of their time derivatives by q, v, a, ...

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
from jounce.algebra.jet import derivatives, leibniz
from jounce.algebra.se3 import NO_MOTION, Force, Motion
from jounce.algebra.tangent import partial
from jounce.dynamics.friction import friction_slope
from jounce.dynamics.matrices import Matrix, add_entry, branch, composite_inertias, zeros
from jounce.dynamics.momentum import momenta_beyond
from jounce.dynamics.motion import LinkMotion, Moving, moving
from jounce.dynamics.rows import Rates, Rows, Scalars
from jounce.dynamics.variation import varied_poses
from jounce.dynamics.wrenches import FrameWrench, Loads, frame_wrenches, wrenches_beyond
from jounce.model.lowering.reduced import reduced
from jounce.model.lowering.tree import Link, lowered
from jounce.model.robot import Robot


def inverse_dynamics_partials(
    robot: Robot, q: Scalars, rates: Rates, wrenches: Loads | None = None
) -> Rows:
    """Return ∂Q⁽ᵏ⁾/∂q⁽ʲ⁾, a row of nv² scalars for each k and j: k = 0 … K − 2, j = 0 … K.

    With P[0, j] the partials of Q itself and D the time derivative::

        P[k+1, j] = D P[k, j] + P[k, j−1]          P[k+1, 0] = D P[k, 0] − P[k, 0] ad(v)

    where ad(v) acts on the columns of one joint: ω̂ of a spherical joint, ad of the joint twist
    of a free one, zero for the others.
    """
    return mixed_partials(robot, rates, own_partials(robot, q, rates, wrenches), len(rates) - 2)


def own_partials(
    robot: Robot, q: Scalars, rates: Rates, wrenches: Loads | None = None
) -> list[Matrix]:
    """Return ∂Q/∂q, ∂Q/∂v and ∂Q/∂a, loads included, as jets."""
    m = moving(reduced(robot), q, rates)
    first = force_partials(m)
    if wrenches:
        _add_loads(first[0], m, frame_wrenches(robot, m.tree, wrenches))
    return first


def _add_loads(by_q: Matrix, m: Moving, wrenches: Sequence[FrameWrench]) -> None:
    """Add ``∂(−Jᵀ W)/∂q`` for wrenches that stay constant in their representation.

    Every joint pose gets the variation ``C exp(Ξ δ)`` as tangent numbers over jets.
    """
    pulls: list[Any] = [0.0] * m.tree.nv
    for i, W in wrenches_beyond(varied_poses(m), wrenches).items():
        for k, X in enumerate(m.links[i].step.screws):
            m.links[i].add(pulls, k, X.power(W) * -1.0)
    for row, pull in zip(by_q, pulls, strict=True):
        row[:] = [x + partial(pull, v) for v, x in enumerate(row)]


def mixed_partials(robot: Robot, rates: Rates, first: Sequence[Matrix], order: int) -> Rows:
    """Return the partials of all time derivatives from the jets of those of a quantity itself.

    ``first`` are its partials by q, v, ...; the recursion is that of `inverse_dynamics_partials`.
    """
    level = [[[derivatives(x, order) for x in row] for row in matrix] for matrix in first]
    level += [[[(0.0,) * (order + 1)] * robot.nv] * len(first[0])] * order
    turning = _turning(robot, rates)
    result: Rows = []
    for k in range(order + 1):
        result += [[entry[0] for row in matrix for entry in row] for matrix in level]
        level = _next_level(level, turning, order - k)
    return result


def _next_level(level: Sequence[Any], turning: _Turning, order: int) -> list[Any]:
    """Apply the recursion; an entry holds its time derivatives up to ``order``, one less after."""
    added = [_turned(level[0], turning, order), *level[:-1]]
    return [
        [
            [tuple(x[n + 1] + y[n] for n in range(order)) for x, y in zip(row, more, strict=True)]
            for row, more in zip(matrix, by, strict=True)
        ]
        for matrix, by in zip(level, added, strict=True)
    ]


def _turned(matrix: Sequence[Any], turning: _Turning, order: int) -> list[Any]:
    """Return ``−P ad(v)`` with its time derivatives."""
    return [
        [
            tuple(
                -sum((leibniz(row[r], rate, n) for r, rate in turning.get(column, ())), 0.0)
                for n in range(order)
            )
            for column in range(len(row))
        ]
        for row in matrix
    ]


_Turning = dict[int, list[tuple[int, Any]]]


def _turning(robot: Robot, rates: Rates) -> _Turning:
    """Return ad(v), zero where the screws of a joint commute: for a column, (row, derivatives)."""
    result: _Turning = {}
    for link in lowered(robot).links:
        first = link.coordinates.v
        for i, column, row, factor in link.step.brackets:
            entry = tuple(rate[first + i] * factor for rate in rates)
            result.setdefault(first + column, []).append((first + row, entry))
    return result


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


def force_partials(m: Moving) -> list[Matrix]:
    """Return ∂Q/∂q, ∂Q/∂v and M of the motion, as jets."""
    tree, twists = m.tree, m.falling_twists
    carried = carried_twists(m, twists, m.falling_ground)
    inertias = composite_inertias(m)
    momenta = momenta_beyond(m, twists)
    all_screws = [
        [_screw(X, twists[i], carried[i], m.motions[i].twist) for X in link.step.screws]
        for i, link in enumerate(tree.links)
    ]
    result = [zeros(tree), zeros(tree), zeros(tree)]

    def add(row: tuple[int, int], column: tuple[int, int], *entries: Any) -> None:
        for matrix, entry in zip(result, entries, strict=True):
            add_entry(matrix, tree, row, column, entry)

    for i, own in enumerate(all_screws):
        for k, screw in enumerate(own):
            here = i, k
            W = _wrenches(screw, inertias[i], momenta[i], twists[i])
            brake = _slope(tree.links[i], m.motions[i], k)
            h_rate = _rate(momenta[i], twists[i])
            for l, (Y, *_) in enumerate(own):  # velocities of the same joint, motor included
                motor = (brake, tree.links[i].armature[k]) if k == l else (0.0, 0.0)
                by_q = Y.power(W.by_q) + screw.X.cross(Y).power(h_rate)
                add((i, l), here, by_q, Y.power(W.by_v) + motor[0], Y.power(W.G) + motor[1])
            for j, moved in branch(m, i, *W):
                W = _Wrenches(*moved)
                for l, (X, rate, A, A_rate, *_) in enumerate(all_screws[j]):
                    mass = X.power(W.G)
                    add((j, l), here, X.power(W.by_q), X.power(W.by_v), mass)
                    by_q = -(A.power(W.H) + A_rate.power(W.G))
                    add(here, (j, l), by_q, X.power(W.H) + (rate + A * -1.0).power(W.G), mass)
    return result


def _slope(link: Link, motion: LinkMotion, k: int) -> Any:
    """Return the derivative of damping and friction by the k-th velocity of a link."""
    if not link.friction:
        return link.damping[k]
    return friction_slope(link.friction[k], motion.rates[k]) + link.damping[k]


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


def carried_twists(m: Moving, twists: Sequence[Motion], ground: Motion = NO_MOTION) -> list[Motion]:
    """Return the twist of every link's parent, in the frame of the link."""
    parents = ((i, link.parent) for i, link in enumerate(m.links))
    return [m.outward(i, twists[p] if p >= 0 else ground) for i, p in parents]
