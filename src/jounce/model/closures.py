"""Closures: frames of a robot that are held to others, or to the ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jounce.errors import ArgumentError, ModelError, unknown_name

if TYPE_CHECKING:
    from jounce.model.robot import Robot

DIRECTIONS = ("wx", "wy", "wz", "vx", "vy", "vz")
_GROUPS = {"all": DIRECTIONS, "angular": DIRECTIONS[:3], "linear": DIRECTIONS[3:]}


@dataclass(frozen=True)
class Closure:
    """A frame that is held to another, or to the ground where it is at the neutral configuration.

    ``directions`` are those that are held, in the axes of ``frame``: ``all``, ``linear`` (point on
    point), ``angular``, or names such as ``"wx wy vx vy vz"`` (a hinge about z).  A single angular
    direction holds as a universal joint does: with ``wx``, y of the frame is normal to z of ``to``.

    As a contact, given with a call, a closure to the ground holds the frame wherever it is.

    >>> import jounce
    >>> jounce.Closure("left_foot", directions="linear").rows
    (3, 4, 5)
    """

    frame: str
    to: str | None = None
    directions: str = "all"

    def __init__(
        self, frame: str, to: str | None = None, *, directions: str | Sequence[str] = "all"
    ) -> None:
        for name, value in (("frame", frame), ("to", to)):
            if not isinstance(value, str) and (name == "frame" or value is not None):
                raise TypeError(f"{name} must be the name of a frame, got {value!r}.")
        if frame == to:
            raise ArgumentError(f"a closure holds two different frames, got {frame!r} twice.")
        object.__setattr__(self, "frame", frame)
        object.__setattr__(self, "to", to)
        object.__setattr__(self, "directions", _in_order(checked_directions(directions)))

    @property
    def rows(self) -> tuple[int, ...]:
        """Indices of the held directions among wx wy wz vx vy vz."""
        return tuple(DIRECTIONS.index(name) for name in self.directions.split())

    def __str__(self) -> str:
        return f"{self.frame} – {self.to or 'ground'} ({self.directions})"


def check_closure(robot: Robot, closure: Closure) -> None:
    """Refuse a closure whose frames are not there, or sit on one body."""
    if not isinstance(closure, Closure):
        raise TypeError(f"a closure must be a jounce.Closure, got {type(closure).__name__}.")
    a = robot.frame(closure.frame).body
    b = -1 if closure.to is None else robot.frame(closure.to).body
    if a == b:
        where = "the ground" if a < 0 else f"body {robot.bodies[a].name!r}"
        raise ModelError(
            f"closure {closure} holds two frames of {where} together, which do not move against "
            "each other; name frames of different bodies."
        )


def checked_directions(directions: str | Sequence[str] | None) -> list[str]:
    """Return names of directions, in the order given; None is all six.

    >>> checked_directions("linear")
    ['vx', 'vy', 'vz']
    """
    if directions is None:
        return list(DIRECTIONS)
    words = directions.split() if isinstance(directions, str) else list(directions)
    names = [name for word in words for name in _GROUPS.get(word, (word,))]
    for name in names:
        if name not in DIRECTIONS:
            raise unknown_name("direction", name, (*DIRECTIONS, *_GROUPS))
    if not names or len(set(names)) < len(names):
        raise ArgumentError(f"directions must be one or more different names, got {names}.")
    return names


def _in_order(names: Sequence[str]) -> str:
    return " ".join(d for d in DIRECTIONS if d in names)
