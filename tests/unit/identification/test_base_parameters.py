"""Base parameters by structure and by numbers, against counts of the literature."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jounce
from jounce.algebra.spatial_matrix import ad_matrix, inertia_matrix
from jounce.dynamics.regressor import UNITS
from jounce.errors import ArgumentError
from jounce.identification import BaseParameters, base_parameters
from jounce.identification.structural import null_space, shift_matrix
from jounce.model.joints.axial import Axial
from jounce.model.joints.ball import Ball
from tests.tolerances import ROUNDOFF, assert_close

pytestmark = pytest.mark.usefixtures("interpreted")
X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
SOME = jounce.Inertia(1.3, (0.1, 0.2, 0.3), np.diag([0.3, 0.4, 0.5]))


def arm(*joints: jounce.joints.JointType, gravity: tuple[float, ...] = (0, 0, -9.81)):
    builder = jounce.RobotBuilder("arm", gravity=gravity)
    T = np.eye(4)
    T[:3, 3] = (0.3, 0.1, 0.2)
    for k, joint in enumerate(joints):
        builder.add(f"b{k}", f"b{k - 1}" if k else None, joint, T, SOME)
    return builder.build()


R, P = jounce.joints.revolute, jounce.joints.prismatic
CASES = {  # joints, gravity -> number of base parameters
    "pendulum": ((R(Z),), X, 3),  # Izz, mcx, mcy
    "gravity along the axis": ((R(Z),), Z, 1),  # Izz
    "planar 2R": ((R(Z), R(Z)), X, 6),  # Izz, mcx, mcy of both
    "planar 2R, level": ((R(Z), R(Z)), Z, 4),  # Izz of both, mcx and mcy of the second
    "planar 3R": ((R(Z), R(Z), R(Z)), Y, 9),
    "SCARA": ((R(Z), R(Z), P(Z), R(Z)), Z, 8),
    "cartesian": ((P(X), P(Y), P(Z)), Z, 3),  # the three masses
    "slider": ((P(X),), X, 1),
    "pivot and lift": ((R(Z), P(Z)), X, 4),  # Izz, mcx, mcy of both together, m of the second
    "polar": ((R(Z), R(Y)), Z, 8),
    "free": ((jounce.joints.free(),), Z, 10),
    "ball": ((jounce.joints.spherical(),), Z, 9),
    "ball without weight": ((jounce.joints.spherical(),), (0, 0, 0), 6),
}


@pytest.mark.parametrize("name", CASES)
def test_special_geometries(name: str) -> None:
    joints, gravity, wanted = CASES[name]
    base = base_parameters(arm(*joints, gravity=tuple(9.81 * x for x in gravity)))
    assert base.differing == (), base.report()
    assert base.count == wanted, base.report()


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("panda", 43),  # Gaz et al. 2019: 43 dynamic coefficients
        ("iiwa14", 43),
        ("puma560", 36),  # 1 of the first link on its vertical axis, 7 of each that follows
        ("planar2r", 6),
    ],
)
def test_counts_of_the_literature(name: str, count: int) -> None:
    base = base_parameters(jounce.load(name))
    assert (base.count, base.differing) == (count, ())


@pytest.mark.parametrize("seed", range(6))
def test_random_trees(seed: int, rng: np.random.Generator) -> None:
    robot = jounce.examples.random_tree(
        rng, 7, [k for k in jounce.examples.KINDS if k != "mimic"], floating_base=seed % 2 == 1,
        oblique_gravity=seed > 2,
    )  # fmt: skip
    base = base_parameters(robot)
    assert base.differing == (), base.report()
    check(robot, base, rng)


@pytest.mark.parametrize("gravity", [X, Z, (0, 0, 0), (0.1, 0.2, -0.9)])
def test_axes_and_points_on_a_grid(gravity: tuple, rng: np.random.Generator) -> None:
    """Axes along x, y or z at points that often coincide: parallel, crossing, along gravity."""
    for _ in range(6):
        b = jounce.RobotBuilder("grid", gravity=tuple(9.81 * x for x in gravity))
        for k in range(4):
            T = np.eye(4)
            T[:3, :3] = T[:3, rng.permutation(3)] if rng.random() < 0.3 else T[:3, :3]
            T[:3, 0] *= np.linalg.det(T[:3, :3])
            T[:3, 3] = rng.choice([0.0, 0.0, 0.3], 3)
            axis, other = (np.eye(3)[i] for i in rng.permutation(3)[:2])
            one_axis = rng.choice([R, R, R, P, jounce.joints.cylindrical, jounce.joints.planar])
            joint = one_axis(axis) if rng.random() < 0.9 else jounce.joints.universal(axis, other)
            b.add(f"b{k}", f"b{rng.integers(max(k - 2, 0), k)}" if k else None, joint, T, SOME)
        robot = b.build()
        base = base_parameters(robot, armature=True)
        assert base.differing == (), base.report()
        check(robot, base, rng, armature=True)


@pytest.mark.parametrize(
    ("joints", "gravity", "kept"),
    [
        ((R(Z),), X, ""),  # as the moment of inertia about the axis
        ((P(Z),), Z, "0"),  # a mass has weight, a motor has none
        ((P(X), P(Y), P(Z)), Z, "2"),  # the third axis carries weight
        ((R(Z), R(Y)), Z, ""),  # a second axis across the first: both count with matter
        ((R(Z), R(Z)), X, "1"),  # along the first: it does not
        ((R(Z), R(Y), R(X)), Z, "2"),
        ((jounce.joints.spherical(),), Z, "01"),  # all three alike are an isotropic inertia
    ],
)
def test_motor_inertias_that_count_with_matter(
    joints: tuple, gravity: tuple, kept: str, rng: np.random.Generator
) -> None:
    robot = arm(*joints, gravity=tuple(9.81 * x for x in gravity))
    base = base_parameters(robot, armature=True)
    assert base.differing == (), base.report()
    assert len(base.names) == base_parameters(robot).count + len(kept), base.report()
    check(robot, base, rng, armature=True)


def test_motors_of_the_panda(rng: np.random.Generator) -> None:
    """Those of the first two axes count with their links; friction is always seen."""
    panda = jounce.load("panda")
    base = base_parameters(panda, friction=True, armature=True)
    assert base.differing == ()
    assert base.count == 43 + 3 * 7 + 5
    assert [n for n in base.names if n[:2] == "Ia"] == [f"Ia(joint{k})" for k in range(3, 8)]
    formula = base.formulas[base.names.index("Izz(link1)")]
    assert "Ia(joint1)" in formula
    assert base.names[43:45] == ("Fv(joint1)", "Fv(joint2)")
    check(panda, base, rng, friction=True, armature=True)


def test_motors_of_random_trees(rng: np.random.Generator) -> None:
    kinds = [k for k in jounce.examples.KINDS if k != "mimic"]
    for floating in (False, True):
        robot = jounce.examples.random_tree(rng, 6, kinds, floating_base=floating)
        motors = {"friction": ("viscous", "coulomb"), "armature": True}
        base = base_parameters(robot, **motors)
        assert base.differing == (), base.report()
        check(robot, base, rng, **motors)
        check(
            robot,
            base_parameters(robot, friction=True, armature=True),
            rng,
            friction=True,
            armature=True,
        )


def test_weight_of_a_slider_looks_like_an_offset(rng: np.random.Generator) -> None:
    """Its force is m (a + g) + J a + o: only g tells mass from motor inertia."""
    robot = arm(P(Z))
    apart = base_parameters(robot, friction=("viscous", "coulomb"), armature=True)
    assert {"m(b0)", "Ia(b0)"} <= set(apart.names), apart.report()
    base = base_parameters(robot, friction=True, armature=True)
    assert base.formulas == (
        "m(b0) + Ia(b0)", "Fv(b0)", "Fc(b0)", "Fo(b0) − 9.81 Ia(b0)",
    )  # fmt: skip
    assert [base.parameter_names[c] for c in base.differing] == ["Ia(b0)"]
    check(robot, base, rng, friction=True, armature=True)


def check(
    robot: jounce.Robot, base: BaseParameters, rng: np.random.Generator, **motors: Any
) -> None:
    """The reduced regressor has full rank and gives the same forces."""
    rows = 3 * robot.n_parameters
    steps = rng.uniform(-2, 2, (rows, robot.nv))
    q = jounce.integrate(robot, np.broadcast_to(robot.neutral, (rows, robot.nq)), steps)
    v, a = rng.normal(size=(2, rows, robot.nv))
    Y = jounce.regressor(robot, q, v, a, **motors)[0]
    pi = np.r_[jounce.parameters(robot), rng.normal(size=Y.shape[-1] - robot.n_parameters)]
    reduced = base.reduced(Y)
    assert reduced.shape == (rows, robot.nv, base.count)
    assert_close(reduced @ base.values(pi), Y @ pi, 100 * ROUNDOFF)
    assert_close(reduced @ base.map, Y, 1e4 * ROUNDOFF)
    W = reduced.reshape(-1, base.count)
    W = W / np.linalg.norm(W, axis=0)
    assert np.linalg.matrix_rank(W, tol=1e-7 * np.linalg.norm(W, 2)) == base.count


def test_methods_agree_on_the_panda(rng: np.random.Generator) -> None:
    panda = jounce.load("panda")
    one, other = (base_parameters(panda, method=m) for m in ("structural", "numerical"))
    assert one.columns == other.columns
    assert (one.numerical, other.structural) == (None, None)
    assert_close(other.map, one.map, 1e5 * ROUNDOFF)
    check(panda, one, rng)
    check(panda, other, rng)


def test_report_names_where_they_differ(rng: np.random.Generator) -> None:
    """Two links that mimic each other move together: numbers see it, structure does not."""
    b = jounce.RobotBuilder("gripper")
    b.add("left", None, P(X), np.eye(4), SOME)
    T = np.eye(4)
    T[1, 3] = 0.2
    b.add("right", None, P(X), T, SOME, mimic=("left", -1.0, 0.0))
    robot = b.build()
    base = base_parameters(robot)
    assert (base.count, len(base.structural or ()), len(base.numerical or ())) == (1, 2, 1)
    assert [base.parameter_names[c] for c in base.differing] == ["m(right)"]
    text = base.report()
    assert "they differ in" in text
    assert "column 10, m(right): kept by structure" in text
    assert base.formulas == ("m(left) + m(right)",)
    check(robot, base, rng)


def test_motor_inertia_of_joints_that_follow(rng: np.random.Generator) -> None:
    """A wheel that turns twice as fast weighs four times as much on the motor."""
    b = jounce.RobotBuilder("gear")
    b.add("slow", None, R(X), np.eye(4), SOME, joint_name="motor")
    b.add("fast", None, R(Z), np.eye(4), SOME, mimic=("motor", -2.0, 0.3))
    robot = b.build()
    base = base_parameters(robot, method="structural", armature=True)
    check(robot, base, rng, armature=True)
    formula = base.formulas[base.names.index("Ixx(slow)")]
    assert formula == "Ixx(slow) + 4 Izz(fast) + Ia(motor)"


def test_names_and_formulas() -> None:
    base = base_parameters(jounce.load("panda"), method="structural")
    assert base.names[-1] == "Iyz(link7)"
    formula = base.formulas[base.names.index("Ixx(link7)")]
    assert formula == "Ixx(link7) − Iyy(link7)"
    formula = base.formulas[base.names.index("mcx(link6)")]
    assert formula == "mcx(link6) + 0.088 m(link7)"
    assert "43 base parameters of 70" in base.report()


@pytest.mark.parametrize("motion", ["revolute", "prismatic", "helical", "cylindrical", "spherical"])
def test_invariant_parts_are_the_general_case(motion: str) -> None:
    """Invariant parts are what ``M Ξ = 0`` and ``ad(Ξ)ᵀ M + M ad(Ξ) = 0`` allow."""
    step = Ball(motion) if motion == "spherical" else Axial(motion, pitch=0.1)
    rows = []
    for S in step.screws:
        V = np.array([*S.angular, *S.linear])
        bracket = ad_matrix(V)
        images = []
        for unit in UNITS:
            M = inertia_matrix(unit)
            images.append(np.r_[M @ V, (bracket.T @ M + M @ bracket).ravel()])
        rows.append(np.array(images).T)
    allowed = null_space(np.concatenate(rows), 1e-12)
    parts = [step.invariant_part(unit) for unit in UNITS]
    rule = np.array([[m, *h, *I] for m, h, I in parts]).T
    assert np.linalg.matrix_rank(rule) == allowed.shape[1]
    assert_close(allowed @ (allowed.T @ rule), rule, ROUNDOFF)


def test_shift_matrix_moves_parameters(rng: np.random.Generator) -> None:
    robot = jounce.examples.random_tree(rng, 1)
    T, inertia = robot.bodies[0].placement, robot.bodies[0].inertia
    m, h, I = inertia.spatial.moved(T)
    assert_close(shift_matrix(T) @ inertia.parameters, [m, *h, *I], ROUNDOFF)


def test_a_robot_that_cannot_move_has_none(rng: np.random.Generator) -> None:
    robot = jounce.examples.random_tree(rng, 1, ("fixed",))
    assert base_parameters(robot).count == 0
    assert base_parameters(robot).report().startswith("0 base parameters of 0")


def test_errors() -> None:
    with pytest.raises(jounce.UnknownNameError, match="structural"):
        base_parameters(jounce.load("planar2r"), method="structurel")
    with pytest.raises(TypeError, match=r"jounce\.Robot"):
        base_parameters("panda")  # type: ignore[arg-type]
    for bad in (0.0, -1e-8, 1.0, float("nan")):
        with pytest.raises(ArgumentError, match="between 0 and 1, such as 1e-8"):
            base_parameters(jounce.load("planar2r"), tolerance=bad)


def test_symbols_are_refused_where_they_count() -> None:
    pytest.importorskip("sympy")
    arm = jounce.load("planar2r")
    robot, _ = jounce.symbolic_parameters(arm)
    assert base_parameters(robot).formulas == base_parameters(arm).formulas  # no matter of inertias
    for given in ({"lengths": True}, {"gravity": True}):
        robot, _ = jounce.symbolic_parameters(arm, inertias=False, **given)
        for method in ("structural", "numerical"):
            with pytest.raises(jounce.UnsupportedError, match="has symbols"):
                base_parameters(robot, method=method)


def test_parameters_and_regressors_of_another_length_are_refused() -> None:
    base = base_parameters(jounce.load("planar2r"), friction=True)
    assert base.values(np.ones((3, 26))).shape == (3, 6 + 6)
    for bad in (np.ones(20), np.ones(25), 1.0):
        with pytest.raises(jounce.ShapeError, match=r"26 numbers .* friction and armature"):
            base.values(bad)
        with pytest.raises(jounce.ShapeError, match=r"26 numbers .* friction and armature"):
            base.reduced(bad)
