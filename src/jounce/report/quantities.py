"""The sections of a report: what is computed along a motion, and how it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np

from jounce.api.dynamics import joint_wrenches
from jounce.elastic import SeriesElastic
from jounce.limits.limits import MotionLimits
from jounce.model.robot import Robot
from jounce.report.labels import (
    body_lines,
    derivative,
    force_unit,
    motion_title,
    motion_unit,
    position_lines,
    velocity_lines,
)
from jounce.report.records import Cell, Plot, Section, Table

Motion = Sequence[np.ndarray]  # q (samples, nq), then the rates (samples, nv)


def motion_section(
    robot: Robot, limits: MotionLimits, motion: Motion, notes: Sequence[str] = ()
) -> Section:
    """Show position, velocity, acceleration, and so on."""
    bounds = (limits.velocity, limits.acceleration, limits.jerk, limits.snap)
    lines = [position_lines(robot, limits), *(velocity_lines(robot, bound) for bound in bounds)]
    plots = tuple(
        Plot(motion_title(k), motion_unit(robot, k), x or velocity_lines(robot), values)
        for k, (x, values) in enumerate(zip_longest(lines[: len(motion)], motion))
    )
    return Section("Motion", " ".join(f"{note.rstrip('.')}." for note in notes), plots)


def force_section(robot: Robot, limits: MotionLimits, forces: np.ndarray) -> Section:
    """Show the generalised forces of the joints and their time derivatives."""
    bounds = (limits.effort, limits.effort_rate, limits.effort_second_rate)
    lines = [velocity_lines(robot, bound) for bound in bounds]
    name = "Torque" if force_unit(robot, 0) == "N m" else "Force"
    plots = tuple(
        Plot(
            f"{name} {derivative('Q', k)}", force_unit(robot, k), x or velocity_lines(robot), values
        )
        for k, (x, values) in enumerate(zip_longest(lines[: len(forces)], forces))
    )
    note = "What the joints must exert along the motion, by inverse dynamics."
    return Section(f"Joint {name.lower()}s", note, plots)


def elastic_section(drives: SeriesElastic, motion: Motion) -> Section:
    """Show what the motors of series-elastic joints must do."""
    robot = drives.robot
    found = drives.feedforward(*motion[:5])
    lines, force = velocity_lines(robot), force_unit(robot, 0)
    deflection = found.theta / drives.gear_ratio - motion[0]
    note = (
        f"Motors behind springs: stiffness {_range(drives.stiffness)} {force}/"
        f"{motion_unit(robot, 0)}, motor inertia {_range(drives.motor_inertia)} kg m²."
    )
    plots = (
        Plot("Motor torque τ", force, lines, found.torque),
        Plot("Spring deflection θ − q", motion_unit(robot, 0), lines, deflection),
        Plot("Motor velocity θ\u0307", motion_unit(robot, 1), lines, found.theta1),
        Plot("Motor power τ θ\u0307", "W", lines, found.power),
    )
    return Section("Series-elastic drives", note, plots)


def wrench_section(robot: Robot, motion: Motion) -> Section:
    """Show how strongly every parent holds its body."""
    (wrenches,) = joint_wrenches(robot, *motion[:3])
    lines = body_lines(robot)
    force = np.linalg.norm(wrenches[..., 3:], axis=-1)
    moment = np.linalg.norm(wrenches[..., :3], axis=-1)
    note = (
        "What the parent exerts on a body through its joint, constraint forces included. "
        "Moments are about the origin of the body frame."
    )
    plots = (
        Plot("Force in the joint, |f|", "N", lines, force),
        Plot("Moment in the joint, |m|", "N m", lines, moment),
    )
    return Section("Joint wrenches", note, plots)


def model_section(robot: Robot) -> Section:
    """Show what the robot is made of."""
    names = (robot.base_name, *(body.name for body in robot.bodies))
    rows = []
    for body, joint in zip(robot.bodies, robot.joints, strict=True):
        com = ", ".join(f"{x:.4g}".replace("-", "−") for x in body.inertia.com)
        texts = (body.name, names[body.parent + 1], joint.name, joint.kind,
                 f"{body.inertia.mass:.4g}", com if body.inertia.mass else "")  # fmt: skip
        rows.append(tuple(Cell(text) for text in texts))
    headings = ("Body", "Carried by", "Joint", "Kind", "Mass [kg]", "Centre of mass [m]")
    note = " ".join((robot.description, *robot.warnings))
    return Section("Model", note, table=Table(headings, tuple(rows)))


def _range(values: np.ndarray) -> str:
    low, high = values.min(), values.max()
    return f"{low:g}" if low == high else f"{low:g} … {high:g}"
