"""``jounce excite``: a motion whose log tells most about a robot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jounce.cli.arguments import (
    check_table,
    count_option,
    limits_option,
    output_option,
    positive_option,
    robot_argument,
    sample_count,
)
from jounce.cli.console import progress, say

if TYPE_CHECKING:
    from jounce.identification import Excitation
    from jounce.model.robot import Robot


@click.command(epilog="Example: jounce excite panda --time 10 -o motion.csv")
@robot_argument
@positive_option("--time", "duration", default=10.0, metavar="T",
                 help="How long, in s; then it repeats.")  # fmt: skip
@count_option("--harmonics", "Waves a joint is the sum of.", least=2, default=5)
@limits_option
@positive_option("--noise", metavar="SIGMA", help="Standard deviation of the torques in N m (N).  "
                 "[default: 1 % of the limits]")  # fmt: skip
@positive_option("--step", default=0.001, metavar="SECONDS",
                 help="Time between samples, of the motion and of the log.")  # fmt: skip
@count_option("--starts", "Searches; the best is taken.", least=1, default=3)
@count_option("--seed", "Of the random starts.", default=0)
@output_option("--out", "-o", help="Where to write t, q, v, a: .csv, .npz or .parquet.")
def excite(robot: Robot, *, out: Path | None, step: float, **options: Any) -> None:
    """Make a motion whose log tells most about a robot, within its limits."""
    from jounce.identification import excitation

    samples = sample_count(options["duration"], step)
    check_table(out)
    with progress(f"searching for a motion of {robot.name}") as bar:
        found = excitation(robot, rate=1.0 / step, progress=bar.reach, **options)
    _print(found)
    if out is not None:
        _write(robot, found, samples, out)


def _print(found: Excitation) -> None:
    worst = found.limits.worst
    say(f"condition {found.condition:.3g}, log det of the information {found.log_det:.5g}")
    if worst is not None:
        say(f"limits hold; the nearest is {worst.quantity} of {worst.joint}: {worst.use:.1%} used")
    width = max(len(name) for name in found.names)
    say("expected errors of the base parameters")
    for name, error in zip(found.names, found.uncertainty, strict=True):
        say(f"  {name:<{width}}  ± {error:.2g}")


def _write(robot: Robot, found: Excitation, samples: int, out: Path) -> None:
    import numpy as np

    from jounce.tables.file import write_table
    from jounce.tables.table import table_of

    time = np.linspace(0.0, found.duration, samples + 1)
    write_table(out, table_of(robot, time, found.motion(time, order=2)))
    say(f"{out}: {len(time)} samples")
