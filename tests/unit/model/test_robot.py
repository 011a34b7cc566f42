"""The robot: fields, names, equality and hash, in this and in any other process."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from math import inf

import numpy as np
import pytest

import jounce
from jounce.errors import UnknownNameError
from jounce.formats.json import from_dict
from jounce.model import joints
from jounce.model.builder import RobotBuilder
from jounce.model.examples import KINDS, random_tree
from jounce.model.inertia import Inertia
from jounce.model.parameters import parameters
from jounce.model.records import Limits
from jounce.model.robot import Robot
from tests.tolerances import EXACT, assert_close
from tests.unit.model.texts import forces

BALL = Inertia(1.0, (0, 0, 0), 0.1 * np.eye(3))
RATES = ("velocity", "effort", "acceleration", "jerk", "effort_rate")


def mixed() -> Robot:
    b = RobotBuilder("mixed", description="Two words.")
    own = Limits(-1, 2, 3, 4, 5, 6, 7)
    b.add("slider", None, joints.prismatic((1, 0, 0)), inertia=BALL, limits=own)
    b.add("ball", "slider", joints.spherical(), inertia=BALL, joint_name="socket")
    b.add("finger", "ball", joints.revolute((0, 0, 1)), inertia=BALL, mimic=("slider", 2.0, 0.0))
    b.add("plate", None, inertia=BALL)
    b.frame("tip", "finger")
    return b.build()


def test_fields():
    robot = mixed()
    assert repr(robot) == "<Robot 'mixed': 3 bodies, nq=5, nv=4>"
    assert (robot.name, robot.nq, robot.nv, robot.n_bodies) == ("mixed", 5, 4, 3)
    assert [body.name for body in robot.bodies] == ["slider", "ball", "finger"]
    assert [joint.name for joint in robot.joints] == ["slider", "socket", "finger"]
    assert [frame.name for frame in robot.frames] == ["slider", "ball", "finger", "plate", "tip"]
    assert (robot.parents, robot.mass) == ((-1, 0, 1), 4.0)
    assert tuple(robot.gravity) == (0.0, 0.0, -9.80665)
    assert [(j.nq, j.nv) for j in robot.joints] == [(1, 1), (4, 3), (0, 0)]
    assert robot.joint("socket").q_slice == slice(1, 5)
    assert_close(robot.neutral, [0, 0, 0, 0, 1], EXACT)
    assert_close(parameters(robot)[:4], [1, 0, 0, 0], EXACT)


def test_limits_are_arrays_in_the_order_of_q_and_v():
    limits = mixed().limits
    assert_close(limits.lower, [-1, -inf, -inf, -inf, -inf], EXACT)
    assert_close(limits.upper, [2, inf, inf, inf, inf], EXACT)
    for value, name in enumerate(RATES, start=3):
        assert_close(getattr(limits, name), [value, inf, inf, inf], EXACT)


def test_a_robot_without_joints():
    b = RobotBuilder("rock")
    b.add_ground_matter(BALL)
    rock = b.build()
    assert (rock.nq, rock.nv, rock.n_bodies, rock.mass) == (0, 0, 0, 1.0)
    assert rock.neutral.shape == rock.limits.lower.shape == (0,)
    assert jounce.inverse_dynamics(rock, [], [], []).shape == (1, 0)
    assert rock.random_configuration(np.random.default_rng(0)).shape == (0,)


@pytest.mark.parametrize(
    ("lookup", "message"),
    [
        (
            "frame",
            "no frame named 'fingr'; did you mean 'finger'.* ball, finger, plate, slider, tip",
        ),
        ("body", "no body named 'fingr'; did you mean 'finger'.* ball, finger, slider"),
        ("joint", "no joint named 'fingr'; did you mean 'finger'.* finger, slider, socket"),
    ],
)
def test_unknown_names_list_the_known_ones(lookup: str, message: str):
    find = getattr(mixed(), lookup)
    assert find("finger").name == "finger"
    with pytest.raises(UnknownNameError, match=message):
        find("fingr")
    with pytest.raises(KeyError):
        find("plate" if lookup != "frame" else "socket")


def test_a_robot_cannot_be_changed():
    robot = mixed()
    for target, name in ((robot, "name"), (robot.bodies[0], "parent"), (robot.joints[0], "limits")):
        with pytest.raises(AttributeError):
            setattr(target, name, None)
    with pytest.raises(AttributeError):
        robot.bodies[0].inertia.spatial = None  # type: ignore[misc]
    robot.neutral[0] = robot.limits.lower[0] = 5.0
    assert robot == mixed()
    assert robot.neutral[0] == 0.0


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))]
)
def test_copies_are_equal(again):
    robot = mixed()
    for _ in range(2):  # before and after the cached properties exist
        other = again(robot)
        assert other == robot
        assert hash(other) == hash(robot)
        assert (other.description, other.warnings) == (robot.description, robot.warnings)
        assert other.frame("tip") == robot.frame("tip")


def test_what_makes_two_robots_differ():
    robot = mixed()
    for other in (
        robot.with_gravity((0, 0, 0)),
        robot.with_frame("tool", "tip", np.eye(4)),
        robot.with_payload("tip", BALL),
        robot.with_payload("plate", BALL),
        replace(robot, name="other"),
        replace(robot, base_name="other"),
    ):
        assert other != robot
        assert hash(other) != hash(robot)
    assert replace(robot, description="x", warnings=("y",)) == robot
    assert robot != "mixed"
    assert len({robot, mixed(), copy.copy(robot)}) == 1


def chain(zero: float) -> Robot:
    T = np.where(np.eye(4) == 0, zero, np.eye(4))
    inertia = Inertia(1.0, (zero,) * 3, np.where(np.eye(3) == 0, zero, np.eye(3)))
    b = RobotBuilder("chain", (zero, zero, -9.8))
    own = Limits(zero, 1.0, zero)
    joint = joints.helical((zero, zero, 1), zero, point=(zero,) * 3)
    b.add("a", None, joint, T, inertia, "ja", zero, zero, own)
    b.add("b", "a", joints.planar((zero, 1, zero)), T, inertia, mimic=None)
    b.add("c", "b", joint, T, inertia, "jc", mimic=("ja", 1.0, zero))
    b.add("weld", "c", joints.fixed(), T, inertia)
    b.frame("tip", "weld", T)
    return b.build()


def test_negative_zero_makes_no_difference():
    robot, other = chain(0.0), chain(-0.0)
    assert robot == other
    assert hash(robot) == hash(other)
    assert repr(robot.frames) == repr(other.frames)
    locked = [r.with_locked({"ja": z}) for r, z in ((robot, 0.0), (other, -0.0))]
    assert locked[0] == locked[1]
    assert hash(locked[0]) == hash(locked[1])


def test_products_of_rotations_leave_no_negative_zero():
    turn, flip = np.eye(4), np.diag([1.0, -1, -1, 1])
    turn[:2, :2] = [[-0.6, -0.8], [0.8, -0.6]]  # (-0.6, -0.8, 0)·(0, 0, -1) is -0.0
    b = RobotBuilder("robot")
    b.add("arm", None, joints.revolute((0, 0, 1)), inertia=BALL)
    b.add("weld", "arm", joints.fixed(), turn)
    b.frame("tip", "weld", flip)
    b.add("hand", "tip", joints.revolute((0, 0, 1)), inertia=BALL)
    robot = b.build()
    assert "-0.0" not in repr(robot.frames) + repr(robot.bodies)
    assert from_dict(robot.to_dict()) == robot


HASH = """
import numpy as np, jounce
from jounce.model.examples import random_tree
for seed in range(3):
    print(hash(random_tree(np.random.default_rng(seed), 22, massless=0.2, armature=True)))
