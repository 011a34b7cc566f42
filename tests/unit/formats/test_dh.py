"""Robots from Denavit–Hartenberg rows, against products of matrices and against each other."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

import jounce
from jounce.errors import ArgumentError, ModelError, NotFiniteError, ShapeError
from jounce.formats.dh import DH, from_dh
from jounce.model.checks import rigid_transform
from jounce.model.inertia import Inertia
from tests.tolerances import ROUNDOFF, assert_close, assert_orders_close

BALL = Inertia(1.0, (0, 0, 0), 0.1 * np.eye(3))
PUMA = [
    DH(alpha=pi / 2),
    DH(a=0.4318),
    DH(a=0.0203, alpha=-pi / 2, d=0.15005),
    DH(alpha=pi / 2, d=0.4318),
    DH(alpha=-pi / 2),
    DH(),
]
STANFORD = [
    DH(d=0.412, alpha=-pi / 2),
    DH(d=0.154, alpha=pi / 2, theta=0.3),
    DH(theta=-pi / 2, d=0.2, joint="prismatic"),
    DH(alpha=-pi / 2),
    DH(a=0.1, alpha=1.1, theta=0.2, joint="prismatic"),
]
ARMS = pytest.mark.parametrize("rows", [PUMA, STANFORD], ids=["puma", "stanford"])
CONVENTIONS = pytest.mark.parametrize("convention", ["standard", "modified"])


def turn(axis: str, angle: float) -> np.ndarray:
    i, j = {"x": (1, 2), "z": (0, 1)}[axis]
    T = np.eye(4)
    T[i, i] = T[j, j] = np.cos(angle)
    T[j, i] = np.sin(angle)
    T[i, j] = -T[j, i]
    return T


def shift(axis: str, length: float) -> np.ndarray:
    T = np.eye(4)
    T["xyz".index(axis), 3] = length
    return T


def matrix(row: DH, q: float, convention: str) -> np.ndarray:
    """The textbook matrix of a row."""
    theta, d = (row.theta, row.d + q) if row.joint == "prismatic" else (row.theta + q, row.d)
    about_z, about_x = turn("z", theta) @ shift("z", d), turn("x", row.alpha) @ shift("x", row.a)
    return about_z @ about_x if convention == "standard" else about_x @ about_z


def balls(rows) -> list[Inertia]:
    return [BALL] * len(rows)


@ARMS
@CONVENTIONS
def test_poses_are_products_of_the_matrices(rows, convention: str, rng: np.random.Generator):
    robot = from_dh(rows, balls(rows), convention=convention)
    q = rng.uniform(-3, 3, len(rows))
    pose = np.eye(4)
    for body, joint, row, angle in zip(robot.bodies, robot.joints, rows, q, strict=True):
        step = body.placement @ joint.type.pose([float(angle)])
        assert_close(step.matrix(), matrix(row, angle, convention), ROUNDOFF)
        pose = pose @ matrix(row, angle, convention)
    assert_close(jounce.poses(robot, q)[0, -1], pose, ROUNDOFF)


@ARMS
def test_both_conventions_describe_the_same_arm(rows, rng: np.random.Generator):
    """Link frame i of the standard convention is ``Tx(a_i) Rx(α_i)`` away from the modified one."""
    inertias = [jounce.examples.random_inertia(rng) for _ in rows]
    before = [DH(), *rows[:-1]]
    shifted = [
        DH(last.a, last.alpha, row.d, row.theta, row.joint)
        for last, row in zip(before, rows, strict=True)
    ]
    links = [rigid_transform(shift("x", row.a) @ turn("x", row.alpha)) for row in rows]
    moved = [
        Inertia.from_spatial(inertia.spatial.moved(T))
        for inertia, T in zip(inertias, links, strict=True)
    ]
    motion = rng.uniform(-1, 1, (5, 10, len(rows)))
    forces = jounce.inverse_dynamics(from_dh(rows, inertias), *motion)
    modified = from_dh(shifted, moved, convention="modified")
    assert_orders_close(jounce.inverse_dynamics(modified, *motion), forces, ROUNDOFF)


@CONVENTIONS
def test_right_angles_are_exact(convention: str):
    robot = from_dh(PUMA, balls(PUMA), convention=convention)
    entries = {x for body in robot.bodies for row in body.placement.rotation.rows for x in row}
    entries |= {x for joint in robot.joints for axis in joint.type.axes for x in axis}
    assert entries == {-1.0, 0.0, 1.0}


def test_rows_may_be_records_mappings_or_tuples():
    record = DH(a=0.1, alpha=0.2, d=0.3, theta=0.4, joint="prismatic")
    mapping = {"a": 0.1, "alpha": 0.2, "d": 0.3, "theta": 0.4, "joint": "prismatic"}
    robots = [
        from_dh([row], [BALL]) for row in (record, mapping, (0.1, 0.2, 0.3, 0.4, "prismatic"))
    ]
    assert robots[0] == robots[1] == robots[2]
    assert from_dh([(0.1, 0.2, 0.3, 0.4)], [BALL]).joints[0].kind == "revolute"
    assert from_dh([{"a": 1}], [BALL], names=["arm"]).bodies[0].name == "arm"


@pytest.mark.parametrize(
    ("rows", "options", "error", "message"),
    [
        ([DH()], {"convention": "craig"}, ArgumentError, "'standard' or 'modified', got 'craig'"),
        ([DH()], {"convention": ["standard"]}, ArgumentError, "'standard' or 'modified', got \\["),
        ([(0, 0, 0)], {}, ShapeError, r"rows\[0\].*got \(0, 0, 0\)"),
        ([{"r": 1.0}], {}, ModelError, r"rows\[0\] has the entry 'r'; known: a, alpha"),
        ([DH(joint="helical")], {}, ModelError, "'revolute' or 'prismatic', got 'helical'"),
        ([DH(d=np.inf)], {}, NotFiniteError, r"rows\[0\]: d is inf"),
        ([DH(a="x")], {}, ModelError, r"rows\[0\]: a must be a number, got 'x'"),  # type: ignore[arg-type]
        ([DH(), DH()], {}, ShapeError, "2 rows were given, but 1 inertias"),
        ([DH()], {"names": []}, ShapeError, "1 bodies, but 0 names"),
    ],
)
def test_refusals(rows, options: dict, error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        from_dh(rows, [BALL], **options)


def test_a_row_that_is_no_row_is_refused():
    with pytest.raises(ShapeError, match=r"rows\[0\] must be \(a, alpha, d, theta\)"):
        from_dh([0.3], [BALL])
