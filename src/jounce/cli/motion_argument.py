"""The options of a logged motion, the same for every command that takes one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jounce.cli.arguments import FiniteRange

if TYPE_CHECKING:
    from jounce.model.robot import Robot
    from jounce.tables.log import Log

NAMES = (
    *("units", "noise", "degree", "fit", "drop_duplicates", "drop_invalid"),
    *("columns", "time", "topic"),
)


def _mapping(_context: Any, _option: Any, given: tuple[str, ...]) -> dict[str, str] | None:
    """Return COLUMN=JOINT by column; a name of a column may have a = in it."""
    wrong = [text for text in given if "=" not in text]
    if wrong:
        raise click.BadParameter(f"{wrong[0]!r} must be COLUMN=JOINT")
    pairs = [text.rpartition("=") for text in given]
    return {column: joint for column, _, joint in pairs} or None


_OPTIONS = (
    click.option("--units", metavar="UNITS",
                 help="Units of MOTION, such as deg,ms: of rad, deg; m, mm; s, ms, us, ns.  "
                 "[default: rad,m,s]"),
    click.option("--noise", type=FiniteRange(min=0), metavar="SIGMA",
                 help="Standard deviation of the samples in rad (m); 0 interpolates.  "
                 "[default: estimated]"),
    click.option("--degree", type=int, metavar="N",
                 help="Degree of the spline, odd.  [default: 7, more beyond order 2]"),
    click.option("--fit", is_flag=True, help="Use the positions only, though MOTION has rates."),
    click.option("--drop-duplicates", is_flag=True,
                 help="Leave out rows that repeat the row before."),
    click.option("--drop-invalid", is_flag=True,
                 help="Leave out rows with anything but numbers, or a time that runs back."),
    click.option("--map", "columns", multiple=True, metavar="COLUMN=JOINT", callback=_mapping,
                 help="Which joint a column is, where its name does not say; may be repeated."),
    click.option("--time", metavar="COLUMN", help="Which column of MOTION is the time."),
    click.option("--topic", metavar="TOPIC",
                 help="Topic of a bag, or how the names of the columns begin that are meant."),
)  # fmt: skip


def motion_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give ``command`` the options ``NAMES``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def logged(path: Path, robot: Robot, order: int, options: dict[str, Any], **more: Any) -> Log:
    """Open a log of which q and its rates up to ``order`` are of use, as the options say."""
    from jounce.tables.log import open_log

    said = {name: options[name] for name in NAMES}
    return open_log(robot, path, order=order, forces=False, **said, **more)
