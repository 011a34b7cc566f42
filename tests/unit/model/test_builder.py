"""The builder: every joint kind, exact merging of welded matter, and every refusal."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.errors import InvalidInertiaError, ModelError, ShapeError, UnknownNameError
from jounce.model import joints
from jounce.model.builder import RobotBuilder
from jounce.model.examples import random_inertia, random_joint, random_placement
from jounce.model.inertia import Inertia
from jounce.model.records import Limits
from tests.tolerances import EXACT, ROUNDOFF, assert_close

BALL = Inertia(1.0, (0, 0, 0), 0.1 * np.eye(3))
Z = joints.revolute((0, 0, 1))
NAN, INF = float("nan"), float("inf")


def builder(*bodies: str) -> RobotBuilder:
    """Return a chain of revolute joints about z."""
    b = RobotBuilder("robot")
    for name, parent in zip(bodies, (None, *bodies), strict=False):
        b.add(name, parent, Z, inertia=BALL, joint_name=f"j{name}")
    return b


def spatial(inertia: Inertia) -> np.ndarray:
    """Return the 6x6 inertia, angular part first."""
    m, h, I = inertia.mass, np.array(inertia.spatial.first_moment), inertia.rotational_origin
    H = np.array([[0, -h[2], h[1]], [h[2], 0, -h[0]], [-h[1], h[0], 0]])
    return np.block([[np.array(I), H], [H.T, m * np.eye(3)]])


def moved(inertia: Inertia, T: np.ndarray) -> np.ndarray:
    """Return ``Ad(T⁻¹)ᵀ M Ad(T⁻¹)``: the inertia seen from the parent of T."""
    R, p = T[:3, :3], T[:3, 3]
    P = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
    back = np.block([[R.T, np.zeros((3, 3))], [-R.T @ P, R.T]])
    return back.T @ spatial(inertia) @ back


@pytest.mark.parametrize("kind", joints.KINDS)
def test_every_kind_finds_its_place_in_q_and_v(kind: str, rng: np.random.Generator):
    b = builder("first")
    joint = random_joint(rng, kind)
    b.add("middle", "first", joint, random_placement(rng), BALL, "jm")
    b.add("last", "middle", Z, inertia=BALL, joint_name="jl")
    robot = b.build()
    assert (robot.nq, robot.nv) == (2 + joint.nq, 2 + joint.nv)
    assert robot.joint("jl").q_slice == slice(1 + joint.nq, 2 + joint.nq)
    assert robot.joint("jl").v_slice == slice(1 + joint.nv, 2 + joint.nv)
    assert [f.name for f in robot.frames[: robot.n_bodies]] == [b.name for b in robot.bodies]
    if kind == "fixed":
        assert [body.name for body in robot.bodies] == ["first", "last"]
        assert robot.frame("middle").body == 0
        assert robot.bodies[1].placement == robot.frame("middle").placement
    else:
        assert (robot.joint("jm").kind, robot.joint("jm").type) == (kind, joint)
        assert robot.parents == (-1, 0, 1)


def test_welded_matter_is_merged_through_several_levels(rng: np.random.Generator):
    placements = [random_placement(rng) for _ in range(3)]
    parts = [random_inertia(rng) for _ in range(4)]
    b = RobotBuilder("robot")
    b.add("arm", None, Z, inertia=parts[0])
    for i, (T, part) in enumerate(zip(placements, parts[1:], strict=True)):
        b.add(f"weld{i}", f"weld{i - 1}" if i else "arm", joints.fixed(), T, part)
    b.frame("tip", "weld2", placements[0])
    robot = b.build()
    total, T = spatial(parts[0]), np.eye(4)
    for placement, part in zip(placements, parts[1:], strict=True):
        T = T @ placement
        total = total + moved(part, T)
    assert_close(spatial(robot.bodies[0].inertia), total, ROUNDOFF)
    assert_close(robot.mass, sum(part.mass for part in parts), ROUNDOFF)
    assert_close(robot.frame("weld2").placement.matrix(), T, ROUNDOFF)
    assert_close(robot.frame("tip").placement.matrix(), T @ placements[0], ROUNDOFF)


def test_matter_on_the_ground_is_kept_where_it_is(rng: np.random.Generator):
    T, (foot, plate) = random_placement(rng), (random_inertia(rng), random_inertia(rng))
    b = RobotBuilder("robot")
    b.add("foot", None, joints.fixed(), T, foot)
    b.add_ground_matter(plate)
    b.add("arm", "foot", Z, random_placement(rng), BALL)
    robot = b.build()
    assert_close(spatial(robot.base_inertia), spatial(plate) + moved(foot, T), ROUNDOFF)
    assert_close(robot.mass, foot.mass + plate.mass + 1.0, ROUNDOFF)
    assert (robot.frame("foot").body, robot.parents) == (-1, (-1,))


def test_several_roots_and_any_branching():
    b = RobotBuilder("forest")
    for name, parent in [("a", None), ("b", None), ("a1", "a"), ("a2", "a"), ("b1", "b")]:
        b.add(name, parent, Z, inertia=BALL)
    robot = b.build()
    assert robot.parents == (-1, -1, 0, 0, 1)
    one, zero = np.eye(5), np.zeros(5)
    M = jounce.inverse_dynamics(robot, zero, zero, one)[0]
    assert_close(M[0, [1, 4]], [0.0, 0.0], EXACT)
    assert M[0, 2] != 0.0


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"name": "arm"}, ModelError, "robot 'robot' already has a body or frame named 'arm'"),
        ({"name": "tool"}, ModelError, "already has a body or frame named 'tool'"),
        ({"joint_name": "jarm"}, ModelError, "already has a joint named 'jarm'"),
        ({"name": ""}, ModelError, "a body or frame needs a name, got ''"),
        ({"name": 3}, ModelError, "needs a name, got 3"),
        ({"joint_name": ""}, ModelError, "the joint of 'new' needs a name, got ''"),
        ({"parent": "amr"}, UnknownNameError, "did you mean 'arm'.*arm, tool"),
        ({"parent": 0}, UnknownNameError, "no body named 0"),
        ({"parent": ["arm"]}, UnknownNameError, "no body named"),
        ({"placement": np.eye(3)}, ShapeError, "placement of 'new' must be a 4x4 matrix"),
        ({"placement": np.diag([1.0, -1, 1, 1])}, ModelError, "of the placement of 'new'.*right-h"),
        ({"joint": "revolute"}, ModelError, "joint of 'new' must be of type JointType.*got str"),
        (
            {"joint": joints.revolute},
            ModelError,
            "joint of 'new' must be of type JointType.*got function",
        ),
        (
            {"inertia": np.eye(3)},
            ModelError,
            "inertia of 'new' must be of type Inertia.*got ndarray",
        ),
        ({"armature": -0.1}, ModelError, "armature of 'new' must be finite and not negative"),
        ({"armature": NAN}, ModelError, "armature of 'new' must be finite"),
        ({"armature": [0.1, 0.1]}, ShapeError, "armature of 'new' must have 1 entries, got 2"),
        ({"armature": "big"}, ModelError, "armature of 'new' must be a number, got 'big'"),
        ({"damping": -0.1}, ModelError, "damping of 'new' must be finite and not negative"),
        ({"damping": INF}, ModelError, "damping of 'new' must be finite"),
        ({"damping": np.ones(3)}, ShapeError, "damping of 'new' must have 1 entries, got 3"),
        (
            {"limits": (-1, 1)},
            ModelError,
            "limits of joint 'new' must be of type Limits.*got tuple",
        ),
        ({"limits": Limits(2, 1)}, ModelError, "joint 'new': lower 2 and upper 1 leave no range"),
        ({"limits": Limits(lower=INF)}, ModelError, "leave no range"),
        ({"limits": Limits(upper=-INF)}, ModelError, "leave no range"),
        ({"limits": Limits(NAN)}, ModelError, "limit lower of 'new' must be a number"),
        ({"limits": Limits(effort="1")}, ModelError, "limit effort of 'new' must be a number"),
        ({"limits": Limits(velocity=[1, 2])}, ShapeError, "limit velocity of 'new' must have 1"),
        ({"limits": Limits(jerk=-1)}, ModelError, "limit jerk of 'new' must not be negative"),
        ({"mimic": ("jarm",)}, ModelError, "mimic of joint 'new' must be .joint, multiplier"),
        ({"mimic": 3}, ModelError, "mimic of joint 'new' must be .joint, multiplier"),
        ({"mimic": ("jarm", NAN, 0)}, ModelError, "'new' needs a finite multiplier and offset"),
        ({"mimic": ("jarm", 1, "x")}, ModelError, "mimic of 'new' must be a number, got 'x'"),
    ],
)
def test_a_refusal_names_the_body_and_leaves_the_builder_as_it_was(arguments, error, message):
    b = builder("arm")
    b.frame("tool", "arm", np.eye(4))
    before = b.build()
    given = {"name": "new", "parent": "arm", "joint": Z, "inertia": BALL} | arguments
    with pytest.raises(error, match=message):
        b.add(**given)
    assert b.build() == before


def test_a_bad_frame_or_gravity_is_refused():
    b = builder("arm")
    with pytest.raises(ModelError, match="already has a body or frame named 'arm'"):
        b.frame("arm", "arm", np.eye(4))
    with pytest.raises(UnknownNameError, match="no body named 'leg'"):
        b.frame("tip", "leg", np.eye(4))
    with pytest.raises(ShapeError, match="placement of 'tip'"):
        b.frame("tip", "arm", np.eye(2))
    with pytest.raises(ShapeError, match="gravity must have 3 components"):
        RobotBuilder("robot", gravity=9.81)
    with pytest.raises(ModelError, match="gravity must be finite"):
        RobotBuilder("robot", gravity=(0, 0, NAN))
    with pytest.raises(ModelError, match="inertia of 'base' must be of type Inertia"):
        b.add_ground_matter(3.0)  # type: ignore[arg-type]


def test_limits_motors_and_damping_of_several_velocities():
    b = RobotBuilder("robot")
    limits = Limits(lower=[-1, None], upper=2.0, effort=np.array([5, 6]))
    b.add("arm", None, joints.cylindrical((0, 0, 1)), armature=0.1, damping=(1, 2), limits=limits)
    joint = b.build().joints[0]
    assert (joint.armature, joint.damping) == ((0.1, 0.1), (1.0, 2.0))
    assert (joint.limits.lower, joint.limits.upper) == ((-1.0, -INF), (2.0, 2.0))
    assert (joint.limits.effort, joint.limits.jerk) == ((5.0, 6.0), (INF, INF))


def test_mimics_of_mimics_are_composed_whatever_their_order():
    b = RobotBuilder("hand")
    b.add("c", None, Z, inertia=BALL, mimic=("b", 3.0, 0.5))  # forward references
    b.add("b", None, Z, inertia=BALL, mimic=("a", -2.0, 0.1))
    b.add("a", None, Z, inertia=BALL)
    robot = b.build()
    assert (robot.nq, robot.nv) == (1, 1)
    assert tuple(robot.joint("b").mimic or ()) == (2, -2.0, 0.1)
    assert_close(tuple(robot.joint("c").mimic or ()), (2, -6.0, 3.0 * 0.1 + 0.5), ROUNDOFF)
    poses = jounce.poses(robot, [0.3])[0]
    angles = np.arctan2(poses[:, 1, 0], poses[:, 0, 0])
    assert_close(angles, [-6 * 0.3 + 0.8, -2 * 0.3 + 0.1, 0.3], ROUNDOFF)


@pytest.mark.parametrize(
    ("follows", "message"),
    [
        ({"a": "a"}, "follow each other in a cycle: a → a"),
        ({"a": "b", "b": "a"}, "follow each other in a cycle: a → b → a"),
        ({"a": "b", "b": "c", "c": "b"}, "follow each other in a cycle: a → b → c → b"),
        ({"a": "ball"}, "joint 'a' mimics 'ball', but 'ball' is spherical: both must be"),
        ({"ball": "a"}, "joint 'ball' mimics 'a', but 'ball' is spherical: both must be"),
    ],
)
def test_mimics_that_lead_nowhere_are_refused(follows: dict[str, str], message: str):
    b = RobotBuilder("hand")
    for name in ("a", "b", "c", "ball"):
        mimic = (follows[name], 1.0, 0.0) if name in follows else None
        b.add(name, None, joints.spherical() if name == "ball" else Z, inertia=BALL, mimic=mimic)
    with pytest.raises(ModelError, match=message):
        b.build()


def test_a_mimic_of_an_unknown_joint_is_refused():
    b = builder("arm")
    b.add("finger", "arm", Z, inertia=BALL, mimic=("arm", 1.0, 0.0))
    with pytest.raises(UnknownNameError, match=r"no joint named 'arm'.*finger, jarm"):
        b.build()


def test_inertias_are_checked_after_merging():
    wrong, cure = Inertia(1.0, (0, 0, 0), np.diag([1, 1, 3.0])), Inertia(0, (0, 0, 0), np.eye(3))
    b = builder("arm")
    b.add("wheel", "arm", Z, inertia=wrong)
    with pytest.raises(InvalidInertiaError, match=r"'wheel'.*eigenvalue -0.5 kg.*strict=False"):
        b.build()
    assert_close(b.build(strict=False).bodies[1].inertia.rotational, wrong.rotational, EXACT)
    b.add("rim", "wheel", joints.fixed(), inertia=cure)
    assert b.build().bodies[1].name == "wheel"


def test_the_ground_is_checked_by_its_name():
    b = RobotBuilder("robot", base_name="plinth")
    b.add_ground_matter(Inertia(-1.0, (0, 0, 0), np.eye(3)))
    with pytest.raises(InvalidInertiaError, match="'plinth' is negative: -1 kg"):
        b.build()
    assert b.build(strict=False).mass == -1.0


def test_a_massless_body_with_a_first_moment_is_refused():
    b = RobotBuilder("robot")
    b.add("arm", None, Z, inertia=Inertia.from_parameters([0, 1, 0, 0, 1, 1, 1, 0, 0, 0]))
    with pytest.raises(InvalidInertiaError, match="'arm' is massless but has a first moment"):
        b.build()
    assert b.build(strict=False).nv == 1


@pytest.mark.parametrize("strict", [True, False])
def test_numbers_that_are_not_finite_are_never_accepted(strict: bool):
    b = RobotBuilder("robot")
    b.add("arm", None, Z, inertia=Inertia(1.0, (0, 0, 0), NAN * np.eye(3)))
    with pytest.raises(InvalidInertiaError, match="inertia of body 'arm' is not finite"):
        b.build(strict)


class Name(str):
    """A name that counts how often names are compared."""

    __slots__ = ()
    comparisons = 0

    def __eq__(self, other: object) -> bool:
        Name.comparisons += 1
        return super().__eq__(other)

    __hash__ = str.__hash__


def test_adding_a_body_does_not_compare_its_name_with_all_others():
    Name.comparisons, b = 0, RobotBuilder("long")
    for i in range(500):
        b.add(f"body_{i}", None, Z, inertia=BALL, joint_name=Name(f"joint_{i}"))
    assert b.build().nv == 500
    assert Name.comparisons < 5000


def test_a_placement_beyond_all_robots_is_refused():
    """Lengths of 1e308 m take the digits of all the others with them."""
    builder = RobotBuilder("far")
    for length in (1e308, -1.1e6):
        with pytest.raises(ModelError, match=r"placement of 'b' is .* m away.*check the units"):
            builder.add("b", placement=jounce.transform((0.4, 0.0, length)))
    builder.add("b", placement=jounce.transform((0.4, 0.0, 1e6)))
