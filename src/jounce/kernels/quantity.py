"""What a compilable quantity is: arguments, shapes and text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

RATE_NAMES = ("v", "a", "j", "s")


def rate_name(k: int) -> str:
    """Name the k-th rate: v, a, j, s, then by order."""
    return RATE_NAMES[k] if k < len(RATE_NAMES) else f"rate {k + 1}"


def force_name(k: int) -> str:
    """Name the forces of forward dynamics: Q, Q1, Q2, ...; before them comes v."""
    return "v" if k < 0 else f"Q{k or ''}"


class Argument(NamedTuple):
    """An input: ``(*batch, width)``, or ``(orders, *batch, width)`` where orders > 0."""

    name: str
    width: int
    orders: int = 0


class Signature(NamedTuple):
    """Shapes of a kernel: ``rows`` orders of results of shape ``(*batch, *tail)``."""

    arguments: tuple[Argument, ...]
    rows: int
    tail: tuple[int, ...]


class Quantity(NamedTuple):
    """One compilable quantity.

    ``text`` maps robot, q, rates (and wrenches) and the options to rows of scalars, one row an
    order; it takes ``extra_rates`` more rates than the order.  ``tail`` is the shape of one
    result, by number or by attribute of the robot; ``rows`` how many there are at an order.
    ``options`` gives the allowed values of each option, the first one the default; the option
    ``frame`` takes any frame of the robot.

    With ``shapes``, which maps robot, order and options to the arguments and the length of a
    result, the text takes the robot, one entry an argument (wrenches apart), and the options.
    """

    extra_rates: int
    tail: tuple[int | str, ...]
    text: Callable[..., list[list[Any]]]
    options: Mapping[str, tuple[str, ...]] = {}
    takes_wrenches: bool = False
    rate_name: Callable[[int], str] = rate_name
    rows: Callable[[int], int] = lambda order: order + 1
    highest_order: int | None = None
    shapes: Callable[..., tuple[list[tuple[str, int, int]], int]] | None = None
