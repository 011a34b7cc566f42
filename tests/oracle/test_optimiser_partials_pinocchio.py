"""Partials that optimisers ask for, against Pinocchio: files, floating bases, random trees."""

from __future__ import annotations

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio")

import jounce  # noqa: E402
from tests.pinocchio_peer import REFERENCE_FRAMES, PinocchioPeer, named_peer  # noqa: E402
from tests.tolerances import INDEPENDENT, assert_close  # noqa: E402

LIMIT = 10 * INDEPENDENT
KINDS = ("revolute", "prismatic", "helical", "spherical", "free")
ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]
pytestmark = [
    pytest.mark.usefixtures("interpreted"),
    pytest.mark.parametrize("name", ["panda", "talos floating", "tree", "tree floating"]),
]


def peer_and_state(
    name: str, rng: np.random.Generator, kinds: tuple[str, ...] = KINDS
) -> tuple[PinocchioPeer, tuple[np.ndarray, ...]]:
    peer = named_peer(name, rng, kinds)
    q, v, a = peer.robot.random_configuration(rng), *rng.normal(size=(2, peer.robot.nv))
    return peer, (q, v, a)


def test_centroidal_momentum(name: str, rng: np.random.Generator) -> None:
    peer, motion = peer_and_state(name, rng)
    B, _ = peer.rates(*motion[:2])
    found = jounce.centroidal_momentum_partials(peer.robot, *motion)
    theirs = pin.computeCentroidalDynamicsDerivatives(peer.model, peer.data, *peer.motion(*motion))
    h_q, h1_q, h1_v, h1_a = (x[ANGULAR_FIRST] @ B for x in theirs)
    for ours, wanted in ((found[0, 0], h_q), (found[1, 0], h1_q), (found[1, 1], h1_v)):
        assert_close(ours, wanted, LIMIT)
    for ours in (
        found[0, 1],
        found[1, 2],
        jounce.centroidal_momentum_matrix(peer.robot, motion[0])[0],
    ):
        assert_close(ours, h1_a, LIMIT)
    pin.dccrba(peer.model, peer.data, *peer.motion(*motion)[:2])
    A1 = jounce.centroidal_momentum_matrix(peer.robot, *motion[:2])[1]
    assert_close(A1, peer.data.dAg[ANGULAR_FIRST] @ B, LIMIT)


@pytest.mark.parametrize("representation", ["body", "spatial"])
def test_frames(name: str, representation: str, rng: np.random.Generator) -> None:
    """Pinocchio's partials of accelerations by q in WORLD hold for balls on the ground only.

    Differences side with us where a spherical or free joint is carried by a moving body.
    """
    peer, motion = peer_and_state(name, rng, KINDS if representation == "body" else KINDS[:3])
    B, _ = peer.rates(*motion[:2])
    pin.computeForwardKinematicsDerivatives(peer.model, peer.data, *peer.motion(*motion))
    for frame in [f.name for f in peer.robot.frames if f.body >= 0][-2:]:
        found = jounce.frame_twist_partials(
            peer.robot, frame, *motion, representation=representation
        )
        place = peer.model, peer.data, peer.frame_id(frame), REFERENCE_FRAMES[representation]
        velocity = pin.getFrameVelocityDerivatives(*place)
        acceleration = pin.getFrameAccelerationDerivatives(*place)
        pairs = zip(
            (found[0, 0], found[0, 1], found[0, 0], found[1, 0], found[1, 1], found[1, 2]),
            (*velocity, *acceleration),
            strict=True,
        )
        for ours, theirs in pairs:
            wanted = theirs[ANGULAR_FIRST] @ B
            assert_close(ours, wanted, LIMIT, scale=1e-3)


def test_integrate_and_difference(name: str, rng: np.random.Generator) -> None:
    peer, (q, dv, _) = peer_and_state(name, rng)
    B, _ = peer.rates(q, dv)
    q_pin, v_pin, _ = peer.motion(q, dv, dv)
    theirs = pin.dIntegrate(peer.model, q_pin, v_pin)
    for ours, wanted in zip(jounce.integrate_partials(peer.robot, q, dv), theirs, strict=True):
        assert_close(ours, B.T @ wanted @ B, LIMIT)
    q1 = peer.robot.random_configuration(rng)
    theirs = pin.dDifference(peer.model, q_pin, peer.motion(q1, dv, dv)[0])
    for ours, wanted in zip(jounce.difference_partials(peer.robot, q, q1), theirs, strict=True):
        assert_close(ours, B.T @ wanted @ B, LIMIT)


def test_forces_of_wrenches(name: str, rng: np.random.Generator) -> None:
    peer, motion = peer_and_state(name, rng)
    frame, W = peer.robot.frames[-1].name, rng.normal(size=(1, 6))
    B, _ = peer.rates(*motion[:2])
    pin.computeJointJacobians(peer.model, peer.data, peer.motion(*motion)[0])
    pin.updateFramePlacements(peer.model, peer.data)
    for representation, reference in REFERENCE_FRAMES.items():
        J = pin.getFrameJacobian(peer.model, peer.data, peer.frame_id(frame), reference)
        wanted = (J[ANGULAR_FIRST] @ B).T @ W[0]
        load = {frame: jounce.Wrench(W, representation)}
        assert_close(jounce.wrench_forces(peer.robot, load, motion[0])[0], wanted, LIMIT)
