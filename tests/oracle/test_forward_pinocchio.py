"""Forward dynamics of order zero against ``pin.aba``, with wrenches, motors and floating bases."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio")

import jounce  # noqa: E402
from jounce.adapters.pinocchio import pinocchio_model  # noqa: E402
from jounce.dynamics.forward import fewest  # noqa: E402
from jounce.model.examples import KINDS  # noqa: E402
from jounce.model.inertia import NO_MATTER  # noqa: E402
from tests.pinocchio_peer import PinocchioPeer, PinocchioState, named_peer  # noqa: E402
from tests.tolerances import assert_close  # noqa: E402

pytestmark = pytest.mark.usefixtures("interpreted")

CASES = ["panda", "panda floating", "talos", "talos floating", "tree", "tree floating"]
COMPARABLE = [kind for kind in KINDS if kind not in ("mimic", "planar")]
REPRESENTATIONS = ("body", "spatial", "hybrid")
CONDITION = 1e5  # of M: URDFs with links of a few grams
TOLERANCE = 1e-16 * CONDITION  # of scale: both programs solve with the same M

every_case = pytest.mark.parametrize("name", CASES)


@cache
def case(name: str) -> tuple[jounce.Robot, list[np.ndarray], PinocchioState]:
    """Return a robot, its state and forces, and Pinocchio in that state."""
    rng = np.random.default_rng(sum(map(ord, name)))
    peer = named_peer(name, rng, COMPARABLE, lambda joint: joint.nv > 1)  # pin.aba takes no others
    robot = peer.robot
    q = robot.random_configuration(rng)
    v, Q = rng.normal(size=(2, robot.nv))
    state = PinocchioState(peer, q, v, np.zeros(robot.nv))
    return robot, [q, v, 10.0 * Q], state


def theirs(state: PinocchioState, Q: np.ndarray, external: Any = None) -> np.ndarray:
    """Return the acceleration by ``pin.aba``; B is constant here."""
    q, v, _ = state.motion
    forces = np.linalg.solve(state.B.T, Q)
    more = () if external is None else (external,)
    return np.linalg.solve(state.B, pin.aba(state.model, state.data, q, v, forces, *more))


def external(state: PinocchioState, loads: dict[str, np.ndarray], representation: str) -> Any:
    """Return wrenches as Pinocchio takes them: on joints, in their frames, linear first."""
    forces = [pin.Force.Zero() for _ in state.model.joints]
    for body, W in loads.items():
        frame = state.peer.frame_id(body)
        joint, T = state.model.frames[frame].parentJoint, state.data.oMf[frame]
        if representation != "body":
            aside = T.translation if representation == "hybrid" else np.zeros(3)
            T = pin.SE3(np.eye(3), aside)
        forces[joint] += state.data.oMi[joint].actInv(T.act(pin.Force(W[3:], W[:3])))
    return forces


@every_case
def test_acceleration(name: str) -> None:
    robot, (q, v, Q), state = case(name)
    assert np.linalg.cond(jounce.mass_matrix(robot, q)[0]) < CONDITION
    got = jounce.forward_dynamics(robot, q, v, Q)[0]
    assert_close(got, theirs(state, Q), TOLERANCE)


DEEP = {
    "chain": lambda _: jounce.examples.chain(60),
    "floating": lambda rng: jounce.examples.random_tree(
        rng, 45, ("revolute", "spherical"), branching=0.1, floating_base=True
    ),
}


@pytest.mark.parametrize("name", DEEP)
def test_acceleration_of_deep_trees(name: str, rng: np.random.Generator) -> None:
    """By articulated bodies, as in Pinocchio; joints bend by up to half a radian."""
    robot = replace(DEEP[name](rng), base_inertia=NO_MATTER)
    assert fewest(robot) == ("articulated",)
    q = jounce.integrate(robot, robot.neutral, rng.uniform(-0.5, 0.5, robot.nv))
    v, Q = rng.uniform(-0.5, 0.5, (2, robot.nv))
    state = PinocchioState(PinocchioPeer(robot, pinocchio_model(robot)), q, v, np.zeros(robot.nv))
    assert_close(jounce.forward_dynamics(robot, q, v, Q)[0], theirs(state, Q), TOLERANCE)


@every_case
@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_acceleration_under_wrenches_on_inner_bodies(name: str, representation: str) -> None:
    robot, (q, v, Q), state = case(name)
    rng = np.random.default_rng(len(name))
    inner = [robot.bodies[i].name for i in {robot.n_bodies // 2, robot.n_bodies - 1, 0}]
    loads = {body: rng.normal(size=6) for body in inner}
    got = jounce.forward_dynamics(
        robot, q, v, Q,
        wrenches={body: jounce.Wrench(W[None], representation) for body, W in loads.items()},
    )[0]  # fmt: skip
    wanted = theirs(state, Q, external(state, loads, representation))
    assert_close(got, wanted, TOLERANCE)
    unloaded = jounce.forward_dynamics(robot, q, v, Q)[0]
    assert np.abs(got - unloaded).max() > 1e-3 * np.abs(got).max()
