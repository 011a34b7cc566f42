"""Closures as users give them: what is refused, by which words, and what files and edits keep."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.errors import ClosureError, RobotFormatError, SingularityError
from tests.floating_walker import walker
from tests.tolerances import INDEPENDENT, assert_close

pytestmark = pytest.mark.usefixtures("interpreted")

FOURBAR = jounce.examples.fourbar()
START = [0.5, 0.5, 1.5]
INVERSE = (jounce.constrained_inverse_dynamics, jounce.constrained_inverse_dynamics_partials)


def test_closures_are_part_of_the_robot(tmp_path: Path):
    path = tmp_path / "fourbar.json"
    FOURBAR.save(path)
    again = jounce.load(path)
    assert again == FOURBAR
    assert again.closures == FOURBAR.closures
    assert FOURBAR.without_closures() != FOURBAR
    assert hash(FOURBAR.without_closures()) != hash(FOURBAR)
    assert FOURBAR.with_gravity((0, 0, 0)).closures == FOURBAR.closures
    assert FOURBAR.with_frame("tool", "rocker", np.eye(4)).closures == FOURBAR.closures


def test_files_with_wrong_closures_are_refused():
    data = FOURBAR.to_dict()
    for wrong in ({"frame": "nowhere"}, {"frame": "crank", "to": "crank"}, {"to": "crank"}, 3,
                  {"frame": "crank", "directions": "up"}, {"frame": 1},
                  {"frame": "crank", "directions": [[1]]}, {"frame": "crank", "directions": 5},
                  {"frame": "crank", "directions": [{}]}):  # fmt: skip
        with pytest.raises(jounce.JounceError):
            jounce.load({**data, "closures": [wrong]})
    with pytest.raises(RobotFormatError, match=r"closures\[0\]"):
        jounce.load({**data, "closures": [{"frame": "crank", "side": 1}]})


def test_frames_of_one_body_are_refused():
    with pytest.raises(jounce.ModelError, match="body 'coupler'"):
        FOURBAR.with_closures(jounce.Closure("coupler", "coupler_tip"))
    with pytest.raises(jounce.UnknownNameError, match="rocker_tip"):
        FOURBAR.with_closures(jounce.Closure("rocker_tp"))
    with pytest.raises(jounce.ArgumentError, match="different"):
        jounce.Closure("a", "b", directions="vx vx")


def test_functions_of_trees_refuse_and_name_the_other():
    rest = np.zeros(3)
    with pytest.raises(jounce.UnsupportedError, match=r"jounce\.constrained_inverse_dynamics"):
        jounce.inverse_dynamics(FOURBAR, rest, rest, rest)
    with pytest.raises(jounce.UnsupportedError, match=r"jounce\.constrained_forward_dynamics"):
        jounce.forward_dynamics(FOURBAR, rest, rest, rest)
    with pytest.raises(jounce.UnsupportedError, match=r"jounce\.close"):
        jounce.inverse_kinematics(FOURBAR, "coupler_tip", np.eye(4))
    with pytest.raises(jounce.UnsupportedError, match=r"jounce\.closed_rates"):
        jounce.inverse_kinematics_rates(FOURBAR, "coupler_tip", rest, np.zeros(6))
    with pytest.raises(jounce.UnsupportedError, match="no closures"):
        jounce.closure_error(FOURBAR.without_closures(), rest)


def test_close_is_nearest_and_holds():
    q = jounce.close(FOURBAR, START)
    assert np.abs(jounce.closure_error(FOURBAR, q)).max() < 1e-14
    J = jounce.closure_jacobian(FOURBAR, q)[0]
    N = np.linalg.svd(J)[2][2:]  # the freedom
    assert np.abs(N @ (q - START)).max() < 1e-8, "the way to the nearest point is normal to it"
    held = jounce.close(FOURBAR, START, hold="crank_joint")
    assert held[0] == START[0]
    other = jounce.close(FOURBAR, [0.5, -1.0, -1.5])
    assert np.sign(np.sin(other[2])) != np.sign(np.sin(q[2])), "branches are chosen by the start"


def test_impossible_assemblies_are_errors():
    long = jounce.examples.fourbar(ground=2.0)
    with pytest.raises(ClosureError, match="coupler_tip"):
        jounce.close(long, START)
    rest = np.zeros(3)
    with pytest.raises(ClosureError, match="not closed"):
        jounce.constrained_forward_dynamics(FOURBAR, START, rest, rest)


def test_velocities_that_open_a_closure_are_errors():
    q = jounce.close(FOURBAR, START)
    with pytest.raises(ClosureError, match="v does not keep"):
        jounce.constrained_forward_dynamics(FOURBAR, q, [1.0, 0.0, 0.0], np.zeros(3))


def test_singular_configurations_name_condition_and_direction():
    """Crank and coupler in line, driven from the rocker: a dead point."""
    q = jounce.close(FOURBAR, [0.8, 0.0, 1.4])
    stretched = _dead_point()
    with pytest.raises(SingularityError, match="condition number") as caught:
        jounce.closed_rates(FOURBAR, stretched, [1.0], independent="rocker_joint")
    assert caught.value.condition > 1e6
    assert jounce.closed_rates(FOURBAR, q, [1.0], independent="rocker_joint").shape == (1, 3)
    flat = jounce.examples.fourbar(0.2, 0.25, 0.2, 0.25)  # a parallelogram
    rest = np.zeros(3)
    with pytest.raises(SingularityError, match=r"lost|without effect"):
        jounce.constrained_forward_dynamics(flat, rest, rest, rest)


def _dead_point() -> np.ndarray:
    """Return the configuration with crank and coupler stretched: a triangle of known sides."""
    a, b, c = 0.35, 0.25, 0.2
    angle = np.arccos((a * a + c * c - b * b) / (2 * a * c))
    rocker = np.arctan2(a * np.sin(angle), a * np.cos(angle) - c)
    return np.array([angle, 0.0, rocker])


@pytest.mark.parametrize("function", INVERSE)
def test_what_nothing_drives_is_named(function):
    robot = jounce.examples.stewart()
    rest = np.zeros(robot.nv)
    with pytest.raises(jounce.ArgumentError, match="neither actuated nor held"):
        function(robot, robot.neutral, rest, rest, actuated="slide_0")


def test_closures_that_hold_nothing_exert_nothing():
    """In the plane of the four-bar nothing turns about y or moves along z."""
    robot = FOURBAR.without_closures().with_closures(
        jounce.Closure("coupler_tip", "rocker_tip", directions="wy vz")
    )
    assert jounce.mobility(robot) == (3, 2)
    v, Q = np.array([0.3, -0.2, 0.1]), np.array([1.0, 2.0, 3.0])
    a, force = jounce.constrained_forward_dynamics(robot, START, v, Q)
    wanted = jounce.forward_dynamics(robot.without_closures(), START, v, Q)
    assert_close(a, wanted, INDEPENDENT)
    assert not force.any()


def test_what_is_neither_held_nor_driven_is_named():
    """A rocker that stands alone, its column of J zero at every q; and slides in a row."""
    alone = FOURBAR.without_closures().with_closures(jounce.Closure("coupler_tip"))
    q, rest = alone.neutral, np.zeros(3)
    both = ["crank_joint", "coupler_joint"]
    with pytest.raises(jounce.ArgumentError, match=r"'rocker_joint' .* neither actuated nor held"):
        jounce.constrained_inverse_dynamics(alone, q, rest, rest, actuated=both)
    still = alone.with_gravity((0, 0, 0))  # needs no force, so nothing is left
    forces, _ = jounce.constrained_inverse_dynamics(still, q, rest, rest, actuated=both)
    assert not forces.any()
    builder, slide = jounce.RobotBuilder("slides"), jounce.joints.prismatic((1, 0, 0))
    mass = jounce.Inertia(1.0, (0, 0, 0), np.eye(3))
    builder.add("a", joint=slide, inertia=mass)
    builder.add("b", "a", slide, inertia=mass)
    builder.closure("b", directions="vx")
    rest = np.zeros(2)
    for function in INVERSE:
        with pytest.raises(jounce.ArgumentError, match="is neither actuated nor held"):
            function(builder.build(), rest, rest, rest, actuated=[])


def test_forces_that_are_left_count_beside_large_multipliers():
    """Near its dead point the tip is held by 1e9 N: the crank must be driven all the same."""
    robot = FOURBAR.without_closures().with_closures(jounce.Closure("rocker_tip", directions="vx"))
    q = np.array([0.2, -0.1, -6.7e-9])
    rest = np.zeros(3)
    with pytest.raises(jounce.ArgumentError, match=r"'c.*_joint' .* of its force is left"):
        jounce.constrained_inverse_dynamics(robot, q, rest, rest, actuated="rocker_joint")


@pytest.mark.parametrize("function", INVERSE)
def test_levers_that_are_rounding_drive_nothing(function):
    """Held at its own joint the coupler turns freely, and the rocker stands still."""
    robot = FOURBAR.without_closures().with_closures(
        jounce.Closure("coupler", "rocker_tip", directions="vx vy")
    )
    q = jounce.close(robot, [-1.9, -0.3, -2.7])
    v, a = jounce.closed_rates(robot, q, [-0.4], [9.0], independent="coupler_joint")
    for batch in ((), (3,)):
        motion = [np.broadcast_to(x, (*batch, 3)) for x in (q, v, a)]
        with pytest.raises(jounce.ArgumentError, match="hardly drive it"):
            function(robot, *motion, actuated="rocker_joint")


SPOKE = 0.3


def _spoke(length: float = SPOKE) -> jounce.Robot:
    """Return a spoke that turns about y on two slides; its tip is down at q = 0."""
    builder = jounce.RobotBuilder("spoke")
    mass = jounce.Inertia(1.0, (0, 0, 0), np.eye(3) * length**2)
    builder.add("x", joint=jounce.joints.prismatic((1, 0, 0)), inertia=mass)
    builder.add("y", "x", jounce.joints.prismatic((0, 1, 0)), inertia=mass)
    builder.add("spoke", "y", jounce.joints.revolute((0, 1, 0)), inertia=mass)
    builder.frame("tip", "spoke", jounce.transform((0, 0, -length)))
    return builder.build()


@pytest.mark.parametrize("length", [SPOKE, 1e-4, 1e4])
@pytest.mark.parametrize("directions", ["vz", "vx vz", "linear", "all"])
def test_a_row_near_its_dead_point_is_singular_whatever_the_others_are(
    directions: str, length: float
):
    """The tip hangs straight down: it cannot be lifted, whatever unit its length has."""
    robot, rest = _spoke(length), np.zeros(3)
    foot = [jounce.Closure("tip", directions=directions)]
    near, far = np.array([0.1, 0.2, 1e-8]), np.array([0.1, 0.2, 1e-3])
    if directions == "all":  # turning is held as well, and nothing is lost
        assert jounce.constrained_forward_dynamics(robot, near, rest, rest, contacts=foot)
        return
    for function in (
        jounce.constrained_forward_dynamics,
        jounce.constrained_forward_dynamics_partials,
    ):
        function(robot, far, rest, rest, contacts=foot)
        with pytest.raises(SingularityError, match=r"lost direction \([-+]1 vz of 'tip'") as caught:
            function(robot, near, rest, rest, contacts=foot)
        assert caught.value.condition > 1e7
        batch = np.stack([far, far, near])
        with pytest.raises(SingularityError, match=r"sample \[2\]"):
            function(robot, batch, rest, rest, contacts=foot)


def test_a_dependent_joint_near_its_dead_point_is_singular():
    """A tip that is held along x moves the slide, one that is held along z hardly does."""
    for length in (SPOKE, 1e-7):
        held = _spoke(length).with_closures(jounce.Closure("tip", directions="vx"))
        free = {"independent": ["x", "y"]}
        found = jounce.closed_rates(held, held.neutral, [1.0, 0.0], **free)[0]
        assert_close(found[2], 1.0 / length, INDEPENDENT)
        robot = _spoke(length).with_closures(jounce.Closure("tip", directions="vz"))
        with pytest.raises(SingularityError, match=r"condition number 1e\+09"):
            jounce.closed_rates(robot, [0.0, 0.0, 1e-9], [1.0, 0.0], independent=["y", "spoke"])


def test_independent_velocities_that_decide_nothing_are_refused():
    robot = FOURBAR.without_closures().with_closures(jounce.Closure("rocker_tip", directions="vx"))
    q = np.array([0.2, 0.3, 0.0])  # the tip stands still to first order
    with pytest.raises(jounce.ArgumentError, match=r"crank_joint, rocker_joint .* undecided"):
        jounce.closed_rates(robot, q, [1.0, 0.5], independent=["crank_joint", "rocker_joint"])


def test_a_mass_matrix_without_inverse_is_refused():
    """Two hinges on one axis with nothing between them: which of them turns, no one knows."""
    builder, turn = jounce.RobotBuilder("twice"), jounce.joints.revolute((0, 0, 1))
    rod = jounce.Inertia(0.8, (0.2, 0, 0), np.diag([0.001, 0.04, 0.04]))
    builder.add("crank", joint=turn, inertia=rod)
    builder.add("pin", "crank", turn, jounce.transform((0.2, 0, 0), rpy=(0, 0, 0.7)))
    builder.add("coupler", "pin", turn, inertia=rod)
    builder.frame("end", "coupler", jounce.transform((0.5, 0, 0)))
    builder.closure("end", directions="vx")
    robot, rest = builder.build(), np.zeros(3)
    for function in (
        jounce.constrained_forward_dynamics,
        jounce.constrained_forward_dynamics_partials,
    ):
        with pytest.raises(jounce.SingularError, match="can move"):
            function(robot, robot.neutral, rest, rest)


def test_contacts_are_to_the_ground():
    with pytest.raises(jounce.ArgumentError, match="with_closures"):
        jounce.constrained_forward_dynamics(
            FOURBAR, START, np.zeros(3), np.zeros(3), contacts=[jounce.Closure("crank", "rocker")]
        )


def test_arrays_that_do_not_fit_together_are_named():
    q, rest = jounce.close(FOURBAR, START), np.zeros(3)
    with pytest.raises(jounce.ShapeError, match=r"forces must have one shape.* \(3,\), \(2,\)"):
        jounce.constrained_forward_dynamics(FOURBAR, q, rest, rest, np.zeros(2))
    with pytest.raises(jounce.ShapeError, match=r"rates must have one shape.* \(2, 3\), \(5, 3\)"):
        jounce.constrained_inverse_dynamics(FOURBAR, q, rest, np.zeros((2, 3)), np.zeros((5, 3)))
    with pytest.raises(jounce.ShapeError, match="rates must have one shape"):
        jounce.closed_rates(FOURBAR, q, np.zeros((2, 1)), np.zeros((3, 1)))


def test_weights_and_batches():
    robot = jounce.examples.stewart()
    q = np.stack([robot.neutral, jounce.close(robot, jounce.integrate(
        robot, robot.neutral, np.full(robot.nv, 0.01)))])  # fmt: skip
    rest = np.zeros((2, robot.nv))
    slides = [f"slide_{i}" for i in range(6)]
    many, loads = jounce.constrained_inverse_dynamics(robot, q, rest, rest, actuated=slides)
    for k in range(2):
        one, load = jounce.constrained_inverse_dynamics(
            robot, q[k], rest[k], rest[k], actuated=slides
        )
        assert_close(many[:, k], one, INDEPENDENT)
        assert_close(loads[:, k], load, INDEPENDENT)
    with pytest.raises(jounce.ArgumentError, match="positive"):
        jounce.constrained_inverse_dynamics(
            robot, q, rest, rest, actuated=slides, weights=[1, 1, 1, 1, 1, -1]
        )


def test_mobility():
    assert jounce.mobility(FOURBAR) == (1, 3)
    assert jounce.mobility(jounce.examples.delta()) == (3, 0)
    assert jounce.mobility(jounce.examples.stewart()) == (6, 0)


def test_a_point_of_the_coupler_goes_straight():
    """Chebyshev's lambda: over half a turn within 1 % of a line that is four cranks long."""
    robot = FOURBAR.with_frame("point", "coupler", jounce.transform((0.5, 0.0, 0.0)))
    start = jounce.close(robot, START)
    path = []
    for angle in np.pi + np.linspace(-np.pi / 2, np.pi / 2, 61):
        way = [angle, *start[1:]]
        start = jounce.close(robot, way, hold="crank_joint")
        path.append(jounce.frame_pose(robot, "point", start)[0, :2, 3])
    along, across = np.ptp(path, axis=0)
    assert along > 0.39
    assert across < 0.01 * along


