"""What the entries of q and v are called, and what they measure.

A name is that of the joint, with an index where it has several coordinates: a number, or what a
ball or free joint has there: ``base[x]`` … ``base[z]`` its position, ``base[qx]`` … ``base[qw]``
its quaternion; ``base[wx]`` … its angular velocity or the torque, ``base[vx]`` … its linear
velocity or the force.
"""

from __future__ import annotations

from collections.abc import Sequence

from jounce.model.records import Joint
from jounce.model.robot import Robot

_QUATERNION, _ANGULAR = ("qx", "qy", "qz", "qw"), ("wx", "wy", "wz")
_POSITIONS = {"spherical": _QUATERNION, "free": ("x", "y", "z", *_QUATERNION)}
_VELOCITIES = {"spherical": _ANGULAR, "free": (*_ANGULAR, "vx", "vy", "vz")}

_POSITION_KINDS = {  # of joints that are not all angles
    "prismatic": ("length",),
    "cylindrical": ("angle", "length"),
    "planar": ("length", "length", "angle"),
    "spherical": ("number",) * 4,
    "free": ("length",) * 3 + ("number",) * 4,
}
_VELOCITY_KINDS = {
    **_POSITION_KINDS,
    "spherical": ("angle",) * 3,
    "free": ("angle",) * 3 + ("length",) * 3,
}


def position_names(robot: Robot) -> tuple[str, ...]:
    """Return a name for every entry of q."""
    return _each([_indexed(j.name, _POSITIONS.get(j.kind, range(j.nq))) for j in _moving(robot)])


def velocity_names(robot: Robot) -> tuple[str, ...]:
    """Return a name for every entry of v."""
    return _each([_indexed(j.name, _VELOCITIES.get(j.kind, range(j.nv))) for j in _moving(robot)])


def position_kinds(robot: Robot) -> tuple[str, ...]:
    """Tell for every entry of q whether it is an "angle", a "length" or a "number"."""
    return _each([_POSITION_KINDS.get(j.kind, ("angle",) * j.nq) for j in _moving(robot)])


def velocity_kinds(robot: Robot) -> tuple[str, ...]:
    """Tell for every entry of v whether it is the rate of an "angle" or of a "length"."""
    return _each([_VELOCITY_KINDS.get(j.kind, ("angle",) * j.nv) for j in _moving(robot)])


def quaternion_slices(robot: Robot) -> tuple[slice, ...]:
    """Return where in q the quaternions x y z w stand."""
    return tuple(slice(j.q_slice.stop - 4, j.q_slice.stop) for j in robot.joints if j.nq != j.nv)


def _moving(robot: Robot) -> list[Joint]:
    """Return the joints with coordinates of their own, unlike those that follow others."""
    return [joint for joint in robot.joints if joint.nq]


def _each(parts: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(entry for part in parts for entry in part)


def _indexed(name: str, indices: Sequence[object]) -> list[str]:
    return [name] if len(indices) == 1 else [f"{name}[{index}]" for index in indices]
