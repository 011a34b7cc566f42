"""Mass matrix and Coriolis matrices of a tree from composites.

Everything that lies beyond joint i is summed up once, in the frame of link i: inertia I_i,
form P_i = Σ ad(V_l)ᵀ M_l, momentum h_i.  An entry of two joints on one branch needs the sums of
the deeper one; its wrenches walk down the branch, entries are products with screws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from jounce.algebra.coriolis import NO_FORM, CoriolisForm
from jounce.algebra.inertia import SpatialInertia
from jounce.algebra.se3 import NO_FORCE, Force, Motion
from jounce.dynamics.motion import LinkMotion, link_motions
from jounce.dynamics.rows import Rows, Scalars, matrix_rows
from jounce.dynamics.twists import link_twists
from jounce.model.lowering.reduced import reduced
from jounce.model.lowering.tree import Tree
from jounce.model.robot import Robot

Matrix = list[list[Any]]
FACTORIZATIONS = ("passive", "kinematic", "christoffel")


def mass_matrix(robot: Robot, q: Scalars, rates: Sequence[Scalars]) -> Rows:
    """Return M, dM/dt, ... as rows of nv² scalars; K rates give K + 1 rows."""
    tree = reduced(robot)
    return matrix_rows(mass_matrix_jets(tree, link_motions(tree, q, rates)), len(rates))


def coriolis_matrix(robot: Robot, q: Scalars, rates: Sequence[Scalars], factorization: str) -> Rows:
    """Return C, dC/dt, ... as rows of nv² scalars; K rates give K rows.

    Only the christoffel matrix is one of M alone and so indifferent to regrouped inertias.
    """
    tree = reduced(robot, regrouped=factorization == "christoffel")
    C = coriolis_matrix_jets(tree, link_motions(tree, q, rates), factorization)
    return matrix_rows(C, len(rates) - 1)


class _Sums(NamedTuple):
    """What lies beyond a joint, in the frame of its link."""

    inertia: SpatialInertia
    form: CoriolisForm = NO_FORM
    momentum: Force = NO_FORCE


def mass_matrix_jets(tree: Tree, motions: Sequence[LinkMotion]) -> Matrix:
    """Return M as rows of jets: ``M_ij = Ξ_iᵀ Ad(C_{k,i})ᵀ I_k Ad(C_{k,j}) Ξ_j``, k the deeper.

    Motor inertias (armature) are included.
    """
    M = zeros(tree)
    inertias = composite_inertias(tree, motions)
    for i, k, X in _velocities(tree):
        F = inertias[i].apply(X)
        for m, Y in enumerate(tree.links[i].step.screws):
            motor = tree.links[i].armature[k] if k == m else 0.0
            add_entry(M, tree, (i, m), (i, k), Y.power(F) + motor)
        for j, (F_j,) in branch(tree, motions, i, F):
            for m, Y in enumerate(tree.links[j].step.screws):
                entry = Y.power(F_j)
                add_entry(M, tree, (j, m), (i, k), entry)
                add_entry(M, tree, (i, k), (j, m), entry)
    return M


def coriolis_matrix_jets(tree: Tree, motions: Sequence[LinkMotion], factorization: str) -> Matrix:
    """Return C as rows of jets.

    In the world frame ``C_ij = S_iᵀ (I_k dS_j/dt − B_k S_j)`` with k the deeper of i and j::

        passive       B = P                     dM/dt = C + Cᵀ  [GOA13, (6b)]
        kinematic     B = P + Pᵀ                [KM21, (30)]
        christoffel   B = ½ (P + Pᵀ − X)        X u = −ad(u)ᵀ h

    Here in the frame of k, where ``dS_j/dt`` becomes ``ad(V_j) Ξ_j`` in the frame of j.
    """
    twists = link_twists(tree, motions)
    own = [
        _Sums(link.inertia, CoriolisForm.of(link.inertia, V), link.inertia.apply(V))
        for link, V in zip(tree.links, twists, strict=True)
    ]
    form, transposed = _FORMS[factorization]
    composites = _composites(tree, motions, own)
    C = zeros(tree)
    for i, k, X in _velocities(tree):
        sums = composites[i]
        F = sums.inertia.apply(twists[i].cross(X)) - form(sums, X)
        G, H = sums.inertia.apply(X), transposed(sums, X)
        for m, Y in enumerate(tree.links[i].step.screws):
            add_entry(C, tree, (i, m), (i, k), Y.power(F))
        for j, (F_j, G_j, H_j) in branch(tree, motions, i, F, G, H):
            for m, Y in enumerate(tree.links[j].step.screws):
                add_entry(C, tree, (j, m), (i, k), Y.power(F_j))
                lower = twists[j].cross(Y).power(G_j) - Y.power(H_j)
                add_entry(C, tree, (i, k), (j, m), lower)
    return C


def _velocities(tree: Tree) -> Iterator[tuple[int, int, Motion]]:
    """Yield every link with the number and the screw of each of its velocities."""
    for i, link in enumerate(tree.links):
        for k, X in enumerate(link.step.screws):
            yield i, k, X


def _passive(sums: _Sums, X: Motion) -> Force:
    return sums.form.apply(X)


def _passive_transposed(sums: _Sums, X: Motion) -> Force:
    return sums.form.apply_transposed(X)


def _kinematic(sums: _Sums, X: Motion) -> Force:
    return sums.form.apply(X) + sums.form.apply_transposed(X)


def _christoffel(sums: _Sums, X: Motion) -> Force:
    return (_kinematic(sums, X) - X.cross_dual(sums.momentum)) * 0.5


def _christoffel_transposed(sums: _Sums, X: Motion) -> Force:
    return (_kinematic(sums, X) + X.cross_dual(sums.momentum)) * 0.5


_Form = Callable[[_Sums, Motion], Force]
_FORMS: dict[str, tuple[_Form, _Form]] = {
    "passive": (_passive, _passive_transposed),
    "kinematic": (_kinematic, _kinematic),
    "christoffel": (_christoffel, _christoffel_transposed),
}


def _composites(tree: Tree, motions: Sequence[LinkMotion], own: Sequence[_Sums]) -> list[_Sums]:
    """Sum what every link carries over everything beyond it."""
    total = list(own)
    for i in reversed(range(len(tree.links))):
        link, (inertia, form, momentum) = tree.links[i], total[i]
        if link.parent < 0:
            continue
        pose, place, parent = motions[i].pose, link.placement, total[link.parent]
        total[link.parent] = _Sums(
            parent.inertia + inertia.moved(pose).moved(place),
            form if form is NO_FORM else parent.form + form.moved(pose).moved(place),
            parent.momentum + place.push(pose.push(momentum)),
        )
    return total


def branch(
    tree: Tree, motions: Sequence[LinkMotion], i: int, *wrenches: Force
) -> Iterator[tuple[int, tuple[Force, ...]]]:
    """Yield each link between i and the ground with the wrenches expressed in its frame."""
    while tree.links[i].parent >= 0:
        place, pose = tree.links[i].placement, motions[i].pose
        wrenches = tuple(place.push(pose.push(W)) for W in wrenches)
        i = tree.links[i].parent
        yield i, wrenches


def composite_inertias(tree: Tree, motions: Sequence[LinkMotion]) -> list[SpatialInertia]:
    """Return the inertia of everything beyond each joint, in the frame of its link."""
    sums = _composites(tree, motions, [_Sums(link.inertia) for link in tree.links])
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
