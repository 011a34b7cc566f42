"""Levenberg–Marquardt towards many poses at once, each from a start of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jounce.ik.tasks import in_order
from jounce.kernels.kernel import Kernel, kernel_of
from jounce.kernels.quantities import KernelSpec
from jounce.model.components import velocity_kinds
from jounce.model.configuration import integrate
from jounce.model.limits import position_range
from jounce.model.robot import Robot

LARGEST_TURN = 1.0  # rad a step, of every joint that turns
DAMPING = np.array([0.1, 1e-12])  # of |e|², and always


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
    if not goal.robot.quaternions:
        return np.clip(q + step, goal.lower, goal.upper)
    return np.clip(integrate(goal.robot, q, step), goal.lower, goal.upper)


def _free(goal: Goal, q: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """Return 0 for velocities that the gradient drives out of their limits, else 1."""
    is_low, is_high = q <= goal.lower, q >= goal.upper
    if goal.robot.quaternions:  # coordinates of spherical and free joints have no limits
        rows = _velocity_rows(goal.robot)
        is_low, is_high = is_low[:, rows], is_high[:, rows]
    return 1.0 - ((is_low & (gradient < 0)) | (is_high & (gradient > 0)))


def _velocity_rows(robot: Robot) -> list[int]:
    """Return a coordinate for every velocity, its own where there is one."""
    own = [joint for joint in robot.joints if joint.mimic is None]
    return [j.q_slice.start + k for j in own for k in range(j.nv)]
