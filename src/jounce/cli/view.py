"""``jounce view``: a robot in the browser, with sliders, or a log that plays."""

from __future__ import annotations

import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jounce.cli.arguments import INPUT, LOG, limits_option, robot_argument
from jounce.cli.console import note, say
from jounce.cli.motion_argument import logged, motion_options, refuse_without_motion

if TYPE_CHECKING:
    import numpy as np

    from jounce.limits.limits import MotionLimits
    from jounce.model.robot import Robot

_ORDER = 3  # of q: torque rates need the jerk


@click.command(epilog="Example: jounce view arm.urdf log.csv")
@robot_argument
@click.argument("motion", type=LOG, required=False)
@limits_option
@click.option("--wrenches", "wrench_file", type=INPUT, metavar="FILE",
              help="What acts on the robot along MOTION: a .csv with t and FRAME[mx] … "
              "FRAME[fz]; else such columns of MOTION.")  # fmt: skip
@motion_options
@click.option("--port", type=click.IntRange(1, 65535), default=8080, show_default=True,
              help="Where to serve; the next free port if it is taken.")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True,
              help="Who is served: this machine, or 0.0.0.0: the whole network.")  # fmt: skip
@click.option("--no-open", is_flag=True, help="Say the address, and open no browser.")
def view(
    robot: Robot,
    *,
    motion: Path | None,
    limits: MotionLimits | None,
    reading: dict[str, Any],
    wrench_file: Path | None,
    host: str,
    port: int,
    no_open: bool,
) -> None:
    """Show a robot in the browser, with sliders, or play a log along.

    MOTION is a table as for 'jounce id'.  Shapes are those of the file of ROBOT; without them
    it is a stick figure.  Joints are green far from their limits, yellow near one, red beyond.
    Ends with Ctrl-C.
    """
    from jounce.viewer import View
    from jounce.viewer.wrenches import log_wrenches, read_wrenches

    played: tuple[Any, ...] = ()
    notes: list[str] = []
    wrenches: dict[str, np.ndarray] | None = None
    if motion is not None:
        log = logged(motion, robot, _ORDER, reading)
        table = log.table()
        if wrench_file is None:
            wrenches = log_wrenches(log, table.time)
            told = [f"{motion}: wrenches on {', '.join(wrenches)}"] if wrenches else []
        else:
            wrenches, told = read_wrenches(wrench_file, robot, table.time, log.file.start), []
        played, notes = (table.time, *table.motion), [*log.notes, *told]
    else:
        refuse_without_motion({**reading, "wrenches": wrench_file})
    shown = View(robot, *played, limits=limits, wrenches=wrenches, host=host, port=port)
    try:  # whoever sees the address may end it
        for line in (*notes, *shown.notes):
            note(line)
        say(f"{robot.name}: {shown.url} (Ctrl-C ends it)")
        if not no_open:
            webbrowser.open(shown.url)
        while True:
            time.sleep(1.0)
    except KeyboardInterrupt:
        shown.close()
