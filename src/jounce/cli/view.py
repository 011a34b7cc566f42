"""``jounce view``: a robot in the browser, with sliders, or a log that plays."""

from __future__ import annotations

import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jounce.cli.arguments import robot_argument
from jounce.cli.console import messages, say
from jounce.cli.motion_argument import NAMES, logged, motion_options

if TYPE_CHECKING:
    import numpy as np

    from jounce.model.robot import Robot

_FILE = click.Path(path_type=Path, dir_okay=False)
_ORDER = 3  # of q: torque rates need the jerk


@click.command(epilog="Example: jounce view arm.urdf log.csv")
@robot_argument
@click.argument("motion", type=click.Path(path_type=Path), required=False)
@click.option("--limits", "limits_file", type=_FILE, metavar="FILE",
              help="Limits instead of those of ROBOT: .csv or .json.")  # fmt: skip
@click.option("--wrenches", "wrench_file", type=_FILE, metavar="FILE",
              help="What acts on the robot along MOTION: a .csv with t and FRAME[mx] … "
              "FRAME[fz].")  # fmt: skip
@motion_options
@click.option("--port", type=click.IntRange(1, 65535), default=8080, show_default=True,
              help="Where to serve; the next free port if it is taken.")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True,
              help="Who is served: this machine, or 0.0.0.0: the whole network.")  # fmt: skip
@click.option("--no-open", is_flag=True, help="Say the address, and open no browser.")
def view(robot: Robot, *, motion: Path | None, **options: Any) -> None:
    """Show a robot in the browser, with sliders, or play a log along.

    MOTION is a table as for 'jounce id'.  Shapes are those of the file of ROBOT; without them
    it is a stick figure.  Joints are green far from their limits, yellow near one, red beyond.
    Ends with Ctrl-C.
    """
    from jounce.limits.limits import MotionLimits
    from jounce.viewer import View

    limits_file = options["limits_file"]
    limits = None if limits_file is None else MotionLimits.read(limits_file, robot)
    played: tuple[Any, ...] = ()
    notes: list[str] = []
    wrenches: dict[str, np.ndarray] | None = None
    if motion is not None:
        log = logged(motion, robot, _ORDER, options)
        table = log.table()
        played, notes = (table.time, *table.motion), log.notes
        if options["wrench_file"] is not None:
            from jounce.viewer.wrenches import read_wrenches

            file = options["wrench_file"]
            wrenches = read_wrenches(file, robot, table.time, log.file.start)
    elif strange := [name for name in (*NAMES, "wrench_file") if options[name]]:
        option = {"wrench_file": "wrenches"}.get(strange[0], strange[0]).replace("_", "-")
        raise click.UsageError(f"--{option} is for a MOTION, and none is given")
    served = {"host": options["host"], "port": options["port"]}
    shown = View(robot, *played, limits=limits, wrenches=wrenches, **served)
    for note in (*notes, *shown.notes):
        messages().print(f"jounce: {note}", markup=False, soft_wrap=True)
    say(f"{robot.name}: {shown.url} (Ctrl-C ends it)")
    if not options["no_open"]:
        webbrowser.open(shown.url)
    try:
        while True:
            time.sleep(1.0)
    except KeyboardInterrupt:
        shown.close()
