"""``jounce id``: the torques of a logged motion, and their time derivatives."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jounce.cli.arguments import check_output, robot_argument
from jounce.cli.console import compile_with_progress, messages, output, progress
from jounce.cli.motion_argument import motion_options, notes, open_log

if TYPE_CHECKING:
    import numpy as np

    from jounce.model.robot import Robot
    from jounce.tables.motion_file import Block, MotionFile
    from jounce.tables.rates import Gaps, Plan
    from jounce.tables.stopwatch import Stopwatch

_FILE = click.Path(path_type=Path)
_TICKS = 1000  # of the progress bar
_BLOCK = 16384


@click.command("id", epilog="Example: jounce id panda log.csv --units deg -o torques.csv")
@robot_argument
@click.argument("motion", type=_FILE)
@click.option("--order", type=click.IntRange(min=0), default=2, show_default=True, metavar="K",
              help="Highest time derivative of the torques.")  # fmt: skip
@click.option("--out", "-o", type=_FILE, metavar="FILE",
              help="Where to write t, Q:JOINT, Q1:JOINT …: .csv, .npz or .parquet.")  # fmt: skip
@click.option("--with-motion", is_flag=True, help="Write q, v, a … as well.")
@motion_options
@click.option("--block", type=click.IntRange(min=1), default=_BLOCK, show_default=True,
              metavar="N",
              help="Samples in memory at a time; does not change the result.")  # fmt: skip
def id(robot: Robot, *, motion: Path, **options: Any) -> None:
    """Compute torques of a logged motion, and their rates.

    MOTION is a .csv, .npz or .parquet file with a column t and one for every joint, called as the
    joint or q:JOINT.  Rates that it lacks (columns v:JOINT, a:JOINT …) come from a smoothing
    spline through its highest ones.
    """
    from jounce.tables.rates import Gaps, plan
    from jounce.tables.stopwatch import Stopwatch

    order, out = options["order"], options["out"]
    _check_output(out, motion)
    file = open_log(motion, robot, order + 3, options)
    watch = Stopwatch()
    how = plan(motion, robot, file, order + 3, watch, options)
    gaps = Gaps(how.gap)
    highest, samples = _run(robot, file, how, gaps, watch, options)
    _print_summary(robot, highest)
    if how.smoothing is not None:
        _say(_described(how, file))
    split = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in watch.seconds.items())
    _say(f"{f'{out}: ' if out else ''}{samples} samples; {split}")
    for note in notes(motion, file, how, gaps):
        messages().print(f"jounce: {note}", markup=False, soft_wrap=True)


def _run(
    robot: Robot, file: MotionFile, how: Plan, gaps: Gaps, watch: Stopwatch, options: dict[str, Any]
) -> tuple[np.ndarray, int]:
    """Read, fit, evaluate and write; return the largest |Q⁽ᵏ⁾| of each joint, and the samples."""
    import numpy as np

    from jounce.errors import NotFiniteError
    from jounce.kernels.kernel import kernel_of
    from jounce.kernels.quantities import kernel_spec
    from jounce.tables.motion_table import table_of
    from jounce.tables.rates import stream
    from jounce.tables.read_write import table_writer

    kernel = kernel_of(kernel_spec(robot, "inverse_dynamics", options["order"]))
    compile_with_progress(kernel)
    highest, samples = np.zeros((options["order"] + 1, robot.nv)), 0
    out = options["out"]
    target = nullcontext(lambda _: None) if out is None else table_writer(out)
    with target as write, progress(f"torques of {robot.name}", _TICKS) as advance:
        done = 0

        def look(block: Block) -> None:
            nonlocal done
            gaps.look(block)
            ticks = int(_TICKS * block.done)
            advance(ticks - done)
            done = ticks

        for time, motion in stream(robot, file, how, options["block"], watch, look):
            with watch.stage("evaluate"):
                forces = kernel(*motion)
                highest = np.maximum(highest, np.abs(forces).max(axis=1))
            if not np.isfinite(highest).all():
                raise NotFiniteError(f"torques after t = {time[0]:g} s overflow; check the units.")
            with watch.stage("write"):
                kept = motion if options["with_motion"] else []
                write(table_of(time, file.names, file.rate_names, kept, forces))
            samples += len(time)
    return highest, samples


def _check_output(out: Path | None, motion: Path) -> None:
    """Find out before reading whether the result can be written."""
    from jounce.tables.motion_file import known_ending
    from jounce.tables.parquet import pyarrow

    if out is None:
        return
    if known_ending(out) == ".parquet":
        pyarrow()
    check_output(out)
    if out.exists() and motion.exists() and out.samefile(motion):
        raise click.UsageError(f"{out} is the motion itself; give another file to -o")


def _print_summary(robot: Robot, highest: np.ndarray) -> None:
    from rich.markup import escape
    from rich.table import Table

    from jounce.model.components import velocity_kinds, velocity_names

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("joint", style="cyan", no_wrap=True)
    for k in range(len(highest)):
        per = "" if k == 0 else "/s" if k == 1 else f"/s^{k}"
        title = f"largest |Q{k or ''}|" if k == 0 else f"|Q{k}|"
        table.add_column(f"{title} {per}".strip(), justify="right", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    joints = zip(velocity_names(robot), velocity_kinds(robot), highest.T, strict=True)
    for name, kind, values in joints:
        unit = "N" if kind == "length" else "N m"
        table.add_row(escape(name), *(f"{x:.6g}" for x in values), unit)
    output().print(table)


def _described(how: Plan, file: MotionFile) -> str:
    """Say in a line how the rates were found."""
    from jounce.tables.columns import LETTERS

    smoothing = how.smoothing
    assert smoothing is not None
    given = file.orders[0]
    what = LETTERS[given - 1] if given <= len(LETTERS) else f"q{given - 1}"
    if smoothing.interpolates:
        return f"rates: spline of degree {smoothing.degree} through {what}"
    return (
        f"rates: smoothing spline of degree {smoothing.degree} near {what}, a knot every "
        f"{smoothing.step:.3g} s; noise of {what} {smoothing.noise.min():.2g} … "
        f"{smoothing.noise.max():.2g}"
    )


def _say(line: str) -> None:
    output().print(line, markup=False, soft_wrap=True)
