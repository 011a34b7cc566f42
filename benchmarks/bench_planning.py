"""Time-optimal motions: beside toppra, which has no limits of rates, and beside Clarabel."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

import jounce
from benchmarks.planning_peers import Convex, toppra_duration
from benchmarks.timing import at_most, best_times
from jounce.planning import time_optimal
from jounce.trajectory import MotionLimits, Polynomial, scale_to_limits

SEEDS, POINTS, REPEATS = range(3), 5, 3
PIECES, UNIT, TOLERANCE = 160, 0.02, 1e-4  # as the planner by default
BARS = 0.15, 0.5  # s: without limits of rates, and with them
KNOTS, SECONDS, MEGABYTES = 1000, 60.0, 300.0


def run(console: Console) -> None:
    """Print durations and times of a Panda through five points, and how time grows with knots."""
    robot = jounce.load("panda")
    console.print(durations(robot))
    console.print(growth(robot))
    console.print(solvers(robot))
    console.print(large())


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
    longest = np.zeros(3)
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
        longest = np.maximum(longest, [t for _, t in ours])
    bars = (BARS[0], BARS[1], BARS[1])
    said = (at_most(t, bar, " s") for t, bar in zip(longest, bars, strict=True))
    table.add_row("longest", "", *said, "")
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


def solvers(robot: jounce.Robot) -> Table:
    """Compare our interior-point method with Clarabel on the convex problem of each path."""
    limits = MotionLimits.of(robot, jerk=None, effort_rate=None)
    table = Table(title=f"the convex problem, {PIECES} pieces, tolerance {TOLERANCE:g}, in turns")
    for heading in ("path", "ours ms", "Clarabel ms", "ratio", "duration ours / Clarabel − 1",
                    "worst row ours", "Clarabel"):  # fmt: skip
        table.add_column(heading, justify="right")
    for seed in SEEDS:
        problem = Convex.of(robot, points_of(robot, seed), limits, PIECES, UNIT)
        ours, theirs = problem.own(TOLERANCE).x, problem.clarabel(TOLERANCE)
        exact = problem.duration(problem.clarabel())
        actions = {
            "own": lambda p=problem: p.own(TOLERANCE),
            "clarabel": lambda p=problem: p.clarabel(TOLERANCE),
        }
        own, peer = best_times(actions, rounds=REPEATS).values()
        table.add_row(
            str(seed),
            f"{1e3 * own:.0f}",
            f"{1e3 * peer:.0f}",
            f"{peer / own:.1f}",
            f"{problem.duration(ours) / exact - 1.0:.1e}",
            f"{problem.excess(ours):.1e}",
            f"{problem.excess(theirs):.1e}",
        )
    return table


def large() -> str:
    """Say how long 1000 knots of a humanoid take, and how much memory."""
    robot = jounce.load("humanoid")
    steps = 0.4 * np.random.default_rng(0).uniform(-1.0, 1.0, (POINTS, robot.nv))
    points = [jounce.integrate(robot, robot.neutral, step) for step in steps]
    bounds = {"velocity": 3.0, "acceleration": 30.0, "jerk": 500.0, "effort": 3000.0}
    limits = MotionLimits.of(robot, **bounds, effort_rate=30000.0, lower=None, upper=None)
    time_optimal(robot, points[:2], limits, knots=20)
    before, begin = peak(), time.perf_counter()
    time_optimal(robot, points, limits, knots=KNOTS)
    took, more = time.perf_counter() - begin, peak() - before
    return (
        f"humanoid, {robot.nv} velocities, {KNOTS} knots: {at_most(took, SECONDS, ' s')}, "
        f"{at_most(more, MEGABYTES, ' MB')} more than before"
    )


def peak() -> float:
    """Return the largest memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


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
