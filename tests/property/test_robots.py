"""What holds for every robot: round trips, copies, edits that change nothing."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import jounce
from jounce.formats.json import from_dict, to_dict
from jounce.model.edits import rebuild, with_free_mimics
from jounce.model.examples import KINDS, random_tree
from jounce.model.parameters import parameters
from jounce.model.robot import Robot
from tests.tolerances import ROUNDOFF, assert_close

EXAMPLES = settings(deadline=None, max_examples=40, derandomize=True)


@st.composite
def trees(draw) -> Robot:
    seed = draw(st.integers(0, 2**32 - 1))
    chosen = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=4, unique=True))
    return random_tree(
        np.random.default_rng(seed),
        draw(st.integers(1, 9)),
        chosen,
        branching=draw(st.sampled_from([0.0, 0.5, 1.0])),
        massless=draw(st.sampled_from([0.0, 0.5])),
        floating_base=draw(st.booleans()),
        oblique_gravity=draw(st.booleans()),
        armature=draw(st.booleans()),
        damping=draw(st.booleans()),
    )


def assert_same(one: Robot, other: Robot) -> None:
    assert one == other
    assert hash(one) == hash(other)
    assert one.digest == other.digest
    assert repr(one.bodies) == repr(other.bodies)


@EXAMPLES
@given(trees())
def test_json_gives_back_an_equal_robot(robot: Robot):
    assert_same(from_dict(json.loads(json.dumps(to_dict(robot), allow_nan=False))), robot)


@EXAMPLES
@given(trees(), st.integers(0, pickle.HIGHEST_PROTOCOL))
def test_pickles_and_copies_are_equal(robot: Robot, protocol: int):
    assert_same(pickle.loads(pickle.dumps(robot, protocol)), robot)
    assert_same(copy.copy(robot), robot)
    assert_same(copy.deepcopy(robot), robot)


@EXAMPLES
@given(trees())
def test_building_again_changes_nothing(robot: Robot):
    assert_same(rebuild(robot).build(), robot)
    assert_same(robot.with_locked({}), robot)
    assert_same(robot.with_gravity(robot.gravity), robot)
    assert_same(robot.with_parameters(parameters(robot)), robot)


@EXAMPLES
@given(trees())
def test_edits_do_not_depend_on_their_order(robot: Robot):
    first = [joint for joint in robot.joints if joint.mimic is None][:1]
    values = {joint.name: robot.neutral[joint.q_slice] for joint in first}
    pull = (1.0, 2.0, 3.0)
    assert_same(
        robot.with_locked(values).with_gravity(pull), robot.with_gravity(pull).with_locked(values)
    )
    if not robot.joints or robot.joints[0].kind != "free":
        floating = robot.with_floating_base()
        assert floating.nv == robot.nv + 6
        assert_same(with_free_mimics(robot).with_floating_base(), with_free_mimics(floating))


@EXAMPLES
@given(trees(), st.integers(0, 2**32 - 1), st.floats(0.0, 3.0))
def test_increments_lead_there_and_back(robot: Robot, seed: int, size: float):
    rng = np.random.default_rng(seed)
    q = robot.random_configuration(rng)
    dv = rng.normal(size=robot.nv)
    dv = size * dv / max(1.0, np.abs(dv).max() * np.sqrt(3))  # no joint turns by π or more
    back = jounce.difference(robot, q, jounce.integrate(robot, q, dv))
    assert_close(back, dv, ROUNDOFF, scale=10.0)
    assert_close(jounce.integrate(robot, q, 0 * dv), q, ROUNDOFF, scale=1.0)
