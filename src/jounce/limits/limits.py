"""Bounds of positions, forces and their time derivatives, velocity by velocity."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from jounce.errors import (
    ModelError,
    ShapeError,
    TableError,
    UnsupportedError,
    WrongTypeError,
    check_name,
    check_type,
)
from jounce.files import csv_rows, read_json
from jounce.model.checks import as_floats
from jounce.model.components import velocity_names
from jounce.model.robot import Robot
from jounce.trajectory.protocol import positions


class Quantity(NamedTuple):
    """What a limit is about: the derivative of this order of the position or of the force."""

    name: str
    is_force: bool
    order: int

    @property
    def rates(self) -> int:
        """The highest derivative of q that it depends on."""
        return self.order + 2 * self.is_force


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
USUAL = ("position", "velocity", "acceleration", "jerk", "effort", "effort_rate")
SPOKEN = {
    "effort": "torque",
    "effort_rate": "torque-rate",
    "effort_second_rate": "torque-2nd-rate",
    "motor_speed": "motor-speed",
    "motor_torque": "motor-torque",
    "motor_torque_rate": "motor-torque-rate",
}


def spoken(quantity: str) -> str:
    """Return what people call a quantity."""
    return SPOKEN.get(quantity, quantity)


def unknown_limits(known: Iterable[str]) -> tuple[str, ...]:
    """Say which of the usual limits are not among the known, so that nobody takes them for kept."""
    known = set(known)
    return tuple(f"no {spoken(name)} limit is known" for name in USUAL if name not in known)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MotionLimits:
    """What a motion must keep within: for each velocity a bound, infinite where there is none.

    ``names`` are those of the velocities, of their joints; all arrays have shape ``(nv,)``.
    ``lower`` and ``upper`` are bounds of the position, which spherical and free joints do not
    have; all others are bounds of the absolute value, unless ``below`` has another lower bound
    under the same name.  ``effort`` is the generalised force Q, ``effort_rate`` and
    ``effort_second_rate`` its first two time derivatives.  Make them with `MotionLimits.of` or
    `MotionLimits.read`.
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
    below: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __str__(self) -> str:
        known = ", ".join(spoken(quantity.name) for quantity in self.limited()) or "none"
        return f"limits of {len(self.names)} velocities: {known}"

    @classmethod
    def of(cls, robot: Robot, **bounds: Any) -> MotionLimits:
        """Return the limits of a robot, with those given here instead of its own.

        A bound is one number for all velocities, nv numbers, or ``{joint: number}``; None is no
        bound.  A joint with several velocities has an index, as in ``"ball[wx]"``.  The
        robot's own are `Robot.limits`.  Where less is allowed in one direction, the bound below
        zero is given under the same name with ``_lower``, as in ``effort_lower=-5.0``.

        >>> import jounce
        >>> limits = MotionLimits.of(jounce.load("panda"), jerk=500.0, snap={"joint1": 1e4})
        >>> limits.snap[:2].tolist()
        [10000.0, inf]
        """
        names = velocity_names(robot)
        values = _own(robot)
        known = [*values, *(f"{x.name}_lower" for x in QUANTITIES[1:])]
        below = {name: x for name, x in bounds.items() if name in known and name not in values}
        for name, given in bounds.items():
            check_name("limit", name, known)
            if name not in below:
                values[name] = checked_bound(name, given, values[name], names)
        for name, missing in (("lower", -np.inf), ("upper", np.inf)):
            if name in bounds:
                values[name] = _of_positions(robot, name, bounds[name], values[name], missing)
        low, high = values["lower"], values["upper"]
        wrong = np.flatnonzero(~(low <= high))
        if wrong.size:
            i = int(wrong[0])
            raise ModelError(
                f"limits of {names[i]!r}, and of joints that follow it: lower {low[i]:g} and upper "
                f"{high[i]:g} leave no range; correct them, or give others, or None."
            )
        lows = {}
        for name, given in below.items():
            bounded = name.removesuffix("_lower")
            lows[bounded] = _frozen(checked_bound(name, given, -values[bounded], names))
        return cls(names=names, below=lows, **{name: _frozen(x) for name, x in values.items()})

    @classmethod
    def read(cls, path: str | os.PathLike[str], robot: Robot) -> MotionLimits:
        """Read limits from a ``.csv`` or ``.json`` file; what it leaves out is the robot's own.

        A CSV has the columns ``joint`` and any of the names of the limits, and one line a joint;
        an empty field is left out.  A JSON file is ``{joint: {limit: number}}``.
        """
        return cls.of(robot, **read_bounds(path))

    def range_of(self, quantity: Quantity) -> tuple[np.ndarray, np.ndarray]:
        """Return lower and upper bound of a quantity, ``(nv,)`` each."""
        if quantity.name == "position":
            return self.lower, self.upper
        bound = getattr(self, quantity.name)
        return self.below.get(quantity.name, -bound), bound

    def limited(self) -> tuple[Quantity, ...]:
        """Return the quantities that have a bound for any velocity."""
        return tuple(x for x in QUANTITIES if np.isfinite(self.range_of(x)).any())

    @property
    def order(self) -> int:
        """The highest derivative of q that these limits are about."""
        return max((quantity.rates for quantity in self.limited()), default=0)


