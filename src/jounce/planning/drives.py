"""Limits of the motors of series-elastic joints along a path.

Seen at the joint, ``θ̇ = q̇ + Q̇ / K`` and ``τ = J (q̈ + Q̈ / K) + Q``.  With ``Q̇ = √b R``,

    R  = ½ m b'' + (½ m' + c) b' + c' b + g'
    R' = ½ m b''' + (m' + c) b'' + (½ m'' + 2 c') b' + c'' b + g''
    θ̇ = √b (p' + R / K),   Q̈ = b R' + ½ b' R

so a limit of the motor speed is a row as one of the jerk, and one of the motor torque is quadratic
in b and its derivatives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from jounce.api.dynamics import gravity_forces, inverse_dynamics
from jounce.elastic.series import SeriesElastic
from jounce.errors import UnsupportedError
from jounce.limits.check import LimitReport, LimitRow, Uses
from jounce.limits.extrema import Maxima
from jounce.limits.limits import MotionLimits
from jounce.planning.curve import composed

MOTOR_TORQUE, MOTOR_SPEED = "motor_torque", "motor_speed"


class Drives(NamedTuple):
    """Motors behind springs: what they do of a motion of the links, and what they may do.

    Compliance and inertia are zero for rigid joints, whose motor moves as a part of the link.
    """

    elastic: SeriesElastic
    torque: np.ndarray  # (nv,), at the motor
    speed: np.ndarray

    @classmethod
    def of(cls, elastic: SeriesElastic, torque: Any, speed: Any) -> Drives:
        """Return the drives with bounds that are numbers, nv numbers, {joint: number} or None."""
        elastic.require_flat("planning")
        if np.any(inverse_dynamics_difference(elastic)):
            raise UnsupportedError(
                "planning with springs needs a robot without viscous friction; load it with "
                "damping=False."
            )
        none = dict.fromkeys(("effort", "velocity"))
        bounds = MotionLimits.of(elastic.robot, **{**none, "effort": torque, "velocity": speed})
        return cls(elastic, bounds.effort, bounds.velocity)

    @property
    def compliance(self) -> np.ndarray:
        """1 / K, ``(nv,)``."""
        return np.where(self.elastic.rigid, 0.0, 1.0 / self.elastic.stiffness)

    @property
    def inertia(self) -> np.ndarray:
        """J, ``(nv,)``."""
        return np.where(self.elastic.rigid, 0.0, self.elastic.motor_inertia)

    def demands(self, motion: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
        """Return torque and speed of the motors with their rates, ``(2, m, nv)``, from 5 rates."""
        n = self.elastic.gear_ratio
        Q = inverse_dynamics(self.elastic.links, *motion)
        theta1, theta2, theta3 = (motion[k] + self.compliance * Q[k] for k in (1, 2, 3))
        torque = np.array([self.inertia * theta2 + Q[0], self.inertia * theta3 + Q[1]]) / n
        return {MOTOR_TORQUE: torque, MOTOR_SPEED: np.array([theta1, theta2]) * n}


def inverse_dynamics_difference(elastic: SeriesElastic) -> np.ndarray:
    """Return the friction forces at unit velocity, ``(nv,)``."""
    robot = elastic.links
    q, v, a = robot.neutral, np.ones(robot.nv), np.zeros(robot.nv)
    return (inverse_dynamics(robot, q, v, a) - inverse_dynamics(robot, q, -v, a))[0] / 2.0


class DriveUses(Uses):
    """What a motion uses of the limits of links and motors."""

    def __init__(self, drives: Drives, limits: MotionLimits) -> None:
        super().__init__(drives.elastic.links, limits)
        self.drives, self.order = drives, 5
        self.sides = [
            (name, k, sign, bound[k])
            for name, bound in ((MOTOR_TORQUE, drives.torque), (MOTOR_SPEED, drives.speed))
            for sign in (-1.0, 1.0)
            for k in np.flatnonzero(np.isfinite(bound))
        ]

    def __call__(self, motion: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Return the uses and their time derivatives, those of the motors last."""
        own = super().__call__(motion)
        demands = self.drives.demands(motion)
        more = np.empty((2, len(motion[0]), len(self.sides)))
        for i, (name, k, sign, bound) in enumerate(self.sides):
            more[..., i] = sign * demands[name][:, :, k] / (bound or 1.0)
            more[0, :, i] += bound == 0.0  # as all limits: 1 is on it
        return np.concatenate([own[0], more[0]], axis=1), np.concatenate([own[1], more[1]], axis=1)

    def label(self, k: int) -> tuple[str, str]:
        """Return quantity and joint of a column."""
        if k < self.bound.size:
            return super().label(k)
        name, velocity, *_ = self.sides[k - self.bound.size]
        return name, self.limits.names[velocity]

    def report(self, found: Maxima, times: np.ndarray, motion: Sequence[np.ndarray]) -> LimitReport:
        """Return the worst moment of every limit, those of the motors last."""
        count = self.bound.size
        links = super().report(Maxima(*(x[:count] for x in found)), times[:count],
                               [x[:count] for x in motion])  # fmt: skip
        demands = self.drives.demands([x[count:] for x in motion])
        worst: dict[tuple[str, str], LimitRow] = {}
        for i, (name, k, sign, bound) in enumerate(self.sides):
            value = float(demands[name][0, i, k])
            margin = float(bound - sign * value)
            use = 1.0 - margin / float(bound or 1.0)
            joint = self.limits.names[k]
            row = LimitRow(name, joint, float(times[count + i]), value, sign * float(bound), margin,
                           use, float(found.missing[count + i]))  # fmt: skip
            if (name, joint) not in worst or use > worst[name, joint].use:
                worst[name, joint] = row
        return LimitReport((*links.rows, *worst.values()))


