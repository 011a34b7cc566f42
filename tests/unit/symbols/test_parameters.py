"""Robots made of symbols: they build, compare and hash, and the texts run on them."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce.codegen.graph import Graph
from jounce.codegen.interpreter import interpret
from jounce.dynamics.inverse import inverse_dynamics
from jounce.dynamics.poses import poses
from jounce.errors import InvalidInertiaError, ModelError, UnsupportedError
from jounce.model import joints
from jounce.model.builder import RobotBuilder
from jounce.model.inertia import Inertia
from jounce.model.lowering.reduced import reduced
from jounce.model.lowering.tree import lowered
from jounce.model.parameters import parameters
from jounce.model.robot import Robot
from tests.tolerances import ROUNDOFF, assert_close

Z = joints.revolute((0, 0, 1))
SYMBOLS = sp.symbols("m1 m2 l1 l2 c2 I2 g")


def arm(m1: Any, m2: Any, l1: Any, l2: Any, c2: Any, I2: Any, g: Any) -> Robot:
    """Return a planar 2R arm: a point mass at the first tip, a bar with a tool on it."""
    b = RobotBuilder("2R", gravity=(0, -g, 0))
    b.add("upper", None, Z, inertia=Inertia(m1, (l1, 0, 0), np.zeros((3, 3))))
    T = np.eye(4).tolist()
    T[0][3] = l1
    bar = Inertia(m2, (c2, 0, 0), [[0, 0, 0], [0, I2, 0], [0, 0, I2]])
    b.add("lower", "upper", Z, T, bar, armature=0.0)
    T = np.eye(4).tolist()
    T[0][3] = l2
    b.frame("tip", "lower", T)
    return b.build()


def textbook(q, v, a, m1, m2, l1, c2, I2, g) -> list[Any]:
    """Return the equations of motion of the arm as every textbook prints them."""
    c, s = sp.cos(q[1]), sp.sin(q[1])
    M11 = m1 * l1**2 + m2 * (l1**2 + c2**2 + 2 * l1 * c2 * c) + I2
    M12, M22 = m2 * (c2**2 + l1 * c2 * c) + I2, m2 * c2**2 + I2
    h, load = m2 * l1 * c2 * s, m2 * c2 * g * sp.cos(q[0] + q[1])
    first = M11 * a[0] + M12 * a[1] - h * (2 * v[0] * v[1] + v[1] ** 2)
    second = M12 * a[0] + M22 * a[1] + h * v[0] ** 2
    return [first + (m1 + m2) * l1 * g * sp.cos(q[0]) + load, second + load]


@pytest.mark.parametrize("way", [lowered, reduced])
def test_symbolic_masses_give_the_textbook_equation(way):
    m1, m2, l1, _, c2, I2, g = SYMBOLS
    robot = arm(*SYMBOLS)
    q, v, a = sp.symbols("q1 q2"), sp.symbols("v1 v2"), sp.symbols("a1 a2")
    (Q,) = inverse_dynamics(robot, q, [v, a], tree=way(robot))
    desired = textbook(q, v, a, m1, m2, l1, c2, I2, g)
    for ours, theirs in zip(Q, desired, strict=True):
        assert sp.simplify(sp.nsimplify(sp.expand(ours - theirs))) == 0


def test_the_time_derivative_is_that_of_the_equation():
    t = sp.Symbol("t")
    robot = arm(*SYMBOLS)
    q, v, a, j = sp.symbols("q1 q2"), sp.symbols("v1 v2"), sp.symbols("a1 a2"), sp.symbols("j1 j2")
    Q, Q1 = inverse_dynamics(robot, q, [v, a, j])
    path = [x + y * t + z * t**2 / 2 + w * t**3 / 6 for x, y, z, w in zip(q, v, a, j, strict=True)]
    for force, rate in zip(Q, Q1, strict=True):
        along = force
        for k, symbols in enumerate((a, v, q)):
            motion = [sp.diff(x, t, 2 - k) for x in path]
            along = along.subs(dict(zip(symbols, motion, strict=True)), simultaneous=True)
        slope = sp.diff(along, t).subs(t, 0)
        values = {x: sp.Rational(i + 2, 7) for i, x in enumerate([*SYMBOLS, *q, *v, *a, *j])}
        assert abs(float((slope - rate).subs(values))) < 1e-12


def test_poses_are_symbolic_too():
    l1 = SYMBOLS[2]
    rows = poses(arm(*SYMBOLS), sp.symbols("q1 q2"), [])[0]
    assert sp.simplify(sp.nsimplify(rows[16 + 3]) - l1 * sp.cos(sp.Symbol("q1"))) == 0


def test_symbolic_robots_compare_and_hash():
    robot = arm(*SYMBOLS)
    assert robot == arm(*SYMBOLS)
    assert hash(robot) == hash(arm(*SYMBOLS))
    assert robot != arm(SYMBOLS[1], SYMBOLS[0], *SYMBOLS[2:])
    positive = sp.Symbol("m1", positive=True)  # another symbol of the same name
    assert robot != arm(positive, *SYMBOLS[1:])
    again = pickle.loads(pickle.dumps(robot))
    assert again == robot
    assert hash(again) == hash(robot)
    assert robot.mass == SYMBOLS[0] + SYMBOLS[1]
    assert {robot: 1}[arm(*SYMBOLS)] == 1


def test_equal_robots_hash_alike_whatever_their_numbers_are():
    """SymPy's 1 and the float 1 may or may not be equal: hashes follow."""
    numbers = [1, 2, 3, 4, 5, 6, 7]
    robots = [arm(*numbers), arm(*map(sp.Integer, numbers)), arm(*map(sp.Float, numbers))]
    for one in robots:
        for other in robots:
            assert one != other or hash(one) == hash(other)


