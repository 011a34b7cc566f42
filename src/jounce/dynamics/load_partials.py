"""Partials by q of what external wrenches contribute to the forces, as jets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.algebra.se3 import Transform
from jounce.algebra.so3 import Rotation
from jounce.algebra.tangent import Tangent, partial
from jounce.algebra.vector import Vec3
from jounce.dynamics.matrices import Matrix, zeros
from jounce.dynamics.motion import LinkMotion, screws
from jounce.dynamics.wrenches import FrameWrench, wrenches_beyond
from jounce.model.lowering.tree import Link, Tree


def load_partials(
    tree: Tree, motions: Sequence[LinkMotion], wrenches: Sequence[FrameWrench]
) -> Matrix:
    """Return ``∂(−Jᵀ W)/∂q`` for wrenches that stay constant in their representation.

    Every joint pose gets the variation ``C exp(Ξ δ)`` as tangent numbers over jets.
    """
    varied = [_varied(link, motion) for link, motion in zip(tree.links, motions, strict=True)]
    beyond = wrenches_beyond(tree, varied, wrenches)
    result = zeros(tree)
    for i, W in beyond.items():
        where = tree.links[i].coordinates
        for k, X in enumerate(screws(tree.links[i].step)):
            force = X.power(W) * -where.multiplier
            row = result[where.v + k]
            for v in range(tree.nv):
                row[v] = row[v] + partial(force, v)
    return result


def _varied(link: Link, motion: LinkMotion) -> LinkMotion:
    """Return the motion with the variations of the pose by the joint's own velocities."""
    R, p = motion.pose
    where = link.coordinates
    turned: list[list[dict[int, Any]]] = [[{}, {}, {}] for _ in range(3)]
    shifted: list[dict[int, Any]] = [{}, {}, {}]
    for k, X in enumerate(screws(link.step)):
        shift = R.rotate(X.linear)
        for i, row in enumerate(R.rows):
            rate = row.cross(X.angular)  # rows of R hat(w)
            for j in range(3):
                turned[i][j][where.v + k] = rate[j] * where.multiplier
            shifted[i][where.v + k] = shift[i] * where.multiplier
    rows = tuple(
        Vec3(*(Tangent(x, parts) for x, parts in zip(row, row_parts, strict=True)))
        for row, row_parts in zip(R.rows, turned, strict=True)
    )
    position = Vec3(*(Tangent(x, parts) for x, parts in zip(p, shifted, strict=True)))
    return motion._replace(pose=Transform(Rotation(rows), position))  # type: ignore[arg-type]
