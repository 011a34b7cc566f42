"""No motion is faster than the lower bound, and it is not far below."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import BSpline

import jounce
from benchmarks.planning_peers import toppra_duration
from jounce.limits.forces import MotionForces
from jounce.planning import lower_bound, time_optimal
from jounce.planning.curve import Curve, path_motion
from jounce.planning.limits_along import LimitsAlong
from jounce.planning.squared_speed import SquaredSpeed, clamped_knots
from jounce.trajectory import MotionLimits
from tests.tolerances import assert_close
from tests.unit.planning.test_planner import cart, limits_of, points_of

F, M, D = 8.0, 2.0, 1.5  # N, kg, m


def switched(damping: float, coulomb: float, offset: float, speed: float) -> float:
    """Return how long full force and then full braking take, the switch found by shooting."""

    def rate(_: float, x: np.ndarray, push: float) -> list[float]:
        v = x[1]
        dry = coulomb * v / np.hypot(v, speed) + offset
        return [v, (push - damping * v - dry) / M]

    def halted(_: float, x: np.ndarray, __: float) -> float:
        return x[1]

    halted.terminal, halted.direction = True, -1.0  # pyright: ignore[reportFunctionMemberAccess]

    def there(switch: float) -> tuple[float, float]:
        solve = partial(solve_ivp, rate, rtol=1e-9, atol=1e-11)
        first = solve((0.0, switch), [0.0, 0.0], args=(F,))
        brake = solve((0.0, 9.0), first.y[:, -1], args=(-F,), events=halted)
        return brake.y[0, -1], switch + brake.t[-1]

    low, high = 0.01, 5.0
    for _ in range(30):
        middle = (low + high) / 2.0
        low, high = (middle, high) if there(middle)[0] < D else (low, middle)
    return there(high)[1]


@pytest.mark.parametrize(
    ("bounds", "exact"),
    [
        ({"effort": F}, 2.0 * np.sqrt(D * M / F)),
        ({"effort": F, "effort_lower": -2.0}, np.sqrt(2.0 * D * M * (1.0 / F + 1.0 / 2.0))),
        ({"velocity": 1.0}, D),
        ({"velocity": 0.1, "acceleration": 2.0}, D / 0.1 + 0.1 / 2.0),
        ({"velocity": 0.9, "acceleration": 2.0}, D / 0.9 + 0.9 / 2.0),
        ({"velocity": 5.0, "acceleration": 2.0, "effort": 100.0}, 2.0 * np.sqrt(D / 2.0)),
    ],
)
@pytest.mark.parametrize("smoothness", [1, 3, 5])
def test_one_joint(bounds: dict[str, float], exact: float, smoothness: int):
    limits = limits_of(cart(), **bounds)
    motion = time_optimal(cart(), [[0.0], [D]], limits, smoothness=smoothness)
    assert 0.995 * exact < motion.lower_bound <= exact


@pytest.mark.parametrize(
    ("damping", "coulomb", "offset", "speed"),
    [(3.0, 0.0, 0.0, 1.0), (0.0, 2.0, 0.0, 0.001), (0.0, 2.0, 1.0, 0.001), (1.0, 3.0, 0.0, 0.1)],
)
def test_one_joint_with_friction(damping: float, coulomb: float, offset: float, speed: float):
    exact = switched(damping, coulomb, offset, speed)
    builder = jounce.RobotBuilder("cart")
    dry = {"coulomb": coulomb, "offset": offset, "speed": speed}
    friction: dict[str, Any] = {"damping": damping, **({"friction": dry} if coulomb else {})}
    inertia = jounce.Inertia(M, (0.0, 0.0, 0.0), np.eye(3))
    builder.add("cart", joint=jounce.joints.prismatic((1, 0, 0)), inertia=inertia, **friction)
    robot = builder.build()
    motion = time_optimal(robot, [[0.0], [D]], limits_of(robot, effort=F), smoothness=1)
    assert 0.99 * exact < motion.lower_bound <= exact


@pytest.mark.parametrize(("start", "end"), [(0.5, 0.0), (0.0, 0.5), (0.5, 0.3)])
def test_ends_in_motion(start: float, end: float):
    a = F / M
    top = np.sqrt(a * D + (start**2 + end**2) / 2.0)
    exact = (2.0 * top - start - end) / a
    limits = limits_of(cart(), effort=F)
    motion = time_optimal(cart(), [[0.0], [D]], limits, start_speed=start, end_speed=end)
    assert 0.995 * exact < motion.lower_bound <= exact


def test_any_price_gives_a_bound(panda: jounce.Robot):
    """Prices of no use give poor bounds, and never one above a motion that there is."""
    points, limits = points_of(panda, 4, 1), MotionLimits.of(panda, jerk=None, effort_rate=None)
    best = time_optimal(panda, points, limits)
    along = LimitsAlong(panda, limits)
    forces = MotionForces.of(panda, None, limits)
    curve = Curve(panda, path_motion(panda, points), 3, (True, True))
    cells = np.union1d(np.linspace(0.0, 1.0, 161), curve.knots)
    unit = float(best.speed(np.array(0.5)))
    bound = lower_bound.LowerBound(curve, along, forces, cells, best.speed, unit)
    rng = np.random.default_rng(0)
    knots = np.concatenate([np.zeros(2), np.linspace(0.0, 1.0, 81), np.ones(2)])
    found = []
    for scale in (0.0, 0.01, 0.03, 0.1, 0.3):
        rise = np.linspace(-1.0, 1.0, 82) + 0.1 * rng.normal(size=82)
        found.append(bound(BSpline(knots, scale * rise, 2), [None, None]))
    assert max(found) < best.duration
    assert max(found) > found[0] > 0.0  # none has the bound of the velocities


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_another_planner_is_not_faster(panda: jounce.Robot):
    limits = MotionLimits.of(panda, jerk=None, effort_rate=None)
    for seed in range(2):
        points = points_of(panda, 5, seed)
        motion = time_optimal(panda, points, limits)
        assert motion.lower_bound < toppra_duration(panda, points, limits)
        assert motion.gap < 0.01
        slower = time_optimal(panda, points, MotionLimits.of(panda, effort_rate=100.0))
        assert slower.lower_bound == pytest.approx(motion.lower_bound, rel=2e-3)


def test_the_bound_holds_whatever_the_solver_found(monkeypatch: pytest.MonkeyPatch):
    """Multipliers of a solver that stopped at once are poor prices."""
    monkeypatch.setattr("jounce.planning.interior_point.STEPS", 2)
    limits = limits_of(cart(), velocity=1.0, effort=F)
    with pytest.warns(jounce.planning.PlanningWarning):
        motion = time_optimal(cart(), [[0.0], [D]], limits)
    assert 0.0 < motion.lower_bound <= D + M / F


class Waiting:
    """A path that stands still for the first and the last third of its parameter."""

    n, t0, duration, knots = 1, 0.0, 3.0, np.array([0.0, 1.0, 2.0, 3.0])
    rise = np.poly1d([-20.0, 70.0, -84.0, 35.0, 0.0, 0.0, 0.0, 0.0])

    def __call__(self, t: Any, order: int = 4) -> np.ndarray:
        x = np.asarray(t, dtype=float) - 1.0
        moves = (x > 0.0) & (x < 1.0)
        rates = [np.where(moves, self.rise.deriv(k)(x), 0.0) for k in range(1, order + 1)]
        return np.stack([self.rise(np.clip(x, 0.0, 1.0)), *rates])[..., None]


@pytest.mark.parametrize("bounds", [{"velocity": 0.5}, {"velocity": 0.5, "acceleration": 3.0}])
def test_a_path_that_waits_at_its_ends(bounds: dict[str, float]):
    motion = time_optimal(cart(), Waiting(), limits_of(cart(), **bounds))
    assert 1.999 < motion.lower_bound <= 2.0


def test_the_pieces_of_flat_ends_do_not_overlap():
    """The price is continuous, so that of a path and limits with a middle is the same both ways."""
    curve = Curve(cart(), path_motion(cart(), [[0.0], [D]]), 20, (True, True))
    limits = limits_of(cart(), effort=F)
    speed = SquaredSpeed(clamped_knots(8, 3), np.ones(11), 3)
    bound = lower_bound.LowerBound(
        curve,
        LimitsAlong(cart(), limits),
        MotionForces(cart()),
        np.linspace(0.0, 1.0, 13),
        speed,
        1.0,
    )
    price = BSpline(clamped_knots(12, 2), np.ones(14), 2)
    nu, slope = bound._price(price, [True, True])
    assert_close(nu, nu[::-1], 1e-9)
    assert_close(slope, -slope[::-1], 1e-9)


def test_rates_alone_have_no_bound():
    motion = time_optimal(cart(), [[0.0], [D]], limits_of(cart(), jerk=10.0))
    assert motion.lower_bound == 0.0
    assert motion.gap == np.inf
    assert "lower bound 0" in str(motion)


@pytest.fixture(scope="module")
def panda() -> jounce.Robot:
    return jounce.load("panda")