def test_edits_keep_the_symbols():
    m1, m2, *_ = SYMBOLS
    robot = arm(*SYMBOLS)
    assert robot.with_floating_base().nv == 8
    assert robot.with_gravity((0, 0, sp.Symbol("h"))).gravity.z == sp.Symbol("h")
    assert robot.with_payload("tip", Inertia(m1, (0, 0, 0), np.zeros((3, 3)))).mass == 2 * m1 + m2
    locked = robot.with_locked({"lower": 0.0})
    assert locked.nv == 1
    assert locked.mass == m1 + m2
    other = robot.with_parameters([sp.Symbol(f"p{i}") for i in range(20)])
    assert other.bodies[1].inertia.parameters[0] == sp.Symbol("p10")
    with pytest.raises(UnsupportedError, match="symbolic inertias"):
        parameters(robot)


def test_numbers_among_symbols_are_still_checked():
    m = sp.Symbol("m")
    b = RobotBuilder("robot")
    T = np.eye(4).tolist()
    T[0][3], T[1][3] = m, float("nan")
    with pytest.raises(ModelError, match="placement of 'arm' must be finite"):
        b.add("arm", None, Z, T)
    T[1][3], T[3][0] = 0.0, m
    with pytest.raises(ModelError, match="last row 0 0 0 1"):
        b.add("arm", None, Z, T)
    with pytest.raises(ModelError, match=r"axis must be numbers.*placement of the body"):
        joints.revolute((m, 0, 1))
    endless = Inertia(m, (0, 0, 0), np.diag([np.inf, 1, 1]), about="origin")
    b.add("arm", None, Z, inertia=endless)
    with pytest.raises(InvalidInertiaError, match="'arm' is not finite"):
        b.build()


def test_sympy_matrices_and_pitches_are_taken():
    angle, p = sp.symbols("angle p")
    turn = sp.eye(4)
    turn[:3, :3] = sp.rot_axis3(angle)
    b = RobotBuilder("robot")
    screw = joints.helical((0, 0, 1), p)
    b.add("arm", None, screw, turn, Inertia(1.0, sp.Matrix([p, 0, 0]), sp.eye(3)))
    robot = b.build()
    assert robot.bodies[0].placement.rotation.rows[0].x == sp.cos(angle)
    ((Q,),) = inverse_dynamics(robot, [0.3], [[0.0], [1.0]])
    assert sp.simplify(sp.nsimplify(sp.expand(Q - (1 + p**2 + p**2 + 9.80665 * p)))) == 0


def test_traced_parameters_compile_to_the_same_numbers(rng: np.random.Generator):
    values = [1.5, 0.7, 1.0, 0.8, 0.4, 0.02, 9.80665]
    graph = Graph()
    traced = graph.inputs(7)
    robot = arm(*traced)
    assert robot == arm(*traced)
    assert hash(robot) == hash(arm(*traced))
    other = Graph()
    assert robot != arm(*other.inputs(7))
    q, v, a = rng.normal(size=(3, 2))
    rows = inverse_dynamics(robot, q.tolist(), [v.tolist(), a.tolist()])
    program = graph.program([7], rows)
    desired = jounce.inverse_dynamics(arm(*values), q, v, a)
    assert_close(np.array(interpret(program, [values])), desired, ROUNDOFF)
