"""Tables of limits, and motions checked against them."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from math import inf, pi
from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.errors import ModelError, ShapeError, TableError, UnknownNameError, UnsupportedError
from jounce.trajectory import Fourier, Limits, MotionTable, Polynomial, check_limits
from jounce.trajectory.limits import QUANTITIES
from tests.tolerances import EXACT, INDEPENDENT, assert_close

FIELDS = ["lower", *(quantity.name for quantity in QUANTITIES[1:]), "upper"]


@pytest.fixture
def arm() -> jounce.Robot:
    return jounce.load("planar2r")


@pytest.fixture
def names(arm: jounce.Robot) -> list[str]:
    return [joint.name for joint in arm.joints]


def free(arm: jounce.Robot, **bounds) -> Limits:
    """Return limits with these bounds only."""
    return Limits.of(arm, **{**dict.fromkeys(FIELDS), **bounds})


def test_they_are_those_of_the_robot_and_what_is_given():
    panda = jounce.load("panda")
    limits = Limits.of(panda, snap=1e4, jerk=None, effort={"joint2": 50.0, "joint3": None})
    assert limits.names == tuple(f"joint{i}" for i in range(1, 8))
    for name in ("lower", "upper", "velocity", "acceleration", "effort_rate"):
        assert_close(getattr(limits, name), getattr(panda.limits, name), EXACT)
    assert limits.effort.tolist() == [87.0, 50.0, inf, 87.0, 12.0, 12.0, 12.0]
    assert limits.snap.tolist() == [1e4] * 7
    assert limits.jerk.tolist() == [inf] * 7
    assert limits.effort_second_rate.tolist() == [inf] * 7
    with pytest.raises(ValueError, match="read-only"):
        limits.jerk[0] = 1.0
    with pytest.raises(FrozenInstanceError):
        limits.jerk = limits.snap  # pyright: ignore[reportAttributeAccessIssue]


def test_a_mimic_joint_bounds_what_it_follows():
    builder = jounce.RobotBuilder("gripper")
    body = jounce.Inertia(1.0, (0, 0, 0.1), np.eye(3))
    own = jounce.Limits(lower=-1.0, upper=2.0, velocity=3.0)
    tight = jounce.Limits(lower=-1.0, upper=3.0, velocity=1.0, jerk=8.0, effort=1.0)
    slide = jounce.joints.prismatic((0, 0, 1))
    builder.add("left", joint=slide, inertia=body, joint_name="left", limits=own)
    builder.add("right", joint=slide, inertia=body, mimic=("left", -2.0, 1.0), limits=tight)
    limits = Limits.of(builder.build())
    assert limits.names == ("left",)
    # −1 ≤ 1 − 2 q ≤ 3
    assert (limits.lower.tolist(), limits.upper.tolist()) == ([-1.0], [1.0])
    assert (limits.velocity.tolist(), limits.jerk.tolist()) == ([0.5], [4.0])
    assert limits.effort.tolist() == [inf]


def test_they_are_read_from_files(tmp_path: Path, arm: jounce.Robot, names: list[str]):
    table = tmp_path / "limits.csv"
    table.write_text(f"joint, velocity, lower\n{names[0]}, 2.5,\n\n{names[1]}, inf, -1\n")
    record = tmp_path / "limits.json"
    record.write_text(
        json.dumps({names[0]: {"velocity": 2.5}, names[1]: {"velocity": None, "lower": -1}})
    )
    wanted = Limits.of(arm, velocity=[2.5, inf], lower={names[1]: -1.0})
    for path in (table, record):
        got = Limits.read(path, arm)
        for name in FIELDS:
            assert_close(getattr(got, name), getattr(wanted, name), EXACT)


@pytest.mark.parametrize(
    ("name", "text", "error", "message"),
    [
        ("a.csv", "velocity\n1\n", TableError, r"a\.csv:1: no column 'joint'"),
        ("a.csv", "joint,velocity\nelbow\n", TableError, r"a\.csv:2: 1 fields, expected 2"),
        ("a.csv", "joint,velocity\nx,fast\n", TableError, r"a\.csv:2: velocity of 'x' is 'fast'"),
        ("a.csv", "joint,velocity\nx,1\nx,2\n", TableError, r"a\.csv:3: .* given twice"),
        ("a.csv", "joint,velocity\nx,1\n", UnknownNameError, "no joint named 'x'"),
        ("a.csv", "joint,speed\nx,1\n", UnknownNameError, "no limit named 'speed'"),
        ("a.json", "{", TableError, r"a\.json: not a JSON file"),
        ("a.json", "[]", TableError, "limits must be"),
        ("a.json", '{"x": {"velocity": true}}', TableError, "is True, not a number"),
        ("a.txt", "", UnsupportedError, r"\.csv or \.json, not in '\.txt'"),
    ],
)
def test_files_that_are_no_limits_are_refused(
    tmp_path: Path, arm: jounce.Robot, name: str, text: str, error, message: str
):
    (tmp_path / name).write_text(text)
    with pytest.raises(error, match=message):
        Limits.read(tmp_path / name, arm)


@pytest.mark.parametrize(
    ("bounds", "error", "message"),
    [
        ({"velocity": [1.0, 2.0, 3.0]}, ShapeError, "one number, 2 numbers or"),
        ({"velocity": -1.0}, ModelError, "velocity must be numbers ≥ 0"),
        ({"jerk": np.nan}, ModelError, "jerk"),
        ({"lower": 2.0, "upper": 1.0}, ModelError, "leave no range"),
    ],
)
def test_bounds_that_are_none_are_refused(arm: jounce.Robot, bounds, error, message: str):
    with pytest.raises(error, match=message):
        Limits.of(arm, **bounds)


def test_joints_with_quaternions_are_refused(arm: jounce.Robot):
    with pytest.raises(UnsupportedError, match="has a quaternion among its coordinates"):
        Limits.of(arm.with_floating_base())


def test_extrema_between_the_samples_are_found(arm: jounce.Robot):
    """Of a cosine all of them are known; eleven samples meet none."""
    motion = Fourier(a=[[0.0, 0.0]], b=[[3.0, 0.5]], omega=2.0, q0=[0.1, 0.2])
    limits = free(arm, lower=-10, upper=2.0, velocity=4, acceleration=4, jerk=4, snap=4)
    report = check_limits(arm, motion, limits, samples=11)
    rows = {(row.quantity, row.joint): row for row in report.rows}
    assert len(rows) == 10
    for k, name in enumerate(["velocity", "acceleration", "jerk", "snap"]):
        for joint, size in zip(limits.names, (3.0, 0.5), strict=True):
            row = rows[name, joint]
            assert_close(abs(row.value), size * 2.0**k, INDEPENDENT)
            assert_close(row.margin, 4.0 - size * 2.0**k, INDEPENDENT, scale=4.0)
            assert_close(row.use, size * 2.0**k / 4.0, INDEPENDENT)
            assert row.violated == (row.margin < 0.0)
            assert_close(
                motion(row.time, order=4)[k + 1, limits.names.index(joint)], row.value, EXACT
            )
    top = rows["position", limits.names[0]]
    assert (top.bound, top.violated) == (2.0, False)
    assert_close([top.value, top.margin, top.use], [1.6, 0.4, 1.0 - 0.4 / 6.0], INDEPENDENT)
    assert_close(top.time, pi / 2.0, 1e-8)
    assert not report.ok
    assert report.worst is not None
    assert (report.worst.quantity, report.worst.joint) == ("snap", limits.names[0])
    assert report.worst.use == 24.0 / 4.0 == report.violations[0].use
    assert [row.quantity for row in report.violations] == ["snap", "jerk", "acceleration"]


def test_forces_are_those_of_a_fine_sampling(arm: jounce.Robot, interpreted: None):
    motion = Polynomial.through([0.5, 1.0, 1.7], [[0.0, 1.0], [1.0, -0.5], [0.3, 0.4]])
    limits = free(arm, effort=100.0, effort_rate=1e3, effort_second_rate=1e4)
    report = check_limits(arm, motion, limits, samples=101)
    t = np.linspace(0.5, 1.7, 100_001)
    Q = jounce.inverse_dynamics(arm, *motion(t, order=4))
    for row in report.rows:
        k = ("effort", "effort_rate", "effort_second_rate").index(row.quantity)
        fine = np.abs(Q[k, :, limits.names.index(row.joint)])
        assert_close(abs(row.value), fine.max(), 1e-7)
        assert abs(row.value) >= fine.max() * (1.0 - 1e-14)
        assert abs(row.time - t[fine.argmax()]) < 2e-5


def test_samples_are_taken_as_they_are(arm: jounce.Robot, names: list[str]):
    t = np.linspace(0.0, 1.0, 5)
    values = Fourier([[1.0, 2.0]], [[0.3, 0.1]], 3.0)(t, order=2)
    limits = free(arm, velocity=1.5, effort=1e3, jerk=1.0, effort_rate=1.0)
    for motion in (MotionTable(t, tuple(names), values), (t, values)):
        report = check_limits(arm, motion, limits)
        assert report.skipped == ("jerk", "effort_rate")
        row = next(r for r in report.rows if (r.quantity, r.joint) == ("velocity", names[1]))
        assert abs(row.value) == np.abs(values[1, :, 1]).max()
        assert row.time in t
        effort = max(abs(r.value) for r in report.rows if r.quantity == "effort")
        assert effort == np.abs(jounce.inverse_dynamics(arm, *values)).max()


def test_no_limits_no_rows(arm: jounce.Robot):
    report = check_limits(arm, Fourier([[1.0, 2.0]], [[0.3, 0.1]], 3.0), free(arm))
    assert (report.rows, report.ok, report.worst) == ((), True, None)


@pytest.mark.parametrize(
    ("motion", "options", "message"),
    [
        (Fourier([[1.0]], [[1.0]], 1.0), {}, "has 1 coordinates, 'planar2r' has 2"),
        (Polynomial([[1.0, 2.0]]), {}, "no end; give it a duration"),
        (Fourier([[1.0, 1.0]], [[1.0, 1.0]], 1.0), {"samples": 1}, "samples must be an integer"),
        ((np.arange(3.0), np.ones((2, 3, 5))), {}, r"shape \(orders, m, 2\)"),
        ((np.zeros(3), np.ones((2, 3, 2))), {}, "increase strictly"),
    ],
)
def test_what_is_no_motion_is_refused(arm: jounce.Robot, motion, options, message: str):
    with pytest.raises(ShapeError, match=message):
        check_limits(arm, motion, free(arm, velocity=1.0), **options)


def test_limits_of_another_robot_are_refused(arm: jounce.Robot):
    with pytest.raises(ShapeError, match="the limits are for joint1"):
        check_limits(arm, Fourier([[1.0, 1.0]], [[1.0, 1.0]], 1.0), Limits.of(jounce.load("panda")))
