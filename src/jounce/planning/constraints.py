"""What the limits of a robot ask of the squared speed along a curve.

With ``b = u̇²`` and ' the derivative by u, the motion and its forces along the curve p are

    q̇ = p' √b,   q̈ = p'' b + ½ p' b',   q⃛ = √b (p''' b + 3/2 p'' b' + ½ p' b'')
    Q = ½ m b' + c b + d √b + g
    Q̇ = √b (½ m b'' + (½ m' + c) b' + c' b + g' + d' √b + ½ d b' / √b)

with ``m = M p'``, ``c = M p'' + C p'``, ``d = D p'`` and the gravity forces g.  So every limit of
them is a row

    G = L · (b, b', b'') + o + S √b + T b' / √b + U / √b ≤ 0

with coefficients that depend on the place only; rows of rates are divided by √b.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jounce.api.dynamics import gravity_forces, inverse_dynamics
from jounce.model.robot import Robot
from jounce.planning.curve import Curve
from jounce.planning.limits_along import LimitsAlong

TINY = 1e-200  # no velocity at all


class Label(NamedTuple):
    """What a row limits."""

    quantity: str
    joint: str


class Constraints(NamedTuple):
    """The rows at m places; coefficients have shape ``(m, rows)``."""

    labels: tuple[Label, ...]
    L: np.ndarray  # (m, rows, features)
    o: np.ndarray
    S: np.ndarray
    T: np.ndarray
    U: np.ndarray

    def __call__(self, f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return G ``(m, rows)`` and its gradient by the features, ``(m, rows, features)``."""
        root = np.sqrt(f[:, :1])
        inverse = 1.0 / root
        slope = f[:, 1:2]
        parts = self.S * root + (self.T * slope + self.U) * inverse
        G = np.matmul(self.L, f[:, :, None])[..., 0] + self.o + parts
        dG = self.L.copy()
        dG[..., 0] += (self.S - (self.T * slope + self.U) * inverse**2) * (0.5 * inverse)
        dG[..., 1] += self.T * inverse
        return G, dG

    def joined(self, more: Constraints) -> Constraints:
        """Return these rows and those at other places."""
        return Constraints(
            self.labels, *(np.concatenate(x) for x in zip(self[1:], more[1:], strict=True))
        )


class Forces(NamedTuple):
    """The forces along a curve by powers of the speed, and their derivatives by u, ``(m, nv)``."""

    m: np.ndarray
    c: np.ndarray
    d: np.ndarray
    g: np.ndarray
    m1: np.ndarray
    c1: np.ndarray
    d1: np.ndarray
    g1: np.ndarray


def forces_along(robot: Robot, path: list[np.ndarray]) -> Forces:
    """Return what forces a curve takes, from its q and three derivatives by u.

    Inverse dynamics at three speeds tells the parts apart: u̇ = 1 forwards and backwards, where
    friction changes its sign, and u̇ = 1 with ü = 1.
    """
    q, p1, p2, p3 = path
    forward = inverse_dynamics(robot, q, p1, p2, p3)
    backward = inverse_dynamics(robot, q, -p1, p2, -p3) * np.array([1.0, -1.0])[:, None, None]
    faster = inverse_dynamics(robot, q, p1, p2 + p1, p3 + 3.0 * p2)
    g, g1 = gravity_forces(robot, q, p1)
    d, d1 = (forward - backward) / 2.0
    c, c1 = (forward + backward) / 2.0 - np.array([g, g1])
    m, rest = faster - forward
    return Forces(m, c, d, g, rest - 2.0 * c - d, c1, d1, g1)


def constraints_at(
    curve: Curve,
    limits: LimitsAlong,
    u: np.ndarray,
    unit: float,
    *,
    rates: bool,
    share: float = 1.0,
) -> Constraints:
    """Return the rows at the places u for this share of the limits; b is counted in ``unit``."""
    features = 3 if rates else 2
    path = curve(u, 3)
    p1, p2, p3 = path[1:]
    build = _Builder(limits, curve.parameter(u), features, unit, share)
    build.velocity(p1)
    half = np.zeros_like(p1)
    build.add("acceleration", (p2, 0.5 * p1, half))
    if rates:
        build.add("jerk", (p3, 1.5 * p2, 0.5 * p1), is_rate=True)
    forced = ("effort", "effort_rate") if rates else ("effort",)
    if any(limits.bounds(name) for name in forced):
        x = forces_along(curve.robot, path)
        build.add("effort", (x.c, 0.5 * x.m, half), x.g, x.d)
        if rates:
            linear = (x.c1, 0.5 * x.m1 + x.c, 0.5 * x.m)
            build.add("effort_rate", linear, x.g1, x.d1, 0.5 * x.d, is_rate=True)
    return build.constraints()


class _Builder:
    """Collects rows, each divided by what its limit is measured by."""

    def __init__(
        self, limits: LimitsAlong, parameter: np.ndarray, features: int, unit: float, share: float
    ) -> None:
        self.limits, self.parameter, self.features = limits, parameter, features
        self.places, self.unit, self.share = parameter.size, unit, share
        self.labels: list[Label] = []
        self.parts: list[tuple[np.ndarray, ...]] = []

    def velocity(self, p1: np.ndarray) -> None:
        """Bound b by the largest that all velocities allow."""
        speed = self.share * self.limits.speeds(self.parameter, p1).min(axis=1)
        L = np.zeros((self.places, 1, self.features))
        L[:, 0, 0] = self.unit / np.maximum(speed**2, TINY)
        zeros = np.zeros((self.places, 1))
        self.labels.append(Label("velocity", ""))
        self.parts.append((L, zeros - 1.0, zeros, zeros, zeros))

    def add(
        self,
        name: str,
        linear: tuple[np.ndarray, ...],
        offset: np.ndarray | float = 0.0,
        root: np.ndarray | float = 0.0,
        inverse: np.ndarray | float = 0.0,
        *,
        is_rate: bool = False,
    ) -> None:
        """Add the rows of a quantity with these coefficients, ``(m, nv)`` each."""
        low, high = self.limits.range_of(name, self.parameter)
        unit, root_unit = self.unit, np.sqrt(self.unit)
        scale = self.limits.scale(name)
        if is_rate:
            scale = scale / root_unit
        for sign, bound in ((1.0, high), (-1.0, low)):
            (own,) = np.nonzero(np.isfinite(bound[0]))
            if not own.size:
                continue
            parts = (*linear[: self.features], offset, root, inverse, self.share * bound)
            *L, o, S, T, limit = (
                np.broadcast_to(x, bound.shape)[:, own] * (sign / scale[own]) for x in parts
            )
            is_not = 0.0 if is_rate else 1.0  # a bound of a rate is divided by √b, as the row is
            row = (
                np.stack(L, axis=-1) * unit,
                o - is_not * limit,
                S * root_unit,
                T * root_unit,
                (is_not - 1.0) * limit / root_unit,
            )
            self.labels += [Label(name, self.limits.names[i]) for i in own]
            self.parts.append(row)

    def constraints(self) -> Constraints:
        """Return all rows."""
        columns = zip(*self.parts, strict=True)
        return Constraints(tuple(self.labels), *(np.concatenate(x, axis=1) for x in columns))
