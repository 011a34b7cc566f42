"""What the limits of a robot ask of the squared speed along a curve.

Every limit is a row of powers of the features ``f = (b, b', b'', …)``
(`jounce.planning.powers`),

    G = L · f + o + Σ C φ(f) ≤ 0

with coefficients that depend on the place only.  Rows of what changes its sign with the speed, as
jerk and rates of torques do, are divided by √b; then their bound is that by √b, which is convex.
Velocity, acceleration and torque have b and b', each time derivative one feature more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jounce.limits.forces import MotionForces
from jounce.limits.limits import QUANTITIES
from jounce.planning.curve import Curve
from jounce.planning.drives import FEATURES, Drives
from jounce.planning.limits_along import LimitsAlong, RangeAlong
from jounce.planning.powers import (
    ONE,
    Power,
    Quantity,
    added,
    forces_along,
    powers_at,
    rate,
    times,
    velocities,
)

TINY = 1e-200  # no velocity at all
SECOND_ORDER = 2  # features of limits of velocity, acceleration and torque


class Label(NamedTuple):
    """What a row limits."""

    quantity: str
    joint: str


class Block(NamedTuple):
    """The coefficients ``(m, stop − start)`` of one power in some rows."""

    power: Power
    start: int
    stop: int
    coefficients: np.ndarray


class Constraints(NamedTuple):
    """The rows at m places."""

    labels: tuple[Label, ...]
    L: np.ndarray  # (m, rows, features)
    o: np.ndarray  # (m, rows)
    blocks: tuple[Block, ...]

    def __call__(self, f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return G ``(m, rows)`` and its gradient by the features, ``(m, rows, features)``."""
        G = np.matmul(self.L, f[:, :, None])[..., 0] + self.o
        dG = self.L.copy() if self.blocks else self.L
        known = {power: powers_at(power, f) for power in {x.power for x in self.blocks}}
        for power, start, stop, C in self.blocks:
            value, slopes = known[power]
            G[:, start:stop] += C * value[:, None]
            for k, slope in slopes:
                dG[:, start:stop, k] += C * slope[:, None]
        return G, dG

    def joined(self, more: Constraints) -> Constraints:
        """Return these rows and those at other places."""
        blocks = tuple(
            x._replace(coefficients=np.concatenate([x.coefficients, y.coefficients]))
            for x, y in zip(self.blocks, more.blocks, strict=True)
        )
        L, o = (np.concatenate(x) for x in zip(self[1:3], more[1:3], strict=True))
        return Constraints(self.labels, L, o, blocks)


def features_of(limits: LimitsAlong, drives: Drives | None) -> int:
    """Return how many of b, b', … the limits are about."""
    own = [x.rates for x in QUANTITIES if limits.ranges[x.name].is_limited]
    return max(SECOND_ORDER, *own, drives.features if drives else 0)


def constraints_at(
    curve: Curve,
    limits: LimitsAlong,
    forces: MotionForces,
    u: np.ndarray,
    unit: float,
    *,
    features: int,
    share: float = 1.0,
    drives: Drives | None = None,
    dry: Quantity | None = None,
) -> Constraints:
    """Return the rows at the places u for this share of the limits; b is counted in ``unit``.

    Limits that are about more features than these are left out.  ``dry`` are forces that are no
    powers of the speed, as powers that are near.
    """
    path = curve(u, features)
    build = _Builder(limits, curve.parameter(u), features, unit, share)
    build.velocity(path[1])
    motion = [velocities(path)]
    for _ in range(features - 1):
        motion.append(rate(motion[-1]))
    known = [x for x in QUANTITIES[2:]
             if x.rates <= features and limits.ranges[x.name].is_limited]  # fmt: skip
    forced: list[Quantity] = []
    if drives or any(x.is_force for x in known):
        own = forces_along(forces, path)
        forced.append(own if dry is None else added((1.0, own), (1.0, dry)))
        for _ in range(features - SECOND_ORDER):
            forced.append(rate(forced[-1]))
    for name, is_force, order in known:
        own = forced[order] if is_force else motion[order - 1]
        build.add(name, own, limits.ranges[name], is_odd=order % 2 == 1)
    for name, own, along in drives.quantities(motion, forced) if drives else ():
        build.add(name, own, along, is_odd=FEATURES[name] % 2 == 1)
    return build.constraints()


class _Builder:
    """Collects rows, each divided by what its limit is measured by."""

    def __init__(
        self, limits: LimitsAlong, parameter: np.ndarray, features: int, unit: float, share: float
    ) -> None:
        self.limits, self.parameter, self.features = limits, parameter, features
        self.places, self.unit, self.share = parameter.size, unit, share
        self.labels: list[Label] = []
        self.linear: list[np.ndarray] = []
        self.offset: list[np.ndarray] = []
        self.blocks: list[Block] = []

    def velocity(self, p1: np.ndarray) -> None:
        """Bound b by the largest that all velocities allow."""
        speed = self.share * self.limits.speeds(self.parameter, p1).min(axis=1)
        L = np.zeros((self.places, 1, self.features))
        L[:, 0, 0] = self.unit / np.maximum(speed**2, TINY)
        self._rows([Label("velocity", "")], L, np.full((self.places, 1), -1.0))

    def _rows(self, labels: list[Label], linear: np.ndarray, offset: np.ndarray) -> None:
        self.labels += labels
        self.linear.append(linear)
        self.offset.append(offset)

    def add(self, name: str, quantity: Quantity, along: RangeAlong, *, is_odd: bool) -> None:
        """Add the rows of a quantity within a range; what is odd in the speed is divided by √b."""
        powers = {times(x, -is_odd): jet[0] for x, jet in quantity.items()}
        low, high = along.sides(self.parameter)
        scale = along.scale / np.sqrt(self.unit) if is_odd else along.scale
        for sign, side in ((1.0, high), (-1.0, low)):
            (own,) = np.nonzero(np.isfinite(side[0]))
            if not own.size:
                continue
            start, factor = len(self.labels), sign / scale[own]
            linear = np.zeros((self.places, own.size, self.features))
            bound = {times(ONE, -is_odd): -self.share * side}
            rest: dict[Power, np.ndarray] = {}
            for power, x in [*powers.items(), *bound.items()]:
                degree = sum(power) - (power[0] / 2.0 if power else 0.0)
                entry = x[:, own] * (factor * self.unit**degree)
                if (k := _feature(power)) is not None:
                    linear[..., k] += entry
                else:
                    rest[power] = rest.get(power, 0.0) + entry
            self._rows([Label(name, self.limits.names[i]) for i in own], linear,
                       rest.pop(ONE, np.zeros((self.places, own.size))))  # fmt: skip
            self.blocks += [Block(p, start, len(self.labels), x) for p, x in rest.items()]

    def constraints(self) -> Constraints:
        """Return all rows."""
        linear, offset = (np.concatenate(x, axis=1) for x in (self.linear, self.offset))
        return Constraints(tuple(self.labels), linear, offset, tuple(self.blocks))


def _feature(power: Power) -> int | None:
    """Return which feature a power is, if it is one."""
    if power == (2,):
        return 0
    is_one = len(power) > 1 and power[-1] == 1 and not any(power[:-1])
    return len(power) - 1 if is_one else None
