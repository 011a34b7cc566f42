"""The sections of a report: right numbers, right names, right verdicts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jounce
from jounce import joints
from jounce.report.labels import derivative, force_unit, motion_unit, position_lines, velocity_lines
from jounce.report.records import Cell, Section
from jounce.report.sections import energy_section, force_section, friction_power, limit_section
from jounce.report.write import report_of
from jounce.trajectory import MotionLimits
from tests.tolerances import EXACT, INDEPENDENT, ROUNDOFF, assert_close

TIME = np.linspace(0.0, 2.0, 41)
ARM = jounce.load("planar2r")
MOTION = jounce.trajectory.papers_motion(2)(TIME)
INERTIA = jounce.Inertia(1.0, [0.2, 0, 0], 0.1 * np.eye(3))


def section(report: jounce.report.records.Report, title: str) -> Section:
    return next(part for part in report.sections if part.title == title)


def limits_used(robot: jounce.Robot, *motion: Any) -> Section:
    return limit_section(robot, MotionLimits.of(robot), *motion)


def test_all_that_is_computed():
    drives = jounce.elastic.SeriesElastic(ARM, 500.0, 0.1)
    report = report_of(ARM, TIME, *MOTION, elastic=drives, source="log.csv")
    titles = ["Motion", "Joint torques", "Series-elastic drives", "Joint wrenches",
              "Power and energy", "Limits", "Model"]  # fmt: skip
    assert [part.title for part in report.sections] == titles
    for plot, values in zip(section(report, "Motion").plots, MOTION, strict=True):
        assert_close(plot.values, values, EXACT)
    forces = jounce.inverse_dynamics(ARM, *MOTION)
    for plot, values in zip(section(report, "Joint torques").plots, forces, strict=True):
        assert_close(plot.values, values, EXACT)
    wanted = drives.feedforward(*MOTION)
    torque, deflection, speed, power = section(report, "Series-elastic drives").plots
    assert_close(torque.values, wanted.torque, EXACT)
    assert_close(deflection.values, forces[0] / 500.0, INDEPENDENT)  # Q = K (θ − q)
    assert_close(speed.values, wanted.theta1, EXACT)
    assert_close(power.values, wanted.torque * wanted.theta1, INDEPENDENT)
    force, moment = section(report, "Joint wrenches").plots
    wrenches = jounce.joint_wrenches(ARM, *MOTION[:3])[0]
    assert_close(force.values**2, (wrenches[..., 3:] ** 2).sum(-1), INDEPENDENT)
    assert_close(moment.values**2, (wrenches[..., :3] ** 2).sum(-1), INDEPENDENT)
    assert ("Motion", "log.csv") in report.facts
    assert ("Degrees of freedom", "2") in report.facts


def test_order_follows_from_the_rates():
    motion = jounce.trajectory.papers_motion(2)(TIME, order=6)
    report = report_of(ARM, TIME, *motion)
    assert len(section(report, "Motion").plots) == 7
    assert len(section(report, "Joint torques").plots) == 5
    titles = [plot.title for plot in section(report, "Joint torques").plots]
    assert titles[1:4] == ["Torque rate Q\u0307", "Torque, 2nd rate Q\u0308", "Torque Q⁽³⁾"]


def test_power_is_the_rate_of_energy():
    forces = jounce.inverse_dynamics(ARM, *MOTION)
    found = energy_section(ARM, TIME, MOTION, forces)
    energy, power = found.plots
    kinetic, potential, total = energy.values.T
    assert_close(kinetic + potential, total, ROUNDOFF)
    assert_close(power.values[:, 0], power.values[:, 1], INDEPENDENT)
    assert found.table is not None
    assert found.table.rows[0][1].state == "good"


def test_wrong_torques_are_seen():
    forces = jounce.inverse_dynamics(ARM, *MOTION)
    forces[0, 17, 0] *= 1.0 + 1e-6
    found = energy_section(ARM, TIME, MOTION, forces)
    assert found.table is not None
    verdict = found.table.rows[0][1]
    assert (verdict.state, verdict.time) == ("bad", TIME[17])


def test_work_is_the_energy_gained():
    time = np.linspace(0.0, 2.0, 4001)
    motion = jounce.trajectory.papers_motion(2)(time)
    found = energy_section(ARM, time, motion, jounce.inverse_dynamics(ARM, *motion))
    assert found.table is not None
    gain, work = (_number(row[1].text) for row in found.table.rows[1:])
    assert gain == pytest.approx(work, rel=1e-4)
    assert abs(gain) > 1.0


def test_damping_takes_power_also_of_joints_that_follow():
    robot = jounce.load(_damped())
    v = np.array([[2.0], [0.0]])
    assert_close(friction_power(robot, v), [0.5 * 4.0 + 0.25 * 36.0, 0.0], ROUNDOFF)
    motion = jounce.trajectory.papers_motion(1)(TIME)
    forces = jounce.inverse_dynamics(robot, *motion)
    found = energy_section(robot, TIME, motion, forces)
    assert [line.name for line in found.plots[1].lines][-1] == "friction"
    assert found.table is not None
    assert found.table.rows[0][1].state == "good"


def _damped() -> dict[str, Any]:
    builder = jounce.RobotBuilder("gripper")
    builder.add("left", joint=joints.prismatic([1, 0, 0]), inertia=INERTIA, damping=0.5)
    builder.add("right", joint=joints.prismatic([-1, 0, 0]), inertia=INERTIA, damping=0.25)
    data = builder.build().to_dict()
    first, second = (body["joint"] for body in data["bodies"])
    second["mimic"] = {"joint": first["name"], "multiplier": 3.0, "offset": 0.0}
    return data


@pytest.mark.parametrize(
    ("limits", "cells"),
    [
        ({}, []),
        ({"velocity": 4.0}, [("2", "of 4", "good", 0.5)]),
        ({"velocity": 2.1}, [("2", "of 2.1", "near", 2.0 / 2.1)]),
        ({"velocity": 1.6}, [("2", "of 1.6", "bad", 1.25)]),
        ({"lower": -0.5, "upper": 2.0}, [("0 … 1", "of −0.5 … 2", "good", 0.6)]),
        ({"lower": 0.5}, [("0 … 1", "≥ 0.5", "bad", None)]),
        ({"upper": 3.0}, [("0 … 1", "≤ 3", "good", None)]),
        (
            {"effort": 6.0, "effort_rate": 1.0},
            [("4", "of 6", "good", 4 / 6), ("0", "of 1", "good", 0.0)],
        ),
    ],
)
def test_limits(limits: dict[str, float], cells: list[tuple[str, str, str, float | None]]):
    """q = t, v = 2, Q = 4 t at t = 0 … 1."""
    builder = jounce.RobotBuilder("slider")
    builder.add("link", joint=joints.prismatic([1, 0, 0]), inertia=INERTIA, joint_name="slide",
                limits=jounce.Limits(**limits))  # fmt: skip
    time = np.linspace(0.0, 1.0, 11)
    line, zero = time[:, None], np.zeros((11, 1))
    motion, forces = [line, 2.0 + zero, zero], np.array([4.0 * line, zero])
    found = limits_used(builder.build(), time, motion, forces)
    if not cells:
        assert (found.table, found.note) == (None, "No limits are known.")
        return
    assert found.table is not None
    ((name, *row),) = found.table.rows
    assert name == Cell("slide")
    assert [(c.text, c.limit, c.state, pytest.approx(c.share)) for c in row] == cells
    exceeded = any(state == "bad" for _, _, state, _ in cells)
    assert found.note.startswith("One limit is exceeded" if exceeded else "All checked limits hold")


def test_limits_are_named_that_are_exceeded_unknown_or_unchecked():
    robot, limits = jounce.load("planar2r"), {"velocity": 1.0, "jerk": 9.0, "effort_rate": 1e9}
    motion = jounce.trajectory.papers_motion(2)(TIME, 2)
    forces = jounce.inverse_dynamics(robot, *motion)
    found = limit_section(robot, MotionLimits.of(robot, **limits), TIME, motion, forces)
    for text in (
        "2 limits are exceeded at the ",
        "the velocity of joint1 is ",
        "No position limit is known.",
        "No torque limit is known.",
        "The jerk limit is not checked: the motion has no such rate.",
        "The torque-rate limit is not checked: the motion has no such rate.",
    ):
        assert text in found.note
    assert "No jerk limit" not in found.note
    rates = MotionLimits.of(robot, effort_rate=1e9, effort_second_rate=1e9)
    table = limit_section(robot, rates, TIME, motion, np.zeros((3, len(TIME), 2))).table
    assert table is not None
    names = [heading.partition(" [")[0] for heading in table.headings]
    assert names == ["Joint", "Torque-rate", "Torque-2nd-rate"]
    only = limit_section(robot, MotionLimits.of(robot, jerk=9.0), TIME, motion, forces)
    assert only.note.startswith("No limit is checked at the ")


def test_it_says_what_check_limits_says():
    panda, rng = jounce.load("panda"), np.random.default_rng(0)
    motion = jounce.trajectory.papers_motion(7)(TIME) * rng.uniform(0.5, 2.0, 7)
    found = limits_used(panda, TIME, motion, jounce.inverse_dynamics(panda, *motion)).table
    assert found is not None
    cells = [cell for row in found.rows for cell in row[1:]]
    rows = jounce.trajectory.check_limits(panda, (TIME, motion)).rows
    assert sorted((c.time, c.share) for c in cells) == sorted((r.time, r.use) for r in rows)
    assert sum(c.state == "bad" for c in cells) == sum(r.violated for r in rows) > 3


def test_limits_beside_quaternions():
    humanoid = jounce.load("humanoid")
    motion = [np.tile(humanoid.neutral, (2, 1)), *np.zeros((3, 2, 31))]
    motion[0][1, 9], motion[1][0, 8] = 10.0, 0.5  # the third joint is the second one with limits
    found = limits_used(humanoid, np.arange(2.0), motion, np.zeros((2, 2, 31))).table
    assert found is not None
    assert len(found.rows) == 25
    name, position, velocity, _ = found.rows[2]
    assert name.text == humanoid.joints[3].name
    assert (position.state, velocity.text) == ("bad", "0.5")


def test_it_says_what_check_limits_says_of_a_floating_robot():
    robot, rng = jounce.load("panda", floating_base=True), np.random.default_rng(1)
    limits = MotionLimits.of(robot, velocity=0.3, effort=10.0)
    time = np.linspace(0.0, 1.0, 6)
    motion = [robot.random_configuration(rng) for _ in time], *rng.normal(size=(4, 6, robot.nv))
    report = report_of(robot, time, *motion, limits=limits)
    table = section(report, "Limits").table
    assert table is not None
    cells = [cell for row in table.rows for cell in row[1:] if cell.text]
    rows = jounce.trajectory.check_limits(robot, (time, motion), limits).rows
    assert sorted((c.time, c.share) for c in cells) == sorted((r.time, r.use) for r in rows)
    assert "root_joint[vz]" in {row.joint for row in rows}
    with pytest.raises(jounce.ShapeError, match="the limits are for joint1"):
        report_of(robot, time, *motion, limits=MotionLimits.of(jounce.load("panda")))


def test_the_time_of_the_largest_use():
    builder = jounce.RobotBuilder("arm")
    limits = jounce.Limits(velocity=1.0)
    builder.add("link", joint=joints.revolute([0, 0, 1]), inertia=INERTIA, limits=limits)
    v = np.zeros((41, 1))
    v[13] = -3.0
    found = limits_used(builder.build(), TIME, [v, v, v], np.zeros((1, 41, 1)))
    assert found.table is not None
    assert found.table.rows[0][1].time == TIME[13]


def test_names_units_and_limits_of_the_lines():
    builder = jounce.RobotBuilder("mix")
    limits = jounce.Limits(lower=-1.0, upper=2.0)
    builder.add("a", joint=joints.prismatic([0, 0, 1]), inertia=INERTIA, limits=limits)
    builder.add("b", "a", joint=joints.spherical(), inertia=INERTIA, joint_name="ball")
    robot = builder.build()
    lines = position_lines(robot, MotionLimits.of(robot))
    assert [line.name for line in lines[1:]] == [f"ball[q{x}]" for x in "xyzw"]
    assert (lines[0].low, lines[0].high, lines[1].high) == (-1.0, 2.0, np.inf)
    assert [(line.hue, line.dash) for line in velocity_lines(robot)] == [
        (0, 0),
        (1, 0),
        (1, 1),
        (1, 2),
    ]
    assert motion_unit(robot, 3) == "rad/s³, m/s³"
    assert force_unit(robot, 0) == "N m, N"
    assert (
        force_section(robot, MotionLimits.of(robot), np.zeros((1, 41, 4))).title == "Joint forces"
    )
    assert [derivative("q", k) for k in (0, 3, 12)] == ["q", "q⁽³⁾", "q⁽¹²⁾"]


def _number(text: str) -> float:
    return float(text.removesuffix(" J").replace("−", "-"))
