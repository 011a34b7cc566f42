"""What can be compiled: for every quantity its arguments, its result and its text.

Adding a quantity is one row in `QUANTITIES`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from jounce.derivatives.forces import forces
from jounce.derivatives.poses import body_poses
from jounce.dynamics.wrenches import REPRESENTATIONS
from jounce.errors import ShapeError, UnsupportedError, unknown_name
from jounce.model.robot import Robot

RATE_NAMES = ("v", "a", "j", "s")


class Argument(NamedTuple):
    """An input: ``(*batch, width)``, or ``(orders, *batch, width)`` where orders > 0."""

    name: str
    width: int
    orders: int = 0


class KernelSpec(NamedTuple):
    """Everything that decides a kernel; hashable, the key of the caches."""

    robot: Robot
    quantity: str
    order: int
    wrenches: tuple[tuple[str, str], ...] = ()  # frame and representation


class Signature(NamedTuple):
    """Shapes of a kernel: ``rows`` orders of results of shape ``(*batch, *tail)``."""

    arguments: tuple[Argument, ...]
    rows: int
    tail: tuple[int, ...]


class Quantity(NamedTuple):
    """One compilable quantity.

    ``extra_rates`` more rates than the order are needed; ``tail`` is the shape of one result;
    ``text`` maps robot, q, rates and wrenches to rows of scalars, one row an order.
    """

    extra_rates: int
    tail: Callable[[Robot], tuple[int, ...]]
    text: Callable[[Robot, Sequence[Any], Sequence[Any], dict[tuple[str, str], Any]], list[Any]]
    takes_wrenches: bool = False


QUANTITIES: dict[str, Quantity] = {
    "inverse_dynamics": Quantity(
        2,
        lambda robot: (robot.nv,),
        lambda robot, q, rates, wrenches: forces(robot, q, rates, wrenches),
        takes_wrenches=True,
    ),
    "poses": Quantity(
        0,
        lambda robot: (robot.n_bodies, 4, 4),
        lambda robot, q, rates, wrenches: body_poses(robot, q, rates),
    ),
}


def kernel_spec(
    robot: Robot, quantity: str, order: int = 0, wrenches: Sequence[Any] = ()
) -> KernelSpec:
    """Return the checked description of a kernel; wrenches are frames or (frame, representation)."""
    if quantity not in QUANTITIES:
        raise unknown_name("quantity", quantity, QUANTITIES)
    if isinstance(order, bool) or not isinstance(order, int) or order < 0:
        raise ShapeError(f"order must be an integer ≥ 0, got {order!r}.")
    pairs = []
    for given in (wrenches,) if isinstance(wrenches, str) else wrenches:
        frame, representation = (given, "body") if isinstance(given, str) else given
        robot.frame(frame)
        if representation not in REPRESENTATIONS:
            raise unknown_name("representation", representation, REPRESENTATIONS)
        pairs.append((frame, representation))
    if pairs and not QUANTITIES[quantity].takes_wrenches:
        raise UnsupportedError(f"{quantity} does not depend on wrenches.")
    if len({frame for frame, _ in pairs}) < len(pairs):
        raise ShapeError(f"each frame takes one wrench, got {[frame for frame, _ in pairs]}.")
    return KernelSpec(robot, quantity, order, tuple(pairs))


def signature(spec: KernelSpec) -> Signature:
    """Return names and shapes of the arguments and of the result."""
    quantity, robot = QUANTITIES[spec.quantity], spec.robot
    count = spec.order + quantity.extra_rates
    rates = [Argument(rate_name(k), robot.nv) for k in range(count)]
    wrenches = [Argument(f"wrench on {frame}", 6, spec.order + 1) for frame, _ in spec.wrenches]
    arguments = (Argument("q", robot.nq), *rates, *wrenches)
    return Signature(arguments, spec.order + 1, quantity.tail(robot))


def rate_name(k: int) -> str:
    """Name the k-th rate: v, a, j, s, then by order."""
    return RATE_NAMES[k] if k < len(RATE_NAMES) else f"rate {k + 1}"


def run_text(spec: KernelSpec, values: Sequence[Any]) -> list[list[Any]]:
    """Run the text of a kernel on a flat list of scalars, in the order of its arguments."""
    stream = iter(values)

    def take(width: int) -> list[Any]:
        return [next(stream) for _ in range(width)]

    quantity = QUANTITIES[spec.quantity]
    q = take(spec.robot.nq)
    rates = [take(spec.robot.nv) for _ in range(spec.order + quantity.extra_rates)]
    wrenches = {key: [take(6) for _ in range(spec.order + 1)] for key in spec.wrenches}
    return quantity.text(spec.robot, q, rates, wrenches)
