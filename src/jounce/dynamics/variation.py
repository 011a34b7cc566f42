"""Coordinates and joint poses with their partials by q, as tangent numbers.

A text that runs on them yields its partials by the tangent increment of `jounce.integrate`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from jounce.algebra.se3 import Transform
from jounce.algebra.so3 import Rotation
from jounce.algebra.tangent import Tangent, partial
from jounce.algebra.vector import Vec3
from jounce.dynamics.motion import LinkMotion, Moving
from jounce.dynamics.rows import Rows, Scalars
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
    turned: list[list[dict[int, Any]]] = [[{}, {}, {}] for _ in range(3)]
    shifted: list[dict[int, Any]] = [{}, {}, {}]
    for k, X in enumerate(link.step.screws):
        shift = R.rotate(X.linear)
        for i, row in enumerate(R.rows):
            rate = row.cross(X.angular)  # rows of R hat(w)
            for j in range(3):
                turned[i][j][where.v + k] = rate[j] * where.multiplier
            shifted[i][where.v + k] = shift[i] * where.multiplier
    rows = tuple(
        Vec3(*(Tangent(x, parts) for x, parts in zip(row, row_parts, strict=True)))
        for row, row_parts in zip(R.rows, turned, strict=True)
    )
    position = Vec3(*(Tangent(x, parts) for x, parts in zip(p, shifted, strict=True)))
    return motion._replace(pose=Transform(Rotation(rows), position))  # type: ignore[arg-type]


def partials(scalars: Iterable[Any], variables: range) -> list[Any]:
    """Return the partials of all scalars, the variable running fastest."""
    return [partial(x, variable) for x in scalars for variable in variables]


def configuration_partials(
    text: Callable[..., Rows], robot: Robot, q: Scalars, rates: Sequence[Scalars], *rest: Any
) -> Rows:
    """Return the partials of every row of a text by q."""
    rows = text(robot, varied_configuration(robot, q), rates, *rest)
    return [partials(row, range(robot.nv)) for row in rows]


def motion_partials(
    text: Callable[..., Rows], robot: Robot, q: Scalars, rates: Sequence[Scalars], *rest: Any
) -> Rows:
    """Return the partials of every row of a text by q and by every rate, in this order."""
    nv = robot.nv
    varied = [varied_rate(rate, nv * (j + 1)) for j, rate in enumerate(rates)]
    rows = text(robot, varied_configuration(robot, q), varied, *rest)
    blocks = [range(nv * j, nv * (j + 1)) for j in range(len(rates) + 1)]
    return [partials(row, block) for row in rows for block in blocks]
