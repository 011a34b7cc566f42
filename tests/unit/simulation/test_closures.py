"""Simulation of robots with closures: they stay closed, energy is kept, contacts end steps."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.errors import ClosureError
from jounce.simulation import taylor

FOURBAR = jounce.examples.fourbar()


def energy(robot: jounce.Robot, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    tree = robot.without_closures()
    return jounce.kinetic_energy(tree, q, v)[0] + jounce.potential_energy(tree, q)[0]


def test_a_fourbar_swings_without_drift():
    q = jounce.close(FOURBAR, [0.5, 0.5, 1.5])
    v = jounce.closed_rates(FOURBAR, q, [15.0], independent="crank_joint")[0]
    run = taylor(FOURBAR, (q, v), t=(0, 3), tol=1e-12)
    qs, vs = run.states["q"], run.states["v"]
    assert np.ptp(qs[:, 0]) > 2 * np.pi, "the crank goes round"
    assert np.abs(jounce.closure_error(FOURBAR, qs)).max() < 1e-11
    drift = np.einsum("sij,sj->si", jounce.closure_jacobian(FOURBAR, qs)[0], vs)
    assert np.abs(drift).max() < 1e-10
    kept = energy(FOURBAR, qs, vs)
    assert np.ptp(kept) < 1e-9 * np.abs(kept).max()


def test_planned_torques_give_the_motion_back():
    """Torques with derivatives of a crank that turns steadily."""
    q0 = jounce.close(FOURBAR, [0.5, 0.5, 1.5])

    def forces(t: float, order: int) -> np.ndarray:
        q = jounce.close(FOURBAR, run_to(t), hold="crank_joint")
        rates = jounce.closed_rates(
            FOURBAR, q, [5.0], *[[0.0]] * (order + 1), independent="crank_joint"
        )
        Q, _ = jounce.constrained_inverse_dynamics(FOURBAR, q, *rates, actuated="crank_joint")
        return np.concatenate([Q, np.zeros((order + 1, 2))], axis=1)

    near = {0.0: q0}

    def run_to(t: float) -> np.ndarray:
        """Return a start near the motion at t, by small steps of the crank."""
        last = max(s for s in near if s <= t)
        q = near[last]
        for s in np.arange(last, t, 0.01):
            q = jounce.close(FOURBAR, [q0[0] + 5.0 * s, *q[1:]], hold="crank_joint")
            near[float(s)] = q
        return np.array([q0[0] + 5.0 * t, *q[1:]])

    v = jounce.closed_rates(FOURBAR, q0, [5.0], independent="crank_joint")[0]
    run = taylor(FOURBAR, (q0, v), forces, t=(0, 0.4), tol=1e-10)
    assert abs(run.states["q"][-1, 0] - (q0[0] + 2.0)) < 1e-8


def test_a_contact_that_would_pull_ends_the_simulation():
    """A block on the ground is pushed up ever harder: lift-off where its contact bears nothing."""
    builder = jounce.RobotBuilder("block")
    up = jounce.joints.prismatic((0, 0, 1))
    builder.add("block", None, up, np.eye(4), jounce.Inertia(2.0, (0, 0, 0), np.eye(3)))
    robot = builder.build().with_closures(jounce.Closure("block", directions="vz"))

    def push(t: float, order: int) -> np.ndarray:
        rows = np.zeros((order + 1, 1))
        rows[:2, 0] = [30.0 * t, 30.0][: order + 1]
        return rows

    def contact(t: float, q: np.ndarray, v: np.ndarray) -> float:
        found = jounce.constrained_forward_dynamics(robot, q, v, push(t, 0)[0])
        return float(found.multipliers[0, 0])

    run = taylor(robot, ([0.0], [0.0]), push, t=(0, 2), events={"lift-off": contact})
    assert run.reason == "event lift-off"
    assert abs(run.times[-1] - 2.0 * 9.80665 / 30.0) < 1e-9


def test_a_mass_matrix_without_inverse_is_refused():
    """A wrist without mass near its gimbal lock, beside a slide that is held: M is rounding."""
    builder, turn = jounce.RobotBuilder("wrist"), jounce.joints.revolute
    rod = jounce.Inertia(0.8, (0.2, 0.1, 0.05), np.diag([0.01, 0.04, 0.04]))
    builder.add("yaw", joint=turn((0, 0, 1)))
    builder.add("pitch", "yaw", turn((0, 1, 0)))
    builder.add("roll", "pitch", turn((1, 0, 0)), inertia=rod)
    builder.add("slide", joint=jounce.joints.prismatic((0, 0, 1)), inertia=rod)
    builder.closure("slide", directions="vz")
    robot, rest = builder.build(), np.zeros(4)
    for lock in (np.pi / 2, np.pi / 2 - 1e-7):
        with pytest.raises(
            jounce.SimulationError, match=r"'yaw'.* can move without moving any mass"
        ):
            taylor(robot, ([0.3, lock, 0.2, 0.0], rest), t=(0, 0.01), tol=1e-6, max_steps=50)
    run = taylor(robot, ([0.3, 0.4, 0.2, 0.0], rest), t=(0, 0.01), tol=1e-6)
    assert run.reason == "end of time"


def test_states_that_are_open_are_refused():
    with pytest.raises(ClosureError, match="not closed"):
        taylor(FOURBAR, ([0.5, 0.5, 1.5], np.zeros(3)), t=(0, 1))