class DriveRows(NamedTuple):
    """Coefficients ``(m, nv)`` of motor speed and torque: rows of b, b', b'' and b'''."""

    speed: tuple[np.ndarray, ...]  # linear
    speed_offset: np.ndarray
    torque: tuple[np.ndarray, ...]
    torque_offset: np.ndarray
    quadratic: np.ndarray  # (m, nv, 4, 4), symmetric


def drive_rows(drives: Drives, path: list[np.ndarray]) -> DriveRows:
    """Return what motors do along a curve, from its q and four derivatives by u."""
    q, p1, p2, _, _ = path
    robot, places = drives.elastic.links, len(q)
    ones, zeros = np.ones(places), np.zeros(places)
    faster = composed(path, np.array([ones, ones, zeros, zeros]))
    steady, quick = inverse_dynamics(robot, *path), inverse_dynamics(robot, *faster)
    g, g1, g2 = gravity_forces(robot, q, p1, p2)
    c, c1, c2 = steady - np.array([g, g1, g2])
    m, m1 = quick[0] - steady[0], quick[1] - steady[1] - 2.0 * c
    m2 = quick[2] - steady[2] - 4.0 * c1 - (g1 + c1) - m1 - 2.0 * c
    S, J = drives.compliance, drives.inertia
    zero = np.zeros_like(m)
    speed = (S * c1 + p1 * 0.0, S * (0.5 * m1 + c), S * 0.5 * m, zero)
    torque = (J * (p2 + S * g2) + c, J * (0.5 * p1 + 0.5 * S * g1) + 0.5 * m, zero, zero)
    W = np.zeros((*m.shape, 4, 4))
    W[..., 0, 0] = c2
    W[..., 0, 1] = W[..., 1, 0] = 0.5 * (0.5 * m2 + 2.0 * c1 + 0.5 * c1)
    W[..., 0, 2] = W[..., 2, 0] = 0.5 * (m1 + c)
    W[..., 0, 3] = W[..., 3, 0] = 0.25 * m
    W[..., 1, 1] = 0.5 * (0.5 * m1 + c)
    W[..., 1, 2] = W[..., 2, 1] = 0.125 * m
    W *= (J * S)[:, None, None]
    return DriveRows(speed, p1 + S * g1, torque, g, W)
