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

_QUANTITIES = {x.name: x for x in QUANTITIES}


class BoundAlong(NamedTuple):
    """One bound ``(nv,)`` at some values of the parameter of a path, linear between them."""

    at: np.ndarray  # (k,)
    values: np.ndarray  # (k, nv)

    @classmethod
    def of(cls, name: str, given: Any, names: tuple[str, ...]) -> BoundAlong:
        """Return a bound that is a number, nv numbers, {joint: number} or None.

        It may also be given as these at some places, {parameter: …}.
        """
        is_along = isinstance(given, Mapping) and any(isinstance(x, Real) for x in given)
        places: Mapping[Any, Any] = given if is_along else {0.0: given}
        at = checked_places(f"limit {name} is given by joints or by", places)
        none = np.full(len(names), np.inf)
        values = np.array([checked_bound(name, places[x], none, names) for x in at])
        check_same_joints(name, values)
        return cls(np.array(at, dtype=float), values)

    @property
    def limited(self) -> np.ndarray:
        """Which velocities have a bound, ``(nv,)``."""
        return np.isfinite(self.values[0])

    def __call__(self, parameter: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the bounds at places of the path ``(m, nv)``, and their slopes."""
        return interpolated(self.at, self.values, parameter)


def checked_places(what: str, given: Mapping[Any, Any]) -> list[Any]:
    """Return the keys of what is given along a path in their order, all of them numbers."""
    for place in given:
        if not isinstance(place, Real) or not np.isfinite(float(place)):
            raise ArgumentError(
                f"{what} parameters of the path, got the key {place!r} among "
                f"{', '.join(map(repr, given))}."
            )
    return sorted(given)


def check_same_joints(name: str, bounds: np.ndarray) -> None:
    """Refuse bounds, places first, that are finite at some places only."""
    if np.any(np.isfinite(bounds) != np.isfinite(bounds[0])):
        raise ArgumentError(
            f"{name} is limited at some places of the path and not at others; give the same joints "
            "a limit everywhere, a large one where there is none."
        )


class LimitsAlong:
    """Limits at some values of the parameter of a path, linear between them."""

    def __init__(
        self, robot: Robot, limits: MotionLimits | Mapping[float, MotionLimits] | None
    ) -> None:
        given = limits if isinstance(limits, Mapping) else {0.0: limits}
        if not given:
            raise ArgumentError("limits along a path need at least one place, got none.")
        at = checked_places("limits along a path are MotionLimits by", given)
        self.at = np.array(at, dtype=float)
        self.limits = [checked_limits(robot, given[x]) for x in at]
        self.first, self.names = self.limits[0], self.limits[0].names
        for x in QUANTITIES:
            check_same_joints(x.name, self._stack(x.name))

    def bounds(self, name: str) -> bool:
        """Whether a quantity of any joint is limited."""
        return bool(np.isfinite(self.first.range_of(_QUANTITIES[name])).any())

    def _stack(self, name: str) -> np.ndarray:
        """Return lower and upper bounds, ``(places, 2, nv)``."""
        return np.array([x.range_of(_QUANTITIES[name]) for x in self.limits])

    def range_of(self, name: str, parameter: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return lower and upper bounds at places of the path, ``(m, nv)`` each."""
        low, high = np.moveaxis(interpolated(self.at, self._stack(name), parameter)[0], 1, 0)
        return low, high

    def scale(self, name: str) -> np.ndarray:
        """Return what margins are measured by, ``(nv,)``."""
        return scale_of(*self.first.range_of(_QUANTITIES[name]))

    def speeds(self, parameter: np.ndarray, p1: np.ndarray) -> np.ndarray:
        """Return the largest u̇ that each velocity allows, ``(m, nv)``."""
        low, high = self.range_of("velocity", parameter)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(p1 > 0.0, high / p1, np.where(p1 < 0.0, low / p1, np.inf))

    def shift(self, uses: Uses, parameter: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return by how much less of each limit is used than of the first one, and its slope.

        Uses are those of the first limits; both results are ``(m, bounds)``, the slope is by
        the parameter.
        """
        stacks = [self._stack(quantity.name) for quantity in uses.limited]
        side = (uses.sign > 0.0).astype(int)
        bounds = np.array([
            [stacks[q][i, s, v] for q, s, v in zip(uses.quantity, side, uses.velocity, strict=True)]
            for i in range(self.at.size)
        ])  # fmt: skip
        value, slope = interpolated(self.at, bounds * uses.sign, parameter)
        return (value - uses.bound) / uses.scale, slope / uses.scale


def interpolated(
    at: np.ndarray, values: np.ndarray, x: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return values ``(k, …)`` at x, linear between, constant beyond the ends, and slopes."""
    if at.size == 1:
        return np.broadcast_to(values[0], (x.size, *values.shape[1:])), np.zeros(())
    i = np.clip(np.searchsorted(at, x, side="right") - 1, 0, at.size - 2)
    steps = np.zeros_like(values[1:])
    np.subtract(values[1:], values[:-1], out=steps, where=np.isfinite(values[1:]))
    axes = (slice(None), *[None] * (values.ndim - 1))
    slope = steps[i] / np.diff(at)[i][axes]
    inside = ((x >= at[0]) & (x <= at[-1]))[axes]
    share = (np.clip(x, at[0], at[-1]) - at[i])[axes]
    return values[i] + share * slope, np.where(inside, slope, 0.0)
