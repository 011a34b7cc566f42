"""Quantities along a curve as polynomials of the squared speed and its derivatives.

With ``b = u̇²`` and ' the derivative by u, every quantity of a motion along a curve is a sum of
coefficients that depend on the place only, times powers

    φ = b^(e_0 / 2) b'^(e_1) b''^(e_2) …

and so is its time derivative, ``√b d/du``.  From ``q̇ = p' √b`` and the forces
``Q = ½ m b' + c b + d √b + g`` (m = M p', c = M p'' + C p', d = D p', g gravity) everything that
can be limited follows by differentiation:

    q̈ = p'' b + ½ p' b',   q⃛ = √b (p''' b + 3/2 p'' b' + ½ p' b''),   …
    Q̇ = √b (½ m b'' + (½ m' + c) b' + c' b + g') + d' b + ½ d b',   …
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from jounce.limits.forces import MotionForces
from jounce.planning.curve import composed

Power = tuple[int, ...]  # exponents: of √b, b', b'', …; the last is not zero
ONE: Power = ()
ROOT: Power = (1,)
SQUARE: Power = (2,)  # b itself
SLOPE: Power = (0, 1)  # b'

# of each power its coefficient at m places and the derivatives by u of it, ``(m, nv)`` each
Quantity = Mapping[Power, Sequence[np.ndarray]]


def times(power: Power, *more: int) -> Power:
    """Return the product with the power that has these exponents."""
    size = max(len(power), len(more))
    total = [sum(x) for x in zip(*(p + (0,) * (size - len(p)) for p in (power, more)), strict=True)]
    while total and not total[-1]:
        total.pop()
    return tuple(total)


def added(*terms: tuple[np.ndarray | float, Quantity]) -> Quantity:
    """Return the sum of quantities, each times a factor that is the same everywhere."""
    total: dict[Power, list[np.ndarray]] = {}
    for factor, quantity in terms:
        for power, jet in quantity.items():
            scaled = [factor * x for x in jet]
            known = total.get(power)
            total[power] = scaled if known is None else _sum(known, scaled)
    return total


def rate(quantity: Quantity) -> Quantity:
    """Return the time derivative: ``√b (C' φ + C Σ_k ∂φ/∂b^(k) b^(k+1))``, one derivative less."""
    total: dict[Power, list[np.ndarray]] = {}

    def add(power: Power, jet: list[np.ndarray]) -> None:
        known = total.get(power)
        total[power] = jet if known is None else _sum(known, jet)

    for power, jet in quantity.items():
        add(times(power, 1), list(jet[1:]))
        for k, exponent in enumerate(power):
            if exponent:
                factor = exponent if k else exponent / 2.0  # of √b
                down = [0] * k + [-1 if k else -2, 1]
                add(times(times(power, *down), 1), [factor * x for x in jet[:-1]])
    return total


def by_place(values: Iterable[np.ndarray], f: Sequence[np.ndarray]) -> np.ndarray:
    """Return derivatives by u, of orders 0 to at most 3, of what is known by time.

    With f = (b, b', b''): ``Ẏ = √b Y'``, ``Ÿ = b Y'' + ½ b' Y'``, and a third time derivative of
    ``√b (b Y''' + 3/2 b' Y'' + ½ b'' Y')``.
    """
    b, b1, b2 = f
    found = [x / np.sqrt(b) ** k for k, x in enumerate(values)]
    if len(found) > 2:
        found[2] = found[2] - 0.5 * b1 / b * found[1]
    if len(found) > 3:
        found[3] = found[3] - (1.5 * b1 * found[2] + 0.5 * b2 * found[1]) / b
    return np.array(found)


def _sum(a: Sequence[np.ndarray], b: Sequence[np.ndarray]) -> list[np.ndarray]:
    return [x + y for x, y in zip(a, b, strict=False)]


def powers_at(power: Power, f: np.ndarray) -> tuple[np.ndarray, list[tuple[int, np.ndarray]]]:
    """Return φ at features ``(m, features)``, and its derivatives by those it depends on."""
    bases = [np.sqrt(f[:, 0]), *f.T[1:]]

    def product(exponents: Sequence[int]) -> np.ndarray:
        value = np.ones(len(f))
        for base, exponent in zip(bases, exponents, strict=False):
            if exponent:
                value = value * base**exponent
        return value

    slopes = []
    for k, exponent in enumerate(power):
        if exponent:
            factor = exponent if k else exponent / 2.0
            less = [e - (i == k) * (1 if k else 2) for i, e in enumerate(power)]
            slopes.append((k, factor * product(less)))
    return product(power), slopes


def velocities(path: Sequence[np.ndarray]) -> Quantity:
    """Return q̇, from q and the derivatives of a curve."""
    return {ROOT: path[1:]}


def forces_along(forces: MotionForces, path: Sequence[np.ndarray]) -> Quantity:
    """Return Q but for dry friction, from q and derivatives of a curve; two fewer of Q are known.

    Friction, inertia and gravity at u̇ = 1 are d, c and g.  With some ü besides, that is b = 1 and
    b' = 2 ü, the derivative of order k has ``ü m^(k)`` in it and else what is known already; where
    the curve begins, ü grows as p' vanishes, so that m is not lost beside the rest.
    """
    c, d, g = forces.parts(path)
    size, bend = (np.abs(x).max(axis=1) for x in path[1:3])
    push = np.maximum(1.0, np.divide(bend, size, out=np.ones_like(size), where=size > 0.0))
    faster = [np.ones(len(path[0])), push] + [np.zeros(len(path[0]))] * (len(path) - 3)
    quick = forces.plain(composed(path, np.array(faster)))
    unknown = np.zeros_like(g[0])
    m: list[np.ndarray] = []
    for k, total in enumerate(quick):
        known = _force(c[: k + 1], d[: k + 1], g[: k + 1], [*m, unknown])
        for _ in range(k):
            known = rate(known)
        slope = 2.0 * push[:, None]
        rest = sum(slope ** (power[1] if len(power) > 1 else 0) * jet[0]
                   for power, jet in known.items() if len(power) < 3)  # fmt: skip
        m.append((total - rest) / push[:, None])
    return _force(c, d, g, m)


def _force(
    c: Iterable[np.ndarray], d: np.ndarray, g: Iterable[np.ndarray], m: Iterable[np.ndarray]
) -> Quantity:
    friction = {ROOT: list(d)} if d.any() else {}
    return {SLOPE: [0.5 * x for x in m], SQUARE: list(c), ONE: list(g), **friction}
