"""Joint coordinates that put a frame at a pose."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from jounce.algebra.rigid import join, rotation_vector
from jounce.api.kinematics import frame_pose
from jounce.derivatives.inverse_kinematics import DIRECTIONS
from jounce.errors import ShapeError, unknown_name
from jounce.ik.descent import Goal, descend, goal_of
from jounce.ik.tasks import checked_directions, checked_poses, checked_task, in_order
from jounce.model.checks import checked_configuration
from jounce.model.robot import Robot

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
    if representation not in REPRESENTATIONS:
        raise unknown_name("representation", representation, REPRESENTATIONS)
    names = checked_directions(directions)
    checked_task(robot, frame, representation, names)
    _check_counts(tolerance, starts, iterations)
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
    error = _errors(robot, frame, q, targets, names, representation)
    inside = ((q >= goal.lower) & (q <= goal.upper)).all(axis=-1)
    converged = (error <= tolerance) & inside
    return IKResult(
        q.reshape(*batch, robot.nq),
        converged.reshape(batch)[()],
        error.reshape(batch)[()],
        steps.reshape(batch)[()],
    )


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
    lower = np.where(np.isfinite(goal.lower), goal.lower, np.minimum(goal.upper - 1.0, -np.pi))
    upper = np.where(np.isfinite(goal.upper), goal.upper, np.maximum(lower + 1.0, np.pi))
    q = rng.uniform(lower, upper, (*shape, goal.robot.nq))
    for at in goal.robot.quaternions:
        quaternion = rng.normal(size=(*shape, 4))
        q[..., at] = quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True)
    return q


def _unwound(goal: Goal, q: np.ndarray, first: np.ndarray | None) -> np.ndarray:
    """Return q with the angles that have no limits within half a turn of the start, or of zero."""
    q = q.copy()
    for joint in goal.robot.joints:
        at = joint.q_slice
        if joint.kind != "revolute" or joint.mimic is not None:
            continue
        if np.isfinite(goal.lower[at]).any() or np.isfinite(goal.upper[at]).any():
            continue
        centre = 0.0 if first is None else first[:, at]
        q[:, at] -= 2 * np.pi * np.round((q[:, at] - centre) / (2 * np.pi))
    return q


def _errors(
    robot: Robot,
    frame: str,
    q: np.ndarray,
    targets: np.ndarray,
    names: list[str],
    representation: str,
) -> np.ndarray:
    pose = frame_pose(robot, frame, q)[0]
    left = pose_error(pose, targets.reshape(-1, 4, 4), in_order(names), representation)
    return np.linalg.norm(left, axis=-1)


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


def _check_counts(tolerance: float, starts: int, iterations: int) -> None:
    if not (np.isfinite(tolerance) and tolerance > 0):
        raise ShapeError(f"tolerance must be a positive number, got {tolerance!r}.")
    for name, count in (("starts", starts), ("iterations", iterations)):
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise ShapeError(f"{name} must be an integer ≥ 1, got {count!r}.")
