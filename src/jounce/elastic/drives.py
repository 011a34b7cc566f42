"""What all robots with drives share: checks of what users say, links without motors, the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from jounce.api.call import Wrench, Wrenches, as_wrenches, loaded_kernel
from jounce.errors import (
    ArgumentError,
    ModelError,
    NotFiniteError,
    ShapeError,
    UnsupportedError,
    check_type,
)
from jounce.model.checks import as_floats, checked, checked_configuration
from jounce.model.robot import Robot
from jounce.trajectory.protocol import Trajectory

NAMES = "qvajs"
FEWEST = 5  # q … q⁽⁴⁾: the torque of a motor needs the second derivative of the joint torque


def coupled(
    links: Robot, groups: tuple[Any, ...], torques: np.ndarray, wrenches: Wrenches
) -> np.ndarray:
    """Return a, a', ... and θ'', θ''', ... for the torques and their derivatives.

    ``groups`` are the arguments of `jounce.dynamics.elastic.elastic_coupled` before the torques;
    ``wrenches`` act on the links.
    """
    kernel, loads = loaded_kernel(links, "elastic_coupled", len(torques) - 1, wrenches)
    return kernel(*groups, torques, *loads)


def with_armature(robot: Robot, armature: np.ndarray) -> Robot:
    """Return the robot with these motor inertias on its joints."""
    joints = tuple(
        replace(joint, armature=tuple(float(x) for x in armature[joint.v_slice]))
        for joint in robot.joints
    )
    return replace(robot, joints=joints)


def joint_of(robot: Robot, chosen: np.ndarray) -> str:
    """Return the name of the first joint that has a velocity chosen in ``(*batch, nv)``."""
    velocity = int(np.argwhere(chosen)[0][-1])
    return next(joint.name for joint in robot.joints if velocity < joint.v_slice.stop)


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
    allowed = (array > 0.0) | (may_vanish & (array == 0.0))
    wrong = ~allowed if infinite else ~allowed | np.isinf(array)
    if wrong.any():
        k = int(np.argmax(wrong))
        kind = "zero or positive" if may_vanish[k] else "positive"
        end = " (inf for a rigid joint)" if infinite else " and finite"
        joint = joint_of(robot, wrong)
        raise ModelError(f"{name} of joint {joint!r} must be {kind}{end}, got {array[k]:g}.")
    return array


def require_plain_joints(robot: Robot, *, quaternions: bool = False) -> None:
    """Refuse joints that cannot have a motor behind a spring, but for those with quaternions."""
    check_type("robot", robot, Robot)
    for joint in robot.joints:
        if not joint.is_flat and not quaternions:
            raise UnsupportedError(
                f"joint {joint.name!r} is {joint.kind}: elastic drives need joints whose velocity "
                "is the rate of their coordinate. Lock it with robot.with_locked."
            )
        if joint.mimic is not None:
            raise UnsupportedError(
                f"joint {joint.name!r} mimics another one: give its drive explicitly by loading "
                "with mimic=False."
            )


def checked_motion(robot: Robot, motion: Sequence[Any]) -> list[np.ndarray]:
    """Return q and its rates as arrays; at least four rates."""
    if len(motion) < FEWEST:
        raise ShapeError(
            "the motion must be given to its fourth derivative: q, v, a, j, s; the motor torque "
            f"depends on the second derivative of the joint torque. Got {len(motion)} arrays."
        )
    rates = enumerate(motion[1:], 1)
    return [
        checked_configuration(robot, motion[0]),
        *(checked(NAMES[k] if k < FEWEST else f"rate {k}", x, robot.nv) for k, x in rates),
    ]


def checked_trajectory(robot: Robot, trajectory: Any) -> Trajectory:
    """Return the trajectory if it moves as many coordinates as the robot has."""
    if not callable(trajectory):
        raise ArgumentError(f"trajectory must be callable, got {type(trajectory).__name__}.")
    n = getattr(trajectory, "n", robot.nq)
    if n != robot.nq:
        raise ShapeError(f"the trajectory moves {n} coordinates, the robot has {robot.nq}.")
    return trajectory  # pyright: ignore[reportReturnType]


def plain_state(robot: Robot, state: Any, names: tuple[str, ...]) -> list[np.ndarray]:
    """Return copies of the parts of one state: q, then others as long as the velocity."""
    holds = f"the state must hold {', '.join(names)}, got"
    if not isinstance(state, Sequence | np.ndarray):
        raise ShapeError(f"{holds} {type(state).__name__}.")
    if len(state) != len(names):
        raise ShapeError(f"{holds} {len(state)} parts.")
    rates = zip(names[1:], state[1:], strict=True)
    parts = checked_configuration(robot, state[0]), *(checked(n, x, robot.nv) for n, x in rates)
    for part in parts:
        if part.ndim != 1:
            raise ShapeError(f"simulation takes one state at a time, got shape {part.shape}.")
    return [np.array(part) for part in parts]


def checked_positive(name: str, value: Any) -> float:
    """Return a finite number above zero, or raise."""
    if not isinstance(value, int | float | np.number) or not 0.0 < value < np.inf:
        raise ArgumentError(f"{name} must be positive, got {value!r}.")
    return float(value)


def constant_wrenches(robot: Robot, wrenches: Wrenches) -> dict[str, Wrench]:
    """Return wrenches that stay in their own representation, values ``(1, 6)``, by frame."""
    return {
        robot.frame(frame).name: Wrench(_constant(frame, wrench.values), wrench.representation)
        for frame, wrench in as_wrenches(wrenches).items()
    }


def _constant(frame: str, values: Any) -> np.ndarray:
    load = np.atleast_2d(as_floats(f"wrench on {frame}", values))
    if load.shape != (1, 6):
        raise ShapeError(
            f"wrench on {frame} must have shape (6,) or (1, 6), got {np.shape(values)}: here it "
            "stays, in its own representation."
        )
    if not np.isfinite(load).all():
        raise NotFiniteError(f"wrench on {frame} must be finite, got {load[0]}.")
    return load
