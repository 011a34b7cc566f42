"""Products and quotients of derivatives: arrays with the time-derivative order first."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

import numpy as np

from jounce.errors import ShapeError
from jounce.model.checks import checked
from jounce.model.robot import Robot
from jounce.trajectory.protocol import Trajectory

NAMES = "qvajs"
FEWEST = 5  # q … q⁽⁴⁾: the torque of a motor needs the second derivative of the joint torque


def checked_motion(robot: Robot, motion: Sequence[Any]) -> list[np.ndarray]:
    """Return q and its rates as arrays; at least four rates."""
    if len(motion) < FEWEST:
        raise ShapeError(
            "the motion must be given to its fourth derivative: q, v, a, j, s; the motor torque "
            f"depends on the second derivative of the joint torque. Got {len(motion)} arrays."
        )
    return [
        checked(NAMES[k] if k < FEWEST else f"rate {k}", x, robot.nv) for k, x in enumerate(motion)
    ]


def checked_trajectory(robot: Robot, trajectory: Any) -> Trajectory:
    """Return the trajectory if it moves as many coordinates as the robot has."""
    if not callable(trajectory):
        raise ShapeError(f"trajectory must be callable, got {type(trajectory).__name__}.")
    n = getattr(trajectory, "n", robot.nv)
    if n != robot.nv:
        raise ShapeError(f"the trajectory moves {n} coordinates, the robot has {robot.nv}.")
    return trajectory  # pyright: ignore[reportReturnType]


def product(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the derivatives of ``x y``: ``Σ_i binom(k, i) x⁽ⁱ⁾ y⁽ᵏ⁻ⁱ⁾``."""
    return np.array(
        [sum(comb(k, i) * x[i] * y[k - i] for i in range(k + 1)) for k in range(len(x))]
    )


def quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the derivatives of ``x = a/b``, from ``a = x b`` differentiated."""
    x: list[np.ndarray] = []
    for k in range(len(a)):
        known = sum(comb(k, i) * x[i] * b[k - i] for i in range(k))
        x.append((a[k] - known) / b[0])
    return np.array(x)
