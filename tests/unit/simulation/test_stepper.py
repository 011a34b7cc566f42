"""How many steps, of which order; events and limits at their ends."""

from __future__ import annotations

from math import factorial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.errors import ArgumentError
from jounce.simulation import SimulationError, taylor
from jounce.simulation.stepper import best_order, step_length
from tests.tolerances import ROUNDOFF, assert_close

ARM = jounce.load("planar2r")
START = (np.array([0.3, 0.3]), np.zeros(2))


@pytest.mark.usefixtures("interpreted")
def test_the_order_of_least_work():
    """Steps times operations along a fall: no even order is more than 7 % better."""
    fall = taylor(ARM, START, t=(0, 0.5), order=24)
    orders = range(4, 25, 2)
    spec = [jounce.kernel(ARM, "forward_dynamics", order=n - 1).operations for n in orders]

    def steps(n: int, tol: float) -> float:
        series = (tuple(part[: n + 1] for part in s.values()) for s in fall.series)
        lengths = np.array([step_length(s, tol) for s in series])
        return float((np.diff(fall.times) / lengths).sum())

    for tol in (1e-3, 1e-6, 1e-9, 1e-12, 1e-14):
        work = {n: ops * steps(n, tol) for n, ops in zip(orders, spec, strict=True)}
        assert work[best_order(tol)] < 1.07 * min(work.values())
        assert work[4 if tol < 1e-6 else 24] > 1.4 * min(work.values())


def test_the_terms_before_the_last_two_cost_little():
    """Those of a sine, which has no radius of convergence, seem to bound it when they are early."""
    sine = np.array([[1.0 / factorial(k)] for k in range(19)])
    last_two = min((1e-14 * factorial(k)) ** (1.0 / k) for k in (17, 18))
    assert 0.85 * last_two < step_length((sine,), 1e-14) < last_two


def test_terms_below_the_smallest_numbers_bound_nothing():
    assert step_length((np.full((9, 1), 1e-320),), 1e-14) == np.inf


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"order": 4}, r"order 4 are short at tol = 1e-14: leave out order, which makes it 18"),
        ({}, r"fast: joint 'joint\d' has velocity .* larger max_steps"),
        ({"forces": lambda _, order: np.zeros((order + 1, 2))}, r"fast, or forces\(t\) jumps"),
    ],
)
def test_too_many_steps(options: dict[str, Any], match: str):
    with pytest.raises(
        SimulationError, match=f"max_steps = 3 are taken at t = .*{match}"
    ) as caught:
        taylor(ARM, START, max_steps=3, **options)
    assert caught.value.partial.steps == 3
    again = taylor(ARM, START, t=(0, caught.value.partial.times[-1]), max_steps=3, **options)
    assert_close(again.final[0], caught.value.partial.final[0], ROUNDOFF)


def test_an_end_that_all_steps_together_will_not_reach_is_told_early():
    with pytest.raises(
        SimulationError, match=r"= 100000 will not do: 1000 are taken at t = .* of 1e\+308 s"
    ) as caught:
        taylor(ARM, START, t=(0, 1e308), tol=1e-3)
    assert caught.value.partial.steps == 1000


@pytest.mark.parametrize("name", ["step", "sample_time"])
def test_too_many_steps_are_refused_at_once(name: str):
    options: dict[str, Any] = {name: 1e-9}
    if name == "sample_time":
        options["controller"] = lambda *_: [0.0, 0.0]
    with pytest.raises(ArgumentError, match=r"steps of 1e-09 s .* are 1e\+09.*max_steps"):
        taylor(ARM, START, **options)
    assert taylor(ARM, START, t=(0, 1e-8), max_steps=10, order=4, **options).steps == 10


def test_counts_may_come_from_numpy():
    counts: dict[str, Any] = {"order": np.int64(4), "max_steps": np.int32(2)}
    found = taylor(ARM, START, t=(0, 0.1), step=0.05, **counts)
    assert (found.steps, len(found.series[0]["q"])) == (2, 5)
    for wrong in (0, 1.5, None, True):
        with pytest.raises(ArgumentError, match="max_steps must be an integer ≥ 1"):
            taylor(ARM, START, max_steps=wrong)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("step", [0.25, 0.5, 0.3])
def test_an_event_at_the_end_of_a_step_is_seen(step: float):
    found = taylor(ARM, START, order=4, step=step, events={"half": lambda t, *_: t - 0.5})
    assert found.reason == "event half"
    assert_close(found.times[-1], 0.5, ROUNDOFF)


def test_an_event_at_the_start_has_not_happened_yet():
    """It ends the simulation where the sign changes, not where it begins."""
    weightless = ARM.with_gravity((0, 0, 0))
    spring = {"controller": lambda *state: -50.0 * state[1], "sample_time": 0.01}
    found = taylor(weightless, ([0.0, 0.0], [1.0, 0.0]), order=6, tol=1e-6, t=(0, 9), **spring,
                   events={"back": lambda *state: state[1][0]})  # fmt: skip
    assert found.reason == "event back"
    assert found.times[-1] > 0.1
    still = taylor(ARM, START, order=6, tol=1e-6, events={"never": lambda *_: 0.0})
    assert still.reason == "end of time"


URDF = """<robot name="pair">
  <link name="base"/>
  <link name="a"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="b"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="one" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="1" velocity="100"/></joint>
  <joint name="two" type="revolute"><parent link="base"/><child link="b"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="100"/><mimic joint="one" multiplier="-2"/>
  </joint>
</robot>"""


def test_a_joint_that_follows_has_limits_too(tmp_path: Path):
    path = tmp_path / "pair.urdf"
    path.write_text(URDF)
    found = taylor(jounce.load(path), ([0.0], [1.0]), t=(0, 5), limits=True, order=6)
    assert found.reason == "upper position limit of joint one reached"
    assert_close(found.final[0], [0.5], ROUNDOFF)
