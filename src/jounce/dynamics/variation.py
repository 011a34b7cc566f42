"""Coordinates and joint poses with their partials by q, as tangent numbers.

A text that runs on them yields its partials by the tangent increment of `jounce.integrate`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from jounce.algebra.se3 import Transform
from jounce.algebra.so3 import Rotation
from jounce.algebra.tangent import Tangent, partial
from jounce.algebra.vector import Vec3
from jounce.dynamics.motion import LinkMotion, Moving
from jounce.dynamics.rows import Rates, Rows, Scalars
from jounce.model.lowering.tree import Link
from jounce.model.robot import Robot


def varied_configuration(robot: Robot, q: Scalars) -> list[Any]:
    """Give q its partials by the tangent increment."""
    result: list[Any] = []
    for joint in robot.joints:
        own, first = q[joint.q_slice], joint.v_slice.start
        for x, parts in zip(own, joint.type.manifold.by_increments(own), strict=True):
            result.append(Tangent(x, {first + k: part for k, part in parts.items()}))
    return result


def by_coordinates(robot: Robot, q: Scalars, row: Scalars) -> list[Any]:
    """Return partials by the numbers of q from those by increments: ``row Γ⁺``, nq scalars."""
    result: list[Any] = []
    for joint in robot.joints:
        result += joint.type.manifold.by_coordinates(q[joint.q_slice], row[joint.v_slice])
    return result


def varied_rate(rate: Scalars, first: int) -> list[Tangent]:
    """Give a rate its partials; its variables count from ``first``."""
    return [Tangent(x, {first + i: 1.0}) for i, x in enumerate(rate)]


def varied_poses(m: Moving) -> Moving:
    """Return a moving tree whose poses have their partials by q at all times."""
    return replace(m, motions=list(map(_varied_motion, m.links, m.motions)))


def _varied_motion(link: Link, motion: LinkMotion) -> LinkMotion:
    """Return the motion with the variations of the pose by the joint's own velocities."""
    R, p = motion.pose
    where = link.coordinates
    screws = list(enumerate(link.step.screws, start=where.v))

    def varied(start: Vec3, rates: Mapping[int, Vec3]) -> Vec3:
        parts = [{v: x[i] * where.multiplier for v, x in rates.items()} for i in range(3)]
        return Vec3(*map(Tangent, start, parts))

    x, y, z = (varied(r, {v: r.cross(X.angular) for v, X in screws}) for r in R.rows)  # R hat(w)
    position = varied(p, {v: R.rotate(X.linear) for v, X in screws})
    return motion._replace(pose=Transform(Rotation((x, y, z)), position))


def partials(scalars: Iterable[Any], variables: range) -> list[Any]:
    """Return the partials of all scalars, the variable running fastest."""
    return [partial(x, variable) for x in scalars for variable in variables]


def configuration_partials(
    text: Callable[..., Rows], robot: Robot, q: Scalars, rates: Rates, **options: str
) -> Rows:
    """Return the partials of every row of a text by q."""
    rows = text(robot, varied_configuration(robot, q), rates, **options)
    return [partials(row, range(robot.nv)) for row in rows]


def motion_partials(
    text: Callable[..., Rows], robot: Robot, q: Scalars, rates: Rates, **options: str
) -> Rows:
    """Return the partials of every row of a text by q and by every rate, in this order."""
    nv = robot.nv
    varied = [varied_rate(rate, nv * (j + 1)) for j, rate in enumerate(rates)]
    rows = text(robot, varied_configuration(robot, q), varied, **options)
    blocks = [range(nv * j, nv * (j + 1)) for j in range(len(rates) + 1)]
    return [partials(row, block) for row in rows for block in blocks]
