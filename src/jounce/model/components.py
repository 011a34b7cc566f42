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


def position_names(robot: Robot) -> tuple[str, ...]:
    """Return a name for every entry of q."""
    return _each([_indexed(j, j.type.row.position_labels or range(j.nq)) for j in _moving(robot)])


def velocity_names(robot: Robot) -> tuple[str, ...]:
    """Return a name for every entry of v."""
    return _each([_indexed(j, j.type.row.velocity_labels or range(j.nv)) for j in _moving(robot)])


def position_kinds(robot: Robot) -> tuple[str, ...]:
    """Tell for every entry of q whether it is an "angle", a "length" or a "number"."""
    return _each([joint.type.row.positions for joint in _moving(robot)])


def velocity_kinds(robot: Robot) -> tuple[str, ...]:
    """Tell for every entry of v whether it is the rate of an "angle" or of a "length"."""
    return _each([joint.type.row.velocities for joint in _moving(robot)])


def _moving(robot: Robot) -> list[Joint]:
    """Return the joints with coordinates of their own, unlike those that follow others."""
    return [joint for joint in robot.joints if joint.nq]


def _each(parts: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(entry for part in parts for entry in part)


def _indexed(joint: Joint, indices: Sequence[object]) -> list[str]:
    return [joint.name] if len(indices) == 1 else [f"{joint.name}[{index}]" for index in indices]
