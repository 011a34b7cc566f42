"""The mass matrix of a tree factored by articulated bodies, in work that grows with the links.

The factors are those of `jounce.dynamics.factorization`, ``M = Lᵀ D L``, none of whose entries
is formed: L is a pass over the tree, which takes as long as the tree has links, whatever its depth.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from jounce.algebra.articulated import ArticulatedInertia
from jounce.algebra.se3 import NO_FORCE, NO_MOTION, Force, Motion, Pair, Transform, components
from jounce.algebra.vector import Vec3
from jounce.dynamics.factorization import ZeroPivotError, is_zero
from jounce.dynamics.motion import joint_poses
from jounce.dynamics.rows import Scalars
from jounce.model.lowering.tree import Tree


class Freedom(NamedTuple):
    """One velocity of a link, its screw X, and ``gain = U / D`` as `articulated_factors` says.

    Of a unit vector X = e_m without armature component m of the gain is one and left out.
    """

    v: int  # index of the velocity
    X: Motion
    gain: Force
    m: int | None

    def transmitted(self, p: Force, right: Any) -> tuple[Any, Force]:
        """Return ``u = right − Xᵀ p`` and ``p + gain u``, the wrench that passes the joint."""
        u = right - self.X.power(p)
        return u, _with(p + self.gain * u, self.m, right)

    def followed(self, a: Motion, right: Any) -> tuple[Any, Motion]:
        """Return ``x = right − gainᵀ a`` and ``a + X x``, the acceleration beyond the joint."""
        rest = right - a.power(self.gain)
        if self.m is None:
            return rest, a + self.X * rest
        return rest - components(a)[self.m], _with(a, self.m, rest)


class ArticulatedFactors(NamedTuple):
    """Factors of the mass matrix of a tree without mimics; poses of links in their placements."""

    tree: Tree
    poses: Sequence[Transform]
    freedoms: Sequence[Sequence[Freedom]]  # of every link
    reciprocals: Sequence[Any]
    pivots: Sequence[Any]

    def eliminated(self, right: Sequence[Any]) -> list[Any]:
        """Return y with ``Lᵀ y = right``; p_i is the wrench that the joints beyond transmit."""
        y = list(right)
        wrenches = [NO_FORCE] * len(self.poses)
        for i in reversed(range(len(self.poses))):
            link, p = self.tree.links[i], wrenches[i]
            for freedom in reversed(self.freedoms[i]):
                y[freedom.v], p = freedom.transmitted(p, right[freedom.v])
            if link.parent >= 0:
                moved = link.placement.push(self.poses[i].push(p))
                wrenches[link.parent] = wrenches[link.parent] + moved
        return y

    def substituted(self, right: Sequence[Any]) -> list[Any]:
        """Return x with ``L x = right``; a_i is the acceleration of link i."""
        x = list(right)
        accelerations: list[Motion] = []
        for link, pose, freedoms in zip(self.tree.links, self.poses, self.freedoms, strict=True):
            a = NO_MOTION
            if link.parent >= 0:
                a = pose.pull(link.placement.pull(accelerations[link.parent]))
            for freedom in freedoms:
                x[freedom.v], a = freedom.followed(a, right[freedom.v])
            accelerations.append(a)
        return x


def articulated_factors(tree: Tree, q: Scalars) -> ArticulatedFactors:
    """Factor the mass matrix of a tree without mimics.

    With I the articulated inertia of a link, one velocity after another, then inwards::

        U = I X     D = Xᵀ U + armature     I ← I − U Uᵀ / D     I_p ← I_p + Ad(C)ᵀ I Ad(C)
    """
    poses = joint_poses(tree, q)
    inertias = [ArticulatedInertia.of(link.inertia) for link in tree.links]
    pivots: list[Any] = [0.0] * tree.nv
    reciprocals: list[Any] = [0.0] * tree.nv
    freedoms: list[list[Freedom]] = [[] for _ in tree.links]
    for i in reversed(range(len(tree.links))):
        link, I = tree.links[i], inertias[i]
        for k, X in reversed(list(enumerate(link.step.screws))):
            v, armature = link.coordinates.v + k, link.armature[k]
            U = I.apply(X)
            pivots[v] = X.power(U) + armature
            if is_zero(pivots[v]):
                raise ZeroPivotError(v)
            reciprocals[v] = 1.0 / pivots[v]
            gain, m = U * reciprocals[v], _unit_index(X)
            I = I.yielding(U, gain, m, armature)
            if is_zero(armature):
                freedoms[i].insert(0, Freedom(v, X, _with(gain, m, 0.0), m))
            else:
                freedoms[i].insert(0, Freedom(v, X, gain, None))
        if link.parent >= 0:
            moved = I.moved(poses[i]).moved(link.placement)
            inertias[link.parent] = inertias[link.parent] + moved
    return ArticulatedFactors(tree, poses, freedoms, reciprocals, pivots)


def _unit_index(X: Motion) -> int | None:
    """Return m of a screw that is the m-th unit vector."""
    six = components(X)
    is_unit = all(isinstance(x, float) for x in six) and six.count(0.0) == 5 and 1.0 in six
    return six.index(1.0) if is_unit else None


def _with(pair: Pair, m: int | None, value: Any) -> Pair:
    """Return a pair of vectors with another m-th component, if m is any."""
    if m is None:
        return pair
    six = components(pair)
    six[m] = value
    return type(pair)(Vec3(*six[:3]), Vec3(*six[3:]))
