"""Joint rates of any order: what every choice of task, weights and damping must satisfy."""

from __future__ import annotations

import copy
from typing import Any

import mpmath
import numpy as np
import pytest

import jounce
from jounce.dynamics.inverse_kinematics import inverse_kinematics_rates as text
from jounce.dynamics.twists import frame_twist
from jounce.model.robot import Robot
from tests.tolerances import ROUNDOFF, assert_close, assert_orders_close

pytestmark = pytest.mark.usefixtures("interpreted")

REPRESENTATIONS = ("body", "spatial", "hybrid")
CONSISTENT = 1e-10  # of scale: the task at every order, as the issue asks
Q7 = np.array([0.1, 0.5, 0.2, -1.0, 0.3, 0.8, 0.1])  # of iiwa14, far from a singularity


def twists_of(robot: Robot, frame: str, q: Any, rates: Any, representation: str = "body"):
    return jounce.frame_twist(robot, frame, q, *rates, representation=representation)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_six_joints_come_back_to_sixth_order(representation: str, rng: np.random.Generator):
    robot = jounce.load("puma560")
    q = np.array([0.1, 0.5, -0.4, 0.3, 0.9, 0.2])
    rates = rng.normal(size=(6, 2, 3, 6))
    V = twists_of(robot, "link6", q, rates, representation)
    got = jounce.inverse_kinematics_rates(robot, "link6", q, *V, representation=representation)
    assert_orders_close(got, rates, 1e-9)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("weights", [None, np.arange(1.0, 8.0)])
def test_redundant_task_is_met_at_every_order(
    representation: str, weights: Any, rng: np.random.Generator
):
    robot = jounce.load("iiwa14")
    V = twists_of(robot, "flange", Q7, rng.normal(size=(4, 7)), representation)
    z = rng.normal(size=(3, 7))
    got = jounce.inverse_kinematics_rates(
        robot, "flange", Q7, *V, representation=representation, weights=weights, null_space=z
    )
    assert_orders_close(twists_of(robot, "flange", Q7, got, representation), V, CONSISTENT)


