"""Link frames in which constant transforms and inertias have many zeros and ones.

A frame on a joint axis may be turned about and slid along the axis without changing any
force (a prismatic one may be shifted anywhere).  Candidates are the choices that make some
entry vanish, as Denavit and Hartenberg's common normal does; the cheapest is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import atan2, hypot

from jounce.algebra.inertia import SpatialInertia
from jounce.algebra.se3 import IDENTITY, Transform
from jounce.algebra.so3 import IDENTITY as UNROTATED
from jounce.algebra.so3 import Rotation, about_z, from_columns
from jounce.algebra.vector import ZERO, Vec3

ROUNDOFF = 1e-16


def frame_change(
    turns: bool, placement: Transform, inertia: SpatialInertia, children: Sequence[Transform]
) -> Transform:
    """Return the cheapest new frame of a link that turns about z or slides, in its old one."""
    best, lowest = IDENTITY, _cost(IDENTITY, turns, placement, inertia, children)
    for rotation in _rotations(turns, placement, inertia, children):
        for shift in _shifts(turns, placement, inertia, children):
            change = Transform(rotation, shift)
            cost = _cost(change, turns, placement, inertia, children)
            if cost < lowest:
                best, lowest = change, cost
    return best


def turned(placement: Transform) -> tuple[Transform, float]:
    """Split a placement into a sparse one and a turn about z that joins the coordinate."""
    R, p = placement
    if _is_permutation(R):
        return placement, 0.0
    sparse = _with_z(R.columns[2])
    rest = sparse.inverse @ R
    return Transform(sparse, p), atan2(rest.rows[1].x, rest.rows[0].x)


def _rotations(
    turns: bool, placement: Transform, inertia: SpatialInertia, children: Sequence[Transform]
) -> list[Rotation]:
    """Return turns about z that put an axis on a common normal, a child or the centre of mass."""
    directions = [inertia.first_moment]
    for R, p in children:
        u = R.columns[2]
        directions += [Vec3(-u.y, u.x, 0.0), p]
    if not turns:
        directions.append(
            placement.rotation.unrotate(_with_z(placement.rotation.columns[2]).columns[0])
        )
    return [UNROTATED, *(r for d in directions if (r := _x_along(d)) is not None)]


def _shifts(
    turns: bool, placement: Transform, inertia: SpatialInertia, children: Sequence[Transform]
) -> list[Vec3]:
    """Return shifts of the origin that make a translation or a first moment vanish."""
    mass, h, _ = inertia
    if not turns:
        shifts = [ZERO, -placement.rotation.unrotate(placement.p)]
        return [*shifts, h * (1.0 / mass)] if mass > 0.0 else shifts
    u, p = placement.rotation.columns[2], placement.p
    slides = [0.0, *(-a / b for a, b in zip(p, u, strict=True) if abs(b) > 0.1)]
    for R, p_child in children:
        slides += [p_child.z, *_foot(R.columns[2], p_child)]
    return [Vec3(0.0, 0.0, d) for d in dict.fromkeys(slides)]


def _foot(u: Vec3, p: Vec3) -> Iterable[float]:
    """Return the height at which the common normal of z and the line p + t u leaves the z axis."""
    sine2 = u.x * u.x + u.y * u.y
    return [(p.z - u.z * p.dot(u)) / sine2] if sine2 > 0.01 else []


def _cost(
    change: Transform,
    turns: bool,
    placement: Transform,
    inertia: SpatialInertia,
    children: Sequence[Transform],
) -> int:
    """Count multiplications by constants, outwards and inwards, with the link in its new frame."""
    back = change.inverse
    own = cleaned(placement @ change)
    if turns:
        own, _ = turned(own)
    cost = _transform_cost(own) + _inertia_cost(cleaned_inertia(inertia.moved(back)))
    for child in children:  # all children counted as if they could turn
        sparse, _ = turned(cleaned(back @ child))
        cost += _transform_cost(sparse)
    return cost


def _transform_cost(T: Transform) -> int:
    entries = [x for row in T.rotation.rows for x in row]
    return 4 * sum(abs(x) not in (0.0, 1.0) for x in entries) + 4 * sum(x != 0.0 for x in T.p)


def _inertia_cost(inertia: SpatialInertia) -> int:
    mass, h, I = inertia
    diagonal, other = (I.xx, I.yy, I.zz), (I.xy, I.xz, I.yz)
    cost = 3 * (mass != 0.0) + 4 * sum(x != 0.0 for x in h)
    return cost + sum(x != 0.0 for x in diagonal) + 2 * sum(x != 0.0 for x in other)


def _x_along(direction: Vec3) -> Rotation | None:
    x, y = direction.x, direction.y
    length = hypot(x, y)
    if length < 1e-9 or (y == 0.0 and x > 0.0):
        return None
    return about_z(y / length, x / length)


def _with_z(u: Vec3) -> Rotation:
    """Return a rotation with z column ``u`` and as many exact zeros as can be."""
    if u.x == 0.0:
        return from_columns(Vec3(1.0, 0.0, 0.0), Vec3(0.0, u.z, -u.y), u)
    if u.y == 0.0:
        return from_columns(Vec3(u.z, 0.0, -u.x), Vec3(0.0, 1.0, 0.0), u)
    if u.z == 0.0:
        return from_columns(Vec3(-u.y, u.x, 0.0), Vec3(0.0, 0.0, 1.0), u)
    sine = hypot(u.x, u.y)
    x, y = u.x / sine, u.y / sine
    return from_columns(Vec3(-y, x, 0.0), Vec3(-x * u.z, -y * u.z, sine), u)


def _is_permutation(R: Rotation) -> bool:
    return all(abs(x) in (0.0, 1.0) for row in R.rows for x in row)


def cleaned(T: Transform) -> Transform:
    """Drop what is below the round-off of the transform itself."""
    scale = max(map(abs, T.p))
    a, b, c = (Vec3(*(_clean(x, 1.0) for x in row)) for row in T.rotation.rows)
    return Transform(Rotation((a, b, c)), Vec3(*(_clean(x, scale) for x in T.p)))


def cleaned_inertia(inertia: SpatialInertia, whole: SpatialInertia | None = None) -> SpatialInertia:
    """Drop what is below the round-off of the inertia itself, or of the whole it is part of."""
    mass, h, I = inertia
    _, whole_h, whole_I = inertia if whole is None else whole
    largest_h, largest_I = max(map(abs, whole_h)), max(map(abs, whole_I))
    return SpatialInertia(
        mass,
        Vec3(*(_clean(x, largest_h) for x in h)),
        type(I)(*(_clean(x, largest_I) for x in I)),
    )


def _clean(x: float, scale: float) -> float:
    return 0.0 if abs(x) <= ROUNDOFF * scale else x
