"""Limits that may differ from place to place of a path."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from jounce.errors import ArgumentError
from jounce.limits.check import Uses, scale_of
from jounce.limits.limits import QUANTITIES, MotionLimits, checked_bound, checked_limits
from jounce.model.robot import Robot


class RangeAlong(NamedTuple):
    """Lower and upper bounds at some values of the parameter of a path, linear between them."""

    at: np.ndarray  # (k,)
    values: np.ndarray  # (k, 2, nv)

    @classmethod
    def of(cls, name: str, given: Any, names: tuple[str, ...]) -> RangeAlong:
        """Return bounds of an absolute value: a number, nv numbers, {joint: number} or None.

        They may also be given as these at some places, {parameter: …}.
        """
        is_along = isinstance(given, Mapping) and any(isinstance(x, Real) for x in given)
        places: Mapping[Any, Any] = given if is_along else {0.0: given}
        at = checked_places(f"limit {name} is given by joints or by", places)
        none = np.full(len(names), np.inf)
        high = np.array([checked_bound(name, places[x], none, names) for x in at])
        return cls(np.array(at, dtype=float), np.stack([-high, high], axis=1))

    @property
    def is_limited(self) -> bool:
        """Whether any joint has a bound."""
        return bool(np.isfinite(self.values[0]).any())

    @property
    def scale(self) -> np.ndarray:
        """What margins are measured by, ``(nv,)``."""
        return scale_of(*self.values[0])

    def __call__(self, parameter: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the bounds at places of the path ``(m, 2, nv)``, and their slopes.

        They are linear between those that are given, and constant beyond the ends.
        """
        at, values, x = self.at, self.values, parameter
        if at.size == 1:
            shape = x.size, *values.shape[1:]
            return np.broadcast_to(values[0], shape), np.broadcast_to(0.0, shape)
        i = np.clip(np.searchsorted(at, x, side="right") - 1, 0, at.size - 2)
        steps = np.zeros_like(values[1:])
        np.subtract(values[1:], values[:-1], out=steps, where=np.isfinite(values[1:]))
        slope = steps[i] / np.diff(at)[i][:, None, None]
        inside = ((x >= at[0]) & (x <= at[-1]))[:, None, None]
        share = (np.clip(x, at[0], at[-1]) - at[i])[:, None, None]
        return values[i] + share * slope, np.where(inside, slope, 0.0)

    def sides(self, parameter: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return lower and upper bounds at places of the path, ``(m, nv)`` each."""
        low, high = np.moveaxis(self(parameter)[0], 1, 0)
        return low, high


def checked_places(what: str, given: Mapping[Any, Any]) -> list[Any]:
    """Return the keys of what is given along a path in their order, all of them numbers."""
    for place in given:
        if not isinstance(place, Real) or not np.isfinite(float(place)):
            raise ArgumentError(
                f"{what} parameters of the path, got the key {place!r} among "
                f"{', '.join(map(repr, given))}."
            )
    return sorted(given)


class LimitsAlong:
    """Limits of a robot, and of its motors where these have some, along a path."""

    def __init__(
        self,
        robot: Robot,
        limits: MotionLimits | Mapping[float, MotionLimits] | None,
        motors: Mapping[str, RangeAlong] | None = None,
    ) -> None:
        given = limits if isinstance(limits, Mapping) else {0.0: limits}
        if not given:
            raise ArgumentError("limits along a path need at least one place, got none.")
        places = checked_places("limits along a path are MotionLimits by", given)
        at, known = np.array(places, dtype=float), [checked_limits(robot, given[x]) for x in places]
        self.first, self.names = known[0], known[0].names
        ranges = {x.name: np.array([limit.range_of(x) for limit in known]) for x in QUANTITIES}
        self.ranges = {name: RangeAlong(at, values) for name, values in ranges.items()}
        self.ranges |= motors or {}
        for name, (_, values) in self.ranges.items():
            if np.any(np.isfinite(values) != np.isfinite(values[0])):
                raise ArgumentError(
                    f"{name} is limited at some places of the path and not at others; give the "
                    "same joints a limit everywhere, a large one where there is none."
                )

    @property
    def places(self) -> np.ndarray:
        """Parameters of the path between which bounds are linear; none if they are constant."""
        changing = [x.at for x in self.ranges.values() if x.at.size > 1]
        return np.unique(np.concatenate([np.empty(0), *changing]))

    def speeds(self, parameter: np.ndarray, p1: np.ndarray) -> np.ndarray:
        """Return the largest u̇ that each velocity allows, ``(m, nv)``."""
        low, high = self.ranges["velocity"].sides(parameter)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(p1 > 0.0, high / p1, np.where(p1 < 0.0, low / p1, np.inf))

    def shift(self, uses: Uses, parameter: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return by how much less of each limit is used than of the first one, and its slope.

        Uses are those of the first limits; both results are ``(m, bounds)``, the slope is by
        the parameter.
        """
        known = [self.ranges[name](parameter) for name in uses.names]
        side = (uses.sign > 0.0).astype(int)
        columns = zip(uses.quantity, side, uses.velocity, strict=True)
        found = np.array([[x[:, s, v] for x in known[q]] for q, s, v in columns])
        value, slope = found.transpose(1, 2, 0) * uses.sign
        return (value - uses.bound) / uses.scale, slope / uses.scale
