"""The joint motion that moves a frame along a path of poses."""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import Any, NamedTuple

import numpy as np

from jounce.errors import ArgumentError, PathError, ShapeError, SingularityError
from jounce.ik.pose_paths import PosePath
from jounce.ik.pose_solver import Goal, descend, goal_of, inverse_kinematics, no_bounds
from jounce.ik.rates import IKRates, inverse_kinematics_rates
from jounce.model.checks import as_floats, check_finite, check_increasing
from jounce.model.components import velocity_names
from jounce.model.configuration import integrate
from jounce.model.directions import DIRECTIONS
from jounce.model.limits import position_range
from jounce.model.robot import Robot
from jounce.tables.table import MotionTable, table_of

ORDER = 4
TOLERANCE = 1e-10  # of the pose, as in `inverse_kinematics`
PREDICTION = 1e-5  # error of a Taylor step that is still taken
CORRECTIONS = 6  # steps from a prediction to the path
SMALLEST = 1e-10  # step, of the length of the path


class JointPath(NamedTuple):
    """A joint motion: ``q`` ``(samples, nq)``, ``rates`` ``(4, samples, nv)`` and condition."""

    time: np.ndarray
    q: np.ndarray
    rates: np.ndarray
    condition: np.ndarray

    def table(self, robot: Robot) -> MotionTable:
        """Return it as a table for `jounce.trajectory.write_table`."""
        return table_of(robot, self.time, [self.q, *self.rates])


class _State(NamedTuple):
    time: float
    q: np.ndarray
    found: IKRates


def follow(
    robot: Robot,
    frame: str,
    path: PosePath,
    times: Any,
    q0: Any = None,
    *,
    weights: Any = None,
    limits: bool = True,
    velocity_limits: bool = True,
    condition_limit: float = 1e5,
    progress: Callable[[], object] | None = None,
) -> JointPath:
    """Return the joint motion to fourth order that moves a frame along a path.

    At the first of the ``times``, ``(samples,)``, q is the solution next to ``q0``; from there
    it follows without a jump: a Taylor step of the joint motion predicts, Newton corrects, and
    steps are halved where the prediction is poor.  Arms with more than six joints move with the
    least joint velocity in the norm of the ``weights``: their q is the solution of
    ``q̇ = J⁺ V`` from the first sample on, to the accuracy of the steps (1e-5 rad with few samples,
    1e-8 with 50 a second), while the pose is met to 1e-10 and the rates are exact for their q.

    A joint that leaves its limits (``limits``) or is faster than it can be (``velocity_limits``),
    a singularity (condition number above ``condition_limit``) or the end of the reach is a
    `PathError` with time and condition number.  ``progress`` is called after each sample.

    >>> import numpy as np, jounce
    >>> from jounce.ik import ScrewMotions, follow
    >>> arm = jounce.load("puma560")
    >>> q = np.array([[0.1, 0.5, -0.4, 0.3, 0.9, 0.2], [0.4, 0.3, -0.2, 0.5, 0.7, 0.1]])
    >>> path = ScrewMotions([0.0, 1.0], jounce.frame_pose(arm, "link6", q)[0])
    >>> motion = follow(arm, "link6", path, np.linspace(0, 1, 5), q[0])
    >>> motion.q.shape, motion.rates.shape, bool(np.abs(motion.q[-1] - q[1]).max() < 1e-8)
    ((5, 6), (4, 5, 6), True)
    """
    times = _checked_times(times, path)
    options = {"weights": weights, "condition_limit": condition_limit}
    walk = _Walk(robot, frame, path, options, limits, velocity_limits)
    walk.prepare(times)
    states: list[_State] = []
    for time in times.tolist():
        states.append(walk.advance(states[-1], time) if states else walk.begin(time, q0))
        if progress is not None:
            progress()
    q = np.array([s.q for s in states])
    rates = np.stack([s.found.rates for s in states], axis=1)
    return JointPath(times, q, rates, np.array([float(s.found.condition) for s in states]))


