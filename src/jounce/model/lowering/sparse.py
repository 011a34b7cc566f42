"""Link frames in which constant transforms and inertias have many zeros and ones.

A frame on a joint axis may be turned about and slid along the axis without changing any
force (a prismatic one may be shifted anywhere).  Candidates are the choices that make some
entry vanish, as Denavit and Hartenberg's common normal does; the cheapest is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import atan2, hypot
from typing import NamedTuple

from jounce.algebra.inertia import SpatialInertia
from jounce.algebra.se3 import IDENTITY, Transform
from jounce.algebra.so3 import IDENTITY as UNROTATED
from jounce.algebra.so3 import Rotation, about_z, from_columns
from jounce.algebra.vector import ZERO, Vec3

ROUNDOFF = 1e-16


class Surroundings(NamedTuple):
    """What a link is seen from and sees, all in its old frame, in which z is its axis."""

    turns: bool  # about z; else it slides
    placement: Transform
    inertia: SpatialInertia
    children: Sequence[Transform]

    def frame_change(self) -> Transform:
        """Return the cheapest new frame of the link, in its old one."""
        best, lowest = IDENTITY, self._cost(IDENTITY)
        for rotation in self._rotations():
            for shift in self._shifts():
                change = Transform(rotation, shift)
                cost = self._cost(change)
                if cost < lowest:
                    best, lowest = change, cost
        return best

    def _rotations(self) -> list[Rotation]:
        """Return turns about z that put an axis on a common normal, a child or the mass centre."""
        directions = [self.inertia.first_moment]
        for R, p in self.children:
            u = R.columns[2]
            directions += [Vec3(-u.y, u.x, 0.0), p]
        if not self.turns:
            R = self.placement.rotation
            directions.append(R.unrotate(_with_z(R.columns[2]).columns[0]))
        return [UNROTATED, *(r for d in directions if (r := _x_along(d)) is not None)]

    def _shifts(self) -> list[Vec3]:
        """Return shifts of the origin that make a translation or a first moment vanish."""
        (mass, h, _), (R, p) = self.inertia, self.placement
        if not self.turns:
            shifts = [ZERO, -R.unrotate(p)]
            return [*shifts, h * (1.0 / mass)] if mass > 0.0 else shifts
        slides = [0.0, *(-a / b for a, b in zip(p, R.columns[2], strict=True) if abs(b) > 0.1)]
        for R_child, p_child in self.children:
            slides += [p_child.z, *_foot(R_child.columns[2], p_child)]
        return [Vec3(0.0, 0.0, d) for d in dict.fromkeys(slides)]

    def _cost(self, change: Transform) -> int:
        """Count multiplications by constants, outwards and inwards, in the new frame."""
        back = change.inverse
        own = cleaned(self.placement @ change)
        if self.turns:
            own, _ = turned(own)
        moved = cleaned_inertia(self.inertia.moved(back))
        cost = _transform_cost(own) + _inertia_cost(moved)
        for child in self.children:  # all children counted as if they could turn
            sparse, _ = turned(cleaned(back @ child))
            cost += _transform_cost(sparse)
        return cost


def turned(placement: Transform) -> tuple[Transform, float]:
    """Split a placement into a sparse one and a turn about z that joins the coordinate."""
    R, p = placement
    if _is_permutation(R):
        return placement, 0.0
    sparse = _with_z(R.columns[2])
    rest = sparse.inverse @ R
    return Transform(sparse, p), atan2(rest.rows[1].x, rest.rows[0].x)


def _foot(u: Vec3, p: Vec3) -> Iterable[float]:
    """Return the height at which the common normal of z and the line p + t u leaves the z axis."""
    sine2 = u.x * u.x + u.y * u.y
    return [(p.z - u.z * p.dot(u)) / sine2] if sine2 > 0.01 else []


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
