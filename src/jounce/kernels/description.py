"""From the name of a quantity and its options to a checked description of its kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from jounce.dynamics.twists import REPRESENTATIONS
from jounce.errors import ArgumentError, UnknownNameError, UnsupportedError, check_name, check_type
from jounce.kernels.products import product_signature
from jounce.kernels.table import QUANTITIES, VELOCITIES, Argument, Signature, Size, Words
from jounce.model.checks import checked_order
from jounce.model.robot import Robot


class KernelSpec(NamedTuple):
    """Everything that decides a kernel; hashable, the key of the caches."""

    robot: Robot
    quantity: str
    order: int
    wrenches: tuple[tuple[str, str], ...] = ()  # frame and representation
    options: tuple[tuple[str, str], ...] = ()  # sorted by name
    products: tuple[str, ...] = ()  # derivatives taken of it, in this order: see `products`


def kernel_spec(
    robot: Robot,
    quantity: str,
    order: int = 0,
    wrenches: Sequence[Any] = (),
    options: Mapping[str, Any] | None = None,
) -> KernelSpec:
    """Return the checked description of a kernel.

    ``wrenches`` are frames or pairs of frame and representation.
    """
    check_type("robot", robot, Robot)
    check_name("quantity", quantity, QUANTITIES)
    if robot.closures and QUANTITIES[quantity].closed:
        raise UnsupportedError(
            f"{quantity} knows trees only and robot {robot.name!r} has closures: use "
            f"jounce.{QUANTITIES[quantity].closed}, or robot.without_closures()."
        )
    if QUANTITIES[quantity].needs_closures and not robot.closures:
        raise UnsupportedError(
            f"{quantity} is for robots with closures and robot {robot.name!r} has none; see "
            "robot.with_closures and jounce.Closure."
        )
    if QUANTITIES[quantity].needs_flat and not robot.is_flat:
        raise UnsupportedError(
            f"robot {robot.name!r} has spherical or free joints: {QUANTITIES[quantity].needs_flat} "
            "joints whose velocity is the rate of their coordinate."
        )
    order = checked_order(order)
    limit = QUANTITIES[quantity].highest_order
    if limit is not None and order > limit:
        raise UnsupportedError(f"{quantity} has no time derivatives: order must be {limit}.")
    pairs = _pairs(robot, wrenches)
    if pairs and not QUANTITIES[quantity].takes_wrenches:
        raise UnsupportedError(f"{quantity} does not depend on wrenches.")
    if len({frame for frame, _ in pairs}) < len(pairs):
        raise ArgumentError(f"each frame takes one wrench, got {[frame for frame, _ in pairs]}.")
    chosen = _options(robot, quantity, options or {})
    return KernelSpec(robot, quantity, order, pairs, chosen)


def _pairs(robot: Robot, wrenches: Any) -> tuple[tuple[str, str], ...]:
    """Return frame and representation of every wrench."""
    given = (wrenches,) if isinstance(wrenches, str) else wrenches
    pairs = [(w, "body") if isinstance(w, str) else w for w in given]
    if isinstance(given, Mapping) or any(not isinstance(p, Sequence) or len(p) != 2 for p in pairs):
        raise ArgumentError(
            f"wrenches must be names of frames, or pairs such as ('tool', 'spatial'); got {given}."
        )
    for frame, representation in pairs:
        robot.frame(frame)
        check_name("representation", representation, REPRESENTATIONS)
    return tuple((frame, representation) for frame, representation in pairs)


def _options(robot: Robot, quantity: str, given: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return all options of a quantity with their values, sorted by name."""
    known = QUANTITIES[quantity].options
    for name in given:
        check_name(f"option of {quantity}", name, known)
    chosen = {}
    for name, values in known.items():
        if isinstance(values, Words):
            chosen[name] = values.read(given.get(name))
            continue
        chosen[name] = value = given.get(name, values[0] if values else None)
        if name == "frame" and value is None:
            names = ", ".join(frame.name for frame in robot.frames)
            raise UnknownNameError(f"{quantity} needs a frame; this robot has: {names}.")
        if name == "frame":
            robot.frame(str(value))
        elif values is VELOCITIES:
            _check_velocities(robot, name, str(value))
        else:
            check_name(name, value, values)
    return tuple(sorted((name, str(value)) for name, value in chosen.items()))


def _check_velocities(robot: Robot, name: str, words: str) -> None:
    given = words.split()
    known = [str(j) for j in range(robot.nv)]
    if len(set(given)) < len(given) or not set(given) <= set(known):
        raise ArgumentError(
            f"{name} must be different indices of velocities below {robot.nv}, apart by blanks, "
            f"such as '0 1'; got {words!r}."
        )


def signature(spec: KernelSpec) -> Signature:
    """Return names and shapes of the arguments and of the result."""
    if spec.products:
        *before, last = spec.products
        return product_signature(signature(spec._replace(products=tuple(before))), last)
    quantity, robot = QUANTITIES[spec.quantity], spec.robot
    options, order = dict(spec.options), spec.order

    def number(size: Size) -> int:
        if callable(size):
            return size(robot, **options)
        return getattr(robot, size) if isinstance(size, str) else size

    given = quantity.arguments
    if quantity.inputs:
        given += tuple(quantity.inputs[letter] for letter in options["inputs"])
    if not given:
        names = map(quantity.rate_name, range(order + quantity.extra_rates))
        given = ("q", "nq"), *((name, "nv") for name in names)
    own = [Argument(name, number(size), *(order + k for k in more)) for name, size, *more in given]
    wrenches = [Argument(f"wrench on {frame}", 6, order + 1) for frame, _ in spec.wrenches]
    return Signature((*own, *wrenches), quantity.rows(order), tuple(map(number, quantity.tail)))


def partials_of(spec: KernelSpec) -> tuple[Argument, ...] | None:
    """Return the arguments whose partials the rows of a result are; None for other results."""
    if not spec.products or spec.products[-1] == "jacobian":
        return None
    *before, last = spec.products
    inner = spec._replace(products=tuple(before))
    return signature(inner).arguments if last == "vjp" else partials_of(inner)


def run_text(spec: KernelSpec, values: Sequence[Any], method: str | None = None) -> list[list[Any]]:
    """Run the text of a kernel on a flat list of scalars, in the order of its arguments."""
    stream = iter(values)

    def take(width: int) -> list[Any]:
        return [next(stream) for _ in range(width)]

    quantity = QUANTITIES[spec.quantity]
    groups = [
        [take(width) for _ in range(orders)] if orders else take(width)
        for _, width, orders in signature(spec).arguments
    ]
    own = groups[: len(groups) - len(spec.wrenches)]
    options: dict[str, Any] = dict(spec.options)
    if quantity.takes_wrenches:
        options["wrenches"] = dict(zip(spec.wrenches, groups[len(own) :], strict=True))
    if method is not None:
        options["method"] = method
    if quantity.arguments:
        return quantity.text(spec.robot, own, **options)
    return quantity.text(spec.robot, own[0], own[1:], **options)
