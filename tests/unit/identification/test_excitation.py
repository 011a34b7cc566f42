"""Motions for identification: exact gradients, limits that hold, and better than chance."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.errors import ArgumentError, UnknownNameError, UnsupportedError
from jounce.identification import Information, excitation
from jounce.identification.excitation import CRITERIA, _Search
from jounce.identification.terms import Terms
from jounce.trajectory import MotionLimits, check_limits
from tests.tolerances import INDEPENDENT, assert_close


def arm_limits(robot: jounce.Robot) -> MotionLimits:
    own = {"velocity": 2.0, "acceleration": 12.0, "jerk": 100.0}
    return MotionLimits.of(robot, **own, lower=-1.0, upper=2.0, effort=40.0, effort_rate=150.0)


@pytest.mark.parametrize("armature", [False, True])
@pytest.mark.parametrize("criterion", ["information", "condition"])
def test_gradients_are_exact(armature: bool, criterion: str) -> None:
    """Against the complex step of nothing: differences of two steps, extrapolated."""
    robot = jounce.load("planar2r")
    terms = Terms(robot, armature=armature, coulomb_speed=0.3)
    search = _Search(terms, arm_limits(robot), 5.0, 4, 0.2, False)
    search.weights, search.criterion = np.array([0.5, 2.0]), CRITERIA[criterion]
    rng = np.random.default_rng(0)
    x = 2.0 * search.random_start(rng)  # limits are exceeded, so their prices count
    value, gradient = search.cost(x, 10.0)
    assert np.isfinite(value)
    assert search._limit_cost(search.motion_of(x), search._unused(), 1.0) > 0.0
    for _ in range(5):
        d = rng.normal(size=x.size)
        slopes = [
            (search.cost(x + h * d, 10.0)[0] - search.cost(x - h * d, 10.0)[0]) / (2.0 * h)
            for h in (2e-5, 1e-5)
        ]
        assert (4.0 * slopes[1] - slopes[0]) / 3.0 == pytest.approx(gradient @ d, rel=1e-5)


def test_gradient_of_the_regressor(rng: np.random.Generator) -> None:
    """Weights of one column at a time: partials of the forces of one unit parameter."""
    robot = jounce.load("panda")
    q, v, a = rng.normal(size=(3, 7))
    kernel = jounce.kernel(robot, "regressor_gradient")
    for column in (1, 14, 36, 68):
        unit = np.eye(70)[column]
        massive = robot.with_parameters(unit, strict=False)
        wanted = jounce.inverse_dynamics_partials(massive, q, v, a)[0]
        motors = jounce.inverse_dynamics_partials(robot.with_parameters(0 * unit), q, v, a)[0]
        for row in range(7):
            G = np.zeros((7, 70))
            G[row, column] = 1.0
            found = kernel(q, v, a, G.ravel())[0].reshape(3, 7)
            scale = float(np.abs(wanted).max())
            assert_close(found, (wanted - motors)[:, row], INDEPENDENT, scale=scale)


def test_limits_hold_and_chance_is_beaten() -> None:
    robot = jounce.load("planar2r")
    limits = arm_limits(robot)
    told: list[tuple[int, int]] = []
    found = excitation(
        robot, limits, duration=5.0, harmonics=4, starts=2,
        progress=lambda done, total: told.append((done, total)),
    )  # fmt: skip
    assert told[-1] == (6, 6)
    report = check_limits(robot, found.motion, limits)
    assert report.ok
    assert report.worst is not None
    assert report.worst.use > 0.95  # and they are used
    _, v, a = found.motion(0.0, order=2)
    assert max(np.abs(v).max(), np.abs(a).max()) < 1e-9
    assert found.condition < 50.0
    search = _Search(Terms(robot), limits, 5.0, 4, 0.2, False)
    search.weights = 1.0 / np.full(2, 0.4)  # 1 % of the effort
    rng = np.random.default_rng(1)
    best = max(search.score(search.fourier(search.random_start(rng))) for _ in range(5))
    assert search.score(found.motion) > best


def test_expected_errors_are_those_that_come(rng: np.random.Generator) -> None:
    robot = jounce.load("planar2r")
    found = excitation(
        robot, arm_limits(robot), duration=5.0, harmonics=3, starts=1, noise=0.2, rate=200.0
    )
    t = np.arange(1000) / 200.0
    q, v, a = found.motion(t, order=2)
    terms = Terms(robot)
    smooth = v / np.sqrt(v**2 + terms.coulomb_speed**2)
    Q = jounce.inverse_dynamics(robot, q, v, a)[0] + 0.5 * v + 0.3 * smooth + 0.1
    log = q, v, a, Q + rng.normal(size=Q.shape) * 0.2
    known = jounce.identification.identify(robot, log, consistent=False).base
    assert known.names == found.names
    assert known.uncertainty == pytest.approx(found.uncertainty, rel=0.4)


def test_condition_numbers_can_be_searched_for() -> None:
    """Each criterion is the better one at what it makes small."""
    robot = jounce.load("planar2r")
    one, other = (
        excitation(robot, arm_limits(robot), duration=5.0, harmonics=4, starts=2, criterion=name)
        for name in ("information", "condition")
    )
    assert other.limits.ok
    assert other.condition < one.condition
    assert other.log_det < one.log_det
    assert max(other.starts) == pytest.approx(-np.log(other.condition), rel=1e-9)


def test_refusals() -> None:
    robot = jounce.load("planar2r")
    with pytest.raises(UnknownNameError, match="did you mean 'condition'"):
        excitation(robot, arm_limits(robot), duration=5.0, criterion="conditon")
    with pytest.raises(ArgumentError, match="nothing limits the speed of 'joint1'"):
        excitation(robot, MotionLimits.of(robot, velocity=None), duration=5.0)
    limits = arm_limits(robot)
    few = ({"duration": 0.0}, {"harmonics": 1}, {"starts": 0}, {"noise": -1.0})
    many = ({"duration": 1e-320}, {"duration": 1e300}, {"harmonics": 1000}, {"starts": 10**400})
    for wrong in (*few, *many):
        with pytest.raises(ArgumentError, match=next(iter(wrong))):
            excitation(robot, limits, **{"duration": 5.0, **wrong})
    walker = robot.with_floating_base()
    with pytest.raises(UnsupportedError, match="quaternion"):
        excitation(walker, duration=5.0)


def test_robots_with_closures_are_refused():
    fourbar = jounce.examples.fourbar()
    with pytest.raises(UnsupportedError, match="has closures"):
        excitation(fourbar, MotionLimits.of(fourbar, velocity=2.0), duration=5.0)
    with pytest.raises(UnsupportedError, match="without_closures"):
        Information(fourbar)
