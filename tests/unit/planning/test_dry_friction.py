"""Dry friction, which no power of the speed is, along the fastest motion."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.limits.forces import MotionForces, played
from jounce.planning import time_optimal
from jounce.planning.curve import Curve, composed, path_motion
from jounce.planning.dry_friction import softest, tangent
from jounce.planning.planner import _Planner
from jounce.planning.powers import powers_at, rate
from jounce.planning.squared_speed import SquaredSpeed, clamped_knots
from jounce.trajectory import Polynomial, check_limits, scale_to_limits
from tests.tolerances import assert_close
from tests.unit.planning.test_planner import limits_of

F, M, D = 8.0, 2.0, 1.5  # N, kg, m
POINTS = [[0.0, 0.0], [0.5, 0.3], [1.0, -0.4]]  # the second joint turns


def rubbing_cart(coulomb: float, speed: float) -> jounce.Robot:
    builder = jounce.RobotBuilder("cart")
    inertia = jounce.Inertia(M, (0.0, 0.0, 0.0), np.eye(3))
    friction = {"coulomb": coulomb, "speed": speed}
    slide = jounce.joints.prismatic((1, 0, 0))
    builder.add("cart", joint=slide, inertia=inertia, friction=friction)
    return builder.build()


def rubbing_arm(coulomb: float, speed: float = 0.01) -> jounce.Robot:
    builder = jounce.RobotBuilder("arm")
    rod = jounce.Inertia(1.0, (0.3, 0.0, 0.0), np.diag([0.01, 0.05, 0.05]))
    dry = {"viscous": 0.1, "coulomb": coulomb, "speed": speed}
    builder.add("l1", joint=jounce.joints.revolute((0, 0, 1)), inertia=rod, friction=dry)
    elbow = jounce.joints.revolute((0, 1, 0), point=(0.6, 0.0, 0.0))
    builder.add("l2", "l1", elbow, inertia=rod, friction=dry)
    return builder.build()


@pytest.mark.parametrize("softness", [1.0, 5.0])
def test_the_tangent_has_value_and_slope_of_friction_and_its_rate(rng, softness: float):
    robot = rubbing_arm(3.0, 0.3)
    forces = MotionForces(robot)
    curve = Curve(robot, path_motion(robot, POINTS), 3, (True, True))
    knots = clamped_knots(10, 3)
    x, change = rng.uniform(2.0, 4.0, 13), rng.normal(size=13)
    u = np.linspace(0.05, 0.95, 11)

    def exact(coefficients: np.ndarray) -> np.ndarray:
        rates = SquaredSpeed(knots, coefficients, 3).rates(u, 3)
        motion = played(composed(curve(u, 3), rates), 1.0 / softness)
        return forces.dry(motion)[:2] * np.array([1.0, softness])[:, None, None]

    near = SquaredSpeed(knots, x, 3)
    found = tangent(forces, curve, u, 3, near, softness)

    def linear(coefficients: np.ndarray) -> np.ndarray:
        f = np.stack([SquaredSpeed(knots, coefficients, 3)(u, k) for k in range(3)], axis=1)
        return np.array([
            sum(powers_at(power, f)[0][:, None] * jet[0] for power, jet in quantity.items())
            for quantity in (found, rate(found))
        ])  # fmt: skip

    assert_close(linear(x), exact(x), 1e-10)
    h = 1e-4
    slopes = [(g(x + h * change) - g(x - h * change)) / (2.0 * h) for g in (linear, exact)]
    for ours, wanted in zip(*slopes, strict=True):
        assert_close(ours, wanted, 1e-5)


def test_soft_friction_is_in_proportion_to_the_speed():
    robot = rubbing_arm(3.0)
    forces = MotionForces(robot)
    curve = Curve(robot, path_motion(robot, POINTS), 3, (True, True))
    near = SquaredSpeed(clamped_knots(10, 3), np.full(13, 2.0), 3)
    assert 10.0 < softest(forces, curve, near) < 1e4
    assert softest(MotionForces(rubbing_arm(0.0)), curve, near) == 1.0


@pytest.mark.parametrize(
    ("coulomb", "rate", "longest"), [(0.5, 400.0, 0.555), (3.0, 400.0, 0.597), (3.0, 100.0, 0.835)]
)
def test_friction_that_sets_in_at_once_is_felt_by_rates(
    coulomb: float, rate: float, longest: float
):
    """With 800 knots 0.548, 0.590 and 0.824 s; with one speed 0.8 … 1.9 s at 400 N m/s."""
    robot = rubbing_arm(coulomb)
    limits = limits_of(robot, velocity=3.0, effort=20.0, effort_rate=rate)
    motion = time_optimal(robot, POINTS, limits)
    assert motion.lower_bound < motion.duration < longest
    assert check_limits(robot, motion, limits).ok
    assert motion.converged


def transcribed(coulomb: float, speed: float, rate: float, steps: int) -> float:
    """Return the duration that a general solver finds for force and motion of the cart over time.

    The force is linear on each of equal steps, the motion a cubic (Hermite and Simpson).
    """
    import casadi

    opti = casadi.Opti()
    duration, state, slope = opti.variable(), opti.variable(3, steps + 1), opti.variable(steps)
    opti.minimize(duration)
    h = duration / steps

    def flow(x, v, force):
        return casadi.vertcat(v, (force - coulomb * v / casadi.sqrt(v**2 + speed**2)) / M)

    for k in range(steps):
        a, b = state[:, k], state[:, k + 1]
        fa, fb = (flow(*casadi.vertsplit(x)) for x in (a, b))
        middle = (a[:2] + b[:2]) / 2 + h / 8 * (fa - fb)
        fm = flow(middle[0], middle[1], (a[2] + b[2]) / 2)
        opti.subject_to(b == a + casadi.vertcat(h / 6 * (fa + 4 * fm + fb), h * slope[k]))
    opti.subject_to(opti.bounded(-rate, slope, rate))
    opti.subject_to(opti.bounded(-F, state[2, :], F))
    opti.subject_to(duration >= 0.1)
    opti.subject_to(state[:, 0] == 0.0)
    opti.subject_to(state[:, steps] == casadi.vertcat(D, 0.0, 0.0))
    x = np.linspace(0.0, 1.0, steps + 1)
    opti.set_initial(duration, 2.0)
    opti.set_initial(state[0, :], D * (10.0 * x**3 - 15.0 * x**4 + 6.0 * x**5))
    opti.set_initial(state[1, :], D / 2.0 * 30.0 * (x**2 - 2.0 * x**3 + x**4))
    opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
    return float(opti.solve().value(duration))


@pytest.mark.slow
@pytest.mark.parametrize(("coulomb", "rate"), [(2.0, 50.0), (5.0, 50.0)])
def test_against_a_general_solver(coulomb: float, rate: float):
    robot = rubbing_cart(coulomb, 0.05)
    best = transcribed(coulomb, 0.05, rate, 80)
    motion = time_optimal(robot, [[0.0], [D]], limits_of(robot, effort=F, effort_rate=rate))
    assert abs(motion.duration / best - 1.0) < 0.005
    assert motion.lower_bound < best


@pytest.mark.filterwarnings("ignore::jounce.planning.PlanningWarning")
def test_tighter_limits_that_allow_no_motion(monkeypatch: pytest.MonkeyPatch):
    """The motion found before goes on; its multipliers are those of other rows."""
    solve = _Planner._next

    def unless_begun_anew(self, places, x, multipliers=None):
        return None if multipliers is None else solve(self, places, x, multipliers)

    monkeypatch.setattr(_Planner, "_next", unless_begun_anew)
    monkeypatch.setattr("jounce.planning.planner.SLOWER_DRY", -1.0)  # none is near enough
    monkeypatch.setattr("jounce.planning.planner.LEAST_SHARE", 0.9995)
    robot = rubbing_arm(3.0)
    limits = limits_of(robot, velocity=3.0, effort=20.0, effort_rate=400.0)
    motion = time_optimal(robot, POINTS, limits, knots=40)
    assert check_limits(robot, motion, limits).ok


@pytest.mark.filterwarnings("ignore::jounce.planning.PlanningWarning")
def test_a_solver_that_goes_astray_is_not_slower_than_one_speed(monkeypatch: pytest.MonkeyPatch):
    """The path is at rest at its ends by itself, so that one speed is the given motion."""

    def astray(self, found):
        places = self._places()
        return places, found._replace(x=np.geomspace(1.0, 0.01, self.size))

    monkeypatch.setattr(_Planner, "_hardened", astray)
    monkeypatch.setattr(_Planner, "_next", lambda *_: None)
    robot = rubbing_arm(3.0)
    limits = limits_of(robot, velocity=3.0, effort=20.0, effort_rate=400.0)
    path = Polynomial.through([0.0, 0.5, 1.0], POINTS, smoothness=3)
    motion = time_optimal(robot, path, limits, knots=40)
    assert motion.duration <= scale_to_limits(robot, path, limits).duration * (1.0 + 1e-6)
    assert check_limits(robot, motion, limits).ok
