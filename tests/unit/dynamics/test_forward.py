"""Forward dynamics: inverse of inverse dynamics on every tree, loads, and singular cases."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import jounce
from jounce.model.examples import KINDS
from jounce.model.joints import JointType, prismatic, revolute
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close, assert_orders_close

pytestmark = pytest.mark.usefixtures("interpreted")

ORDER = 4
SEEDS = range(6)
ROUND_TRIP = 1e-11  # of scale, for the conditions below
CONDITION = 3e3  # of the mass matrix
PULSE = 10.0  # 1/s: rates of the motion grow by it from order to order, as at 1.6 Hz
HERE = np.eye(4)
REPRESENTATIONS = ("body", "spatial", "hybrid")


def tree(seed: int, n: int = 11) -> tuple[jounce.Robot, np.random.Generator]:
    rng = np.random.default_rng(seed)
    options = {"oblique_gravity": True, "armature": True, "damping": True}
    return jounce.examples.random_tree(rng, n, **options), rng


def motion(robot: jounce.Robot, rng: np.random.Generator) -> tuple[np.ndarray, list[np.ndarray]]:
    q = robot.random_configuration(rng)
    assert np.linalg.cond(jounce.mass_matrix(robot, q)[0]) < CONDITION
    return q, [rng.normal(size=robot.nv) * PULSE**k for k in range(ORDER + 2)]


@pytest.mark.parametrize(
    "seed", [pytest.param(n, marks=pytest.mark.slow) if n > 2 else n for n in SEEDS]
)
def test_round_trip_on_trees_of_every_joint(seed: int) -> None:
    robot, rng = tree(seed)
    assert len({joint.kind for joint in robot.joints}) == len(KINDS) - 2  # fixed, mimic
    q, (v, *rates) = motion(robot, rng)
    Q = jounce.inverse_dynamics(robot, q, v, *rates)
    got = jounce.forward_dynamics(robot, q, v, *Q)
    assert_orders_close(got, np.array(rates), ROUND_TRIP)


@pytest.mark.parametrize("seed", SEEDS[:3])
def test_round_trip_under_wrenches_with_derivatives(seed: int) -> None:
    """On inner bodies, in all representations at once."""
    robot, rng = tree(seed)
    q, (v, *rates) = motion(robot, rng)
    bodies = [robot.bodies[i].name for i in (0, robot.n_bodies // 2, robot.n_bodies - 1)]
    loads = {
        body: jounce.Wrench(rng.normal(size=(orders, 6)) * 10.0, representation)
        for body, representation, orders in zip(bodies, REPRESENTATIONS, (5, 3, 5), strict=True)
    }
    Q = jounce.inverse_dynamics(robot, q, v, *rates, wrenches=loads)
    got = jounce.forward_dynamics(robot, q, v, *Q, wrenches=loads)
    assert_orders_close(got, np.array(rates), ROUND_TRIP)
    unloaded = jounce.forward_dynamics(robot, q, v, *Q)
    assert all(
        np.abs(a - b).max() > 1e-6 * np.abs(a).max() for a, b in zip(got, unloaded, strict=True)
    )


def test_the_equation_is_solved_as_numpy_does(rng: np.random.Generator) -> None:
    robot = jounce.load("humanoid")
    q = robot.random_configuration(rng)
    v, Q = rng.normal(size=(2, robot.nv))
    M, C = jounce.mass_matrix(robot, q)[0], jounce.coriolis_matrix(robot, q, v)[0]
    wanted = np.linalg.solve(M, Q - C @ v - jounce.gravity_forces(robot, q)[0])
    assert_close(jounce.forward_dynamics(robot, q, v, Q)[0], wanted, ROUND_TRIP)


def test_orders_do_not_depend_on_those_above(rng: np.random.Generator) -> None:
    robot = jounce.load("panda")
    q, v, *Q = rng.normal(size=(5, 7))
    all_orders = jounce.forward_dynamics(robot, q, v, *Q)
    for m in range(1, 4):
        assert_orders_close(
            jounce.forward_dynamics(robot, q, v, *Q[:m]), all_orders[:m], INDEPENDENT
        )


def matter(com: tuple[float, float, float] = (0.1, 0.0, 0.0)) -> jounce.Inertia:
    return jounce.Inertia(1.0, com, 0.1 * np.eye(3))


def arm(*joints: tuple[str, JointType, jounce.Inertia | None], armature: float = 0.0):
    """Return a chain of joints at one point, each with its matter."""
    b, parent = jounce.RobotBuilder("arm"), None
    for name, joint, inertia in joints:
        b.add(f"{name} link", parent, joint, HERE, inertia, name, armature)
        parent = f"{name} link"
    return b.build()


X, Y, Z = revolute((1, 0, 0)), revolute((0, 1, 0)), revolute((0, 0, 1))
POINT = jounce.Inertia(1.0, (0.5, 0.0, 0.0), np.zeros((3, 3)))
LUMP = jounce.Inertia(1.0, (0.05, -0.1, 0.15), np.diag([0.1, 0.12, 0.15]))
GIMBAL = ("yaw", Z, None), ("pitch", Y, None), ("roll", X, LUMP)
STRUCTURAL = {
    "massless tip": (("base", Z, matter()), ("wrist", X, None)),
    "point mass on its axis": (("base", Z, matter()), ("wrist", X, POINT)),
    "parallel slides": (
        ("base", Z, matter()),
        ("wrist", prismatic((0, 0, 1)), None),
        ("tip", prismatic((0, 0, 1)), matter()),
    ),
}


@pytest.mark.parametrize("name", STRUCTURAL)
def test_a_singular_robot_is_refused_by_joint(name: str) -> None:
    robot = arm(*STRUCTURAL[name])
    still = np.zeros(robot.nv)
    with pytest.raises(jounce.SingularError, match=r"'arm' is singular: joint 'wrist'.*armature"):
        jounce.forward_dynamics(robot, still, still, still)
    with pytest.raises(jounce.SingularError, match="joint 'wrist'"):
        jounce.forward_dynamics_partials(robot, still, still, still)
    with pytest.raises(jounce.SingularError, match="joint 'wrist'"):
        _ = jounce.kernel(robot, "forward_dynamics").operations
    motorized = arm(*STRUCTURAL[name], armature=0.1)
    assert np.isfinite(jounce.forward_dynamics(motorized, still, still, still)).all()
    assert np.isfinite(jounce.mass_matrix(robot, still)).all()


TILT = np.array([[2.0, -2.0, 1.0], [1.0, 2.0, 2.0], [-2.0, -1.0, 2.0]]).T / 3.0
ROD = jounce.Inertia(1.0, 0.4 * TILT[:, 2], TILT @ np.diag([0.1, 0.1, 0.0]) @ TILT.T)
ROUNDED = {  # the entry of the wrist in M is not zero, but nothing else than rounding
    "rod about itself": (revolute(tuple(TILT[:, 2])), ROD),
    "point a hair off its axis": (Z, jounce.Inertia(1.0, (1e-17, 0, 0.3), np.zeros((3, 3)))),
    "point a hair off its origin": (Z, jounce.Inertia(1.0, (1e-17, 0, 0), np.zeros((3, 3)))),
}


@pytest.mark.parametrize("name", ROUNDED)
def test_what_is_left_of_rounding_is_no_mass(name: str) -> None:
    """Held against what the entry of a joint could be, not against what it is."""
    joint, matter_ = ROUNDED[name]
    robot = arm(("base", X, matter()), ("wrist", joint, matter_))
    still = np.zeros(2)
    entry = jounce.mass_matrix(robot, still)[0, 1, 1]
    assert abs(entry) < 1e-16
    for function in (jounce.forward_dynamics, jounce.forward_dynamics_partials):
        with pytest.raises(jounce.SingularError, match="joint 'wrist'"):
            function(robot, still, still, still)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_a_fly_on_a_crane_is_regular(scale: float) -> None:
    """Inertias of one robot may differ by any factor: a bound is that of the matter beyond."""
    fly = jounce.Inertia(1e-6, (1e-3, 0, 0), 1e-13 * np.eye(3))
    heavy = jounce.Inertia(scale, (2.0, 0, 0), scale * np.eye(3))
    robot = arm(("base", Z, heavy), ("wrist", Z, fly))
    got = jounce.forward_dynamics(robot, [0.1, 0.2], np.zeros(2), [0.0, 1e-12])[0]
    M = jounce.mass_matrix(robot, [0.1, 0.2])[0]
    assert_close(got, np.linalg.solve(M, [0.0, 1e-12]), INDEPENDENT)


def test_gimbal_lock_is_refused_where_it_happens() -> None:
    """The pivot of the first axis is about 1e-17 of its entry, not zero."""
    robot = arm(*GIMBAL)
    still, force = np.zeros(3), np.ones(3)
    locked = [0.3, np.pi / 2, 0.2]
    others = np.random.default_rng(0).normal(size=(20, 3))
    others[:, 1] = np.pi / 2
    kernel = jounce.kernel(robot, "forward_dynamics_and_pivots")
    ratios = np.abs(kernel(others, still, force)[-1, :, 0])
    assert 0.0 < np.nanmax(ratios) < 1e-15
    assert np.isfinite(jounce.forward_dynamics(robot, [0.3, 0.4, 0.2], still, force)).all()
    with pytest.raises(jounce.SingularError, match="in the configuration given: joint 'yaw'"):
        jounce.forward_dynamics(robot, locked, still, force)
    for q in others:
        with pytest.raises(jounce.SingularError, match="joint 'yaw'"):
            jounce.forward_dynamics(robot, q, still, force)
    with pytest.raises(jounce.SingularError, match="of sample 0: joint 'yaw'"):
        jounce.forward_dynamics_partials(robot, others, still, force)
    close = jounce.forward_dynamics(robot, [0.3, np.pi / 2 + 1e-4, 0.2], still, force)
    assert 1e6 < np.abs(close).max() < 1e12
    moved = arm(*GIMBAL, armature=0.1)
    assert np.abs(jounce.forward_dynamics(moved, locked, still, force)).max() < 1e2


@pytest.mark.parametrize(("shape", "at"), [((4,), (2,)), ((2, 3), (1, 2)), ((1, 5), (0, 4))])
def test_one_singular_sample_is_named(shape: tuple[int, ...], at: tuple[int, ...]) -> None:
    robot = arm(*GIMBAL)
    q = np.full((*shape, 3), 0.4)
    q[at] = 0.3, np.pi / 2, 0.2
    sample = at[0] if len(at) == 1 else at
    with pytest.raises(jounce.SingularError) as caught:
        jounce.forward_dynamics(robot, q, np.zeros(3), np.ones(3))
    assert f"of sample {sample}: joint 'yaw'" in str(caught.value)


def test_the_cause_is_named_and_not_what_follows_from_it() -> None:
    """A zero pivot makes those of all joints before it NaN; so does an entry that vanishes."""
    robot = arm(("base", Z, matter()), ("axle", X, None), ("arm", Z, POINT))
    still = np.zeros(3)
    assert np.isfinite(jounce.forward_dynamics(robot, [0, 0, 1.0], still, still)).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(jounce.SingularError, match="joint 'axle'"):
            jounce.forward_dynamics(robot, still, still, still)
    for angle in (np.pi, 2 * np.pi, 1e-9, 1e-8):  # what is left of the entry is rounding
        q = np.array([0, 0, angle])
        assert jounce.mass_matrix(robot, q)[0, 1, 1] < 1e-16
        for function in (jounce.forward_dynamics, jounce.forward_dynamics_partials):
            with pytest.raises(jounce.SingularError, match="joint 'axle'"):
                function(robot, q, still, still)


def test_indefinite_inertias_are_solved() -> None:
    """What ``strict=False`` lets in is not singular."""
    inner, outer = (jounce.Inertia(1.0, (0, 0, 0), J * np.eye(3)) for J in (-0.5, 1.0))
    b = jounce.RobotBuilder("odd")
    b.add("one", None, Z, HERE, inner)
    b.add("two", "one", Z, HERE, outer)
    robot, still = b.build(strict=False), np.zeros(2)
    M = jounce.mass_matrix(robot, still)[0]
    assert_close(M, [[0.5, 1.0], [1.0, 1.0]], ROUNDOFF)
    got = jounce.forward_dynamics(robot, still, still, [1.0, 2.0])[0]
    assert_close(got, np.linalg.solve(M, [1.0, 2.0]), ROUNDOFF)


def test_overflow_is_an_error() -> None:
    robot = jounce.load("planar2r")
    with pytest.raises(jounce.NotFiniteError, match="range of floating-point"):
        jounce.forward_dynamics(robot, [0.1, 0.2], [1e200, 1e200], [0.0, 0.0])


def test_robots_without_gravity_and_without_joints(rng: np.random.Generator) -> None:
    robot = jounce.load("panda").with_gravity((0, 0, 0))
    still = np.zeros(7)
    assert not jounce.forward_dynamics(robot, rng.normal(size=7), still, still).any()
    b = jounce.RobotBuilder("table")
    b.add("top", None, jounce.joints.fixed(), HERE, matter())
    none = np.zeros(0)
    assert jounce.forward_dynamics(b.build(), none, none, none, none).shape == (2, 0)
    assert jounce.forward_dynamics(b.build(), np.zeros((5, 0)), none, none).shape == (1, 5, 0)


def test_a_free_body_falls() -> None:
    b = jounce.RobotBuilder("stone", gravity=(1.0, 2.0, 3.0))
    b.add("stone", None, jounce.joints.free(), HERE, matter())
    robot, still = b.build(), np.zeros(6)
    got = jounce.forward_dynamics(robot, robot.neutral, still, still)[0]
    assert_close(got, [0, 0, 0, 1, 2, 3], INDEPENDENT)


BAD_ARGUMENTS = {
    "no forces": ((), jounce.ShapeError, "needs the forces Q"),
    "short Q": (([1.0],), jounce.ShapeError, r"^Q must have shape \(\*batch, 2\), got \(1,\)"),
    "long Q1": (([1, 2], [1, 2, 3]), jounce.ShapeError, "^Q1 must have shape"),
    "NaN in Q2": (([1, 2], [1, 2], [np.nan, 0]), jounce.NotFiniteError, r"^Q2\[0\] is nan"),
    "batches": (
        (np.ones((3, 2)), np.ones((4, 2))),
        jounce.ShapeError,
        r"Q: \(3, 2\), Q1: \(4, 2\)",
    ),
}


@pytest.mark.parametrize("name", BAD_ARGUMENTS)
def test_bad_arguments_are_named(name: str) -> None:
    given, error, text = BAD_ARGUMENTS[name]
    with pytest.raises(error, match=text):
        jounce.forward_dynamics(jounce.load("planar2r"), [0.1, 0.2], [1, 2], *given)


def test_bad_velocities_are_named() -> None:
    robot = jounce.load("planar2r")
    for v, text in (([1.0], "^v must have shape"), ([1.0, np.inf], r"^v\[1\] is inf")):
        with pytest.raises(jounce.JounceError, match=text):
            jounce.forward_dynamics(robot, [0.1, 0.2], v, [1, 2])
    with pytest.raises(jounce.ShapeError, match=r"expected 4 arrays \(q, v, Q, Q1\), got 3"):
        jounce.kernel(robot, "forward_dynamics", order=1)([0, 0], [0, 0], [0, 0])
