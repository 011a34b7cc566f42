"""What every motion offers, of n coordinates or of a robot, and the checks of what it is given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np

from jounce.errors import ArgumentError, ShapeError, WrongTypeError
from jounce.model.checks import (
    as_floats,
    check_finite,
    check_increasing,
    checked,
    checked_configuration,
    checked_integer,
)
from jounce.model.robot import Robot


class RobotMotion(Protocol):
    """A motion of a robot that is known with its rates.

    Every `Trajectory` is one.  For a robot with quaternions the derivatives do not fit into one
    array: a call returns q ``(*t.shape, nq)``, then as many rates ``(*t.shape, nv)`` as the
    order says, velocity first.
    """

    @property
    def n(self) -> int:
        """Number of coordinates, nq."""
        ...

    @property
    def duration(self) -> float:
        """How long the motion lasts, in s; evaluation is not limited to it."""
        ...

    def __call__(self, t: Any, order: int = 4) -> Iterable[np.ndarray]:
        """Return q and its rates 1 … order at the times t."""
        ...


class Trajectory(RobotMotion, Protocol):
    """A motion of n coordinates that is known with its time derivatives."""

    def __call__(self, t: Any, order: int = 4) -> np.ndarray:
        """Return the derivatives 0 … order at the times t, ``(order + 1, *t.shape, n)``."""
        ...


def checked_times(t: Any, order: int) -> np.ndarray:
    """Return t as a finite float64 array, after a check that the order is an integer ≥ 0."""
    checked_integer("order", order)
    times = as_floats("t", t)
    check_finite("t", times)
    return times


def checked_time(name: str, value: Any) -> float:
    """Return one finite time as a float."""
    array = as_floats(name, value)
    if array.ndim:
        raise ShapeError(f"{name} must be one number, got an array of shape {array.shape}.")
    check_finite(name, array)
    return float(array)


def checked_duration(name: str, value: Any) -> float:
    """Return one finite, positive time as a float."""
    if (time := checked_time(name, value)) <= 0.0:
        raise ArgumentError(f"{name} must be positive, got {time!r}.")
    return time


def per_coordinate(name: str, values: Any, n: int) -> np.ndarray:
    """Return an array ``(n,)`` of values that are one number or n of them."""
    array = as_floats(name, values)
    if array.shape not in ((), (n,)):
        raise ShapeError(
            f"{name} must be one number or have shape ({n},), one number per coordinate, "
            f"got {array.shape}."
        )
    return np.broadcast_to(array, (n,))


def frozen_rows(name: str, values: Any, rows: str) -> np.ndarray:
    """Return a read-only copy of values ``(rows, n)``, finite, with at least one row."""
    array = np.array(as_floats(name, values))
    if array.ndim != 2 or not array.size:
        raise ShapeError(
            f"{name} must have shape ({rows}, n) with at least one row and one column, "
            f"got {array.shape}."
        )
    return frozen(name, array)


def frozen(name: str, array: np.ndarray) -> np.ndarray:
    """Return a contiguous read-only copy of a finite array."""
    check_finite(name, array)
    copy = np.array(array, order="C")
    copy.flags.writeable = False
    return copy


def checked_samples(t: Any, q: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the samples as arrays ``(m,)`` and ``(m, n)``; times increase strictly."""
    t, q = as_floats("t", t), as_floats("q", q)
    if t.ndim != 1 or q.ndim != 2 or q.shape[0] != t.size or not q.size:
        raise ShapeError(
            "samples must be t of shape (m,) and q of shape (m, n) with m and n ≥ 1, "
            f"got {t.shape} and {q.shape}."
        )
    check_finite("t", t)
    check_finite("q", q)
    check_increasing("t", t)
    return t, q


def span_of(motion: RobotMotion) -> tuple[float, np.ndarray]:
    """Return when a motion begins, in s, 0 unless it says so, and its knots, where it has some."""
    knots = np.asarray(getattr(motion, "knots", ()), dtype=float)
    return float(getattr(motion, "t0", 0.0)), knots


def checked_span(
    robot: Robot, motion: RobotMotion, what: str = "motion"
) -> tuple[float, float, np.ndarray]:
    """Return when a motion begins and ends, and its knots; raise if it is not one of the robot."""
    if not callable(motion) or not hasattr(motion, "duration"):
        raise WrongTypeError(
            f"the {what} must be a trajectory, of jounce.trajectory or with n, duration and "
            f"motion(t, order=4), got {type(motion).__name__}."
        )
    if motion.n != robot.nq:
        raise ShapeError(f"the {what} has {motion.n} coordinates, {robot.name!r} has {robot.nq}.")
    if not np.isfinite(motion.duration) or motion.duration <= 0.0:
        raise ArgumentError(f"the {what} has no end; give it a duration.")
    start, knots = span_of(motion)
    return start, start + motion.duration, knots


def motion_at(robot: Robot, motion: RobotMotion, times: np.ndarray, order: int) -> list[np.ndarray]:
    """Return q ``(m, nq)`` and the rates to this order, ``(m, nv)`` each."""
    return checked_motion(robot, times, motion(times, order=order))


def checked_motion(robot: Robot, times: np.ndarray, values: Any) -> list[np.ndarray]:
    """Return q ``(m, nq)`` and rates ``(m, nv)`` at m times as finite arrays, or raise."""
    q, *rates = values
    motion = [checked_configuration(robot, q)]
    motion += [checked(f"rate {k}", x, robot.nv) for k, x in enumerate(rates, start=1)]
    for k, x in enumerate(motion):
        if x.shape[:-1] != times.shape:
            raise ShapeError(
                f"{f'rate {k}' if k else 'q'} must have shape ({times.size}, {x.shape[-1]}), one "
                f"row a time, got {x.shape}."
            )
    return motion


def positions(robot: Robot, q: np.ndarray, quaternion: float = 0.0) -> np.ndarray:
    """Return the entries of q ``(*batch, nq)`` beside their velocities, ``(*batch, nv)``.

    A spherical or free joint has no such entries; this number stands for them.
    """
    result = np.full((*q.shape[:-1], robot.nv), quaternion)
    for joint in robot.joints:
        if joint.is_flat:
            result[..., joint.v_slice] = q[..., joint.q_slice]
    return result
