"""Twists of bodies and frames in every representation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.algebra.se3 import NO_MOTION, Force, Motion, Pair, Transform, components
from jounce.algebra.vector import ZERO
from jounce.dynamics.motion import Moving, moving
from jounce.dynamics.rows import Rates, Rows, Scalars, as_rows
from jounce.model.lowering.tree import lowered
from jounce.model.robot import Robot

REPRESENTATIONS = ("body", "spatial", "hybrid")


def represented(representation: str, body: Pair, pose: Transform) -> Pair:
    """Return a motion, wrench or momentum given in a frame at ``pose`` in another representation.

    ``body``: in the frame; ``spatial``: in the world, about its origin, ``Ad(C) V``
    [M20, (33)], ``Ad(C)⁻ᵀ W``; ``hybrid``: in world axes about the frame's origin.
    """
    if representation == "body":
        return body
    if representation == "spatial":
        return pose.act(body) if isinstance(body, Motion) else pose.push(body)
    return type(body)(*map(pose.rotation.rotate, body))


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
    return [represented(representation, X, pose) for X in rates]


def body_forces(m: Moving, links: Sequence[Force], representation: str) -> list[Any]:
    """Return wrenches or momenta of links, in their frames, as those of bodies, 6 scalars each."""
    scalars, poses = [], m.poses
    for i, T in m.tree.bodies:
        W = represented(representation, T.inverse.push(links[i]), poses[i] @ T)
        scalars += components(W)
    return scalars


def twists(robot: Robot, q: Scalars, rates: Rates, representation: str) -> Rows:
    """Return the twist of every body, 6 scalars each; K rates give K rows."""
    m = moving(lowered(robot), q, rates)
    scalars, twists, poses = [], m.twists, m.poses
    for link, T in m.tree.bodies:
        V = T.pull(twists[link])
        scalars += components(represented(representation, V, poses[link] @ T))
    return as_rows(scalars, len(rates) - 1)


def frame_twist(robot: Robot, q: Scalars, rates: Rates, frame: str, representation: str) -> Rows:
    """Return the twist of a frame, 6 scalars; K rates give K rows."""
    tree = lowered(robot)
    link, T = tree.frame(robot.frame(frame))
    if link < 0:
        return [[0.0] * 6 for _ in rates]
    V = T.pull(moving(tree, q, rates).twists[link])
    if representation == "body":
        return as_rows(components(V), len(rates) - 1)
    pose = moving(tree, q).placed(link, T)
    moved = twist_rates_in(representation, V, pose, len(rates) - 1)
    return [as_rows(components(X), 0)[0] for X in moved]


def relative_twists(robot: Robot, q: Scalars, rates: Rates, frame: str) -> Rows:
    """Return the twist of every body relative to a frame, in the frame of the body.

    With p the parent of i, outwards from the frame's body j, whose own is zero, and inwards::

        b_i = Ad(C_{i,p}) b_p + Ξ_i v_i              b_p = Ad(C_{p,i}) (b_i − Ξ_i v_i)

    Of the bodies that j carries: ``b_{i,j} = Σ_{j<r≤i} B_{i,r} q̇_r`` [KM21, (14)].
    """
    m = moving(lowered(robot), q, rates)
    i, _ = m.tree.frame(robot.frame(frame))
    found: dict[int, Motion] = {i: NO_MOTION}
    while i >= 0:
        link, (pose, twist, _) = m.links[i], m.motions[i]
        b = found[i] + twist * -1.0
        i, found[link.parent] = link.parent, link.placement.act(pose.act(b))
    for i, link in enumerate(m.links):
        if i not in found:
            found[i] = m.outward(i, found[link.parent]) + m.motions[i].twist
    scalars = (x for link, T in m.tree.bodies for x in components(T.pull(found[link])))
    return as_rows(scalars, len(rates) - 1)
