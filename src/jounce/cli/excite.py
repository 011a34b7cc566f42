"""``jounce excite``: a motion whose log tells most about a robot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jounce.cli.arguments import FiniteRange, check_output, robot_argument, sample_count
from jounce.cli.console import progress, say

if TYPE_CHECKING:
    from jounce.identification import Excitation
    from jounce.model.robot import Robot

_FILE = click.Path(path_type=Path, dir_okay=False)
_TABLES = (".csv", ".npz", ".parquet")


@click.command(epilog="Example: jounce excite panda --time 10 -o motion.csv")
@robot_argument
@click.option(
    "--time",
    "duration",
    type=FiniteRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="T",
    help="How long, in s; then it repeats.",
)
@click.option(
    "--harmonics",
    type=click.IntRange(min=2),
    default=5,
    show_default=True,
    metavar="N",
    help="Waves a joint is the sum of.",
)
@click.option(
    "--limits", type=_FILE, metavar="FILE", help="A .csv or .json of limits, else those of ROBOT."
)
@click.option(
    "--noise",
    type=FiniteRange(min=0, min_open=True),
    metavar="SIGMA",
    help="Standard deviation of the torques in N m (N).  [default: 1 % of the limits]",
)
@click.option(
    "--step",
    type=FiniteRange(min=0, min_open=True),
    default=0.001,
    show_default=True,
    metavar="SECONDS",
    help="Time between samples, of the motion and of the log.",
)
@click.option(
    "--starts",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    metavar="N",
    help="Searches; the best is taken.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, metavar="N", help="Of the random starts."
)
@click.option("--out", "-o", type=_FILE, metavar="FILE",
              help="Where to write t, q, v, a: .csv, .npz or .parquet.")  # fmt: skip
def excite(robot: Robot, **options: Any) -> None:
    """Make a motion whose log tells most about a robot, within its limits."""
    from jounce.identification import excitation
    from jounce.limits.limits import MotionLimits

    samples = sample_count(options["duration"], options["step"])
    out = check_output(options["out"], *_TABLES, inputs=[options["limits"]])
    limits = None if options["limits"] is None else MotionLimits.read(options["limits"], robot)
    with progress(f"searching for a motion of {robot.name}") as advance:
        found = excitation(
            robot,
            limits,
            duration=options["duration"],
            harmonics=options["harmonics"],
            noise=options["noise"],
            rate=1.0 / options["step"],
            starts=options["starts"],
            seed=options["seed"],
            progress=lambda *_: advance(),
        )
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

    from jounce.model.components import position_names
    from jounce.tables.file import write_table
    from jounce.tables.table import MotionTable

    time = np.linspace(0.0, found.duration, samples + 1)
    write_table(out, MotionTable(time, position_names(robot), found.motion(time, order=2)))
    say(f"{out}: {len(time)} samples")
