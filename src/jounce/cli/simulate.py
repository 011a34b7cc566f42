"""``jounce simulate``: let a robot move under constant torques."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jounce.cli.arguments import (
    INPUT,
    FiniteRange,
    check_output,
    elastic_option,
    elastic_robot,
    numbers,
    output_option,
    positive_option,
    robot_argument,
    sample_count,
)
from jounce.cli.console import note, progress, say
from jounce.cli.failure import CheckFailed
from jounce.cli.picture import check_picture

if TYPE_CHECKING:
    import numpy as np

    from jounce.model.robot import Robot
    from jounce.simulation import Simulation

HIGHEST = 40  # order of the series; compiling takes longer than anything it could save
_SMOOTH = 1001  # points of a drawn curve


@click.command(epilog="Example: jounce simulate panda --time 2 -o motion.npz")
@robot_argument
@positive_option("--time", "duration", default=1.0, metavar="T", help="How long, in s.")
@click.option("--state", "state_file", type=INPUT, metavar="FILE",
              help="Start from a .json or .npz with q, v (theta, theta1), such as a result of "
              "this command: its last sample.")  # fmt: skip
@click.option("--q", metavar="NUMBERS", help="Start from these joints, else from the neutral ones.")
@click.option("--v", metavar="NUMBERS", help="Start with these velocities, else at rest.")
@click.option("--torque", metavar="NUMBERS", help="Constant torques (motor torques if elastic).")
@elastic_option("Springs of stiffness K (or inf) and motors of inertia J at the joints")
@click.option("--limits", is_flag=True, help="Stop at the first limit of position or velocity.")
@click.option("--order", type=click.IntRange(2, HIGHEST), metavar="N",
              help="Order of the Taylor series, else by the tolerance.")  # fmt: skip
@click.option("--tol", type=FiniteRange(0, 1, min_open=True, max_open=True), default=1e-14,
              show_default=True, metavar="E", help="Error of a step, of the state.")  # fmt: skip
@positive_option("--step", default=0.01, metavar="SECONDS", help="Time between samples.")
@output_option("--out", "-o", help="Where to write the motion: .csv, .json or .npz.")
@output_option("--plot", help="Where to draw the motion: .png, .svg or .pdf.")
def simulate(robot: Robot, **options: Any) -> None:
    """Let a robot move under constant torques, and gravity.

    Integrates the Taylor series of the motion.  With --elastic the springs start unstretched.
    With closures the start is put onto these.
    """
    from jounce.simulation import SimulationError, taylor

    sample_count(options["duration"], options["step"])
    out = check_output(options["out"], *_WRITERS)
    plot = check_picture(options["plot"])
    if robot.closures and options["elastic"]:
        raise click.UsageError(f"--elastic is for trees, and robot {robot.name!r} has closures")
    thing = elastic_robot(robot, options["elastic"]) or robot
    state = _state(robot, thing, options)
    torque = None if options["torque"] is None else numbers("--torque", options["torque"], robot.nv)
    end = options["duration"]
    failure: SimulationError | None = None
    chosen = {name: options[name] for name in ("order", "tol", "limits")}
    with progress(f"simulating {robot.name}") as bar:
        chosen["progress"] = lambda t: bar.reach(t, end)
        try:
            found = taylor(thing, state, torque, (0.0, end), **chosen)
        except SimulationError as error:
            if not error.partial.steps:
                raise
            failure, found = error, error.partial
    _deliver(found, options["step"], out, plot, _title(options))
    if failure is not None:
        kept = f"; what was simulated before is in {out}" if out else ""
        raise CheckFailed(f"{str(failure).rstrip('.')}{kept}")


def _title(options: dict[str, Any]) -> str:
    """Say under what the robot moves."""
    moved = "without torques" if options["torque"] is None else f"under {options['torque']} N m"
    return f"{moved}, behind springs" if options["elastic"] else moved


def _deliver(
    found: Simulation, step: float, out: Path | None, plot: Path | None, title: str
) -> None:
    """Write the files, and say how the simulation ended."""
    import numpy as np

    start, end = found.times[[0, -1]]
    samples = np.unique(np.append(np.arange(start, end, step), end))
    motion = {"time": samples, **found(samples)}
    if out is not None:
        _WRITERS[out.suffix.lower()](out, found, motion)
    if plot is not None:
        _draw(plot, found, title)
    if out is None and plot is None:
        for name, values in motion.items():
            say(f"{name:10} {' '.join(f'{x: .12g}' for x in np.atleast_1d(values[-1]))}")
    files = "".join(f", {path}" for path in (out, plot) if path is not None)
    say(f"t = {end:g} s: {found.reason}, {found.steps} steps, {len(samples)} samples{files}")


def _write_csv(path: Path, found: Simulation, motion: dict[str, np.ndarray]) -> None:
    import numpy as np

    from jounce.tables.csv import write_rows

    header = ["t"]
    for name in list(motion)[1:]:
        header += [f"{name}:{label}" for label in _labels(found.robot, name)]
    columns = [values.reshape(len(values), -1) for values in motion.values()]
    write_rows(path, header, np.concatenate(columns, axis=1))


def _write_json(path: Path, found: Simulation, motion: dict[str, np.ndarray]) -> None:
    from jounce.files import atomic_write

    head = {"robot": found.robot.name, "reason": found.reason, "steps": found.steps}
    table = {name: values.tolist() for name, values in motion.items()}
    with atomic_write(path) as file:
        json.dump({**head, **table}, file, allow_nan=False)


def _write_npz(path: Path, found: Simulation, motion: dict[str, np.ndarray]) -> None:
    """Write every part by its name, and what makes it a motion table."""
    import numpy as np

    from jounce.files import atomic_write
    from jounce.tables.table import table_of

    table = table_of(found.robot, motion["time"], [motion["q"], motion["v"]])._asdict()
    if not found.robot.quaternions:
        del table["rate_names"]
    arrays: dict[str, Any] = motion | {n: x for n, x in table.items() if x is not None}
    with atomic_write(path, "wb") as file:
        np.savez(file, **arrays)


_WRITERS = {".csv": _write_csv, ".json": _write_json, ".npz": _write_npz}


def _labels(robot: Robot, part: str) -> tuple[str, ...]:
    """Return a name for every entry of q, or of another part of the state."""
    from jounce.model.components import position_names, velocity_names

    return position_names(robot) if part == "q" else velocity_names(robot)


def _draw(path: Path, found: Simulation, title: str) -> None:
    """Draw every part of the state, at many times whatever the step between samples is."""
    import numpy as np

    from jounce.cli.picture import Pane, draw
    from jounce.report.labels import motion_unit

    robot = found.robot
    time = np.linspace(found.times[0], found.times[-1], _SMOOTH)
    titles = {"q": "q", "v": "v", "theta": "θ, motors", "theta1": "dθ/dt, motors"}
    panes = []
    for name, values in found(time).items():
        unit = motion_unit(robot, int(name in ("v", "theta1")))
        panes.append(Pane(f"{titles.get(name, name)} [{unit}]", _labels(robot, name), values))
    draw(path, f"{robot.name} {title}: {found.reason} at {found.times[-1]:g} s", time, panes)


def _state(robot: Robot, thing: Any, options: dict[str, Any]) -> tuple[Any, ...]:
    import numpy as np

    given = {} if options["state_file"] is None else _read_state(options["state_file"])
    for name, width in (("q", robot.nq), ("v", robot.nv)):
        if options[name] is not None and name in given:
            raise click.UsageError(f"give either --state or --{name}")
        if options[name] is not None:
            given[name] = numbers(f"--{name}", options[name], width)
    q, v = given.get("q", robot.neutral), given.get("v", np.zeros(robot.nv))
    if robot.closures:
        return _closed_state(robot, q if "q" in given else None, v)
    if thing is robot:
        return q, v
    return q, v, given.get("theta", q), given.get("theta1", v)


def _closed_state(robot: Robot, q: Any, v: Any) -> tuple[Any, Any]:
    """Return the nearest closed state; without q one that is closed."""
    import numpy as np

    from jounce.api.closures import any_closed, close, projected

    start = any_closed(robot) if q is None else close(robot, q)
    start, speed = projected(robot, start, v)
    if q is None:
        note(f'starts at a closed configuration, --q "{" ".join(f"{x:.6g}" for x in start)}"')
    away = max(np.abs(a - b).max() for a, b in ((start if q is None else q, start), (v, speed)))
    if away > 1e-9:
        note(f"the start is put onto the closures, {away:.1e} away at most")
    return start, speed


def _read_state(path: Path) -> dict[str, Any]:
    """Return q, v, theta, theta1 of a file; of a table the last row."""
    import numpy as np

    from jounce.files import read_json
    from jounce.tables.npz import read_arrays

    ending = path.suffix.lower()
    if ending not in (".json", ".npz"):
        raise click.UsageError(f"--state {path} must end in .json or .npz")
    try:
        found = read_arrays(path) if ending == ".npz" else read_json(path)
        parts = {
            n: np.asarray(found[n], float) for n in ("q", "v", "theta", "theta1") if n in found
        }
    except (ValueError, TypeError, OverflowError) as error:
        raise click.UsageError(f"--state {path} is not understood: {error}") from error
    if "q" not in parts:
        raise click.UsageError(f"--state {path} has no q; it needs q and v, or tables of them")
    empty = [name for name, values in parts.items() if not values.size]
    if empty:
        raise click.UsageError(f"--state {path} has no sample of {', '.join(empty)}")
    return {name: values[-1] if values.ndim == 2 else values for name, values in parts.items()}
