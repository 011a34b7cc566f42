"""``jounce id``: the torques of a logged motion, and their time derivatives."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jounce.cli.arguments import check_output, robot_argument
from jounce.cli.console import compile_with_progress, messages, output, progress
from jounce.cli.failure import CheckFailed
from jounce.cli.fleet_argument import fleet_options, fleet_progress, is_fleet, tell_failed, who
from jounce.cli.motion_argument import NAMES, logged, motion_options
from jounce.cli.picture import ENDINGS, Sketch
from jounce.cli.stopwatch import Stopwatch
from jounce.lazy import required

if TYPE_CHECKING:
    import numpy as np

    from jounce.model.robot import Robot
    from jounce.tables.log import Log

_FILE = click.Path(path_type=Path)
_TICKS = 1000  # of the progress bar
_BLOCK = 16384


@click.command("id", epilog="Example: jounce id panda log.csv --units deg -o torques.csv")
@robot_argument
@click.option("--order", type=click.IntRange(min=0), default=2, show_default=True, metavar="K",
              help="Highest time derivative of the torques.")  # fmt: skip
@click.option("--out", "-o", type=_FILE, metavar="FILE",
              help="Where to write t, Q:JOINT, Q1:JOINT …: .csv, .npz or .parquet; "
              "for many logs a folder.")  # fmt: skip
@click.option("--with-motion", is_flag=True, help="Write q, v, a … as well.")
@click.option("--plot", type=_FILE, metavar="FILE",
              help="Where to draw the torques: .png, .svg or .pdf.")  # fmt: skip
@motion_options
@fleet_options
@click.option("--block", type=click.IntRange(min=1), default=_BLOCK, show_default=True,
              metavar="N",
              help="Samples in memory at a time; does not change the result.")  # fmt: skip
def id(robot: Robot, *, motion: tuple[Path, ...], **options: Any) -> None:
    """Compute torques of a logged motion, and their rates.

    MOTION is a .csv, .npz or .parquet file with a column t and one for every joint, called as the
    joint or q:JOINT.  Rates that it lacks (columns v:JOINT, a:JOINT …) come from a smoothing
    spline through its highest ones.  Several files, folders or patterns are done side by side; then
    -o is a folder of Parquet files, and what is done already is not done again.
    """
    if is_fleet(motion, options):
        _run_fleet(robot, motion, options)
        return
    order, out = options["order"], options["out"]
    _check_output(out, motion[0])
    plot = check_output(options["plot"], *ENDINGS, inputs=motion)
    if plot is not None:
        required("matplotlib", "--plot", "plot")
    watch = Stopwatch()
    log = logged(motion[0], robot, order + 2, options, observe=watch.stage)
    sketch = None if plot is None else Sketch()
    highest, samples = _run(robot, log, watch, options, sketch)
    if plot is not None and sketch is not None:
        _draw(plot, robot, sketch, motion[0].name, order)
    _print_summary(robot, highest)
    if log.smoothing is not None:
        _say(f"rates: {log.method}")
    split = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in watch.seconds.items())
    _say(f"{f'{out}: ' if out else ''}{samples} samples; {split}")
    for note in log.notes:
        messages().print(f"jounce: {note}", markup=False, soft_wrap=True)


def _run(
    robot: Robot, log: Log, watch: Stopwatch, options: dict[str, Any], sketch: Sketch | None
) -> tuple[np.ndarray, int]:
    """Read, fit, evaluate and write; return the largest |Q⁽ᵏ⁾| of each joint, and the samples."""
    import numpy as np

    from jounce.kernels.description import kernel_spec
    from jounce.kernels.kernel import kernel_of
    from jounce.tables.file import table_writer
    from jounce.tables.forces import log_forces, without_motion

    kernel = kernel_of(kernel_spec(robot, "inverse_dynamics", options["order"]))
    compile_with_progress(kernel)
    highest, samples, done = np.zeros((options["order"] + 1, robot.nv)), 0, 0
    out = options["out"]
    target = nullcontext(lambda _: None) if out is None else table_writer(out)
    with target as write, progress(f"torques of {robot.name}", _TICKS) as advance:
        for table in log_forces(log, kernel, options["block"], observe=watch.stage):
            with watch.stage("evaluate"):
                highest = np.maximum(highest, np.abs(np.asarray(table.forces)).max(axis=1))
            with watch.stage("write"):
                write(table if options["with_motion"] else without_motion(table))
            if sketch is not None:
                sketch.add(table.time, np.asarray(table.forces), log.gaps)
            samples += len(table.time)
            advance(int(_TICKS * log.done) - done)
            done = int(_TICKS * log.done)
    return highest, samples


def _draw(path: Path, robot: Robot, sketch: Sketch, log: str, order: int) -> None:
    """Draw the torques and their rates, one below the other."""
    import numpy as np

    from jounce.cli.picture import Pane, draw
    from jounce.model.components import velocity_names
    from jounce.report.labels import derivative, force_unit

    times, rows = (np.split(x, order + 1, axis=1) for x in sketch.joined())
    names = velocity_names(robot)
    panes = [
        Pane(f"{derivative('Q', k)} [{force_unit(robot, k)}]", names, rows[k], times[k])
        for k in range(order + 1)
    ]
    title = f"{robot.name}: torques of {log}, {sketch.samples} samples"
    draw(path, title, times[0][:, 0], panes)


def _run_fleet(robot: Robot, motion: tuple[Path, ...], options: dict[str, Any]) -> None:
    """Do many logs; those without a result are told, and make the command end with 1."""
    from jounce.fleet import inverse_dynamics
    from jounce.fleet.manifest import NAME

    out: Path | None = options["out"]
    if out is None or out.is_file() or options["with_motion"] or options["plot"]:
        raise click.UsageError("for many logs give -o FOLDER, and no --with-motion or --plot")
    with fleet_progress(f"torques of {robot.name}") as report:
        found = inverse_dynamics(
            robot,
            motion,
            out,
            order=options["order"],
            progress=report,
            **who(options),
            **{name: options[name] for name in NAMES},
        )
    samples = sum(record.samples for record in found.records)
    before = len(found.records) - found.made - len(found.failed)
    _say(f"{out}: {len(found.records)} logs, {samples} samples; {found.made} made, {before} before")
    if found.failed:
        tell_failed([record.error or "" for record in found.failed])
        raise CheckFailed(f"{len(found.failed)} logs have no result; {out / NAME} lists them")


def _check_output(out: Path | None, motion: Path) -> None:
    """Find out before reading whether the result can be written."""
    from jounce.tables.file import known_ending
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


def _say(line: str) -> None:
    output().print(line, markup=False, soft_wrap=True)
