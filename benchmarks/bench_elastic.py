"""Feedforward of elastic joints against inverse dynamics; errors in open and sampled loops."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from scipy.linalg import expm

import jounce
from benchmarks.timing import at_most, best_times
from jounce.elastic import SeriesElastic, TrackingController
from jounce.simulation import PlannedForces, taylor

SAMPLES = 4096
SECONDS = 2.0
TINY = 1e-9  # rad
POLES = (-8, -9, -10, -11)  # 1/s
SAMPLE = 1e-3  # s


def run(console: Console) -> None:
    """Time batches on one thread and single calls from Python; measure errors of simulations."""
    robot = jounce.load("panda")
    _cost(console, robot)
    _growth(console, robot)
    _held(console)


def _cost(console: Console, robot: jounce.Robot) -> None:
    drives = SeriesElastic(robot, 2000.0, 0.5)
    rng = np.random.default_rng(0)
    batch = list(rng.normal(size=(5, SAMPLES, 7)))
    single = [x[0].copy() for x in batch]
    second = jounce.kernel(robot, "inverse_dynamics", order=2)
    many = best_times({"ours": lambda: drives.feedforward(*batch), "Q2": lambda: second(*batch)})
    console.print(f"feedforward of {SAMPLES} samples against inverse dynamics of order 2: "
                  + at_most(many["ours"] / many["Q2"], 1.5))  # fmt: skip
    one = best_times({"ours": lambda: drives.feedforward(*single)}, rounds=40, loops=1000)
    console.print(f"one feedforward from Python: {at_most(one['ours'] * 1e6, 10.0, ' µs')}")


def _growth(console: Console, robot: jounce.Robot) -> None:
    """Apply feedforward torques open loop, from the planned state and a little beside it."""
    drives = SeriesElastic(robot, np.linspace(5000.0, 500.0, 7), 0.5)
    middle = [0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.8]
    waves = np.random.default_rng(1).uniform(-0.5, 0.5, size=(2, 2, 7))
    motion = jounce.trajectory.Fourier(*waves, 2.0, middle)
    plan, times = PlannedForces(drives, motion), np.linspace(0.0, SECONDS, 41)

    def simulated(error: float) -> np.ndarray:
        q, v, theta, theta1 = plan.state(0.0)
        start = (q + error, v, theta + error, theta1)
        return taylor(drives, start, plan, (0.0, SECONDS), order=8)(times)["q"]

    planned = simulated(0.0)
    miss = float(np.abs(planned - motion(times, order=0)[0]).max())
    sizes = np.abs(simulated(TINY) - planned).max(axis=1)
    later = times >= 0.5 * SECONDS
    rate = np.polyfit(times[later], np.log(sizes[later]), 1)[0]
    states = [drives.state_matrix(*plan.state(t), plan(t)[0]) for t in times]
    largest = np.linalg.eigvals(np.array(states)).real.max(axis=1)
    console.print(
        f"open loop, {SECONDS:g} s, K = 500 … 5000 Nm/rad: {at_most(miss, 1e-7, ' rad')} off; an "
        f"error of {TINY:g} rad grows {sizes.max() / TINY:.3g} times, in the second half as "
        f"exp({rate:.2f} t/s); largest real part of the linearisation: {largest.min():.2f} … "
        f"{largest.max():.2f} /s"
    )


def _held(console: Console) -> None:
    """Hold the torque of a controller for a sample, and compare with the poles that it places."""
    arm = SeriesElastic(jounce.load("planar2r"), [500.0, 900.0], 0.1)
    swing = jounce.trajectory.Fourier([[0.6, -0.4]], [[0.2, 0.1]], 2.0, [0.3, 0.5])
    planned = swing(0.0, order=3)
    q, v, a, j = 1.2 * planned
    start = (q, v, *arm.motor_state(q, v, a, j))
    times = np.linspace(0.0, 1.0, 101)
    closed = np.eye(4, k=1)
    closed[3] = -np.poly(POLES)[:0:-1]
    placed = np.array([(expm(closed * t) @ (0.2 * planned))[0] for t in times])

    def deviation(**told: float) -> float:
        control = TrackingController(arm, swing, POLES, **told)
        found = taylor(arm, start, t=(0.0, 1.0), controller=control, sample_time=SAMPLE)
        error = found(times)["q"] - swing(times, order=0)[0]
        return float(np.abs(error - placed).max() / np.abs(placed[0]).max())

    console.print(
        f"a torque held for {SAMPLE:g} s: {100 * deviation():.2g} % of the error at the start away "
        f"from the placed poles; with sample_time {100 * deviation(sample_time=SAMPLE):.2g} %"
    )
