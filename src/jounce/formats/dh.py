"""Robots given by Denavit–Hartenberg rows, in the standard or the modified convention."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import cos, isfinite, sin
from typing import Any

from jounce.algebra.se3 import Transform
from jounce.algebra.so3 import Rotation, about_z
from jounce.algebra.vector import ZERO, Vec3
from jounce.errors import ArgumentError, ModelError, NotFiniteError, ShapeError
from jounce.formats.screws import add_links, entries
from jounce.model import joints as kinds
from jounce.model.builder import STANDARD_GRAVITY, RobotBuilder
from jounce.model.inertia import Inertia
from jounce.model.joints import JointType
from jounce.model.robot import Robot

RIGHT_ANGLE_ROUNDOFF = 1e-15  # sines and cosines below it are those of a multiple of π/2


@dataclass(frozen=True, slots=True)
class DH:
    """One row: link length, link twist, link offset, joint angle; the joint adds to one of them.

    A revolute joint moves at the angle ``theta + q``, a prismatic one at the offset ``d + q``.
    In the modified convention ``a`` and ``alpha`` are those of the link before (Craig's
    a_{i−1}, α_{i−1}).

    >>> DH(a=0.4318, d=0.15)
    DH(a=0.4318, alpha=0.0, d=0.15, theta=0.0, joint='revolute')
    """

    a: float = 0.0
    alpha: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    joint: str = "revolute"


def from_dh(
    rows: Sequence[Any],
    inertias: Sequence[Inertia],
    *,
    convention: str = "standard",
    gravity: Any = STANDARD_GRAVITY,
    strict: bool = True,
    names: Sequence[str] | None = None,
    name: str = "robot",
) -> Robot:
    """Build a serial robot from one DH row and one inertia a link.

    A row is a `DH`, a mapping with its fields, or a tuple (a, alpha, d, theta[, joint]).  The
    pose of link i in link i − 1 is ``Rz(theta) Tz(d) Tx(a) Rx(alpha)`` (standard) or
    ``Rx(alpha) Tx(a) Rz(theta) Tz(d)`` (modified).  Body frame i is DH frame i, so in the
    standard convention it sits at the far end of the link and its joint axis is z of frame
    i − 1; inertias are given in it.

    >>> import jounce
    >>> rod = jounce.Inertia(1.0, (-0.5, 0, 0), [[0, 0, 0], [0, 0.1, 0], [0, 0, 0.1]])
    >>> jounce.from_dh([(1.0, 0, 0, 0), jounce.DH(a=1.0)], [rod, rod]).nv
    2
    """
    if not isinstance(convention, str) or convention not in ("standard", "modified"):
        raise ArgumentError(f"convention must be 'standard' or 'modified', got {convention!r}.")
    records = [dh_row(row, f"rows[{i}]") for i, row in enumerate(entries("rows", rows))]
    links = [(i - 1, *_link(row, convention)) for i, row in enumerate(records)]
    builder = RobotBuilder(name, gravity)
    add_links(builder, links, "rows", inertias, names)
    return builder.build(strict=strict)


def dh_row(row: Any, what: str = "row") -> DH:
    """Return a row as a checked DH record of floats."""
    known = [f.name for f in fields(DH)]
    if isinstance(row, Mapping):
        unknown = [key for key in row if key not in known]
        if unknown:
            raise ModelError(f"{what} has the entry {unknown[0]!r}; known: {', '.join(known)}.")
        row = DH(**row)
    elif not isinstance(row, DH):
        items = list(row) if isinstance(row, Iterable) else [row]
        if len(items) not in (4, 5):
            raise ShapeError(
                f"{what} must be (a, alpha, d, theta) or (a, alpha, d, theta, joint), got {row!r}."
            )
        row = DH(*items)
    if not isinstance(row.joint, str) or row.joint not in ("revolute", "prismatic"):
        raise ModelError(f"{what}: joint must be 'revolute' or 'prismatic', got {row.joint!r}.")
    a, alpha, d, theta = (_number(row, key, what) for key in known[:4])
    return DH(a, alpha, d, theta, row.joint)


def _number(row: DH, key: str, what: str) -> float:
    try:
        value = float(getattr(row, key)) + 0.0
    except (TypeError, ValueError, OverflowError):
        message = f"{what}: {key} must be a number, got {getattr(row, key)!r:.60}."
        raise ModelError(message) from None
    if not isfinite(value):
        raise NotFiniteError(f"{what}: {key} is {value}; all values must be finite.")
    return value


def _link(row: DH, convention: str) -> tuple[JointType, Transform]:
    """Return the joint, with its axis in frame i, and the pose of frame i in frame i − 1."""
    s, c = _sincos(row.alpha)
    about_x = Rotation((Vec3(1.0, 0.0, 0.0), Vec3(0.0, c, -s), Vec3(0.0, s, c)))
    twist = Transform(about_x, Vec3(row.a, 0.0, 0.0))
    turn = Transform(about_z(*_sincos(row.theta)), Vec3(0.0, 0.0, row.d))
    if convention == "standard":
        axis, point = Vec3(0.0, s, c), Vec3(-row.a, 0.0, 0.0)  # z of frame i − 1 meets x at −a
    else:
        axis, point = Vec3(0.0, 0.0, 1.0), ZERO
    joint = kinds.prismatic(axis) if row.joint == "prismatic" else kinds.revolute(axis, point=point)
    return joint, turn @ twist if convention == "standard" else twist @ turn


def _sincos(angle: float) -> tuple[float, float]:
    """Sine and cosine, exact at multiples of π/2, so that constant geometry stays sparse."""
    s, c = sin(angle), cos(angle)
    if abs(s) < RIGHT_ANGLE_ROUNDOFF:
        return 0.0, round(c) + 0.0
    return (round(s) + 0.0, 0.0) if abs(c) < RIGHT_ANGLE_ROUNDOFF else (s, c)
