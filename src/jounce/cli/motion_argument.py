"""What commands take that work on logged motions: one or many, how to read them, who does it."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping, Sequence
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jounce.cli.arguments import LOG, Command, FiniteRange, count_option
from jounce.cli.console import note

if TYPE_CHECKING:
    from jounce.model.robot import Robot
    from jounce.tables.log import Log

SHOWN = 10  # logs without a result that are told one by one


def _mapping(_context: Any, _option: Any, given: tuple[str, ...]) -> dict[str, str] | None:
    """Return COLUMN=JOINT by column; a name of a column may have a = in it."""
    wrong = [text for text in given if "=" not in text]
    if wrong:
        raise click.BadParameter(f"{wrong[0]!r} must be COLUMN=JOINT")
    pairs = [text.rpartition("=") for text in given]
    return {column: joint for column, _, joint in pairs} or None


_OPTIONS = {
    "units": click.option(
        "--units", metavar="UNITS",
        help="Units of MOTION, such as deg,ms: of rad, deg; m, mm; s, ms, us, ns.  "
        "[default: rad,m,s]"),
    "noise": click.option(
        "--noise", type=FiniteRange(min=0), metavar="SIGMA",
        help="Standard deviation of the samples in rad (m); 0 interpolates.  "
        "[default: estimated]"),
    "degree": click.option(
        "--degree", type=int, metavar="N",
        help="Degree of the spline, odd.  [default: 7, more beyond order 2]"),
    "fit": click.option(
        "--fit", is_flag=True, help="Use the positions only, though MOTION has rates."),
    "drop_duplicates": click.option(
        "--drop-duplicates", is_flag=True, help="Leave out rows that repeat the row before."),
    "drop_invalid": click.option(
        "--drop-invalid", is_flag=True,
        help="Leave out rows with anything but numbers, or a time that runs back."),
    "columns": click.option(
        "--map", "columns", multiple=True, metavar="COLUMN=JOINT", callback=_mapping,
        help="Which joint a column is, where its name does not say; may be repeated."),
    "time": click.option("--time", metavar="COLUMN", help="Which column of MOTION is the time."),
    "topic": click.option(
        "--topic", metavar="TOPIC",
        help="Topic of a bag, or how the names of the columns begin that are meant."),
}  # fmt: skip


def motion_options(command: Command) -> Command:
    """Call ``command`` with ``reading``: how to read a log, as `open_log` takes it."""

    @functools.wraps(command)
    def with_reading(**options: Any) -> Any:
        reading = {name: options.pop(name) for name in _OPTIONS}
        return command(reading=reading, **options)

    for option in reversed(_OPTIONS.values()):
        with_reading = option(with_reading)
    return with_reading


def refuse_without_motion(options: Mapping[str, Any]) -> None:
    """Raise for an option of a log, by the name of its parameter, where there is no log."""
    for name, value in options.items():
        if value is not None and value is not False:
            option = {"columns": "map"}.get(name, name).replace("_", "-")
            raise click.UsageError(f"--{option} is for a MOTION, and none is given")


def logged(path: Path, robot: Robot, order: int, reading: dict[str, Any], **more: Any) -> Log:
    """Open a log of which q and its rates up to ``order`` are of use, as the options say."""
    from jounce.tables.log import open_log

    return open_log(robot, path, order=order, forces=False, **reading, **more)


def who_options(command: Command) -> Command:
    """Call ``command`` with ``who``: who does many logs, as the functions of a fleet take it."""

    @functools.wraps(command)
    def with_who(*, workers: int | None, scheduler: str | None, **options: Any) -> Any:
        if workers is not None and scheduler is not None:
            raise click.UsageError("give --workers or --scheduler, not both")
        return command(who={"workers": workers, "client": scheduler}, **options)

    address = "For many logs: a Dask cluster, such as tcp://host:8786."
    with_who = click.option("--scheduler", metavar="ADDRESS", help=address)(with_who)
    processes = "For many logs: processes of this machine.  [default: one a core]"
    return count_option("--workers", processes, least=1)(with_who)


def fleet_options(command: Command) -> Command:
    """Give ``command`` one or many logs as ``motion``, and who does them."""
    motion = click.argument("motion", type=LOG, nargs=-1, required=True, metavar="MOTION...")
    return motion(who_options(command))


def is_fleet(motion: Sequence[Path], who: dict[str, Any], *, several: bool = True) -> bool:
    """Whether many logs are meant: a folder, a pattern, somebody to do them, ``several`` names."""
    from jounce.fleet.sources import is_folder

    asked = any(value is not None for value in who.values())
    many = (is_folder(x) if x.exists() else has_magic(os.fspath(x)) for x in motion)
    return asked or (several and len(motion) > 1) or any(many)


def tell_failed(lines: Sequence[str]) -> None:
    """Say on stderr which logs have no result, and why."""
    for line in lines[:SHOWN]:
        note(line)
    if len(lines) > SHOWN:
        note(f"and {len(lines) - SHOWN} more")
