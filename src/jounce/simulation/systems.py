"""What can be simulated: its state, and the Taylor series of the motion from a state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np

from jounce.algebra.series import Series, coefficients, integrated
from jounce.api.call import Wrench, Wrenches, padded
from jounce.api.closures import (
    check_closed,
    check_velocity,
    constrained_forward_dynamics,
    is_heavy,
    projected,
)
from jounce.api.matrices import SMALLEST_PIVOT, forward_dynamics
from jounce.elastic.drives import plain_state
from jounce.elastic.series import SeriesElastic
from jounce.elastic.variable_stiffness import StiffnessDrives
from jounce.errors import WrongTypeError
from jounce.kernels.description import kernel_spec
from jounce.kernels.kernel import Kernel, kernel_of
from jounce.model.robot import Robot
from jounce.simulation.loads import Loads

THINGS = "give a Robot, a SeriesElastic, a VariableStiffness or an Antagonistic"


def system_of(thing: Any, wrenches: Wrenches = None) -> System:
    """Return the system of a robot, or of elastic drives, under wrenches."""
    if isinstance(thing, Robot) and thing.closures:
        return ClosedSystem(thing, Loads(thing, wrenches))
    if isinstance(thing, Robot):
        return RigidSystem(thing, Loads(thing, wrenches))
    if isinstance(thing, SeriesElastic | StiffnessDrives):
        return DrivenSystem(thing, Loads(thing.robot, wrenches))
    raise WrongTypeError(f"cannot simulate a {type(thing).__name__}; {THINGS}.")


class RigidSystem:
    """A robot with rigid joints: state q, v."""

    names: tuple[str, ...] = ("q", "v")
    order_limit: int | None = None  # above which series cost more than they save
    _quantity = "forward_dynamics_and_pivots"

    def __init__(self, robot: Robot, loads: Loads) -> None:
        self.robot, self.loads = robot, loads
        self.inputs = robot.nv
        self._kernel = cache(self._compiled)

    def _compiled(self, order: int) -> Kernel:
        spec = kernel_spec(self.robot, self._quantity, order - 1, self.loads.frames)
        return kernel_of(spec).compile()

    def checked(self, state: Sequence[Any]) -> tuple[np.ndarray, ...]:
        """Return q and v as arrays, or raise."""
        return tuple(plain_state(self.robot, state, self.names))

    def series(
        self, state: Sequence[np.ndarray], forces: np.ndarray, loads: dict[str, Wrench]
    ) -> Series:
        """Return Taylor coefficients of q and v up to the number of derivatives of forces."""
        (q, v), order = state, len(forces)
        wrenches = (padded(load.values, order) for load in loads.values())
        rates = self._kernel(order)(q, v, *forces, *wrenches)
        if not np.abs(rates[-1]).min(initial=1.0) > SMALLEST_PIVOT:
            self.diagnose(state)
        velocity = coefficients(v, rates[:-1])
        return configuration_series(self.robot, q, velocity), velocity

    def diagnose(self, state: Sequence[np.ndarray]) -> None:
        """Raise SingularError if the mass matrix is singular, and name the joint."""
        forward_dynamics(self.robot, state[0], state[1], np.zeros(self.robot.nv))


class ClosedSystem(RigidSystem):
    """A robot with closures: every step starts from the nearest closed state.

    Each step leaves the closures by its own error, which would grow with the square of time; put
    back by one step of Newton's method, it stays what one step makes.
    """

    order_limit: int | None = 8  # code of higher orders grows faster than steps
    _quantity = "constrained_forward_dynamics"

    def checked(self, state: Sequence[Any]) -> tuple[np.ndarray, ...]:
        """Return q and v as arrays, or raise; also where they do not keep the closures."""
        q, v = super().checked(state)
        check_closed(self.robot, q)
        check_velocity(self.robot, q, v)
        return q, v

    def series(
        self, state: Sequence[np.ndarray], forces: np.ndarray, loads: dict[str, Wrench]
    ) -> Series:
        """Return Taylor coefficients of q and v, from the nearest closed state."""
        q, v = projected(self.robot, *state)
        wrenches = (padded(load.values, len(forces)) for load in loads.values())
        rows = self._kernel(len(forces))(q, v, forces, *wrenches)
        if not is_heavy(rows):
            self.diagnose((q, v))
        velocity = coefficients(v, rows[:, : self.robot.nv])
        return configuration_series(self.robot, q, velocity), velocity

    def diagnose(self, state: Sequence[np.ndarray]) -> None:
        """Raise SingularError if the mass matrix is singular, or closures lose a direction here."""
        constrained_forward_dynamics(self.robot, *state, np.zeros(self.robot.nv))


class DrivenSystem:
    """Elastic drives; the state has angle and velocity of each motor."""

    order_limit: int | None = None

    def __init__(self, drives: SeriesElastic | StiffnessDrives, loads: Loads) -> None:
        self.drives, self.loads = drives, loads
        self._rows: Callable[..., np.ndarray] = drives.series
        self.robot, self.names, self.inputs = drives.robot, drives.state_names, drives.inputs

    def checked(self, state: Sequence[Any]) -> tuple[np.ndarray, ...]:
        """Return the parts of a state as arrays, or raise."""
        parts = self.drives.checked_state(state)
        self.diagnose(parts)
        return parts

    def series(
        self, state: Sequence[np.ndarray], forces: np.ndarray, loads: dict[str, Wrench]
    ) -> Series:
        """Return Taylor coefficients of the state."""
        order, rows = len(forces), self._rows(*state, forces, wrenches=loads)
        speeds = [
            coefficients(speed, rows[k * order : (k + 1) * order])
            for k, speed in enumerate(state[1::2])
        ]
        parts = [configuration_series(self.robot, state[0], speeds[0]), speeds[0]]
        for angle, speed in zip(state[2::2], speeds[1:], strict=True):
            parts += [integrated(angle, speed), speed]
        return tuple(parts)

    def diagnose(self, state: Sequence[np.ndarray]) -> None:
        """Raise SingularError if the mass matrix of the links is singular."""
        forward_dynamics(self.drives.links, state[0], state[1], np.zeros(self.robot.nv))


System = RigidSystem | DrivenSystem  # under generalised forces or motor torques


def are_finite(parts: Iterable[np.ndarray]) -> bool:
    """Tell whether all numbers are finite."""
    return all(np.isfinite(part).all() for part in parts)


def configuration_series(robot: Robot, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return Taylor coefficients of q from those of v."""
    if not robot.quaternions:
        return integrated(q, v)
    result = np.empty((len(v), robot.nq))
    for joint in robot.joints:
        own, rate = q[joint.q_slice], v[:, joint.v_slice]
        result[:, joint.q_slice] = joint.type.row.manifold.series(own, rate)
    return result
