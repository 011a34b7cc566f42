"""The Taylor integrator against scipy, its options, its errors and what they keep."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jounce
from jounce.elastic import Antagonistic, SeriesElastic, VariableStiffness
from jounce.errors import (
    ArgumentError,
    ModelError,
    NotFiniteError,
    ShapeError,
    UnknownNameError,
)
from jounce.simulation import PlannedForces, SimulationError, taylor
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close

ARM = jounce.load("planar2r")
START = (np.array([0.3, -0.4]), np.array([0.5, 1.0]))
PUSH = jounce.trajectory.Fourier([[3.0, 2.0]], [[1.0, -2.0]], 4.0)
REST = (np.zeros(2), np.zeros(2))


def witness(rhs: Any, start: Any, times: np.ndarray) -> np.ndarray:
    options: dict[str, Any] = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-12}
    return solve_ivp(rhs, times[[0, -1]], np.concatenate(start), t_eval=times, **options).y.T


@pytest.mark.parametrize("order", [5, 12])
def test_forces_in_time_against_scipy(order: int):
    times = np.linspace(0.0, 0.4, 5)

    def rhs(t: float, y: np.ndarray) -> np.ndarray:
        return np.r_[y[2:], jounce.forward_dynamics(ARM, y[:2], y[2:], PUSH(t, order=0)[0])[0]]

    found = taylor(ARM, START, PUSH, (0.0, 0.4), order=order)(times)
    assert_close(np.hstack([found["q"], found["v"]]), witness(rhs, START, times), 1e-10)


def test_damped_springs_against_scipy():
    robot = SeriesElastic(ARM, [300.0, 500.0], 0.1, damping=[2.0, 0.0])
    start, times = (*START, START[0] + 0.1, START[1]), np.linspace(0.0, 0.5, 6)
    torque = np.array([5.0, -2.0])

    def rhs(_: float, y: np.ndarray) -> np.ndarray:
        q, v, theta, theta1 = y.reshape(4, 2)
        a, theta2 = robot.forward_dynamics(q, v, theta, theta1, torque)
        return np.concatenate([v, a, theta1, theta2])

    found = taylor(robot, start, torque, (0.0, 0.5), order=8)(times)
    assert_close(np.hstack(list(found.values())), witness(rhs, start, times), 1e-9)


@pytest.mark.parametrize("representation", ["body", "spatial", "hybrid"])
def test_constant_wrenches_against_scipy(representation: str):
    W, tip, times = np.array([0.5, -0.2, 0.7, 4.0, 6.0, 1.0]), ARM.bodies[-1].name, np.r_[0.0, 0.5]
    load = {tip: jounce.Wrench(W[None], representation)}

    def rhs(_: float, y: np.ndarray) -> np.ndarray:
        return np.r_[y[2:], jounce.forward_dynamics(ARM, y[:2], y[2:], REST[0], wrenches=load)[0]]

    found = taylor(ARM, START, t=(0.0, 0.5), wrenches=load, order=8)
    assert_close(np.concatenate(found.final), witness(rhs, START, times)[-1], 1e-10)
    if representation == "body":
        again = taylor(ARM, START, t=(0.0, 0.5), wrenches={tip: W}, order=8)
        assert_close(again.final[0], found.final[0], ROUNDOFF)


def test_bad_wrenches():
    tip = ARM.bodies[-1].name
    for wrong in (np.zeros((2, 6)), np.zeros(3)):
        with pytest.raises(ShapeError, match=rf"wrench on {tip}.*\(6,\)"):
            taylor(ARM, START, wrenches={tip: wrong}, order=4)
    with pytest.raises(NotFiniteError, match=f"wrench on {tip}"):
        taylor(ARM, START, wrenches={tip: np.full(6, np.nan)}, order=4)
    with pytest.raises(UnknownNameError, match="nothing"):
        taylor(ARM, START, wrenches={"nothing": np.zeros(6)}, order=4)
    for thing, state in (
        (SeriesElastic(ARM, 500.0, 0.1), START),
        (Antagonistic(ARM, 9.0, 0.1), ()),
    ):
        with pytest.raises(ShapeError, match=rf"wrench on {tip}.*\(6,\)"):
            taylor(thing, (*START, *state), wrenches={tip: np.zeros(3)})


def test_dense_output_meets_the_steps():
    found = taylor(ARM, START, order=8)
    assert_close(found(found.times)["q"], found.states["q"], ROUNDOFF)
    assert_close(found(0.5)["v"], taylor(ARM, START, t=(0.0, 0.5), order=8).final[1], INDEPENDENT)
    for wrong in (-0.1, 1.1, np.nan):
        with pytest.raises(ArgumentError, match=f"between 0 and 1 s, got {wrong:g}.*end of time"):
            found(wrong)


def test_a_fixed_step_converges_with_its_order():
    exact = taylor(ARM, START, order=12).final[0]
    errors = [
        np.abs(taylor(ARM, START, order=5, step=h).final[0] - exact).max() for h in (0.02, 0.01)
    ]
    assert 2**4.3 < errors[0] / errors[1] < 2**6
    assert taylor(ARM, START, order=5, step=0.02).steps == 50


def test_a_sampled_controller_is_held():
    calls = []

    def controller(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        calls.append(t)
        return -20.0 * q - 2.0 * v

    found = taylor(ARM, START, t=(0.0, 0.05), controller=controller, sample_time=1e-3)
    assert_close(calls, np.arange(50) * 1e-3, ROUNDOFF)
    state = START
    for t in calls:
        held = -20.0 * state[0] - 2.0 * state[1]
        state = taylor(ARM, state, held, (t, t + 1e-3), order=12).final
    assert_close(found.final[0], state[0], INDEPENDENT)
    assert len(next(iter(found.series))["q"]) == 9, "short steps need a low order only"


def test_the_order_follows_the_tolerance():
    loose, tight = (taylor(ARM, START, t=(0, 0.2), tol=tol) for tol in (1e-6, 1e-12))
    assert len(loose.series[0]["q"]) == 9
    assert len(tight.series[0]["q"]) == 17
    assert 1e-10 < np.abs(loose.final[0] - tight.final[0]).max() < 1e-4


def limited() -> jounce.Robot:
    b = jounce.RobotBuilder("slider", gravity=(0, 0, -10))
    limits = jounce.Limits(lower=[-5.0], upper=[1.0], velocity=[20.0])
    inertia = jounce.Inertia(1, [0, 0, 0], np.eye(3))
    b.add("m", joint=jounce.joints.prismatic([0, 0, 1]), joint_name="z", inertia=inertia,
          limits=limits)  # fmt: skip
    return b.build()


def test_limits_end_the_simulation():
    robot, rest = limited(), ([0.0], [0.0])
    found = taylor(robot, rest, t=(0, 9), limits=True, order=6)
    assert found.reason == "lower position limit of joint z reached"
    assert_close(found.times[-1], 1.0, ROUNDOFF)
    up = taylor(robot, ([0.0], [5.0]), t=(0, 9), limits="position", order=6)
    assert up.reason == "upper position limit of joint z reached"
    assert_close(up.times[-1], (5.0 - np.sqrt(5.0)) / 10.0, ROUNDOFF)
    fast = taylor(robot, ([0.0], [-19.0]), t=(0, 9), limits=["velocity"], order=6)
    assert_close(fast.times[-1], 0.1, ROUNDOFF)
    assert fast.reason == "velocity limit of joint z reached"
    beyond = taylor(robot, ([2.0], [0.0]), t=(0, 9), limits=True, order=6)
    assert beyond.steps == 0
    assert_close(beyond(0.0)["q"], [2.0], ROUNDOFF)
    assert taylor(robot, rest, t=(0, 9), order=6).reason == "end of time"
    with pytest.raises(ArgumentError, match="limits"):
        taylor(robot, rest, limits="effort")


def test_events_end_the_simulation():
    found = taylor(limited(), ([0.0], [3.0]), t=(0, 9), order=6,
                   events={"apex": lambda *state: state[2][0]})  # fmt: skip
    assert found.reason == "event apex"
    assert_close(found.times[-1], 0.3, ROUNDOFF)
    with pytest.raises(NotFiniteError, match="event apex gave nan"):
        taylor(limited(), ([0.0], [3.0]), order=6, events={"apex": lambda *_: np.nan})
    with pytest.raises(ArgumentError, match="events"):
        taylor(limited(), ([0.0], [3.0]), events={"apex": 1.0})  # pyright: ignore[reportArgumentType]


def test_progress_is_told():
    seen: list[float] = []
    found = taylor(ARM, START, order=8, progress=seen.append)
    assert_close(seen, found.times[1:], ROUNDOFF)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_controller_that_returns_no_number_keeps_what_was(bad: float):
    def controller(t: float, *state: np.ndarray) -> list[float]:
        return [bad if t > 0.0495 else 1.0, 0.0]

    with pytest.raises(SimulationError, match=r"not finite at t = 0.05") as caught:
        taylor(ARM, START, controller=controller, sample_time=0.01)
    assert_close(caught.value.partial.times[-1], 0.05, ROUNDOFF)
    assert caught.value.partial.states["q"].shape == (6, 2)


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_interruption_keeps_what_was(error: type[BaseException]):
    def progress(t: float) -> None:
        if t > 0.3:
            raise error

    with pytest.raises(error) as caught:
        taylor(ARM, START, order=8, progress=progress)
    partial = caught.value.partial
    assert 0.3 < partial.times[-1] < 0.6
    assert_close(partial(0.2)["q"], taylor(ARM, START, order=8)(0.2)["q"], ROUNDOFF)


def test_underflow_and_overflow_keep_what_was():
    def controller(t: float, *_: np.ndarray) -> list[float]:
        return [1e60 if t > 0.035 else 0.0, 0.0]

    with pytest.raises(
        SimulationError, match=r"too small at t = 0.04 s: joint 'joint2' .*e\+60"
    ) as caught:
        taylor(ARM, START, controller=controller, sample_time=0.01, order=4)
    free = taylor(ARM, START, t=(0.0, 0.04), order=12)
    assert caught.value.partial.reason == "step underflow"
    assert_close(caught.value.partial.final[0], free.final[0], INDEPENDENT)
    with pytest.raises(SimulationError, match=r"range.*joint1' has velocity 1e\+200") as caught:
        taylor(ARM, (START[0], np.array([1e200, 0.0])), order=4)
    assert caught.value.partial.steps == 0


def test_a_spring_that_goes_slack_keeps_what_was():
    robot = Antagonistic(ARM, 200.0, 0.1)
    state = (*REST, np.full(2, 0.5), np.zeros(2), np.full(2, -0.5), np.zeros(2))
    with pytest.raises(SimulationError, match=r"at t = 0.0.* joint 'joint1' is slack") as caught:
        taylor(robot, state, [-50.0, 0, 0, 0], order=6)
    assert caught.value.partial.times[-1] > 0.01
    with pytest.raises(ModelError, match="joint1' is slack"):
        taylor(robot, (*REST, *REST, *REST), order=6)
    variable = VariableStiffness(ARM, 0.1)
    with pytest.raises(ModelError, match="joint 'joint1' has no stiffness left"):
        taylor(variable, (*REST, *REST, *REST), order=6)
    ends = (np.ones(2), np.array([0.0, -9.0]))
    with pytest.raises(SimulationError, match=r"at t = 0.1.*joint 'joint2' has no stiffness left"):
        taylor(variable, (*REST, *REST, *ends), order=6)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"t": (1.0, 0.0)}, "end > start"),
        ({"t": 3.0}, "start, end"),
        ({"order": 1}, "order"),
        ({"tol": 0.0}, "tol"),
        ({"step": -1.0}, "step"),
        ({"sample_time": 1.0}, "controller needs"),
        ({"controller": lambda *_: [0, 0]}, "sample_time"),
        ({"controller": lambda *_: [0, 0], "sample_time": "1"}, "sample_time must be positive"),
        ({"controller": [0, 0], "sample_time": 1.0}, "callable, got list"),
        ({"controller": lambda *_: [0, 0], "sample_time": 1.0, "forces": [0, 0]}, "not both"),
        ({"tol": 1e-17}, "rounding"),
        ({"order": 4.0}, "order must be an integer"),
        ({"order": True}, "order must be an integer"),
        ({"progress": 3}, "progress must be callable, got int"),
        ({"limits": None}, "limits must be True.*None"),
        ({"events": {"top": lambda *state: state[1]}}, "event top must return a number"),
        ({"forces": [1.0]}, r"\(2,\)"),
        ({"forces": [[1.0, 2.0], [3.0, 4.0]]}, r"forces must have shape \(2,\), got \(2, 2\)"),
        ({"controller": lambda *_: [1.0], "sample_time": 0.1}, r"controller returns.*\(2,\)"),
        ({"forces": lambda t: [np.sin(t), 0.0]}, "needs 4.*order"),
    ],
)
def test_bad_options(options: dict[str, Any], match: str):
    with pytest.raises((ArgumentError, ShapeError), match=match):
        taylor(ARM, START, **{"order": 4, **options})


def test_bad_states():
    for state in ((REST[0],), (np.zeros(3), np.zeros(2)), (np.zeros((2, 2)), np.zeros(2)), 3.0):
        with pytest.raises(ShapeError):
            taylor(ARM, state)  # pyright: ignore[reportArgumentType]
    mixed = SeriesElastic(ARM, [np.inf, 500.0], 0.1)
    with pytest.raises(ArgumentError, match=r"rigid joint.*0.1"):
        taylor(mixed, (*START, START[0] + 0.1, START[1]), order=4)
    with pytest.raises(TypeError, match="cannot simulate a str"):
        taylor("planar2r", START)
    with pytest.raises(TypeError, match="forces of a str"):
        PlannedForces("planar2r", PUSH)
    with pytest.raises(ArgumentError, match="variable stiffness only"):
        PlannedForces(ARM, PUSH, PUSH)