print(hash(jounce.load("panda", floating_base=True)), jounce.load("humanoid").digest)
"""


def test_the_hash_is_the_same_in_every_process():
    printed = set()
    for seed in ("0", "1"):
        path = os.pathsep.join(sys.path)
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": path}
        run = [sys.executable, "-c", HASH]
        printed.add(subprocess.run(run, env=environment, capture_output=True, check=True).stdout)
    assert len(printed) == 1
    first = random_tree(np.random.default_rng(0), 22, massless=0.2, armature=True)
    assert printed.pop().decode().split()[0] == str(hash(first))


@pytest.mark.parametrize("kind", KINDS)
def test_a_pickled_robot_computes_the_same(kind: str, rng: np.random.Generator):
    robot = random_tree(rng, 4, [kind])
    other = pickle.loads(pickle.dumps(robot))
    q, (v, a) = robot.random_configuration(rng), rng.normal(size=(2, robot.nv))
    both = [forces(r, q, v, a) for r in (robot, other)]
    assert_close(*both, EXACT)


def test_equal_robots_are_compared_in_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The caches of kernels look up robots at every call."""
    one, other = jounce.load("humanoid"), jounce.load("humanoid")
    turned = other.with_gravity((0.0, 0.0, 1.0))
    assert one == other != turned
    monkeypatch.delattr(Robot, "_content")
    assert one == other != turned
