"""From the arguments of a public function to the kernel that fits them, checked and run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jounce.dynamics.twists import REPRESENTATIONS
from jounce.errors import ArgumentError, ShapeError, UnsupportedError, check_name
from jounce.kernels.description import kernel_spec
from jounce.kernels.kernel import KEPT_KERNELS, Kernel, kernel_of
from jounce.kernels.table import QUANTITIES
from jounce.model.checks import as_floats, check_finite
from jounce.model.robot import Robot

Wrenches = Mapping[str, Any] | None  # by frame: `Wrench`, or rows in body representation


@dataclass(frozen=True, slots=True, eq=False)
class Wrench:
    """A wrench and its time derivatives, ``(m, *batch, 6)``, moment first.

    ``body``: components in the frame it acts on; ``spatial``: in the world, about the world
    origin; ``hybrid``: in world axes, about the origin of the frame.

    >>> import jounce
    >>> arm, rest = jounce.load("planar2r"), ([0, 0], [0, 0], [0, 0])
    >>> up = jounce.Wrench([[0, 0, 0, 0, 1, 0]], "hybrid")  # 1 N along y at the tip, 1.8 m away
    >>> free, held = (jounce.inverse_dynamics(arm, *rest, wrenches=w) for w in (None, {"tip": up}))
    >>> (held - free).round(12)
    array([[-1.8, -0.8]])
    """

    values: Any
    representation: str = "body"

    def __post_init__(self) -> None:
        check_name("representation", self.representation, REPRESENTATIONS)


def evaluate(
    robot: Robot, quantity: str, motion: Sequence[Any], wrenches: Wrenches = None, **options: Any
) -> np.ndarray:
    """Run the kernel of a quantity on a motion ``q, *rates``, everything checked."""
    given = None if wrenches is None else as_wrenches(wrenches)
    frames = tuple([(name, w.representation) for name, w in given.items()]) if given else ()
    key = id(robot), quantity, len(motion), frames, tuple(options.items())
    try:
        found = _called.get(key)
    except TypeError:  # an option that cannot be remembered is refused by name
        found = None
    kernel = _kernel(robot, key, frames, options) if found is None else found[1]
    if given is None:
        return kernel.checked(*motion)
    return kernel.checked(*motion, *_loads(given, kernel.spec.order))


# What was called: to hash a robot takes longer than to compute its forces, so robots are told
# apart by identity; they are kept beside their kernels, and no other robot gets their identity.
_called: dict[tuple[Any, ...], tuple[Robot, Kernel]] = {}


def _kernel(
    robot: Robot,
    key: tuple[Any, ...],
    frames: tuple[tuple[str, str], ...],
    options: Mapping[str, str],
) -> Kernel:
    """Return the kernel for the arrays of a motion and remember it; too few are refused."""
    _, quantity, count, *_ = key
    order = count - 1 - QUANTITIES[quantity].extra_rates
    if order < 0:
        names = ", ".join(QUANTITIES[quantity].rate_name(k) for k in range(count - 1 - order))
        raise ShapeError(f"{quantity} needs q and at least {names}; got {count - 1} rates.")
    kernel = kernel_of(kernel_spec(robot, quantity, order, frames, options))
    if len(_called) >= KEPT_KERNELS:
        _called.clear()
    _called[key] = robot, kernel
    return kernel


def as_wrenches(given: Wrenches) -> dict[str, Wrench]:
    """Return wrenches by frame; plain arrays are in body representation."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ArgumentError(
            f"wrenches must map names of frames to wrenches, such as {{'tool': W[None]}}, got a "
            f"{type(given).__name__}."
        )
    return {f: w if isinstance(w, Wrench) else Wrench(w) for f, w in given.items()}


def loaded_kernel(
    robot: Robot, quantity: str, order: int, wrenches: Wrenches, **options: str
) -> tuple[Kernel, list[np.ndarray]]:
    """Return a kernel under wrenches, and these as the arrays that are its last arguments."""
    given = as_wrenches(wrenches)
    frames = [(name, w.representation) for name, w in given.items()]
    return kernel_of(kernel_spec(robot, quantity, order, frames, options)), _loads(given, order)


def _loads(given: Mapping[str, Wrench], order: int) -> list[np.ndarray]:
    one = "wrench is W[None]"
    return [rows_to_order(f"wrench on {f}", w.values, order, 6, one) for f, w in given.items()]


def rows_to_order(name: str, values: Any, order: int, width: int, one: str) -> np.ndarray:
    """Return rows with exactly ``order`` derivatives: missing ones zero, surplus ignored.

    ``one`` says what a single one is, for who gives it without the axis of orders.
    """
    array = as_floats(name, values)
    if array.ndim < 2 or array.shape[-1] != width or array.shape[0] == 0:
        raise ShapeError(
            f"{name} must have shape (m, *batch, {width}) with m ≥ 1 orders first, "
            f"got {array.shape}; a single {one}."
        )
    return padded(array, order + 1)


def padded(rows: np.ndarray, count: int) -> np.ndarray:
    """Return exactly ``count`` rows, missing ones zero, surplus ignored."""
    missing = count - len(rows)
    if missing <= 0:
        return rows[:count]
    return np.concatenate([rows, np.zeros((missing, *rows.shape[1:]))])


def stacked(name: str, *arrays: Any) -> np.ndarray:
    """Return arrays that may lack batch axes as one, ``(len(arrays), *batch, width)``."""
    given = [as_floats(f"{name}[{k}]", x) for k, x in enumerate(arrays)]
    try:
        return np.stack(np.broadcast_arrays(*given))
    except ValueError:
        shapes = ", ".join(str(x.shape) for x in given)
        raise ShapeError(
            f"{name} must have one shape, or broadcast to one; got {shapes}."
        ) from None


def velocities_of(robot: Robot, joints: str | Sequence[str]) -> list[int]:
    """Return the velocities of these joints, in the order given."""
    names = [joints] if isinstance(joints, str) else list(joints)
    found = [robot.joint(name) for name in names]
    for joint in found:
        if joint.mimic is not None:
            raise UnsupportedError(f"joint {joint.name!r} follows another; name that one.")
    return [j for joint in found for j in range(robot.nv)[joint.v_slice]]


def positive_weights(weights: Any, count: int, one: str) -> np.ndarray:
    """Return positive weights ``(count,)``, one for each of something; ones for None."""
    if weights is None:
        return np.ones(count)
    array = as_floats("weights", weights)
    if array.shape != (count,):
        raise ShapeError(f"weights must have shape ({count},), one {one}, got {array.shape}.")
    check_finite("weights", array)
    if np.any(array <= 0.0):
        raise ArgumentError(f"weights must be positive, got {array.tolist()}.")
    return array
