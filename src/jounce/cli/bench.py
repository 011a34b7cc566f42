"""``jounce bench``: how fast the code for a robot is, beside Pinocchio if it is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.table import Table

from jounce.cli.arguments import count_option, robot_argument
from jounce.cli.console import output, progress, say

if TYPE_CHECKING:
    from jounce.comparison.speed import Speed
    from jounce.model.robot import Robot


@click.command(epilog="Example: jounce bench arm.urdf --samples 1024")
@robot_argument
@count_option("--samples", "Of a batch.", least=1, default=4096)
@count_option("--rounds", "The best one counts.", least=1, default=15)
def bench(robot: Robot, *, samples: int, rounds: int) -> None:
    """Time the code for a robot, beside Pinocchio if it is installed.

    Batches run on one thread, Pinocchio's by rneaInParallel and abaInParallel; single calls come
    from Python.  Both compute the same motion; the largest difference is printed.
    """
    from jounce.comparison.speed import CONTESTS, measure

    with progress(f"compiling for {robot.name}", total=len(CONTESTS)) as advance:
        found = measure(robot, samples=samples, rounds=rounds, progress=advance)
    table = Table(title=f"{robot.name}: {samples} samples, one thread, best of {rounds}")
    table.add_column("what")
    for heading in ("operations", "µs a sample", "Pinocchio", "µs a sample", "times faster"):
        table.add_column(heading, justify="right")
    for row in found.rows:
        table.add_row(row.title, str(row.operations), *_cells(row))
    output().print(table)
    if found.deviation is not None:
        say(f"largest difference between our Q and Pinocchio's: {found.deviation:.1e} of Q")
    for note in found.notes:
        say(note)


def _cells(row: Speed) -> list[str]:
    ours = f"{1e6 * row.seconds:.3f}"
    if row.peer is None or row.peer_seconds is None:
        return [ours, "", "", ""]
    ratio = row.peer_seconds / row.seconds
    return [ours, row.peer, f"{1e6 * row.peer_seconds:.3f}", f"{ratio:.1f}"]
