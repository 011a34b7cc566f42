"""Checks of what users say about the drives of a robot, and the robot without its motors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from jounce.errors import ModelError, ShapeError, UnsupportedError
from jounce.model.checks import as_floats
from jounce.model.robot import Robot


def per_joint(
    robot: Robot, name: str, values: Any, *, infinite: bool = False, zero: Any = False
) -> np.ndarray:
    """Return one positive number a degree of freedom from a number or an array.

    ``zero`` tells where, or whether, zero is allowed too.
    """
    array = as_floats(name, values)
    if array.ndim > 1 or (array.ndim == 1 and array.shape != (robot.nv,)):
        raise ShapeError(f"{name} must be a number or have shape ({robot.nv},), got {array.shape}.")
    array = np.broadcast_to(array, (robot.nv,)).copy()
    may_vanish = np.broadcast_to(zero, (robot.nv,))
    for joint in robot.joints:
        for x, zero in zip(array[joint.v_slice], may_vanish[joint.v_slice], strict=True):
            allowed = x > 0.0 or (zero and x == 0.0)
            if not allowed or (np.isinf(x) and not infinite):
                kind = "zero or positive" if zero else "positive"
                end = " (inf for a rigid joint)" if infinite else " and finite"
                raise ModelError(f"{name} of joint {joint.name!r} must be {kind}{end}, got {x:g}.")
    return array


def joint_of(robot: Robot, chosen: np.ndarray) -> str:
    """Return the name of the first joint that has a velocity chosen in ``(*batch, nv)``."""
    velocity = int(np.argwhere(chosen)[0][-1])
    return next(joint.name for joint in robot.joints if velocity < joint.v_slice.stop)


def require_plain_joints(robot: Robot) -> None:
    """Refuse joints whose coordinates are no angles or lengths: they have no motor angle."""
    if not isinstance(robot, Robot):
        raise TypeError(
            f"robot must be a jounce.Robot, got {type(robot).__name__}; see jounce.load."
        )
    for joint in robot.joints:
        if joint.quaternion is not None:
            raise UnsupportedError(
                f"joint {joint.name!r} is {joint.kind}: elastic drives need joints whose velocity "
                "is the rate of their coordinate. Lock it with robot.with_locked."
            )
        if joint.mimic is not None:
            raise UnsupportedError(
                f"joint {joint.name!r} mimics another one: give its drive explicitly by loading "
                "with mimic=False."
            )


def with_armature(robot: Robot, armature: np.ndarray) -> Robot:
    """Return the robot with these motor inertias on its joints."""
    joints = tuple(
        replace(joint, armature=tuple(float(x) for x in armature[joint.v_slice]))
        for joint in robot.joints
    )
    return replace(robot, joints=joints)


def armature_of(robot: Robot) -> np.ndarray:
    """Return the motor inertias of a robot in the order of v."""
    return np.array([x for joint in robot.joints for x in joint.armature])
