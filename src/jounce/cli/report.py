"""``jounce report``: a page that shows a robot moving and what is computed along the motion."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from jounce.cli.arguments import FiniteRange, check_output, elastic_robot, robot_argument
from jounce.cli.console import messages, output, progress
from jounce.cli.motion_argument import NAMES, logged, motion_options

if TYPE_CHECKING:
    import numpy as np

    from jounce.limits.limits import MotionLimits
    from jounce.model.robot import Robot
    from jounce.report.records import Report

_FILE = click.Path(path_type=Path, dir_okay=False)
_DURATION, _STEP = 10.0, 0.01  # s, of the motion of a robot that comes without one
_MOST_SAMPLES = 2_000_000
_POSITIVE = FiniteRange(min=0, min_open=True)


class _Motion(NamedTuple):
    """Times, q with its rates, and where they come from."""

    time: np.ndarray
    values: Any
    source: str
    notes: tuple[str, ...] = ()


@click.command(epilog="Example: jounce report panda log.csv -o report.html")
@robot_argument
@click.argument("motion", type=click.Path(path_type=Path), required=False)
@click.option("--out", "-o", type=_FILE, default="report.html", show_default=True,
              metavar="FILE", help="Where to write the page.")  # fmt: skip
@click.option("--order", type=click.IntRange(min=2), default=2, show_default=True, metavar="K",
              help="Highest time derivative of the torques.")  # fmt: skip
@click.option("--elastic", multiple=True, metavar="K,J",
              help="Show the motors, of inertia J, behind springs of stiffness K (or inf); once "
              "for all joints, or once a joint.")  # fmt: skip
@click.option("--limits", "limits_file", type=_FILE, metavar="FILE",
              help="Limits instead of those of ROBOT: .csv or .json.")  # fmt: skip
@motion_options
@click.option("--duration", type=_POSITIVE, metavar="T",
              help=f"Without MOTION: how long, in s; --time is the same.  "
              f"[default: {_DURATION:g}]")  # fmt: skip
@click.option("--step", type=_POSITIVE, metavar="SECONDS",
              help=f"Without MOTION: time between samples.  [default: {_STEP:g}]")  # fmt: skip
def report(robot: Robot, *, motion: Path | None, out: Path, **options: Any) -> None:
    """Write a page that shows a robot moving, with torques and limits.

    MOTION is a table as for 'jounce id'.  Without it the robot moves in cosines within its
    limits.  The page is one file of HTML that needs no network.  Limits that MOTION exceeds are
    marked on it, and counted here; they do not change the exit code, which is 0.
    """
    from jounce.report.page import require_plotly
    from jounce.report.write import STEPS, write_report

    check_output(out, ".html", ".htm")
    require_plotly()
    drives = elastic_robot(robot, options["elastic"]) if options["elastic"] else None
    limits = _limits(robot, options["limits_file"])
    orders = options["order"] + 2
    with progress(f"reporting on {robot.name}", STEPS + 1) as advance:
        if motion is None:
            given = _default(robot, orders, limits, options)
        else:
            given = _logged(robot, motion, orders, options)
        advance()
        found = write_report(
            out,
            robot,
            given.time,
            *given.values,
            limits=limits,
            elastic=drives,
            source=given.source,
            notes=given.notes,
            progress=advance,
        )
    output().print(_summary(out, found), markup=False, soft_wrap=True)
    for note in given.notes:
        messages().print(f"jounce: {note}", markup=False, soft_wrap=True)


def _limits(robot: Robot, path: Path | None) -> MotionLimits | None:
    from jounce.limits.limits import MotionLimits

    return None if path is None else MotionLimits.read(path, robot)


def _default(
    robot: Robot, orders: int, limits: MotionLimits | None, options: dict[str, Any]
) -> _Motion:
    import numpy as np

    from jounce.report.default_motion import default_motion

    given = [name for name in NAMES if options[name] is not None and options[name] is not False]
    strange = [name for name in given if name != "time"]
    if strange:
        option = {"columns": "map"}.get(strange[0], strange[0]).replace("_", "-")
        raise click.UsageError(f"--{option} is for a MOTION, and none is given")
    duration, step = options["duration"] or _seconds(options["time"]), options["step"] or _STEP
    count = duration / step + 1.0
    if not count <= _MOST_SAMPLES:
        raise click.UsageError(
            f"--time {duration:g} and --step {step:g} make {count:.9g} samples, "
            f"{_MOST_SAMPLES} at most"
        )
    time = np.linspace(0.0, duration, max(2, round(count)))
    return _Motion(
        time, default_motion(robot, time, orders, limits=limits), "cosines within the limits"
    )


def _seconds(text: str | None) -> float:
    """Return the duration that --time says where there is no MOTION."""
    given: Any = text
    return _DURATION if text is None else _POSITIVE.convert(given, None, None)


def _logged(robot: Robot, path: Path, orders: int, options: dict[str, Any]) -> _Motion:
    from jounce.errors import TableError

    strange = [name for name in ("duration", "step") if options[name] is not None]
    if strange:
        raise click.UsageError(f"--{strange[0]} is for a report without MOTION")
    log = logged(path, robot, orders, options)
    table = log.table()
    if len(table.time) < 2:
        raise TableError(f"{path}: a report needs two samples or more, got {len(table.time)}.")
    rates = "" if log.smoothing is None else ", rates by spline"
    return _Motion(table.time, table.motion, path.name + rates, tuple(log.notes))


def _summary(out: Path, found: Report) -> str:
    """Say what was written, and whether limits hold."""
    limits = next(section for section in found.sections if section.title == "Limits")
    size = out.stat().st_size / 1e6
    return f"{out}: {len(found.time)} samples, {size:.1f} MB. {limits.note}"
