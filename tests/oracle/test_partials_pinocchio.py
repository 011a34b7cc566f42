"""Partials of forces and accelerations against Pinocchio, on five URDF files."""

from __future__ import annotations

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio")

import jounce  # noqa: E402
from jounce.adapters.parameter_order import from_pinocchio  # noqa: E402
from tests.example_robots import urdf  # noqa: E402
from tests.pinocchio_peer import PinocchioPeer, urdf_model  # noqa: E402
from tests.tolerances import INDEPENDENT, assert_close  # noqa: E402

FILES = (
    "panda_description/urdf/panda.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "solo_description/robots/solo12.urdf",
    "kinova_description/robots/kinova.urdf",
    "talos_data/robots/talos_reduced.urdf",
)
LIMIT = 10 * INDEPENDENT
pytestmark = [
    pytest.mark.usefixtures("interpreted"),
    pytest.mark.parametrize("floating_base", [False, True], ids=["fixed", "floating"]),
    pytest.mark.parametrize("name", FILES),
]


def peer_of(name: str, floating_base: bool) -> PinocchioPeer:
    path = urdf(name)
    robot = jounce.load(path, floating_base=floating_base, mimic=False, strict=False)
    return PinocchioPeer(robot, urdf_model(path, floating_base=floating_base))


def state(robot: jounce.Robot, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    return robot.random_configuration(rng), *rng.normal(size=(2, robot.nv))


def test_inverse_dynamics(name: str, floating_base: bool, rng: np.random.Generator) -> None:
    peer = peer_of(name, floating_base)
    motion = state(peer.robot, rng)
    P = jounce.inverse_dynamics_partials(peer.robot, *motion)[0]
    by_q, by_v, by_a = pin.computeRNEADerivatives(peer.model, peer.data, *peer.motion(*motion))
    upper = np.triu(by_a)
    B, _ = peer.rates(motion[0], motion[1])  # δ_pin = B δ, Q = Bᵀ τ
    for j, wanted in enumerate((by_q, by_v, upper + np.triu(upper, 1).T)):
        assert_close(P[j], B.T @ wanted @ B, LIMIT, what=f"by rate {j}")


def test_forward_dynamics(name: str, floating_base: bool, rng: np.random.Generator) -> None:
    peer = peer_of(name, floating_base)
    q, v, a = state(peer.robot, rng)
    Q = jounce.inverse_dynamics(peer.robot, q, v, a)[0]
    got = jounce.forward_dynamics_partials(peer.robot, q, v, Q)
    q_pin, v_pin, _ = peer.motion(q, v, a)
    B, _ = peer.rates(q, v)
    wanted = pin.computeABADerivatives(peer.model, peer.data, q_pin, v_pin, B @ Q)
    upper = np.triu(peer.data.Minv)
    wanted = (*wanted[:2], upper + np.triu(upper, 1).T)
    for what, ours, theirs in zip(("da/dq", "da/dv", "da/dQ"), got, wanted, strict=True):
        assert_close(ours, B.T @ theirs @ B, LIMIT, what=what)


def test_gravity(name: str, floating_base: bool, rng: np.random.Generator) -> None:
    peer = peer_of(name, floating_base)
    motion = state(peer.robot, rng)
    q_pin = peer.motion(*motion)[0]
    B, _ = peer.rates(motion[0], motion[1])
    wanted = pin.computeGeneralizedGravityDerivatives(peer.model, peer.data, q_pin)
    got = jounce.gravity_partials(peer.robot, motion[0])
    assert_close(got, B.T @ wanted @ B, LIMIT, scale=1e-3)


def test_regressor(name: str, floating_base: bool, rng: np.random.Generator) -> None:
    peer = peer_of(name, floating_base)
    robot, motion = peer.robot, state(peer.robot, rng)
    Y = pin.computeJointTorqueRegressor(peer.model, peer.data, *peer.motion(*motion))
    B, _ = peer.rates(motion[0], motion[1])
    bodies = [robot.joints.index(robot.joint(joint)) for joint in list(peer.model.names)[1:]]
    got = jounce.regressor(robot, *motion)[0]
    assert_close(got, from_pinocchio(B.T @ Y, bodies=bodies), LIMIT)
