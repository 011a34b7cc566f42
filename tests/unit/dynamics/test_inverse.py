"""Inverse dynamics of spherical and free joints, loads, motors, and special cases."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import jounce
from jounce.algebra.jet import Jet, dt
from jounce.dynamics.inverse import inverse_dynamics
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close, assert_orders_close

pytestmark = pytest.mark.usefixtures("interpreted")

ORDER = 4


def matter(rng: np.random.Generator) -> jounce.Inertia:
    points = rng.normal(size=(8, 3)) * 0.3
    com = points.mean(0)
    spread = points - com
    rotational = sum(0.2 * (p @ p * np.eye(3) - np.outer(p, p)) for p in spread)
    return jounce.Inertia(1.6, com, rotational)


def placement(rng: np.random.Generator) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    T[:3, :3] *= np.linalg.det(T[:3, :3])
    T[:3, 3] = rng.normal(size=3)
    return T


def arm(rng: np.random.Generator, last: str) -> jounce.Robot:
    """Two bodies: a revolute one and one on a ``last`` joint, then a third revolute one."""
    rng = np.random.default_rng(5)
    b = jounce.RobotBuilder("arm", gravity=(1.0, -2.0, -9.0))
    first, second, third = (placement(rng) for _ in range(3))
    inertias = [matter(rng) for _ in range(3)]
    b.add("one", None, jounce.joints.revolute((0, 0.6, 0.8)), first, inertias[0])
    chains = {
        "spherical": [("two", jounce.joints.spherical())],
        "euler": [
            ("two_z", jounce.joints.revolute((0, 0, 1))),
            ("two_y", jounce.joints.revolute((0, 1, 0))),
            ("two", jounce.joints.revolute((1, 0, 0))),
        ],
        "free": [("two", jounce.joints.free())],
        "six": [
            ("two_1", jounce.joints.prismatic((1, 0, 0))),
            ("two_2", jounce.joints.prismatic((0, 1, 0))),
            ("two_3", jounce.joints.prismatic((0, 0, 1))),
            ("two_4", jounce.joints.revolute((0, 0, 1))),
            ("two_5", jounce.joints.revolute((0, 1, 0))),
            ("two", jounce.joints.revolute((1, 0, 0))),
        ],
    }
    parent, place = "one", second
    for name, joint in chains[last]:
        b.add(name, parent, joint, place, inertias[1] if name == "two" else None)
        parent, place = name, np.eye(4)
    b.add("three", "two", jounce.joints.revolute((0.6, 0, 0.8)), third, inertias[2])
    return b.build()


def euler_jets(rng: np.random.Generator, count: int) -> list[Jet]:
    return [Jet(rng.normal(size=ORDER + 3).tolist()) for _ in range(count)]


def euler_rates(angles: list[Jet]) -> list[list]:
    """Return E with ω_body = E d(angles)/dt for R = Rz Ry Rx."""
    _, y, x = angles
    (sy, cy), (sx, cx) = y.sincos(), x.sincos()
    return [[-sy, 0.0, 1.0], [cy * sx, cx, 0.0], [cy * cx, -sx, 0.0]]


def rows(jets: list, count: int) -> list[list[float]]:
    """Return derivatives of jets, order first."""
    return [[j.derivatives()[k] for j in jets] for k in range(count)]


def times(matrix: list[list], vector: list) -> list:
    return [r[0] * vector[0] + r[1] * vector[1] + r[2] * vector[2] for r in matrix]


def quaternion(angles: list[float]) -> list[float]:
    from scipy.spatial.transform import Rotation

    return Rotation.from_euler("ZYX", angles).as_quat().tolist()


def test_spherical_joint_is_three_revolute_joints(rng: np.random.Generator) -> None:
    first, *angles, third = euler_jets(rng, 5)
    E = euler_rates(angles)
    omega = times(E, [dt(x) for x in angles])
    chain, ball = arm(rng, "euler"), arm(rng, "spherical")
    motion = [first, *angles, third]
    Q_chain = inverse_dynamics(chain, rows(motion, 1)[0], rows([dt(x) for x in motion], ORDER + 2))
    q = [first.coeffs[0], *quaternion([a.coeffs[0] for a in angles]), third.coeffs[0]]
    Q_ball = inverse_dynamics(ball, q, rows([dt(first), *omega, dt(third)], ORDER + 2))
    torque = [Jet.from_derivatives([Q_ball[k][1 + i] for k in range(ORDER + 1)]) for i in range(3)]
    mapped = times([list(c) for c in zip(*E, strict=True)], torque)
    got = [
        [Q_ball[k][0], *(m.derivatives()[k] for m in mapped), Q_ball[k][4]]
        for k in range(ORDER + 1)
    ]
    assert_orders_close(got, Q_chain, INDEPENDENT)


def test_free_joint_is_three_prismatic_and_three_revolute_joints(rng: np.random.Generator) -> None:
    first, x, y, z, *angles, third = euler_jets(rng, 8)
    E, position = euler_rates(angles), [x, y, z]
    omega = times(E, [dt(a) for a in angles])
    R = rotation_jets(angles)
    back = [list(c) for c in zip(*R, strict=True)]
    velocity = times(back, [dt(p) for p in position])
    chain, free = arm(rng, "six"), arm(rng, "free")
    motion = [first, *position, *angles, third]
    Q_chain = inverse_dynamics(chain, rows(motion, 1)[0], rows([dt(m) for m in motion], ORDER + 2))
    start = [p.coeffs[0] for p in position]
    turn = quaternion([a.coeffs[0] for a in angles])
    q = [first.coeffs[0], *start, *turn, third.coeffs[0]]
    Q = inverse_dynamics(free, q, rows([dt(first), *omega, *velocity, dt(third)], ORDER + 2))
    jets = [Jet.from_derivatives([Q[k][1 + i] for k in range(ORDER + 1)]) for i in range(6)]
    push = times(R, jets[3:])
    turn_forces = times([list(c) for c in zip(*E, strict=True)], jets[:3])
    got = [
        [Q[k][0], *(f.derivatives()[k] for f in (*push, *turn_forces)), Q[k][7]]
        for k in range(ORDER + 1)
    ]
    assert_orders_close(got, Q_chain, INDEPENDENT)


def rotation_jets(angles: list[Jet]) -> list[list]:
    from jounce.algebra.so3 import from_rpy

    z, y, x = angles
    return [list(row) for row in from_rpy(x, y, z).rows]


@pytest.mark.parametrize("kind", ["spherical", "free"])
def test_orders_are_derivatives_of_order_zero(kind: str, rng: np.random.Generator) -> None:
    """At 50 digits: differentiate Q(t) of order zero numerically along a motion in time."""
    robot = arm(rng, kind)
    end = robot.joints[1].q_slice.stop
    coefficients = rng.normal(size=(robot.nq, 4))

    def coordinates(t, k: int = 0) -> list:
        """Return the k-th derivative of q(t); its quaternion is not normalised."""
        powers = [mpmath.diff(lambda s, n=n: s**n, t, k) for n in range(4)]
        return [
            sum(mpmath.mpf(c) * p for c, p in zip(row, powers, strict=True)) for row in coefficients
        ]

    def velocities(t) -> list:
        q, q1 = coordinates(t), coordinates(t, 1)
        omega = body_rate(q[end - 4 : end], q1[end - 4 : end])
        if kind == "spherical":
            return [q1[0], *omega, q1[-1]]
        R = np.array(turn_matrix(q[end - 4 : end]))
        return [q1[0], *omega, *(R.T @ np.array(q1[1:4])), q1[-1]]

    def order_zero(t) -> list:
        v = velocities(t)
        a = [mpmath.diff(lambda s, i=i: velocities(s)[i], t) for i in range(robot.nv)]
        return inverse_dynamics(robot, coordinates(t), [v, a])[0]

    with mpmath.workdps(50):
        series = [
            mpmath.taylor(lambda s, i=i: velocities(s)[i], 0, ORDER + 1) for i in range(robot.nv)
        ]
        rates = [[c[k] * mpmath.factorial(k) for c in series] for k in range(ORDER + 2)]
        got = inverse_dynamics(robot, coordinates(mpmath.mpf(0)), rates)
        step = mpmath.mpf(10) ** -4
        values = {n: order_zero(n * step) for n in range(-6, 7)}
        for k in range(ORDER + 1):
            weights = central_weights(k)
            wanted = [
                sum(w * values[n][i] for n, w in weights.items()) / step**k for i in range(robot.nv)
            ]
            assert_close([float(x) for x in got[k]], [float(x) for x in wanted], INDEPENDENT)


def central_weights(k: int) -> dict[int, mpmath.mpf]:
    """Return the weights of the k-th derivative on 13 points, exact for degree 12."""
    points = range(-6, 7)
    matrix = mpmath.matrix([[mpmath.mpf(n) ** r for n in points] for r in range(13)])
    right = mpmath.matrix([mpmath.factorial(k) if r == k else 0 for r in range(13)])
    return dict(zip(points, mpmath.lu_solve(matrix, right), strict=True))


def body_rate(p, p1):
    """Return ω = 2 vec(p* ∘ p') / |p|², of a quaternion of any length."""
    x, y, z, w = p
    a, b, c, d = p1
    scale = 2 / (x * x + y * y + z * z + w * w)
    return [
        scale * (w * a + z * b - y * c - x * d),
        scale * (-z * a + w * b + x * c - y * d),
        scale * (y * a - x * b + w * c - z * d),
    ]


def turn_matrix(q):
    from jounce.algebra.so3 import from_quaternion

    return [list(row) for row in from_quaternion(*q).rows]


def test_one_body_pendulum_by_hand() -> None:
    b = jounce.RobotBuilder("pendulum")
    b.add(
        "rod",
        joint=jounce.joints.revolute((0, 1, 0)),
        inertia=jounce.Inertia(2.0, (0, 0, -0.5), np.zeros((3, 3))),
        armature=0.3,
        damping=0.7,
    )
    q, v, a, j = 0.4, 1.1, -0.6, 2.0
    Q, Q1 = jounce.inverse_dynamics(b.build(), [q], [v], [a], [j])[:, 0]
    g = 9.80665
    assert_close(Q, (0.5 + 0.3) * a + 0.7 * v + g * np.sin(q), ROUNDOFF)
    assert_close(Q1, (0.5 + 0.3) * j + 0.7 * a + g * np.cos(q) * v, ROUNDOFF)


def test_mimic_joint_adds_its_force_to_its_source(rng: np.random.Generator) -> None:
    def build(mimic) -> jounce.Robot:
        b = jounce.RobotBuilder("gripper")
        r = np.random.default_rng(2)
        b.add("palm", None, jounce.joints.revolute((0, 0, 1)), placement(r), matter(r))
        b.add("left", "palm", jounce.joints.prismatic((0, 1, 0)), placement(r), matter(r))
        b.add(
            "right", "palm", jounce.joints.revolute((0.6, 0.8, 0)), placement(r), matter(r),
            armature=0.2, mimic=mimic,
        )  # fmt: skip
        return b.build()

    free, tied = build(None), build(("left", -1.5, 0.25))
    E = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, -1.5]])
    motion = rng.normal(size=(ORDER + 3, 2))
    full = motion @ E.T
    full[0, 2] += 0.25
    wanted = jounce.inverse_dynamics(free, *full) @ E
    assert_orders_close(jounce.inverse_dynamics(tied, *motion), wanted, ROUNDOFF)
    assert (tied.nq, tied.nv, tied.joints[2].nq) == (2, 2, 0)


