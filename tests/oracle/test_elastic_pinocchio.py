"""Elastic robots under wrenches: Pinocchio's links, motors by hand, scipy's integrator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin  # pyright: ignore[reportMissingImports]
import pytest
from scipy.integrate import solve_ivp

import jounce
from jounce.adapters.pinocchio import pinocchio_model
from jounce.elastic import SeriesElastic, VariableStiffness
from jounce.simulation import taylor
from tests.tolerances import assert_close

SPAN = (0.0, 0.3)
W = np.array([0.5, -0.2, 0.7, 4.0, 6.0, 1.0])


class Links:
    """The links of a tree of revolute and prismatic joints in Pinocchio, under one wrench."""

    def __init__(self, robot: jounce.Robot, frame: str, representation: str) -> None:
        self.model = pinocchio_model(robot)
        self.data = self.model.createData()
        self.frame = self.model.getFrameId(frame)
        self.joint = self.model.frames[self.frame].parentJoint
        self.representation = representation
        theirs = [self.model.joints[self.model.getJointId(j.name)] for j in robot.joints]
        self.order = np.array([joint.idx_v for joint in theirs])

    def acceleration(self, q: np.ndarray, v: np.ndarray, Q: np.ndarray) -> np.ndarray:
        x, u, tau = (np.empty_like(q) for _ in range(3))
        x[self.order], u[self.order], tau[self.order] = q, v, Q
        pin.framesForwardKinematics(self.model, self.data, x)
        force = pin.Force(W[3:], W[:3])
        T = self.data.oMf[self.frame]
        in_world = {
            "body": T.act(force),
            "spatial": force,
            "hybrid": pin.SE3(np.eye(3), T.translation).act(force),
        }[self.representation]
        external = [pin.Force.Zero() for _ in self.model.joints]
        external[self.joint] = self.data.oMi[self.joint].actInv(in_world)
        return pin.aba(self.model, self.data, x, u, tau, external)[self.order]


def witness(rhs: Any, start: np.ndarray, parts: int) -> np.ndarray:
    def flat(_: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate(rhs(*y.reshape(parts, -1)))

    options: dict[str, Any] = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-12}
    return solve_ivp(flat, SPAN, start.ravel(), **options).y[:, -1].reshape(parts, -1)


def tree(rng: np.random.Generator) -> jounce.Robot:
    return jounce.examples.random_tree(rng, 4, ["revolute", "prismatic"], oblique_gravity=True)


@pytest.mark.parametrize("representation", ["body", "spatial", "hybrid"])
def test_damped_springs_under_a_wrench(rng: np.random.Generator, representation: str):
    robot = tree(rng)
    frame, n = robot.bodies[-1].name, np.array([-2.0, 3.0, 1.0, 5.0])
    K, D, J = np.array([300.0, 500.0, 400.0, 200.0]), np.array([2.0, 0, 1.0, 0]), 0.3
    links, torque = Links(robot, frame, representation), rng.normal(size=4)
    start = 0.2 * rng.normal(size=(4, 4))
    start[2:] = n * start[:2] + 0.1 * start[2:]

    def rhs(q: Any, v: Any, theta: Any, theta1: Any) -> tuple[np.ndarray, ...]:
        Q = K * (theta / n - q) + D * (theta1 / n - v)
        return v, links.acceleration(q, v, Q), theta1, n * (n * torque - Q) / J

    drives = SeriesElastic(robot, K, J, damping=D, gear_ratio=n)
    load = {frame: jounce.Wrench(W[None], representation)}
    found = taylor(drives, list(start), torque, SPAN, wrenches=load, order=8, tol=1e-13)
    wanted = witness(rhs, start, 4)
    assert_close(np.array(found.final), wanted, 1e-10)
    free = taylor(drives, list(start), torque, SPAN, order=8, tol=1e-13)
    assert np.abs(free.final[0] - wanted[0]).max() > 1e-3


def test_variable_stiffness_under_a_wrench(rng: np.random.Generator):
    robot, J, Ja, gain = tree(rng), 0.3, 0.05, 100.0
    frame, torques = robot.bodies[-1].name, rng.normal(size=8)
    links, start = Links(robot, frame, "hybrid"), 0.2 * rng.normal(size=(6, 4))
    start[2:4] = start[:2] + 0.1 * start[2:4]
    start[4] += 4.0

    def rhs(q: Any, v: Any, theta: Any, theta1: Any, sigma: Any, sigma1: Any) -> tuple[Any, ...]:
        stretch = theta - q
        Q = gain * sigma * stretch
        theta2 = (torques[:4] - Q) / J
        sigma2 = (torques[4:] - 0.5 * gain * stretch**2) / Ja
        return v, links.acceleration(q, v, Q), theta1, theta2, sigma1, sigma2

    drives = VariableStiffness(robot, J, adjuster_inertia=Ja, gain=gain)
    load = {frame: jounce.Wrench(W[None], "hybrid")}
    found = taylor(drives, list(start), torques, SPAN, wrenches=load, order=8, tol=1e-13)
    assert_close(np.array(found.final), witness(rhs, start, 6), 1e-10)
