"""Robots that float, with elastic joints: planned motions, momentum, energy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jounce
from jounce.elastic import SeriesElastic
from jounce.model.configuration import motion_of
from jounce.simulation import PlannedForces, taylor
from tests.floating_walker import exact_motion, walker
from tests.tolerances import INDEPENDENT, assert_close

WALKER = walker()
PUSH = {"ball": jounce.Wrench([[0.3, -0.2, 0.1, 2.0, 1.0, -3.0]], "hybrid")}


class Walk:
    """The walker's motion in closed form, as a trajectory."""

    n, duration = WALKER.nq, 1.0

    def __call__(self, t: float, order: int = 4) -> list[np.ndarray]:
        return [row[0] for row in exact_motion(np.array([t]), order)[1]]


@pytest.mark.parametrize("wrenches", [None, PUSH], ids=["free", "pushed"])
def test_a_planned_motion_of_a_floating_robot_is_reproduced(wrenches: Any):
    drives = SeriesElastic(WALKER, 400.0, 0.2, gear_ratio=2.0)
    plan = PlannedForces(drives, Walk(), wrenches=wrenches)
    found = taylor(drives, plan.state(0.0), plan, (0.0, 0.3), order=8, wrenches=wrenches)
    q, v, theta, theta1 = found.final
    for got, wanted in zip((v, theta, theta1), plan.state(0.3)[1:], strict=True):
        assert_close(got, wanted, 1e-10)
    assert np.abs(jounce.difference(WALKER, q, Walk()(0.3)[0])).max() < 1e-10
    assert (theta[:6] == 0.0).all()


def test_momentum_obeys_the_wrenches_and_energy_the_work():
    """No force on the base: gravity and the push alone change the momentum of the whole."""
    K = np.array([np.inf] * 6 + [400.0, 300.0] + [np.inf] * 3)
    drives = SeriesElastic(WALKER, K, 0.2)
    q, v = WALKER.neutral, np.linspace(-1.0, 1.0, 11)
    state = q, v, np.r_[np.zeros(6), 0.1, -0.2, np.zeros(3)], np.r_[np.zeros(6), 1.0, 0.5, 0, 0, 0]
    torque = np.r_[np.zeros(6), 3.0, -2.0, 0.1, 0.2, 0.3]
    found = taylor(drives, state, torque, (0.0, 0.4), order=12, wrenches=PUSH)
    x = found.states
    L = jounce.momentum(WALKER, x["q"], x["v"])[0]
    for k, series in enumerate(found.series):
        q, v, a = series["q"][0], series["v"][0], series["v"][1]
        rate = jounce.momentum(WALKER, q, v, a)[1]
        T = jounce.frame_pose(WALKER, "ball", q)[0]
        weight = WALKER.mass * np.array(WALKER.gravity)
        push = PUSH["ball"].values[0]
        com = jounce.center_of_mass(WALKER, q)[0]
        moment = push[:3] + np.cross(T[:3, 3], push[3:]) + np.cross(com, weight)
        wanted = np.r_[moment, push[3:] + weight]
        assert_close(rate, wanted, 1e-11, what=f"step {k}")
    assert np.abs(L[-1] - L[0]).max() > 1.0
    energy = jounce.kinetic_energy(WALKER, x["q"], x["v"])[0]
    energy = energy + jounce.potential_energy(WALKER, x["q"], x["v"])[0]
    spring = slice(6, 8)
    angle = WALKER.joint("slider").q_slice.start
    bend = x["theta"][:, spring] - x["q"][:, angle : angle + 2]
    energy = energy + 0.5 * np.sum(K[spring] * bend**2 + 0.2 * x["theta1"][:, spring] ** 2, axis=1)
    nodes, weights = np.polynomial.legendre.leggauss(24)
    work = [0.0]
    for start, end in zip(found.times[:-1], found.times[1:], strict=True):
        times = 0.5 * (end - start) * nodes + 0.5 * (end + start)
        y = found(times)
        twist = jounce.frame_twist(WALKER, "ball", y["q"], y["v"], representation="hybrid")[0]
        speed = np.where(np.isfinite(K), y["theta1"], y["v"])
        power = twist @ PUSH["ball"].values[0] + speed @ torque
        work.append(work[-1] + 0.5 * (end - start) * float(power @ weights))
    assert_close(energy - energy[0], work, INDEPENDENT, scale=np.abs(energy).max())


HUMANOID = jounce.load("humanoid")


class Flight:
    """A polynomial motion of the humanoid, its base included."""

    n, duration = HUMANOID.nq, 0.5

    def __init__(self) -> None:
        scale = np.array([0.2, 0.3, 0.2, 0.1])[:, None]
        points = np.random.default_rng(0).normal(size=(4, HUMANOID.nq)) * scale
        points[0, 6] += 1.0
        self.path = jounce.trajectory.Polynomial(points)

    def __call__(self, t: float, order: int = 4) -> list[np.ndarray]:
        return [row[0] for row in motion_of(HUMANOID, self.path(t, order=order)[:, None])]


@pytest.mark.slow
def test_a_humanoid_with_elastic_legs_flies_as_planned():
    """Half a second open loop; the base gets the force that its motion needs."""
    K = np.full(HUMANOID.nv, np.inf)
    for joint in HUMANOID.joints:
        if any(part in joint.name for part in ("hip", "knee", "ankle")):
            K[joint.v_slice] = 800.0
    drives, flight = SeriesElastic(HUMANOID, K, 0.1), Flight()
    plan = PlannedForces(drives, flight)
    found = taylor(drives, plan.state(0.0), plan, (0.0, 0.5), order=8)
    assert np.abs(jounce.difference(HUMANOID, found.final[0], flight(0.5)[0])).max() < 1e-9
    assert_close(found.final[1], flight(0.5)[1], 1e-9)
