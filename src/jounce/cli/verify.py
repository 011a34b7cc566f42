"""``jounce verify``: check a robot and everything that is computed of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.markup import escape

from jounce.cli.arguments import count_option, robot_argument
from jounce.cli.console import grid, output, progress
from jounce.cli.failure import CheckFailed

if TYPE_CHECKING:
    from rich.table import Table

    from jounce.model.robot import Robot
    from jounce.verification.records import Verification


@click.command(epilog="Example: jounce verify panda --samples 4 --order 2")
@robot_argument
@count_option("--samples", "Number of random motions.", least=1, default=8)
@count_option("--order", "Highest time derivative of the forces.", default=4, metavar="K")
@count_option("--seed", "Seed of the random motions.", default=0, metavar="S")
def verify(robot: Robot, **options: int) -> None:
    """Check that a robot is sound and that all computations of it agree.

    Exits with 1 if a check fails.  With --no-strict, bodies that cannot be are no bad input:
    negative kinetic energy is a failed check, other impossible inertias are a note.
    """
    import jounce

    with progress(f"verifying {robot.name}") as bar:
        found = jounce.verify(robot, **options, progress=bar.reach)
    console = output()
    console.print(escape(found.title), soft_wrap=True)
    console.print(_table(found))
    if not found.passed:
        raise CheckFailed(found.verdict)
    console.print(found.verdict)


def _table(found: Verification) -> Table:
    from jounce.verification.records import number

    table = grid()
    table.add_column("check")
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("limit", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("", overflow="fold")
    for check in found.checks:
        colour = "green" if check.passed else "bold red"
        verdict = f"[{colour}]{check.verdict}[/]"
        table.add_row(
            escape(check.name), number(check.value), check.limit, verdict, escape(check.detail)
        )
    return table
