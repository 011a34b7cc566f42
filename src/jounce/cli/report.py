"""``jounce report``: a page that shows a robot moving and what is computed along the motion."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jounce.cli.arguments import (
    LOG,
    POSITIVE,
    actuated_option,
    check_output,
    count_option,
    elastic_option,
    elastic_robot,
    limits_option,
    output_option,
    positive_option,
    robot_argument,
)
from jounce.cli.console import note, progress, say
from jounce.cli.motion_argument import logged, motion_options, refuse_without_motion

if TYPE_CHECKING:
    import numpy as np

    from jounce.limits.limits import MotionLimits
    from jounce.model.robot import Robot
    from jounce.report.records import Report

_DURATION, _STEP = 10.0, 0.01  # s, of the motion of a robot that comes without one
_MOST_SAMPLES = 2_000_000


_Motion = tuple["np.ndarray", Any, str, list[str]]  # times, q with its rates, whence, and notes


@click.command(epilog="Example: jounce report panda log.csv -o report.html")
@robot_argument
@click.argument("motion", type=LOG, required=False)
@output_option("--out", "-o", default="report.html", show_default=True,
               help="Where to write the page.")  # fmt: skip
@count_option("--order", "Highest time derivative of the torques.", least=2, default=2,
              metavar="K")  # fmt: skip
@elastic_option("Show the motors, of inertia J, behind springs of stiffness K (or inf)")
@limits_option
@actuated_option
@motion_options
@positive_option("--duration", metavar="T",
                 help=f"Without MOTION: how long, in s; --time is the same.  "
                 f"[default: {_DURATION:g}]")  # fmt: skip
@positive_option("--step", metavar="SECONDS",
                 help=f"Without MOTION: time between samples.  [default: {_STEP:g}]")  # fmt: skip
def report(
    robot: Robot,
    *,
    motion: Path | None,
    out: Path,
    limits: MotionLimits | None,
    reading: dict[str, Any],
    **options: Any,
) -> None:
    """Write a page that shows a robot moving, with torques and limits.

    MOTION is a table as for 'jounce id'.  Without it the robot moves in cosines within its
    limits.  A robot with closures needs --actuated, and its log is put onto the closures.  The page
    is one file of HTML that needs no network.  Limits that MOTION exceeds are marked on it, and
    counted here; they do not change the exit code, which is 0.
    """
    from jounce.lazy import required
    from jounce.limits.forces import motors_unnamed
    from jounce.report.write import STEPS, write_report

    check_output(out, ".html", ".htm")
    required("plotly", "a report", "report")
    drives = elastic_robot(robot, options["elastic"], options["actuated"])
    orders = options["order"] + 2
    if robot.closures and options["actuated"] is None:
        raise motors_unnamed(robot, "its forces are those of")
    with progress(f"reporting on {robot.name}", STEPS + 1) as advance:
        if motion is None:
            refuse_without_motion({**reading, "time": None})
            time, values, source, notes = _default(robot, orders, limits, {**reading, **options})
        else:
            time, values, source, notes = _logged(robot, motion, orders, reading, options)
        advance()
        found = write_report(
            out,
            robot,
            time,
            *values,
            limits=limits,
            elastic=drives,
            actuated=options["actuated"],
            source=source,
            notes=notes,
            progress=advance,
        )
    say(_summary(out, found))
    for line in notes:
        note(line)


def _default(
    robot: Robot, orders: int, limits: MotionLimits | None, options: dict[str, Any]
) -> _Motion:
    import numpy as np

    from jounce.report.default_motion import default_motion

    if options["duration"] is not None and options["time"] is not None:
        raise click.UsageError("--duration and --time are the same; give one of them")
    duration, step = options["duration"] or _seconds(options["time"]), options["step"] or _STEP
    count = duration / step + 1.0
    if not count <= _MOST_SAMPLES:
        raise click.UsageError(
            f"--duration {duration:g} and --step {step:g} make {count:.9g} samples, "
            f"{_MOST_SAMPLES} at most"
        )
    time = np.linspace(0.0, duration, max(2, round(count)))
    values = default_motion(robot, time, orders, limits=limits, actuated=options["actuated"])
    return time, values, "cosines within the limits", []


def _seconds(text: str | None) -> float:
    """Return the duration that --time says where there is no MOTION."""
    given: Any = text
    try:
        return _DURATION if text is None else POSITIVE.convert(given, None, None)
    except click.BadParameter as error:
        raise click.UsageError(f"--time: {error.message}") from error


def _logged(
    robot: Robot, path: Path, orders: int, reading: dict[str, Any], options: dict[str, Any]
) -> _Motion:
    from jounce.errors import TableError

    strange = [name for name in ("duration", "step") if options[name] is not None]
    if strange:
        raise click.UsageError(f"--{strange[0]} is for a report without MOTION")
    log = logged(path, robot, orders, reading)
    table = log.table()
    if len(table.time) < 2:
        raise TableError(f"{path}: a report needs two samples or more, got {len(table.time)}.")
    rates = "" if log.smoothing is None else ", rates by spline"
    motion, notes = table.motion, log.notes
    if robot.closures:
        from jounce.trajectory.closed import closed_samples, leading_velocities

        chosen = leading_velocities(robot, motion[0][0], options["actuated"])
        motion, away = closed_samples(robot, motion, chosen)
        if away > 1e-9:
            notes.append(f"{path}: put onto the closures, {away:.1e} rad or m away at most")
    return table.time, motion, path.name + rates, notes


def _summary(out: Path, found: Report) -> str:
    """Say what was written, and whether limits hold."""
    limits = next(section for section in found.sections if section.title == "Limits")
    size = out.stat().st_size / 1e6
    return f"{out}: {len(found.time)} samples, {size:.1f} MB. {limits.note}"
