"""Kinematics, momentum, energy and loads against Pinocchio, in its three reference frames."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio")

import jounce  # noqa: E402
from jounce.model.examples import KINDS  # noqa: E402
from tests.pinocchio_peer import PinocchioState, named_peer  # noqa: E402
from tests.tolerances import INDEPENDENT, assert_close, assert_orders_close  # noqa: E402

pytestmark = pytest.mark.usefixtures("interpreted")

REPRESENTATIONS = ("body", "spatial", "hybrid")
CASES = ["panda", "talos", "talos floating", "tree", "tree floating"]
SAMPLES = 2
Case = tuple[jounce.Robot, list[str], list[np.ndarray], list[PinocchioState]]

every_case = pytest.mark.parametrize("name", CASES)
every_representation = pytest.mark.parametrize("representation", REPRESENTATIONS)


@cache
def case(name: str) -> Case:
    """Return a robot, frames near its base, middle and tip, a motion, and Pinocchio in it."""
    rng = np.random.default_rng(sum(map(ord, name)))
    peer = named_peer(name, rng, [k for k in KINDS if k != "mimic"])
    robot = peer.robot
    moving = [frame.name for frame in robot.frames if frame.body >= 0]
    frames = [moving[0], moving[len(moving) // 2], moving[-1]]
    q = np.array([robot.random_configuration(rng) for _ in range(SAMPLES)])
    v, a = rng.normal(size=(2, SAMPLES, robot.nv))
    states = [PinocchioState(peer, *sample) for sample in zip(q, v, a, strict=True)]
    return robot, frames, [q, v, a], states


@every_case
def test_poses(name: str) -> None:
    robot, frames, (q, *_), states = case(name)
    T = jounce.poses(robot, q)[0]
    for i, body in enumerate(robot.bodies):
        assert_close(T[:, i], [state.pose(body.name) for state in states], INDEPENDENT)
    for frame in frames + [f.name for f in robot.frames if f.body < 0]:
        wanted = [state.pose(frame) for state in states]
        assert_close(jounce.frame_pose(robot, frame, q)[0], wanted, INDEPENDENT)


@every_representation
@every_case
def test_jacobians_and_their_rates(name: str, representation: str) -> None:
    """``getFrameJacobianTimeVariation`` is the derivative of the components, as ours is."""
    robot, frames, (q, v, _), states = case(name)
    for frame in frames:
        wanted = np.array([s.jacobian(frame, representation) for s in states]).swapaxes(0, 1)
        got = jounce.jacobian(robot, frame, q, v, representation=representation)
        assert_close(got[0], wanted[0], INDEPENDENT, what=f"J of {frame}")
        scale = float(np.abs(wanted[0]).max())  # a root may have J' = 0 by structure
        assert_close(got[1], wanted[1], INDEPENDENT, scale=scale, what=f"J' of {frame}")


@every_representation
@every_case
def test_twists_and_accelerations(name: str, representation: str) -> None:
    """The rate of a twist is the acceleration Pinocchio calls spatial, hybrid: classical."""
    robot, frames, motion, states = case(name)
    kind = "classical" if representation == "hybrid" else "spatial"
    for frame in frames:
        got = jounce.frame_twist(robot, frame, *motion, representation=representation)
        assert_close(got[0], [s.twist(frame, representation) for s in states], INDEPENDENT)
        wanted = [s.acceleration(frame, representation, kind) for s in states]
        assert_close(got[1], wanted, INDEPENDENT)
    V, A = jounce.twists(robot, *motion, representation=representation)
    for i, body in enumerate(robot.bodies):
        wanted = [s.twist(body.name, representation) for s in states]
        assert_close(V[:, i], wanted, INDEPENDENT, what=body.name)
        wanted = [s.acceleration(body.name, representation, kind) for s in states]
        assert_close(A[:, i], wanted, INDEPENDENT, what=body.name)


@every_case
def test_the_other_accelerations_of_pinocchio(name: str) -> None:
    """Classical in LOCAL and WORLD is v' + ω × v, spatial in LOCAL_WORLD_ALIGNED v' − ω × v."""
    robot, frames, motion, states = case(name)
    for frame in frames:
        for representation in ("body", "spatial"):
            V, A = jounce.frame_twist(robot, frame, *motion, representation=representation)
            wanted = [s.acceleration(frame, representation, "classical") for s in states]
            assert_close(shifted(A, V, 1.0), wanted, INDEPENDENT)
        V, A = jounce.frame_twist(robot, frame, *motion, representation="hybrid")
        wanted = [s.acceleration(frame, "hybrid", "spatial") for s in states]
        assert_close(shifted(A, V, -1.0), wanted, INDEPENDENT)


def shifted(A: np.ndarray, V: np.ndarray, sign: float) -> np.ndarray:
    cross = np.cross(V[..., :3], V[..., 3:])
    return np.concatenate([A[..., :3], A[..., 3:] + sign * cross], axis=-1)


@every_case
def test_center_of_mass(name: str) -> None:
    robot, _, (q, v, a), states = case(name)
    wanted = np.array([s.center_of_mass() for s in states]).swapaxes(0, 1)
    assert_orders_close(jounce.center_of_mass(robot, q, v, a), wanted, INDEPENDENT)
    J = jounce.com_jacobian(robot, q, v)
    assert_close(J[0], [s.com_jacobian() for s in states], INDEPENDENT)
    bias = wanted[2] - np.einsum("sij,sj->si", J[0], a)
    got = np.einsum("sij,sj->si", J[1], v)
    assert_close(got, bias, INDEPENDENT, scale=float(np.abs(wanted[2]).max()))


@every_case
def test_momentum(name: str) -> None:
    robot, _, motion, states = case(name)
    wanted = np.array([s.centroidal_momentum() for s in states]).swapaxes(0, 1)
    assert_orders_close(jounce.centroidal_momentum(robot, *motion), wanted, INDEPENDENT)
    (c, c1, _), (h, h1) = jounce.center_of_mass(robot, *motion), wanted
    about_origin = np.array([h, h1])
    about_origin[0, :, :3] += np.cross(c, h[:, 3:])
    about_origin[1, :, :3] += np.cross(c, h1[:, 3:]) + np.cross(c1, h[:, 3:])
    assert_orders_close(jounce.momentum(robot, *motion), about_origin, INDEPENDENT)


@every_case
def test_energies_and_power(name: str) -> None:
    """Kinetic energy without motors, its rate with them, as Pinocchio's rnea has them."""
    robot, _, (q, v, a), states = case(name)
    armature = np.array([x for joint in robot.joints for x in joint.armature])
    kinetic, potential = np.array([s.energies() for s in states]).T
    T, U = jounce.kinetic_energy(robot, q, v, a), jounce.potential_energy(robot, q, v, a)
    assert_close(T[0] - 0.5 * (armature * v * v).sum(-1), kinetic, INDEPENDENT)
    assert_close(U[0], potential, INDEPENDENT)
    power = [s.inverse_dynamics({}) @ rate for s, rate in zip(states, v, strict=True)]
    assert_close(T[1] + U[1], power, INDEPENDENT, scale=float(np.abs(U[1]).max()))
    falling = [s.gravity_forces()[0] @ rate for s, rate in zip(states, v, strict=True)]
    assert_close(U[1], falling, INDEPENDENT, scale=float(np.abs(T[1]).max()))


