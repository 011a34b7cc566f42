"""Twists of links and frames in every representation, as jets."""

from __future__ import annotations

from collections.abc import Sequence

from jounce.algebra.se3 import NO_MOTION, Force, Motion, Transform
from jounce.algebra.vector import ZERO
from jounce.dynamics.motion import LinkMotion
from jounce.model.lowering.tree import Tree

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
    [M20, (33)]; ``hybrid``: in world axes about the frame's origin.
    """
    if representation == "body":
        return body
    if representation == "spatial":
        return pose.act(body)
    return Motion(pose.rotation.rotate(body.angular), pose.rotation.rotate(body.linear))


def twist_rates_in(representation: str, body: Motion, pose: Transform, order: int) -> list[Motion]:
    """Return the twist of one frame and its derivatives in another representation, at t = 0.

    ``d/dt Ad(C) X = Ad(C) (dX/dt + ad(V) X)`` with the frame's own twist V [M20, (34)], so only the
    pose at t = 0 is needed: derivative k is ``Ad(C) (d/dt + ad(V))ᵏ V``.  Hybrid: the same with
    rotations only.
    """
    w, v = body
    rotating = Motion(w, v if representation == "spatial" else ZERO)
    rates, X = [body], body
    for k in range(order):
        if k:
            X = X.dt() + rotating.cross(X)
        else:  # ad(V) V = 0 and ω × ω = 0
            X = X.dt() if representation == "spatial" else X.dt() + Motion(ZERO, w.cross(v))
        rates.append(X)
    return [motion_in(representation, X, pose) for X in rates]


def force_in(representation: str, body: Force, pose: Transform) -> Force:
    """Return a wrench or momentum given in a frame at ``pose`` in another representation."""
    if representation == "body":
        return body
    if representation == "spatial":
        return pose.push(body)
    return Force(pose.rotation.rotate(body.moment), pose.rotation.rotate(body.force))
