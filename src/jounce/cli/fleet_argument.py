"""What commands take that also work on many logs: the logs, and who does the work."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from glob import has_magic
from pathlib import Path
from typing import Any

import click

from jounce.cli.arguments import LOG, Command, count_option
from jounce.cli.console import note

SHOWN = 10  # logs without a result that are told one by one


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
