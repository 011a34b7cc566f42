"""Dry friction along a curve, as powers of the speed that are right near a known motion.

``f(v) = c v / √(v² + s²) + o`` is no power of the speed w = √b.  About a motion of speed w₀(u) it
is, as a function of place and speed, near its tangent

    f(u, w) ≈ f(u, w₀) + f_w(u, w₀) (w − w₀)

which has the powers 1 and √b, and so have its rates.  Where a joint starts or turns f changes
within a moment.  Softer friction does not: played κ times as slowly, f is that of a speed κ s.
"""

from __future__ import annotations

import numpy as np

from jounce.algebra.jet import Jet
from jounce.limits.forces import MotionForces, played
from jounce.planning.curve import Curve, composed
from jounce.planning.powers import ONE, ROOT, Quantity, by_place
from jounce.planning.squared_speed import SquaredSpeed

FAST, TINY = 10.0, 1e-200  # rad/s, m/s: a speed at which dry friction is about all there is of it
STEP = 1e-4  # of the speed, to either side: f_w
NEAR, FINER = 4, 4  # pieces beside a place where a joint starts or turns, and parts of each
LOOKS = 20  # places of a piece where a joint may turn


def at_full_speed(forces: MotionForces, curve: Curve, u: np.ndarray, orders: int) -> Quantity:
    """Return dry friction of a motion that is nowhere slow, with derivatives by u."""
    q, p1 = curve(u, 1)
    size = np.maximum(np.abs(p1).max(axis=1, keepdims=True), TINY)
    known = forces.dry([q, FAST * p1 / size, 0.0 * p1])
    return {ONE: [*np.concatenate([known, np.zeros((orders, *known.shape[1:]))])]}


def tangent(
    forces: MotionForces,
    curve: Curve,
    u: np.ndarray,
    orders: int,
    near: SquaredSpeed,
    softness: float = 1.0,
) -> Quantity:
    """Return dry friction near a motion, with derivatives by u, that of a speed κ s.

    With ``e = w₀ f_w``, the slope by the logarithm of the speed, it is ``f − e + e w / w₀``.
    """
    rates = near.rates(u, orders)
    motion = composed(curve(u, orders), rates)

    def faster(factor: float) -> np.ndarray:
        """Return f of that many times the speed, with derivatives by time."""
        forced = forces.dry(played(motion, factor / softness))
        return forced / ((factor / softness) ** np.arange(len(forced)))[:, None, None]

    f, e = faster(1.0), (faster(1.0 + STEP) - faster(1.0 - STEP)) / (2.0 * STEP)
    slope = Jet.from_derivatives(e) * Jet.from_derivatives(rates[:, :, None]).reciprocal()
    features = [near(u, k)[:, None] for k in range(3)]
    return {ROOT: [*by_place(slope.derivatives(), features)], ONE: [*by_place(f - e, features)]}


def softest(forces: MotionForces, curve: Curve, near: SquaredSpeed) -> float:
    """Return the softness at which friction is about in proportion to the speed of a motion."""
    u = near.nodes
    _, v = composed(curve(u, 1), near.rates(u, 1))
    speeds = [x.speed for joint in forces.robot.joints for x in joint.friction if x.coulomb]
    return max(1.0, *(float(np.abs(v).max()) / x for x in speeds)) if speeds else 1.0


def finer(curve: Curve, pieces: int) -> np.ndarray:
    """Return places of more knots: about the ends and where a joint turns."""
    u = np.linspace(0.0, 1.0, LOOKS * pieces + 1)[1:-1]
    p1 = curve(u, 1)[1]
    turns, _ = np.nonzero(p1[1:] * p1[:-1] < 0.0)
    places = np.concatenate([[0.0, 1.0], u[turns]])
    at = np.round(places * pieces)[:, None] + np.arange(-NEAR * FINER, NEAR * FINER + 1) / FINER
    return np.unique(at[(at > 0.0) & (at < pieces)]) / pieces
