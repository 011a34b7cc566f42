"""What can be simulated: its state, and the Taylor series of the motion from a state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from jounce.algebra.series import coefficients, integrated
from jounce.api.call import Wrench
from jounce.api.matrices import SMALLEST_PIVOT, forward_dynamics
from jounce.elastic.series import SeriesElastic
from jounce.errors import ShapeError
from jounce.kernels.kernel import Kernel, kernel_of
from jounce.kernels.quantities import kernel_spec
from jounce.model.checks import checked, checked_configuration
from jounce.model.robot import Robot

Series = tuple[np.ndarray, ...]  # Taylor coefficients (order + 1, width) of every part of a state
CONSISTENT = 1e-9  # rad: how well the motor of a rigid joint must stand where the joint is


class System(Protocol):
    """A mechanical system under generalised forces or motor torques, ``inputs`` of them."""

    robot: Robot
    names: tuple[str, ...]
    inputs: int

    def checked(self, state: Sequence[Any]) -> tuple[np.ndarray, ...]:
        """Return the parts of a state as arrays, or raise."""
        ...

    def series(self, state: Sequence[np.ndarray], forces: np.ndarray, order: int) -> Series:
        """Return Taylor coefficients of the state; ``forces`` are (m, inputs) with derivatives."""
        ...

    def diagnose(self, state: Sequence[np.ndarray]) -> None:
        """Raise the error that explains why the motion cannot go on from a state, if known."""
        ...


class RigidSystem:
    """A robot with rigid joints, under constant wrenches: state q, v."""

    names: tuple[str, ...] = ("q", "v")

    def __init__(self, robot: Robot, wrenches: Mapping[str, Wrench]) -> None:
        self.robot = robot
        self.inputs = robot.nv
        self._frames = [(frame, w.representation) for frame, w in wrenches.items()]
        self._loads = [w.values for w in wrenches.values()]
        self._compiled: dict[int, Kernel] = {}

    def _kernel(self, order: int) -> Kernel:
        if order not in self._compiled:
            spec = kernel_spec(self.robot, "forward_dynamics_and_pivots", order - 1, self._frames)
            self._compiled[order] = kernel_of(spec).compile()
        return self._compiled[order]

    def checked(self, state: Sequence[Any]) -> tuple[np.ndarray, ...]:
        """Return q and v as arrays, or raise."""
        require_parts(state, self.names)
        return one_state(checked_configuration(self.robot, state[0])), one_state(
            checked("v", state[1], self.robot.nv)
        )

    def series(self, state: Sequence[np.ndarray], forces: np.ndarray, order: int) -> Series:
        """Return Taylor coefficients of q and v up to ``order``."""
        q, v = state
        loads = (padded(load, order) for load in self._loads)
        rates = self._kernel(order)(q, v, *padded(forces, order), *loads)
        if not np.abs(rates[-1]).min(initial=1.0) > SMALLEST_PIVOT:
            self.diagnose(state)
        velocity = coefficients(v, rates[:-1])
        return configuration_series(self.robot, q, velocity), velocity

    def diagnose(self, state: Sequence[np.ndarray]) -> None:
        """Raise SingularError if the mass matrix is singular, and name the joint."""
        forward_dynamics(self.robot, state[0], state[1], np.zeros(self.robot.nv))


class ElasticSystem:
    """A robot with series-elastic joints, under constant wrenches: state q, v, theta, theta1."""

    names: tuple[str, ...] = ("q", "v", "theta", "theta1")

    def __init__(self, elastic: SeriesElastic, wrenches: Mapping[str, Wrench]) -> None:
        self.elastic = elastic
        self.wrenches = wrenches
        self.robot = elastic.robot
        self.inputs = self.robot.nv

    def checked(self, state: Sequence[Any]) -> tuple[np.ndarray, ...]:
        """Return q, v, theta and theta1 as arrays, or raise."""
        q, v, theta, theta1 = plain_state(self.robot, state, self.names)
        n, rigid = self.elastic.gear_ratio, self.elastic.rigid
        for name, own, other in (("theta", theta, q), ("theta1", theta1, v)):
            gap = np.abs(own - n * other)[rigid].max(initial=0.0)
            if gap > CONSISTENT:
                raise ShapeError(
                    f"{name} of a rigid joint must be the gear ratio times that of the joint; "
                    f"they differ by {gap:.3g}."
                )
            own[rigid] = (n * other)[rigid]
        self.diagnose((q, v, theta, theta1))
        return q, v, theta, theta1

    def series(self, state: Sequence[np.ndarray], forces: np.ndarray, order: int) -> Series:
        """Return Taylor coefficients of the state up to ``order``."""
        q, v, theta, theta1 = state
        torques = padded(forces, order)
        rows = self.elastic.series(q, v, theta, theta1, torques, wrenches=self.wrenches)
        velocity, speed = coefficients(v, rows[:order]), coefficients(theta1, rows[order:])
        return integrated(q, velocity), velocity, integrated(theta, speed), speed

    def diagnose(self, state: Sequence[np.ndarray]) -> None:
        """Raise SingularError if the mass matrix of the links is singular."""
        forward_dynamics(self.elastic.links, state[0], state[1], np.zeros(self.robot.nv))


def require_parts(state: Sequence[Any], names: tuple[str, ...]) -> None:
    """Raise unless a state has these parts."""
    if not isinstance(state, Sequence | np.ndarray):
        raise ShapeError(f"the state must hold {', '.join(names)}, got {type(state).__name__}.")
    if len(state) != len(names):
        raise ShapeError(f"the state must hold {', '.join(names)}, got {len(state)} parts.")


def plain_state(robot: Robot, state: Sequence[Any], names: tuple[str, ...]) -> list[np.ndarray]:
    """Return the parts of a state, all as long as the velocity."""
    require_parts(state, names)
    return [one_state(checked(name, x, robot.nv)) for name, x in zip(names, state, strict=True)]


def one_state(array: np.ndarray) -> np.ndarray:
    """Return a copy of one part of one state."""
    if array.ndim != 1:
        raise ShapeError(f"simulation takes one state at a time, got shape {array.shape}.")
    return np.array(array)


def padded(forces: np.ndarray, count: int) -> np.ndarray:
    """Return exactly ``count`` derivatives of the forces, missing ones zero."""
    if len(forces) == count:
        return forces
    rows = np.zeros((count, forces.shape[-1]))
    rows[: min(count, len(forces))] = forces[:count]
    return rows


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
