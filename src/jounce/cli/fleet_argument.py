"""What commands take that also work on many logs: the logs, and who does the work."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from glob import has_magic
from pathlib import Path
from typing import Any

import click

from jounce.cli.console import messages, progress

TICKS = 1000  # of the progress bar
SHOWN = 10  # logs without a result that are told one by one

_WHO = (
    click.option("--workers", type=click.IntRange(min=1), metavar="N",
                 help="For many logs: processes of this machine.  [default: one a core]"),
    click.option("--scheduler", metavar="ADDRESS",
                 help="For many logs: a Dask cluster, such as tcp://host:8786."),
)  # fmt: skip


_MOTION = click.argument("motion", type=click.Path(path_type=Path), nargs=-1, required=True,
                         metavar="MOTION...")  # fmt: skip


def who_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give ``command`` the options ``--workers`` and ``--scheduler``."""
    for option in reversed(_WHO):
        command = option(command)
    return command


def fleet_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give ``command`` one or many logs as ``motion``, and who does them."""
    return _MOTION(who_options(command))


def is_fleet(motion: Sequence[Path], options: dict[str, Any], *, several: bool = True) -> bool:
    """Whether many logs are meant: a folder, a pattern, somebody to do them, ``several`` names."""
    if options["workers"] is not None and options["scheduler"] is not None:
        raise click.UsageError("give --workers or --scheduler, not both")
    asked = options["workers"] is not None or options["scheduler"] is not None
    return asked or (several and len(motion) > 1) or any(map(_is_many, motion))


def _is_many(path: Path) -> bool:
    """Whether a path is a folder that is no bag, or a pattern."""
    if path.exists():
        return path.is_dir() and not (path / "metadata.yaml").is_file()
    return has_magic(os.fspath(path))


def who(options: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that say who does the work."""
    return {"workers": options["workers"], "client": options["scheduler"]}


@contextmanager
def fleet_progress(description: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar while the block runs; yields what is told how many logs are done."""
    shown = 0
    with progress(description, TICKS) as advance:

        def report(done: int, total: int) -> None:
            nonlocal shown
            advance(TICKS * done // total - shown)
            shown = TICKS * done // total

        yield report


def tell_failed(lines: Sequence[str]) -> None:
    """Say on stderr which logs have no result, and why."""
    for line in lines[:SHOWN]:
        messages().print(f"jounce: {line}", markup=False, soft_wrap=True)
    if len(lines) > SHOWN:
        messages().print(f"jounce: and {len(lines) - SHOWN} more", markup=False, soft_wrap=True)
