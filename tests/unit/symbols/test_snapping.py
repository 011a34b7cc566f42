"""Numbers as files have them, and how they look in an equation."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce import SnapWarning
from jounce.errors import UnknownNameError
from jounce.symbols.snapping import NEAR, snapped
from tests.tolerances import ROUNDOFF, assert_close

URDF = """<robot name="arm"><link name="base"/>
<link name="upper"><inertial><origin xyz="0 0 0.28"/><mass value="8.393"/>
  <inertia ixx="0.226" iyy="0.226" izz="0.0151" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="lower"><inertial><origin xyz="0 0 {com}"/><mass value="2.275"/>
  <inertia ixx="0.0494" iyy="0.0494" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/>
  <origin xyz="0 0 {height}" rpy="0 {turn} 0"/><axis xyz="0 1 0"/></joint>
<joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/>
  <origin xyz="0 0 0.425"/><axis xyz="0 1 0"/></joint></robot>"""


def arm(folder: Path, turn: str, height: str = "0.1", com: str = "0.25") -> jounce.Robot:
    (folder / "arm.urdf").write_text(URDF.format(turn=turn, height=height, com=com))
    return jounce.load(folder / "arm.urdf")


def gravity(form: jounce.Symbolic, q: np.ndarray) -> np.ndarray:
    rest = {x: 0.0 for row in form.rates for x in row}
    return form.evaluate(rest | dict(zip(form.q, q, strict=True)), "g")["g"]


def test_a_right_angle_of_eleven_digits(tmp_path: Path):
    """As the UR5 has it: sines of 5e-12 and decimals as they were typed, nothing else."""
    robot = arm(tmp_path, "1.57079632679", height="0.0891590000001", com="0.24999999999999997")
    with pytest.warns(SnapWarning, match=r"3 numbers of 'arm' .* at most 5e-12 away") as told:
        form = jounce.symbolic(robot)
    assert len(told) == 1
    assert str(form.g[1]) == "-5.5775321875*cos(q_1 + q_2)"
    exact = arm(tmp_path, str(np.pi / 2), height="0.089159")
    q = np.array([0.3, -0.7])
    found = gravity(form, q)
    assert_close(found, jounce.gravity_forces(exact, q)[0], ROUNDOFF)
    assert np.abs(found - jounce.gravity_forces(robot, q)[0]).max() > 1e-11


def crank(tilt: float, point: float, turn: float) -> jounce.Robot:
    """Return a body that turns about an axis near y, with a tool turned about x."""
    builder = jounce.RobotBuilder("crank")
    joint = jounce.joints.revolute((0, 1, tilt), point=(point, 0, 0))
    builder.add("crank", joint=joint, inertia=jounce.Inertia(1.0, (0, 0, 0), np.eye(3)))
    tool = jounce.transform(xyz=(3.0 * point, 0, 0), rpy=(turn, 0, 0))
    return builder.build().with_frame("tool", "crank", tool)


def test_frames_and_axes_are_numbers_too():
    """The Jacobian of a tool at a right angle has no sines of 5e-12, nor has an axis."""
    with pytest.warns(SnapWarning, match="5 numbers of 'crank' .* at most 5e-12 away"):
        form = jounce.symbolic(crank(4e-12, 0.1000000000001, 1.57079632679))
    exact = jounce.symbolic(crank(0.0, 0.1, 0.0), snap=False)
    assert form.M == exact.M
    J = form.derivative("J", frame="tool")
    assert [x == 0 for x in J] == [True, True, False, True, False, True]
    assert_close(np.array([J[2], J[4]], float), np.array([-1.0, -0.2]), ROUNDOFF)


def test_it_can_be_left(tmp_path: Path):
    robot = arm(tmp_path, "1.57079632679")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        form = jounce.symbolic(robot, snap=False)
    q = np.array([0.3, -0.7])
    assert_close(gravity(form, q), jounce.gravity_forces(robot, q)[0], ROUNDOFF)


@pytest.mark.parametrize("name", ["planar2r", "panda", "iiwa14", "puma560"])
def test_rounding_is_no_news(name: str):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot = snapped(jounce.load(name))
    q = np.linspace(0.1, 0.7, robot.nv)
    assert_close(jounce.mass_matrix(robot, q), jounce.mass_matrix(jounce.load(name), q), ROUNDOFF)


def test_numbers_of_more_digits_stay(tmp_path: Path):
    robot = arm(tmp_path, "0.7853981633974483", height="0.12345678", com="0.250001")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert snapped(robot).bodies[0].placement == robot.bodies[0].placement
    assert NEAR < 1e-8


def test_decimals_are_not_factored():
    form = jounce.symbolic(jounce.load("planar2r"))
    q1, q2 = form.q
    v1, v2 = form.rates[0]
    assert str(form.M[0, 0]) == f"1.12*cos({q2}) + 2.648"
    assert str(form.C[0, 1]) == f"-0.56*({v1} + {v2})*sin({q2})"
    assert str(form.g[0]) == f"21.57463*cos({q1}) + 5.491724*cos({q1} + {q2})"
    assert "/" not in str(form.Q[0])


def test_fractions_that_were_typed_stay():
    m, r = sp.symbols("m r")
    builder = jounce.RobotBuilder("ball")
    ball = sp.Rational(2, 5) * m * r**2
    builder.add("ball", joint=jounce.joints.revolute((0, 0, 1)),
                inertia=jounce.Inertia(m, (0, 0, 0), sp.diag(ball, ball, ball)))  # fmt: skip
    assert jounce.symbolic(builder.build()).M[0, 0] == ball


@pytest.mark.parametrize("representation", ["body", "spatial", "hybrid"])
def test_jacobian(representation: str):
    robot = jounce.load("planar2r").with_frame("tool", "link2", jounce.transform(xyz=(0.7, 0, 0)))
    form = jounce.symbolic(robot, order=1)
    q, v = np.array([0.3, -0.8]), np.array([0.5, 1.1])
    values = dict(zip([*form.q, *form.rates[0]], [*q, *v], strict=True))
    wanted = jounce.jacobian(robot, "tool", q, v, representation=representation)
    for order in (0, 1):
        J = form.derivative("J", order, frame="tool", representation=representation)
        assert J.shape == (6, 2)
        assert_close(np.array(J.subs(values).tolist(), float), wanted[order], ROUNDOFF)
    text = form.latex("J", 1, frame="tool", representation=representation)
    assert text.startswith("\\begin{aligned}\n\\dot{J} &= \\begin{bmatrix}\n")
    assert text.count("&") == 1 + 6
    with pytest.raises(UnknownNameError, match="tool"):
        form.latex("J", frame="hand")
    with pytest.raises(UnknownNameError, match="hybrid"):
        form.derivative("J", frame="tool", representation="world")


def test_matrices_in_print():
    form = jounce.symbolic(jounce.load("planar2r"))
    cosine = r"\cos{\left(q_{2} \right)}"
    rows = f"1.12 {cosine} + 2.648 & 0.56 {cosine} + 0.448 \\\\\n0.56 {cosine} + 0.448 & 0.448"
    matrix = f"\\begin{{bmatrix}}\n{rows}\n\\end{{bmatrix}}"
    assert form.latex("M") == f"\\begin{{aligned}}\nM &= {matrix}\n\\end{{aligned}}"
