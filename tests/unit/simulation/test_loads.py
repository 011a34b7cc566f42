"""Wrenches that vary: in time, with derivatives, and with the state, on jets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jounce
from jounce.elastic import SeriesElastic, VariableStiffness
from jounce.errors import ArgumentError, ShapeError
from jounce.simulation import PlannedForces, taylor
from tests.elastic_swing import ARM, STIFFNESS, SWING
from tests.tolerances import assert_close

pytestmark = pytest.mark.usefixtures("interpreted")
TIP = ARM.bodies[-1].name
START = np.array([0.3, 0.2]), np.array([0.5, -1.0])
PUSH = jounce.trajectory.Fourier(
    np.random.default_rng(1).normal(size=(2, 6)), np.random.default_rng(2).normal(size=(2, 6)), 0.7
)


def slider() -> jounce.Robot:
    b = jounce.RobotBuilder("slider", gravity=(0, 0, 0))
    b.add(
        "mass",
        joint=jounce.joints.prismatic((1, 0, 0)),
        inertia=jounce.Inertia(2.0, [0, 0, 0], np.eye(3)),
    )
    return b.build()


@pytest.mark.parametrize("representation", ["body", "hybrid"])
def test_a_wrench_that_varies_in_time(representation: str):
    """Against SciPy on forward dynamics under the wrench of the moment."""
    load = jounce.Wrench(PUSH, representation)
    found = taylor(ARM, START, t=(0, 0.5), order=10, wrenches={TIP: load})

    def rhs(t: float, x: np.ndarray) -> np.ndarray:
        now = {TIP: jounce.Wrench(PUSH(t, order=0), representation)}
        q, v = x.reshape(2, 2)
        return np.concatenate([v, jounce.forward_dynamics(ARM, q, v, np.zeros(2), wrenches=now)[0]])

    wanted = solve_ivp(
        rhs, (0, 0.5), np.concatenate(START), method="DOP853", rtol=1e-11, atol=1e-12
    )
    assert_close(np.concatenate(found.final), wanted.y[:, -1], 1e-9)


def test_a_spring_with_a_damper_is_exact():
    """x'' = −(k x + d x')/m has a solution in closed form."""
    k, d, m = 50.0, 3.0, 2.0
    robot = slider()
    spring = {"mass": lambda _, q, v: [0, 0, 0, q[0] * -k + v[0] * -d, 0, 0]}
    times = np.linspace(0, 2, 9)
    found = taylor(robot, ([0.3], [1.0]), t=(0, 2), wrenches=spring)(times)["q"][:, 0]
    a, w = d / (2 * m), np.sqrt(k / m - (d / (2 * m)) ** 2)
    wanted = np.exp(-a * times) * (
        0.3 * np.cos(w * times) + (1.0 + 0.3 * a) / w * np.sin(w * times)
    )
    assert_close(found, wanted, 1e-12)


def test_all_orders_of_a_load_on_jets_are_exact():
    """One series of high order: the load knows t, q and v, sines among them."""

    def load(t: Any, q: Any, v: Any) -> list[Any]:
        sine, cosine = q[0].sincos()
        return [0.0, 0.0, sine * v[1] * 2.0 + t * t, v[0] * cosine * -1.5, 3.0, 0.0]

    step, order = 0.02, 14
    found = taylor(ARM, START, t=(0, step), order=order, step=step, wrenches={TIP: load})

    def rhs(t: float, x: np.ndarray) -> np.ndarray:
        (q, v), zero = x.reshape(2, 2), np.zeros(2)
        s, c = np.sin(q[0]), np.cos(q[0])
        W = np.array([[0, 0, 2.0 * s * v[1] + t * t, -1.5 * c * v[0], 3.0, 0.0]])
        return np.concatenate([v, jounce.forward_dynamics(ARM, q, v, zero, wrenches={TIP: W})[0]])

    end = solve_ivp(rhs, (0, step), np.concatenate(START), method="DOP853", rtol=1e-13, atol=1e-15)
    assert_close(np.concatenate(found.final), end.y[:, -1], 1e-12)
    series = found.series[0]["v"]
    size = np.abs(series).max(axis=1)
    assert (size[1:] * step ** np.arange(1, order + 1) < 10.0).all()


@pytest.mark.parametrize(
    "drives",
    [ARM, SeriesElastic(ARM, 500.0, 0.1), VariableStiffness(ARM, 0.1)],
    ids=["rigid", "elastic", "variable"],
)
def test_a_plan_knows_wrenches_that_vary_in_time(drives: Any):
    wrenches = {TIP: jounce.Wrench(PUSH, "hybrid")}
    stiffness = STIFFNESS if isinstance(drives, VariableStiffness) else None
    plan = PlannedForces(drives, SWING, stiffness, wrenches=wrenches)
    found = taylor(drives, plan.state(0.0), plan, (0, 0.2), order=8, wrenches=wrenches)
    assert_close(found.final[0], SWING(0.2, order=0)[0], 1e-10)


def test_an_elastic_arm_in_a_field_of_the_state_keeps_its_energy():
    """A spring from the tip body's turning to the world has the energy ½ c (q₁ + q₂)²."""
    drives, c = SeriesElastic(ARM, 300.0, 0.1), 20.0
    load = {TIP: lambda _t, q, *_: [0, 0, (q[0] + q[1]) * -c, 0, 0, 0]}
    rest = np.zeros(2)
    x = taylor(drives, (START[0], rest, START[0], rest), t=(0, 1), order=10, wrenches=load).states
    E = jounce.kinetic_energy(ARM, x["q"], x["v"])[0] + jounce.potential_energy(ARM, x["q"])[0]
    E = E + 0.5 * np.sum(300.0 * (x["theta"] - x["q"]) ** 2 + 0.1 * x["theta1"] ** 2, axis=1)
    E = E + 0.5 * c * x["q"].sum(axis=1) ** 2
    assert_close(E, np.full(len(E), E[0]), 1e-12, scale=10.0)


def test_a_wrench_that_jumps_ends_a_step_there():
    def jump(t: float, order: int = 0) -> np.ndarray:
        rows = np.zeros((order + 1, 6))
        rows[0, 3] = 1.0 if t < 0.317 else -2.0
        return rows

    found = taylor(slider(), ([0.0], [0.0]), t=(0, 1), wrenches={"mass": jump})
    v = 0.5 * 0.317 - 1.0 * (1 - 0.317)
    assert_close(found.final[1], [v], 1e-12)


def test_bad_loads():
    with pytest.raises(ShapeError, match=r"wrench on link2\(t\) must have shape \(m, 6\)"):
        taylor(ARM, START, wrenches={TIP: SWING})
    with pytest.raises(ShapeError, match="six components, got 2"):
        taylor(ARM, START, wrenches={TIP: lambda _, q, v: [q[0], v[0]]})
    with pytest.raises(ArgumentError, match="a plan takes wrenches that stay"):
        PlannedForces(ARM, SWING, wrenches={TIP: lambda *_: [0] * 6})
