"""Wrenches on the links of elastic robots: work, planned motions, stiff springs, feedback."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jounce
from jounce.elastic import (
    Antagonistic,
    ExtendedController,
    SeriesElastic,
    TrackingController,
    VariableStiffness,
)
from jounce.elastic.drives import with_armature
from jounce.simulation import PlannedForces, Simulation, taylor
from tests.elastic_swing import ARM, STIFFNESS, SWING
from tests.tolerances import INDEPENDENT, assert_close

TIP = ARM.bodies[-1].name
W = np.array([0.5, -0.2, 1.7, 4.0, 3.0, -6.0])
K, J, GAIN, SPRING = np.array([300.0, 500.0]), 0.1, 100.0, 200.0
DRIVES = {
    "rigid": ARM,
    "elastic": SeriesElastic(ARM, K, J),
    "mixed": SeriesElastic(ARM, [np.inf, 500.0], J, gear_ratio=[-2.0, 3.0]),
    "variable": VariableStiffness(ARM, J, adjuster_inertia=0.02, gain=GAIN),
    "antagonistic": Antagonistic(ARM, SPRING, J),
}
each_drive = pytest.mark.parametrize("name", list(DRIVES))


def planned(name: str, wrenches: Any = None) -> PlannedForces:
    is_variable = name in ("variable", "antagonistic")
    return PlannedForces(DRIVES[name], SWING, STIFFNESS if is_variable else None, wrenches=wrenches)


def stored(name: str, x: dict[str, np.ndarray]) -> np.ndarray:
    """Return the energy of links, motors and springs."""
    E = jounce.kinetic_energy(ARM, x["q"], x["v"])[0]
    E = E + jounce.potential_energy(ARM, x["q"], x["v"])[0]
    if name == "elastic":
        own = J * x["theta1"] ** 2 + K * (x["theta"] - x["q"]) ** 2
        return E + 0.5 * own.sum(axis=1)
    if name == "variable":
        spring = GAIN * x["adjuster"] * (x["theta"] - x["q"]) ** 2
        own = J * x["theta1"] ** 2 + 0.02 * x["adjuster1"] ** 2 + spring
        return E + 0.5 * own.sum(axis=1)
    if name == "antagonistic":
        first, second = x["agonist"] - x["q"], x["q"] - x["antagonist"]
        motors = 0.5 * J * (x["agonist1"] ** 2 + x["antagonist1"] ** 2)
        return E + (motors + SPRING / 6.0 * (first**3 + second**3)).sum(axis=1)
    return E


def angles(name: str, x: dict[str, np.ndarray]) -> np.ndarray:
    """Return what the forces of a simulation do work on."""
    parts = {"rigid": ["q"], "elastic": ["theta"], "variable": ["theta", "adjuster"]}
    return np.hstack([x[part] for part in parts.get(name, ["agonist", "antagonist"])])


def done_by_wrench(found: Simulation, load: jounce.Wrench) -> float:
    """Return ∫ Wᵀ V dt by Gauss quadrature of every step."""
    points, weights = np.polynomial.legendre.leggauss(12)
    start, length = found.times[:-1, None], np.diff(found.times)[:, None]
    x = found(start + 0.5 * length * (points + 1.0))
    V = jounce.frame_twist(ARM, TIP, x["q"], x["v"], representation=load.representation)[0]
    return float((0.5 * length * weights * (V @ np.ravel(load.values))).sum())


@pytest.mark.parametrize("representation", ["body", "spatial", "hybrid"])
@pytest.mark.parametrize("name", ["rigid", "elastic", "variable", "antagonistic"])
def test_the_energy_grows_by_the_work_of_wrench_and_motors(name: str, representation: str):
    load, forces = jounce.Wrench(W[None], representation), planned(name)(0.0)[0]
    state, push = planned(name).state(0.0), {TIP: load}
    found = taylor(DRIVES[name], state, forces, (0, 0.5), wrenches=push, order=10)
    E, x = stored(name, found.states), angles(name, found.states)
    by_wrench = done_by_wrench(found, load)
    assert abs(by_wrench) > 0.1
    wanted = by_wrench + forces @ (x[-1] - x[0])
    assert_close(E[-1] - E[0], wanted, INDEPENDENT, scale=np.abs(E).max())
    if representation == "hybrid":  # a force that keeps its direction: exact, no quadrature
        load = {TIP: jounce.Wrench(np.r_[0, 0, 0, W[3:]][None], "hybrid")}
        found = taylor(DRIVES[name], state, forces, (0, 0.5), wrenches=load, order=10)
        E, x = stored(name, found.states), angles(name, found.states)
        p = jounce.frame_pose(ARM, TIP, found.states["q"])[0][:, :3, 3]
        wanted = W[3:] @ (p[-1] - p[0]) + forces @ (x[-1] - x[0])
        assert_close(E[-1] - E[0], wanted, INDEPENDENT, scale=np.abs(E).max())


@pytest.mark.parametrize("representation", ["body", "spatial", "hybrid"])
@each_drive
def test_planned_motions_under_a_known_wrench_are_reproduced(name: str, representation: str):
    load = {TIP: jounce.Wrench(W[None], representation)}
    plan, times = planned(name, load), np.linspace(0.0, 0.5, 11)
    found = taylor(DRIVES[name], plan.state(0.0), plan, (0, 0.5), wrenches=load, order=8)
    assert_close(found(times)["q"], SWING(times, order=0)[0], 1e-10)
    assert np.abs(plan(0.0)[0] - planned(name)(0.0)[0]).max() > 0.1


def test_stiff_springs_tend_to_the_rigid_robot_under_a_wrench():
    """Under the torques of the rigid plan the elastic robot is off by O(1/K)."""
    load, times = {TIP: jounce.Wrench(W[None], "hybrid")}, np.linspace(0.0, 0.2, 5)
    rigid = with_armature(ARM, np.full(2, J))
    plan, errors = PlannedForces(rigid, SWING, wrenches=load), []
    for stiffness in (1e4, 1e5, 1e6):
        drives = SeriesElastic(ARM, stiffness, J)
        state = PlannedForces(drives, SWING, wrenches=load).state(0.0)
        found = taylor(drives, state, plan, (0, 0.2), wrenches=load, order=10, tol=1e-13)
        errors.append(np.abs(found(times)["q"] - SWING(times, order=0)[0]).max())
    assert errors[0] < 1e-3
    assert_close(np.divide(errors[:-1], errors[1:]), [10.0, 10.0], 0.02)


def test_controllers_that_know_the_wrench_give_the_planned_torques():
    """On the planned motion there is no error to correct; at the middle of a sample, later."""
    load, poles, T = {TIP: W}, [-8, -9, -10, -11], 1e-3
    plan = planned("elastic", load)
    control = TrackingController(DRIVES["elastic"], SWING, poles, wrenches=load)
    assert_close(control(0.3, *plan.state(0.3)), plan(0.3)[0], 1e-10)
    plan, drives = planned("mixed", load), DRIVES["mixed"]
    errors = {}
    for known in (None, load):
        control = ExtendedController(drives, SWING, poles, T, wrenches=known)
        found = taylor(drives, plan.state(0.0), t=(0, 0.05), wrenches=load, controller=control,
                       sample_time=T)  # fmt: skip
        errors[known is None] = np.abs(found.final[0] - SWING(0.05, order=0)[0]).max()
    assert errors[False] < 1e-5 < 1e-3 < errors[True]
