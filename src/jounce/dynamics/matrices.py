"""Mass matrix and Coriolis matrices of a tree from composites.

Everything that lies beyond joint i is summed up once, in the frame of link i: inertia I_i,
form P_i = Σ ad(V_l)ᵀ M_l, momentum h_i.  An entry of two joints on one branch needs the sums of
the deeper one; its wrenches walk down the branch, entries are products with screws.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from jounce.algebra.coriolis import NO_FORM, CoriolisForm
from jounce.algebra.inertia import SpatialInertia
from jounce.algebra.se3 import NO_FORCE, Force, Motion
from jounce.dynamics.motion import Moving, moving
from jounce.dynamics.rows import Rates, Rows, Scalars, matrix_rows
from jounce.model.lowering.reduced import reduced
from jounce.model.lowering.tree import Tree
from jounce.model.robot import Robot

Matrix = list[list[Any]]
FACTORIZATIONS = ("passive", "kinematic", "christoffel")


def mass_matrix(robot: Robot, q: Scalars, rates: Rates) -> Rows:
    """Return M, dM/dt, ... as rows of nv² scalars; K rates give K + 1 rows."""
    return matrix_rows(mass_matrix_jets(moving(reduced(robot), q, rates)), len(rates))


def coriolis_matrix(robot: Robot, q: Scalars, rates: Rates, factorization: str) -> Rows:
    """Return C, dC/dt, ... as rows of nv² scalars; K rates give K rows.

    Only the christoffel matrix is one of M alone and so indifferent to regrouped inertias.
    """
    tree = reduced(robot, regrouped=factorization == "christoffel")
    C = coriolis_matrix_jets(moving(tree, q, rates), factorization)
    return matrix_rows(C, len(rates) - 1)


class _Sums(NamedTuple):
    """What lies beyond a joint, in the frame of its link."""

    inertia: SpatialInertia
    form: CoriolisForm = NO_FORM
    momentum: Force = NO_FORCE


def mass_matrix_jets(m: Moving) -> Matrix:
    """Return M as rows of jets: ``M_ij = Ξ_iᵀ Ad(C_{k,i})ᵀ I_k Ad(C_{k,j}) Ξ_j``, k the deeper.

    Motor inertias (armature) are included.
    """
    tree, inertias = m.tree, composite_inertias(m)
    M = zeros(tree)
    for i, k, X in _velocities(tree):
        F = inertias[i].apply(X)
        for l, Y in enumerate(tree.links[i].step.screws):
            motor = tree.links[i].armature[k] if k == l else 0.0
            add_entry(M, tree, (i, l), (i, k), Y.power(F) + motor)
        for j, (F_j,) in branch(m, i, F):
            for l, Y in enumerate(tree.links[j].step.screws):
                entry = Y.power(F_j)
                add_entry(M, tree, (j, l), (i, k), entry)
                add_entry(M, tree, (i, k), (j, l), entry)
    return M


def coriolis_matrix_jets(m: Moving, factorization: str) -> Matrix:
    """Return C as rows of jets.

    In the world frame ``C_ij = S_iᵀ (I_k dS_j/dt − B_k S_j)`` with k the deeper of i and j::

        passive       B = P                     dM/dt = C + Cᵀ  [GOA13, (6b)]
        kinematic     B = P + Pᵀ                [KM21, (30)]
        christoffel   B = ½ (P + Pᵀ − X)        X u = −ad(u)ᵀ h

    Here in the frame of k, where ``dS_j/dt`` becomes ``ad(V_j) Ξ_j`` in the frame of j.
    """
    tree, twists = m.tree, m.twists
    own = [
        _Sums(link.inertia, CoriolisForm.of(link.inertia, V), link.inertia.apply(V))
        for link, V in zip(tree.links, twists, strict=True)
    ]
    composites = _composites(m, own)
    C = zeros(tree)
    for i, k, X in _velocities(tree):
        sums = composites[i]
        F = sums.inertia.apply(twists[i].cross(X)) - _form(sums, X, factorization)
        G, H = sums.inertia.apply(X), _form(sums, X, factorization, transposed=True)
        for l, Y in enumerate(tree.links[i].step.screws):
            add_entry(C, tree, (i, l), (i, k), Y.power(F))
        for j, (F_j, G_j, H_j) in branch(m, i, F, G, H):
            for l, Y in enumerate(tree.links[j].step.screws):
                add_entry(C, tree, (j, l), (i, k), Y.power(F_j))
                lower = twists[j].cross(Y).power(G_j) - Y.power(H_j)
                add_entry(C, tree, (i, k), (j, l), lower)
    return C


def _velocities(tree: Tree) -> Iterator[tuple[int, int, Motion]]:
    """Yield every link with the number and the screw of each of its velocities."""
    for i, link in enumerate(tree.links):
        for k, X in enumerate(link.step.screws):
            yield i, k, X


def _form(sums: _Sums, X: Motion, factorization: str, *, transposed: bool = False) -> Force:
    """Return ``B X``, or ``Bᵀ X``, of the table in `coriolis_matrix_jets`."""
    P = sums.form
    if factorization == "passive":
        return P.apply_transposed(X) if transposed else P.apply(X)
    both = P.apply(X) + P.apply_transposed(X)
    if factorization == "kinematic":
        return both
    turned = X.cross_dual(sums.momentum)
    return (both + turned if transposed else both - turned) * 0.5


def _composites(m: Moving, own: Sequence[_Sums]) -> list[_Sums]:
    """Sum what every link carries over everything beyond it."""
    total = list(own)
    for i in reversed(range(len(m.links))):
        link, (inertia, form, momentum) = m.links[i], total[i]
        if link.parent < 0:
            continue
        pose, place, parent = m.motions[i].pose, link.placement, total[link.parent]
        total[link.parent] = _Sums(
            parent.inertia + inertia.moved(pose).moved(place),
            form if form is NO_FORM else parent.form + form.moved(pose).moved(place),
            parent.momentum + m.inward(i, momentum),
        )
    return total


def branch(m: Moving, i: int, *wrenches: Force) -> Iterator[tuple[int, tuple[Force, ...]]]:
    """Yield each link between i and the ground with the wrenches expressed in its frame."""
    while m.links[i].parent >= 0:
        wrenches = tuple(m.inward(i, W) for W in wrenches)
        i = m.links[i].parent
        yield i, wrenches


def composite_inertias(m: Moving) -> list[SpatialInertia]:
    """Return the inertia of everything beyond each joint, in the frame of its link."""
    sums = _composites(m, [_Sums(link.inertia) for link in m.links])
    return [total.inertia for total in sums]


def zeros(tree: Tree) -> Matrix:
    """Return an empty matrix of nv rows."""
    return [[0.0] * tree.nv for _ in range(tree.nv)]


def add_entry(
    matrix: Matrix, tree: Tree, row: tuple[int, int], column: tuple[int, int], entry: Any
) -> None:
    """Add an entry of two links; links that mimic a joint share its row and column."""
    a, b = tree.links[row[0]].coordinates, tree.links[column[0]].coordinates
    r, c = a.v + row[1], b.v + column[1]
    matrix[r][c] = matrix[r][c] + entry * a.multiplier * b.multiplier
