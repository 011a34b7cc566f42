"""Tensors: compiled code against the array texts, every joint kind, and the memory limit."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.algebra.spatial_matrix import pull_matrix
from jounce.api import tensors
from jounce.dynamics import tensor_arrays as arrays
from jounce.dynamics.matrices import FACTORIZATIONS
from jounce.kernels import uncompiled
from jounce.model.lowering.tree import lowered
from tests.tolerances import ROUNDOFF, assert_close

pytestmark = pytest.mark.usefixtures("interpreted")
LIMIT = 10 * ROUNDOFF
BY_STATE = ("mass_matrix_partials", "gravity_partials")
BY_PARAMETERS = ("mass_matrix_parameter_partials", "gravity_parameter_partials")
OF_C = ("coriolis_partials", "coriolis_parameter_partials")
MOVING = [kind for kind in jounce.examples.KINDS if kind not in ("fixed", "continuous")]
ALL = (*BY_STATE, *BY_PARAMETERS, *OF_C)


@pytest.fixture(params=range(4), ids=["fixed", "floating", "massless", "one body"])
def robot(request: pytest.FixtureRequest, rng: np.random.Generator) -> jounce.Robot:
    k = request.param
    return jounce.examples.random_tree(
        rng,
        1 if k == 3 else 6,
        MOVING if k != 2 else ("revolute", "prismatic", "mimic", "universal"),
        floating_base=k == 1,
        massless=0.5 if k == 2 else 0.0,
        oblique_gravity=True,
        armature=True,
    )


def state(robot: jounce.Robot, rng: np.random.Generator, *batch: int) -> list[np.ndarray]:
    steps = rng.uniform(-2, 2, (*batch, robot.nv))
    start = np.broadcast_to(robot.neutral, (*batch, robot.nq))
    return [jounce.integrate(robot, start, steps), rng.normal(size=(*batch, robot.nv))]


def call(name: str, robot: jounce.Robot, q: Any, v: Any, **options: Any) -> Any:
    function: Callable[..., Any] = getattr(jounce, name)
    return function(robot, q, v, **options) if name in OF_C else function(robot, q, **options)


@pytest.mark.parametrize("name", ["mass_matrix_partials", *BY_PARAMETERS])
def test_kernels_and_array_texts_agree(
    name: str, robot: jounce.Robot, rng: np.random.Generator
) -> None:
    q, v = state(robot, rng, 2)
    wanted = getattr(arrays, name)(lowered(robot), q)
    assert_close(call(name, robot, q, v), wanted, LIMIT, scale=1e-3)


def test_gravity_partials_are_the_rates(robot: jounce.Robot, rng: np.random.Generator) -> None:
    """By every coordinate: what jets in time make of a unit velocity."""
    q, _ = state(robot, rng, 2)
    got = jounce.gravity_partials(robot, q)
    for h, unit in enumerate(np.eye(robot.nv)):
        assert_close(got[..., h], jounce.gravity_forces(robot, q, unit)[1], LIMIT, scale=1e-3)


@pytest.mark.parametrize("factorization", FACTORIZATIONS)
@pytest.mark.parametrize("name", OF_C)
def test_kernels_and_array_texts_agree_on_coriolis(
    name: str, factorization: str, robot: jounce.Robot, rng: np.random.Generator
) -> None:
    q, v = state(robot, rng, 2)
    got = call(name, robot, q, v, factorization=factorization)
    wanted = getattr(arrays, name)(lowered(robot), q, v, factorization)
    assert_close(np.array(got), np.array(wanted), LIMIT, scale=1e-3)


@pytest.mark.parametrize("name", ALL)
def test_long_chains_are_not_compiled(
    name: str, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    robot = jounce.examples.chain(3)
    q, v = state(robot, rng, 2, 3)
    wanted = np.array(call(name, robot, q, v))
    no_compiler(monkeypatch)
    assert_close(np.array(call(name, robot, q, v)), wanted, LIMIT)
    with pytest.raises(jounce.NotFiniteError, match="q"):
        call(name, robot, q * np.nan, v)
    if name in OF_C:
        with pytest.raises(jounce.UnknownNameError, match="passive"):
            call(name, robot, q, v, factorization="passif")


def no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every robot count as large, and blocks hold a sample or a few."""
    monkeypatch.setattr(uncompiled, "COMPILED_ENTRIES", 0)
    monkeypatch.setattr(uncompiled, "BLOCK_BYTES", 8000)
    monkeypatch.setattr(tensors, "evaluate", None)


