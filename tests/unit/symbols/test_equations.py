"""Equations of motion in symbols, against the textbook and against the compiled functions."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce.errors import ArgumentError, ModelError, UnknownNameError, UnsupportedError
from tests.tolerances import LAST_DIGITS, ROUNDOFF, assert_close, assert_orders_close
from tests.unit.kernels.exported import needs_octave, octave

T = sp.Symbol("t")
Z = jounce.joints.revolute((0, 0, 1))
M1, M2, L1, L2, C1, C2, D2, I1, I2, G = sp.symbols("m1 m2 l1 l2 c1 c2 d2 I1 I2 g")
POINTS = {"m": (M1, M2), "com": ((L1, 0), (L2, 0)), "I": (0, 0)}  # MK21, section 6.1
GENERAL = {"m": (M1, M2), "com": ((C1, 0), (C2, D2)), "I": (I1, I2)}


def arm(m: Any, com: Any, I: Any) -> jounce.Robot:
    """Return a planar 2R arm under gravity along −y."""
    b = jounce.RobotBuilder("2R", gravity=(0, -G, 0))
    for k, parent in enumerate((None, "link0")):
        place = np.eye(4).tolist()
        place[0][3] = L1 if k else 0.0
        inertia = jounce.Inertia(m[k], (*com[k], 0), [[0, 0, 0], [0, 0, 0], [0, 0, I[k]]])
        b.add(f"link{k}", parent, Z, place, inertia)
    return b.build()


def rate(x: Any, form: Any) -> Any:
    """Return the time derivative of an expression in the symbols of a result."""
    rows = [form.q, *form.rates]
    pairs = [pair for k in range(len(rows) - 1) for pair in zip(rows[k], rows[k + 1], strict=True)]
    return sp.expand(sum((sp.diff(x, a) * b for a, b in pairs), 0 * x))


def lagrange(form: Any, m: Any, com: Any, I: Any) -> tuple[Any, Any, Any]:
    """Return Q, M, V(q) from the Lagrange equation; speeds in the frames of the links."""
    (a, b), (v, w) = form.q, form.rates[0]
    (x1, y1), (x2, y2) = com
    upper = sp.Matrix([-y1 * v, x1 * v])
    lower = sp.Matrix([L1 * v * sp.sin(b) - y2 * (v + w), L1 * v * sp.cos(b) + x2 * (v + w)])
    kinetic = (m[0] * upper.dot(upper) + I[0] * v**2) / 2
    kinetic = sp.expand(kinetic + (m[1] * lower.dot(lower) + I[1] * (v + w) ** 2) / 2)
    height = L1 * sp.sin(a) + x2 * sp.sin(a + b) + y2 * sp.cos(a + b)
    potential = G * (m[0] * (x1 * sp.sin(a) + y1 * sp.cos(a)) + m[1] * height)
    Q = [rate(kinetic.diff(speed), form) - kinetic.diff(x) + potential.diff(x)
         for x, speed in ((a, v), (b, w))]  # fmt: skip
    return Q, sp.hessian(kinetic, (v, w)), potential


def is_zero(x: Any) -> bool:
    """Tell whether sp.simplify gives 0, with the angles taken apart for it (simplify is slow)."""
    x = sp.expand(sp.expand_trig(sp.expand(x)))
    x = x.replace(
        lambda e: e.is_Pow and e.base.func is sp.sin and e.exp.is_Integer and e.exp > 1,
        lambda e: (1 - sp.cos(e.base.args[0]) ** 2) ** (e.exp // 2) * e.base ** (e.exp % 2),
    )
    return sp.simplify(sp.expand(x)) == 0


@pytest.mark.parametrize("matter", [POINTS, GENERAL], ids=["points", "general"])
def test_the_planar_arm_is_that_of_the_textbook(matter: Any):
    form = jounce.symbolic(arm(**matter))
    Q, M, potential = lagrange(form, **matter)
    for k in range(3):
        Q = [rate(x, form) for x in Q] if k else Q
        assert all(is_zero(ours - theirs) for ours, theirs in zip(form.Q[k], Q, strict=True))
    assert all(map(is_zero, form.M - M))
    for ours, x in zip(form.g, form.q, strict=True):
        assert is_zero(ours - potential.diff(x))
    moved = form.M * sp.Matrix(form.rates[1]) + form.C * sp.Matrix(form.rates[0]) + form.g
    assert all(map(is_zero, moved - form.Q[0]))


def test_the_passive_matrix_is_that_of_mk21():
    """C = −m₂ l₁ l₂ sin q₂ [[q̇₂, q̇₁ + q̇₂], [−q̇₁, 0]]; its symmetric part is half of dM/dt."""
    form = jounce.symbolic(arm(**POINTS))
    v1, v2 = form.rates[0]
    h = M2 * L1 * L2 * sp.sin(form.q[1])
    desired = -h * sp.Matrix([[v2, v1 + v2], [-v1, 0]])
    assert sp.simplify(form.C - desired) == sp.zeros(2, 2)
    assert sp.simplify(form.derivative("M", 1) - form.C - form.C.T) == sp.zeros(2, 2)


def test_results_are_as_short_as_a_textbook():
    form = jounce.symbolic(arm(**POINTS))
    assert sp.count_ops(form.Q[0]) <= 65
    assert form.g[1] == G * L2 * M2 * sp.cos(sum(form.q))
    assert not sp.Matrix([*form.Q]).atoms(sp.Float)


def test_factorizations_differ_and_share_their_product():
    robot = arm(**GENERAL)
    forms = [jounce.symbolic(robot, 0, factorization=f) for f in ("passive", "christoffel")]
    v = sp.Matrix(forms[0].rates[0])
    assert all(map(is_zero, (forms[0].C - forms[1].C) * v))
    kinematic = jounce.symbolic(robot, 0, factorization="kinematic")
    assert not all(map(is_zero, kinematic.C - forms[0].C))


def motion(robot: jounce.Robot, rng: np.random.Generator, form: Any) -> tuple[Any, dict[Any, Any]]:
    """Return q, rates and the values of their symbols."""
    rows = [robot.random_configuration(rng), *rng.normal(size=(len(form.rates), robot.nv))]
    symbols = [form.q, *form.rates]
    values = {
        s: x for r, row in zip(symbols, rows, strict=True) for s, x in zip(r, row, strict=True)
    }
    return rows, values


def check_numbers(robot: jounce.Robot, form: Any, rows: Any, values: Any) -> None:
    """Compare the program of a form with the compiled functions of the numeric robot."""
    actual = form.evaluate(values, "Q", "M", "C", "g")
    Q = [actual["d" * k + "Q"] for k in range(form.order + 1)]
    assert_orders_close(Q, jounce.inverse_dynamics(robot, *rows), 10 * ROUNDOFF)
    assert_close(actual["M"], jounce.mass_matrix(robot, rows[0])[0], 10 * ROUNDOFF)
    C = jounce.coriolis_matrix(robot, *rows[:2])[0]
    assert_close(actual["C"], C, 10 * ROUNDOFF)
    assert_close(actual["g"], jounce.gravity_forces(robot, rows[0])[0], 10 * ROUNDOFF, scale=1.0)


@pytest.mark.parametrize("about", ["com", "origin"])
@pytest.mark.parametrize("name", ["panda", "chain"])
def test_symbols_and_numbers_agree(name: str, about: str, rng: Any, interpreted: None):
    robot = jounce.load("panda") if name == "panda" else jounce.examples.chain(5)
    made = jounce.symbolic_parameters(robot, lengths=True, gravity=True, about=about)
    form = jounce.symbolic(made.robot)
    assert set(form.parameters) == set(made.values)
    rows, values = motion(robot, rng, form)
    check_numbers(robot, form, rows, values | made.values)
    check_numbers(robot, jounce.symbolic(robot), rows, values)


def test_every_joint_has_symbols(rng: Any, interpreted: None):
    robot = jounce.examples.random_tree(rng, 11, armature=True, damping=True, oblique_gravity=True)
    made = jounce.symbolic_parameters(robot, lengths=True, gravity=True)
    form = jounce.symbolic(made.robot, 1)
    assert str(form.rates[1][0]) == "dv_1"
    rows, values = motion(robot, rng, form)
    check_numbers(robot, form, rows, values | made.values)


def test_a_ball_joint_has_a_unit_quaternion(rng: Any, interpreted: None):
    b = jounce.RobotBuilder("ball")
    b.add("ball", joint=jounce.joints.spherical(), inertia=jounce.Inertia(2, (0, 0, 1), np.eye(3)))
    robot = b.build()
    form = jounce.symbolic(robot, 1)
    assert not [x for x in form.Q[1].atoms(sp.Pow) if x.exp < 0]
    rows, values = motion(robot, rng, form)
    got = [np.array(Q.xreplace(values), dtype=float).ravel() for Q in form.Q]
    assert_orders_close(got, jounce.inverse_dynamics(robot, *rows), 10 * ROUNDOFF)


@pytest.mark.parametrize("simplified", [True, False])
def test_written_out_expressions_have_the_same_numbers(
    simplified: bool, rng: Any, interpreted: None
):
    robot = jounce.examples.chain(2)
    made = jounce.symbolic_parameters(robot, lengths=True)
    form = jounce.symbolic(made.robot, simplified=simplified)
    rows, values = motion(robot, rng, form)
    got = [np.array(Q.xreplace(values | made.values), dtype=float).ravel() for Q in form.Q]
    assert_orders_close(got, jounce.inverse_dynamics(robot, *rows), 10 * ROUNDOFF)
    assert not form.Q[0].free_symbols - {*form.q, *sum(form.rates, ()), *form.parameters}


def test_cse_pairs_are_read_in_order(rng: Any, interpreted: None):
    robot = jounce.examples.chain(4)
    form = jounce.symbolic(robot, 0)
    pairs, matrices = form.cse("Q", "M")
    rows, values = motion(robot, rng, form)
    for symbol, expression in pairs:
        values[symbol] = float(expression.xreplace(values))
    Q = np.array(matrices["Q"].xreplace(values), dtype=float).ravel()
    assert_close(Q, jounce.inverse_dynamics(robot, *rows)[0], 10 * ROUNDOFF)
    assert matrices["M"].shape == (4, 4)


@pytest.mark.parametrize("language", ["python", "numpy"])
def test_printed_python_runs(language: str, rng: Any, interpreted: None):
    robot = jounce.load("panda")
    made = jounce.symbolic_parameters(robot, lengths=True)
    form = jounce.symbolic(made.robot)
    space: dict[str, Any] = {}
    exec(form.code(language, "Q", "M", name="arm"), space)
    rows, _ = motion(robot, rng, form)
    out = space["arm"](*rows, [made.values[x] for x in form.parameters])
    Q = [out["Q"], out["dQ"], out["ddQ"]]
    assert_orders_close(Q, jounce.inverse_dynamics(robot, *rows), 10 * ROUNDOFF)
    assert_close(out["M"], jounce.mass_matrix(robot, rows[0])[0], 10 * ROUNDOFF)
    if language == "numpy":
        batch = space["arm"](
            *(np.stack([r, r]) for r in rows), [made.values[x] for x in form.parameters]
        )
        assert_close(batch["M"][1], out["M"], ROUNDOFF)


def run_c(text: str, place: Path, inputs: list[Any], widths: list[int]) -> list[np.ndarray]:
    """Compile the function `arm` and return what it writes."""
    import ctypes

    (place / "arm.c").write_text(text)
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, "arm.c", "-o", "arm.so", "-lm"], cwd=place, check=True)
    out = [np.zeros(width) for width in widths]
    arrays = [*(np.ascontiguousarray(x, float) for x in inputs), *out]
    ctypes.CDLL(str(place / "arm.so")).arm(*(ctypes.c_void_p(x.ctypes.data) for x in arrays))
    return out


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
@pytest.mark.parametrize("letter", ["q", "s"])  # s is also the scratch array of a long program
def test_printed_c_compiles_and_runs(letter: str, tmp_path: Path, rng: Any, interpreted: None):
    robot = jounce.examples.chain(8)
    form = jounce.symbolic(robot, 1, letter=letter)
    rows, _ = motion(robot, rng, form)
    text = form.code("c", "Q", "g", name="arm")
    assert "static void" in text
    Q, dQ, g = run_c(text, tmp_path, [*rows, np.zeros(1)], [8, 8, 8])
    assert_orders_close([Q, dQ], jounce.inverse_dynamics(robot, *rows), 10 * ROUNDOFF)
    assert_close(g, jounce.gravity_forces(robot, rows[0])[0], 10 * ROUNDOFF)


def rod() -> tuple[Any, dict[Any, float]]:
    """Return the equations of a robot with a tangent in it, and numbers for its symbols."""
    m, r, alpha = sp.symbols("m r alpha")
    b = jounce.RobotBuilder("rod", gravity=(0, -10, 0))
    b.add("rod", None, Z, inertia=jounce.Inertia(m, (r * sp.tan(alpha), 0, 0), sp.diag(0, 0, 0)))
    return jounce.symbolic(b.build(), 0), {m: 2.0, r: 3.0, alpha: 0.5}


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_printed_c_spells_out_what_only_sympy_knows(tmp_path: Path):
    form, values = rod()
    text = form.code("c", "g", "M", name="arm")
    parameters = [values[x] for x in form.parameters]
    g, M = run_c(text, tmp_path, [[0.3], [0.0], [0.0], parameters], [1, 1])
    arm = 3.0 * np.tan(0.5)
    assert_close(g, [2.0 * arm * 10 * np.cos(0.3)], ROUNDOFF)
    assert_close(M, [2.0 * arm**2], ROUNDOFF)


@needs_octave
@pytest.mark.parametrize("name", ["planar2r", "panda"])
def test_printed_matlab_runs_in_octave(name: str, tmp_path: Path, rng: Any, interpreted: None):
    """The same operations as `evaluate` carries out; the sines are another library's."""
    robot = jounce.load(name)
    made = jounce.symbolic_parameters(robot, lengths=True)
    form = jounce.symbolic(made.robot)
    (tmp_path / "arm.m").write_text(form.code("matlab", "Q", "M", name="arm"))
    rows, values = motion(robot, rng, form)
    results = octave(tmp_path, "arm", [*rows, [made.values[x] for x in form.parameters]], 4)
    assert [x.shape for x in results] == [(robot.nv, 1)] * 3 + [(robot.nv, robot.nv)]
    wanted = form.evaluate(values | made.values, "Q", "M")
    for got, reference in zip(results, wanted.values(), strict=True):
        assert_close(got.reshape(reference.shape), reference, LAST_DIGITS)
    Q = np.array(results[:3])[..., 0]
    assert_orders_close(Q, jounce.inverse_dynamics(robot, *rows), 10 * ROUNDOFF)


