"""What users ask for, checked: tasks, weights, prescribed joints, poses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jounce.dynamics.inverse_kinematics import Task, task_of
from jounce.errors import ArgumentError, ShapeError, UnsupportedError, check_type
from jounce.model.checks import as_floats, check_finite
from jounce.model.directions import in_order
from jounce.model.robot import Robot

ROTATION_TOLERANCE = 1e-6


def checked_task(
    robot: Robot, frame: str, representation: str, names: Sequence[str], prescribed: str = ""
) -> Task:
    """Return the task of a frame that at least one joint moves."""
    check_type("robot", robot, Robot)
    if robot.closures:
        raise UnsupportedError(
            f"inverse kinematics knows trees only and robot {robot.name!r} has closures that it "
            "would open: use jounce.close and jounce.closed_rates, or robot.without_closures()."
        )
    task = task_of(robot, frame, representation, in_order(names), prescribed)
    if not task.free:
        raise UnsupportedError(
            f"no joint that may move carries the frame {frame!r} of robot {robot.name!r}; "
            "choose a frame further out."
        )
    return task


def prescribed_velocities(robot: Robot, joints: str | Sequence[str]) -> list[int]:
    """Return the indices of the velocities of these joints."""
    names = [joints] if isinstance(joints, str) else list(joints)
    found = [robot.joint(name) for name in names]
    for joint in found:
        if joint.mimic is not None:
            raise UnsupportedError(f"joint {joint.name!r} follows another; prescribe that one.")
    return sorted({i for joint in found for i in range(robot.nv)[joint.v_slice]})


def checked_poses(name: str, poses: Any) -> np.ndarray:
    """Return poses ``(*batch, 4, 4)``, rigid to 1e-6."""
    array = as_floats(name, poses)
    if array.ndim < 2 or array.shape[-2:] != (4, 4):
        raise ShapeError(f"{name} must have shape (*batch, 4, 4), got {array.shape}.")
    check_finite(name, array)
    R = array[..., :3, :3]
    with np.errstate(over="ignore", invalid="ignore"):
        error = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(axis=(-1, -2), initial=0.0)
    is_turned = np.linalg.det(R) < 0
    is_bad = ~(error <= ROTATION_TOLERANCE) | is_turned | (array[..., 3, :] != (0, 0, 0, 1)).any(-1)
    if np.any(is_bad):
        where = [int(i) for i in np.argwhere(is_bad)[0]]
        raise ArgumentError(
            f"{name}{where or ''} is not a rigid transform: the upper left 3×3 must be a rotation "
            f"to {ROTATION_TOLERANCE:g} and the last row 0 0 0 1, got "
            f"{array[tuple(where)].tolist()}."
        )
    return np.ascontiguousarray(array)