@pytest.mark.parametrize("kinds", [("revolute", "mimic", "universal"), ("free", "spherical")])
def test_jacobians_of_long_chains_are_not_compiled(
    kinds: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    robot = jounce.examples.random_tree(rng, 4, kinds)
    q, v = state(robot, rng, 2, 3)
    wanted = jounce.jacobian_partials(robot, "link_3", q[0], v, v[1, 1], representation="hybrid")
    no_compiler(monkeypatch)
    got = jounce.jacobian_partials(robot, "link_3", q[0], v, v[1, 1], representation="hybrid")
    assert_close(got, wanted, LIMIT)
    assert got.flags.c_contiguous
    with pytest.raises(jounce.UnknownNameError, match="link_3"):
        jounce.jacobian_partials(robot, "nowhere", q)


def test_a_frame_on_the_ground_does_not_move() -> None:
    b = jounce.RobotBuilder("two")
    b.add(
        "plate", None, jounce.joints.fixed(), np.eye(4), jounce.Inertia(1.0, (0, 0, 0), np.eye(3))
    )
    b.add("arm", None, jounce.joints.revolute((0, 0, 1)), np.eye(4))
    got = jounce.jacobian_partials(b.build(strict=False), "plate", [0.3], [1.0])
    assert np.array_equal(got, np.zeros((2, 6, 1, 1)))


def test_second_partials_of_long_chains_are_not_compiled(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    robot = jounce.examples.random_tree(rng, 4, ("revolute", "mimic", "cylindrical"))
    q, v = state(robot, rng, 2, 3)
    wanted = jounce.inverse_dynamics_second_partials(robot, q, v, v[0])
    no_compiler(monkeypatch)
    got = jounce.inverse_dynamics_second_partials(robot, q, v, v[0])
    assert_close(np.array(got), np.array(wanted), LIMIT)


@pytest.mark.parametrize("name", ["mass_matrix_partials", "inverse_dynamics_second_partials"])
def test_symbols_are_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sympy")
    robot, _ = jounce.symbolic_parameters(jounce.load("planar2r"))
    still = np.zeros(2)
    motion = (still,) if name in BY_STATE else (still, still, still)
    for large in (False, True):
        if large:
            no_compiler(monkeypatch)
        with pytest.raises(jounce.UnsupportedError, match="has symbols"):
            getattr(jounce, name)(robot, *motion)


def test_what_would_take_a_compiler_minutes_does_without(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    """Each would keep a compiler busy for much longer than it takes to compute."""
    monkeypatch.setattr(tensors, "evaluate", None)
    robot = jounce.examples.chain(13)
    q, v = state(robot, rng)
    _, by_v = jounce.coriolis_partials(robot, q, v)
    second = jounce.inverse_dynamics_second_partials(robot, q, v, 0.0 * v)
    C = jounce.closed_form(robot, q, v).C[0]
    assert_close(second.vv @ v, C + by_v.swapaxes(1, 2) @ v, LIMIT)  # ∂(C v)/∂v
    robot = jounce.examples.chain(10)
    q, v = state(robot, rng)
    got = jounce.coriolis_parameter_partials(robot, q, v) @ jounce.parameters(robot)
    assert_close(got, jounce.closed_form(robot, q, v).C[0], LIMIT)
    robot = jounce.examples.chain(20)
    q, v = state(robot, rng)
    dJ, _ = jounce.jacobian_partials(robot, "link_19", q, v)
    assert_close(dJ @ v, jounce.jacobian(robot, "link_19", q, v)[1], LIMIT)


def test_jacobians_of_a_limb_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many joints are elsewhere: only those between the frame and the ground count."""
    compiled: list[str] = []
    monkeypatch.setattr(tensors, "evaluate", lambda _, name, *__, **___: compiled.append(name))
    robot = jounce.load("humanoid")
    still = np.zeros(robot.nv)
    jounce.jacobian_partials(robot, "right_hand", robot.neutral, still, still)
    assert compiled == ["jacobian_partials"]


@pytest.mark.parametrize("name", ALL)
def test_intermediate_values_stay_in_their_block(
    name: str, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    """What samples take beside the result does not grow with their number."""
    no_compiler(monkeypatch)
    monkeypatch.setattr(uncompiled, "BLOCK_BYTES", 2**20)
    robot = jounce.examples.chain(12)
    q, v = state(robot, rng, 60)
    call(name, robot, q[0], v[0])
    tracemalloc.start()
    result = call(name, robot, q, v)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    size = np.array(result).nbytes
    assert peak - size < 2**20 + 2**19, f"{(peak - size) / 2**20:.2f} MiB"


def test_a_chain_of_forty_joints_takes_no_compiler(rng: np.random.Generator) -> None:
    robot = jounce.examples.chain(40)
    q, v = state(robot, rng)
    dM = jounce.mass_matrix_partials(robot, q)
    M1 = arrays_rate(robot, q, v)
    assert_close(dM @ v, M1, LIMIT)


def arrays_rate(robot: jounce.Robot, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    C = jounce.closed_form(robot, q, v).C[0]
    return C + C.T


@pytest.mark.parametrize("representation", ["body", "spatial", "hybrid"])
def test_jacobian_partials_are_the_rates(
    representation: str, robot: jounce.Robot, rng: np.random.Generator
) -> None:
    """Along a motion ``dJ/dt = Σ_h ∂J/∂q_h v_h``, one direction at a time too."""
    q, v = state(robot, rng)
    a = rng.normal(size=robot.nv)
    frame = robot.bodies[-1].name
    options = {"representation": representation}
    dJ, dJ1 = jounce.jacobian_partials(robot, frame, q, v, **options)
    J = jounce.jacobian(robot, frame, q, v, a, **options)
    assert_close(dJ @ v, J[1], LIMIT, scale=1e-3)
    assert_close(dJ1 @ v + dJ @ a, J[2], LIMIT, scale=1e-3)
    for h in range(robot.nv):
        unit = np.eye(robot.nv)[h]
        rate = jounce.jacobian(robot, frame, q, unit, **options)[1]
        assert_close(dJ[..., h], rate, LIMIT, scale=1.0)


def test_jacobian_partials_and_the_recursion_agree(
    robot: jounce.Robot, rng: np.random.Generator
) -> None:
    """Kernel of tangent numbers against [GOA13, (27)-(32)]."""
    q, v = state(robot, rng)
    tree = lowered(robot)
    link, T = tree.body_links[-1], tree.body_placements[-1]
    k = dict(arrays.link_tensors(tree, q, v))[link]
    B = pull_matrix(T)
    dJ, dJ1 = jounce.jacobian_partials(robot, robot.bodies[-1].name, q, v)
    for got, wanted in ((dJ, k.dJ), (dJ1, k.dJ1)):
        dense = np.zeros((6, robot.nv, robot.nv))
        dense[np.ix_(range(6), k.columns, k.columns)] = np.moveaxis(B @ wanted, 0, -1)
        assert_close(got, dense, LIMIT, scale=1.0)


@pytest.mark.parametrize(
    ("name", "tail", "rows"),
    [
        ("mass_matrix_partials", (7, 7, 7), 1),
        ("coriolis_partials", (7, 7, 7), 2),
        ("gravity_partials", (7, 7), 1),
        ("mass_matrix_parameter_partials", (7, 7, 70), 1),
        ("coriolis_parameter_partials", (7, 7, 70), 1),
        ("gravity_parameter_partials", (7, 70), 1),
    ],
)
def test_memory_limit(name: str, tail: tuple[int, ...], rows: int) -> None:
    panda = jounce.load("panda")
    q = np.broadcast_to(panda.neutral, (100_000, 100_000, 7))  # takes no memory itself
    size = 8 * rows * 10**10 * int(np.prod(tail)) / 2**40
    with pytest.raises(MemoryError, match=rf"{size:.4g} TiB .*memory_limit = 2 GiB") as caught:
        call(name, panda, q, q)
    assert isinstance(caught.value, jounce.JounceError)
    small, enough = np.zeros(7), 8 * rows * int(np.prod(tail))
    call(name, panda, small, small, memory_limit=enough)
    with pytest.raises(jounce.MemoryLimitError, match="memory_limit in bytes"):
        call(name, panda, small, small, memory_limit=enough - 1)


def test_memory_limit_of_jacobians_and_second_partials() -> None:
    panda, q = jounce.load("panda"), np.zeros(7)
    with pytest.raises(jounce.MemoryLimitError, match=r"2 × \(6, 7, 7\)"):
        jounce.jacobian_partials(panda, "flange", q, q, memory_limit=1000)
    with pytest.raises(jounce.MemoryLimitError, match=r"4 × \(7, 7, 7\)"):
        jounce.inverse_dynamics_second_partials(panda, q, q, q, memory_limit=1000)


def test_axes_that_do_not_broadcast_are_a_shape_error() -> None:
    arm = jounce.load("planar2r")
    with pytest.raises(jounce.ShapeError, match="broadcast"):
        jounce.coriolis_partials(arm, np.zeros((2, 2)), np.zeros((3, 2)))


@pytest.mark.parametrize("name", ALL)
def test_batches(name: str, rng: np.random.Generator) -> None:
    """A batch is its samples, contiguous; an empty one is empty."""
    arm = jounce.load("planar2r")
    q, v = state(arm, rng, 2, 3)
    whole = np.array(call(name, arm, q, v))
    one = np.array(call(name, arm, q[1, 2], v[1, 2]))
    axis = int(name == "coriolis_partials")
    assert_close(np.moveaxis(whole, axis, 0)[1][(slice(None),) * axis + (2,)], one, LIMIT)
    assert np.array(call(name, arm, np.zeros((0, 2)), np.zeros((0, 2)))).size == 0
