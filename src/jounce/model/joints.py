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

from dataclasses import dataclass
from math import hypot, isfinite
from typing import Any

from jounce.algebra.so3 import frame_with_z, normalized
from jounce.algebra.vector import ZERO, Vec3
from jounce.errors import ModelError, ShapeError

SIZES = {
    "revolute": (1, 1),
    "continuous": (1, 1),
    "prismatic": (1, 1),
    "helical": (1, 1),
    "cylindrical": (2, 2),
    "universal": (2, 2),
    "planar": (3, 3),
    "spherical": (4, 3),
    "free": (7, 6),
    "fixed": (0, 0),
}


@dataclass(frozen=True, slots=True)
class Primitive:
    """One step of a joint: a motion along or about one axis, or a ball, or a free body."""

    motion: str  # revolute, prismatic, helical, cylindrical, spherical, free
    axis: Vec3 = Vec3(0.0, 0.0, 1.0)
    point: Vec3 = ZERO
    pitch: float = 0.0

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return SIZES[self.motion][0]

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return SIZES[self.motion][1]


@dataclass(frozen=True, slots=True)
class JointType:
    """A kind of joint with its geometry, in the frame of the child body."""

    kind: str
    axes: tuple[Vec3, ...] = ()
    point: Vec3 = ZERO
    pitch: float = 0.0

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return SIZES[self.kind][0]

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return SIZES[self.kind][1]

    @property
    def primitives(self) -> tuple[Primitive, ...]:
        """The chain of primitive motions this joint is made of, parent side first."""
        if self.kind == "fixed":
            return ()
        if self.kind in ("spherical", "free"):
            return (Primitive(self.kind, point=self.point),)
        if self.kind == "universal":
            return tuple(Primitive("revolute", axis, self.point) for axis in self.axes)
        if self.kind == "planar":
            first, second, normal = frame_with_z(self.axes[0]).columns
            turn = Primitive("revolute", normal, self.point)
            return (Primitive("prismatic", first), Primitive("prismatic", second), turn)
        motion = "revolute" if self.kind == "continuous" else self.kind
        return (Primitive(motion, self.axes[0], self.point, self.pitch),)


def revolute(axis: Any, *, point: Any = ZERO) -> JointType:
    """Turn about ``axis`` through ``point``."""
    return JointType("revolute", (unit_axis(axis),), finite_vec3("point", point))


def continuous(axis: Any, *, point: Any = ZERO) -> JointType:
    """Turn about ``axis`` without end."""
    return JointType("continuous", (unit_axis(axis),), finite_vec3("point", point))


def prismatic(axis: Any) -> JointType:
    """Slide along ``axis``."""
    return JointType("prismatic", (unit_axis(axis),))


def helical(axis: Any, pitch: Any, *, point: Any = ZERO) -> JointType:
    """Turn about ``axis`` and advance along it by ``pitch`` metres per radian."""
    advance = plain(pitch, "pitch of a helical joint")
    if isinstance(advance, float) and not isfinite(advance):
        raise ModelError(f"pitch of a helical joint must be finite, got {pitch!r}.")
    return JointType("helical", (unit_axis(axis),), finite_vec3("point", point), advance)


def cylindrical(axis: Any, *, point: Any = ZERO) -> JointType:
    """Turn about ``axis`` and slide along it, independently."""
    return JointType("cylindrical", (unit_axis(axis),), finite_vec3("point", point))


def universal(axis1: Any, axis2: Any, *, point: Any = ZERO) -> JointType:
    """Turn about ``axis1``, then about ``axis2`` carried along; both through ``point``."""
    axes = (unit_axis(axis1), unit_axis(axis2))
    if hypot(*axes[0].cross(axes[1])) < 1e-9:
        raise ModelError(
            f"the axes of a universal joint must not be parallel, got {axis1}, {axis2}."
        )
    return JointType("universal", axes, finite_vec3("point", point))


def planar(normal: Any) -> JointType:
    """Slide in the plane normal to ``normal`` and turn about it.

    The two directions are the x and y that follow z = normal: (x, y) for z, (y, z) for x,
    (z, x) for y.
    """
    return JointType("planar", (unit_axis(normal),))


def spherical(*, point: Any = ZERO) -> JointType:
    """Turn freely about ``point``."""
    return JointType("spherical", (), finite_vec3("point", point))


def free() -> JointType:
    """Move freely: a floating base."""
    return JointType("free")


def fixed() -> JointType:
    """Do not move: the body is merged into its parent and stays as a frame."""
    return JointType("fixed")


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


def finite_vec3(what: str, values: Any) -> Vec3:
    """Return three scalars as floats (symbols stay what they are)."""
    try:
        items = list(values)
    except TypeError:
        raise ShapeError(f"{what} must have 3 components, got {values!r}.") from None
    if len(items) != 3:
        raise ShapeError(f"{what} must have 3 components, got {len(items)}: {items}.")
    vector = Vec3(*(plain(a, what) for a in items))
    if any(isinstance(a, float) and not isfinite(a) for a in vector):
        raise ModelError(f"{what} must be finite, got {tuple(vector)}.")
    return vector


def plain(x: Any, what: str = "a number of the robot") -> Any:
    """Return a number as a Python float without negative zero; symbols stay as they are.

    Symbols are whatever else can be added and multiplied: SymPy, traced values, mpmath.
    """
    if isinstance(x, float):
        return float(x) + 0.0
    if isinstance(x, str | bytes | bool | complex) or not hasattr(x, "__mul__"):
        raise ModelError(f"{what} must be a number, got {x!r}.")
    if getattr(x, "shape", ()) != ():
        raise ShapeError(f"{what} must be a single number, got an array of shape {x.shape}.")
    if isinstance(x, list | tuple):
        raise ShapeError(f"{what} must be a single number, got {x!r}.")
    return float(x) + 0.0 if isinstance(x, int) or hasattr(x, "dtype") else x


def repeated(given: Any, count: int) -> list[Any]:
    """Return the entries of a list or array; a single number stands for all of them."""
    if isinstance(given, list | tuple) or getattr(given, "ndim", 0):
        return list(given)
    return [given] * count