@pytest.mark.parametrize("representation", ["body", "spatial", "hybrid"])
def test_wrench_is_power_conjugate_to_the_twist(
    representation: str, rng: np.random.Generator
) -> None:
    """``−∂Q/∂W`` is the Jacobian: W·V = (Q without load − Q with load)·v, and its rates."""
    robot = jounce.examples.random_tree(rng, 10, oblique_gravity=True)
    frame = robot.bodies[-1].name
    q = robot.random_configuration(rng)
    v, a, j, s = rng.normal(size=(4, robot.nv))
    W = rng.normal(size=(3, 6))
    load = {frame: jounce.Wrench(W, representation)}
    without = jounce.inverse_dynamics(robot, q, v, a, j, s)
    loaded = jounce.inverse_dynamics(robot, q, v, a, j, s, wrenches=load)
    T, T1, T2, T3 = jounce.poses(robot, q, v, a, j)[:, -1]
    twist = twists_of((T, T1, T2, T3), representation)
    power = sum_of_products(W, twist)
    wanted = sum_of_products(without - loaded, [v, a, j])
    scale = np.abs(without).max()
    for got, reference in zip(power, wanted, strict=True):
        assert_close(got, reference, INDEPENDENT, scale=scale)


def twists_of(T: tuple, representation: str) -> list[np.ndarray]:
    """Return the twist and two rates from the pose and three rates, by plain products."""
    T0, T1, T2, T3 = T
    eye = np.eye(4)
    U0 = np.linalg.inv(T0)
    U1 = -U0 @ T1 @ U0
    U2 = -(U1 @ T1 @ U0 + U0 @ T2 @ U0 + U0 @ T1 @ U1)
    if representation == "body":
        hats = [U0 @ T1, U1 @ T1 + U0 @ T2, U2 @ T1 + 2 * U1 @ T2 + U0 @ T3]
    else:
        hats = [T1 @ U0, T2 @ U0 + T1 @ U1, T3 @ U0 + 2 * T2 @ U1 + T1 @ U2]
    vees = [np.r_[h[2, 1], h[0, 2], h[1, 0], h[:3, 3]] for h in hats]
    if representation == "hybrid":  # the linear part is the velocity of the origin
        for vee, rate in zip(vees, (T1, T2, T3), strict=True):
            vee[3:] = (rate @ eye)[:3, 3]
    return vees


