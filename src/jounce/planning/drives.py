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
from jounce.limits.check import Uses
from jounce.limits.forces import MotionForces
from jounce.limits.limits import MotionLimits
from jounce.model.components import velocity_names
from jounce.planning.limits_along import RangeAlong
from jounce.planning.powers import Quantity, added

SPEED, TORQUE, TORQUE_RATE = "motor_speed", "motor_torque", "motor_torque_rate"
FEATURES = {SPEED: 3, TORQUE: 4, TORQUE_RATE: 5}


class Drives(NamedTuple):
    """Motors behind springs: what they do of a motion of the links, and what they may do.

    Compliance and inertia are zero for rigid joints, whose motor moves as a part of the link.
    """

    elastic: SeriesElastic
    forces: MotionForces  # of the springs
    bounds: dict[str, RangeAlong]  # at the motor

    @classmethod
    def of(cls, elastic: SeriesElastic, **bounds: Any) -> Drives:
        """Return the drives with bounds as `RangeAlong.of` takes them."""
        elastic.require_flat("planning")
        names = velocity_names(elastic.robot)
        found = {name: RangeAlong.of(name, bound, names) for name, bound in bounds.items()}
        driven = tuple(elastic.driven) if elastic.robot.closures else None
        return cls(elastic, MotionForces(elastic.links, driven), found)

    @property
    def features(self) -> int:
        """How many of b, b', … the limits are about."""
        return max((FEATURES[name] for name in self.limited), default=0)

    @property
    def limited(self) -> list[str]:
        """What is limited of any motor."""
        return [name for name, bound in self.bounds.items() if bound.is_limited]

    @property
    def inertia(self) -> np.ndarray:
        """J, ``(nv,)``."""
        return np.where(self.elastic.rigid, 0.0, self.elastic.motor_inertia)

    def demands(self, motion: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
        """Return what the motors do, with its rate, ``(2, m, nv)`` each, from enough rates."""
        n, J, S = self.elastic.gear_ratio, self.inertia, self.elastic.compliance
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
    ) -> Iterator[tuple[str, Quantity, RangeAlong]]:
        """Return what is limited, seen at the joint, with its bounds: from q̇, q̈, … and Q, Q̇, …."""
        gear, J, S = np.abs(self.elastic.gear_ratio), self.inertia, self.elastic.compliance
        for name in self.limited:
            bound = self.bounds[name]
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
    """What a motion uses of the limits of links and then of motors."""

    def __init__(self, drives: Drives, limits: MotionLimits) -> None:
        self.drives = drives
        motors = {name: drives.bounds[name].values[0] for name in drives.limited}
        super().__init__(drives.forces, limits, motors)
        self.order = max(self.order, drives.features + 1, FEATURES[SPEED] + 1)

    def values(self, motion: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
        """Return the quantities and their time derivatives, those of the motors last."""
        demands = self.drives.demands(motion)
        motors = [demands[name] for name in self.drives.limited]
        return tuple(
            np.array([*links, *(x[k] for x in motors)])
            for k, links in enumerate(super().values(motion))
        )
