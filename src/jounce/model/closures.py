"""Closures: frames of a robot that are held to others, or to the ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jounce.errors import ArgumentError, ModelError, WrongTypeError, check_type
from jounce.model.directions import DIRECTIONS, checked_directions, in_order

if TYPE_CHECKING:
    from jounce.model.robot import Robot


@dataclass(frozen=True)
class Closure:
    """A frame that is held to another, or to the ground where it is at the neutral configuration.

    ``directions`` are those that are held, in the axes of ``frame``: ``all``, ``linear`` (point on
    point), ``angular``, or names such as ``"wx wy vx vy vz"`` (a hinge about z).  A single angular
    direction holds as a universal joint does: with ``wx``, y of the frame is normal to z of ``to``.

    As a contact, given with a call, a closure to the ground holds the frame where it is at that q.

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
                raise WrongTypeError(f"{name} must be the name of a frame, got {value!r}.")
        if frame == to:
            raise ArgumentError(f"a closure holds two different frames, got {frame!r} twice.")
        object.__setattr__(self, "frame", frame)
        object.__setattr__(self, "to", to)
        object.__setattr__(self, "directions", in_order(checked_directions(directions)))

    @property
    def rows(self) -> tuple[int, ...]:
        """Indices of the held directions among wx wy wz vx vy vz."""
        return tuple(DIRECTIONS.index(name) for name in self.directions.split())

    def __str__(self) -> str:
        return f"{self.frame} – {self.to or 'ground'} ({self.directions})"


class Contact(Closure):
    """A closure to the ground that holds its frame where that is at the time of the call."""


def check_closure(robot: Robot, closure: Closure) -> None:
    """Refuse a closure whose frames are not there, or sit on one body."""
    check_type("a closure", closure, Closure)
    a = robot.frame(closure.frame).body
    b = -1 if closure.to is None else robot.frame(closure.to).body
    if a == b:
        where = "the ground" if a < 0 else f"body {robot.bodies[a].name!r}"
        raise ModelError(
            f"closure {closure} holds two frames of {where} together, which do not move against "
            "each other; name frames of different bodies."
        )
