"""Articulated bodies against elimination: the same factors of M, and the same forward dynamics."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mpmath
import numpy as np
import pytest

import jounce
from jounce.algebra.articulated import ArticulatedInertia
from jounce.algebra.inertia import SpatialInertia, Symmetric3
from jounce.algebra.se3 import Motion, Transform, components
from jounce.algebra.so3 import Rotation
from jounce.algebra.vector import Vec3
from jounce.dynamics.factorization import ZeroPivotError, solve
from jounce.dynamics.forward import (
    METHODS,
    fewest,
    forward_dynamics,
    forward_dynamics_and_pivots,
    forward_dynamics_partials,
    mass_factors,
)
from jounce.kernels.description import kernel_spec
from jounce.kernels.tracing import trace, trace_by
from jounce.model.examples import KINDS
from jounce.model.joints import prismatic, revolute
from jounce.model.records import Friction
from tests.example_robots import urdf
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close, assert_orders_close

DIGITS = 50  # what remains is the rounding of the robot's constants
DEEP = 1e-11  # of scale, in doubles: a chain of a hundred joints
TREE = tuple(kind for kind in KINDS if kind != "mimic")
TREES = {
    "branched": {"branching": 0.5, "massless": 0.3},
    "motors": {"branching": 0.3, "armature": True, "damping": True},
    "floating": {"branching": 0.5, "floating_base": True},
    "deep": {"branching": 0.0, "armature": True},
}


def tree(name: str) -> tuple[jounce.Robot, np.random.Generator]:
    rng = np.random.default_rng(sum(map(ord, name)))
    robot = jounce.examples.random_tree(rng, len(TREE), TREE, oblique_gravity=True, **TREES[name])
    if name == "motors":
        dry = (replace(j, friction=(Friction(0.4, 0.1, 0.2),) * j.nv) for j in robot.joints)
        robot = replace(robot, joints=tuple(dry))
    assert {joint.kind for joint in robot.joints} >= set(TREE) - {"fixed"}
    return robot, rng


def exact(row: Any) -> list[Any]:
    return [mpmath.mpf(float(x)) for x in row]


@pytest.mark.parametrize("name", TREES)
def test_both_methods_give_the_same_numbers(name: str) -> None:
    """Orders 0 to 3 and the pivots, under wrenches in all representations."""
    robot, rng = tree(name)
    q = robot.random_configuration(rng)
    motion = rng.normal(size=(5, robot.nv))
    frames = [robot.bodies[i].name for i in (0, robot.n_bodies // 2, -1)]
    loads = rng.normal(size=(3, 4, 6))
    with mpmath.workdps(DIGITS):
        wrenches = {
            (frame, representation): [exact(row) for row in rows]
            for frame, representation, rows in zip(
                frames, ("body", "spatial", "hybrid"), loads, strict=True
            )
        }
        given = robot, exact(q), [exact(row) for row in motion], wrenches
        rows = [forward_dynamics_and_pivots(*given, method=method) for method in METHODS]
    assert len(rows[0]) == 5
    assert_orders_close(rows[1], rows[0], INDEPENDENT)


@pytest.mark.parametrize("name", TREES)
def test_partials_of_both_methods_are_the_same(name: str) -> None:
    robot, rng = tree(name)
    q = robot.random_configuration(rng)
    with mpmath.workdps(DIGITS):
        given = robot, exact(q), [exact(row) for row in rng.normal(size=(2, robot.nv))]
        rows = [forward_dynamics_partials(*given, method=method) for method in METHODS]
    assert_orders_close(rows[1], rows[0], INDEPENDENT)


def test_the_inertia_is_the_schur_complement(rng: np.random.Generator) -> None:
    """As matrices: moved like a screw's dual, and less what the joint yields."""

    def matrix(inertia: ArticulatedInertia) -> np.ndarray:
        units = (Motion(Vec3(*e[:3]), Vec3(*e[3:])) for e in np.eye(6).tolist())
        return np.array([components(inertia.apply(e)) for e in units])

    m, h, I = 2.0, Vec3(*rng.normal(size=3)), Symmetric3(3.0, 4.0, 5.0, 0.1, 0.2, -0.3)
    body = ArticulatedInertia.of(SpatialInertia(m, h, I))
    A = rng.normal(size=(6, 6))
    whole = matrix(body)
    for k, motor in ((2, 0.0), (5, 0.0), (2, 0.7)):
        X = Motion(Vec3(*np.eye(6)[k][:3]), Vec3(*np.eye(6)[k][3:]))
        U = body.apply(X)
        D = X.power(U) + motor
        u = whole[:, k]
        wanted = whole - np.outer(u, u) / (u[k] + motor)
        for unit in (k, None):
            got = matrix(body.yielding(U, U * (1.0 / D), unit, motor))
            assert_close(got, wanted, ROUNDOFF)
    R, _ = np.linalg.qr(A[:3, :3])
    p = rng.normal(size=3)
    a, b, c = (Vec3(*row) for row in R.tolist())
    T = Transform(Rotation((a, b, c)), Vec3(*p.tolist()))
    hat = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
    push = np.block([[R, hat @ R], [np.zeros((3, 3)), R]])
    yielding = body.yielding(body.apply(X), body.apply(X) * (1.0 / m), None, 0.0)
    assert_close(matrix(yielding.moved(T)), push @ matrix(yielding) @ push.T, ROUNDOFF)


