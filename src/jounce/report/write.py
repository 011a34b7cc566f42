"""Put a report of a motion together, and write it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jounce.api.closures import actuated_forces, closure_wrenches, mobility
from jounce.api.dynamics import inverse_dynamics
from jounce.api.kinematics import poses
from jounce.elastic import SeriesElastic
from jounce.errors import ArgumentError, ShapeError, UnsupportedError
from jounce.files import atomic_write
from jounce.lazy import required
from jounce.limits.forces import MotionForces, motors_unnamed
from jounce.limits.limits import MotionLimits, checked_limits
from jounce.model.checks import as_floats
from jounce.model.robot import Robot
from jounce.report.drawing import placements, skeleton
from jounce.report.page import page
from jounce.report.records import Report
from jounce.report.sections import (
    Motion,
    closure_section,
    elastic_section,
    energy_section,
    force_section,
    limit_section,
    model_section,
    motion_section,
    wrench_section,
)
from jounce.report.shapes import shapes_of
from jounce.report.triangles import few_triangles
from jounce.tables.table import check_samples
from jounce.trajectory.protocol import checked_motion

STEPS = 6  # that progress counts
POSE_NUMBERS = 250_000  # of the moving picture


def write_report(
    path: str | os.PathLike[str],
    robot: Robot,
    time: Any,
    q: Any,
    *rates: Any,
    limits: MotionLimits | None = None,
    elastic: SeriesElastic | None = None,
    actuated: str | Sequence[str] | None = None,
    source: str = "",
    notes: Sequence[str] = (),
    progress: Callable[[], None] | None = None,
) -> Report:
    """Write one page of HTML that shows a robot moving and what is computed along the motion.

    ``time`` has shape ``(samples,)`` and increases; ``q`` ``(samples, nq)``, and each of the K
    rates ``(samples, nv)``: velocity, acceleration and as many more as there are.  Joint forces
    are shown to order K − 2.  ``limits`` replace those of the robot; what exceeds them is marked
    on the page and no error.  ``elastic`` adds the drives of series-elastic joints and needs four
    rates.  Of a robot with closures ``actuated`` names the joints with motors, and the motion is a
    closed one (`ClosedMotion`).  ``source`` says where the motion comes from, ``notes`` what a
    reader should know of it.  ``progress`` is called `STEPS` times.  The file appears when it is
    complete, and needs no other file and no network.
    """
    required("plotly", "a report", "report")
    tick = progress or (lambda: None)
    told = {"source": source, "notes": notes, "progress": tick}
    who = {"limits": limits, "elastic": elastic, "actuated": actuated}
    found = report_of(robot, time, q, *rates, **who, **told)
    text = page(found)
    tick()
    with atomic_write(path) as file:
        file.write(text)
    return found


def report_of(
    robot: Robot,
    time: Any,
    q: Any,
    *rates: Any,
    limits: MotionLimits | None = None,
    elastic: SeriesElastic | None = None,
    actuated: str | Sequence[str] | None = None,
    source: str = "",
    notes: Sequence[str] = (),
    progress: Callable[[], None] = lambda: None,
) -> Report:
    """Return what `write_report` writes, before it becomes a page."""
    time, motion = checked_report_motion(robot, time, (q, *rates))
    if elastic is not None and elastic.robot != robot:
        raise ArgumentError("elastic must be the drives of the same robot.")
    limits = checked_limits(robot, limits)
    if robot.closures and actuated is None:
        raise motors_unnamed(robot, "its forces are those of")
    MotionForces.of(robot, actuated, limits)
    multipliers = np.zeros((1, len(time), 0))
    if robot.closures:
        forces, multipliers = actuated_forces(robot, *motion, actuated=actuated)
    else:
        forces = inverse_dynamics(robot, *motion)
    progress()
    count = min(len(time), max(POSE_NUMBERS // (7 * robot.n_bodies), 2))
    drawn = np.unique(np.linspace(0, len(time) - 1, count).astype(np.intp))
    (placed,) = poses(robot, motion[0][drawn])
    progress()
    sections = [motion_section(robot, limits, motion, notes), force_section(robot, limits, forces)]
    if elastic is not None:
        sections.append(elastic_section(elastic, motion))
    progress()
    if robot.closures:
        sections.append(closure_section(robot, time, motion, multipliers[0]))
    pulls = closure_wrenches(robot, motion[0], multipliers[0])
    wrenches = wrench_section(robot, motion, pulls)
    progress()
    energies = energy_section(robot, time, motion, forces)
    progress()
    used = limit_section(robot, limits, time, motion, forces)
    shapes, untold = shapes_of(robot)
    sections += [wrenches, energies, used, model_section(robot, untold)]
    return Report(
        title=robot.name,
        facts=_facts(robot, time, source),
        time=time,
        drawing=skeleton(robot),
        pose_time=time[drawn],
        poses=placements(placed),
        triangles=few_triangles(shapes),
        sections=tuple(sections),
    )


def checked_report_motion(robot: Robot, time: Any, values: Any) -> tuple[np.ndarray, Motion]:
    """Return time, and q with its rates as arrays; raise where a report cannot show them."""
    if not robot.nv:
        raise UnsupportedError(f"robot {robot.name!r} has no joint that moves.")
    time = as_floats("time", time)
    if time.ndim != 1 or time.size < 2:
        raise ShapeError(f"time must have shape (samples,), two or more, got {time.shape}.")
    check_samples(time, ["time"], "time[{}]".format)
    if len(values) < 3:
        raise ShapeError(
            f"a report needs q, velocity and acceleration at least, got {len(values)} arrays."
        )
    return time, checked_motion(robot, time, values)


def _facts(robot: Robot, time: np.ndarray, source: str) -> tuple[tuple[str, str], ...]:
    gravity = ", ".join(f"{x:g}".replace("-", "−") for x in robot.gravity)
    freedoms = mobility(robot)[0] if robot.closures else robot.nv
    facts = {
        "Bodies": str(robot.n_bodies),
        "Degrees of freedom": str(freedoms),
        "Closures": str(len(robot.closures) or ""),
        "Mass": f"{robot.mass:.4g} kg",
        "Gravity": f"({gravity}) m/s²",
        "Motion": source,
        "Duration": f"{time[-1] - time[0]:.4g} s",
        "Samples": str(len(time)),
    }
    return tuple((name, value) for name, value in facts.items() if value)
