"""Twists of links and frames in every representation, as jets."""

from __future__ import annotations

from collections.abc import Sequence

from jounce.algebra.se3 import NO_MOTION, Force, Motion, Transform
from jounce.dynamics.motion import LinkMotion
from jounce.model.tree import Tree

REPRESENTATIONS = ("body", "spatial", "hybrid")


def link_twists(
    tree: Tree, motions: Sequence[LinkMotion], ground: Motion = NO_MOTION
) -> list[Motion]:
    """Return the twist of every link in its own frame.

    ``V_i = Ad(C_{i,p}) V_p + Ξ_i v_i`` [KM21, (4)], [M20, (40)].
    """
    twists: list[Motion] = []
    for link, motion in zip(tree.links, motions, strict=True):
        V_p = twists[link.parent] if link.parent >= 0 else ground
        twists.append(motion.pose.pull(link.placement.pull(V_p)) + motion.twist)
    return twists


def motion_in(representation: str, body: Motion, pose: Transform) -> Motion:
    """Return a motion given in a frame at ``pose`` in another representation.

    ``body``: in the frame; ``spatial``: in the world, about its origin, ``Ad(C) V``
    [M20, (38)]; ``hybrid``: in world axes about the frame's origin.
    """
    if representation == "body":
        return body
    if representation == "spatial":
        return pose.act(body)
    return Motion(pose.rotation.rotate(body.angular), pose.rotation.rotate(body.linear))


def force_in(representation: str, body: Force, pose: Transform) -> Force:
    """Return a wrench or momentum given in a frame at ``pose`` in another representation."""
    if representation == "body":
        return body
    if representation == "spatial":
        return pose.push(body)
    return Force(pose.rotation.rotate(body.moment), pose.rotation.rotate(body.force))
