"""Motions of any robot: q and then the rates, which are narrower where q has quaternions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np

from jounce.errors import ShapeError
from jounce.model.checks import checked, checked_configuration
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
        """How long the motion lasts, in s."""
        ...

    def __call__(self, t: Any, order: int = 4) -> Iterable[np.ndarray]:
        """Return q and its rates 1 … order at the times t."""
        ...


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
        if joint.nq == joint.nv:
            result[..., joint.v_slice] = q[..., joint.q_slice]
    return result