def test_a_joint_without_mass_is_found(rng: np.random.Generator) -> None:
    builder = jounce.RobotBuilder("arm")
    matter = jounce.Inertia(1.0, (0.1, 0, 0), 0.1 * np.eye(3))
    builder.add("a", None, revolute((0, 0, 1)), np.eye(4), matter, "base")
    builder.add("b", "a", prismatic((0, 0, 1)), np.eye(4), None, "wrist")
    builder.add("c", "b", prismatic((0, 0, 1)), np.eye(4), matter, "tip")
    robot, q = builder.build(), rng.normal(size=3).tolist()
    for method, factored in METHODS.items():
        with pytest.raises(ZeroPivotError):
            factored(robot, q)
        with pytest.raises(jounce.SingularError, match="joint 'wrist'"):
            mass_factors(robot, q, method)


def test_a_chain_of_a_hundred(rng: np.random.Generator) -> None:
    """Doubles by articulated bodies against elimination with fifty digits."""
    robot = jounce.examples.chain(100)
    q, v, Q = rng.uniform(-1.0, 1.0, (3, 100)) * [[1.0], [0.1], [1.0]]
    got = forward_dynamics(robot, q.tolist(), [v.tolist(), Q.tolist()])
    assert fewest(robot) == ("articulated",)
    with mpmath.workdps(DIGITS):
        given = robot, exact(q), [exact(v), exact(Q)]
        wanted = forward_dynamics(*given, method="elimination")
    assert_close(np.array(got, float), np.array(wanted, float), DEEP)


def operations(robot: jounce.Robot, quantity: str, order: int = 0) -> int:
    return trace(kernel_spec(robot, quantity, order)).operations


@pytest.mark.slow
def test_operations_grow_with_the_links() -> None:
    """Axes, angles and centres of mass of the chain repeat after sixty joints."""
    for order in (0, 2):
        counts = [
            operations(jounce.examples.chain(n), "forward_dynamics", order) for n in (60, 120, 180)
        ]
        first, second = np.diff(counts)
        assert abs(first - second) < 0.01 * first
        assert counts[0] < 1.1 * first  # and start from nothing


ROBOTS = {
    "panda": "panda_description/urdf/panda.urdf",
    "panda floating": "panda_description/urdf/panda.urdf",
    "talos": "talos_data/robots/talos_reduced.urdf",
    "talos floating": "talos_data/robots/talos_reduced.urdf",
    "solo12 floating": "solo_description/robots/solo12.urdf",
}
TAKEN = {  # by elimination alone, before there was a choice: a, …, and partials
    "panda": (1832, 5210, 9998, 8156),
    "panda floating": (3520, 8691, 15879, 23598),
    "talos": (7900, 21986, 42128, 39319),
    "talos floating": (13948, 33391, 60585, 132799),
}


@pytest.mark.parametrize(
    "name", [n if n == "panda" else pytest.param(n, marks=pytest.mark.slow) for n in ROBOTS]
)
def test_kernels_take_the_cheaper_method(name: str) -> None:
    robot = jounce.load(urdf(ROBOTS[name]), mimic=False, floating_base="floating" in name)
    wanted = []
    for order in (0, 2, 4):
        taken = operations(robot, "forward_dynamics", order)
        every = [_counted(robot, "forward_dynamics", order, method) for method in METHODS]
        assert taken == min(every)
        wanted.append(taken)
    taken = operations(robot, "forward_dynamics_partials")
    assert taken == min(_counted(robot, "forward_dynamics_partials", 0, m) for m in METHODS)
    bounds = TAKEN.get(name, (np.inf,) * 4)
    assert all(a <= b for a, b in zip([*wanted, taken], bounds, strict=True))


def _counted(robot: jounce.Robot, quantity: str, order: int, method: str) -> int:
    return trace_by(kernel_spec(robot, quantity, order), method).operations


def test_mimics_are_left_to_elimination() -> None:
    robot = jounce.load(urdf(ROBOTS["panda"]))
    assert any(joint.mimic for joint in robot.joints)
    assert fewest(robot) == ("elimination",)
    assert fewest(jounce.load("planar2r")) == ("elimination",)


def test_solving_many_columns(rng: np.random.Generator) -> None:
    """Structural zeros of the right-hand side cost nothing and change nothing."""
    robot, rng = tree("branched")
    q = robot.random_configuration(rng).tolist()
    M = jounce.mass_matrix(robot, q)[0]
    factors = mass_factors(robot, q, "articulated")
    inverse = [solve(factors, row) for row in np.eye(robot.nv).tolist()]
    assert_close(np.array(inverse) @ M, np.eye(robot.nv), 1e-11)
