"""Durations beside another planner and beside brute force; large problems."""

from __future__ import annotations

import resource
import time

import numpy as np
import pytest

import jounce
from benchmarks.planning_peers import toppra_duration
from jounce.errors import InfeasibleError
from jounce.planning import time_optimal
from jounce.planning.curve import path_motion
from jounce.trajectory import MotionLimits, check_limits
from tests.example_robots import urdf
from tests.unit.planning.test_planner import cart, limits_of


def compared(robot: jounce.Robot, seeds: range, **bounds) -> list[tuple[float, float, float]]:
    """Return what is longer than toppra: at rest only, without jerk at the ends, lower bound."""
    limits = MotionLimits.of(robot, jerk=None, effort_rate=None, **bounds)
    low, high = np.maximum(limits.lower, -3.0), np.minimum(limits.upper, 3.0)
    found = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        points = low + (high - low) * rng.uniform(0.25, 0.75, (rng.integers(3, 9), robot.nq))
        try:
            sharp = time_optimal(robot, points, limits, smoothness=1)
        except InfeasibleError:  # the spline through random points may leave the range
            continue
        smooth = time_optimal(robot, points, limits)
        peer = toppra_duration(robot, points, limits)
        rows = (sharp.duration, smooth.duration, sharp.lower_bound)
        found.append(tuple(x / peer - 1.0 for x in rows))
    return found


def ur5() -> jounce.Robot:
    return jounce.load(urdf("ur_description/urdf/ur5_robot.urdf"), strict=False)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("count", [3, pytest.param(50, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["panda", "ur5"])
def test_as_fast_as_toppra_where_it_has_limits(name: str, count: int):
    """Ends without jerk cost up to 0.2 % of short paths; nothing is more than 0.1 % slower else."""
    robot = jounce.load("panda") if name == "panda" else ur5()
    found = np.array(compared(robot, range(count)))
    assert len(found) > count / 2
    sharp, smooth, lower = found.T
    assert sharp.min() > -0.003
    assert sharp.max() < 0.001
    assert smooth.max() < 0.003
    assert np.all(smooth >= sharp - 5e-4)  # each has its own discretisation
    assert np.all((lower < 0.0) & (lower > -0.01))


def brute_force(limits: MotionLimits, distance: float, cells: int) -> float:
    """Return the shortest duration of one joint under limits, by shooting on a grid of times.

    Symmetric: jerk +, 0, − up to the middle.  All triples of switching times on a grid are tried.
    """
    v, a, j = (float(getattr(limits, name)[0]) for name in ("velocity", "acceleration", "jerk"))
    best = np.inf
    for ramp in np.linspace(0.0, a / j, cells)[1:]:
        for hold in np.linspace(0.0, v / a, cells):
            top = j * ramp * (ramp + hold)
            if top > v * (1.0 + 1e-12):
                break
            rise = 2.0 * ramp + hold
            cruise = (distance - top * rise) / top
            if cruise >= 0.0:
                best = min(best, 2.0 * rise + cruise)
    return best


def test_one_joint_against_brute_force():
    for v, a, j in ((0.9, 2.0, 12.0), (5.0, 2.0, 12.0), (5.0, 9.0, 12.0), (0.3, 2.0, 4.0)):
        limits = limits_of(cart(), velocity=v, acceleration=a, jerk=j)
        motion = time_optimal(cart(), [[0.0], [1.5]], limits)
        best = brute_force(limits, 1.5, 1500)
        assert best * 0.999 <= motion.duration <= 1.01 * best


@pytest.mark.slow
def test_a_large_humanoid_takes_little_memory_and_time():
    """1000 knots, 32 joints: below 60 s and 300 MB more than before."""
    robot = jounce.load("humanoid")
    rng = np.random.default_rng(0)
    steps = 0.4 * rng.uniform(-1.0, 1.0, (5, robot.nv))
    points = [jounce.integrate(robot, robot.neutral, step) for step in steps]
    limits = MotionLimits.of(
        robot, velocity=3.0, acceleration=30.0, jerk=500.0, effort=3000.0, effort_rate=30000.0,
        lower=None, upper=None,
    )  # fmt: skip
    time_optimal(robot, points[:2], limits, knots=20)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.process_time()
    motion = time_optimal(robot, points, limits, knots=1000)
    assert time.process_time() - begin < 60.0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000
    assert check_limits(robot, motion, limits).ok


def direct_optimum(arm: jounce.Robot, points: np.ndarray, limits: MotionLimits) -> float:
    """Return the duration that a general solver finds for the path parameter as a function of time.

    It is transcribed with constant jerk of the parameter on 60 equal steps; limits are imposed at
    both ends and in the middle of each.  The path through three points is a parabola.
    """
    import casadi

    steps, place = 60, np.array([0.0, 0.5, 1.0])
    c = np.polyfit(place, next(iter(path_motion(arm, points)(place, order=0))), 2)
    forces = jounce.adapters.casadi.function(arm, "inverse_dynamics", order=1)
    opti = casadi.Opti()
    duration, state, jerk = opti.variable(), opti.variable(3, steps + 1), opti.variable(steps)
    opti.minimize(duration)
    opti.subject_to(state[:, 0] == 0.0)
    opti.subject_to(state[:, steps] == casadi.vertcat(1.0, 0.0, 0.0))
    opti.subject_to(duration >= 0.1)
    for k in range(steps):
        j = jerk[k]
        for share in (0.0, 0.5, 1.0):
            d, (s, v, a) = share * duration / steps, (state[i, k] for i in range(3))
            s, v, a = s + d * v + d**2 * a / 2 + d**3 * j / 6, v + d * a + d**2 * j / 2, a + d * j
            if share == 1.0:
                opti.subject_to(state[:, k + 1] == casadi.vertcat(s, v, a))
            q = casadi.DM(c[0]) * s**2 + casadi.DM(c[1]) * s + casadi.DM(c[2])
            p1, p2 = 2.0 * casadi.DM(c[0]) * s + casadi.DM(c[1]), 2.0 * casadi.DM(c[0])
            rates = (p1 * v, p2 * v**2 + p1 * a, 3.0 * p2 * v * a + p1 * j)
            Q, Q1 = forces(q, *rates)
            for value, name in ((rates[0], "velocity"), (Q, "effort"), (Q1, "effort_rate")):
                opti.subject_to(opti.bounded(-1.0, value / getattr(limits, name), 1.0))
    x = np.linspace(0.0, 1.0, steps + 1)
    opti.set_initial(duration, 3.0)
    opti.set_initial(state[0, :], 10.0 * x**3 - 15.0 * x**4 + 6.0 * x**5)
    opti.set_initial(state[1, :], 10.0 * x**2 - 20.0 * x**3 + 10.0 * x**4)
    opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
    return float(opti.solve().value(duration))


def test_a_planar_arm_against_a_general_solver():
    """Limits of torque rates, of third order: another method, another program."""
    arm = jounce.load("planar2r")
    points = np.array([[0.0, 0.5], [1.0, 1.0], [1.5, 0.2]])
    limits = limits_of(arm, velocity=4.0, effort=[80.0, 30.0], effort_rate=400.0)
    best = direct_optimum(arm, points, limits)
    for smoothness in (2, 3):
        motion = time_optimal(arm, points, limits, smoothness=smoothness)
        assert abs(motion.duration / best - 1.0) < 0.01
