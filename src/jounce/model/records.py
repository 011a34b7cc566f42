"""The small frozen records a robot is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from math import inf, isnan
from typing import Any, NamedTuple

import numpy as np

from jounce.algebra.se3 import Transform
from jounce.errors import ModelError, ShapeError
from jounce.model.checks import as_floats, check_finite, joint_quaternion_norms, plain, repeated
from jounce.model.inertia import Inertia
from jounce.model.joints import JointType

COULOMB_SPEED = 0.01  # rad/s or m/s


class Friction(NamedTuple):
    """What resists one velocity besides damping: ``coulomb v / √(v² + speed²) + offset``."""

    coulomb: Any = 0.0
    offset: Any = 0.0
    speed: Any = COULOMB_SPEED


class Mimic(NamedTuple):
    """A joint that follows another: ``q = multiplier * q_source + offset``."""

    source: int  # index among the robot's joints, never itself a mimic
    multiplier: float
    offset: float


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one joint, or of all joints of a robot; infinite where none is known.

    ``lower`` and ``upper`` have one entry a coordinate, the others one a velocity and are
    bounds of the absolute value.  A spherical or free joint has no ``lower`` and ``upper``.
    """

    lower: Any = None
    upper: Any = None
    velocity: Any = None
    effort: Any = None
    acceleration: Any = None
    jerk: Any = None
    effort_rate: Any = None

    def filled(self, type_: JointType, joint: str) -> Limits:
        """Return the same limits as tuples of full length, for a joint of this type and name."""
        sizes = {"lower": (type_.nq, -inf), "upper": (type_.nq, inf)}
        values = {}
        for field in fields(self):
            size, missing = sizes.get(field.name, (type_.nv, inf))
            given = getattr(self, field.name)
            what = f"{field.name} of {joint!r}"
            values[field.name] = entries = _filled(given, size, missing, what)
            if field.name not in sizes and any(x < 0.0 for x in entries):
                raise ModelError(f"limit {what} must not be negative, or None, got {given!r}.")
        for low, high in zip(values["lower"], values["upper"], strict=True):
            if low > high or low == inf or high == -inf:
                raise ModelError(
                    f"limits of joint {joint!r}: lower {low:g} and upper {high:g} leave no range."
                )
        ends = values["lower"] + values["upper"]
        if not type_.manifold.is_flat and any(x not in (-inf, inf) for x in ends):
            raise ModelError(
                f"limits of joint {joint!r}: lower and upper must be None, for a {type_.kind} "
                "joint has no limits of its position."
            )
        return Limits(**values)


def _filled(given: Any, size: int, missing: float, what: str) -> tuple[float, ...]:
    if given is None:
        return (missing,) * size
    items = repeated(given, size, f"limit {what}")
    values = tuple(missing if x is None else plain(x, f"limit {what}") for x in items)
    if not all(isinstance(x, float) for x in values) or any(isnan(x) for x in values):
        raise ModelError(f"limit {what} must be a number, or None for no limit, got {given!r}.")
    return values


@dataclass(frozen=True, slots=True)
class Joint:
    """The joint that carries a body: geometry, place in q and v, motor and limits."""

    name: str
    type: JointType
    q_slice: slice
    v_slice: slice
    armature: tuple[float, ...]
    damping: tuple[float, ...]
    limits: Limits
    mimic: Mimic | None = None
    friction: tuple[Friction, ...] = ()  # one a velocity, or none at all

    @property
    def kind(self) -> str:
        """Name of the kind of joint, as in ``jounce.joints``."""
        return self.type.kind

    @property
    def nq(self) -> int:
        """Number of coordinates of its own; 0 for a mimic joint."""
        return self.q_slice.stop - self.q_slice.start

    @property
    def nv(self) -> int:
        """Number of velocities of its own; 0 for a mimic joint."""
        return self.v_slice.stop - self.v_slice.start

    @property
    def friction_entries(self) -> dict[str, list[Any]]:
        """Dry friction as `RobotBuilder.add` takes it, nv numbers a kind; or an empty dict."""
        rows = zip(*self.friction, strict=True)
        return {kind: list(x) for kind, x in zip(Friction._fields, rows, strict=False)}

    def checked(self, value: Any) -> list[float]:
        """Return coordinates of it as numbers, or raise."""
        what = f"value of joint {self.name!r}"
        q = np.atleast_1d(as_floats(what, value))
        if q.shape != (self.nq,):
            raise ShapeError(f"joint {self.name!r} needs {self.nq} coordinates, got {value!r}.")
        check_finite(what, q)
        if self.quaternion is not None:
            joint_quaternion_norms(f"the {what}", q[-4:], self.name)
        return q.tolist()

    @property
    def is_flat(self) -> bool:
        """Whether its velocities are the rates of its coordinates."""
        return self.type.manifold.is_flat

    @property
    def quaternion(self) -> slice | None:
        """Where in q its quaternion x y z w stands, or None."""
        end = self.q_slice.stop
        return slice(end - 4, end) if self.type.has_quaternion else None


@dataclass(frozen=True, slots=True)
class Body:
    """A moving body; ``placement`` is its pose in the parent body at q = 0."""

    name: str
    parent: int  # index among the bodies, -1 for the ground
    placement: Transform
    inertia: Inertia


@dataclass(frozen=True, slots=True)
class Frame:
    """A named frame fixed to a body (-1: to the ground) at ``placement``."""

    name: str
    body: int
    placement: Transform


def leaves(record: Any) -> Iterator[Any]:
    """Go through all that a record, or a tuple of them, holds."""
    if is_dataclass(record):
        record = tuple(getattr(record, f.name) for f in fields(record))
    if not isinstance(record, tuple):
        yield record
        return
    for part in record:
        yield from leaves(part)


def mapped(record: Any, convert: Callable[[Any], Any]) -> Any:
    """Return a record, or a tuple of them, with everything in it that is neither converted."""
    if isinstance(record, Inertia):
        return Inertia.from_spatial(mapped(record.spatial, convert))
    if isinstance(record, tuple):
        parts = [mapped(x, convert) for x in record]
        return type(record)(*parts) if hasattr(record, "_fields") else tuple(parts)
    if is_dataclass(record) and not isinstance(record, type):
        parts = {f.name: mapped(getattr(record, f.name), convert) for f in fields(record)}
        return replace(record, **parts)
    return convert(record)
