"""Closed loops and contacts: residuals of every order, partials, the balance of energy."""

from __future__ import annotations

from math import comb
from typing import Any, NamedTuple

import mpmath
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import jounce
from jounce.dynamics import closures as texts
from tests.example_robots import urdf
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close, assert_orders_close

pytestmark = pytest.mark.usefixtures("interpreted")

ORDERS = 5


class Case(NamedTuple):
    """A closed robot in motion, the forces and their derivatives, and its contacts."""

    robot: jounce.Robot
    q: np.ndarray
    v: np.ndarray
    forces: np.ndarray
    contacts: tuple[jounce.Closure, ...] = ()


def fivebar() -> jounce.Robot:
    """Return a planar five-bar: two arms of two links, their tips pinned."""
    builder = jounce.RobotBuilder("fivebar", gravity=(0, -9.80665, 0))
    rod = jounce.Inertia(0.4, (0.15, 0, 0), np.diag([1e-4, 3e-3, 3e-3]))
    turn, along = jounce.joints.revolute((0, 0, 1)), np.eye(4)
    along[0, 3] = 0.3
    for side, x in (("left", -0.1), ("right", 0.1)):
        root = np.eye(4)
        root[0, 3] = x
        builder.add(f"{side}_arm", None, turn, root, rod)
        builder.add(f"{side}_fore", f"{side}_arm", turn, along, rod)
        builder.frame(f"{side}_tip", f"{side}_fore", along)
    builder.closure("left_tip", "right_tip", directions="vx vy")
    return builder.build()


def random_loops(rng: np.random.Generator) -> tuple[jounce.Robot, np.ndarray]:
    """Return a random tree with three random closures, and a configuration that closes it."""
    robot = jounce.examples.random_tree(rng, 14)
    q = robot.random_configuration(rng)
    poses = jounce.poses(robot, q)[0]
    names = [body.name for body in robot.bodies]
    for k, (directions, T) in enumerate(
        [
            ("linear", _pose("z", 0.4)),
            ("wx wy vx vy vz", _pose("z", 0.7)),
            ("wz vx", _pose("x", 0.5, (0.0, 0.1, 0.2))),
        ]
    ):
        a, b = rng.choice(len(names), 2, replace=False)
        robot = robot.with_frame(f"a{k}", names[a], np.eye(4))
        robot = robot.with_frame(f"b{k}", names[b], np.linalg.inv(poses[b]) @ poses[a] @ T)
        robot = robot.with_closures(jounce.Closure(f"a{k}", f"b{k}", directions=directions))
    return robot, q