def checked_limits(robot: Robot, limits: MotionLimits | None) -> MotionLimits:
    """Return these limits, or the robot's own; raise if they are for another robot."""
    check_type("robot", robot, Robot)
    if limits is None:
        return MotionLimits.of(robot)
    if not isinstance(limits, MotionLimits):
        raise WrongTypeError(
            f"limits must be a jounce.trajectory.MotionLimits, got {type(limits).__name__}; make "
            "it with MotionLimits.of(robot, velocity=…)."
        )
    names = velocity_names(robot)
    if limits.names != names:
        raise ShapeError(
            f"the limits are for {', '.join(limits.names)}; the velocities of {robot.name!r} are "
            f"{', '.join(names)}."
        )
    return limits


def _own(robot: Robot) -> dict[str, np.ndarray]:
    known = robot.limits
    bounds = [f.name for f in fields(MotionLimits) if f.name not in ("names", "below")]
    values = {name: np.full(robot.nv, np.inf) for name in bounds}
    values.update({f.name: getattr(known, f.name) for f in fields(known)})
    values["lower"] = positions(robot, known.lower, -np.inf)
    values["upper"] = positions(robot, known.upper, np.inf)
    return values


def checked_bound(name: str, given: Any, own: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    """Return bounds ``(nv,)`` given as a number, nv numbers, {joint: number} or None.

    ``own`` are those of the joints that are not named.
    """
    missing = -np.inf if name.endswith("lower") else np.inf
    if given is None:
        return np.full(len(names), missing)
    if isinstance(given, Mapping):
        values = own.copy()
        for joint, value in given.items():
            check_name("joint", joint, names)
            number = as_floats(f"limit {name} of {joint!r}", missing if value is None else value)
            if number.ndim:
                raise ShapeError(f"limit {name} of {joint!r} must be one number, got {value!r}.")
            values[names.index(joint)] = number
    else:
        values = as_floats(f"limit {name}", given)
        if values.shape not in ((), (len(names),)):
            raise ShapeError(
                f"limit {name} must be one number, {len(names)} numbers or {{joint: number}}, "
                f"got shape {values.shape}."
            )
        values = np.broadcast_to(values, (len(names),))
    sign, wanted = (-1.0, "≤ 0") if name.endswith("_lower") else (1.0, "≥ 0")
    is_position = name in ("lower", "upper")
    if np.isnan(values).any() or (not is_position and np.any(sign * values < 0.0)):
        raise ModelError(f"limit {name} must be numbers {wanted}, or None, got {given!r}.")
    return values


def _of_positions(
    robot: Robot, name: str, given: Any, values: np.ndarray, missing: float
) -> np.ndarray:
    """Return bounds of positions; one number is for all that are not part of a quaternion."""
    has_none = np.isnan(positions(robot, np.zeros(robot.nq), np.nan))
    wrong = np.flatnonzero(has_none & (values != missing))
    if wrong.size and (isinstance(given, Mapping) or np.ndim(given)):
        raise ModelError(
            f"limit {name} of {velocity_names(robot)[wrong[0]]!r} must be None, for a joint with a "
            "quaternion has no limits of its position."
        )
    return np.where(has_none, missing, values)


def _frozen(array: np.ndarray) -> np.ndarray:
    copy = np.array(array)
    copy.flags.writeable = False
    return copy


def read_bounds(path: str | os.PathLike[str]) -> dict[str, dict[str, float | None]]:
    """Return ``{limit: {joint: bound}}`` of a CSV or JSON file; None is no bound."""
    path = Path(path)
    readers = {".csv": _csv, ".json": _json}
    if path.suffix.lower() not in readers:
        raise UnsupportedError(
            f"{path}: tables of limits end in .csv or .json, not in {path.suffix!r}."
        )
    bounds: dict[str, dict[str, float | None]] = {}
    for where, joint, name, value in readers[path.suffix.lower()](path):
        try:
            number = None if value is None else nan if isinstance(value, bool) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = nan
        if number is not None and number != number:
            raise TableError(f"{where}: {name} of {joint!r} is {value!r}, not a number.")
        if joint in bounds.setdefault(name, {}):
            raise TableError(f"{where}: {name} of {joint!r} is given twice.")
        bounds[name][joint] = number
    return bounds


def _csv(path: Path) -> list[tuple[str, str, str, Any]]:
    (_, header), *lines = csv_rows(path) or [(1, [])]
    if "joint" not in header:
        raise TableError(f"{path}:1: no column 'joint' among {', '.join(header) or 'none'}.")
    found = []
    for number, cells in lines:
        where = f"{path}:{number}"
        if len(cells) != len(header):
            raise TableError(f"{where}: {len(cells)} fields, expected {len(header)}.")
        row = dict(zip(header, cells, strict=True))
        joint = row.pop("joint")
        found += [(where, joint, name, value) for name, value in row.items() if value]
    return found


def _json(path: Path) -> list[tuple[str, str, str, Any]]:
    data = read_json(path)
    if not isinstance(data, dict) or not all(isinstance(row, dict) for row in data.values()):
        raise TableError(f'{path}: limits must be {{"joint": {{"velocity": 2.0, …}}, …}}.')
    return [
        (str(path), joint, name, value)
        for joint, row in data.items()
        for name, value in row.items()
    ]
