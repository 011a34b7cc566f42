"""``jounce robots``: the bundled robots."""

from __future__ import annotations

import click
from rich.markup import escape

from jounce.cli.console import grid, output


@click.command(epilog="Example: jounce robots")
def robots() -> None:
    """List the bundled robots."""
    import jounce

    table = grid()
    table.add_column("robot", style="cyan", no_wrap=True)
    for heading in ("nq", "nv", "bodies", "mass [kg]"):
        table.add_column(escape(heading), justify="right", no_wrap=True)
    table.add_column("description")
    for name in jounce.robots():
        robot = jounce.load(name)
        sizes = (robot.nq, robot.nv, robot.n_bodies)
        summary = robot.description.partition("\n")[0]
        table.add_row(name, *map(str, sizes), f"{robot.mass:.3f}", escape(summary))
    output().print(table)
