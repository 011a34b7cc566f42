"""Limits of the motors of series-elastic joints along a path.

Seen at the joint, ``θ̇ = q̇ + Q̇ / K`` and ``τ = J (q̈ + Q̈ / K) + Q``; τ̇ is its derivative.  As
powers of the squared speed and its derivatives (`jounce.planning.powers`) the speed of a motor is
a row as that of a jerk, its torque has products of two features, with b''' among them, and the
rate of the torque one feature more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from jounce.elastic.series import SeriesElastic
from jounce.limits.check import LimitReport, LimitRow, Uses
from jounce.limits.extrema import Maxima
from jounce.limits.forces import MotionForces
from jounce.limits.limits import MotionLimits
from jounce.model.components import velocity_names
from jounce.planning.limits_along import BoundAlong
from jounce.planning.powers import Quantity, added

SPEED, TORQUE, TORQUE_RATE = "motor_speed", "motor_torque", "motor_torque_rate"
FEATURES = {SPEED: 3, TORQUE: 4, TORQUE_RATE: 5}


class Drives(NamedTuple):
    """Motors behind springs: what they do of a motion of the links, and what they may do.

    Compliance and inertia are zero for rigid joints, whose motor moves as a part of the link.
    """

    elastic: SeriesElastic
    forces: MotionForces  # of the springs
    bounds: dict[str, BoundAlong]  # at the motor

    @classmethod
    def of(cls, elastic: SeriesElastic, **bounds: Any) -> Drives:
        """Return the drives with bounds as `BoundAlong.of` takes them."""
        elastic.require_flat("planning")
        names = velocity_names(elastic.robot)
        found = {name: BoundAlong.of(name, bound, names) for name, bound in bounds.items()}
        driven = tuple(elastic.driven) if elastic.robot.closures else None
        return cls(elastic, MotionForces(elastic.links, driven), found)

    @property
    def features(self) -> int:
        """How many of b, b', … the limits are about."""
        return max((FEATURES[name] for name, _ in self._limited()), default=0)

    @property
    def places(self) -> np.ndarray:
        """Parameters of the path between which bounds are linear; none if they are constant."""
        changing = [x.at for x in self.bounds.values() if x.at.size > 1]
        return np.concatenate([np.empty(0), *changing])

    def _limited(self) -> Iterator[tuple[str, BoundAlong]]:
        for name, bound in self.bounds.items():
            if bound.limited.any():
                yield name, bound

    @property
    def compliance(self) -> np.ndarray:
        """1 / K, ``(nv,)``."""
        return np.where(self.elastic.rigid, 0.0, 1.0 / self.elastic.stiffness)

    @property
    def inertia(self) -> np.ndarray:
        """J, ``(nv,)``."""
        return np.where(self.elastic.rigid, 0.0, self.elastic.motor_inertia)

    def demands(self, motion: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
        """Return what the motors do, with its rate, ``(2, m, nv)`` each, from enough rates."""
        n, J, S = self.elastic.gear_ratio, self.inertia, self.compliance
        Q = self.forces(motion)
        theta = [None, *(motion[k] + S * Q[k] for k in range(1, len(Q)))]
        found = {SPEED: np.array(theta[1:3]) * n}
        torque = [(J * x + f) / n for x, f in zip(theta[2:], Q, strict=False)]
        for name, first in ((TORQUE, 0), (TORQUE_RATE, 1)):
            if len(torque) > first + 1:
                found[name] = np.array(torque[first : first + 2])
        return found

    def quantities(
        self, motion: Sequence[Quantity], forces: Sequence[Quantity]
    ) -> Iterator[tuple[str, Quantity, BoundAlong]]:
        """Return what is limited, seen at the joint, with its bounds: from q̇, q̈, … and Q, Q̇, …."""
        gear, S, J = np.abs(self.elastic.gear_ratio), self.compliance, self.inertia
        for name, bound in self._limited():
            if FEATURES[name] > len(motion):
                continue
            if name == SPEED:
                speed = added((1.0, motion[0]), (S, forces[1]))
                yield name, speed, bound._replace(values=bound.values / gear)
                continue
            k = name == TORQUE_RATE
            torque = added((J, motion[1 + k]), (J * S, forces[2 + k]), (1.0, forces[k]))
            yield name, torque, bound._replace(values=bound.values * gear)


class DriveUses(Uses):
    """What a motion uses of the limits of links and motors."""

    def __init__(self, drives: Drives, limits: MotionLimits) -> None:
        super().__init__(drives.forces, limits)
        self.drives = drives
        self.order = max(self.order, drives.features + 1, FEATURES[SPEED] + 1)
        self.sides = [
            (name, k, sign, bound.values[0, k])
            for name, bound in drives.bounds.items()
            for sign in (-1.0, 1.0)
            for k in np.flatnonzero(bound.limited)
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

    def shift(self, parameter: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return by how much less the motors use of their limits than of the first ones.

        That and its slope by the parameter are ``(m, sides)``, as `LimitsAlong.shift` of the links.
        """
        known = {name: bound(parameter) for name, bound in self.drives.bounds.items()}
        less = np.empty((2, parameter.size, len(self.sides)))
        for i, (name, k, _, first) in enumerate(self.sides):
            value, slope = known[name]
            less[0, :, i] = (value[:, k] - first) / (first or 1.0)
            less[1, :, i] = slope[:, k] / (first or 1.0) if slope.ndim else 0.0
        return less[0], less[1]

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
        worst: dict[tuple[str, str], tuple[float, LimitRow]] = {}
        for i, (name, k, sign, bound) in enumerate(self.sides):
            value = float(demands[name][0, i, k])
            margin = float(bound - sign * value)
            use = 1.0 - margin / float(bound or 1.0)
            joint = self.limits.names[k]
            row = LimitRow(name, joint, float(times[count + i]), value, sign * float(bound), margin,
                           use, float(found.missing[count + i]))  # fmt: skip
            most = float(found.value[count + i])
            if (name, joint) not in worst or most > worst[name, joint][0]:
                worst[name, joint] = most, row
        return LimitReport((*links.rows, *(row for _, row in worst.values())))
