"""Names, colours and units of the coordinates of a robot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jounce.limits.limits import MotionLimits
from jounce.model.components import position_names, velocity_kinds, velocity_names
from jounce.model.robot import Robot
from jounce.report.records import Line

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_DOTS = ("", "\u0307", "\u0308")
_NAMES = ("Position", "Velocity", "Acceleration", "Jerk", "Snap")


def position_lines(robot: Robot, limits: MotionLimits) -> tuple[Line, ...]:
    """Return a line for every coordinate, with its limits; quaternions have none."""
    low, high = np.full(robot.nq, -np.inf), np.full(robot.nq, np.inf)
    for joint in robot.joints:
        if joint.is_flat:
            low[joint.q_slice] = limits.lower[joint.v_slice]
            high[joint.q_slice] = limits.upper[joint.v_slice]
    return _with_bounds(_lines(robot, position=True), low, high)


def velocity_lines(robot: Robot, bound: np.ndarray | None = None) -> tuple[Line, ...]:
    """Return a line for every velocity, with bounds of its absolute value."""
    lines = _lines(robot, position=False)
    return lines if bound is None else _with_bounds(lines, -bound, bound)


def body_lines(robot: Robot) -> tuple[Line, ...]:
    """Return a line for every joint, those that follow another included."""
    return tuple(Line(joint.name, i) for i, joint in enumerate(robot.joints))


def derivative(symbol: str, order: int) -> str:
    """Return the symbol of a time derivative, such as q̈ or q⁽³⁾."""
    if order < len(_DOTS):
        return symbol + _DOTS[order]
    return f"{symbol}⁽{str(order).translate(_SUPERSCRIPTS)}⁾"


def motion_title(order: int) -> str:
    """Return the name and symbol of a derivative of the motion."""
    name = _NAMES[order] if order < len(_NAMES) else f"Derivative {order}"
    return f"{name} {derivative('q', order)}"


def motion_unit(robot: Robot, order: int) -> str:
    """Return the unit of a derivative of the motion; of mixed joints both."""
    return _unit(robot, "rad", "m", order)


def force_unit(robot: Robot, order: int) -> str:
    """Return the unit of a derivative of the joint forces; of mixed joints both."""
    return _unit(robot, "N m", "N", order)


def _unit(robot: Robot, angular: str, linear: str, order: int) -> str:
    kinds = velocity_kinds(robot)
    units = [unit for unit, kind in ((angular, "angle"), (linear, "length")) if kind in kinds]
    power = str(order).translate(_SUPERSCRIPTS) if order > 1 else ""
    return ", ".join(f"{unit}/s{power}" if order else unit for unit in units)


def _lines(robot: Robot, *, position: bool) -> tuple[Line, ...]:
    names = position_names(robot) if position else velocity_names(robot)
    parts = [
        (i, k)
        for i, joint in enumerate(robot.joints)
        for k in range(joint.nq if position else joint.nv)
    ]
    return tuple(Line(name, *part) for name, part in zip(names, parts, strict=True))


def _with_bounds(lines: Sequence[Line], low: np.ndarray, high: np.ndarray) -> tuple[Line, ...]:
    return tuple(
        line._replace(low=float(a), high=float(b))
        for line, a, b in zip(lines, low, high, strict=True)
    )