def motion_and_derivative(robot: Robot, h: float, **options: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return v̇ by the function, and by central differences of v along the motion itself."""
    V = np.array([[0.3, -0.2, 0.1, 0.2, 0.1, -0.3], [0.5, 0.4, -0.3, 0.2, 0.1, 0.6]])
    z = np.array([[0.3, -0.1, 0.2, 0.4, -0.2, 0.1, 0.3], [0.2, 0.1, 0.3, -0.3, 0.1, 0.4, -0.1]])

    def v(t: float) -> np.ndarray:
        at = Q7 + t * rates[0] + t * t / 2 * rates[1]
        moved = z + t * np.array([z[1], 0 * z[1]])
        return jounce.inverse_kinematics_rates(
            robot, "flange", at, V[0] + t * V[1], null_space=moved[:1], **options
        )[0]

    rates = jounce.inverse_kinematics_rates(robot, "flange", Q7, *V, null_space=z, **options)
    return rates[1], (v(h) - v(-h)) / (2 * h)


@pytest.mark.parametrize(
    "options",
    [{}, {"weights": np.arange(1.0, 8.0)}, {"damping": 0.3}, {"independent": "joint3"}],
    ids=["plain", "weighted", "damped", "decomposed"],
)
def test_higher_rates_are_derivatives_of_lower_ones(options: dict[str, Any]):
    """Redundancy is resolved along the motion, not anew at every order."""
    got, wanted = motion_and_derivative(jounce.load("iiwa14"), 1e-5, **options)
    assert_close(got, wanted, 1e-8)


def test_weighted_pseudo_inverse():
    robot, w = jounce.load("iiwa14"), np.arange(1.0, 8.0)
    J = jounce.jacobian(robot, "flange", Q7)[0]
    V, z = np.arange(1.0, 7.0), np.linspace(-1, 1, 7)
    D = np.diag(1 / w)
    pseudo = D @ J.T @ np.linalg.inv(J @ D @ J.T)
    wanted = pseudo @ V + (np.eye(7) - pseudo @ J) @ z
    got = jounce.inverse_kinematics_rates(robot, "flange", Q7, V, weights=w, null_space=z[None])
    assert_close(got[0], wanted, 1e-12)


def test_damping_and_what_it_misses():
    robot = jounce.load("iiwa14")
    J = jounce.jacobian(robot, "flange", Q7)[0]
    V = np.arange(1.0, 13.0).reshape(2, 6)
    found = jounce.inverse_kinematics_rates(robot, "flange", Q7, *V, damping=0.2, full_output=True)
    wanted = J.T @ np.linalg.solve(J @ J.T + 0.04 * np.eye(6), V[0])
    assert_close(found.rates[0], wanted, 1e-12)
    missed = V - twists_of(robot, "flange", Q7, found.rates)
    assert_orders_close(found.residual, missed, 1e-12)
    assert np.abs(found.residual).min() > 1e-3
    assert_close(found.condition, np.linalg.cond(J), 1e-10)


def test_independent_joints_move_as_told(rng: np.random.Generator):
    robot = jounce.load("iiwa14")
    rates = rng.normal(size=(4, 7))
    V = twists_of(robot, "flange", Q7, rates)
    got = jounce.inverse_kinematics_rates(
        robot, "flange", Q7, *V, null_space=rates, independent=("joint3",)
    )
    assert_orders_close(got, rates, 1e-9)


def test_fewer_joints_than_directions(rng: np.random.Generator):
    """Least squares: its residual, its derivative, and rows that nothing moves."""
    robot, q = jounce.load("planar2r"), np.array([0.3, 0.9])
    rates = rng.normal(size=(4, 2))
    V = twists_of(robot, "tip", q, rates)
    assert_orders_close(jounce.inverse_kinematics_rates(robot, "tip", q, *V), rates, 1e-12)
    V = rng.normal(size=(3, 6))
    found = jounce.inverse_kinematics_rates(robot, "tip", q, *V, full_output=True)
    J = jounce.jacobian(robot, "tip", q)[0]
    assert_close(found.rates[0], np.linalg.lstsq(J, V[0], rcond=None)[0], 1e-13)
    assert_orders_close(found.residual, V - twists_of(robot, "tip", q, found.rates), 1e-13)
    h = 1e-5

    def v(t: float) -> np.ndarray:
        at = q + t * found.rates[0] + t * t / 2 * found.rates[1]
        twist = V[0] + t * V[1] + t * t / 2 * V[2]
        return jounce.inverse_kinematics_rates(robot, "tip", at, twist)[0]

    assert_close(found.rates[1], (v(h) - v(-h)) / (2 * h), 1e-8)


def test_directions_in_any_order(rng: np.random.Generator):
    robot = jounce.load("iiwa14")
    V = rng.normal(size=(3, 4))
    found = jounce.inverse_kinematics_rates(
        robot, "flange", Q7, *V, directions="vz wx vy wz", damping=0.1, full_output=True
    )
    six = twists_of(robot, "flange", Q7, found.rates)
    assert_orders_close(six[:, [5, 0, 4, 2]] + found.residual, V, CONSISTENT)


def test_floating_base_and_joints_aside(rng: np.random.Generator):
    """A foot of the humanoid: nq ≠ nv; joints that do not carry it follow the null space."""
    robot = jounce.load("humanoid")
    q = robot.random_configuration(rng)
    V, z = rng.normal(size=(3, 6)), rng.normal(size=(3, robot.nv))
    got = jounce.inverse_kinematics_rates(robot, "right_sole", q, *V, null_space=z)
    assert_orders_close(twists_of(robot, "right_sole", q, got), V, CONSISTENT)
    J = jounce.jacobian(robot, "right_sole", q)[0]
    aside = ~J.any(axis=0)
    assert aside.any()
    assert_orders_close(got[:, aside], z[:, aside], ROUNDOFF)


def test_singular_is_an_error_that_says_what_is_lost():
    robot = jounce.load("puma560")
    q = np.zeros((2, 6))
    q[0] = [0.1, 0.5, -0.4, 0.3, 0.9, 0.2]
    q[1] = [0.1, 0.5, -0.4, 0.3, 0.0, 0.2]  # the wrist is straight
    with pytest.raises(jounce.SingularityError, match=r"rank 5 of 6.*lost direction") as caught:
        jounce.inverse_kinematics_rates(robot, "link6", q, np.ones(6))
    error = caught.value
    assert (error.rank, error.index) == (5, (1,))
    assert error.condition > 1e12
    J = jounce.jacobian(robot, "link6", q[1])[0]
    assert np.abs(error.direction @ J).max() < 1e-12
    twin = copy.copy(error)  # by __reduce__, as pickle does
    assert (str(twin), twin.rank) == (str(error), 5)
    found = jounce.inverse_kinematics_rates(robot, "link6", q, np.ones(6), damping=0.1)
    assert np.abs(found).max() < 100


def test_all_lost_directions_are_named():
    """An arm that stands straight up moves neither along z nor along y, nor turns about x."""
    with pytest.raises(jounce.SingularityError, match=r"rank 3 of 6.*\(.*\), \(.*\), \(.*\)") as e:
        jounce.inverse_kinematics_rates(jounce.load("iiwa14"), "flange", np.zeros(7), np.ones(6))
    J = jounce.jacobian(jounce.load("iiwa14"), "flange", np.zeros(7))[0]
    lost = e.value.directions
    assert_close(lost @ lost.T, np.eye(3), ROUNDOFF)
    assert np.abs(lost @ J).max() < 1e-12
    assert np.array_equal(lost[-1], e.value.direction)


def test_the_limit_is_that_of_the_condition_number():
    robot = jounce.load("iiwa14")
    condition = np.linalg.cond(jounce.jacobian(robot, "flange", Q7)[0])
    V = np.ones(6)
    jounce.inverse_kinematics_rates(robot, "flange", Q7, V, condition_limit=1.001 * condition)
    with pytest.raises(jounce.SingularityError):
        jounce.inverse_kinematics_rates(robot, "flange", Q7, V, condition_limit=0.999 * condition)


@pytest.mark.parametrize(
    ("arguments", "options", "match"),
    [
        ((np.ones(5),), {}, "one entry a direction"),
        ((), {}, "at least one twist"),
        ((np.ones(6),), {"directions": "vw"}, "vw"),
        ((np.ones(2),), {"directions": "vx vx"}, "different"),
        ((np.ones(6),), {"weights": np.zeros(7)}, "positive"),
        ((np.ones(6),), {"weights": np.ones(6)}, "shape"),
        ((np.ones(6),), {"damping": -1.0}, "damping"),
        ((np.ones(6),), {"null_space": np.ones(7)}, "orders"),
        ((np.ones(6),), {"representation": "tool"}, "representation"),
        ((np.ones(6),), {"independent": "elbow"}, "elbow"),
        ((np.full(6, np.nan),), {}, "finite"),
    ],
)
def test_bad_arguments(arguments: Any, options: Any, match: str):
    with pytest.raises(jounce.JounceError, match=match):
        jounce.inverse_kinematics_rates(jounce.load("iiwa14"), "flange", Q7, *arguments, **options)


def test_a_frame_that_nothing_moves():
    robot = jounce.load("puma560")
    fixed = robot.with_frame("floor", None, np.eye(4))
    with pytest.raises(jounce.UnsupportedError, match="no joint"):
        jounce.inverse_kinematics_rates(fixed, "floor", np.zeros(6), np.ones(6))


@pytest.mark.parametrize(("angle", "condition"), [(1e-2, 300.0), (3e-4, 1e4)])
def test_near_a_singularity_the_task_is_missed_by_little_more_than_rounding(
    angle: float, condition: float
):
    """Measured with 60 digits, against the exact rates rounded once.

    Terms as large as the fourth power of the rates make up the fourth derivative: what a task
    can be met to is what rounding the rates leaves.
    """
    robot, frame = jounce.load("puma560"), "link6"
    options = {"representation": "body", "frame": frame}
    q = np.array([0.1, 0.5, -0.4, 0.3, angle, 0.2])
    assert np.linalg.cond(jounce.jacobian(robot, frame, q)[0]) > condition
    worst = np.zeros((2, 5))
    for V in np.random.default_rng(0).normal(size=(4, 5, 6)):
        found = jounce.inverse_kinematics_rates(robot, frame, q, *V)
        with mpmath.workdps(60):
            exact_q, exact_V = ([mpmath.mpf(float(x)) for x in row] for row in (q, V.ravel()))
            twists = [exact_V[6 * k : 6 * k + 6] for k in range(5)]
            rows = text(
                robot,
                [exact_q, twists],
                "",
                directions="wx wy wz vx vy vz",
                prescribed="",
                **options,
            )
            rounded = np.array([[float(x) for x in row[:6]] for row in rows])
            for i, rates in enumerate((found, rounded)):
                given = [[mpmath.mpf(float(x)) for x in rate] for rate in rates]
                reached = frame_twist(robot, exact_q, given, **options)
                for k in range(5):
                    miss = max(abs(a - b) for a, b in zip(reached[k], twists[k], strict=True))
                    worst[i, k] = max(worst[i, k], float(miss))
    assert (worst[0] < 12.0 * worst[1] + 1e-12).all(), worst
