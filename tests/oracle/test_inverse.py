"""Inverse dynamics and poses against the 34-digit reference and the authors' programs."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from tests import oracle_data as oracle
from tests.tolerances import INDEPENDENT, assert_close, assert_orders_close

CASES = [(name, rep) for name in oracle.NAMES for rep in oracle.REPRESENTATIONS]


@pytest.mark.parametrize(("name", "representation"), CASES)
def test_forces_to_order_four(name: str, representation: str) -> None:
    robot = oracle.robot(name, representation)
    got = jounce.inverse_dynamics(robot, *oracle.motion(name))
    wanted = oracle.exact(name, "Q").swapaxes(0, 1)
    for sample in range(wanted.shape[1]):
        assert_orders_close(got[:, sample], wanted[:, sample], INDEPENDENT)


@pytest.mark.parametrize("name", oracle.NAMES)
def test_forces_without_gravity(name: str) -> None:
    robot = oracle.robot(name).with_gravity((0, 0, 0))
    got = jounce.inverse_dynamics(robot, *oracle.motion(name))
    wanted = oracle.exact(name, "Q_nograv").swapaxes(0, 1)
    for sample in range(wanted.shape[1]):
        assert_orders_close(got[:, sample], wanted[:, sample], INDEPENDENT)


@pytest.mark.parametrize("name", oracle.NAMES)
def test_forces_with_wrench_on_the_last_body(name: str) -> None:
    robot = oracle.robot(name)
    load = {robot.bodies[-1].name: oracle.wrenches(name)}
    got = jounce.inverse_dynamics(robot, *oracle.motion(name, rates=5), wrenches=load)
    wanted = oracle.exact(name, "Q_with_wrench").swapaxes(0, 1)
    for sample in range(wanted.shape[1]):
        assert_orders_close(got[:, sample], wanted[:, sample], INDEPENDENT)


@pytest.mark.parametrize("name", [n for n in oracle.NAMES if n not in oracle.TREES])
def test_forces_of_the_authors_recursion(name: str) -> None:
    robot = oracle.robot(name)
    got = jounce.inverse_dynamics(robot, *oracle.motion(name, rates=4))
    wanted = oracle.other(name, "authors", "hand_recursive_body", "Q").swapaxes(0, 1)
    assert_orders_close(got, wanted, INDEPENDENT)


@pytest.mark.parametrize(("name", "representation"), CASES)
def test_poses(name: str, representation: str) -> None:
    robot = oracle.robot(name, representation)
    got = jounce.poses(robot, oracle.motion(name)[0])[0]
    assert_close(got, oracle.exact(name, "pose"), INDEPENDENT)


@pytest.mark.parametrize("name", oracle.NAMES)
def test_rates_of_poses_give_the_twists(name: str) -> None:
    """The body twist of the reference is the vee of ``T⁻¹ dT/dt``."""
    T, T1 = jounce.poses(oracle.robot(name), *oracle.motion(name)[:2])
    hat = np.linalg.inv(T) @ T1
    vee = np.stack([hat[..., 2, 1], hat[..., 0, 2], hat[..., 1, 0]], -1)
    got = np.concatenate([vee, hat[..., :3, 3]], -1)
    wanted = oracle.exact(name, "V")[:, :, 0]
    assert_close(got, wanted, INDEPENDENT)


@pytest.mark.parametrize("name", ["panda_gaz", "kuka_steiner", "planar2R", "tree6_open"])
def test_forces_of_spatial_v2(name: str) -> None:
    got = jounce.inverse_dynamics(oracle.robot(name), *oracle.motion(name, rates=2))[0]
    assert_close(got, oracle.other(name, "spatial_v2_extended", "tau"), INDEPENDENT)
