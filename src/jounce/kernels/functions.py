"""The public functions: they find the kernel that fits what is given, check and run it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jounce.errors import ShapeError, unknown_name
from jounce.kernels.kernel import cached_kernel
from jounce.kernels.quantities import QUANTITIES, kernel_spec
from jounce.dynamics.wrenches import REPRESENTATIONS
from jounce.model.checks import as_floats
from jounce.model.robot import Robot


@dataclass(frozen=True, slots=True, eq=False)
class Wrench:
    """A wrench and its time derivatives, ``(m, *batch, 6)``, moment first.

    ``body``: components in the frame it acts on; ``spatial``: in the world, about the world
    origin; ``hybrid``: in world axes, about the origin of the frame.
    """

    values: Any
    representation: str = "body"

    def __post_init__(self) -> None:
        if self.representation not in REPRESENTATIONS:
            raise unknown_name("representation", self.representation, REPRESENTATIONS)


def inverse_dynamics(
    robot: Robot, q: Any, v: Any, a: Any, *rates: Any, wrenches: Mapping[str, Any] | None = None
) -> np.ndarray:
    """Return the generalised forces and their time derivatives, ``(K − 1, *batch, nv)``.

    ``Q = M a + C v + D v + g − Jᵀ W``.  K rates (velocity, acceleration, jerk, ...) give
    Q to order K − 2.  ``wrenches`` maps frames to `Wrench` or to arrays ``(m, *batch, 6)`` in
    body representation, exerted by the environment on the robot.

    >>> import jounce
    >>> panda = jounce.load("panda")
    >>> q = v = a = j = s = [0.1] * 7
    >>> jounce.inverse_dynamics(panda, q, v, a, j, s).shape
    (3, 7)
    """
    return evaluate(robot, "inverse_dynamics", (q, v, a, *rates), wrenches)


def poses(robot: Robot, q: Any, *rates: Any) -> np.ndarray:
    """Return ``T_world_body`` and its time derivatives, ``(K + 1, *batch, n_bodies, 4, 4)``.

    >>> import jounce
    >>> jounce.poses(jounce.load("planar2r"), [0.0, 0.0])[0, :, 0, 3].tolist()
    [0.0, 1.0]
    """
    return evaluate(robot, "poses", (q, *rates))


def evaluate(
    robot: Robot,
    quantity: str,
    motion: Sequence[Any],
    wrenches: Mapping[str, Any] | None = None,
) -> np.ndarray:
    """Run the kernel of a quantity on a motion ``q, *rates``, everything checked."""
    order = len(motion) - 1 - QUANTITIES[quantity].extra_rates
    given = {name: _as_wrench(w) for name, w in (wrenches or {}).items()}
    keys = [(name, w.representation) for name, w in given.items()]
    spec = kernel_spec(robot, quantity, order, keys)
    loads = [_rows_to_order(name, w.values, order) for name, w in given.items()]
    return cached_kernel(spec)(*motion, *loads, check=True, threads=None)


def _as_wrench(given: Any) -> Wrench:
    return given if isinstance(given, Wrench) else Wrench(given)


def _rows_to_order(name: str, values: Any, order: int) -> np.ndarray:
    """Return the wrench with exactly ``order`` derivatives: missing ones zero, surplus ignored."""
    array = as_floats(f"wrench on {name}", values)
    if array.ndim < 2 or array.shape[-1] != 6 or array.shape[0] == 0:
        raise ShapeError(
            f"wrench on {name} must have shape (m, *batch, 6) with m ≥ 1 orders first, "
            f"got {array.shape}; a single wrench is W[None]."
        )
    missing = order + 1 - array.shape[0]
    if missing <= 0:
        return array[: order + 1]
    return np.concatenate([array, np.zeros((missing, *array.shape[1:]))])