def _pose(axis: str, angle: float, p: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    T = np.eye(4)
    i = [0, 1] if axis == "z" else [1, 2]
    T[np.ix_(i, i)] = [[c, -s], [s, c]]
    T[:3, 3] = p
    return T


def standing(name: str, feet: tuple[str, ...], directions: str) -> Any:
    def make(rng: np.random.Generator) -> Any:
        robot = jounce.load(urdf(name), floating_base=True)
        q = jounce.integrate(robot, robot.neutral, 0.3 * rng.standard_normal(robot.nv))
        return robot, q, tuple(jounce.Closure(f, directions=directions) for f in feet)

    return make


def mechanism(robot: jounce.Robot, start: Any = None) -> Any:
    def make(rng: np.random.Generator) -> Any:
        near = jounce.integrate(robot, robot.neutral, 0.15 * rng.standard_normal(robot.nv))
        return robot, jounce.close(robot, near if start is None else start)

    return make


SOLO = ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT")
CASES = {
    "fourbar": mechanism(jounce.examples.fourbar(), [0.5, 0.5, 1.5]),
    "planar fourbar": mechanism(jounce.examples.fourbar(directions="vx vy"), [0.5, 0.5, 1.5]),
    "fivebar": mechanism(fivebar(), [2.0, -1.2, 1.1, 1.2]),
    "delta": mechanism(jounce.examples.delta()),
    "stewart": mechanism(jounce.examples.stewart()),
    "random tree": random_loops,
    "solo12": standing("solo_description/robots/solo12.urdf", SOLO, "linear"),
    "solo12 flat feet": standing("solo_description/robots/solo12.urdf", SOLO, "all"),
}
ACTUATED = {
    "fourbar": lambda _: ["rocker_joint"],
    "planar fourbar": lambda _: ["rocker_joint"],
    "fivebar": lambda _: ["left_arm", "right_arm"],
    "delta": lambda _: [f"arm_joint_{i}" for i in range(3)],
    "stewart": lambda _: [f"slide_{i}" for i in range(6)],
    "solo12": lambda c: [joint.name for joint in c.robot.joints[1:]],
}
HEAVY = {
    "talos": standing(
        "talos_data/robots/talos_reduced.urdf", ("left_sole_link", "right_sole_link"), "all"
    )
}


def case(name: str) -> Case:
    rng = np.random.default_rng(len(name))
    robot, q, *more = (CASES | HEAVY)[name](rng)
    contacts = more[0] if more else ()
    J = jounce.closure_jacobian(robot.with_closures(*contacts), q)[0]
    v = rng.standard_normal(robot.nv)
    v = v - np.linalg.pinv(J, rcond=1e-10) @ (J @ v)
    scale = np.abs(jounce.inverse_dynamics(robot.without_closures(), q, v, 0 * v)).max()
    growth = 10.0 ** np.arange(ORDERS)[:, None]
    return Case(robot, q, v, scale * growth * rng.standard_normal((ORDERS, robot.nv)), contacts)


def assert_solved(c: Case, forces: Any, rates: Any, multipliers: Any) -> None:
    """Hold ``(J v)⁽ᵏ⁺¹⁾ = 0`` and ``ID⁽ᵏ⁾ − (Jᵀ λ)⁽ᵏ⁾ = Q⁽ᵏ⁾``, by functions of the tree."""
    tree, whole = c.robot.without_closures(), c.robot.with_closures(*c.contacts)
    ID = jounce.inverse_dynamics(tree, c.q, *rates)
    free = jounce.forward_dynamics(tree, c.q, c.v, *forces)  # where closures leave no freedom
    J = jounce.closure_jacobian(whole, c.q, *rates)
    for k, (Q, wanted) in enumerate(zip(forces, ID, strict=True)):
        parts = [comb(k + 1, i) * J[i] @ rates[k + 1 - i] for i in range(k + 2)]
        sizes = [comb(k + 1, i) * np.abs(J[i]) @ np.abs(rates[k + 1 - i]) for i in range(k + 2)]
        sizes.append(np.abs(J[0]) @ np.abs(free[k]))
        assert np.abs(sum(parts)).max() <= INDEPENDENT * np.max(sizes), f"closure, order {k}"
        pulls = [comb(k, i) * J[i].T @ multipliers[k - i] for i in range(k + 1)]
        scale = max(np.abs(pulls).max(), np.abs(wanted).max())
        assert np.abs(wanted - sum(pulls) - Q).max() <= INDEPENDENT * scale, f"forces, order {k}"


@pytest.mark.parametrize("name", [*CASES, pytest.param("talos", marks=pytest.mark.slow)])
def test_residuals_of_every_order(name: str):
    c = case(name)
    a, multipliers = jounce.constrained_forward_dynamics(
        c.robot, c.q, c.v, *c.forces, contacts=c.contacts
    )
    assert_solved(c, c.forces, [c.v, *a], multipliers)


def turned(robot: jounce.Robot, R: np.ndarray) -> jounce.Robot:
    """Return a robot with all that stands on the ground, and gravity, turned."""
    data = robot.to_dict()
    data["gravity"] = (R @ data["gravity"]).tolist()
    for part, ground in (("bodies", "parent"), ("frames", "body")):
        for x in data[part]:
            if x[ground] is None:
                x["rotation"] = (R @ x["rotation"]).tolist()
                x["translation"] = (R @ x["translation"]).tolist()
    return jounce.load(data)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("directions", ["wx wy vx vy vz", "linear", "vx vy"])
def test_a_plane_in_space_is_as_good_as_any_other(directions: str, seed: int):
    """Rows that nothing moves are zero but for rounding there: no force and no motion is due to it.

    J λ tells nothing about it, where λ is as large as the row is small.
    """
    flat = jounce.examples.fourbar(directions=directions)
    steep = turned(flat, Rotation.random(random_state=seed).as_matrix())
    q = jounce.close(flat, [0.5, 0.5, 1.5])
    freedoms, _ = jounce.mobility(flat)
    rng = np.random.default_rng(seed)
    free = rng.standard_normal((4, freedoms))
    rates = jounce.closed_rates(flat, q, *free)
    assert_orders_close(jounce.closed_rates(steep, q, *free), rates, INDEPENDENT)
    forces = rng.standard_normal((3, 3))
    names = {"forward": (rates[0], *forces), "inverse": tuple(rates)}
    for name, given in names.items():
        function = getattr(jounce, f"constrained_{name}_dynamics")
        partials = getattr(jounce, f"constrained_{name}_dynamics_partials")
        for wanted, found in zip(
            function(flat, q, *given), function(steep, q, *given), strict=True
        ):
            assert_orders_close(found, wanted, INDEPENDENT)
        some = given[:3]  # of two orders, or of one
        for wanted, found in zip(partials(flat, q, *some), partials(steep, q, *some), strict=True):
            for k in range(len(wanted)):
                assert_close(found[k], wanted[k], INDEPENDENT)


@pytest.mark.parametrize("name", ["fourbar", "fivebar", "delta", "stewart", "solo12"])
def test_inverse_and_forward_agree(name: str):
    """Passive joints are left alone, and forward dynamics gives the motion back."""
    c = case(name)
    known = {"contacts": c.contacts}
    a, _ = jounce.constrained_forward_dynamics(c.robot, c.q, c.v, *c.forces, **known)
    actuated = ACTUATED[name](c)
    Q, multipliers = jounce.constrained_inverse_dynamics(
        c.robot, c.q, c.v, *a, actuated=actuated, **known
    )
    whole = np.zeros_like(a)
    whole[:, [c.robot.joint(n).v_slice.start for n in actuated]] = Q
    assert_solved(c, whole, [c.v, *a], multipliers)
    again, _ = jounce.constrained_forward_dynamics(c.robot, c.q, c.v, *whole, **known)
    assert_orders_close(again, a, 1e-11)


def test_redundant_actuation_is_least_at_all_times():
    """Between two times, the forces of least norm are the integral of their stated rates."""
    c = case("solo12")
    a, _ = jounce.constrained_forward_dynamics(c.robot, c.q, c.v, *c.forces, contacts=c.contacts)
    names = [joint.name for joint in c.robot.joints[1:]]
    weights = np.linspace(1.0, 3.0, len(names))
    given = {"actuated": names, "weights": weights, "contacts": c.contacts}
    Q, _ = jounce.constrained_inverse_dynamics(c.robot, c.q, c.v, *a, **given)
    J = jounce.closure_jacobian(c.robot.with_closures(*c.contacts), c.q)[0]
    N = np.linalg.svd(J)[2][np.linalg.matrix_rank(J) :].T  # ν is in here, so is W Q
    ID = jounce.inverse_dynamics(c.robot, c.q, c.v, a[0])[0]
    A = N[6:]
    least = np.linalg.solve(A.T @ (A / weights[:, None]), N.T @ ID)
    assert_close(Q[0], A @ least / weights, 1e-11)


def test_rates_of_redundant_forces_are_those_of_the_least_ones():
    """By the tangent of the closed motion: dQ/dt of the text against Q at q(t ± h), 50 digits."""
    robot = fivebar()
    q = jounce.close(robot, [2.0, -1.2, 1.1, 1.2])
    left = {"independent": ["left_arm", "right_arm"]}
    motion = [[0.7, -0.4], [1.0, 2.0], [3.0, -1.0], [2.0, 1.0]]
    rates = jounce.closed_rates(robot, q, *motion, **left)
    actuated = "0 1 2"  # three for two freedoms
    with mpmath.workdps(50):
        exact = [mpmath.mpf(x) for x in q]
        for _ in range(6):  # closed to 50 digits
            J = texts.closure_jacobian(robot, exact, ())[0]
            e = texts.closure_error(robot, exact)[0]
            B = mpmath.matrix(2, 2)
            for i in range(2):
                B[i, 0], B[i, 1] = J[4 * i + 1], J[4 * i + 3]
            step = mpmath.lu_solve(B, mpmath.matrix([-x for x in e]))
            exact[1], exact[3] = exact[1] + step[0], exact[3] + step[1]

        def rate(at: Any, speeds: Any) -> Any:
            return [row[:4] for row in texts.closed_rates(robot, [at, speeds], "0 2")]

        wanted = [[mpmath.mpf(x) for x in row] for row in motion]
        r = rate(exact, wanted)
        ones = [mpmath.mpf(1)] * 3
        found = texts.constrained_inverse_dynamics(robot, [exact, r, ones], actuated)
        h = mpmath.mpf(10) ** -15

        def series(k: int, i: int, t: Any) -> Any:
            return sum(wanted[k + m][i] * t**m / mpmath.factorial(m) for m in range(4 - k))

        def least(t: Any) -> Any:
            at = [
                x + sum(row[i] * t ** (k + 1) / mpmath.factorial(k + 1) for k, row in enumerate(r))
                for i, x in enumerate(exact)
            ]
            along = [[series(k, i, t) for i in (0, 1)] for k in range(2)]
            moved = [at, rate(at, along), ones]
            return texts.constrained_inverse_dynamics(robot, moved, actuated)[0]

        ahead, behind = least(h), least(-h)
        slope = [float((x - y) / (2 * h)) for x, y in zip(ahead[:3], behind[:3], strict=True)]
        assert_close([float(x) for x in found[1][:3]], slope, INDEPENDENT)
    plain, _ = jounce.constrained_inverse_dynamics(
        robot, q, *rates[:3], actuated=["left_arm", "left_fore", "right_arm"]
    )
    assert_close(plain[1], slope, 1e-11)


def test_fourbar_against_the_balance_of_energy():
    """One coordinate, circles intersected at 50 digits: τ θ' = d(T + V)/dt, to order 4."""
    robot = jounce.examples.fourbar()
    crank, coupler, rocker, ground = 0.1, 0.25, 0.25, 0.2
    masses, lengths = (0.3, 0.6, 0.5), (crank, coupler, rocker)
    q = jounce.close(robot, [0.5, 0.5, 1.5])
    theta = [q[0], 2.0, -3.0, 5.0, 4.0, -6.0, 7.0]  # θ and its derivatives

    def angles(t: Any) -> list[Any]:
        angle = sum(mpmath.mpf(x) * t**k / mpmath.factorial(k) for k, x in enumerate(theta))
        x, y = crank * mpmath.cos(angle) - ground, crank * mpmath.sin(angle)
        d = mpmath.sqrt(x * x + y * y)
        along = (mpmath.mpf(rocker) ** 2 - mpmath.mpf(coupler) ** 2 + d * d) / (2 * d)
        side = mpmath.sqrt(mpmath.mpf(rocker) ** 2 - along**2)
        px, py = (along * x + side * y) / d, (along * y - side * x) / d  # tip, from the rocker foot
        if py < 0:
            px, py = (along * x - side * y) / d, (along * y + side * x) / d
        return [angle, mpmath.atan2(py - y, px - x), mpmath.atan2(py, px)]

    def centre(k: int, t: Any) -> list[Any]:
        a, half = angles(t), mpmath.mpf(lengths[k]) / 2
        foot = [ground if k == 2 else 0, 0]
        if k == 1:
            foot = [crank * mpmath.cos(a[0]), crank * mpmath.sin(a[0])]
        return [foot[0] + half * mpmath.cos(a[k]), foot[1] + half * mpmath.sin(a[k])]

    def energy(t: Any) -> Any:
        total = mpmath.mpf(0)
        for k, (m, length) in enumerate(zip(masses, lengths, strict=True)):
            vx, vy = (mpmath.diff(lambda s, i=i, k=k: centre(k, s)[i], t) for i in (0, 1))
            w = mpmath.diff(lambda s, k=k: angles(s)[k], t)
            about = m * mpmath.mpf(length) ** 2 * (1 + 3 * mpmath.mpf(0.01) ** 2) / 12
            moving = (m * (vx**2 + vy**2) + about * w**2) / 2
            total += moving + m * mpmath.mpf(9.80665) * centre(k, t)[1]
        return total

    with mpmath.workdps(60):
        speed = lambda t: mpmath.diff(lambda s: angles(s)[0], t)  # noqa: E731
        power = mpmath.taylor(energy, 0, 5)
        rates = mpmath.taylor(speed, 0, 4)
        torque = []
        for k in range(5):  # power = torque · speed, as series
            known = sum(torque[i] * rates[k - i] for i in range(k))
            torque.append(((k + 1) * power[k + 1] - known) / rates[0])
        wanted = [float(x * mpmath.factorial(k)) for k, x in enumerate(torque)]
    all_rates = jounce.closed_rates(robot, q, *([x] for x in theta[1:]), independent="crank_joint")
    Q, _ = jounce.constrained_inverse_dynamics(robot, q, *all_rates, actuated="crank_joint")
    for k, x in enumerate(wanted):
        assert abs(Q[k, 0] - x) <= 1e-11 * abs(x), k


@pytest.mark.parametrize("name", ["fourbar", "planar fourbar", "fivebar"])
def test_partials_against_differences_at_50_digits(name: str):
    """Of accelerations, forces, multipliers and two derivatives, by each argument of its own."""
    c = case(name)
    assert_partials_of_forward_dynamics(c, name)
    assert_partials_of_inverse_dynamics(c, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["stewart", "solo12"])
def test_partials_of_large_robots_against_differences_at_50_digits(name: str):
    c = case(name)
    assert_partials_of_forward_dynamics(c, name)
    assert_partials_of_inverse_dynamics(c, name)


WRENCH = {"fivebar": "left_fore"}  # a load with derivatives


def assert_partials_of_forward_dynamics(c: Case, name: str) -> None:
    whole, n = c.robot.with_closures(*c.contacts), c.robot.nv
    loads, exact = wrenches_of(c, name)
    found = jounce.constrained_forward_dynamics_partials(
        c.robot, c.q, c.v, *c.forces[:3], contacts=c.contacts, wrenches=loads
    )
    rows = list(range(n + whole.n_closure_rows))

    def text(q: Any, rates: Any) -> Any:
        return texts.constrained_forward_dynamics(whole, [q, rates[0], rates[1:]], exact)

    assert_slopes(c, [c.v, *c.forces[:3]], text, found, rows)


def assert_partials_of_inverse_dynamics(c: Case, name: str) -> None:
    whole, n = c.robot.with_closures(*c.contacts), c.robot.nv
    given = {"contacts": c.contacts, "wrenches": wrenches_of(c, name)[0]}
    a, _ = jounce.constrained_forward_dynamics(c.robot, c.q, c.v, *c.forces[:3], **given)
    actuated = ["left_arm", "left_fore", "right_arm"] if name == "fivebar" else ACTUATED[name](c)
    chosen = [c.robot.joint(joint).v_slice.start for joint in actuated]
    weights = np.linspace(1.0, 2.0, len(chosen))
    found = jounce.constrained_inverse_dynamics_partials(
        c.robot, c.q, c.v, *a, actuated=actuated, weights=weights, **given
    )
    rows = [*chosen, *range(n, n + whole.n_closure_rows)]

    def text(q: Any, rates: Any) -> Any:
        soft = [1 / mpmath.mpf(x) for x in weights]
        words = " ".join(map(str, chosen))
        loads = wrenches_of(c, name)[1]
        return texts.constrained_inverse_dynamics(whole, [q, rates, soft], words, loads)

    assert_slopes(c, [c.v, *a], text, found, rows)


def wrenches_of(c: Case, name: str) -> tuple[Any, Any]:
    """Return wrenches on the frame of `WRENCH`, as functions and as texts take them."""
    if name not in WRENCH:
        return None, None
    rows = np.random.default_rng(3).standard_normal((3, 6))
    frame = WRENCH[name]
    return {frame: jounce.Wrench(rows, "hybrid")}, {(frame, "hybrid"): rows.tolist()}


def assert_slopes(c: Case, rates: Any, text: Any, found: Any, rows: list[int]) -> None:
    """Hold each block of partials against central differences of the text, along one direction."""
    directions = np.random.default_rng(0).standard_normal((len(rates) + 1, c.robot.nv))
    for x, d in enumerate(directions):
        with mpmath.workdps(50):
            h = mpmath.mpf(10) ** -18

            def at(step: Any, x: int = x, d: Any = d) -> Any:
                q = _integrated(c.robot, c.q, d, step if x == 0 else mpmath.mpf(0))
                moved = [[mpmath.mpf(a) for a in rate] for rate in rates]
                if x:
                    moved[x - 1] = [a + b * step for a, b in zip(moved[x - 1], d, strict=True)]
                return text(q, moved)

            pairs = zip(at(h), at(-h), strict=True)
            slopes = np.array([[float((a[i] - b[i]) / (2 * h)) for i in rows] for a, b in pairs])
        for k, slope in enumerate(slopes):
            split = len(rows) - found.multipliers.shape[-2]
            what = f"order {k} by argument {x}"
            assert_close(found.values[k, x] @ d, slope[:split], INDEPENDENT, what=what)
            assert_close(found.multipliers[k, x] @ d, slope[split:], INDEPENDENT, what=what)


def three_cranks(pins: Any = ((0.0, 0.0), (0.3, 0.0), (0.6, 0.0))) -> jounce.Robot:
    """Return a bar on three parallel cranks: the third says what the others say, if closed."""
    builder = jounce.RobotBuilder("three_cranks", gravity=(0, -9.80665, 0))
    rod = jounce.Inertia(0.4, (0.15, 0, 0), np.diag([1e-4, 3e-3, 3e-3]))
    turn = jounce.joints.revolute((0, 0, 1))
    for k, place in enumerate(pins):
        builder.add(f"crank_{k}", None, turn, _pose("z", 0.0, (*place, 0)), rod)
        builder.frame(f"tip_{k}", f"crank_{k}", _pose("z", 0.0, (0.2, 0, 0)))
    builder.add("bar", "crank_0", turn, _pose("z", 0.0, (0.2, 0, 0)), rod)
    for k in (1, 2):
        builder.frame(f"pin_{k}", "bar", _pose("z", 0.0, (*pins[k], 0)))
        builder.closure(f"pin_{k}", f"tip_{k}", directions="vx vy")
    return builder.build()


def test_partials_of_redundant_rows_that_disagree_beside_the_closure():
    robot = three_cranks()
    q, rest = np.array([1.0, 1.0, 1.0, -1.0]), np.zeros(4)
    assert jounce.mobility(robot) == (1, 1)
    a, _ = jounce.constrained_forward_dynamics(robot, q, rest, rest)
    assert_close(a[0, :3], np.full(3, a[0, 0]), INDEPENDENT)
    with pytest.raises(jounce.UnsupportedError, match=r"redundant: v[xy] of 'pin_\d' to tip_\d\."):
        jounce.constrained_forward_dynamics_partials(robot, q, rest, rest)
    with pytest.raises(jounce.UnsupportedError, match="redundant"):
        jounce.constrained_inverse_dynamics_partials(robot, q, rest, rest, actuated="crank_0")


def test_partials_are_refused_wherever_a_sample_stands():
    """A plate on three cranks may stand turned, where no row is redundant, beside others."""
    pins = np.array([(0.0, 0.0), (0.3, 0.0), (0.15, 0.2)])
    robot = three_cranks(pins)
    center = np.linalg.solve(2.0 * pins[1:], (pins[1:] ** 2).sum(axis=1))
    turn = 2.0 * np.arcsin(0.1 / np.linalg.norm(center))  # that takes pins to circles of 0.2 m
    tips = (pins - center) @ (_pose("z", turn)[:2, :2] - np.eye(2)).T
    cranks = np.arctan2(tips[:, 1], tips[:, 0])
    turned, parallel = np.array([*cranks, turn - cranks[0]]), np.array([1.0, 1.0, 1.0, -1.0])
    assert np.abs(jounce.closure_error(robot, turned)).max() < ROUNDOFF
    rest = np.zeros(4)
    found = jounce.constrained_forward_dynamics_partials(robot, turned, rest, rest)
    assert found.values.shape == (1, 3, 4, 4)
    for q in ([parallel, turned], [turned, parallel], [[turned], [parallel]]):
        with pytest.raises(jounce.UnsupportedError, match="redundant"):
            jounce.constrained_forward_dynamics_partials(robot, np.array(q), rest, rest)


@pytest.mark.parametrize("batch", [(0,), (2, 0)])
def test_partials_of_no_samples(batch: tuple[int, ...]):
    robot = jounce.examples.fourbar(directions="vx vy")
    none = np.zeros((*batch, 3))
    for function in (
        jounce.constrained_forward_dynamics_partials,
        jounce.constrained_inverse_dynamics_partials,
    ):
        values, multipliers = function(robot, none, none, none)
        assert values.shape == (1, 3, *batch, 3, 3)
        assert multipliers.shape == (1, 3, *batch, 2, 3)
    assert jounce.closed_rates(robot, none, none[..., :1]).shape == (1, *batch, 3)


def _integrated(robot: jounce.Robot, q: np.ndarray, dv: np.ndarray, step: Any) -> list[Any]:
    """Return q moved by ``step dv``, to second order in the step."""
    result = [mpmath.mpf(x) for x in q]
    for joint in robot.joints:
        s, w = joint.q_slice.start, dv[joint.v_slice]
        if joint.quaternion is None:
            for i, x in enumerate(w):
                result[s + i] += x * step
            continue
        x, y, z, u = (mpmath.mpf(t) for t in q[joint.q_slice][-4:])
        a, b, g = (t * step / 2 for t in w[:3])
        turned = [
            x + u * a - z * b + y * g,
            y + z * a + u * b - x * g,
            z - y * a + x * b + u * g,
            u - x * a - y * b - z * g,
        ]
        length = mpmath.sqrt(sum(t * t for t in turned))
        result[joint.q_slice.stop - 4 : joint.q_slice.stop] = [t / length for t in turned]
        if joint.nq == 7:
            R = Rotation.from_quat(q[joint.q_slice][-4:]).as_matrix()
            for i in range(3):
                result[s + i] += sum(R[i, k] * w[3 + k] for k in range(3)) * step
    return result


@pytest.mark.parametrize("directions", ["vz", "vx vy", "wz", "wx wy vz", "wz vx", "linear", "all"])
def test_contacts_hold_a_frame_where_it_is(directions: str):
    """As a closure to a frame of the ground at that place does, far from the neutral q."""
    rng = np.random.default_rng(11)
    robot = jounce.load("humanoid")
    q = jounce.integrate(robot, robot.neutral, 0.5 * rng.standard_normal(robot.nv))
    here = robot.with_frame("here", None, jounce.frame_pose(robot, "left_foot", q)[0])
    closed = here.with_closures(jounce.Closure("left_foot", "here", directions=directions))
    J = jounce.closure_jacobian(closed, q)[0]
    body = jounce.jacobian(robot, "left_foot", q)[0]
    rows = [
        jounce.Closure("left_foot", directions=d).rows[0]
        for d in closed.closures[0].directions.split()
    ]
    assert_close(J, body[rows], INDEPENDENT)
    v = rng.standard_normal(robot.nv)
    v -= np.linalg.pinv(J) @ (J @ v)
    forces = 10.0 * rng.standard_normal((3, robot.nv))
    contacts = [jounce.Closure("left_foot", directions=directions)]
    found = jounce.constrained_forward_dynamics(robot, q, v, *forces, contacts=contacts)
    wanted = jounce.constrained_forward_dynamics(closed, q, v, *forces)
    assert_orders_close(found.values, wanted.values, INDEPENDENT)
    assert_orders_close(found.multipliers, wanted.multipliers, INDEPENDENT)


def test_partials_with_contacts_leave_the_place_of_contact():
    rng = np.random.default_rng(12)
    builder = jounce.RobotBuilder("block")
    block = jounce.Inertia(2.0, (0.1, 0.05, 0.0), np.diag([0.1, 0.2, 0.25]))
    builder.add("block", None, jounce.joints.free(), np.eye(4), block)
    robot = builder.build()
    q = jounce.integrate(robot, robot.neutral, rng.standard_normal(6))
    here = robot.with_frame("here", None, jounce.frame_pose(robot, "block", q)[0])
    closed = here.with_closures(jounce.Closure("block", "here", directions="wz vz"))
    v, Q, Q1 = rng.standard_normal((3, 6))
    v[[2, 5]] = 0.0
    contacts = [jounce.Closure("block", directions="wz vz")]
    found = jounce.constrained_forward_dynamics_partials(robot, q, v, Q, Q1, contacts=contacts)
    wanted = jounce.constrained_forward_dynamics_partials(closed, q, v, Q, Q1)
    for a, b in zip(found, wanted, strict=True):
        for k in range(2):
            assert_close(a[k], b[k], INDEPENDENT)


def test_jacobian_is_the_partial_of_the_error():
    """Every set of directions, at configurations that are closed: ``∂error = J δ``."""
    rng = np.random.default_rng(5)
    robot, q = random_loops(rng)
    J = jounce.closure_jacobian(robot, q)[0]
    for _ in range(5):
        d = rng.standard_normal(robot.nv)
        with mpmath.workdps(40):
            h = mpmath.mpf(10) ** -12
            pairs = zip(
                texts.closure_error(robot, _integrated(robot, q, d, h))[0],
                texts.closure_error(robot, _integrated(robot, q, d, -h))[0],
                strict=True,
            )
            slope = [float((x - y) / (2 * h)) for x, y in pairs]
        assert_close(J @ d, slope, 1e-11)


def test_a_tree_is_untouched_by_contacts_that_are_not_given():
    arm = jounce.load("planar2r")
    q, v, Q = [0.1, 0.2], [1.0, 2.0], [3.0, 4.0]
    a, none = jounce.constrained_forward_dynamics(arm, q, v, Q)
    assert_close(a, jounce.forward_dynamics(arm, q, v, Q), ROUNDOFF)
    assert none.shape == (1, 0)
