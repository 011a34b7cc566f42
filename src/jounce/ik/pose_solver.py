"""Joint coordinates that put a frame at a pose: Levenberg–Marquardt from many starts at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

import numpy as np

from jounce.algebra.rigid import join, normalized, rotation_vector
from jounce.api.kinematics import frame_pose
from jounce.errors import ArgumentError, ShapeError, check_name
from jounce.ik.rates import checked_task
from jounce.kernels.description import KernelSpec
from jounce.kernels.kernel import Kernel, kernel_of
from jounce.model.checks import (
    ROTATION_TOLERANCE,
    as_floats,
    check_finite,
    checked_configuration,
    checked_integer,
)
from jounce.model.components import position_kinds, velocity_kinds
from jounce.model.configuration import integrate
from jounce.model.directions import DIRECTIONS, checked_directions, in_order
from jounce.model.limits import position_range
from jounce.model.robot import Robot
from jounce.trajectory.protocol import positions

LARGEST_TURN = 1.0  # rad a step, of every joint that turns
DAMPING = np.array([0.1, 1e-12])  # of |e|², and always
CANDIDATES = 8  # random configurations for every start; the nearest to the goal are taken
REPRESENTATIONS = ("body", "hybrid")


class IKResult(NamedTuple):
    """What inverse kinematics found, all of the batch shape of the poses.

    ``q`` of shape ``(*batch, nq)``; ``converged``: the pose is met to the tolerance, within the
    limits; ``error``: what is left to go, measured on q with the forward kinematics (norm of the
    rotation vector in rad and the distance in m together); ``iterations``: steps taken, over all
    starts.  Where ``converged`` is false, q is the best that was found, not a solution.
    """

    q: np.ndarray
    converged: np.ndarray
    error: np.ndarray
    iterations: np.ndarray

    def __str__(self) -> str:
        met, poses = int(np.sum(self.converged)), int(np.size(self.converged))
        told = f"{met} of {poses} poses met" if poses != 1 else "met" if met else "not met"
        return f"{told}, error {np.max(self.error, initial=0.0):.2g}"


def inverse_kinematics(
    robot: Robot,
    frame: str,
    pose: Any,
    q0: Any = None,
    *,
    directions: str | Sequence[str] | None = None,
    representation: str = "body",
    limits: bool = True,
    tolerance: float = 1e-10,
    starts: int = 100,
    iterations: int = 25,
    seed: int = 0,
) -> IKResult:
    """Return q that puts a frame at ``pose``, ``(*batch, 4, 4)``, by Levenberg–Marquardt on SE(3).

    ``q0`` is the first start, ``(*batch, nq)``; after it, or without it, up to ``starts`` random
    ones, the same in every run with the same ``seed``, of up to ``iterations`` steps each.
    ``directions`` leaves parts of the pose free: ``"linear"`` asks for the position only,
    ``"wx wy linear"`` lets the frame spin about its z.  They are along the axes of the frame at
    the solution (``"body"``) or of the world (``"hybrid"``).  ``limits=False`` ignores the limits
    of the joints.

    >>> import jounce
    >>> arm = jounce.load("iiwa14")
    >>> goal = jounce.frame_pose(arm, "flange", [0.1, 0.5, 0.2, -1.0, 0.3, 0.8, 0.1])[0]
    >>> found = jounce.inverse_kinematics(arm, "flange", goal)
    >>> bool(found.converged), bool(found.error < 1e-10)
    (True, True)
    """
    check_name("representation", representation, REPRESENTATIONS)
    names = checked_directions(directions)
    checked_task(robot, frame, representation, names)
    if not (np.isfinite(tolerance) and tolerance > 0):
        raise ArgumentError(f"tolerance must be a positive number, got {tolerance!r}.")
    starts = checked_integer("starts", starts, 1)
    iterations = checked_integer("iterations", iterations, 1)
    poses = checked_poses("pose", pose)
    goal = goal_of(robot, frame, names, representation, limits, tolerance)
    first = None if q0 is None else checked_configuration(robot, q0, "q0")
    batch = _batch(poses, first)
    targets = np.broadcast_to(poses, (*batch, 4, 4)).reshape(prod(batch), 16)
    if first is not None:
        first = np.broadcast_to(first, (*batch, robot.nq)).reshape(prod(batch), robot.nq)
    rng = np.random.default_rng(seed)
    q, steps = _search(goal, targets, first, starts, iterations, rng)
    q = _unwound(goal, q, first)
    pose, wanted = frame_pose(robot, frame, q)[0], targets.reshape(-1, 4, 4)
    error = np.linalg.norm(pose_error(pose, wanted, in_order(names), representation), axis=-1)
    inside = ((q >= goal.lower) & (q <= goal.upper)).all(axis=-1)
    converged = (error <= tolerance) & inside
    return IKResult(
        q.reshape(*batch, robot.nq),
        converged.reshape(batch)[()],
        error.reshape(batch)[()],
        steps.reshape(batch)[()],
    )


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


def _search(
    goal: Goal,
    targets: np.ndarray,
    first: np.ndarray | None,
    starts: int,
    iterations: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the best q and the steps; poses that are not met get more starts each round."""
    n, nq = len(targets), goal.robot.nq
    q, costs, steps = np.zeros((n, nq)), np.full(n, np.inf), np.zeros(n, dtype=np.int64)
    q[:] = goal.robot.neutral
    left, share = np.arange(n), 1
    while left.size:
        if first is not None and share == 1:
            begin = np.clip(first, goal.lower, goal.upper)[:, None]
        else:
            share = min(share, starts)
            begin = _starts(goal, targets[left], share, rng)
            starts -= share
        many = np.repeat(targets[left], begin.shape[1], axis=0)
        begun = begin.reshape(-1, nq)
        found, cost, taken = descend(goal, begun, many, iterations, begin.shape[1])
        cost, taken = (x.reshape(begin.shape[:2]) for x in (cost, taken))
        best = cost.argmin(axis=1)
        rows = np.arange(len(left))
        steps[left] += taken.sum(axis=1)
        is_better = cost[rows, best] < costs[left]
        better = left[is_better]
        q[better] = found.reshape(*begin.shape)[rows, best][is_better]
        costs[better] = cost[rows, best][is_better]
        left = left[~(costs[left] <= (0.5 * goal.tolerance) ** 2)]
        share = 4 * share
        if starts <= 0:
            break
    return q, steps


