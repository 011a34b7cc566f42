"""What forces are linear in: ten numbers a body, and those of motors, one a velocity of a kind.

A joint that follows another shares its velocity: with m its multiplier, what its motor adds is
seen there as m² d, m² J, m o and |m| c, and its dry friction is smoothed over the speed s / |m|.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from jounce.errors import ArgumentError, UnsupportedError, check_name
from jounce.model.components import velocity_names
from jounce.model.lowering.tree import lowered
from jounce.model.records import COULOMB_SPEED, Friction
from jounce.model.robot import Robot

BODY = ("m", "mcx", "mcy", "mcz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
FRICTION = ("viscous", "coulomb", "offset")
MOTORS = {"viscous": "Fv", "coulomb": "Fc", "offset": "Fo", "armature": "Ia"}
Array = np.ndarray
Kinds = Sequence[str] | str | bool | None


def parameters(robot: Robot, *, friction: Kinds = False, armature: bool = False) -> Array:
    """Return the inertial parameters, ``(10 n_bodies,)``.

    Per body: m, m c (3), Ixx Iyy Izz Ixy Ixz Iyz about the origin of the body frame.  Those of
    motors follow on request, nv of a kind, as `jounce.regressor` has columns for them.

    >>> import jounce
    >>> jounce.parameters(jounce.load("planar2r"))[:4]
    array([1.5, 1.5, 0. , 0. ])
    """
    values = [x for b in robot.bodies for x in b.inertia.parameters]
    if not all(isinstance(x, float) for x in values):
        raise UnsupportedError("this robot has symbolic inertias; read body.inertia.parameters.")
    return np.append(values, motor_parameters(robot, motor_kinds(friction, armature)))


def parameter_names(robot: Robot, motors: Sequence[str] = ()) -> tuple[str, ...]:
    """Return a name for every parameter, such as ``Ixx(link7)`` and ``Fv(joint7)``."""
    matter = (f"{symbol}({body.name})" for body in robot.bodies for symbol in BODY)
    speeds = velocity_names(robot)
    return (*matter, *(f"{MOTORS[kind]}({speed})" for kind in motors for speed in speeds))


def friction_kinds(friction: Kinds) -> tuple[str, ...]:
    """Return kinds of friction in their order: all for True, none for False or None."""
    if friction is None or isinstance(friction, bool | np.bool_):
        return FRICTION if friction else ()
    if not isinstance(friction, Iterable):
        raise ArgumentError(
            f"friction must be True, False or some of {', '.join(FRICTION)}, got {friction!r}."
        )
    given = (friction,) if isinstance(friction, str) else tuple(friction)
    for kind in given:
        check_name("friction", kind, FRICTION)
    return tuple(kind for kind in FRICTION if kind in given)


def motor_kinds(friction: Kinds, armature: bool) -> tuple[str, ...]:
    """Return kinds of motor parameters in their order, that of the armature last."""
    return (*friction_kinds(friction), *(("armature",) if armature else ()))


def checked_speed(coulomb_speed: Any) -> float:
    """Return the speed over which Coulomb friction is smoothed, which must be positive."""
    is_number = isinstance(coulomb_speed, Real) and not isinstance(coulomb_speed, bool)
    if not is_number or not 0.0 < float(coulomb_speed) ** 2 < math.inf:
        raise ArgumentError(
            f"coulomb_speed must be positive and finite, such as {COULOMB_SPEED:g} rad/s, got "
            f"{coulomb_speed!r}."
        )
    return float(coulomb_speed)


def friction_words(given: Any) -> str:
    """Return kinds of friction as words."""
    return " ".join(friction_kinds(given.split() if isinstance(given, str) else given))


def armature_words(given: Any) -> str:
    """Return "yes", or no word for False, "no" or None."""
    if given is not None and not isinstance(given, bool | np.bool_):
        check_name("armature", given, ("yes", "no"))
    return "yes" if given in (True, "yes") else ""


def speed_words(given: Any) -> str:
    """Return the speed over which Coulomb friction is smoothed as a word, none for None."""
    if isinstance(given, str):  # of the command line
        with suppress(ValueError):
            given = float(given)
    return "" if given is None else repr(checked_speed(given))


class MotorPart(NamedTuple):
    """What one motor adds to the force of one velocity, in its own speed ``multiplier · v``."""

    kind: str
    velocity: int
    size: Any
    multiplier: Any
    speed: Any  # of smoothing

    @property
    def seen(self) -> Any:
        """The parameter as the velocity sees it."""
        powers = {"offset": self.multiplier, "coulomb": abs(self.multiplier)}
        return self.size * powers.get(self.kind, self.multiplier**2)


def motor_parts(robot: Robot) -> Iterator[MotorPart]:
    """Yield all that motors add."""
    for link in lowered(robot).links:
        _, first, factor, _ = link.coordinates
        for k, (armature, damping) in enumerate(zip(link.armature, link.damping, strict=True)):
            dry = link.friction[k] if link.friction else Friction()
            sizes = (damping, dry.coulomb, dry.offset, armature)
            for kind, size in zip(MOTORS, sizes, strict=True):
                if size:
                    yield MotorPart(kind, first + k, size, factor, dry.speed)


def motor_parameters(robot: Robot, kinds: Sequence[str]) -> Array:
    """Return the parameters of these kinds, nv each, as the velocities see them."""
    values = np.zeros((len(kinds), robot.nv))
    for part in motor_parts(robot):
        if part.kind in kinds:
            if not isinstance(part.seen, float):
                raise UnsupportedError(f"this robot has symbols for its {part.kind}: read joints.")
            values[kinds.index(part.kind), part.velocity] += part.seen
    return values.ravel()


def motor_shape(robot: Robot, kind: str, speed: float | None) -> list[tuple[Array, Array]]:
    """Return shares and speeds of smoothing, ``(nv,)``, of what a kind of parameter multiplies."""
    if kind == "coulomb" and speed is None:
        return coulomb_shape(robot)
    return [(np.ones(robot.nv), np.full(robot.nv, COULOMB_SPEED if speed is None else speed))]


def coulomb_shape(robot: Robot) -> list[tuple[Array, Array]]:
    """Return what the Coulomb friction of a robot is shaped like: shares and speeds, ``(nv,)``.

    ``Σ share v / √(v² + speed²)`` of all of these goes from −1 to 1; there is one of them unless
    joints that follow others have friction too.
    """
    own: list[list[tuple[Any, Any]]] = [[] for _ in range(robot.nv)]
    for part in motor_parts(robot):
        if part.kind == "coulomb" and part.multiplier:
            own[part.velocity].append((part.seen, part.speed / abs(part.multiplier)))
    count = max([1, *map(len, own)])
    shapes = np.full((count, 2, robot.nv), [[0.0], [COULOMB_SPEED]])
    for i, parts in enumerate(own):
        total = sum(size for size, _ in parts)
        shares = [(size / total, speed) for size, speed in parts] or [(1.0, COULOMB_SPEED)]
        shapes[: len(shares), :, i] = shares
    return [(share, speed) for share, speed in shapes]
