"""Robots given by joint screws and reference poses: product of exponentials, both kinds.

A screw is (ω, v), angular part first.  With |ω| = 1 the joint turns about the line of direction
ω through ``ω × v`` and advances by the pitch ``h = ω · v`` per radian; with ω = 0 and |v| = 1
it slides along v.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jounce.algebra.se3 import Motion, Transform
from jounce.algebra.vector import Vec3
from jounce.errors import ArgumentError, ModelError, ShapeError
from jounce.model import joints as kinds
from jounce.model.builder import STANDARD_GRAVITY, RobotBuilder
from jounce.model.checks import check_finite, of_type, rigid_transform
from jounce.model.inertia import Inertia
from jounce.model.joints import JointType
from jounce.model.robot import Robot

UNIT_TOLERANCE = 1e-6
ZERO_ROTATION = 1e-9
ZERO_PITCH = 1e-9  # relative to 1 + |v|


def from_screws(
    screws: Any,
    placements: Any,
    inertias: Sequence[Inertia],
    *,
    parents: Sequence[int] | None = None,
    representation: str = "body",
    gravity: Any = STANDARD_GRAVITY,
    names: Sequence[str] | None = None,
    strict: bool = True,
    name: str = "robot",
) -> Robot:
    """Build a robot from one screw, one placement and one inertia a body.

    ``representation="body"``: X_i in the frame of body i, placement B_i of body i in its parent
    at q = 0, ``C_i = C_parent B_i exp(X_i q_i)``.  ``"spatial"``: Y_i and placements
    A_i in the world at q = 0, ``C_i = exp(Y_1 q_1) … exp(Y_i q_i) A_i`` over the ancestors.
    ``parents[i] < i`` is the parent of body i, −1 the ground; a serial chain unless given.
    Inertias are in the body frames.

    >>> import jounce
    >>> rod = jounce.Inertia(1.0, (0.5, 0, 0), [[0, 0, 0], [0, 0.1, 0], [0, 0, 0.1]])
    >>> robot = jounce.from_screws([[0, 0, 1, 0, 0, 0]], [[[1, 0, 0, 0], [0, 1, 0, 0],
    ...     [0, 0, 1, 0], [0, 0, 0, 1]]], [rod], gravity=(0, -9.80665, 0))
    >>> robot.joints[0].kind
    'revolute'
    """
    twists = _screws(screws)
    given = entries("placements", placements, len(twists), "screws")
    poses = [rigid_transform(T, f"placements[{i}]") for i, T in enumerate(given)]
    tree = serial_or_checked(parents, len(twists))
    if not isinstance(representation, str) or representation not in ("body", "spatial"):
        raise ArgumentError(f"representation must be 'body' or 'spatial', got {representation!r}.")
    if representation == "spatial":
        twists = [A.pull(Y) for A, Y in zip(poses, twists, strict=True)]
        poses = [A if i < 0 else poses[i].inverse @ A for i, A in zip(tree, poses, strict=True)]
    joints = [screw_joint(X, f"screws[{i}]") for i, X in enumerate(twists)]
    links = [*zip(tree, joints, poses, strict=True)]
    builder = RobotBuilder(name, gravity)
    add_links(builder, links, "screws", inertias, names)
    return builder.build(strict=strict)


def add_links(
    builder: RobotBuilder,
    links: Sequence[tuple[int, JointType, Transform]],
    given_as: str,
    inertias: Any,
    names: Any,
) -> None:
    """Add links with parent, joint and placement each; their names are ``body_0 …`` if None."""
    n = len(links)
    matter = entries("inertias", inertias, n, given_as)
    for i, inertia in enumerate(matter):
        of_type(inertia, Inertia, f"inertias[{i}]", "jounce.Inertia(mass, com, rotational)")
    labels = [f"body_{i}" for i in range(n)] if names is None else entries("names", names)
    if len(labels) != n:
        raise ShapeError(f"the robot has {n} bodies, but {len(labels)} names were given.")
    for label, inertia, (i, joint, placement) in zip(labels, matter, links, strict=True):
        builder.add(label, labels[i] if i >= 0 else None, joint, placement, inertia)


def screw_joint(screw: Motion, what: str = "screw") -> JointType:
    """Return the revolute, helical or prismatic joint of a screw (ω, v) in the child frame."""
    w, v = np.array(screw.angular, float), np.array(screw.linear, float)
    turn, slide = float(np.linalg.norm(w)), float(np.linalg.norm(v))
    rotates = turn > ZERO_ROTATION
    length, part = (turn, "|ω|") if rotates else (slide, "|v|")
    if abs(length - 1.0) > UNIT_TOLERANCE:
        raise ModelError(
            f"{what} must be a unit screw (ω, v): |ω| = 1, or ω = 0 and |v| = 1; it has "
            f"{part} = {length:.9g}. Divide the screw by it and scale q, or check that the angular "
            "part comes first."
        )
    if not rotates:
        return kinds.prismatic(v)
    w, v = w / turn, v / turn
    pitch = float(w @ v)
    point = np.cross(w, v)  # of the axis, nearest to the origin
    if abs(pitch) <= ZERO_PITCH * (1.0 + slide):
        return kinds.revolute(w, point=point)
    return kinds.helical(w, pitch, point=point)


def serial_or_checked(parents: Sequence[int] | None, n: int) -> tuple[int, ...]:
    """Return the parents as integers, those of a serial chain if None."""
    if parents is None:
        return tuple(range(-1, n - 1))
    given = entries("parents", parents, n, "screws")
    for i, parent in enumerate(given):
        if not isinstance(parent, int | np.integer) or not -1 <= parent < i:
            raise ModelError(
                f"parents[{i}] is {parent!r}; the parent of body {i} must be −1 (ground) or a "
                f"body before it, 0 to {i - 1}: list parents before their children."
                if i
                else f"parents[0] is {parent!r}; the first body must hang on the ground, −1."
            )
    return tuple(int(parent) for parent in given)


def entries(what: str, given: Any, count: int | None = None, of: str = "") -> list[Any]:
    """Return what is given as a list, one entry a body, as many as there are ``of`` others."""
    if isinstance(given, str | bytes) or not getattr(given, "ndim", hasattr(given, "__len__")):
        raise ShapeError(f"{what} must be a list with one entry a body, got {given!r:.60}.")
    items = list(given)
    if count not in (None, len(items)):
        raise ShapeError(f"{count} {of} were given, but {len(items)} {what}; one each is needed.")
    return items


def _screws(screws: Any) -> list[Motion]:
    try:
        rows = np.asarray(screws, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        raise ShapeError(f"screws must be an (n, 6) array of numbers: {error}.") from error
    if rows.ndim != 2 or rows.shape[1] != 6:
        raise ShapeError(f"screws must have shape (n, 6), (ω, v) each, got {rows.shape}.")
    check_finite("screws", rows)
    return [Motion(Vec3(*row[:3]), Vec3(*row[3:])) for row in rows.tolist()]