def _starts(goal: Goal, targets: np.ndarray, share: int, rng: np.random.Generator) -> np.ndarray:
    """Return ``share`` starts for every target: the nearest to it of many random configurations."""
    q = _random(goal, (len(targets), CANDIDATES * share), rng)
    costs = goal.costs(q, targets[:, None])
    best = np.argpartition(costs, share - 1, axis=1)[:, :share]
    return np.take_along_axis(q, best[..., None], axis=1)


def _random(goal: Goal, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Return random configurations within the limits; ±π or ±1 m, any attitude, without."""
    robot, lower, upper = goal.robot, goal.lower, goal.upper
    reach = np.array([1.0 if kind == "length" else np.pi for kind in position_kinds(robot)])
    lower = np.where(np.isfinite(lower), lower, np.minimum(upper - reach, -reach))
    upper = np.where(np.isfinite(upper), upper, np.maximum(lower + reach, reach))
    q = rng.uniform(lower, upper, (*shape, robot.nq))
    for part in robot.quaternions:
        q[..., part] = normalized(rng.normal(size=(*shape, 4)))
    return q


def _unwound(goal: Goal, q: np.ndarray, first: np.ndarray | None) -> np.ndarray:
    """Return q with the angles that have no limits within half a turn of the start, or of zero."""
    free = _turning(goal.robot) & np.isinf(goal.lower) & np.isinf(goal.upper)
    turns = np.round((q if first is None else q - first) / (2 * np.pi))
    return q - np.where(free, 2 * np.pi * turns, 0.0)


def _turning(robot: Robot) -> np.ndarray:
    """Tell which entries of q are angles that a whole turn leaves as they are."""
    turns = np.array([kind == "angle" for kind in position_kinds(robot)], dtype=bool)
    leaders = {joint.mimic.source for joint in robot.joints if joint.mimic is not None}
    for i, joint in enumerate(robot.joints):
        if joint.mimic is None and (joint.type.row.has_pitch or i in leaders):
            turns[joint.q_slice] = False
    return turns


def pose_error(
    pose: np.ndarray, target: np.ndarray, directions: str, representation: str
) -> np.ndarray:
    """Return what is left to go, ``(*batch, directions)``: rotation vector in rad, distance in m.

    ``body``: in the axes of the frame as it is; ``hybrid``: in world axes.
    """
    R, Rt = pose[..., :3, :3], target[..., :3, :3]
    away = target[..., :3, 3] - pose[..., :3, 3]
    back = np.swapaxes(R, -1, -2)
    if representation == "body":
        turn, shift = back @ Rt, (back @ away[..., None])[..., 0]
    else:
        turn, shift = Rt @ back, away
    rows = [DIRECTIONS.index(d) for d in directions.split()]
    return join(rotation_vector(turn), shift)[..., rows]


def _batch(poses: np.ndarray, first: np.ndarray | None) -> tuple[int, ...]:
    lead = () if first is None else first.shape[:-1]
    try:
        return np.broadcast_shapes(poses.shape[:-2], lead)
    except ValueError:
        raise ShapeError(
            f"batch axes of pose {poses.shape} and q0 {lead} do not broadcast."
        ) from None


@dataclass(frozen=True, slots=True, eq=False)
class Goal:
    """A frame, what of its pose counts, and the coordinates that are allowed."""

    robot: Robot
    step: Kernel  # `pose_step`
    lower: np.ndarray
    upper: np.ndarray
    largest: np.ndarray  # step of every velocity
    tolerance: float

    def costs(self, q: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """Return the squared errors of configurations ``(*batch, nq)``."""
        ones = np.ones(self.robot.nv)
        return self.step.call(q, targets, ones, DAMPING, threads=None)[0, ..., -1]


def goal_of(
    robot: Robot, frame: str, names: list[str], representation: str, within: bool, tolerance: float
) -> Goal:
    """Return the goal of a frame; ``within`` the limits of the joints or anywhere."""
    options = {"directions": in_order(names), "frame": frame, "representation": representation}
    step = kernel_of(KernelSpec(robot, "pose_step", 0, (), tuple(options.items())))
    lower, upper = position_range(robot.joints) if within else no_bounds(robot)
    turns = [kind == "angle" for kind in velocity_kinds(robot)]
    largest = np.where(turns, LARGEST_TURN, np.inf)
    return Goal(robot, step, lower, upper, largest, tolerance)


def no_bounds(robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    """Return limits of q that nothing exceeds."""
    return np.full(robot.nq, -np.inf), np.full(robot.nq, np.inf)


def descend(
    goal: Goal, q: np.ndarray, targets: np.ndarray, iterations: int, group: int = 1
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return q, squared errors and steps taken from starts ``(n, nq)`` to targets ``(n, 16)``.

    Joints at a limit that the gradient drives further out stand still.  Of ``group`` starts in
    a row, all stop when one has arrived.
    """
    nv, enough = goal.robot.nv, (0.5 * goal.tolerance) ** 2
    end, costs = q.copy(), np.full(len(q), np.inf)
    steps = np.zeros(len(q), dtype=np.int64)
    active = np.arange(len(q))  # rows that are not done
    has_arrived = np.zeros(len(q) // group, dtype=bool)
    scale = np.ones((len(q), nv))
    for step in range(iterations + 1):
        found = goal.step.call(q, targets, scale, DAMPING, threads=None)[0]
        is_done = found[:, -1] <= enough
        if is_done.any() or step == iterations:
            has_arrived[active[is_done] // group] = True
            left = ~has_arrived[active // group] & (step < iterations)
            gone = active[~left]
            end[gone], costs[gone], steps[gone] = q[~left], found[~left, -1], step
            active, q, found, targets = active[left], q[left], found[left], targets[left]
        if not len(active):
            break
        q = _moved(goal, q, found[:, :nv])
        scale = _free(goal, q, found[:, nv:-1])
    return end, costs, steps


def _moved(goal: Goal, q: np.ndarray, step: np.ndarray) -> np.ndarray:
    ratio = (np.abs(step) / goal.largest).max(axis=1, keepdims=True)
    step = step / np.maximum(ratio, 1.0)
    moved = integrate(goal.robot, q, step) if goal.robot.quaternions else q + step
    return np.clip(moved, goal.lower, goal.upper)


def _free(goal: Goal, q: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """Return 0 for velocities that the gradient drives out of their limits, else 1."""
    is_low, is_high = q <= goal.lower, q >= goal.upper
    if goal.robot.quaternions:
        is_low, is_high = (positions(goal.robot, x) > 0 for x in (is_low, is_high))
    return 1.0 - ((is_low & (gradient < 0)) | (is_high & (gradient > 0)))
