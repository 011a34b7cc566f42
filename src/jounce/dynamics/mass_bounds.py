"""How large the diagonal of a mass matrix can get: the scale that its pivots are held against."""

from __future__ import annotations

from math import hypot, sqrt

from jounce.model.lowering.tree import Tree

BLUR = 1e-9  # of the length of the robot; squared, about as much above rounding as its lengths are


def mass_bounds(tree: Tree) -> list[float]:
    """Return for every velocity a bound of ``M_kk`` that holds in all configurations.

    By the triangle inequality: of the matter beyond a joint let s₀ be the mass, s₁ = Σ m r and
    s₂ = Σ m r² + tr I, a body being as far as the placements between sum up to::

        M_kk = Ξᵀ I Ξ + armature ≤ (|ω| √s₂ + |v| √s₀)² + armature          Ξ = (ω, v)

    Travel of joints does not count, so it is one at their zero.  No mass counts as closer to an
    axis than `BLUR`: a point on an axis is off it by rounding, and so would be the bound.
    """
    blur = BLUR * _length(tree)
    sums = [[0.0, 0.0, 0.0] for _ in tree.links]
    bounds = [0.0] * tree.nv
    for i in reversed(range(len(tree.links))):
        link, total = tree.links[i], sums[i]
        m, h, I = abs(link.inertia.mass), hypot(*link.inertia.first_moment), link.inertia.rotational
        for k, own in enumerate((m, h, abs(I.xx) + abs(I.yy) + abs(I.zz) + m * blur**2)):
            total[k] += own
        s0, s1, s2 = total
        for k, (w, v) in enumerate(link.step.screws):
            bound = (hypot(*w) * sqrt(s2) + hypot(*v) * sqrt(s0)) ** 2 + abs(link.armature[k])
            bounds[link.coordinates.v + k] += bound * link.coordinates.multiplier**2
        if link.parent >= 0:
            d = hypot(*link.placement.p)
            for k, moved in enumerate((s0, s1 + d * s0, s2 + 2.0 * d * s1 + d * d * s0)):
                sums[link.parent][k] += moved
    return bounds


def _length(tree: Tree) -> float:
    """Return how far from the ground a centre of mass can be."""
    lengths: list[float] = []
    longest = 0.0
    for link in tree.links:
        start = lengths[link.parent] if link.parent >= 0 else 0.0
        lengths.append(start + hypot(*link.placement.p))
        mass, h, _ = link.inertia
        longest = max(longest, lengths[-1] + (hypot(*h) / abs(mass) if mass else 0.0))
    return longest
