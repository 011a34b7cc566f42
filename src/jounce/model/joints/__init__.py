"""Kinds of joints: what a joint between two bodies lets move.

Axes and points are given in the frame of the child body; a joint moves the child from its
placement C at q = 0 to ``C exp(X q)``.  ``nq`` coordinates, ``nv`` velocities:

====================================  ======  ==========================================
revolute, continuous, prismatic       1, 1    angle in rad, length in m
helical                               1, 1    angle; ``pitch`` in m/rad advances along it
cylindrical                           2, 2    angle, then length along the same axis
universal                             2, 2    angle about axis 1, then about axis 2
planar                                3, 3    two lengths in the plane, then the angle
spherical                             4, 3    quaternion x y z w; angular velocity in child
free                                  7, 6    position, quaternion; twist (ω, v) in child
fixed                                 0, 0    merged into the parent
====================================  ======  ==========================================
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import hypot, isfinite
from typing import Any

from jounce.algebra.so3 import normalized
from jounce.algebra.vector import ZERO, Vec3
from jounce.errors import ModelError
from jounce.model.checks import finite_vec3, plain
from jounce.model.joints.kinds import KINDS as KINDS
from jounce.model.joints.kinds import JointType as JointType


def revolute(axis: Any, *, point: Any = ZERO) -> JointType:
    """Turn about ``axis`` through ``point``."""
    return of_kind("revolute", (axis,), point)


def continuous(axis: Any, *, point: Any = ZERO) -> JointType:
    """Turn about ``axis`` without end."""
    return of_kind("continuous", (axis,), point)


def prismatic(axis: Any) -> JointType:
    """Slide along ``axis``."""
    return of_kind("prismatic", (axis,))


def helical(axis: Any, pitch: Any, *, point: Any = ZERO) -> JointType:
    """Turn about ``axis`` and advance along it by ``pitch`` metres per radian."""
    return of_kind("helical", (axis,), point, pitch)


def cylindrical(axis: Any, *, point: Any = ZERO) -> JointType:
    """Turn about ``axis`` and slide along it, independently."""
    return of_kind("cylindrical", (axis,), point)


def universal(axis1: Any, axis2: Any, *, point: Any = ZERO) -> JointType:
    """Turn about ``axis1``, then about ``axis2`` carried along; both through ``point``."""
    return of_kind("universal", (axis1, axis2), point)


def planar(normal: Any) -> JointType:
    """Slide in the plane normal to ``normal`` and turn about it.

    The two directions are the x and y that follow z = normal: (x, y) for z, (y, z) for x,
    (z, x) for y.
    """
    return of_kind("planar", (normal,))


def spherical(*, point: Any = ZERO) -> JointType:
    """Turn freely about ``point``."""
    return of_kind("spherical", (), point)


def free() -> JointType:
    """Move freely: a floating base."""
    return of_kind("free", ())


def fixed() -> JointType:
    """Do not move: the body is merged into its parent and stays as a frame."""
    return of_kind("fixed", ())


def of_kind(kind: str, axes: Sequence[Any], point: Any = ZERO, pitch: Any = 0.0) -> JointType:
    """Return a joint by the name of its kind; what the kind does not have must be left out."""
    if kind not in KINDS:
        raise ModelError(f"unknown joint kind {kind!r}; known: {', '.join(KINDS)}.")
    row = KINDS[kind]
    if len(axes) != row.axes:
        raise ModelError(f"a {kind} joint has {row.axes} axes, got {len(axes)}.")
    if not row.has_pitch and pitch != 0.0:
        raise ModelError(f"a {kind} joint has no pitch, got {pitch!r}.")
    if not row.has_point and any(x != 0.0 for x in point):
        raise ModelError(f"a {kind} joint has no point, got {point!r}.")
    advance = plain(pitch, f"pitch of a {kind} joint")
    if isinstance(advance, float) and not isfinite(advance):
        raise ModelError(f"pitch of a {kind} joint must be finite, got {pitch!r}.")
    units = tuple(map(unit_axis, axes))
    if any(hypot(*a.cross(b)) < 1e-9 for a, b in pairwise(units)):
        shown = ", ".join(map(str, axes))
        raise ModelError(f"the axes of a {kind} joint must not be parallel, got {shown}.")
    return JointType(kind, units, finite_vec3("point", point), advance)


def unit_axis(axis: Any) -> Vec3:
    """Return ``axis`` at unit length, or an error that says what is wrong with it."""
    vector = finite_vec3("axis", axis)
    try:
        length = hypot(*(float(a) for a in vector))
    except TypeError:
        raise ModelError(
            f"a joint axis must be numbers, got {tuple(vector)}; symbols belong into the "
            "placement of the body."
        ) from None
    if length < 1e-12:
        raise ModelError(f"a joint axis must not be zero, got {tuple(vector)}.")
    if abs(length - 1.0) < 1e-15:  # so that normalising twice changes nothing
        return vector
    return Vec3(*(a + 0.0 for a in normalized(vector)))
