"""The forces of a motion, of trees and of robots with closures, and how they grow with speed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from jounce.api.closures import actuated_forces
from jounce.api.dynamics import gravity_forces, inverse_dynamics
from jounce.errors import ArgumentError
from jounce.limits.limits import MotionLimits
from jounce.model.parameters import motor_parts
from jounce.model.robot import Robot


class MotionForces(NamedTuple):
    """The generalised forces that move a robot; with closures those of its actuated joints.

    ``actuated`` are the names of these, as in `jounce.constrained_inverse_dynamics`; the forces of
    all other joints are zero then.
    """

    robot: Robot
    actuated: tuple[str, ...] | None = None

    @classmethod
    def of(
        cls, robot: Robot, actuated: str | Sequence[str] | None, limits: MotionLimits
    ) -> MotionForces:
        """Return the forces of a robot that these limits are about.

        Trees need no actuated joints; those of a robot with closures must be named if forces are
        limited, for which joints share the load decides about them.
        """
        if actuated is None:
            limited = [x.name for x in limits.limited() if x.is_force]
            if robot.closures and limited:
                raise motors_unnamed(robot, f"its limits of {' and '.join(limited)} need")
            return cls(robot)
        if not robot.closures:
            raise ArgumentError(
                f"actuated joints are named for robots with closures and robot {robot.name!r} has "
                "none: leave them out, and its limits of effort infinite where no motor is."
            )
        names = (actuated,) if isinstance(actuated, str) else tuple(actuated)
        for name in names:
            robot.joint(name)
        return cls(robot, names)

    def __call__(self, motion: Iterable[np.ndarray]) -> np.ndarray:
        """Return the forces with time derivatives, ``(K − 1, m, nv)``, from q and K rates."""
        if self.robot.closures:
            return actuated_forces(self.robot, *motion, actuated=self.actuated).values
        return inverse_dynamics(self.robot, *motion)

    @property
    def is_dry(self) -> bool:
        """Whether there is friction that does not grow with the speed."""
        return any(joint.friction for joint in self.robot.joints)

    @property
    def plain(self) -> MotionForces:
        """The forces without dry friction."""
        return self._replace(robot=_without_dry(self.robot)) if self.is_dry else self

    @property
    def dry_speeds(self) -> np.ndarray:
        """The least speed over which Coulomb friction is smoothed, of each velocity, or inf."""
        speeds = np.full(self.robot.nv, np.inf)
        for part in motor_parts(self.robot):
            if part.kind == "coulomb" and part.multiplier:
                own = part.speed / abs(part.multiplier)
                speeds[part.velocity] = min(speeds[part.velocity], own)
        return speeds

    def dry(self, motion: Sequence[np.ndarray]) -> np.ndarray:
        """Return what dry friction and offsets add to the forces, ``(K − 1, m, nv)``."""
        return self(motion) - self.plain(motion)

    def parts(self, motion: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the parts D, F and G of the forces without dry ones, ``(K − 1, m, nv)`` each.

        They are what grows with the square of the speed, with the speed, and not at all.
        Played c times as fast, ``Q^(k) = c^(k+2) D^(k) + c^(k+1) F^(k) + c^k G^(k)``, also where
        closures hand the forces of passive joints to the actuated ones, for that depends on q
        only.  c = −1 tells friction from the rest, c = 2 inertia from gravity; of a tree gravity
        is known by itself.
        """
        plain = self.plain
        forward, backward = plain.scaled(motion, 1.0), plain.scaled(motion, -1.0)
        friction, rest = (forward - backward) / 2.0, (forward + backward) / 2.0
        if self.robot.closures:
            inertia = (plain.scaled(motion, 2.0) - forward - friction) / 3.0
            return inertia, friction, rest - inertia
        gravity = gravity_forces(self.robot, *motion[: len(forward)])
        return rest - gravity, friction, gravity

    def scaled(self, motion: Sequence[np.ndarray], factor: float) -> np.ndarray:
        """Return ``Q^(k) / c^k`` of the motion played c times as fast."""
        forces = self(played(motion, factor))
        return forces / (factor ** np.arange(len(forces)))[:, None, None]


def motors_unnamed(robot: Robot, what: str) -> ArgumentError:
    """Return the error for a robot with closures of which something needs the motors."""
    return ArgumentError(
        f"robot {robot.name!r} has closures, so {what} the joints with motors; name them with "
        f"actuated (--actuated of a command), of {', '.join(j.name for j in robot.joints)}."
    )


@lru_cache(maxsize=16)
def _without_dry(robot: Robot) -> Robot:
    return replace(robot, joints=tuple(replace(joint, friction=()) for joint in robot.joints))


def played(motion: Iterable[np.ndarray], factor: float) -> list[np.ndarray]:
    """Return q and the rates at the same moments of the motion, with time so much faster."""
    return [factor**k * x for k, x in enumerate(motion)]
