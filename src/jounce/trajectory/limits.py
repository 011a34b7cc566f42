"""Bounds of positions, forces and their time derivatives, coordinate by coordinate."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from jounce.errors import ModelError, ShapeError, unknown_name
from jounce.model.checks import as_floats
from jounce.model.records import Joint
from jounce.model.robot import Robot
from jounce.trajectory.coordinates import coordinate_names


class Quantity(NamedTuple):
    """What a limit is about: the derivative of this order of the position or of the force."""

    name: str
    is_force: bool
    order: int


QUANTITIES = (
    Quantity("position", False, 0),
    Quantity("velocity", False, 1),
    Quantity("acceleration", False, 2),
    Quantity("jerk", False, 3),
    Quantity("snap", False, 4),
    Quantity("effort", True, 0),
    Quantity("effort_rate", True, 1),
    Quantity("effort_second_rate", True, 2),
)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Limits:
    """Bounds of the n coordinates of a robot, ``(n,)`` each, infinite where there is none.

    ``lower`` and ``upper`` are bounds of the position; all others are bounds of the absolute
    value.  ``effort`` is the generalised force Q, ``effort_rate`` and ``effort_second_rate``
    its first two time derivatives.  Make them with `Limits.of` or `Limits.read`.
    """

    names: tuple[str, ...]
    lower: np.ndarray
    upper: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    jerk: np.ndarray
    snap: np.ndarray
    effort: np.ndarray
    effort_rate: np.ndarray
    effort_second_rate: np.ndarray

    @classmethod
    def of(cls, robot: Robot, **bounds: Any) -> Limits:
        """Return the limits of a robot, with those given here instead of its own.

        A bound is one number for all coordinates, n numbers, or ``{joint: number}``; None is no
        bound.  The limits of a joint that mimics another bound the position and the rates of
        the joint it follows; its effort has no bound of its own.

        >>> import jounce
        >>> limits = Limits.of(jounce.load("panda"), jerk=500.0, snap={"joint1": 1e4})
        >>> limits.snap[:2].tolist()
        [10000.0, inf]
        """
        names = coordinate_names(robot)
        values = _own(robot)
        for name, given in bounds.items():
            if name not in values:
                raise unknown_name("limit", name, values)
            values[name] = _bound(name, given, values[name], names)
        low, high = values["lower"], values["upper"]
        wrong = np.flatnonzero(~(low <= high))
        if wrong.size:
            i = int(wrong[0])
            raise ModelError(
                f"limits of {names[i]!r}: lower {low[i]:g} and upper {high[i]:g} leave no range."
            )
        return cls(names=names, **{name: _frozen(x) for name, x in values.items()})

    @classmethod
    def read(cls, path: str | os.PathLike[str], robot: Robot) -> Limits:
        """Read limits from a ``.csv`` or ``.json`` file; what it leaves out is the robot's own.

        A CSV has the columns ``joint`` and any of the names of the limits, and one line a joint;
        an empty field is left out.  A JSON file is ``{joint: {limit: number}}``.
        """
        from jounce.trajectory.limits_file import read_bounds

        return cls.of(robot, **read_bounds(path))

    def range_of(self, quantity: Quantity) -> tuple[np.ndarray, np.ndarray]:
        """Return lower and upper bound of a quantity, ``(n,)`` each."""
        if quantity.name == "position":
            return self.lower, self.upper
        bound = getattr(self, quantity.name)
        return -bound, bound

    def limited(self) -> tuple[Quantity, ...]:
        """Return the quantities that have a bound in any coordinate."""
        return tuple(x for x in QUANTITIES if np.isfinite(self.range_of(x)).any())


def _own(robot: Robot) -> dict[str, np.ndarray]:
    known = robot.limits
    values = {f.name: np.full(robot.nv, np.inf) for f in fields(Limits) if f.name != "names"}
    for f in fields(known):
        values[f.name] = np.array(getattr(known, f.name), dtype=float)
    for joint in robot.joints:
        if joint.mimic is not None and joint.mimic.multiplier:
            _tighten(values, joint, robot.joints[joint.mimic.source].v_slice.start)
    return values


def _tighten(values: dict[str, np.ndarray], joint: Joint, i: int) -> None:
    """Let the joint that coordinate i moves along, ``q = multiplier q_i + offset``, bound it."""
    assert joint.mimic is not None
    _, multiplier, offset = joint.mimic
    ends = sorted(
        (bound[0] - offset) / multiplier for bound in (joint.limits.lower, joint.limits.upper)
    )
    values["lower"][i] = max(values["lower"][i], ends[0])
    values["upper"][i] = min(values["upper"][i], ends[1])
    for name in ("velocity", "acceleration", "jerk"):
        values[name][i] = min(values[name][i], getattr(joint.limits, name)[0] / abs(multiplier))


def _bound(name: str, given: Any, own: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    missing = -np.inf if name == "lower" else np.inf
    if given is None:
        return np.full(len(names), missing)
    if isinstance(given, Mapping):
        values = own.copy()
        for joint, value in given.items():
            if joint not in names:
                raise unknown_name("joint", joint, names)
            values[names.index(joint)] = missing if value is None else value
    else:
        values = as_floats(f"limit {name}", given)
        if values.shape not in ((), (len(names),)):
            raise ShapeError(
                f"limit {name} must be one number, {len(names)} numbers or {{joint: number}}, "
                f"got shape {values.shape}."
            )
        values = np.broadcast_to(values, (len(names),))
    if np.isnan(values).any() or (name not in ("lower", "upper") and np.any(values < 0.0)):
        raise ModelError(f"limit {name} must be numbers ≥ 0, or None, got {given!r}.")
    return values


def _frozen(array: np.ndarray) -> np.ndarray:
    copy = np.array(array)
    copy.flags.writeable = False
    return copy
