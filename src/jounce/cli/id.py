"""``jounce id``: the torques of a logged motion, and their time derivatives."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jounce.cli.arguments import check_table, count_option, output_option, robot_argument
from jounce.cli.console import compiled_kernel, grid, note, output, progress, say
from jounce.cli.failure import CheckFailed
from jounce.cli.motion_argument import fleet_options, is_fleet, logged, motion_options, tell_failed
from jounce.cli.picture import Sketch, check_picture
from jounce.cli.stopwatch import Stopwatch

if TYPE_CHECKING:
    import numpy as np

    from jounce.model.robot import Robot
    from jounce.tables.log import Log

FOLDED = 64  # samples in a row when the largest is looked for


@click.command("id", epilog="Example: jounce id panda log.csv --units deg -o torques.csv")
@robot_argument
@count_option("--order", "Highest time derivative of the torques.", default=2, metavar="K")
@click.option("--out", "-o", type=click.Path(path_type=Path), metavar="FILE",
              help="Where to write t, Q:JOINT, Q1:JOINT …: .csv, .npz or .parquet; "
              "for many logs a folder.")  # fmt: skip
@click.option("--with-motion", is_flag=True, help="Write q, v, a … as well.")
@output_option("--plot", help="Where to draw the torques: .png, .svg or .pdf.")
@motion_options
@fleet_options
@count_option("--block", "Samples in memory at a time; does not change the result.", least=1,
              default=16384)  # fmt: skip
def id(
    robot: Robot,
    *,
    motion: tuple[Path, ...],
    reading: dict[str, Any],
    who: dict[str, Any],
    **options: Any,
) -> None:
    """Compute torques of a logged motion, and their rates.

    MOTION is a .csv, .npz or .parquet file with a column t and one for every joint, called as the
    joint or q:JOINT.  Rates that it lacks (columns v:JOINT, a:JOINT …) come from a smoothing
    spline through its highest ones.  Several files, folders or patterns are done side by side; then
    -o is a folder of Parquet files, and what is done already is not done again.
    """
    if is_fleet(motion, who):
        _run_fleet(robot, motion, options, **who, **reading)
        return
    order, out = options["order"], options["out"]
    check_table(out)
    plot = check_picture(options["plot"])
    watch = Stopwatch()
    log = logged(motion[0], robot, order + 2, reading, observe=watch.stage)
    sketch = None if plot is None else Sketch()
    highest, samples = _run(robot, log, watch, options, sketch)
    if plot is not None and sketch is not None:
        _draw(plot, robot, sketch, motion[0].name, order)
    _print_summary(robot, highest)
    if log.smoothing is not None:
        say(f"rates: {log.method}")
    split = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in watch.seconds.items())
    say(f"{f'{out}: ' if out else ''}{samples} samples; {split}")
    for line in log.notes:
        note(line)


def _run(
    robot: Robot, log: Log, watch: Stopwatch, options: dict[str, Any], sketch: Sketch | None
) -> tuple[np.ndarray, int]:
    """Read, fit, evaluate and write; return the largest |Q⁽ᵏ⁾| of each joint, and the samples."""
    import numpy as np

    from jounce.tables.file import table_writer

    kernel, _ = compiled_kernel(robot, "inverse_dynamics", options["order"])
    highest, samples = np.zeros((options["order"] + 1, robot.nv)), 0
    out = options["out"]
    target = nullcontext(lambda _: None) if out is None else table_writer(out)
    with target as write, progress(f"torques of {robot.name}") as bar:
        for table in log.forces(kernel, options["block"]):
            with watch.stage("evaluate"):
                highest = np.maximum(highest, _largest(np.asarray(table.forces)))
            with watch.stage("write"):
                write(table if options["with_motion"] else table.without_motion)
            if sketch is not None:
                sketch.add(table.time, np.asarray(table.forces), log.gaps)
            samples += len(table.time)
            bar.reach(log.done, 1.0)
    return highest, samples


def _largest(forces: np.ndarray) -> np.ndarray:
    """Return the largest |Q⁽ᵏ⁾| of each joint; NumPy compares long rows many times faster."""
    import numpy as np

    orders, samples, n = forces.shape
    whole, size = samples - samples % FOLDED, np.abs(forces)
    folded = size[:, :whole].reshape(orders, -1, FOLDED * n).max(axis=1, initial=0.0)
    rest = size[:, whole:].max(axis=1, initial=0.0)
    return np.maximum(folded.reshape(orders, FOLDED, n).max(axis=1), rest)


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


def _run_fleet(robot: Robot, motion: tuple[Path, ...], options: dict[str, Any], **how: Any) -> None:
    """Do many logs; those without a result are told, and make the command end with 1."""
    from jounce.fleet import inverse_dynamics
    from jounce.fleet.manifest import NAME

    out: Path | None = options["out"]
    if out is None or out.is_file() or options["with_motion"] or options["plot"]:
        raise click.UsageError("for many logs give -o FOLDER, and no --with-motion or --plot")
    with progress(f"torques of {robot.name}") as bar:
        order = options["order"]
        found = inverse_dynamics(robot, motion, out, order=order, progress=bar.reach, **how)
    samples = sum(record.samples for record in found.records)
    before = len(found.records) - found.made - len(found.failed)
    say(f"{out}: {len(found.records)} logs, {samples} samples; {found.made} made, {before} before")
    if found.failed:
        tell_failed([record.error or "" for record in found.failed])
        raise CheckFailed(f"{len(found.failed)} logs have no result; {out / NAME} lists them")


def _print_summary(robot: Robot, highest: np.ndarray) -> None:
    from rich.markup import escape

    from jounce.model.components import velocity_kinds, velocity_names

    rates = [f"|Q{k}| {'/s' if k == 1 else f'/s^{k}'}" for k in range(1, len(highest))]
    table = grid("joint", "largest |Q|", *rates)
    table.add_column("unit")
    joints = zip(velocity_names(robot), velocity_kinds(robot), highest.T, strict=True)
    for name, kind, values in joints:
        unit = "N" if kind == "length" else "N m"
        table.add_row(escape(name), *(f"{x:.6g}" for x in values), unit)
    output().print(table)
