"""How coordinates and velocities are called: as their joint, with an index where it has several.

The index is a number, or what a ball or free joint has there: ``base[x]`` … ``base[z]`` its
position, ``base[qx]`` … ``base[qw]`` its quaternion; ``base[wx]`` … its angular velocity or the
torque, ``base[vx]`` … its linear velocity or the force.
"""

from __future__ import annotations

from collections.abc import Sequence

from jounce.model.robot import Robot

_QUATERNION, _ANGULAR = ("qx", "qy", "qz", "qw"), ("wx", "wy", "wz")
_POSITIONS = {"spherical": _QUATERNION, "free": ("x", "y", "z", *_QUATERNION)}
_VELOCITIES = {"spherical": _ANGULAR, "free": (*_ANGULAR, "vx", "vy", "vz")}


def position_names(robot: Robot) -> tuple[str, ...]:
    """Return a name for every entry of q."""
    return tuple(
        name
        for joint in robot.joints
        if joint.nq
        for name in _indexed(joint.name, _POSITIONS.get(joint.kind, range(joint.nq)))
    )


def velocity_names(robot: Robot) -> tuple[str, ...]:
    """Return a name for every entry of v."""
    return tuple(
        name
        for joint in robot.joints
        if joint.nv
        for name in _indexed(joint.name, _VELOCITIES.get(joint.kind, range(joint.nv)))
    )


def _indexed(name: str, indices: Sequence[object]) -> list[str]:
    return [name] if len(indices) == 1 else [f"{name}[{index}]" for index in indices]
