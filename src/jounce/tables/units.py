"""Units of a logged motion; everything inside Jounce is in SI units and radians.

A text such as ``"deg,ms"`` names the units of a file: of angles ``rad`` or ``deg``, of lengths
``m`` or ``mm``, of the time column ``s``, ``ms``, ``us`` or ``ns``.  Rates are per second,
whatever the unit of the time column.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import NamedTuple

import numpy as np

from jounce.errors import UnknownNameError
from jounce.tables.clock import TICKS

_UNITS = {  # how many make one radian, metre or second
    "angle": {"rad": 1.0, "deg": 180.0 / pi},
    "length": {"m": 1.0, "mm": 1e3},
    "time": TICKS,
}
_LISTED = "; ".join(f"{kind}: {', '.join(units)}" for kind, units in _UNITS.items())


class Units(NamedTuple):
    """How many units of a file make one radian, one metre, one second."""

    angle: float = 1.0
    length: float = 1.0
    time: float = 1.0

    def divisors(
        self, orders: tuple[int, int], positions: Sequence[str], rates: Sequence[str]
    ) -> np.ndarray:
        """Return what the columns of a table are to be divided by.

        They are the time, then ``orders`` of motion and of forces, each of all joints: what they
        measure is "angle", "length" or "number"; forces are in SI units already.
        """
        units = {"angle": self.angle, "length": self.length, "number": 1.0}
        kinds = list(positions) * min(orders[0], 1) + list(rates) * max(orders[0] - 1, 0)
        forces = np.ones(orders[1] * len(rates))
        return np.concatenate([[self.time], [units[kind] for kind in kinds], forces])


def units_of(text: str | None) -> Units:
    """Return the units that a text such as ``"deg,ms"`` names; None is SI.

    >>> units_of("ms")
    Units(angle=1.0, length=1.0, time=1000.0)
    """
    return Units(**units_said(text))


def units_said(text: str | None) -> dict[str, float]:
    """Return those of "angle", "length", "time" that a text names, with their units."""
    found: dict[str, float] = {}
    for word in (text or "").replace(",", " ").split():
        kind = next((kind for kind, units in _UNITS.items() if word in units), None)
        if kind is None:
            raise UnknownNameError(f"no unit named {word!r}. Known units are {_LISTED}.")
        if kind in found:
            raise UnknownNameError(f"two units of {kind} in {text!r}. Known units are {_LISTED}.")
        found[kind] = _UNITS[kind][word]
    return found
