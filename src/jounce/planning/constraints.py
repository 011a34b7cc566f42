"""What the limits of a robot ask of the squared speed along a curve.

With ``b = u̇²`` and ' the derivative by u, the motion and its forces along the curve p are

    q̇ = p' √b,   q̈ = p'' b + ½ p' b',   q⃛ = √b (p''' b + 3/2 p'' b' + ½ p' b'')
    Q = ½ m b' + c b + d √b + g
    Q̇ = √b (½ m b'' + (½ m' + c) b' + c' b + g' + d' √b + ½ d b' / √b)

with ``m = M p'``, ``c = M p'' + C p'``, ``d = D p'`` and the gravity forces g.  So every limit of
them is a row

    G = L · f + o + S √b + T b' / √b + U / √b ≤ 0,   f = (b, b', b'')

with coefficients that depend on the place only; rows of rates are divided by √b.  Those of motor
torques behind springs (`jounce.planning.drives`) have b''' among the features and a quadratic part
``f · W f``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jounce.api.dynamics import gravity_forces, inverse_dynamics
from jounce.model.robot import Robot
from jounce.planning.curve import Curve
from jounce.planning.drives import MOTOR_SPEED, MOTOR_TORQUE, Drives, drive_rows
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
    W: np.ndarray  # (m, last rows, features, features), symmetric

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
        if self.W.shape[1]:
            last = -self.W.shape[1]
            bent = np.matmul(self.W, f[:, None, :, None])[..., 0]
            G[:, last:] += np.matmul(bent, f[:, :, None])[..., 0]
            dG[:, last:] += 2.0 * bent
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
    drives: Drives | None = None,
) -> Constraints:
    """Return the rows at the places u for this share of the limits; b is counted in ``unit``."""
    features = 4 if drives else 3 if rates else 2
    path = curve(u, 3)
    p1, p2, p3 = path[1:]
    build = _Builder(limits, curve.parameter(u), features, unit, share)
    build.velocity(p1)
    none = np.zeros_like(p1)
    build.add("acceleration", (p2, 0.5 * p1, none, none))
    if rates:
        build.add("jerk", (p3, 1.5 * p2, 0.5 * p1, none), is_rate=True)
    forced = ("effort", "effort_rate") if rates else ("effort",)
    if any(limits.bounds(name) for name in forced):
        x = forces_along(curve.robot, path)
        build.add("effort", (x.c, 0.5 * x.m, none, none), x.g, x.d)
        if rates:
            linear = (x.c1, 0.5 * x.m1 + x.c, 0.5 * x.m, none)
            build.add("effort_rate", linear, x.g1, x.d1, 0.5 * x.d, is_rate=True)
    if drives:
        motors = drive_rows(drives, curve(u, 4))
        gear = np.abs(drives.elastic.gear_ratio)
        offset, bound = motors.speed_offset, drives.speed / gear
        build.add(MOTOR_SPEED, motors.speed, offset, is_rate=True, bound=bound)
        offset, bound = motors.torque_offset, drives.torque * gear
        build.add(MOTOR_TORQUE, motors.torque, offset, bound=bound, quadratic=motors.quadratic)
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
        self.quadratic = [np.zeros((self.places, 0, features, features))]

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
        bound: np.ndarray | None = None,
        quadratic: np.ndarray | None = None,
    ) -> None:
        """Add the rows of a quantity with these coefficients, ``(m, nv)`` each.

        ``bound``, of the absolute value, is for what is not among the limits of the links.
        """
        unit, root_unit = self.unit, np.sqrt(self.unit)
        if bound is None:
            low, high = self.limits.range_of(name, self.parameter)
            scale = self.limits.scale(name)
        else:
            high = np.broadcast_to(bound, (self.places, bound.size))
            low, scale = -high, np.where(bound > 0.0, bound, 1.0)
        if is_rate:
            scale = scale / root_unit
        for sign, side in ((1.0, high), (-1.0, low)):
            (own,) = np.nonzero(np.isfinite(side[0]))
            if not own.size:
                continue
            parts = (*linear[: self.features], offset, root, inverse, self.share * side)
            *L, o, S, T, limit = (
                np.broadcast_to(x, side.shape)[:, own] * (sign / scale[own]) for x in parts
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
            if quadratic is not None:
                by = (sign * unit**2 / scale[own])[:, None, None]
                self.quadratic.append(quadratic[:, own] * by)

    def constraints(self) -> Constraints:
        """Return all rows."""
        columns = zip(*self.parts, strict=True)
        stacked = [np.concatenate(x, axis=1) for x in (*columns, self.quadratic)]
        return Constraints(tuple(self.labels), *stacked)
