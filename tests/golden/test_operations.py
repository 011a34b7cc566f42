"""Operation counts change only on purpose."""

from __future__ import annotations

import json

import pytest

import jounce
from jounce.model.robot import Robot
from tests.golden.operations import GOLDEN, ORDERS, counts, robots

WANTED = json.loads(GOLDEN.read_text(encoding="utf-8"))
ROBOTS = dict(robots())
FAST = range(2)


@pytest.mark.parametrize("name", [pytest.param(name, id=name) for name in ROBOTS])
@pytest.mark.parametrize(
    "orders",
    [pytest.param(FAST, id="fast"), pytest.param(ORDERS, id="all", marks=pytest.mark.slow)],
)
def test_counts_are_the_golden_ones(name: str, orders: range):
    found = counts(ROBOTS[name], orders)
    wanted = {column: numbers[: len(orders)] for column, numbers in WANTED[name].items()}
    assert found == wanted, "on purpose? python -m tests.golden.operations --update"


def test_every_bundled_robot_is_counted():
    assert set(jounce.robots()) <= set(WANTED)


@pytest.mark.parametrize("name", WANTED)
def test_economy_pays(name: str):
    """Regrouping and sparse frames together never cost anything."""
    plain, both = WANTED[name]["plain"], WANTED[name]["both"]
    assert all(b <= p for b, p in zip(both, plain, strict=True))
    assert both == sorted(both)


def test_kernels_run_the_reduced_tree():
    robot: Robot = ROBOTS["panda"]
    for order in FAST:
        kernel = jounce.kernel(robot, "inverse_dynamics", order=order)
        assert kernel.operations == WANTED["panda"]["both"][order]
