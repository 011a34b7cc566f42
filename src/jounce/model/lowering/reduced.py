"""The reduced tree: the same generalised forces from fewer operations.

An inertia that the motion of a joint leaves unchanged, seen from the parent, moves like
matter of the parent: shifting it there changes no generalised force.  What remains are the
base parameters.  (Joint wrenches, momenta and the passive C do change.)
"""

from __future__ import annotations

from functools import lru_cache

from jounce.algebra.se3 import IDENTITY, Transform
from jounce.model.lowering.sparse import Surroundings, cleaned, cleaned_inertia, turned
from jounce.model.lowering.tree import Tree, lowered
from jounce.model.records import leaves
from jounce.model.robot import Robot


@lru_cache(maxsize=64)
def reduced(robot: Robot, *, regrouped: bool = True, sparse: bool = True) -> Tree:
    """Return the tree with regrouped inertias and sparse frames, both exact for Q and M.

    Not for twists, momenta, joint wrenches or Coriolis matrices: these need the matter where
    it is (`lowered`).  Robots with symbolic scalars are left as they are.
    """
    tree = lowered(robot)
    numbers = leaves(tuple((*link.inertia, link.placement.matrix()) for link in tree.links))
    if not all(isinstance(x, float) for x in numbers):
        return tree
    links = list(tree.links)
    bodies = list(tree.body_placements)
    for i in reversed(range(len(links))):
        if sparse:
            _change_frame(i, links, bodies, tree)
        link = links[i]
        if regrouped:
            shared = link.step.invariant_part(link.inertia)
            own = cleaned_inertia(link.inertia - shared, link.inertia)
            links[i] = link._replace(inertia=own)
            if link.parent >= 0:
                parent = links[link.parent]
                total = parent.inertia + shared.moved(link.placement)
                links[link.parent] = parent._replace(inertia=total)
    if sparse:
        for i, link in enumerate(links):
            if link.step.turns:
                placement, turn = turned(link.placement)
                links[i] = link._replace(placement=placement, turn=turn)
    return tree._replace(links=tuple(links), body_placements=tuple(bodies))


def _change_frame(i: int, links: list, bodies: list[Transform], tree: Tree) -> None:
    """Give link i its cheapest frame and rewrite what is expressed in it."""
    link = links[i]
    children = [k for k, other in enumerate(links) if other.parent == i]
    placements = [links[k].placement for k in children]
    remaining = link.inertia - link.step.invariant_part(link.inertia)
    change = IDENTITY
    if link.step.has_axis:
        around = Surroundings(link.step.turns, link.placement, remaining, placements)
        change = around.frame_change()
    back = change.inverse
    links[i] = link._replace(
        placement=cleaned(link.placement @ change),
        inertia=cleaned_inertia(link.inertia.moved(back)),
    )
    for k in children:
        links[k] = links[k]._replace(placement=cleaned(back @ links[k].placement))
    for body, owner in enumerate(tree.body_links):
        if owner == i:
            bodies[body] = back @ bodies[body]
