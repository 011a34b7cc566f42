"""Tables of limits, and motions checked against them."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from math import inf, pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import BSpline, PPoly

import jounce
from jounce.errors import (
    ArgumentError,
    ModelError,
    NotFiniteError,
    ShapeError,
    TableError,
    UnknownNameError,
    UnsupportedError,
    WrongTypeError,
)
from jounce.limits.limits import QUANTITIES
from jounce.trajectory import (
    Fourier,
    MotionLimits,
    MotionTable,
    Polynomial,
    Spline,
    check_limits,
    scale_to_limits,
)
from tests.tolerances import EXACT, INDEPENDENT, assert_close

FIELDS = ["lower", *(quantity.name for quantity in QUANTITIES[1:]), "upper"]


@pytest.fixture
def arm() -> jounce.Robot:
    return jounce.load("planar2r")


@pytest.fixture
def names(arm: jounce.Robot) -> list[str]:
    return [joint.name for joint in arm.joints]


def free(arm: jounce.Robot, **bounds) -> MotionLimits:
    """Return limits with these bounds only."""
    return MotionLimits.of(arm, **{**dict.fromkeys(FIELDS), **bounds})


def ball_on_slide() -> jounce.Robot:
    builder = jounce.RobotBuilder("gimbal")
    body = jounce.Inertia(1.0, (0.0, 0.1, 0.2), np.diag([0.3, 0.4, 0.5]), about="com")
    own = jounce.Limits(lower=-1.0, upper=2.0, velocity=3.0)
    slide = jounce.joints.prismatic((0, 0, 1))
    builder.add("cart", joint=slide, inertia=body, joint_name="slide", limits=own)
    builder.add("head", "cart", jounce.joints.spherical(), inertia=body, joint_name="ball",
                limits=jounce.Limits(velocity=2.0))  # fmt: skip
    return builder.build()


def test_they_are_those_of_the_robot_and_what_is_given():
    panda = jounce.load("panda")
    limits = MotionLimits.of(panda, snap=1e4, jerk=None, effort={"joint2": 50.0, "joint3": None})
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


def test_they_are_read_from_files(tmp_path: Path, arm: jounce.Robot, names: list[str]):
    table = tmp_path / "limits.csv"
    table.write_text(f"joint, velocity, lower\n{names[0]}, 2.5,\n\n{names[1]}, inf, -1\n")
    record = tmp_path / "limits.json"
    record.write_text(
        json.dumps({names[0]: {"velocity": 2.5}, names[1]: {"velocity": None, "lower": -1}})
    )
    wanted = MotionLimits.of(arm, velocity=[2.5, inf], lower={names[1]: -1.0})
    for path in (table, record):
        got = MotionLimits.read(path, arm)
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
        MotionLimits.read(tmp_path / name, arm)


@pytest.mark.parametrize(
    ("bounds", "error", "message"),
    [
        ({"velocity": [1.0, 2.0, 3.0]}, ShapeError, "one number, 2 numbers or"),
        ({"velocity": -1.0}, ModelError, "velocity must be numbers ≥ 0"),
        ({"jerk": np.nan}, ModelError, "jerk"),
        ({"jerk": {"joint1": "fast"}}, ShapeError, "limit jerk of 'joint1' must be an array of"),
        ({"jerk": {"joint1": [1.0, 2.0]}}, ShapeError, "jerk of 'joint1' must be one number, got"),
        ({"lower": 2.0, "upper": 1.0}, ModelError, "leave no range; correct them, or give"),
    ],
)
def test_bounds_that_are_none_are_refused(arm: jounce.Robot, bounds, error, message: str):
    with pytest.raises(error, match=message):
        MotionLimits.of(arm, **bounds)


def test_quaternions_have_no_limits_of_position_and_all_others():
    robot = ball_on_slide()
    limits = MotionLimits.of(robot, upper=5.0, jerk={"ball[wy]": 7.0}, effort=[1.0, 2.0, 3.0, 4.0])
    assert limits.names == ("slide", "ball[wx]", "ball[wy]", "ball[wz]")
    assert (limits.lower.tolist(), limits.upper.tolist()) == (
        [-1.0, *[-inf] * 3],
        [5.0, *[inf] * 3],
    )
    assert limits.velocity.tolist() == [3.0, 2.0, 2.0, 2.0]
    assert (limits.jerk.tolist(), limits.effort[3]) == ([inf, inf, 7.0, inf], 4.0)
    for upper in ({"ball[wz]": 1.0}, [1.0, 2.0, inf, inf]):
        with pytest.raises(
            ModelError, match=r"upper of 'ball\[w[xyz]\]' must be None, for a joint with"
        ):
            MotionLimits.of(robot, upper=upper)


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


class Turning:
    """A slide that moves by x[0], and a ball that turns by x[1] about an axis that stays."""

    n, axis = 5, np.array([0.6, 0.0, 0.8])

    def __init__(self, x: Fourier) -> None:
        self.x, self.duration = x, x.duration

    def __call__(self, t, order: int = 4) -> list[np.ndarray]:
        slide, turn = np.moveaxis(self.x(t, order=order), -1, 0)[..., None]
        q = [slide[0], np.sin(turn[0] / 2.0) * self.axis, np.cos(turn[0] / 2.0)]
        rates = [(slide[k], turn[k] * self.axis) for k in range(1, order + 1)]
        return [np.concatenate(part, axis=-1) for part in (q, *rates)]


def test_extrema_of_a_ball_joint_are_found(interpreted: None):
    """The rates of the ball are those of its angle, along the axis."""
    robot, motion = ball_on_slide(), Turning(Fourier([[0.0, 0.0]], [[3.0, 0.5]], 2.0))
    limits = free(robot, upper=2.0, velocity=4, jerk=4, effort=100.0, effort_rate=100.0)
    report = check_limits(robot, motion, limits, samples=11)
    rows = {(row.quantity, row.joint): row for row in report.rows}
    assert len(rows) == 17
    assert_close(rows["position", "slide"].value, 1.5, INDEPENDENT)
    for name, power in (("velocity", 0), ("jerk", 2)):
        for joint, size in zip(limits.names, (3.0, *(0.5 * motion.axis)), strict=True):
            row = rows[name, joint]
            assert_close(abs(row.value), size * 2.0**power, INDEPENDENT, scale=1.0)
            assert_close(row.use, size * 2.0**power / 4.0, INDEPENDENT, scale=1.0)
    fine = jounce.inverse_dynamics(robot, *motion(np.linspace(0.0, pi, 20_001), order=3))
    close = check_limits(robot, motion, limits, samples=201)
    for row in close.rows:
        if row.quantity in ("effort", "effort_rate"):
            k = int(row.quantity == "effort_rate")
            largest = np.abs(fine[k, :, limits.names.index(row.joint)]).max()
            assert_close(abs(row.value), largest, 1e-6)
            assert abs(row.value) >= largest * (1.0 - 1e-14)
    t = np.linspace(0.0, pi, 201)
    sampled = check_limits(robot, (t, motion(t, order=3)), limits)
    assert [row.joint for row in sampled.rows] == [row.joint for row in close.rows]
    for row, same in zip(sampled.rows, close.rows, strict=True):
        assert_close(row.use, same.use, 1e-3)


def test_the_derivatives_of_a_quaternion_are_no_velocities():
    robot, t = ball_on_slide(), np.linspace(0.0, 1.0, 3)
    q = np.tile(robot.neutral, (3, 1))
    with pytest.raises(ShapeError, match=r"rate 1 must have shape \(\*batch, 4\) with nv = 4"):
        check_limits(robot, (t, np.array([q, 0.0 * q])))
    with pytest.raises(ShapeError, match="has 4 coordinates, 'gimbal' has 5"):
        check_limits(robot, Fourier(np.ones((1, 4)), np.ones((1, 4)), 1.0))


def test_values_that_are_no_numbers_are_refused(arm: jounce.Robot):
    values = np.zeros((2, 3, 2))
    values[1, 2, 0] = np.nan
    with pytest.raises(NotFiniteError, match=r"rate 1\[2, 0\] is nan"):
        check_limits(arm, (np.arange(3.0), values), free(arm, velocity=1.0))


def test_samples_are_taken_as_they_are(arm: jounce.Robot, names: list[str]):
    t = np.linspace(0.0, 1.0, 5)
    values = Fourier([[1.0, 2.0]], [[0.3, 0.1]], 3.0)(t, order=2)
    limits = free(arm, velocity=1.5, effort=1e3)
    for motion in (MotionTable(t, tuple(names), values), (t, values)):
        report = check_limits(arm, motion, limits)
        assert report.differentiated == ()
        row = next(r for r in report.rows if (r.quantity, r.joint) == ("velocity", names[1]))
        assert abs(row.value) == np.abs(values[1, :, 1]).max()
        assert row.time in t
        effort = max(abs(r.value) for r in report.rows if r.quantity == "effort")
        assert effort == np.abs(jounce.inverse_dynamics(arm, *values)).max()


def test_rates_that_samples_lack_are_those_of_a_spline(arm: jounce.Robot):
    """No limit passes because nothing was known about it."""
    t, motion = np.linspace(0.0, 2.0, 401), Fourier([[1.0, 2.0]], [[0.3, 0.1]], 3.0)
    limits = free(arm, velocity=1.5, effort=1e3, effort_rate=1.0)
    full = check_limits(arm, (t, motion(t, order=3)), limits)
    for orders, unknown in ((1, ("velocity", "effort", "effort_rate")), (3, ("effort_rate",))):
        report = check_limits(arm, (t, motion(t, order=3)[:orders]), limits)
        assert report.differentiated == unknown
        assert not report.ok
        for row, known in zip(report.rows, full.rows, strict=True):
            assert_close(row.value, known.value, 1e-3)
    with pytest.raises(ArgumentError, match=r"effort_rate need .* order 3; the 3 samples have 0"):
        check_limits(arm, (t[:3], motion(t[:3], order=0)), limits)


def knocked(step: float = 0.05) -> Spline:
    """Return a slow motion of 600 s with one short knock, through samples."""
    t = np.arange(0.0, 600.0, step)
    q = np.stack([np.sin(0.2 * t), np.cos(0.1 * t)], axis=1)
    q[int(377.0 / step), 1] += 0.01
    return Spline.through(t, q, degree=5)


def test_a_knock_in_a_long_motion_is_found(arm: jounce.Robot):
    """The knock lasts 0.1 s; the knots of the spline are enough to find it."""
    motion = knocked()
    limits = free(arm, acceleration=10.0, effort_rate=1e3)
    rows = {(r.quantity, r.joint): r for r in check_limits(arm, motion, limits, samples=2).rows}
    t = np.linspace(376.0, 378.0, 200_001)
    values = motion(t, order=3)
    wanted = np.abs(values[2, :, 1]).max()
    assert wanted > 10.0
    assert_close(abs(rows["acceleration", limits.names[1]].value), wanted, 1e-9)
    Q = np.abs(jounce.inverse_dynamics(arm, *values)[1]).max(axis=0)
    for name, size in zip(limits.names, Q, strict=True):
        assert_close(abs(rows["effort_rate", name].value), size, 1e-7)
    scaled = scale_to_limits(arm, motion, limits)
    inner = scaled((t - motion.t0) / scaled.factor, order=2)
    assert_close(np.abs(inner[2, :, 1]).max(), 10.0, 1e-9)


@pytest.mark.filterwarnings("ignore:the samples do not support")  # here the spline is the motion
def test_a_burst_in_a_long_motion_is_found_to_its_peak(arm: jounce.Robot):
    """Two seconds of 5 Hz in ten minutes: of each wave the crest counts, between all samples."""
    t = np.arange(0.0, 600.0, 0.02)
    q = np.stack([np.sin(0.2 * t), np.cos(0.1 * t)], axis=1)
    q[:, 0] += 0.02 * np.exp(-((t - 300.0) ** 2)) * np.sin(10.0 * np.pi * t)
    motion = Spline.through(t, q, degree=5)
    limits = free(arm, velocity=0.3, acceleration=8.0)
    near = np.linspace(298.0, 302.0, 400_001)
    wanted = np.abs(motion(near, order=2)[1:, :, 0]).max(axis=1)
    rows = {r.quantity: r for r in check_limits(arm, motion, limits).rows if r.joint == "joint1"}
    assert_close(abs(rows["velocity"].value), wanted[0], 1e-8)
    assert_close(abs(rows["acceleration"].value), wanted[1], 1e-8)
    scaled = scale_to_limits(arm, motion, limits)
    inner = scaled((near - motion.t0) / scaled.factor, order=2)[1:, :, 0]
    assert_close((np.abs(inner).max(axis=1) / [0.3, 8.0]).max(), 1.0, 1e-8)


@pytest.mark.parametrize("speed", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("is_mimicked", [False, True])
def test_dry_friction_that_turns_between_the_samples_is_found(speed, is_mimicked: bool):
    """Where v = 0 its rate is ``C a / s``, for ``s / a`` of a second."""
    builder = jounce.RobotBuilder("carts")
    mass, slide = (
        jounce.Inertia(2.0, (0.0, 0.0, 0.0), np.eye(3)),
        jounce.joints.prismatic((1, 0, 0)),
    )
    dry, follower = {"coulomb": 0.5, "speed": speed}, {"mimic": ("slide", -4.0, 0.0)}
    builder.add("cart", joint=slide, inertia=mass, joint_name="slide",
                friction=None if is_mimicked else dry)  # fmt: skip
    if is_mimicked:
        builder.add("other", joint=slide, inertia=mass, friction=dry, **follower)
    robot = builder.build()
    share = 16.0 if is_mimicked else 1.0  # 4 times the speed, 4 times the force
    wave = Fourier([[0.3]], [[0.2]], 0.7)
    report = check_limits(robot, wave, free(robot, effort_rate=1.0))
    wanted = share * 0.5 * 0.7 * np.hypot(0.3, 0.2) / speed  # the rate of inertia is zero there
    assert report.worst is not None
    assert_close(report.worst.use, wanted, 1e-4)
    assert report.worst.use >= wanted * (1.0 - 1e-9)


def test_what_happens_in_one_piece_only_is_found(arm: jounce.Robot):
    """A robot that stands still for 600 s but for two pieces of 50 ms."""
    t = np.arange(0.0, 600.0, 0.05)
    q = np.zeros((t.size, 2))
    q[7541, 1] = 0.01
    motion = Polynomial.through(t, q, smoothness=0)
    row = check_limits(arm, motion, free(arm, velocity=1.0), samples=3).rows[1]
    assert_close(abs(row.value), 0.2, 1e-9)
    assert t[7540] < row.time < t[7542]


def test_extrema_of_polynomials_are_those_of_their_roots(arm: jounce.Robot, rng):
    """Uneven pieces, few samples: the derivative of each piece vanishes at its extrema."""
    t = np.cumsum(rng.uniform(0.01, 1.0, 60))
    motion = Spline.through(t, rng.normal(size=(60, 2)), degree=7)
    limits = free(arm, velocity=1.0, acceleration=1.0, jerk=1.0, snap=1.0)
    report = check_limits(arm, motion, limits, samples=2)
    (piece,) = motion.pieces
    for row in report.rows:
        k = ("velocity", "acceleration", "jerk", "snap").index(row.quantity) + 1
        i = limits.names.index(row.joint)
        rate = BSpline(piece.t, piece.c[:, i], piece.k).derivative(k)
        ends = motion.breaks / motion.step - motion.origin / motion.step
        roots = PPoly.from_spline(rate.derivative()).roots(extrapolate=False)
        inside = np.concatenate([ends, roots[(roots > ends[0]) & (roots < ends[1])]])
        assert_close(abs(row.value), np.abs(rate(inside)).max() / motion.step**k, 1e-9)
        assert row.missing < 1e-9


def test_both_sides_of_a_jump_count(arm: jounce.Robot):
    """The velocity of straight pieces jumps; a knot belongs to one of them."""
    points = [[0.0, 0.0], [1.0, 0.1], [1.5, -3.0], [1.6, 0.0]]
    motion = Polynomial.through([0.0, 1.0, 2.0, 3.0], points, smoothness=0)
    report = check_limits(arm, motion, free(arm, velocity=1.0), samples=2)
    assert_close([abs(row.value) for row in report.rows], [1.0, 3.1], INDEPENDENT)


class Rough:
    """A motion that no step resolves: its velocity is noise."""

    n, duration = 2, 1.0

    def __call__(self, t, order: int = 4) -> np.ndarray:
        noise = np.modf(1e4 * np.sin(1e7 * np.asarray(t)))[0]
        return np.stack([np.stack([noise, 0.0 * noise], axis=-1)] * (order + 1))


def test_what_cannot_be_resolved_is_bounded_and_not_ok(arm: jounce.Robot):
    report = check_limits(arm, Rough(), free(arm, velocity=1.05), samples=101)
    row = report.rows[0]
    assert 0.9 < row.use < 1.0
    assert row.use + row.missing > 1.0
    assert (report.violations, report.ok) == ((), False)


def test_less_may_be_allowed_in_one_direction(arm: jounce.Robot, tmp_path: Path):
    motion = Fourier(a=[[0.0, 0.0]], b=[[3.0, 0.5]], omega=2.0)  # |v| to 3 and 0.5
    limits = free(arm, velocity=4.0, velocity_lower={"joint1": -2.0})
    assert limits.range_of(QUANTITIES[1])[0].tolist() == [-2.0, -4.0]
    row = check_limits(arm, motion, limits).rows[0]
    assert_close([row.value, row.bound, row.margin], [-3.0, -2.0, -1.0], INDEPENDENT)
    assert_close(row.use, 1.0 + 1.0 / 3.0, INDEPENDENT)
    scaled = scale_to_limits(arm, motion, limits)
    assert_close(scaled.factor, 2.0 / 3.0, 1e-9)
    one_sided = free(arm, velocity_lower=-1.0)
    assert_close(scale_to_limits(arm, motion, one_sided).factor, 1.0 / 3.0, 1e-9)
    path = tmp_path / "limits.csv"
    path.write_text("joint,effort,effort_lower\njoint2,5,-1\n")
    assert MotionLimits.read(path, arm).below["effort"].tolist() == [-inf, -1.0]
    with pytest.raises(ModelError, match="velocity_lower must be numbers ≤ 0"):
        free(arm, velocity_lower=1.0)


def test_integers_of_numpy_are_integers(arm: jounce.Robot):
    motion, limits = Fourier([[1.0, 2.0]], [[0.3, 0.1]], 3.0), free(arm, velocity=1.0)
    assert check_limits(arm, motion, limits, samples=np.int64(11)) == check_limits(
        arm, motion, limits, samples=11
    )


def test_no_limits_no_rows(arm: jounce.Robot):
    report = check_limits(arm, Fourier([[1.0, 2.0]], [[0.3, 0.1]], 3.0), free(arm))
    assert (report.rows, report.ok, report.worst) == ((), True, None)


@pytest.mark.parametrize(
    ("motion", "options", "message"),
    [
        (Fourier([[1.0]], [[1.0]], 1.0), {}, "has 1 coordinates, 'planar2r' has 2"),
        (Polynomial([[1.0, 2.0]]), {}, "no end; give it a duration"),
        (Fourier([[1.0, 1.0]], [[1.0, 1.0]], 1.0), {"samples": 1}, "samples must be an integer"),
        ((np.arange(3.0), np.ones((2, 3, 5))), {}, r"q must have shape \(\*batch, 2\)"),
        ((np.arange(3.0), [np.ones((3, 2)), np.ones((4, 2))]), {}, r"rate 1 must have .*\(3, 2\)"),
        ((np.arange(3.0), []), {}, "q at least"),
        ((np.zeros(3), np.ones((2, 3, 2))), {}, "increase strictly"),
    ],
)
def test_what_is_no_motion_is_refused(arm: jounce.Robot, motion, options, message: str):
    with pytest.raises(ValueError, match=message) as caught:
        check_limits(arm, motion, free(arm, velocity=1.0), **options)
    is_value = message.startswith(("no end", "samples", "increase"))
    assert caught.type is (ArgumentError if is_value else ShapeError)


def test_wrong_types_are_told(arm: jounce.Robot):
    wave, limits = Fourier([[1.0, 1.0]], [[1.0, 1.0]], 1.0), free(arm, velocity=1.0)
    wrong: list[tuple[Any, ...]] = [("arm", wave, limits), (arm, wave, {"velocity": 1.0})]
    for call in (check_limits, scale_to_limits):
        for arguments, name in zip(wrong, ("Robot", "MotionLimits"), strict=True):
            with pytest.raises(WrongTypeError, match=rf"must be a .*{name}"):
                call(*arguments)
        with pytest.raises(WrongTypeError, match=r"must be a trajectory, .* got list"):
            call(arm, [[0.0, 0.0], [1.0, 1.0]], limits)  # pyright: ignore[reportArgumentType]


def test_limits_of_another_robot_are_refused(arm: jounce.Robot):
    with pytest.raises(ShapeError, match="the limits are for joint1"):
        check_limits(
            arm, Fourier([[1.0, 1.0]], [[1.0, 1.0]], 1.0), MotionLimits.of(jounce.load("panda"))
        )
