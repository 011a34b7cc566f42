"""What `print` shows of results: a few lines that say something, whatever their size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jounce
from jounce import elastic, identification, simulation, tables, trajectory
from jounce.kernels.kernel import Kernel
from jounce.limits.check import LimitRow

ARM, PANDA = jounce.load("planar2r"), jounce.load("panda")
TIME = np.linspace(0.0, 4.0, 401)
SWING = trajectory.papers_motion(2)
MOTION = SWING(TIME)
LIMITS = trajectory.MotionLimits.of(ARM, velocity=2.0, effort_rate={"joint1": 1e3})
PANDA_REPORT = trajectory.check_limits(PANDA, trajectory.papers_motion(7))
TABLE = tables.MotionTable(TIME, ("a", "b"), MOTION, forces=MOTION[:2])
MANY = tables.MotionTable(TIME, tuple(f"j{i}" for i in range(60)), np.zeros((1, 401, 60)))
TOLD = identification.Information(ARM).add(*MOTION[:3], jounce.inverse_dynamics(ARM, *MOTION)[0])
SERIES = "Fourier series: 2 coordinates, 1 harmonic, periods 2.04 … 3.68 s"
CASES: list[tuple[Any, str]] = [
    (SWING, SERIES),
    (trajectory.ScaledTrajectory(SWING, 0.5), f"{SERIES}, played 0.5 times as fast: 7.36 s"),
    (
        trajectory.Spline.through(TIME, MOTION[0]),
        "spline of degree 7: 2 coordinates, 0 … 4 s; through the samples",
    ),
    (
        trajectory.Polynomial([[1.0, 0.0], [2.0, 0.0]], t0=1.0),
        "polynomial of degree 1: 2 coordinates, from 1 s",
    ),
    (LIMITS, "limits of 2 velocities: velocity, torque-rate"),
    (
        TABLE,
        (
            "motion of 2 coordinates, 401 samples, 0 … 4 s: q and 4 time derivatives; "
            "forces and 1 time derivatives\na, b"
        ),
    ),
    (
        TABLE._replace(forces=np.empty((0, 401, 2))),
        "motion of 2 coordinates, 401 samples, 0 … 4 s: q and 4 time derivatives\na, b",
    ),
    (
        TOLD,
        (
            "information of 401 samples about the 26 parameters of planar2r, "
            "with viscous, coulomb, offset"
        ),
    ),
]


@pytest.mark.parametrize(("value", "wanted"), CASES, ids=lambda x: type(x).__name__)
def test_in_full(value: Any, wanted: str):
    assert str(value) == wanted


def test_quantities_of_motors_are_called_like_those_of_joints():
    row = LimitRow("motor_torque_rate", "joint1", 0.5, 3.0, 4.0, 1.0, 0.75)
    assert str(row) == "the motor-torque-rate of joint1 is 3 at t = 0.5 s, within its limit 4"


def test_a_report_says_what_is_exceeded_and_what_is_unknown():
    report = trajectory.check_limits(ARM, SWING, LIMITS)
    lines = str(report).splitlines()
    assert lines[0] == (
        "2 limits are exceeded; no position limit is known; no acceleration limit is known; "
        "no jerk limit is known; no torque limit is known"
    )
    assert lines[1].startswith("110.5 %: the velocity of joint1 is ")
    assert lines[1].endswith("beyond its limit 2") or lines[1].endswith("beyond its limit -2")
    assert "the torque-rate of joint1" in lines[3]
    assert lines[3].endswith(("within its limit 1000", "within its limit -1000"))
    assert len(str(PANDA_REPORT).splitlines()) == 6


def test_a_kernel_traces_nothing_to_be_printed():
    kernel = Kernel(jounce.kernel(ARM, "inverse_dynamics", order=1).spec)
    assert str(kernel) == (
        "kernel of inverse_dynamics of 'planar2r', order 1: not compiled yet\n"
        "arguments: q (*batch, 2), v (*batch, 2), a (*batch, 2), j (*batch, 2)\n"
        "result: (2, *batch, 2)"
    )
    count = kernel.operations
    kernel.compile()
    assert f"{count} operations, compiled" in str(kernel)


@pytest.mark.parametrize(
    "value",
    [
        trajectory.choose_smoothing(TIME, MOTION[0]),
        PANDA_REPORT,
        MANY,
        simulation.taylor(ARM, ([0.1, 0.2], [0.0, 0.0]), t=(0.0, 0.5)),
        elastic.SeriesElastic(ARM, 100.0, 1.0).feedforward(*MOTION),
        jounce.inverse_kinematics(PANDA, "link7", jounce.poses(PANDA, PANDA.neutral)[0, -1]),
    ],
    ids=lambda x: type(x).__name__,
)
def test_few_lines(value: Any):
    text = str(value)
    assert len(text.splitlines()) <= 6
    assert len(text) < 700
    assert "array(" not in text
