"""What can be simulated: its state, and the Taylor series of the motion from a state."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import factorial
from typing import Any, Protocol

import numpy as np

from jounce.elastic.series import SeriesElastic
from jounce.errors import ShapeError
from jounce.kernels.kernel import Kernel, kernel_of
from jounce.kernels.quantities import kernel_spec
from jounce.model.checks import checked, checked_configuration
from jounce.model.robot import Robot

Series = tuple[np.ndarray, ...]  # Taylor coefficients (order + 1, width) of every part of a state


class System(Protocol):
    """A mechanical system under generalised forces or motor torques."""

    robot: Robot
    names: tuple[str, ...]

    def checked(self, state: Sequence[Any]) -> tuple[np.ndarray, ...]:
        """Return the parts of a state as arrays, or raise."""
        ...

    def series(self, state: Sequence[np.ndarray], forces: np.ndarray, order: int) -> Series:
        """Return Taylor coefficients of the state; ``forces`` are (m, nv) with derivatives."""
        ...


class RigidSystem:
    """A robot with rigid joints: state q, v."""

    names: tuple[str, ...] = ("q", "v")

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self._compiled: Kernel | None = None

    def _kernel(self, order: int) -> Kernel:
        if self._compiled is None or self._compiled.spec.order != order - 1:
            spec = kernel_spec(self.robot, "forward_dynamics", order - 1)
            self._compiled = kernel_of(spec).compile()
        return self._compiled

    def checked(self, state: Sequence[Any]) -> tuple[np.ndarray, ...]:
        """Return q and v as arrays, or raise."""
        _require_parts(state, self.names)
        return _vector(checked_configuration(self.robot, state[0])), _vector(
            checked("v", state[1], self.robot.nv)
        )

    def series(self, state: Sequence[np.ndarray], forces: np.ndarray, order: int) -> Series:
        """Return Taylor coefficients of q and v up to ``order``."""
        q, v = state
        rates = self._kernel(order)(q, v, *padded(forces, order))
        velocity = coefficients(v, rates)
        return configuration_series(self.robot, q, velocity), velocity


class ElasticSystem:
    """A robot with series-elastic joints: state q, v, theta, theta1."""

    names: tuple[str, ...] = ("q", "v", "theta", "theta1")

    def __init__(self, elastic: SeriesElastic) -> None:
        self.elastic = elastic
        self.robot = elastic.robot

    def checked(self, state: Sequence[Any]) -> tuple[np.ndarray, ...]:
        """Return q, v, theta and theta1 as arrays, or raise."""
        _require_parts(state, self.names)
        parts = zip(self.names, state, strict=True)
        return tuple(_vector(checked(name, x, self.robot.nv)) for name, x in parts)

    def series(self, state: Sequence[np.ndarray], forces: np.ndarray, order: int) -> Series:
        """Return Taylor coefficients of the state up to ``order``."""
        q, v, theta, theta1 = state
        rows = self.elastic.series(q, v, theta, theta1, padded(forces, order))
        velocity, speed = coefficients(v, rows[:order]), coefficients(theta1, rows[order:])
        return integrated(q, velocity), velocity, integrated(theta, speed), speed


def system_of(thing: Any) -> System:
    """Return the system of a robot or of an elastic robot."""
    if isinstance(thing, Robot):
        return RigidSystem(thing)
    if isinstance(thing, SeriesElastic):
        return ElasticSystem(thing)
    raise TypeError(f"cannot simulate a {type(thing).__name__}; give a Robot or a SeriesElastic.")


def padded(forces: np.ndarray, count: int) -> np.ndarray:
    """Return exactly ``count`` derivatives of the forces, missing ones zero."""
    rows = np.zeros((count, forces.shape[-1]))
    rows[: min(count, len(forces))] = forces[:count]
    return rows


def coefficients(start: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Return Taylor coefficients from a value and its derivatives."""
    result = np.empty((len(rates) + 1, start.size))
    result[0] = start
    np.multiply(rates, _inverse_factorials(len(rates)), out=result[1:])
    return result


def integrated(start: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Return Taylor coefficients of the integral, as many as the rate has."""
    result = np.empty(rate.shape)
    result[0] = start
    np.divide(rate[:-1], _counts(len(rate) - 1), out=result[1:])
    return result


@cache
def _inverse_factorials(count: int) -> np.ndarray:
    return np.array([[1.0 / factorial(k + 1)] for k in range(count)])


@cache
def _counts(count: int) -> np.ndarray:
    return np.arange(1.0, count + 1.0)[:, None]


def configuration_series(robot: Robot, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return Taylor coefficients of q from those of v; quaternions by ``q' = ½ q ∘ ω``."""
    if robot.nq == robot.nv:
        return integrated(q, v)
    result = np.zeros((len(v), robot.nq))
    result[0] = q
    for joint in robot.joints:
        own, rate = result[:, joint.q_slice], v[:, joint.v_slice]
        if joint.kind == "spherical":
            _quaternion_series(own, rate)
        elif joint.kind == "free":
            _quaternion_series(own[:, 3:], rate[:, :3])
            own[:, :3] = integrated(own[0, :3], _rotated(own[:, 3:], rate[:, 3:]))
        elif joint.mimic is None:
            own[:] = integrated(own[0], rate)
    return result


def _quaternion_series(q: np.ndarray, w: np.ndarray) -> None:
    for k in range(len(q) - 1):
        total = sum(_product(q[i], np.append(w[k - i], 0.0)) for i in range(k + 1))
        q[k + 1] = 0.5 * total / (k + 1)


def _rotated(q: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return the coefficients of ``q ∘ x ∘ q*``."""
    half = _series_product(q, np.c_[x, np.zeros(len(x))])
    return _series_product(half, q * np.array([-1.0, -1.0, -1.0, 1.0]))[:, :3]


def _series_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array([sum(_product(a[i], b[k - i]) for i in range(k + 1)) for k in range(len(a))])


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    u, s, v, t = a[:3], a[3], b[:3], b[3]
    return np.append(s * v + t * u + np.cross(u, v), s * t - u @ v)


def _require_parts(state: Sequence[Any], names: tuple[str, ...]) -> None:
    if not isinstance(state, Sequence | np.ndarray) or len(state) != len(names):
        raise ShapeError(f"the state must hold {', '.join(names)}, got {len(state)} parts.")


def _vector(array: np.ndarray) -> np.ndarray:
    if array.ndim != 1:
        raise ShapeError(f"simulation takes one state at a time, got shape {array.shape}.")
    return np.array(array)
