"""M, the christoffel C and g against Pinocchio, floating bases and every joint kind included.

With ``v_pin = B v``: ``M = Bᵀ M_pin B`` and ``C = Bᵀ (C_pin B + M_pin dB/dt)``.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio")

import jounce  # noqa: E402
from jounce.adapters.pinocchio import pinocchio_model  # noqa: E402
from jounce.model.examples import KINDS, random_inertia, random_placement  # noqa: E402
from tests.pinocchio_peer import PinocchioPeer, PinocchioState, named_peer  # noqa: E402
from tests.tolerances import INDEPENDENT, assert_close  # noqa: E402

pytestmark = pytest.mark.usefixtures("interpreted")

CASES = ["panda", "panda floating", "talos", "talos floating", "tree", "tree floating", "balls"]
SAMPLES = 3
Case = tuple[jounce.Robot, list[np.ndarray], list[PinocchioState]]

every_case = pytest.mark.parametrize("name", CASES)


@cache
def case(name: str) -> Case:
    """Return a robot, a motion and Pinocchio in every state of it."""
    rng = np.random.default_rng(sum(map(ord, name)))
    peer = named_peer(name, rng, BALLS if name == "balls" else COMPARABLE)
    robot = peer.robot
    q = np.array([robot.random_configuration(rng) for _ in range(SAMPLES)])
    v, a = rng.normal(size=(2, SAMPLES, robot.nv))
    states = [PinocchioState(peer, *sample) for sample in zip(q, v, a, strict=True)]
    return robot, [q, v, a], states


COMPARABLE = [kind for kind in KINDS if kind not in ("mimic", "universal")]
BALLS = ("spherical", "free", "revolute")


def theirs(state: PinocchioState) -> tuple[np.ndarray, np.ndarray]:
    """Return M and C of Pinocchio in the velocities of Jounce."""
    q, v, _ = state.motion
    M = pin.crba(state.model, state.data, q).copy()
    C = pin.computeCoriolisMatrix(state.model, state.data, q, v).copy()
    B, B1 = state.B, state.B1
    return B.T @ M @ B, B.T @ (C @ B + M @ B1)


@every_case
def test_mass_matrix(name: str) -> None:
    robot, (q, *_), states = case(name)
    got = jounce.mass_matrix(robot, q)[0]
    for M, state in zip(got, states, strict=True):
        assert_close(M, theirs(state)[0], INDEPENDENT)


@every_case
def test_armature_is_part_of_the_mass_matrix(name: str) -> None:
    robot, (q, *_), states = case(name)
    bare = replace(robot, joints=tuple(replace(j, armature=(0.0,) * j.nv) for j in robot.joints))
    motors = jounce.mass_matrix(robot, q)[0] - jounce.mass_matrix(bare, q)[0]
    wanted = np.concatenate([j.armature for j in robot.joints])
    scale = np.abs(jounce.mass_matrix(robot, q)).max()
    assert_close(motors, np.tile(np.diag(wanted), (SAMPLES, 1, 1)), INDEPENDENT, scale=scale)
    assert name in ("panda", "panda floating", "talos", "talos floating") or wanted.any()
    assert_close(np.sort(states[0].model.armature), np.sort(wanted), INDEPENDENT, scale=1.0)


@every_case
def test_christoffel_matrix_is_theirs(name: str) -> None:
    robot, (q, v, _), states = case(name)
    got = jounce.coriolis_matrix(robot, q, v, factorization="christoffel")[0]
    for C, state in zip(got, states, strict=True):
        assert_close(C, theirs(state)[1], INDEPENDENT)


def test_christoffel_matrix_of_universal_joints() -> None:
    """As two revolute joints there: of composite joints their ``C v`` is not what it must be."""
    rng = np.random.default_rng(8)
    builders = [jounce.RobotBuilder(name) for name in ("universal", "revolute")]
    for i in range(3):
        place, matter = random_placement(rng), random_inertia(rng)
        axes = rng.normal(size=(2, 3))
        parent = f"link_{i - 1}" if i else None
        whole, split = builders
        whole.add(f"link_{i}", parent, jounce.joints.universal(*axes), place, matter)
        first, second = (jounce.joints.revolute(axis) for axis in axes)
        split.add(f"cross_{i}", parent, first, place)
        split.add(f"link_{i}", f"cross_{i}", second, np.eye(4), matter)
    universal, revolute = (b.build() for b in builders)
    q, v, a = rng.normal(size=(3, revolute.nv))
    state = PinocchioState(PinocchioPeer(revolute, pinocchio_model(revolute)), q, v, a)
    got = jounce.coriolis_matrix(universal, q, v, factorization="christoffel")[0]
    assert_close(got, theirs(state)[1], INDEPENDENT)
    assert_close(jounce.mass_matrix(universal, q)[0], theirs(state)[0], INDEPENDENT)


@every_case
@pytest.mark.parametrize("factorization", ["passive", "kinematic", "christoffel"])
def test_products_with_the_velocity(name: str, factorization: str) -> None:
    """``C v + g`` is ``pin.nonLinearEffects``."""
    robot, (q, v, _), states = case(name)
    C = jounce.coriolis_matrix(robot, q, v, factorization=factorization)[0]
    got = np.einsum("sij,sj->si", C, v) + jounce.gravity_forces(robot, q)[0]
    for forces, own_v, state in zip(got, v, states, strict=True):
        nonlinear = pin.nonLinearEffects(state.model, state.data, *state.motion[:2])
        M = pin.crba(state.model, state.data, state.motion[0])
        assert_close(forces, state.B.T @ (nonlinear + M @ state.B1 @ own_v), INDEPENDENT)


@pytest.mark.parametrize("name", [name for name in CASES if "floating" in name])
def test_linear_momentum_is_in_the_rows_of_a_floating_base(name: str) -> None:
    """``R (M v)_base`` without motors, and its rate, as ``pin.dccrba`` has them."""
    robot, (q, v, a), states = case(name)
    rows = jounce.mass_matrix(robot, q, v)[:, :, :6]
    motors = np.array(robot.joints[0].armature)
    for s, state in enumerate(states):
        _, v_pin, a_pin = state.motion
        pin.dccrba(state.model, state.data, *state.motion[:2])
        Ag, dAg = state.data.Ag[:3], state.data.dAg[:3]
        p = rows[0, s, 3:6] @ v[s] - motors[3:6] * v[s, 3:6]
        p1 = rows[1, s, 3:6] @ v[s] + rows[0, s, 3:6] @ a[s] - motors[3:6] * a[s, 3:6]
        R = state.data.oMi[1].rotation
        omega = v[s, :3]
        assert_close(R @ p, Ag @ v_pin, INDEPENDENT)
        assert_close(R @ (p1 + np.cross(omega, p)), dAg @ v_pin + Ag @ a_pin, INDEPENDENT)
