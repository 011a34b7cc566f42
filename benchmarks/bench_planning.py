"""Time-optimal motions: durations and times beside toppra, which has no limits of rates."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

import jounce
from jounce.planning import time_optimal
from jounce.planning.curve import path_motion
from jounce.trajectory import MotionLimits, Polynomial, scale_to_limits

SEEDS, POINTS, GRID, REPEATS = range(3), 5, 1000, 3


def run(console: Console) -> None:
    """Print durations and times of a Panda through five points, and how time grows with knots."""
    robot = jounce.load("panda")
    console.print(durations(robot))
    console.print(growth(robot))


def points_of(robot: jounce.Robot, seed: int) -> np.ndarray:
    low, high = robot.limits.lower, robot.limits.upper
    random = np.random.default_rng(seed).uniform(0.25, 0.75, (POINTS, robot.nq))
    return low + (high - low) * random


def durations(robot: jounce.Robot) -> Table:
    """Compare durations with those of toppra and of one speed for the whole path."""
    second = MotionLimits.of(robot, jerk=None, effort_rate=None)
    table = Table(title=f"Panda, {POINTS} points: duration in s (time to plan in ms)")
    for heading in ("path", "toppra", "second order", "1000 N m/s", "100 N m/s", "one speed"):
        table.add_column(heading, justify="right")
    for seed in SEEDS:
        points = points_of(robot, seed)
        ours = [
            measured(lambda limits=limits, points=points: time_optimal(robot, points, limits))
            for limits in (second, *(MotionLimits.of(robot, effort_rate=x) for x in (1000, 100)))
        ]
        steady = Polynomial.through(np.linspace(0.0, 4.0, POINTS), points, smoothness=3)
        slow = scale_to_limits(robot, steady, MotionLimits.of(robot, effort_rate=100)).duration
        peer = measured(lambda points=points: Duration(toppra_duration(robot, points, second)))
        table.add_row(str(seed), *(f"{d:.4f} ({1e3 * t:.0f})" for d, t in (peer, *ours)),
                      f"{slow:.4f}")  # fmt: skip
    return table


def growth(robot: jounce.Robot) -> str:
    """Say how the time grows with the number of knots."""
    points = points_of(robot, 0)
    times = [
        measured(lambda knots=knots: time_optimal(robot, points, knots=knots))[1]
        for knots in (100, 200, 400)
    ]
    ratios = ", ".join(f"{x / times[0]:.2f}" for x in times[1:])
    return f"all limits, 100 knots {1e3 * times[0]:.0f} ms; 200 and 400 take {ratios} times as long"


class Duration(float):
    """A duration that has itself as its duration."""

    @property
    def duration(self) -> float:
        """Itself."""
        return float(self)


def measured(action: Callable[[], object]) -> tuple[float, float]:
    """Return a duration and the least time that it took to find, after a first run."""
    found, least = action(), np.inf
    for _ in range(REPEATS):
        begin = time.perf_counter()
        found = action()
        least = min(least, time.perf_counter() - begin)
    return float(found.duration), least  # pyright: ignore[reportAttributeAccessIssue]


def toppra_duration(robot: jounce.Robot, points: np.ndarray, limits: MotionLimits) -> float:
    """Return the duration that toppra finds along the same curve."""
    import toppra
    from toppra import algorithm, constraint

    logging.getLogger("toppra").setLevel(logging.ERROR)
    motion = path_motion(robot, points)

    class Path(toppra.interpolator.AbstractGeometricPath):
        dof, waypoints, path_interval = robot.nq, None, np.array([0.0, 1.0])

        def __call__(self, place, order=0):
            found = [*motion(np.atleast_1d(place), order=order)][order]
            return found if np.ndim(place) else found[0]

    def bounds(name: str) -> np.ndarray:
        return np.stack([-getattr(limits, name), getattr(limits, name)], axis=1)

    scheme = {"discretization_scheme": constraint.DiscretizationType.Interpolation}
    rows = [
        constraint.JointVelocityConstraint(bounds("velocity")),
        constraint.JointAccelerationConstraint(bounds("acceleration"), **scheme),
        constraint.JointTorqueConstraint(
            lambda q, v, a: jounce.inverse_dynamics(robot, q, v, a)[0],
            bounds("effort"),
            np.zeros(robot.nv),
            **scheme,
        ),
    ]
    grid = np.linspace(0.0, 1.0, GRID + 1)
    planner = algorithm.TOPPRA(rows, Path(), gridpoints=grid, solver_wrapper="seidel")
    _, speed, _ = planner.compute_parameterization(0.0, 0.0)
    return float((2.0 * np.diff(grid) / (speed[1:] + speed[:-1])).sum())