class _Walk:
    """What stays the same along the path."""

    def __init__(
        self,
        robot: Robot,
        frame: str,
        path: PosePath,
        options: dict[str, Any],
        limits: bool,
        velocity_limits: bool,
    ) -> None:
        self.robot, self.frame, self.path, self.limits = robot, frame, path, limits
        self.options = {**options, "full_output": True}
        self.goal: Goal = goal_of(robot, frame, list(DIRECTIONS), "body", False, TOLERANCE)
        self.bounds = position_range(robot.joints) if limits else no_bounds(robot)
        self.speeds = robot.limits.velocity if velocity_limits else np.full(robot.nv, np.inf)
        self.known: dict[float, tuple[np.ndarray, np.ndarray]] = {}

    def prepare(self, times: np.ndarray) -> None:
        """Evaluate the path at all samples at once."""
        poses, twists = self.path(times, ORDER)
        rows = zip(times.tolist(), poses, np.moveaxis(twists, 1, 0), strict=True)
        self.known = {time: (pose, twist) for time, pose, twist in rows}

    def at(self, time: float) -> tuple[np.ndarray, np.ndarray]:
        """Return pose and twists of the path."""
        return self.known[time] if time in self.known else self.path(time, ORDER)

    def begin(self, time: float, q0: Any) -> _State:
        """Return the state at the first sample."""
        pose, _ = self.at(time)
        found = inverse_kinematics(
            self.robot, self.frame, pose, q0, limits=self.limits, tolerance=TOLERANCE
        )
        if not found.converged:
            raise PathError(
                f"the path of frame {self.frame!r} cannot begin: no q within the limits reaches "
                f"its pose at t = {time:.6g} s; the nearest misses it by {found.error:.3g}.",
                time, np.nan, found.q,
            )  # fmt: skip
        return self.state(time, found.q)

    def state(self, time: float, q: np.ndarray, before: _State | None = None) -> _State:
        """Return the state at q, after a check of limits and condition."""
        known = np.nan if before is None else float(before.found.condition)
        low, high = self.bounds
        outside = np.flatnonzero((q < low) | (q > high))
        if outside.size:
            raise self.failed(time, known, q, f"{self._limit(int(outside[0]), q)} is reached")
        try:
            _, twists = self.at(time)
            found = inverse_kinematics_rates(self.robot, self.frame, q, *twists, **self.options)
        except SingularityError as error:
            raise self.failed(time, error.condition, q, error.finding) from error
        speeds = np.abs(found.rates[0])
        if np.any(speeds > self.speeds):
            raise self.failed(time, float(found.condition), q, self._velocity_limit(speeds))
        return _State(time, q, found)

    def advance(self, state: _State, end: float) -> _State:
        """Return the state at a later time, in as many steps as it takes."""
        smallest = SMALLEST * (self.path.end - self.path.start)
        while state.time < end:
            h = end - state.time
            q = self.step(state, end)
            while q is None and h > smallest:
                h *= 0.5
                q = self.step(state, state.time + h)
            if q is None:
                known = float(state.found.condition)
                raise self.failed(
                    state.time, known, state.q, "no joint motion follows it beyond; it leaves the "
                    "reach of the robot or passes a singularity",
                )  # fmt: skip
            is_last = h == end - state.time
            state = self.state(end if is_last else state.time + h, q, state)
        return state

    def step(self, state: _State, time: float) -> np.ndarray | None:
        """Return q on the path at a later time, None if the prediction is too far from it."""
        h = time - state.time
        powers = [h**k / factorial(k) for k in range(1, ORDER + 1)]
        increment = np.tensordot(powers, state.found.rates, axes=1)
        if not np.abs(increment).max() < 0.5:
            return None
        q = integrate(self.robot, state.q, increment)[None]
        target = self.at(time)[0].reshape(1, 16)
        if not self.goal.costs(q, target)[0] < PREDICTION**2:
            return None
        q, cost, _ = descend(self.goal, q, target, CORRECTIONS)
        return q[0] if cost[0] <= TOLERANCE**2 else None

    def failed(self, time: float, condition: float, q: np.ndarray, reason: str) -> PathError:
        """Return the error for a path that ends before its end."""
        at = "" if np.isnan(condition) else f" (condition number {condition:.3g})"
        message = f"the path of frame {self.frame!r} ends at t = {time:.6g} s{at}: {reason}"
        return PathError(message.rstrip(".") + ".", time, condition, q)

    def _limit(self, index: int, q: np.ndarray) -> str:
        own = [j for j in self.robot.joints if j.mimic is None]
        name = next(j.name for j in own if j.q_slice.start <= index < j.q_slice.stop)
        low, high = self.bounds[0][index], self.bounds[1][index]
        return f"the limit of joint {name!r} ({low:.6g} … {high:.6g}, got {q[index]:.6g})"

    def _velocity_limit(self, speeds: np.ndarray) -> str:
        i = int(np.argmax(speeds / self.speeds))
        return (
            f"joint {velocity_names(self.robot)[i]!r} must move at {speeds[i]:.6g}, its velocity "
            f"limit is {self.speeds[i]:.6g}; give the path more time"
        )


def _checked_times(times: Any, path: PosePath) -> np.ndarray:
    array = as_floats("times", times)
    if array.ndim != 1 or not array.size:
        raise ShapeError(f"times must have shape (samples,), got {array.shape}.")
    check_finite("times", array)
    check_increasing("times", array)
    slack = 1e-9 * (path.end - path.start)
    if array[0] < path.start - slack or array[-1] > path.end + slack:
        raise ArgumentError(
            f"times {array[0]:g} … {array[-1]:g} leave the path, which lasts from {path.start:g} "
            f"to {path.end:g} s."
        )
    return array