@needs_octave
def test_printed_matlab_spells_out_what_only_sympy_knows(tmp_path: Path):
    form, values = rod()
    (tmp_path / "arm.m").write_text(form.code("matlab", "g", "M", name="arm"))
    parameters = [values[x] for x in form.parameters]
    g, M = octave(tmp_path, "arm", [[0.3], [0.0], [0.0], parameters], 2)
    arm = 3.0 * np.tan(0.5)
    assert_close(g, [[2.0 * arm * 10 * np.cos(0.3)]], ROUNDOFF)
    assert_close(M, [[2.0 * arm**2]], ROUNDOFF)


def test_a_seven_joint_arm_is_a_short_program_in_seconds():
    """Written out, an entry of C alone has a million operations."""
    robot, _ = jounce.symbolic_parameters(jounce.load("panda"), lengths=True, gravity=True)
    start = time.perf_counter()
    form = jounce.symbolic(robot)
    text = form.code("c")
    pairs, _ = form.cse()
    assert time.perf_counter() - start < 10.0
    assert form.operations() < 3_500
    assert len(pairs) < form.operations()
    assert len(text) < 50 * form.operations()  # a line an operation
    with pytest.raises(UnsupportedError, match=r"use \.cse\('C'\)"):
        form.derivative("C")


def test_latex_can_be_set():
    mathtext = pytest.importorskip("matplotlib.mathtext")
    form = jounce.symbolic(arm(**POINTS))
    for quantity, order in (("Q", 0), ("Q", 2), ("M", 1), ("C", 0), ("g", 0)):
        text = form.latex(quantity, order)
        assert text.count("{") == text.count("}")
        lines = text.removeprefix("\\begin{aligned}\n").removesuffix("\n\\end{aligned}")
        for line in re.split(r" \\\\\n|\\(?:begin|end)\{bmatrix\}|\n", lines):
            mathtext.MathTextParser("path").parse(f"${line.replace('&', '')}$" if line else "")
    assert r"\ddot{q}_{1}" in form.latex()
    assert form.latex("Q", 1).startswith("\\begin{aligned}\n\\dot{Q}_{1} &=")
    plain = jounce.symbolic(jounce.examples.chain(3), 0, simplified=False)
    assert "x_{0} &=" in plain.latex()


