"""Forces that are functions of time, with corners, and symmetric motions: where steps end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jounce
from jounce.simulation import PlannedForces, SimulationError, taylor
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close

ARM = jounce.load("planar2r")
WEIGHTLESS = ARM.with_gravity((0, 0, 0))
REST = (np.zeros(2), np.zeros(2))


def wheel() -> jounce.Robot:
    builder = jounce.RobotBuilder("wheel")
    inertia = jounce.Inertia(1, [0, 0, 0], np.eye(3))
    builder.add("disc", joint=jounce.joints.revolute([0, 0, 1]), inertia=inertia)
    return builder.build()


def switched(time: float, torque: Any) -> Any:
    def forces(t: float, order: int = 0) -> np.ndarray:
        rows = np.zeros((order + 1, 2))
        rows[0] = torque if t >= time else 0.0
        return rows

    return forces


@pytest.mark.parametrize("time", [0.5, 1.0 / 3.0])
def test_a_step_ends_where_forces_jump(time: float):
    """At rest without weight nothing else ends it."""
    found = taylor(WEIGHTLESS, REST, switched(time, [5.0, 0.0]), order=8)
    wanted = taylor(WEIGHTLESS, REST, [5.0, 0.0], (time, 1.0), order=8)
    assert_close(found.times[1], time, ROUNDOFF)
    assert_close(found.final[0], wanted.final[0], INDEPENDENT)


def square_wave(t: float, order: int = 0) -> np.ndarray:
    """Ten times a second 2.5 up, then down."""
    return np.array([[2.5 if 10.0 * t % 1.0 < 0.5 else -2.5], *np.zeros((order, 1))])


@pytest.mark.parametrize("span", [(0.0, 1.0), (-1.0, 0.97), (0.0, 20.0)])
def test_no_jump_of_a_square_wave_is_left_out(span: tuple[float, float]):
    """Nothing but the jumps bounds the steps of a wheel; every period moves it on by τ/I P²/4."""
    found = taylor(wheel(), ([0.0], [0.0]), square_wave, span, order=8)
    periods, rest = divmod(span[1] - span[0] + 1e-9, 0.1)
    assert found.steps == round(2 * periods) + (2 if rest > 1e-6 else 0)
    whole = np.isclose(found.times, span[0] + 0.1 * periods, atol=1e-12, rtol=0.0)
    assert_close(found.states["q"][whole], [[periods * 2.5 * 0.1**2 / 4.0]], 1e-9)


@pytest.mark.parametrize("start", [1e4, 1e6])
def test_smooth_forces_are_smooth_at_late_times(start: float):
    """Times are rounded there: the forces seem to jump by their slope times that."""

    def forces(t: float, order: int = 0) -> np.ndarray:
        rates = [300.0**k * np.sin(300.0 * t + 0.5 * np.pi * k) for k in range(order + 1)]
        return np.array([[5.0 * rate, 0.0] for rate in rates])

    early, late = (taylor(ARM, REST, forces, (t, t + 0.1), order=10) for t in (0.0, start))
    assert abs(late.steps - early.steps) < 0.1 * early.steps


def test_forces_are_not_asked_after_the_end():
    """0.3 + (0.9 − 0.3) is larger than 0.9."""
    asked = []

    def forces(t: float, order: int = 0) -> np.ndarray:
        asked.append(t)
        return np.zeros((order + 1, 2))

    taylor(WEIGHTLESS, REST, forces, (0.3, 0.9), order=8)
    assert max(asked) == 0.9


@pytest.mark.parametrize("smoothness", [1, 2])
def test_a_plan_with_knots_is_followed(smoothness: int):
    """The third derivative of the motion, or the fifth, jumps there."""
    points = [[0, 0], [1, 0.5], [0.2, 0.2]]
    plan = jounce.trajectory.Polynomial.through([0, 0.3, 1], points, smoothness=smoothness)
    forces, times = PlannedForces(ARM, plan), np.linspace(0, 1, 11)
    found = taylor(ARM, forces.state(0.0), forces, order=10, tol=1e-11)
    assert_close(found(times)["q"], plan(times, order=0)[0], 1e-9)


def test_derivatives_that_are_wrong_are_found():
    def forces(t: float, order: int = 0) -> np.ndarray:
        return np.array([[np.sin(5.0 * t), 0.0], *np.zeros((order, 2))])

    with pytest.raises(SimulationError, match="not what their own derivatives say at t = ") as e:
        taylor(WEIGHTLESS, REST, forces, order=8)
    assert e.value.partial.reason == "forces disagree"


@pytest.mark.parametrize("off", [0.0, 1e-9])
@pytest.mark.parametrize("options", [{"tol": 1e-6}, {"tol": 1e-9}, {"tol": 1e-12}, {"order": 8}])
def test_terms_that_vanish_by_symmetry_do_not_make_steps_long(options: dict, off: float):
    """Stretched out and at rest, three of four coefficients are zero, or nearly."""
    start, tol = (np.full(2, off), np.zeros(2)), options.get("tol", 1e-14)
    found = taylor(ARM, start, t=(0, 0.3), **options)
    wanted = taylor(ARM, start, t=(0, 0.3), order=18)
    assert np.count_nonzero(np.abs(wanted.series[0]["v"]).max(axis=1) > 1.0) == 5
    assert np.abs(found.final[0] - wanted.final[0]).max() < max(10 * tol, 1e-13)


def test_low_orders_are_short_where_they_see_no_symmetry():
    found = taylor(ARM, REST, t=(0, 0.02), order=4, tol=1e-9)
    wanted = taylor(ARM, REST, t=(0, 0.02), order=18)
    assert np.abs(found.final[0] - wanted.final[0]).max() < 1e-9