def sum_of_products(a, b) -> list[float]:
    """Return (a·b), its rate and second rate."""
    return [a[0] @ b[0], a[1] @ b[0] + a[0] @ b[1], a[2] @ b[0] + 2 * a[1] @ b[1] + a[0] @ b[2]]


def test_wrench_on_the_ground_does_nothing() -> None:
    b = jounce.RobotBuilder("on a table")
    b.add("table")
    b.add(
        "rod", "table", jounce.joints.revolute((1, 0, 0)), inertia=matter(np.random.default_rng(1))
    )
    built = b.build()
    q = v = a = [0.3]
    load = {"table": np.ones((1, 6))}
    assert_close(
        jounce.inverse_dynamics(built, q, v, a, wrenches=load),
        jounce.inverse_dynamics(built, q, v, a),
        ROUNDOFF,
    )


def test_high_order_against_fifty_digits(rng: np.random.Generator) -> None:
    robot = jounce.examples.random_tree(rng, 9, oblique_gravity=True)
    q = robot.random_configuration(rng)
    rates = rng.normal(size=(12, robot.nv))
    with mpmath.workdps(50):
        exact = inverse_dynamics(
            robot, [mpmath.mpf(x) for x in q], [[mpmath.mpf(x) for x in r] for r in rates]
        )
        wanted = [[float(x) for x in row] for row in exact]
    assert_orders_close(jounce.inverse_dynamics(robot, q, *rates), wanted, INDEPENDENT)