def test_exact_numbers_stay_exact():
    b = jounce.RobotBuilder("rod", gravity=(0, -sp.Rational(981, 100), 0))
    m, r = sp.symbols("m r")
    matter = jounce.Inertia(m, (r / sp.sqrt(2), 0, 0), sp.diag(0, 0, m * r**2 / 7919))
    b.add("rod", None, Z, inertia=matter)
    form = jounce.symbolic(b.build(), 0)
    assert_close(float(form.M[0].subs({m: 1, r: 1})), 0.5 + 1 / 7919, ROUNDOFF)
    assert sp.simplify(form.g[0] - 981 * m * r * sp.cos(form.q[0]) / (100 * sp.sqrt(2))) == 0
    space: dict[str, Any] = {}
    exec(form.code("python", "M", "g", name="rod"), space)
    out = space["rod"]([0.0], [0.0], [0.0], [2.0, 3.0])
    assert_close(out["g"], [9.81 * 6 / np.sqrt(2)], ROUNDOFF)
    assert_close(form.evaluate({"q_1": 0.0, "dq_1": 0, "ddq_1": 0, "m": 2, "r": 3}, "g")["g"],
                 out["g"], ROUNDOFF)  # fmt: skip


def test_a_robot_that_cannot_move_has_empty_equations():
    b = jounce.RobotBuilder("stone")
    b.add("stone", inertia=jounce.Inertia(1, (0, 0, 0), np.eye(3)))
    form = jounce.symbolic(b.build())
    assert form.Q[2].shape == (0, 1)
    assert form.M.shape == (0, 0)


