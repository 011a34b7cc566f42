"""``jounce check``: does a logged motion keep the limits of a robot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jounce.cli.arguments import actuated_option, limits_option, robot_argument
from jounce.cli.console import grid, note, output, progress, say
from jounce.cli.failure import CheckFailed
from jounce.cli.motion_argument import fleet_options, is_fleet, logged, motion_options, tell_failed

if TYPE_CHECKING:
    from jounce.limits.check import LimitReport
    from jounce.limits.limits import MotionLimits
    from jounce.model.robot import Robot

_WORST = 20  # lines about many logs


@click.command("check", epilog="Example: jounce check panda log.csv --limits limits.csv")
@robot_argument
@limits_option
@actuated_option
@motion_options
@fleet_options
def check(
    robot: Robot,
    *,
    motion: tuple[Path, ...],
    limits: MotionLimits | None,
    actuated: list[str] | None,
    reading: dict[str, Any],
    who: dict[str, Any],
) -> None:
    """Check a logged motion against limits.

    It ends with 1 if one is exceeded.  MOTION is a log as for 'jounce id'; rates that it lacks
    come from a smoothing spline.  Of several files, folders or patterns the worst joints are shown.
    """
    from jounce.errors import ArgumentError
    from jounce.limits.check import check_log
    from jounce.limits.limits import MotionLimits, spoken

    known = MotionLimits.of(robot) if limits is None else limits
    if not known.limited():
        raise ArgumentError(f"no limits are known of {robot.name!r}; give some with --limits.")
    if is_fleet(motion, who):
        _check_fleet(robot, motion, known, actuated=actuated, **who, **reading)
        return
    log = logged(motion[0], robot, known.order, reading)
    with progress(f"limits of {robot.name}"):
        report = check_log(robot, log, known, actuated=actuated)
    _print(report)
    if report.differentiated:
        say(f"rates: {log.method}; of it {', '.join(map(spoken, report.differentiated))}")
    for line in log.notes:
        note(line)
    if report.violations:
        worst, *more = report.violations
        others = f", and {len(more)} more" if more else ""
        raise CheckFailed(f"{worst}{others}")
    say("; ".join(["all known limits hold at the samples", *report.unknown]))


def _check_fleet(
    robot: Robot, motion: tuple[Path, ...], limits: MotionLimits, **options: Any
) -> None:
    """Check many logs: the worst joints, a line each."""
    from jounce.fleet import check as check_fleet

    with progress(f"limits of {robot.name}") as bar:
        found = check_fleet(robot, motion, limits, progress=bar.reach, **options)
    for file, row in found.rows[:_WORST]:
        say(f"{100.0 * row.use:.4g} % of the limit: {file}: {row}")
    if len(found.rows) > _WORST:
        say(f"and {len(found.rows) - _WORST} more joints of logs that use less")
    tell_failed(found.failed)
    beyond = len({file for file, _ in found.violations})
    if beyond or found.failed:
        raise CheckFailed(f"{beyond} logs exceed a limit, {len(found.failed)} cannot be read")


def _print(report: LimitReport) -> None:
    from rich.markup import escape

    from jounce.limits.limits import spoken

    table = grid("joint", "limit", "bound", "peak", "time s", "use %", words=2)
    for row in sorted(report.rows, key=lambda row: -row.use):
        style = "red" if row.violated else None
        numbers = (row.bound, row.value, row.time, 100.0 * row.use)
        table.add_row(escape(row.joint), spoken(row.quantity), *(f"{x:.6g}" for x in numbers),
                      style=style)  # fmt: skip
    output().print(table)
