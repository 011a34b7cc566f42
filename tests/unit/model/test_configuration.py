"""The configuration manifold: increments there and back, rates, batches and refusals."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import jounce
from jounce.errors import ArgumentError, NotFiniteError, ShapeError
from jounce.model import joints
from jounce.model.builder import RobotBuilder
from jounce.model.examples import KINDS, random_tree
from jounce.model.inertia import Inertia
from jounce.model.records import Limits
from jounce.model.robot import Robot
from tests.tolerances import EXACT, ROUNDOFF, assert_close

BALL = Inertia(1.0, (0, 0, 0), 0.1 * np.eye(3))
ANGLES = [0.0, 1e-300, 1e-13, 1e-9, 1e-5, 0.009999, 0.010001, 1.0, 3.0, np.pi - 1e-6, np.pi - 1e-9]


def robot_of(*kinds_: joints.JointType) -> Robot:
    b = RobotBuilder("robot")
    for i, kind in enumerate(kinds_):
        b.add(f"b{i}", None, kind, inertia=BALL)
    return b.build()


FREE = robot_of(joints.free())
MIXED = robot_of(
    joints.revolute((0, 0, 1)), joints.spherical(), joints.free(), joints.planar((0, 0, 1))
)


def same_pose(robot: Robot, first: np.ndarray, second: np.ndarray) -> None:
    """Compare configurations; a quaternion and its opposite are the same."""
    for joint in robot.joints:
        a, b = first[..., joint.q_slice].copy(), second[..., joint.q_slice]
        if joint.kind in ("spherical", "free"):
            sign = np.sign(np.sum(a[..., -4:] * b[..., -4:], -1, keepdims=True))
            a[..., -4:] *= sign
        assert_close(a, b, ROUNDOFF, scale=1.0)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "fixed"])
def test_difference_undoes_integrate_and_the_other_way_round(kind: str, rng: np.random.Generator):
    robot = random_tree(rng, 5, [kind])
    q0, q1 = (robot.random_configuration(rng) for _ in range(2))
    same_pose(robot, jounce.integrate(robot, q0, jounce.difference(robot, q0, q1)), q1)
    dv = rng.uniform(-1, 1, robot.nv)
    assert_close(
        jounce.difference(robot, q0, jounce.integrate(robot, q0, dv)), dv, ROUNDOFF, scale=1.0
    )


@pytest.mark.parametrize("angle", ANGLES)
def test_every_angle_up_to_half_a_turn_comes_back(angle: float, rng: np.random.Generator):
    """To the round-off of the configuration: near π the increment of the position grows too."""
    for _ in range(20):
        axis = rng.normal(size=3)
        dv = np.r_[angle * axis / np.linalg.norm(axis), rng.normal(size=3)]
        q0 = FREE.random_configuration(rng)
        back = jounce.difference(FREE, q0, jounce.integrate(FREE, q0, dv))
        assert_close(back[:3], dv[:3], ROUNDOFF, scale=1.0)
        assert_close(back[3:], dv[3:], ROUNDOFF, scale=10.0)


def test_half_a_turn_has_one_of_its_two_increments():
    q0, q1 = np.array([0, 0, 0, 0, 0, 0, 1.0]), np.array([1.0, 2, 3, 0, 0, 1, 0])
    for target in (q1, np.r_[q1[:3], -q1[3:]]):
        dv = jounce.difference(FREE, q0, target)
        assert_close(np.abs(dv[:3]), [0, 0, np.pi], ROUNDOFF)
        same_pose(FREE, jounce.integrate(FREE, q0, dv), q1)


def test_the_shorter_way_is_taken_whatever_the_sign_of_the_quaternion(rng: np.random.Generator):
    for _ in range(20):
        q0, q1 = (FREE.random_configuration(rng) for _ in range(2))
        dv = jounce.difference(FREE, q0, q1)
        assert np.linalg.norm(dv[:3]) <= np.pi
        opposite = np.r_[q1[:3], -q1[3:]]
        assert_close(jounce.difference(FREE, q0, opposite), dv, ROUNDOFF)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 0.0099999, 0.0100001, 0.7, 2.0, np.pi, 5.0])
def test_free_bodies_follow_the_exponential_of_their_twist(angle: float, rng: np.random.Generator):
    """Against the power series of the 4x4 exponential at 50 digits."""
    axis = rng.normal(size=3)
    w, v = angle * axis / np.linalg.norm(axis), rng.normal(size=3)
    with mpmath.workdps(50):
        X = mpmath.matrix(4, 4)
        for (i, j), value in {(2, 1): w[0], (0, 2): w[1], (1, 0): w[2]}.items():
            X[i, j], X[j, i] = mpmath.mpf(value), -mpmath.mpf(value)
        for i in range(3):
            X[i, 3] = mpmath.mpf(v[i])
        desired = np.array(mpmath.expm(X, method="taylor").tolist(), float)
    q = jounce.integrate(FREE, FREE.neutral, np.r_[w, v])
    assert_close(jounce.poses(FREE, q)[0, 0], desired, ROUNDOFF)


def test_increments_are_in_the_child_frame(rng: np.random.Generator):
    q, dv = FREE.random_configuration(rng), rng.normal(size=6)
    step = jounce.poses(FREE, jounce.integrate(FREE, FREE.neutral, dv))[0, 0]
    there = jounce.poses(FREE, jounce.integrate(FREE, q, dv))[0, 0]
    assert_close(there, jounce.poses(FREE, q)[0, 0] @ step, ROUNDOFF)


def test_the_rate_is_half_the_quaternion_times_the_angular_velocity():
    """By hand: q = (p, i/√2 + 1/√2), a quarter turn about x; then ω = e_y is e_z in the world."""
    s = np.sqrt(0.5)
    rate = jounce.configuration_rate(FREE, [1, 2, 3, s, 0, 0, s], [0, 1, 0, 0, 1, 0])
    assert_close(rate, [0, 0, 1, 0, s / 2, s / 2, 0], ROUNDOFF)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "fixed"])
def test_the_rate_is_the_derivative_of_the_motion(kind: str, rng: np.random.Generator):
    robot = random_tree(rng, 3, [kind])
    q, v = robot.random_configuration(rng), rng.normal(size=robot.nv)
    h = 1e-5  # finite differences are a smoke test: error h²
    ahead, behind = (jounce.integrate(robot, q, sign * h * v) for sign in (1, -1))
    rate = jounce.configuration_rate(robot, q, v)
    assert np.abs((ahead - behind) / (2 * h) - rate).max() < 1e-8 * max(1.0, np.abs(v).max() ** 3)


def test_the_rate_keeps_quaternions_unit_and_is_linear(rng: np.random.Generator):
    q = np.array([MIXED.random_configuration(rng) for _ in range(9)])
    v, u = rng.normal(size=(2, 9, MIXED.nv))
    rate = jounce.configuration_rate(MIXED, q, v)
    for joint in MIXED.joints[1:3]:
        part = slice(joint.q_slice.stop - 4, joint.q_slice.stop)
        growth = np.sum(q[:, part] * rate[:, part], -1)
        assert_close(growth, np.zeros(9), ROUNDOFF, scale=1.0)
        speed = np.linalg.norm(v[:, joint.v_slice][:, :3], axis=-1)
        assert_close(2 * np.linalg.norm(rate[:, part], axis=-1), speed, ROUNDOFF)
    both = jounce.configuration_rate(MIXED, q, 2 * v - u)
    assert_close(both, 2 * rate - jounce.configuration_rate(MIXED, q, u), ROUNDOFF)


@pytest.mark.parametrize(
    ("first", "second", "batch"),
    [
        ((), (), ()),
        ((4,), (), (4,)),
        ((), (4,), (4,)),
        ((3, 1), (4,), (3, 4)),
        ((1, 4), (2, 3, 1), (2, 3, 4)),
        ((0,), (), (0,)),
        ((2, 0), (0,), (2, 0)),
    ],
)
def test_batches_broadcast(first, second, batch, rng: np.random.Generator):
    def configurations(shape) -> np.ndarray:
        flat = [MIXED.random_configuration(rng) for _ in range(int(np.prod(shape)))]
        return np.array(flat).reshape(*shape, MIXED.nq)

    q0, q1 = configurations(first), configurations(second)
    v = rng.normal(size=(*second, MIXED.nv))
    for function, other, width in (
        (jounce.integrate, v, MIXED.nq),
        (jounce.configuration_rate, v, MIXED.nq),
        (jounce.difference, q1, MIXED.nv),
    ):
        result = function(MIXED, q0, other)
        assert result.shape == (*batch, width)
        assert result.dtype == np.float64
        assert result.flags.c_contiguous
        a = np.broadcast_to(q0, (*batch, MIXED.nq))
        b = np.broadcast_to(other, (*batch, other.shape[-1]))
        for index in np.ndindex(*batch):
            assert_close(result[index], function(MIXED, a[index], b[index]), ROUNDOFF)


def test_inputs_are_left_alone_and_may_be_lists(rng: np.random.Generator):
    q = MIXED.random_configuration(rng)
    q[1:5] *= 1 + 5e-7  # within the tolerance: normalised in a copy
    before = q.copy()
    result = jounce.integrate(MIXED, q, np.zeros(MIXED.nv))
    assert_close(q, before, EXACT)
    assert np.linalg.norm(result[1:5]) == pytest.approx(1.0, abs=1e-15)
    assert_close(jounce.integrate(MIXED, q.tolist(), [0] * MIXED.nv), result, EXACT)


def test_nearly_unit_quaternions_count_as_normalised(rng: np.random.Generator):
    q, v = FREE.random_configuration(rng), rng.normal(size=6)
    q1 = jounce.integrate(FREE, q, v)
    stretched = q * np.r_[1, 1, 1, [1 + 9e-7] * 4]
    assert_close(jounce.integrate(FREE, stretched, v), q1, ROUNDOFF, scale=1.0)
    assert_close(
        jounce.difference(FREE, stretched, q1), jounce.difference(FREE, q, q1), ROUNDOFF, scale=1.0
    )
    rates = [jounce.configuration_rate(FREE, x, v) for x in (stretched, q)]
    assert_close(*rates, ROUNDOFF)


BAD = [
    (np.zeros(3), np.zeros(6), ShapeError, r"q0? must have shape \(\*batch, 7\) with nq = 7"),
    (5.0, np.zeros(6), ShapeError, r"q0? must have shape"),
    ("up", np.zeros(6), ShapeError, "q0? must be an array of real numbers"),
    ([[0.0], [0.0, 1.0]], np.zeros(6), ShapeError, "q0? must be an array of real numbers"),
    (
        np.r_[np.zeros(6), 2],
        np.zeros(6),
        ArgumentError,
        r"x y z w.*joint 'b0' in q0? must have unit",
    ),
    (np.r_[np.nan, np.zeros(5), 1], np.zeros(6), NotFiniteError, r"q0?\[0\] is nan"),
    (np.r_[np.zeros(6), np.inf], np.zeros(6), NotFiniteError, r"q0?\[6\] is inf"),
]


@pytest.mark.parametrize(("q", "v", "error", "message"), BAD)
def test_bad_configurations_are_refused(q, v, error: type, message: str):
    with pytest.raises(error, match=message):
        jounce.integrate(FREE, q, v)
    with pytest.raises(error, match=message):
        jounce.configuration_rate(FREE, q, v)
    with pytest.raises(error, match=message):
        jounce.difference(FREE, q, FREE.neutral)
    with pytest.raises(error, match=message.replace("q0?", "q1")):
        jounce.difference(FREE, FREE.neutral, q)


def test_bad_increments_and_batches_are_refused():
    for function, name in ((jounce.integrate, "dv"), (jounce.configuration_rate, "v")):
        with pytest.raises(ShapeError, match=rf"{name} must have shape \(\*batch, 6\)"):
            function(FREE, FREE.neutral, np.zeros(7))
        with pytest.raises(NotFiniteError, match=rf"{name}\[1, 2\] is nan"):
            function(FREE, FREE.neutral, [[0.0] * 6, [0, 0, np.nan, 0, 0, 0]])
        with pytest.raises(ShapeError, match=r"batch axes \(2,\) and \(3,\) do not broadcast"):
            function(FREE, np.tile(FREE.neutral, (2, 1)), np.zeros((3, 6)))


def test_random_configurations_respect_limits_and_are_finite(rng: np.random.Generator):
    b = RobotBuilder("robot")
    bounds = [(-0.5, 0.25), (2.0, None), (None, -3.0), (None, None), (0.7, 0.7)]
    for kind in (joints.revolute, joints.prismatic):
        for i, (low, high) in enumerate(bounds):
            own = Limits(low, high)
            b.add(f"{kind.__name__}{i}", None, kind((0, 0, 1)), inertia=BALL, limits=own)
    b.add("can", None, joints.cylindrical((0, 0, 1)), inertia=BALL, limits=Limits([0, 5], [1, 6]))
    robot = b.build()
    q = np.array([robot.random_configuration(rng) for _ in range(300)])
    limits = robot.limits
    assert np.isfinite(q).all()
    assert (q >= limits.lower).all()
    assert (q <= limits.upper).all()
    width = np.r_[0.75, 2 * np.pi, 2 * np.pi, 2 * np.pi, 0, 0.75, 2, 2, 2, 0, 1, 1]
    spread = np.ptp(q, axis=0)
    assert (spread <= width).all()
    assert (spread >= 0.9 * width).all()


@pytest.mark.parametrize("kind", KINDS)
def test_random_configurations_of_every_kind_are_valid(kind: str, rng: np.random.Generator):
    robot = random_tree(rng, 3, [kind])
    q = robot.random_configuration(rng)
    assert q.shape == (robot.nq,)
    assert jounce.difference(robot, q, q) == pytest.approx(np.zeros(robot.nv), abs=1e-15)


def test_the_same_seed_gives_the_same_configuration():
    first, second = (MIXED.random_configuration(np.random.default_rng(5)) for _ in range(2))
    assert_close(first, second, EXACT)
    assert_close(MIXED.random_configuration(5), first, EXACT)  # type: ignore[arg-type]


def test_many_random_configurations_are_those_of_single_calls():
    robot = jounce.load("panda", floating_base=True)
    rng, other = np.random.default_rng(5), np.random.default_rng(5)
    many = robot.random_configuration(rng, size=(2, 3))
    single = [robot.random_configuration(other) for _ in range(6)]
    np.testing.assert_array_equal(many.reshape(6, -1), single)
    assert robot.random_configuration(rng, size=4).shape == (4, robot.nq)


def test_a_range_from_zero_to_minus_zero_has_one_configuration(rng: np.random.Generator):
    """As one joint of PR2 has it."""
    b = RobotBuilder("robot")
    b.add("a", None, joints.revolute((0, 0, 1)), inertia=BALL, limits=Limits(0.0, -0.0))
    assert b.build().random_configuration(rng).tolist() == [0.0]