@pytest.mark.parametrize("part", ["inertias", "lengths", "gravity"])
def test_functions_of_numbers_point_to_the_symbolic_ones(part: str, interpreted: None):
    planar, still = jounce.load("planar2r"), np.zeros(2)
    robot = planar.with_gravity((0, -G, 0))
    if part != "gravity":
        robot = jounce.symbolic_parameters(planar, lengths=part == "lengths").robot
    functions: Any = jounce.inverse_dynamics, jounce.forward_dynamics, jounce.closed_form
    for function in functions:
        with pytest.raises(UnsupportedError, match=r"has symbols.*jounce\.symbolic\(robot\)"):
            function(robot, still, still, still).g  # noqa: B018


def test_errors_say_what_to_do(monkeypatch: pytest.MonkeyPatch):
    robot = arm(**POINTS)
    with pytest.raises(ArgumentError, match="order must be"):
        jounce.symbolic(robot, -1)
    with pytest.raises(UnknownNameError, match="passive"):
        jounce.symbolic(robot, factorization="pasive")
    with pytest.raises(UnknownNameError, match="Known quantity names"):
        jounce.symbolic(robot).cse("N")
    with pytest.raises(ArgumentError, match="order=3"):
        jounce.symbolic(robot).derivative("Q", 3)
    with pytest.raises(UnsupportedError, match="known: c, matlab, python, numpy"):
        jounce.symbolic(robot).code("fortran")
    with pytest.raises(ArgumentError, match="no value given for"):
        jounce.symbolic(robot).evaluate({}, "g")
    with pytest.raises(ModelError, match="q_1"):
        jounce.symbolic(robot.with_gravity((0, sp.Symbol("q_1"), 0)))
    with pytest.raises(UnsupportedError, match="must be constant"):
        jounce.symbolic(robot.with_gravity((0, sp.Function("g")(T), 0))).g  # noqa: B018
    monkeypatch.setitem(sys.modules, "sympy", None)
    with pytest.raises(UnsupportedError, match=r"jounce\[sympy\]"):
        jounce.symbolic(robot)