@every_case
def test_gravity_forces(name: str) -> None:
    robot, _, (q, v, _), states = case(name)
    wanted = np.array([s.gravity_forces() for s in states]).swapaxes(0, 1)
    got = jounce.gravity_forces(robot, q, v)
    for joint in robot.joints:
        if joint.kind == "universal":  # Pinocchio's rate is wrong there, see the peer
            got[1, :, joint.v_slice] = wanted[1, :, joint.v_slice] = 0.0
    assert_orders_close(got, wanted, INDEPENDENT)


@every_representation
@every_case
def test_wrenches_on_inner_bodies(name: str, representation: str) -> None:
    """``fext`` of rnea on bodies and frames, and the wrenches it finds in the joints."""
    robot, frames, motion, states = case(name)
    W = np.random.default_rng(3).normal(size=(len(frames), SAMPLES, 6)) * 20.0
    loads = {f: jounce.Wrench(w[None], representation) for f, w in zip(frames, W, strict=True)}
    wanted = []
    for k, state in enumerate(states):
        given = {f: (w[k], representation) for f, w in zip(frames, W, strict=True)}
        wanted.append(state.inverse_dynamics(given))
    got = jounce.inverse_dynamics(robot, *motion, wrenches=loads)
    assert_close(got[0], wanted, INDEPENDENT)
    within = jounce.joint_wrenches(robot, *motion, wrenches=loads, representation=representation)
    for i, body in enumerate(robot.bodies):
        theirs = [state.joint_wrench(body.name, representation) for state in states]
        assert_close(within[0, :, i], theirs, INDEPENDENT, what=body.name)


@every_case
@pytest.mark.parametrize("formulation", ["body", "spatial", "hybrid"])
def test_every_formulation(name: str, formulation: str) -> None:
    robot, frames, motion, states = case(name)
    W = np.random.default_rng(4).normal(size=(len(frames), SAMPLES, 6)) * 20.0
    loads = {f: w[None] for f, w in zip(frames, W, strict=True)}
    wanted = [
        s.inverse_dynamics({f: (w[k], "body") for f, w in zip(frames, W, strict=True)})
        for k, s in enumerate(states)
    ]
    got = jounce.inverse_dynamics(robot, *motion, wrenches=loads, formulation=formulation)
    assert_close(got[0], wanted, INDEPENDENT)
