"""``jounce identify``: from logs with torques to a robot, or to what it carried."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jounce.cli.arguments import LOG, FiniteRange, check_output, output_option, robot_argument
from jounce.cli.console import note, progress, say
from jounce.cli.failure import CheckFailed
from jounce.cli.motion_argument import is_fleet, motion_options, tell_failed, who_options

if TYPE_CHECKING:
    from jounce.identification.information import Information
    from jounce.model.robot import Robot

_KINDS = ("viscous", "coulomb", "offset")


@click.command(
    epilog="Example: jounce identify panda log.csv --validate other.csv -o identified.json"
)
@robot_argument
@click.argument("logs", type=LOG, nargs=-1, required=True)
@click.option("--validate", type=LOG, multiple=True, metavar="LOG",
              help="A log that nothing is fitted to, to measure the result; "
              "may be repeated.")  # fmt: skip
@click.option("--friction", default=",".join(_KINDS), show_default=True, metavar="KINDS",
              help="What is looked for besides the bodies; none for nothing.")  # fmt: skip
@click.option("--armature", is_flag=True, help="Look for the inertias of the motors too.")
@click.option("--least-squares", is_flag=True,
              help="Take what fits best, even if no robot can be like that.")  # fmt: skip
@click.option("--prior", type=click.Choice(["entropic", "euclidean", "none"]), default="entropic",
              show_default=True, help="Distance to ROBOT that decides what the logs do "
              "not.")  # fmt: skip
@click.option("--payload-frame", metavar="FRAME",
              help="Find only the load at this frame; see --without.")  # fmt: skip
@click.option("--without", type=LOG, multiple=True, metavar="LOG",
              help="With --payload-frame: a log without the load.  "
              "[default: ROBOT is right]")  # fmt: skip
@click.option("--trim", type=FiniteRange(min=0), metavar="SECONDS",
              help="Leave out so much at both ends of a log.  "
              "[default: five knots of the spline]")  # fmt: skip
@motion_options
@who_options
@output_option("--report", "page",
               help="Where to write a page of forces, residuals and parameters: "
               ".html.")  # fmt: skip
@output_option("--out", "-o", help="Where to write the robot: .json, or .urdf if ROBOT is one.")
def identify(
    robot: Robot,
    *,
    logs: tuple[Path, ...],
    reading: dict[str, Any],
    who: dict[str, Any],
    **options: Any,
) -> None:
    """Find the robot that fits logs with torques, or what it carried.

    A LOG is a .csv, .npz or .parquet file with a column t and, for every joint, q:JOINT and the
    measured torque Q:JOINT; rates that it lacks come from a smoothing spline, as in jounce id.
    Folders and patterns stand for the logs in them, which are read side by side.
    """
    from jounce.identification import identify as found_by
    from jounce.identification import payload

    source = click.get_current_context().meta["jounce.source"]
    out = check_output(options["out"], ".json", ".urdf")
    if out is not None and out.suffix.lower() == ".urdf" and not str(source).endswith(".urdf"):
        raise click.UsageError(f"{out}: a URDF can be written only if ROBOT is one, not {source}")
    page = check_output(options["page"], ".html")
    reading = {**reading, "trim": options["trim"]}
    if options["without"] and options["payload_frame"] is None:
        raise click.UsageError("--without needs --payload-frame")
    if page is not None and options["payload_frame"] is not None:
        raise click.UsageError("--report is about a whole robot, not about --payload-frame")
    friction = _kinds(options["friction"])
    armature = options["armature"] and options["payload_frame"] is None
    looked_for = {"friction": friction, "armature": armature}
    told = _told(robot, logs, who, **looked_for, **reading)
    bare = _told(robot, options["without"], who, **looked_for, **reading)
    left_out = [
        line for part in (*told, *bare) if not isinstance(part, Path) for line in part.failed
    ]
    if options["payload_frame"] is not None:
        load = payload(
            robot,
            options["payload_frame"],
            *told,
            without=bare or None,
            friction=friction,
            consistent=not options["least_squares"],
            **reading,
        )
        say(load.report())
        _write(robot.with_payload(load.frame, load.inertia), out, source)
    else:
        found = found_by(
            robot,
            *told,
            **looked_for,
            consistent=not options["least_squares"],
            prior=None if options["prior"] == "none" else options["prior"],
            validate=[*options["validate"]] or None,
            **reading,
        )
        say(found.report())
        _write(found.robot, out, source)
        if page is not None:
            from jounce.report.identification import write_identification

            shown = options["validate"] or [_first_read(logs, left_out)]
            write_identification(page, found, shown[0], **reading)
    if left_out:
        tell_failed(left_out)
        raise CheckFailed(f"{len(left_out)} logs are left out")


def _told(
    robot: Robot, logs: tuple[Path, ...], who: dict[str, Any], **said: Any
) -> list[Path | Information]:
    """Return the logs, or what they tell together where many are meant."""
    if not logs or not is_fleet(logs, who, several=False):
        return [*logs]
    from jounce.fleet import information

    with progress(f"logs of {robot.name}") as bar:
        return [information(robot, logs, progress=bar.reach, **who, **said)]


def _first_read(logs: tuple[Path, ...], left_out: list[str]) -> str:
    """Return the first of the logs that is not left out."""
    from jounce.fleet.sources import sources

    paths = [source.path for source in sources(logs if left_out else logs[:1])]
    return next(x for x in paths if not any(line.startswith(f"{x}:") for line in left_out))


def _write(robot: Robot, out: Path | None, source: str) -> None:
    if out is None:
        return
    if out.suffix.lower() == ".json":
        robot.save(out)
        return
    from jounce.formats.urdf.write import write_urdf

    for line in write_urdf(robot, source, out):
        note(f"{out}: {line}")


def _kinds(text: str) -> tuple[str, ...]:
    words = tuple(word for word in text.replace(",", " ").split() if word != "none")
    for word in words:
        if word not in _KINDS:
            raise click.UsageError(f"--friction takes {', '.join(_KINDS)} or none, got {word!r}")
    return words
