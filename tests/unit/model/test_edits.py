"""New robots from old ones, checked by what they do and not only by what they are."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.errors import (
    InvalidInertiaError,
    ModelError,
    NotFiniteError,
    ShapeError,
    UnknownNameError,
    UnsupportedError,
)
from jounce.model import joints
from jounce.model.builder import RobotBuilder
from jounce.model.edits import with_free_mimics
from jounce.model.examples import KINDS, random_inertia, random_placement, random_tree
from jounce.model.inertia import Inertia
from jounce.model.parameters import parameters
from jounce.model.robot import Robot
from tests.tolerances import EXACT, ROUNDOFF, assert_close, assert_orders_close
from tests.unit.model.texts import forces, poses

BALL = Inertia(1.0, (0, 0, 0), 0.1 * np.eye(3))
IMPOSSIBLE = Inertia(1.0, (0, 0, 0), np.diag([1, 1, 3.0]))
SEEDS = range(3)


def tree(seed: int, **options) -> tuple[Robot, np.random.Generator]:
    rng = np.random.default_rng(seed)
    return random_tree(rng, 13, armature=True, damping=True, oblique_gravity=True, **options), rng


def motion(robot: Robot, rng: np.random.Generator) -> list[np.ndarray]:
    return [robot.random_configuration(rng), *rng.normal(size=(3, robot.nv))]


def frame_pose(robot: Robot, name: str, q: np.ndarray) -> np.ndarray:
    frame = robot.frame(name)
    own = np.array(frame.placement.matrix())
    return own if frame.body < 0 else poses(robot, q)[frame.body] @ own


@pytest.mark.parametrize("seed", SEEDS)
def test_gravity_adds_to_the_forces(seed: int):
    robot, rng = tree(seed)
    q, *rates = motion(robot, rng)
    zero = np.zeros(robot.nv)
    weightless = robot.with_gravity((0, 0, 0))
    load = [forces(robot.with_gravity(g), q, zero, zero)[0] for g in 2 * np.eye(3)]
    total = forces(weightless, q, *rates[:2])[0] + 0.5 * sum(load)
    actual = forces(robot.with_gravity((1, 1, 1)), q, *rates[:2])[0]
    assert_close(actual, total, ROUNDOFF)
    assert weightless.with_gravity(robot.gravity) == robot
    with pytest.raises(ModelError, match="gravity must be finite"):
        robot.with_gravity((0, 0, np.inf))
    with pytest.raises(ShapeError, match="gravity must have 3 components"):
        robot.with_gravity(-9.81)


def built_with_weld(robot: Robot, frame: str, inertia: Inertia, rng_placements) -> Robot:
    """Return the robot built again with a welded link that carries the payload."""
    b = RobotBuilder(robot.name, robot.gravity)
    for body, joint in zip(robot.bodies, robot.joints, strict=True):
        parent = robot.bodies[body.parent].name if body.parent >= 0 else None
        source = joint.mimic and (robot.joints[joint.mimic.source].name, *joint.mimic[1:])
        motor = joint.armature, joint.damping
        args = (joint.type, body.placement, body.inertia, joint.name, *motor, joint.limits)
        b.add(body.name, parent, *args, mimic=source)
    for f in robot.frames[robot.n_bodies :]:
        b.frame(f.name, robot.bodies[f.body].name if f.body >= 0 else None, f.placement)
    b.add_ground_matter(robot.base_inertia)
    b.add("box", frame, joints.fixed(), inertia=inertia)
    return b.build()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_payload_is_a_welded_link(seed: int):
    robot, rng = tree(seed)
    robot = robot.with_frame("tool", robot.bodies[-1].name, random_placement(rng))
    robot = robot.with_frame("plinth", None, random_placement(rng))
    box = random_inertia(rng)
    at = motion(robot, rng)
    bare = forces(robot, *at)
    for frame in ("tool", robot.bodies[0].name, "plinth"):
        loaded, welded = robot.with_payload(frame, box), built_with_weld(robot, frame, box, rng)
        assert loaded.mass == pytest.approx(robot.mass + box.mass)
        actual = forces(loaded, *at)
        assert_orders_close(actual, forces(welded, *at), ROUNDOFF)
        assert np.array_equal(actual, bare) == (frame == "plinth")
        floating = [r.with_floating_base() for r in (loaded, welded)]
        there = motion(floating[0], rng)
        both = [forces(r, *there) for r in floating]
        assert_orders_close(*both, ROUNDOFF)


def test_a_bad_payload_is_refused():
    robot = jounce.load("panda")
    with pytest.raises(UnknownNameError, match="no frame named 'tool'"):
        robot.with_payload("tool", BALL)
    with pytest.raises(InvalidInertiaError, match="payload on flange"):
        robot.with_payload("flange", IMPOSSIBLE)
    with pytest.raises(ModelError, match="'payload on flange' must be of type Inertia"):
        robot.with_payload("flange", 2.0)  # type: ignore[arg-type]


def test_a_frame_is_where_it_was_put(rng: np.random.Generator):
    robot = jounce.load("panda")
    first, second = random_placement(rng), random_placement(rng)
    more = robot.with_frame("tool", "flange", first).with_frame("tip", "tool", second)
    q = more.random_configuration(rng)
    assert_close(
        frame_pose(more, "tip", q), frame_pose(robot, "flange", q) @ first @ second, ROUNDOFF
    )
    assert (more.bodies, more.joints) == (robot.bodies, robot.joints)
    with pytest.raises(ModelError, match="already has a body or frame named 'flange'"):
        robot.with_frame("flange", "link7", np.eye(4))
    with pytest.raises(UnknownNameError, match="no body named 'flnge'; did you mean 'flange'"):
        robot.with_frame("tool", "flnge", np.eye(4))


@pytest.mark.parametrize("seed", range(8))
def test_a_locked_joint_is_one_that_does_not_move(seed: int):
    robot, rng = tree(seed)
    q, *rates = motion(robot, rng)
    own = [joint for joint in robot.joints if joint.mimic is None]
    chosen = [own[i] for i in rng.choice(len(own), 3, replace=False)]
    values = {joint.name: q[joint.q_slice] for joint in chosen}
    locked = robot.with_locked(values)
    keep_q, keep_v = np.ones(robot.nq, bool), np.ones(robot.nv, bool)
    for joint in chosen:
        keep_q[joint.q_slice] = keep_v[joint.v_slice] = False
    rates = [np.where(keep_v, rate, 0.0) for rate in rates]
    desired = forces(robot, q, *rates)[:, keep_v]
    actual = forces(locked, q[keep_q], *(rate[keep_v] for rate in rates))
    assert_orders_close(actual, desired, ROUNDOFF, scale=1.0)
    assert locked.mass == pytest.approx(robot.mass)
    for frame in robot.frames:
        here, there = frame_pose(robot, frame.name, q), frame_pose(locked, frame.name, q[keep_q])
        assert_close(there, here, ROUNDOFF, what=frame.name)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("fixed", "mimic")])
def test_every_kind_can_be_locked(kind: str, rng: np.random.Generator):
    robot = random_tree(rng, 1, [kind])
    q = robot.random_configuration(rng)
    locked = robot.with_locked({"joint_0": q[0] if len(q) == 1 else q})
    assert (locked.nq, locked.base_inertia.mass) == (0, robot.mass)
    there = locked.frame("link_0").placement.matrix()
    assert_close(there, poses(robot, q)[0], ROUNDOFF)


def test_followers_of_a_locked_joint_are_locked_where_it_puts_them():
    robot = hand()
    locked = robot.with_locked({"lead": 0.3})
    assert [joint.name for joint in locked.joints] == ["other"]
    q, zero = np.array([0.3, 0.7]), np.zeros(2)
    a = np.array([0.0, 1.0])
    desired = forces(robot, q, zero, a)[0, 1]
    assert_close(forces(locked, [0.7], [0.0], [1.0])[0, 0], desired, ROUNDOFF)
    angle = 0.3 - 2 * 0.3 + 0.1
    there = np.array(locked.frame("follow").placement.matrix())[:2, 0]
    assert_close(there, [np.cos(angle), np.sin(angle)], ROUNDOFF)


def hand() -> Robot:
    b = RobotBuilder("hand", gravity=(0, -9.8, 0))
    z, bar = joints.revolute((0, 0, 1)), Inertia(1.0, (0.2, 0, 0), 0.01 * np.eye(3))
    b.add("lead", None, z, inertia=bar)
    b.add("follow", "lead", z, inertia=bar, mimic=("lead", -2.0, 0.1))
    b.add("other", "follow", z, inertia=bar)
    return b.build()


def test_locking_is_refused_with_a_reason():
    robot = hand()
    with pytest.raises(UnsupportedError, match="joint 'follow' mimics 'lead': lock 'lead' instead"):
        robot.with_locked({"follow": 0.1})
    with pytest.raises(UnknownNameError, match="no joint named 'led'; did you mean 'lead'"):
        robot.with_locked({"led": 0.1})
    with pytest.raises(ShapeError, match="joint 'lead' needs 1 coordinates"):
        robot.with_locked({"lead": [0.1, 0.2]})
    with pytest.raises(NotFiniteError, match="value of joint 'lead'"):
        robot.with_locked({"lead": np.nan})
    with pytest.raises(ShapeError, match="value of joint 'lead' must be an array of real numbers"):
        robot.with_locked({"lead": "up"})
    with pytest.raises(ShapeError, match=r"with their values, {joint: q}, got \['lead'\]"):
        robot.with_locked(["lead"])  # type: ignore[arg-type]
    ball = RobotBuilder("ball")
    ball.add("ball", None, joints.spherical(), inertia=BALL)
    with pytest.raises(
        jounce.ArgumentError, match=r"quaternion \(x y z w\) of joint 'ball'.*unit norm"
    ):
        ball.build().with_locked({"ball": [0, 0, 0, 2]})
    assert robot.with_locked({}) == robot


@pytest.mark.parametrize("seed", SEEDS)
def test_a_floating_base_at_rest_gives_the_same_joint_forces(seed: int):
    """Several roots, welded ground matter and ground frames included."""
    robot, rng = tree(seed, kinds=[k for k in KINDS if k != "free"])
    b = built_with_weld(robot, robot.bodies[0].name, BALL, rng)
    robot = b.with_payload("box", BALL).with_frame("plinth", None, random_placement(rng))
    robot = robot.with_payload("plinth", random_inertia(rng))
    floating = robot.with_floating_base()
    q, *rates = motion(robot, rng)
    base = np.array([0, 0, 0, 0, 0, 0, 1.0])
    still = [np.r_[np.zeros(6), rate] for rate in rates]
    actual = forces(floating, np.r_[base, q], *still)
    desired = forces(robot, q, *rates)
    assert_orders_close(actual[:, 6:], desired, ROUNDOFF)
    assert (floating.nq, floating.nv, floating.mass) == (robot.nq + 7, robot.nv + 6, robot.mass)
    assert floating.parents.count(-1) == 1
    for name in (frame.name for frame in robot.frames):
        here, there = frame_pose(robot, name, q), frame_pose(floating, name, np.r_[base, q])
        assert_close(there, here, ROUNDOFF, what=name)


def test_a_floating_base_carries_the_whole_weight(rng: np.random.Generator):
    b = RobotBuilder("robot", base_name="trunk")
    foot = random_inertia(rng)
    b.add("foot", None, joints.fixed(), random_placement(rng), foot)
    b.add("arm", "foot", joints.revolute((0, 1, 0)), random_placement(rng), random_inertia(rng))
    robot = b.build().with_floating_base()
    assert [body.name for body in robot.bodies] == ["trunk", "arm"]
    assert [joint.name for joint in robot.joints] == ["root_joint", "arm"]
    assert (robot.frame("foot").body, robot.base_inertia.mass) == (0, 0.0)
    q, zero, a = robot.random_configuration(rng), np.zeros(7), np.zeros(7)
    R = poses(robot, q)[0, :3, :3]
    a[3:6] = R.T @ (1.0, 2.0, 3.0)
    force = forces(robot, q, zero, a)[0, 3:6]
    assert_close(R @ force, robot.mass * np.array([1.0, 2.0, 3.0 + 9.80665]), ROUNDOFF)


def test_names_that_are_taken_do_not_stop_a_floating_base(rng: np.random.Generator):
    b = RobotBuilder("robot")
    b.add("base", None, joints.revolute((0, 0, 1)), inertia=BALL, joint_name="root_joint")
    robot = b.build().with_floating_base()
    assert [body.name for body in robot.bodies] == ["floating_base", "base"]
    assert [joint.name for joint in robot.joints] == ["floating_base_joint", "root_joint"]
    with pytest.raises(ModelError, match="already has a joint named 'root_joint'"):
        b.build().with_floating_base("root_joint")
    assert b.build().with_floating_base("six").joints[0].name == "six"
    with pytest.raises(ModelError, match="already has a body or frame named 'floating_base'"):
        b.build().with_frame("floating_base", "base", np.eye(4)).with_floating_base()


def test_a_ground_frame_becomes_the_base_only_at_the_origin(rng: np.random.Generator):
    """A frame named like the base but somewhere else must stay where it is."""
    T = random_placement(rng)
    for placement, names in ((np.eye(4), ["base", "arm"]), (T, ["floating_base", "arm"])):
        b = RobotBuilder("robot")
        b.add("base", None, joints.fixed(), placement, BALL)
        b.add("arm", "base", joints.revolute((0, 0, 1)), inertia=BALL)
        robot = b.build().with_floating_base()
        assert [body.name for body in robot.bodies] == names
        assert_close(frame_pose(robot, "base", robot.neutral), placement, ROUNDOFF)


def test_a_second_floating_base_is_refused():
    with pytest.raises(UnsupportedError, match="'humanoid' already has a floating base"):
        jounce.load("humanoid").with_floating_base()


@pytest.mark.parametrize("seed", SEEDS)
def test_parameters_are_replaced_body_by_body(seed: int):
    robot, rng = tree(seed)
    assert robot.with_parameters(parameters(robot)) == robot
    new = [random_inertia(rng) for _ in robot.bodies]
    pi = np.array([inertia.parameters for inertia in new])
    other = robot.with_parameters(pi.ravel())
    assert robot.with_parameters(pi) == other == robot.with_parameters(pi.ravel().tolist())
    assert [body.inertia for body in other.bodies] == new
    at = motion(robot, rng)
    twice = robot.with_parameters(2 * pi.ravel())
    once, motors = other.with_gravity(robot.gravity), robot.with_parameters(0 * pi)
    f1, f2, f0 = (forces(r, *at) for r in (once, twice, motors))
    assert_orders_close(f2, 2 * f1 - f0, ROUNDOFF)


def test_parameters_are_checked():
    robot = jounce.load("planar2r")
    pi = parameters(robot)
    with pytest.raises(ShapeError, match="10 entries a body, 20 in all, got 19"):
        robot.with_parameters(pi[:-1])
    pi[10] = -1.0
    with pytest.raises(InvalidInertiaError, match="'link2' is negative: -1 kg"):
        robot.with_parameters(pi)
    assert_close(parameters(robot.with_parameters(pi, strict=False)), pi, EXACT)
    pi[4] = -3.0  # both bodies are named, and the way out
    names = (
        r"2 of 2 bodies .*'link1'.* eigenvalue -\d.*'link2'.*identify\(robot, log, consistent=True"
    )
    with pytest.raises(InvalidInertiaError, match=names):
        robot.with_parameters(pi)
    pi[3] = np.nan
    for strict in (True, False):
        with pytest.raises(InvalidInertiaError, match="'link1' is not finite"):
            robot.with_parameters(pi, strict=strict)


def test_freed_mimics_move_by_themselves():
    robot = hand()
    free = with_free_mimics(robot)
    assert [(j.name, j.mimic, j.q_slice.start) for j in free.joints] == [
        ("lead", None, 0),
        ("follow", None, 1),
        ("other", None, 2),
    ]
    E, c = np.array([[1.0, 0], [-2, 0], [0, 1]]), np.array([0, 0.1, 0])
    q, v, a = np.array([[0.3, -0.4], [1.0, 2.0], [-0.5, 0.7]])
    full = forces(free, E @ q + c, E @ v, E @ a)[0]
    assert_close(forces(robot, q, v, a)[0], E.T @ full, ROUNDOFF)
    panda = jounce.load("panda")
    assert with_free_mimics(panda) is panda
