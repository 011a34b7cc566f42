"""``jounce plan``: the fastest motion through points within the limits of a robot."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jounce.cli.arguments import (
    INPUT,
    LOG,
    FiniteRange,
    actuated_option,
    check_output,
    check_table,
    count_option,
    elastic_option,
    elastic_robot,
    joints_option,
    output_option,
    positive_option,
    robot_argument,
    sample_count,
)
from jounce.cli.console import grid, note, output, progress, say
from jounce.cli.picture import check_picture

if TYPE_CHECKING:
    from jounce.limits.limits import MotionLimits
    from jounce.model.robot import Robot
    from jounce.planning.timed_motion import TimedMotion
    from jounce.tables.table import MotionTable

_CHOSEN = ("knots", "smoothness", "actuated", "independent", "start_speed", "end_speed")


@click.command(
    "plan", epilog="Example: jounce plan panda points.csv --limits limits.csv -o motion.csv"
)
@robot_argument
@click.argument("points", type=LOG)
@click.option("--limits", type=INPUT, metavar="FILE",
              help="Limits (.csv, .json), those of motors too; what it leaves out is the robot's "
              "own.")  # fmt: skip
@output_option("--out", "-o",
               help="Where to write t, q, v, a …, Q, Q1 …: .csv, .npz or .parquet.")  # fmt: skip
@positive_option("--rate", default=1000.0, metavar="HZ", help="Samples a second to write.")
@output_option("--report", help="Write a page that shows the motion (.html).")
@output_option("--plot", help="Write a picture of torques and rates as parts of their limits.")
@count_option("--knots", "Pieces of the speed along the path.  [default: 50 a point]", least=8)
@count_option("--smoothness", "Derivatives of q that vanish at ends at rest.  [default: 3, behind "
              "springs 4 or 5]", least=1)  # fmt: skip
@click.option("--start-speed", type=FiniteRange(min=0), default=0.0, metavar="V",
              help="|v| at the start, if not at rest.")  # fmt: skip
@click.option("--end-speed", type=FiniteRange(min=0), default=0.0, metavar="V",
              help="|v| at the end, if not at rest.")  # fmt: skip
@elastic_option("Plan for motors of inertia J behind springs of stiffness K (or inf)")
@actuated_option
@joints_option("--independent", "Joints that follow the points, of a robot with closures; all "
               "others follow the closures.")  # fmt: skip
@click.option("--units", metavar="UNITS", help="Units of POINTS, as for 'jounce id'.")
def plan(robot: Robot, *, points: Path, limits: Path | None, **options: Any) -> None:
    """Find the fastest motion through points that keeps all limits.

    POINTS is a .csv, .npz or .parquet file as for 'jounce id', with one point a row; of its
    column t only the order counts, so 0, 1, 2 … will do.  Points of a robot with closures are put
    onto these, to which they must be near.  With --elastic the torque and torque-rate limits are
    those of the springs, and limits may have motor_torque, motor_torque_rate and motor_speed.
    """
    from jounce.lazy import required
    from jounce.limits.forces import motors_unnamed
    from jounce.planning.planner import time_optimal
    from jounce.tables.file import read_motion, write_table
    from jounce.trajectory.closed import closed_samples

    out, page = check_table(options["out"]), check_output(options["report"], ".html")
    plot = check_picture(options["plot"])
    if page is not None:
        required("plotly", "a report", "report")
        if robot.closures and options["actuated"] is None:
            raise motors_unnamed(robot, "--report shows the forces of")
    drives = elastic_robot(robot, options["elastic"], options["actuated"])
    known, motors = _limits(limits, robot, is_elastic=drives is not None)
    path = read_motion(points, robot, units=options["units"]).values[0]
    if robot.closures:
        (path,), away = closed_samples(robot, [path], ())
        if away > 1e-9:
            note(f"{points}: put onto the closures, {away:.1e} rad or m away at most")
    with progress(f"planning {robot.name} through {len(path)} points"):
        chosen = {name: options[name] for name in _CHOSEN}
        if drives is not None and robot.closures:
            del chosen["actuated"]  # the joints with springs are
        motion = time_optimal(drives or robot, path, known, **motors, **chosen)
    _print(motion)
    rate = options["rate"]
    sample_count(motion.duration, 1.0 / rate, f"--rate {rate:g}")
    table = motion.table(rate)
    title = f"fastest motion through {points.name}, {motion.duration:.4g} s"
    if out is not None:
        write_table(out, table)
    if page is not None:
        from jounce.report.write import write_report

        told = {"limits": known, "elastic": drives, "actuated": options["actuated"]}
        write_report(page, robot, table.time, *table.motion, source=title, **told)
    if plot is not None:
        _draw(plot, robot, table, known, f"{robot.name}: {title}")
    written = ", ".join(str(x) for x in (out, page, plot) if x is not None)
    if written:
        say(f"{written}: {table.time.size} samples")


def _limits(
    path: Path | None, robot: Robot, *, is_elastic: bool
) -> tuple[MotionLimits, dict[str, Any]]:
    """Return the limits of a file, or the robot's own, and those of the motors in it."""
    from jounce.limits.limits import MotionLimits, read_bounds
    from jounce.planning.drives import FEATURES

    bounds: dict[str, Any] = {} if path is None else read_bounds(path)
    motors = {name: bounds.pop(name) for name in FEATURES if name in bounds}
    if motors and not is_elastic:
        raise click.UsageError(
            f"{path}: {', '.join(motors)} are limits of motors behind springs; give these with "
            "--elastic K,J, or leave the limits out"
        )
    return MotionLimits.of(robot, **bounds), motors


def _print(motion: TimedMotion) -> None:
    from rich.markup import escape

    from jounce.limits.limits import spoken

    table = grid("limit that binds", "joint", "from s", "to s", words=2)
    for row in motion.binding:
        table.add_row(spoken(row.quantity), escape(row.joint), f"{row.start:.4f}", f"{row.end:.4f}")
    output().print(table)
    one_speed, *faster = motion.durations
    say(
        f"duration {motion.duration:.6g} s; lower bound {motion.lower_bound:.6g} s (without limits "
        "of rates)" + (f"; with one speed {one_speed:.6g} s" if faster else "")
    )
    if not motion.converged:
        note("the solver stopped early; the motion keeps all limits")


def _draw(path: Path, robot: Robot, table: MotionTable, limits: MotionLimits, title: str) -> None:
    """Draw velocities, torques and torque rates as parts of their limits."""
    from jounce.cli.picture import Pane, draw
    from jounce.limits.limits import spoken

    assert table.forces is not None
    panes = []
    rows = {"velocity": table.motion[1], "effort": table.forces[0], "effort_rate": table.forces[1]}
    for name, values in rows.items():
        bound = getattr(limits, name)
        limited = [k for k in range(robot.nv) if isfinite(bound[k]) and bound[k] > 0.0]
        names = [limits.names[k] for k in limited]
        panes.append(Pane(f"{spoken(name)} / limit", names, values[:, limited] / bound[limited]))
    draw(path, title, table.time, panes)
