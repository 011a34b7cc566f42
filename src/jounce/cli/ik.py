"""``jounce ik``: joint coordinates of a pose, joint motion along a path."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jounce.cli.arguments import (
    INPUT,
    check_table,
    count_option,
    numbers,
    output_option,
    positive_option,
    robot_argument,
    sample_count,
)
from jounce.cli.console import messages, note, progress, say
from jounce.cli.failure import CheckFailed

if TYPE_CHECKING:
    import numpy as np

    from jounce.model.robot import Robot

_POSE = "x y z roll pitch yaw | x y z qx qy qz qw"


@click.command(epilog="Example: jounce ik iiwa14 --frame flange --pose '0.4 0 0.3 0 3.1 0'")
@robot_argument
@click.option("--frame", required=True, metavar="NAME", help="Frame that is to move.")
@click.option("--pose", metavar="NUMBERS", help=f"'{_POSE}', in m and rad.")
@click.option("--path", "path_file", type=INPUT, metavar="FILE.csv",
              help="Poses in time: columns t, x, y, z, qx, qy, qz, qw.")  # fmt: skip
@click.option("--q0", metavar="NUMBERS", help="Where to start from; the nearest solution is taken.")
@click.option("--no-limits", is_flag=True, help="Ignore the limits of position and velocity.")
@click.option("--no-velocity-limits", is_flag=True, help="Ignore those of velocity only.")
@count_option("--seed", "Of the random starts.", default=0)
@click.option("--json", "as_json", is_flag=True, help="With --pose: print JSON.")
@click.option("--kind", type=click.Choice(["spline", "screws"]), default="spline",
              show_default=True, help="With --path: how to go from pose to pose.")  # fmt: skip
@click.option("--ends", type=click.Choice(["rest", "free"]), default="rest", show_default=True,
              help="With a spline: whether it starts and ends at rest.")  # fmt: skip
@click.option("--degree", type=click.Choice(["3", "5", "7", "9"]), metavar="3|5|7|9",
              help="With a spline: its degree; at rest (degree − 1) / 2 derivatives vanish.  "
              "[default: 9 at rest, 5 with free ends]")  # fmt: skip
@positive_option("--step", default=0.01, metavar="SECONDS",
                 help="With --path: time between samples.")  # fmt: skip
@output_option("--out", "-o",
               help="With --path: where to write q … q⁗: .csv, .npz or .parquet.")  # fmt: skip
def ik(
    robot: Robot, *, frame: str, pose: str | None, path_file: Path | None, **options: Any
) -> None:
    """Find the joints that put a frame at a pose, or move it along a path.

    ROBOT is the name of a bundled robot or a file: .urdf, .xacro, .xml (MJCF) or .json.
    """
    if (pose is None) == (path_file is None):
        raise click.UsageError("give either --pose or --path")
    start = None if options["q0"] is None else numbers("--q0", options["q0"], robot.nq)
    if pose is not None:
        _solve(robot, frame, pose, start, options)
    elif path_file is not None:
        _follow(robot, frame, path_file, start, options)


def _solve(robot: Robot, frame: str, text: str, q0: Any, options: dict[str, Any]) -> None:
    from jounce.ik import inverse_kinematics

    goal = _pose(text)
    found = inverse_kinematics(
        robot, frame, goal, q0, limits=not options["no_limits"], seed=options["seed"]
    )
    if not found.converged:
        within = "" if options["no_limits"] else " within the limits"
        raise CheckFailed(
            f"no q{within} puts frame {frame!r} there: the nearest misses it by {found.error:.3g} "
            "(rad, m); try another --q0 or --seed"
        )
    moving = [joint for joint in robot.joints if joint.mimic is None]
    values = {joint.name: found.q[joint.q_slice].tolist() for joint in moving}
    if options["as_json"]:
        summary = {"q": found.q.tolist(), "joints": values, "error": float(found.error),
                   "iterations": int(found.iterations)}  # fmt: skip
        click.echo(json.dumps(summary, indent=2, allow_nan=False))
        return
    for name, row in values.items():
        say(f"{name:20} {' '.join(f'{x: .12f}' for x in row)}")
    report = f"error {found.error:.2g} (rad, m) after {found.iterations} steps"
    messages().print(report, markup=False, soft_wrap=True)


def _follow(robot: Robot, frame: str, file: Path, q0: Any, options: dict[str, Any]) -> None:
    import numpy as np

    from jounce.ik import PathError, PoseSpline, ScrewMotions, follow, read_poses
    from jounce.tables.file import table_writer

    out = options["out"]
    if out is None:
        raise click.UsageError("--path needs --out, the file for q … q⁗")
    check_table(out)
    start = _middle(robot) if q0 is None else q0
    times, poses = read_poses(file)
    ends = options["ends"]
    if options["kind"] == "screws":
        if options["degree"] is not None:
            raise click.UsageError("--degree is for --kind spline")
        path: Any = ScrewMotions(times, poses)
    else:
        degree = int(options["degree"] or (9 if ends == "rest" else 5))
        path = PoseSpline(times, poses, degree=degree, ends=ends)
    count = max(2, sample_count(path.end - path.start, options["step"]) + 1)
    samples = np.linspace(path.start, path.end, count)
    limits = {
        "limits": not options["no_limits"],
        "velocity_limits": not (options["no_limits"] or options["no_velocity_limits"]),
    }
    title = f"moving {frame} along {file.name}"
    try:
        with table_writer(out) as write, progress(title, count) as advance:
            motion = follow(robot, frame, path, samples, start, progress=advance, **limits)
            write(motion.table(robot))
    except PathError as error:
        began = "it began in the middle of the range, --q0 sets another start"
        hint = began if q0 is None else "try another --q0"
        raise CheckFailed(f"{str(error).rstrip('.')}; {hint}") from error
    worst = int(np.argmax(motion.condition))
    say(
        f"{out}: {count} samples, q and four derivatives of {robot.nv} joints; largest condition "
        f"number {motion.condition[worst]:.3g} at t = {samples[worst]:.4g} s"
    )
    if q0 is None:
        note("without --q0 the search began in the middle of the range")


def _middle(robot: Robot) -> np.ndarray:
    """Return the middle of the range of each coordinate, and where there is none, neutral."""
    import numpy as np

    ends = np.array([robot.limits.lower, robot.limits.upper])
    bounded = np.isfinite(ends).all(axis=0)
    return np.where(bounded, 0.5 * np.where(bounded, ends, 0.0).sum(axis=0), robot.neutral)


def _pose(text: str) -> np.ndarray:
    from jounce.model.checks import unit_norms
    from jounce.model.placement import transform

    values = numbers("--pose", text, 6, 7, meaning=_POSE)
    if len(values) == 6:
        return transform(values[:3], rpy=values[3:])
    unit_norms("the quaternion (x y z w) of --pose", values[3:])
    return transform(values[:3], quaternion=values[3:])
