"""Make a robot symbolic: inertias, lengths and gravity become symbols."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from jounce.algebra.vector import Vec3
from jounce.errors import ArgumentError
from jounce.lazy import required
from jounce.model.inertia import Inertia
from jounce.model.robot import Robot

NEGLIGIBLE = 1e-12  # of the largest entry: what moving an inertia to another point leaves
_AXES = ("x", "y", "z")
_PAIRS = ("xx", "yy", "zz", "xy", "xz", "yz")


class SymbolicParameters(NamedTuple):
    """A robot of symbols, and the number behind every symbol."""

    robot: Robot
    values: dict[Any, Any]


def symbolic_parameters(
    robot: Robot,
    *,
    inertias: bool = True,
    lengths: bool = False,
    gravity: bool = False,
    about: str = "com",
) -> SymbolicParameters:
    """Return the robot with symbols for its numbers, and those numbers by symbol.

    Bodies are counted from one.  ``about="com"``: mass m_1, centre of mass c_1x …, rotational
    inertia I_1xx … about it.  ``about="origin"``: m_1, first moment h_1x … and I_1xx … about
    the origin of the body frame, in which all forces are linear.  ``lengths``: the position
    of a body in its parent, l_1x ….  ``gravity``: g, with the sign of the robot, or g_x, g_y,
    g_z if it is not along one axis.  What is zero stays zero.

    >>> import jounce
    >>> robot, values = jounce.symbolic_parameters(jounce.examples.chain(1))
    >>> {str(symbol): round(value, 3) for symbol, value in values.items()}
    {'m_1': 2.0, 'c_1x': 0.01, 'c_1y': -0.005, 'c_1z': 0.15, 'I_1xx': 0.015, 'I_1yy': 0.015, 'I_1zz': 0.001}
    """  # noqa: E501
    sp = required("sympy", "jounce.symbolic_parameters", "sympy")
    if about not in ("com", "origin"):
        raise ArgumentError(f"about must be 'com' or 'origin', got {about!r}.")
    values: dict[Any, Any] = {}

    def name(label: str, value: Any) -> Any:
        symbol = sp.Symbol(label)
        values[symbol] = value
        return symbol

    bodies = list(robot.bodies)
    for i, body in enumerate(bodies, start=1):
        if inertias:
            body = replace(body, inertia=_inertia(body.inertia, i, about, name))
        if lengths:
            p = _named(body.placement.p, [f"l_{i}{axis}" for axis in _AXES], name)
            body = replace(body, placement=body.placement._replace(p=Vec3(*p)))
        bodies[i - 1] = body
    robot = replace(robot, bodies=tuple(bodies))
    if gravity:
        robot = robot.with_gravity(_gravity(robot.gravity, name))
    return SymbolicParameters(robot, values)


def _inertia(inertia: Inertia, i: int, about: str, name: Callable[[str, Any], Any]) -> Inertia:
    labels = [f"I_{i}{pair}" for pair in _PAIRS]
    if about == "origin":
        mass, *moments = inertia.parameters
        (m,) = _named([mass], [f"m_{i}"], name)
        first = _named(moments[:3], [f"h_{i}{axis}" for axis in _AXES], name)
        return Inertia.from_parameters([m, *first, *_named(moments[3:], labels, name)])
    (m,) = _named([inertia.mass], [f"m_{i}"], name)
    com = _named(inertia.com, [f"c_{i}{axis}" for axis in _AXES], name)
    a, b, c = inertia.rotational
    scale = max((abs(x) for x in inertia.spatial.rotational if isinstance(x, float)), default=0.0)
    entries = _named((a.x, b.y, c.z, a.y, a.z, b.z), labels, name, scale)
    xx, yy, zz, xy, xz, yz = entries
    return Inertia(m, com, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _gravity(gravity: Vec3, name: Callable[[str, Any], Any]) -> list[Any]:
    axes = [k for k, x in enumerate(gravity) if not isinstance(x, float) or x]
    if len(axes) != 1 or not isinstance(gravity[axes[0]], float):
        return _named(gravity, ["g_x", "g_y", "g_z"], name)
    g = name("g", abs(gravity[axes[0]]))
    return [0.0 if k not in axes else g if x > 0.0 else -g for k, x in enumerate(gravity)]


def _named(
    numbers: Any, labels: list[str], name: Callable[[str, Any], Any], scale: float = 0.0
) -> list[Any]:
    """Return symbols for the numbers that are not negligible; symbols stay what they are."""
    numbers = list(numbers)
    scale = max([scale, *(abs(x) for x in numbers if isinstance(x, float))])
    result = []
    for x, label in zip(numbers, labels, strict=True):
        if not isinstance(x, float):
            result.append(x)
        else:
            result.append(name(label, x) if abs(x) > NEGLIGIBLE * scale else 0.0)
    return result
