"""The closed form against the recursions, its equations one by one, and special cases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jounce
from jounce.algebra.matrix_jet import MatrixJet
from jounce.verification.motions import evaluated
from tests.tolerances import EXACT, INDEPENDENT, ROUNDOFF, assert_close, assert_orders_close

pytestmark = pytest.mark.usefixtures("interpreted")

SEEDS = range(3)  # 1 has a floating base
ORDER = 4
FACTORIZATIONS = ("passive", "kinematic", "christoffel")


def tree(seed: int, **options: Any) -> tuple[jounce.Robot, list[np.ndarray]]:
    """Return a tree of every joint kind and a motion of two samples."""
    rng = np.random.default_rng(300 + seed)
    options = {
        "massless": 0.1,
        "oblique_gravity": True,
        "armature": True,
        "damping": True,
    } | options
    robot = jounce.examples.random_tree(rng, 11, floating_base=seed % 2 == 1, **options)
    q = np.array([robot.random_configuration(rng) for _ in range(2)])
    return robot, [q, *rng.normal(size=(ORDER + 2, 2, robot.nv))]


def loads(robot: jounce.Robot, samples: int = 2, orders: int = ORDER + 1) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    names = dict.fromkeys((robot.bodies[0].name, robot.bodies[-1].name, robot.frames[3].name))
    kinds = ("spatial", "hybrid", "body")
    return {
        name: jounce.Wrench(rng.normal(size=(orders, samples, 6)), kind)
        for name, kind in zip(names, kinds, strict=False)
    }


def jet(derivatives: np.ndarray) -> MatrixJet:
    return MatrixJet.from_derivatives(derivatives)


@pytest.mark.parametrize("seed", SEEDS)
def test_matrices_of_the_recursions(seed: int) -> None:
    robot, motion = tree(seed)
    K = len(motion) - 1
    form = jounce.closed_form(robot, *motion)
    M = evaluated(robot, "mass_matrix", K, tuple(motion))
    assert_orders_close(form.M, M, INDEPENDENT)
    assert_orders_close(form.g, evaluated(robot, "gravity_forces", K, tuple(motion)), INDEPENDENT)
    for factorization in FACTORIZATIONS:
        got = jounce.closed_form(robot, *motion, factorization=factorization)
        wanted = evaluated(
            robot, "coriolis_matrix", K - 1, tuple(motion), factorization=factorization
        )
        assert_orders_close(got.C, wanted, INDEPENDENT, what=factorization)
        assert_orders_close(got.Q, form.Q, INDEPENDENT, what=factorization)


@pytest.mark.parametrize("seed", SEEDS)
def test_kinematics_of_the_recursions(seed: int) -> None:
    robot, motion = tree(seed)
    K = len(motion) - 1
    form = jounce.closed_form(robot, *motion)
    bodies = list(form.body_links)
    J = form.J.reshape(K + 1, 2, -1, 6, robot.nv)[:, :, bodies]
    wanted = evaluated(robot, "body_jacobians", K, tuple(motion))
    assert_orders_close(J, wanted, INDEPENDENT, scale=float(np.abs(wanted[0]).max()))
    V = form.V.reshape(K, 2, -1, 6)[:, :, bodies]
    assert_orders_close(V, evaluated(robot, "twists", K - 1, tuple(motion)), INDEPENDENT)
    assert [form.links[i] for i in bodies] == [body.name for body in robot.bodies]


@pytest.mark.parametrize("seed", SEEDS)
def test_forces_under_wrenches(seed: int) -> None:
    robot, motion = tree(seed)
    wrenches = loads(robot)
    wanted = evaluated(robot, "inverse_dynamics", ORDER, tuple(motion), wrenches)
    got = jounce.inverse_dynamics(robot, *motion, wrenches=wrenches, formulation="closed_form")
    assert_orders_close(got, wanted, INDEPENDENT)
    without = jounce.inverse_dynamics(robot, *motion, formulation="closed_form")
    assert np.abs(got - without).max() > 1e-3


@pytest.mark.parametrize("seed", SEEDS)
def test_coefficients_give_the_forces(seed: int) -> None:
    """``Q⁽ⁿ⁾ = Σ P_k q⁽ᵏ⁾ + g⁽ⁿ⁾ − (Jᵀ W)⁽ⁿ⁾``, damping included."""
    robot, (q, *rates) = tree(seed)
    form = jounce.closed_form(robot, q, *rates, wrenches=loads(robot))
    push = (jet(form.J).T @ jet(form.W[..., None])).derivatives()[..., 0]
    for n in range(ORDER + 1):
        terms = [
            (form.coefficient(k, n) @ rates[k - 1][..., None])[..., 0] for k in range(1, n + 3)
        ]
        assert_close(sum(terms) + form.g[n] - push[n], form.Q[n], INDEPENDENT)
        assert_close(form.coefficient(n + 2, n), form.M[0], ROUNDOFF)
        assert_close(form.coefficient(1, n), form.C[n] + form.D[n], ROUNDOFF)
    assert_close(form.coefficient(3, 2), 2 * form.M[1] + form.C[0] + form.D[0], ROUNDOFF)
    assert np.abs(form.D[0]).max() > 0.0
    assert np.abs(form.D[1:]).max() == 0.0


@pytest.mark.parametrize("seed", SEEDS)
def test_equations_of_the_system_matrices(seed: int) -> None:
    """``A' = A a − A a A``, ``U' = −A a U``, and all that is made of A, U, M_sys and C_sys."""
    robot, (q, *rates) = tree(seed, armature=False)
    form = jounce.closed_form(robot, q, *rates)
    A, a, U, J = jet(form.A), jet(form.a), jet(form.U), jet(form.J)
    assert_orders_close((A @ a - A @ a @ A).derivatives(), form.A[1:], INDEPENDENT)
    assert_orders_close((-(A @ a) @ U).derivatives(), form.U[1:], INDEPENDENT)
    v = jet(np.stack(rates)[..., None])
    assert_orders_close((J @ v).derivatives()[..., 0], form.V, INDEPENDENT)
    M_sys, C_sys = jet(form.M_sys), jet(form.C_sys)
    assert_orders_close((J.T @ M_sys @ J).derivatives(), form.M, INDEPENDENT)
    assert_orders_close((J.T @ C_sys @ J).derivatives(), form.C, INDEPENDENT)
    ground = np.array([0, 0, 0, *(-g for g in robot.gravity)])[:, None]
    g = (J.T @ M_sys @ (U @ ground)).derivatives()[..., 0]
    assert_orders_close(g, form.g, INDEPENDENT)
    assert np.abs(form.M_sys[1:]).max() == 0.0


@pytest.mark.parametrize("seed", SEEDS)
def test_mass_rate_is_coriolis(seed: int) -> None:
    robot, motion = tree(seed)
    for factorization, holds in (("passive", True), ("christoffel", True), ("kinematic", False)):
        form = jounce.closed_form(robot, *motion, factorization=factorization)
        error = np.abs(form.C + np.swapaxes(form.C, -1, -2) - form.M[1:]).max()
        assert (error < INDEPENDENT * np.abs(form.M).max()) == holds, factorization


def test_system_coriolis_matrix_of_the_papers(rng: np.random.Generator) -> None:
    """Literally, for joints whose screws commute: [KM21, (30)], and [MK21, (62)]."""
    kinds = ("revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "mimic")
    robot = jounce.examples.random_tree(rng, 9, kinds)
    motion = [robot.random_configuration(rng), *rng.normal(size=(4, robot.nv))]
    form = jounce.closed_form(robot, *motion, factorization="kinematic")
    A, a, b, M = (jet(x) for x in (form.A, form.a, form.b, form.M_sys))
    printed = -(M @ A @ a) - b.T @ M
    assert_orders_close(form.C_sys, printed.derivatives(), INDEPENDENT)
    passive = jounce.closed_form(robot, *motion)
    assert_orders_close(passive.C_sys, (printed + M @ b).derivatives(), INDEPENDENT)


def test_blocks_are_ancestors_only() -> None:
    robot, motion = tree(0)
    form = jounce.closed_form(robot, motion[0])
    n = len(form.links)
    filled = np.abs(form.A[0, 0].reshape(n, 6, n, 6)).max((1, 3)) > 0
    ancestors = np.eye(robot.n_bodies, dtype=bool)
    for i, parent in enumerate(robot.parents):
        ancestors[i] |= ancestors[parent] if parent >= 0 else False
    assert (filled[np.ix_(form.body_links, form.body_links)] == ancestors).all()


def test_composite_joints_have_inner_links() -> None:
    b = jounce.RobotBuilder("composite")
    matter = jounce.Inertia(1.0, (0.1, 0.2, 0.3), np.eye(3))
    b.add("plate", None, jounce.joints.planar((0, 0, 1)), inertia=matter, joint_name="slide")
    cardan = jounce.joints.universal((1, 0, 0), (0, 1, 0))
    b.add("cross", "plate", cardan, inertia=matter, joint_name="turn")
    form = jounce.closed_form(b.build(), np.zeros(5))
    assert form.links == ("slide[0]", "slide[1]", "plate", "turn[0]", "cross")
    assert form.body_links == (2, 4)
    assert np.abs(form.M_sys[0][:12, :12]).max() == 0.0
    assert np.abs(form.M_sys[0][12:18, 12:18]).max() > 0.0


def test_inertias_are_those_given(rng: np.random.Generator) -> None:
    robot = jounce.examples.random_tree(rng, 4, ("revolute",))
    blocks = jounce.closed_form(robot, np.zeros(4)).M_sys[0]
    for i, body in enumerate(robot.bodies):
        block = blocks[6 * i : 6 * i + 6, 6 * i : 6 * i + 6]
        assert_close(block[:3, :3], body.inertia.rotational_origin, EXACT)
        assert_close(np.diag(block)[3:], [body.inertia.mass] * 3, EXACT)
        assert block[2, 4] == body.inertia.spatial.first_moment.x  # m c̃, upper right
        assert block[1, 5] == -body.inertia.spatial.first_moment.x


def test_any_batch(rng: np.random.Generator) -> None:
    robot, motion = tree(1)
    q, *rates = (x[0] for x in motion)
    single = jounce.closed_form(robot, q, *rates)
    many = jounce.closed_form(
        robot, np.broadcast_to(q, (3, 1, robot.nq)), *[r[None] for r in rates]
    )
    for name in ("A", "a", "b", "J", "V", "U", "W", "M_sys", "C_sys", "M", "C", "D", "g", "Q"):
        one, all_ = getattr(single, name), getattr(many, name)
        assert all_.shape == (one.shape[0], 3, 1, *one.shape[1:]), name
        assert all_.flags.c_contiguous, name
        assert_close(all_[:, 2, 0], one, ROUNDOFF)
    assert single.coefficient(2, 1).shape == (robot.nv, robot.nv)
    empty = jounce.closed_form(robot, np.zeros((0, robot.nq)) + q, *[r[None] for r in rates])
    assert empty.Q.shape == (ORDER + 1, 0, robot.nv)


def test_wrenches_broadcast_and_fill_up() -> None:
    robot, motion = tree(2)
    name = robot.bodies[-1].name
    W = np.arange(6.0)
    got = jounce.closed_form(robot, *motion, wrenches={name: W[None]}).Q
    full = np.zeros((ORDER + 1, 2, 6))
    full[0] = W
    wanted = jounce.closed_form(robot, *motion, wrenches={name: full}).Q
    assert_orders_close(got, wanted, ROUNDOFF)


def test_no_degree_of_freedom() -> None:
    b = jounce.RobotBuilder("welded")
    b.add("plate", inertia=jounce.Inertia(1.0, (0, 0, 0), np.eye(3)))
    form = jounce.closed_form(b.build(), [], [], [])
    assert form.A.shape == (3, 0, 0)
    assert form.M.shape == (3, 0, 0)
    assert form.Q.shape == (1, 0)


@pytest.mark.parametrize("gravity", [(0, 0, 0), (3, -2, -9)])
def test_one_body(gravity: tuple[float, ...]) -> None:
    """A pendulum about x, its bob at ``l (0, sin q, −cos q)``."""
    b = jounce.RobotBuilder("pendulum", gravity=gravity)
    m, l, I = 2.0, 0.7, 0.3
    b.add(
        "bob",
        None,
        jounce.joints.revolute((1, 0, 0)),
        inertia=jounce.Inertia(m, (0, 0, -l), np.diag([I, I, I])),
    )
    q, v, a = 0.4, 1.1, -0.6
    form = jounce.closed_form(b.build(), [q], [v], [a])
    _, gy, gz = gravity
    wanted = (I + m * l * l) * a - m * l * (gy * np.cos(q) + gz * np.sin(q))
    assert_close(form.Q[0], [wanted], ROUNDOFF)
    assert_close(form.V[0, :3], [v, 0, 0], ROUNDOFF)


def test_arguments_may_change_afterwards() -> None:
    robot, motion = tree(3)
    before = jounce.closed_form(robot, *motion).Q
    given = [x.copy() for x in motion]
    form = jounce.closed_form(robot, *given)
    for x in given:
        x[:] = 0.5
    assert_close(form.Q, before, EXACT)


def test_too_few_rates() -> None:
    robot, (q, v, *_) = tree(0)
    form = jounce.closed_form(robot, q)
    assert form.M.shape == (1, 2, robot.nv, robot.nv)
    assert form.g.shape == (1, 2, robot.nv)
    with pytest.raises(jounce.ShapeError, match="needs 1 rates"):
        form.C  # noqa: B018
    with pytest.raises(jounce.ShapeError, match="Q of the closed form needs 2 rates"):
        jounce.closed_form(robot, q, v).Q  # noqa: B018
    with pytest.raises(jounce.ShapeError, match=r"coefficient\(1, 3\) .* needs 4 rates"):
        jounce.closed_form(robot, q, v).coefficient(1, 3)
    assert jounce.closed_form(robot, q, v).coefficient(2, 1).shape == (2, robot.nv, robot.nv)


@pytest.mark.parametrize(("k", "order"), [(0, 1), (4, 1), (1, -1)])
def test_coefficients_out_of_range(k: int, order: int) -> None:
    robot, motion = tree(0)
    with pytest.raises(jounce.ArgumentError, match="1 ≤ k ≤ order"):
        jounce.closed_form(robot, *motion).coefficient(k, order)


def test_errors_are_those_of_the_kernels() -> None:
    arm = jounce.load("planar2r")
    with pytest.raises(jounce.ShapeError, match="v must have shape"):
        jounce.closed_form(arm, [0, 0], [0])
    with pytest.raises(jounce.NotFiniteError, match="q"):
        jounce.closed_form(arm, [0, np.nan])
    with pytest.raises(jounce.UnknownNameError, match="hand"):
        jounce.closed_form(arm, [0, 0], wrenches={"hand": np.zeros((1, 6))})
    with pytest.raises(jounce.UnknownNameError, match="passive"):
        jounce.closed_form(arm, [0, 0], factorization="active")
    with pytest.raises(TypeError, match=r"jounce\.load"):
        jounce.closed_form("planar2r", [0, 0])  # type: ignore[arg-type]
    ball = jounce.RobotBuilder("ball")
    ball.add("b", None, jounce.joints.spherical())
    with pytest.raises(jounce.ArgumentError, match="unit norm"):
        jounce.closed_form(ball.build(), [0, 0, 0, 2])
    with pytest.raises(jounce.UnknownNameError, match="closed_form"):
        jounce.inverse_dynamics(arm, [0, 0], [0, 0], [0, 0], formulation="lagrange")


def test_symbols_are_refused() -> None:
    sympy = pytest.importorskip("sympy")
    b = jounce.RobotBuilder("symbolic")
    m = sympy.Symbol("m")
    b.add(
        "rod",
        None,
        jounce.joints.revolute((0, 0, 1)),
        inertia=jounce.Inertia(m, (1, 0, 0), np.eye(3)),
    )
    with pytest.raises(jounce.UnsupportedError, match="symbolic"):
        jounce.closed_form(b.build(), [0.0])
