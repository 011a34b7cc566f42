"""Twists, Jacobians and joint screws against the 34-digit reference and the authors' programs."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from tests import oracle_data as oracle
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_orders_close

SERIAL = [n for n in oracle.NAMES if n not in oracle.TREES]


@pytest.mark.parametrize("name", oracle.NAMES)
def test_body_twists_to_all_orders(name: str) -> None:
    wanted = oracle.exact(name, "V").transpose(2, 0, 1, 3)  # order, sample, body, 6
    got = jounce.twists(oracle.robot(name), *oracle.motion(name, rates=len(wanted)))
    for sample in range(wanted.shape[1]):
        assert_orders_close(got[:, sample], wanted[:, sample], INDEPENDENT)


@pytest.mark.parametrize("name", oracle.NAMES)
def test_body_jacobians_to_all_orders(name: str) -> None:
    wanted = oracle.exact(name, "J").transpose(2, 0, 1, 3, 4)
    robot = oracle.robot(name)
    motion = oracle.motion(name, rates=len(wanted) - 1)
    got = jounce.body_jacobians(robot, *motion)
    single = jounce.jacobian(robot, robot.bodies[-1].name, *motion)
    for sample in range(wanted.shape[1]):
        assert_orders_close(got[:, sample], wanted[:, sample], INDEPENDENT)
    assert_orders_close(single, got[:, :, -1], ROUNDOFF)


@pytest.mark.parametrize("name", oracle.NAMES)
def test_joint_screws_to_all_orders(name: str) -> None:
    wanted = oracle.exact(name, "S").transpose(2, 0, 1, 3)
    got = jounce.joint_screws(oracle.robot(name), *oracle.motion(name, rates=len(wanted) - 1))
    for sample in range(wanted.shape[1]):
        assert_orders_close(got[:, sample], wanted[:, sample], INDEPENDENT)


@pytest.mark.parametrize("name", SERIAL)
def test_spatial_twists_of_the_authors(name: str) -> None:
    wanted = oracle.other(name, "authors", "hand_recursive_spatial", "V").swapaxes(0, 1)
    motion = oracle.motion(name, rates=len(wanted))
    got = jounce.twists(oracle.robot(name), *motion, representation="spatial")
    assert_orders_close(got, wanted, INDEPENDENT)


@pytest.mark.parametrize("name", SERIAL)
def test_interbody_wrenches_of_the_authors(name: str) -> None:
    """W̄ of M20's algorithm 3, without gravity."""
    wanted = oracle.other(name, "authors", "hand_recursive_spatial", "Wbar_nograv").swapaxes(0, 1)
    robot = oracle.robot(name).with_gravity((0, 0, 0))
    motion = oracle.motion(name, rates=len(wanted) + 1)
    got = jounce.joint_wrenches(robot, *motion, representation="spatial")
    assert_orders_close(got, wanted, INDEPENDENT)


@pytest.mark.parametrize("name", oracle.NAMES)
def test_gravity_forces(name: str) -> None:
    wanted = oracle.exact(name, "Qgrav").swapaxes(0, 1)
    got = jounce.gravity_forces(oracle.robot(name), *oracle.motion(name, rates=len(wanted) - 1))
    for sample in range(wanted.shape[1]):
        largest = np.abs(wanted[:, sample]).max()
        for k in range(len(wanted)):
            error = np.abs(got[k, sample] - wanted[k, sample]).max()
            assert error <= INDEPENDENT * max(np.abs(wanted[k, sample]).max(), 1e-3 * largest)


@pytest.mark.parametrize("formulation", ["momentum", "body", "spatial", "hybrid"])
@pytest.mark.parametrize("name", oracle.NAMES)
def test_every_formulation(name: str, formulation: str) -> None:
    robot = oracle.robot(name)
    got = jounce.inverse_dynamics(robot, *oracle.motion(name), formulation=formulation)
    wanted = oracle.exact(name, "Q").swapaxes(0, 1)
    for sample in range(wanted.shape[1]):
        assert_orders_close(got[:, sample], wanted[:, sample], INDEPENDENT)
    load = {robot.bodies[-1].name: oracle.wrenches(name)}
    motion = oracle.motion(name, rates=5)
    loaded = jounce.inverse_dynamics(robot, *motion, wrenches=load, formulation=formulation)
    wanted = oracle.exact(name, "Q_with_wrench").swapaxes(0, 1)
    for sample in range(wanted.shape[1]):
        assert_orders_close(loaded[:, sample], wanted[:, sample], INDEPENDENT)
