"""Coordinates and joint poses with their partials by q, as tangent numbers.

A text that runs on them yields its partials by the tangent increment of `jounce.integrate`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from jounce.algebra.se3 import Transform
from jounce.algebra.so3 import Rotation, from_quaternion
from jounce.algebra.tangent import Tangent, partial
from jounce.algebra.vector import Vec3
from jounce.dynamics.motion import LinkMotion, Moving
from jounce.dynamics.rows import Rows, Scalars
from jounce.model.lowering.tree import Link
from jounce.model.robot import Robot


def varied_configuration(robot: Robot, q: Scalars) -> list[Any]:
    """Give q its partials by the tangent increment: ``½ q ∘ δ`` for quaternions."""
    result: list[Any] = list(q)
    for joint in robot.joints:
        v, start = joint.v_slice.start, joint.q_slice.start
        if joint.quaternion is None:
            for i in range(joint.nq):
                result[start + i] = Tangent(q[start + i], {v + i: 1.0})
            continue
        end = joint.q_slice.stop
        x, y, z, w = q[end - 4 : end]
        halves = [(w, -z, y), (z, w, -x), (-y, x, w), (-x, -y, -z)]
        for i, half in enumerate(halves):
            parts = {v + k: h * 0.5 for k, h in enumerate(half)}
            result[end - 4 + i] = Tangent(q[end - 4 + i], parts)
        if joint.nv == 6:  # the position does not enter the forces but through loads
            columns = from_quaternion(x, y, z, w).columns
            for i in range(3):
                parts = {v + 3 + k: column[i] for k, column in enumerate(columns)}
                result[start + i] = Tangent(q[start + i], parts)
    return result


def by_coordinates(robot: Robot, q: Scalars, row: Scalars) -> list[Any]:
    """Return partials by the numbers of q from those by increments: ``row Γ⁺``, nq scalars.

    The increment of a quaternion x is ``δ = 2 x⁻¹ ∘ dx``, that of a position ``Rᵀ dp``; along the
    length of a quaternion nothing changes.
    """
    result: list[Any] = [0.0] * robot.nq
    for joint in robot.joints:
        own = row[joint.v_slice]
        if joint.quaternion is not None:
            x, y, z, w = q[joint.q_slice][-4:]
            rows = from_quaternion(x, y, z, w).rows if joint.nv == 6 else ()
            shifted = [r.dot(Vec3(*own[3:])) for r in rows]
            a, b, c = (g * (2.0 / (x * x + y * y + z * z + w * w)) for g in own[:3])
            turned = [w * a - z * b + y * c, z * a + w * b - x * c]
            own = [*shifted, *turned, x * b - y * a + w * c, -(x * a + y * b + z * c)]
        result[joint.q_slice] = own
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