def test_dimensions_are_the_published_ones():
    """Arms level: the rods of a FlexPicker reach 0.6438 m inwards and 1.0645 m down."""
    robot = jounce.examples.delta()
    arms = [f"arm_joint_{i}" for i in range(3)]
    q = robot.neutral.copy()
    for arm in arms:
        q[robot.joint(arm).q_slice] = -np.pi / 6  # they hang by 30 degrees at q = 0
    place = jounce.frame_pose(robot, "platform", jounce.close(robot, q, hold=arms))[0, :3, 3]
    inwards = 0.524 + 0.567 * np.sqrt(3) / 6 - 0.076 * np.sqrt(3) / 3
    assert_close(place, [0.0, 0.0, -np.sqrt(1.244**2 - inwards**2)], INDEPENDENT)
    platform = jounce.examples.stewart()
    points = [jounce.frame_pose(platform, f"corner_{i}", platform.neutral)[0, :3, 3]
              for i in range(6)]  # fmt: skip
    angles = np.degrees([np.arctan2(*point[1::-1]) for point in points])
    assert_close(angles, [-50.0, 50.0, 70.0, 170.0, -170.0, -70.0], INDEPENDENT)
    assert_close(np.array(points)[:, 2], np.full(6, 2.0), INDEPENDENT)
    plate = platform.bodies[0].inertia
    assert_close(plate.mass, 76e3 / 9.81 * np.pi * 0.05, INDEPENDENT)


def test_verify_reports_closures():
    report = jounce.verify(FOURBAR, samples=2, order=1)
    assert report.passed
    (check,) = [c for c in report.checks if "can be closed" in c.name]
    assert "1 freedoms, 3 of 5 rows redundant" in check.detail
    broken = jounce.verify(jounce.examples.fourbar(ground=2.0), samples=2, order=1)
    assert not broken.passed


@pytest.mark.parametrize("function", INVERSE)
def test_what_is_left_in_free_fall_is_rounding_of_weights(function, rng: np.random.Generator):
    robot = walker()
    q = jounce.integrate(robot, robot.neutral, rng.normal(size=robot.nv))
    rest, contact = np.zeros(robot.nv), jounce.Closure("ball", directions="wx wy wz")
    rates, _ = jounce.constrained_forward_dynamics(robot, q, rest, rest, contacts=[contact])
    driven = ["slider", "hinge", "ball"]
    found = function(robot, q, rest, rates[0], contacts=[contact], actuated=driven)
    assert all(np.isfinite(x).all() for x in found)
    with pytest.raises(jounce.ArgumentError, match="neither actuated nor held"):
        function(robot, q, rest, rest, contacts=[contact], actuated=driven)
