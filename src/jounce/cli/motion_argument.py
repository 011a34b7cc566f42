"""The options of a logged motion, the same for every command that takes one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from jounce.model.robot import Robot
    from jounce.tables.motion_file import MotionFile
    from jounce.tables.rates import Gaps, Plan

NAMES = ("units", "noise", "degree", "fit", "drop_duplicates")

_OPTIONS = (
    click.option("--units", metavar="UNITS",
                 help="Units of MOTION, such as deg,ms: of rad, deg; m, mm; s, ms, us, ns.  "
                 "[default: rad,m,s]"),
    click.option("--noise", type=click.FloatRange(min=0), metavar="SIGMA",
                 help="Standard deviation of the samples in rad (m); 0 interpolates.  "
                 "[default: estimated]"),
    click.option("--degree", type=int, metavar="N",
                 help="Degree of the spline, odd.  [default: 7, more beyond order 2]"),
    click.option("--fit", is_flag=True, help="Use the positions only, though MOTION has rates."),
    click.option("--drop-duplicates", is_flag=True,
                 help="Leave out rows that repeat the row before."),
)  # fmt: skip


def motion_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give ``command`` the options ``NAMES``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def open_log(path: Path, robot: Robot, orders: int, options: dict[str, Any]) -> MotionFile:
    """Open a motion of which q and its first ``orders - 1`` rates are of use."""
    from jounce.tables.motion_file import open_motion

    return open_motion(
        path,
        robot,
        units=options["units"],
        others=True,
        orders=1 if options["fit"] else orders,
        drop_duplicates=options["drop_duplicates"],
    )


def notes(path: Path, file: MotionFile, how: Plan, gaps: Gaps) -> list[str]:
    """Return what a user should know about a motion that has been read."""
    found = [*gaps.report(), *how.warnings]
    if file.start:
        found.insert(0, f"{path}: time is counted from the first sample, at {file.start:f} s")
    if file.dropped:
        found.append(f"{path}: left out {file.dropped} rows that repeat the row before")
    if file.ignored:
        found.append(f"{path}: ignored columns {', '.join(file.ignored)}")
    return found
