"""What of a robot can be drawn from its model alone: sticks, joints, inertia ellipsoids."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from jounce.algebra.rigid import continuous, join, quaternion_of
from jounce.model.inertia import Inertia
from jounce.model.robot import Robot

_SAME = 1e-6  # m; points that close are one


class Ellipsoid(NamedTuple):
    """A solid ellipsoid: centre, rotation whose columns are its axes, semi-axes."""

    center: np.ndarray
    rotation: np.ndarray
    radii: np.ndarray


def equivalent_ellipsoid(inertia: Inertia) -> Ellipsoid | None:
    """Return the homogeneous ellipsoid with the same mass, centre and inertia.

    A homogeneous ellipsoid of mass m with semi-axes a, b, c has the principal moments
    ``m (b² + c²) / 5``, ``m (c² + a²) / 5``, ``m (a² + b²) / 5``, hence
    ``a² = 5 (tr Θ − 2 Θ_a) / (2 m)``.  Where no body can have these moments a square is
    negative: it counts as zero.  A body without mass has none.
    """
    if inertia.mass <= 0.0:
        return None
    moments, axes = np.linalg.eigh(np.array(inertia.rotational, dtype=float))
    squares = 2.5 * (moments.sum() - 2.0 * moments) / inertia.mass
    axes[:, 2] *= np.sign(np.linalg.det(axes))  # right-handed
    return Ellipsoid(np.array(inertia.com, dtype=float), axes, np.sqrt(np.maximum(squares, 0.0)))


def skeleton(robot: Robot) -> dict[str, Any]:
    """Return the drawing as plain data, with points in the frames of the bodies.

    ``bodies`` has an entry for every body and, last, one for the ground.  Each has ``name``,
    ``parent`` (-1: the ground), ``joint`` (the point where its joint is), ``axes`` (of the
    joint), ``held`` (whether a stick leads from the joint of the parent to its own: not for
    a free body), ``tips`` (ends of further sticks that start at its joint) and ``ellipsoid``.
    ``up`` is up on the page: against gravity, z without any.
    """
    gravity = np.array(robot.gravity, dtype=float)
    length = np.linalg.norm(gravity)
    up = -gravity / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    bodies = [_body(robot, i) for i in (*range(robot.n_bodies), -1)]
    return {"bodies": bodies, "up": up.tolist()}


def placements(poses: np.ndarray) -> np.ndarray:
    """Return ``(samples, bodies, 7)``: position and quaternion x y z w of poses 4 × 4.

    Signs are such that a quaternion never jumps to the opposite one between two samples.
    """
    return join(poses[..., :3, 3], continuous(quaternion_of(poses[..., :3, :3])))


def _body(robot: Robot, index: int) -> dict[str, Any]:
    """Return the entry of a body, or of the ground (-1), whose joint is its origin."""
    body, kind = (robot.bodies[index], robot.joints[index].type) if index >= 0 else (None, None)
    start = np.array(kind.point if kind else (0.0, 0.0, 0.0), dtype=float)
    inertia = body.inertia if body else robot.base_inertia
    tips = _tips(robot, index, start)
    com = np.array(inertia.com, dtype=float)
    is_leaf = body is not None and index not in robot.parents
    if is_leaf and not tips and inertia.mass > 0.0 and _apart(com, start):
        tips = [com.tolist()]
    ellipsoid = equivalent_ellipsoid(inertia)
    return {
        "name": body.name if body else robot.base_name,
        "parent": body.parent if body else -1,
        "joint": start.tolist(),
        "axes": [[float(x) for x in axis] for axis in kind.axes] if kind else [],
        "held": kind is not None and not kind.is_free,
        "tips": tips,
        "ellipsoid": ellipsoid and {name: x.tolist() for name, x in ellipsoid._asdict().items()},
    }


def _tips(robot: Robot, index: int, start: np.ndarray) -> list[list[float]]:
    """Return where the frames of a body are, each place once."""
    tips: list[np.ndarray] = []
    for frame in robot.frames:
        if frame.body != index:
            continue
        point = np.array(frame.placement.p, dtype=float)
        if all(_apart(point, other) for other in (start, np.zeros(3), *tips)):
            tips.append(point)
    return [tip.tolist() for tip in tips]


def _apart(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.linalg.norm(a - b) > _SAME)
