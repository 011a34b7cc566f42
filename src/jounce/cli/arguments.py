"""What several commands take: a robot, limits, numbers, springs and motors, files."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    import numpy as np

    from jounce.elastic import SeriesElastic
    from jounce.model.robot import Robot

Command = Callable[..., Any]
MOST_SAMPLES = 10_000_000  # of a result: they are in memory at once
_SOURCE, _READ = "jounce.source", "jounce.read"  # ROBOT and files to read, in click's context
_ROBOT = (
    click.argument("source", metavar="ROBOT"),
    click.option("--floating-base", is_flag=True, help="Let the base move freely."),
    click.option("--no-mimic", is_flag=True, help="Free the joints that follow another."),
    click.option("--no-strict", is_flag=True, help="Accept inertias that no body can have."),
)


def robot_argument(command: Command) -> Command:
    """Call ``command`` with ``robot``, loaded as the command line says."""

    @functools.wraps(command)
    def with_robot(
        *, source: str, floating_base: bool, no_mimic: bool, no_strict: bool, **options: Any
    ) -> Any:
        import jounce

        click.get_current_context().meta[_SOURCE] = source
        robot = jounce.load(
            source, floating_base=floating_base, mimic=not no_mimic, strict=not no_strict
        )
        return command(robot=robot, **options)

    for option in reversed(_ROBOT):
        with_robot = option(with_robot)
    return with_robot


class InputPath(click.Path):
    """A path that is read, and so is nothing to write to: `check_output` sees to that."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path, noted as one that is read."""
        path = super().convert(value, param, ctx)
        if ctx is not None:
            ctx.meta.setdefault(_READ, []).append(path)
        return path


class FiniteRange(click.FloatRange):
    """A number in a range; click's takes NaN, and infinity where there is no maximum."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or fail."""
        if not isfinite(number := super().convert(value, param, ctx)):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


POSITIVE = FiniteRange(min=0, min_open=True)
INPUT, LOG = (InputPath(path_type=Path, dir_okay=folder) for folder in (False, True))  # or a bag


def count_option(
    name: str, help: str, *, least: int = 0, default: int | None = None, metavar: str = "N"
) -> Callable[[Command], Command]:
    """Return an option that is a whole number, with its default in the help."""
    return click.option(name, type=click.IntRange(min=least), default=default, metavar=metavar,
                        show_default=default is not None, help=help)  # fmt: skip


def positive_option(
    *names: str, metavar: str, help: str, default: float | None = None
) -> Callable[[Command], Command]:
    """Return an option that is a positive number, with its default in the help."""
    return click.option(*names, type=POSITIVE, default=default, metavar=metavar,
                        show_default=default is not None, help=help)  # fmt: skip


def output_option(*names: str, help: str, **settings: Any) -> Callable[[Command], Command]:
    """Return an option that is a file to write to."""
    file = click.Path(path_type=Path, dir_okay=False)
    return click.option(*names, type=file, metavar="FILE", help=help, **settings)


def limits_option(command: Command) -> Command:
    """Call ``command`` with ``limits``, those of the file of ``--limits``, or None."""

    @functools.wraps(command)
    def with_limits(*, robot: Robot, limits: Path | None, **options: Any) -> Any:
        from jounce.limits.limits import MotionLimits

        known = None if limits is None else MotionLimits.read(limits, robot)
        return command(robot=robot, limits=known, **options)

    text = "Limits (.csv, .json); what it leaves out is the robot's own."
    return click.option("--limits", type=INPUT, metavar="FILE", help=text)(with_limits)


def _names(_: click.Context, __: click.Parameter, text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",")]


def joints_option(name: str, help: str) -> Callable[[Command], Command]:
    """Return an option that is a list of joints."""
    return click.option(name, metavar="JOINT,…", callback=_names, help=help)


wrench_option = click.option("--wrench", "wrenches", multiple=True, metavar="FRAME",
                             help="Take a wrench on this frame; may be repeated.")  # fmt: skip
actuated_option = joints_option("--actuated", "Joints with motors, of a robot with closures.")


def elastic_option(help: str) -> Callable[[Command], Command]:
    """Return the option of springs and motors, which `elastic_robot` takes."""
    usage = f"{help}; once for all joints, or once a joint."
    return click.option("--elastic", multiple=True, metavar="K,J", help=usage)


def sample_count(duration: float, step: float, said: str = "") -> int:
    """Return how many times a step fits into a duration, if memory could hold the result.

    ``said`` is the option that the step comes of, where that is not ``--step`` itself.
    """
    if not duration / step < MOST_SAMPLES:
        advice = "" if said else "; give a longer step or a shorter time"
        raise click.UsageError(
            f"{said or f'--step {step:g}'} makes {duration / step:.3g} samples of {duration:g} s, "
            f"more than {MOST_SAMPLES:,}{advice}"
        )
    return round(duration / step)


def numbers(
    option: str, text: str, *counts: int, infinite: bool = False, meaning: str = ""
) -> np.ndarray:
    """Return the numbers of an option such as ``--q "0 0.5 1"``; as many as one of the counts."""
    import numpy as np

    try:
        values = np.array([float(word) for word in text.replace(",", " ").split()])
    except ValueError:
        values = np.array([])
    if len(values) not in counts or not (infinite or np.isfinite(values).all()):
        wanted = " or ".join(map(str, counts))
        hint = f" ({meaning})" if meaning else ""
        raise click.UsageError(f"{option} takes {wanted} numbers{hint}, got {text!r}")
    return values


def elastic_robot(
    robot: Robot, texts: tuple[str, ...], actuated: list[str] | None = None
) -> SeriesElastic | None:
    """Return the robot with the springs and motors of ``--elastic K,J``, if that is given.

    Given once it is for all joints, or for the actuated ones where these are named.
    """
    if not texts:
        return None
    from jounce.elastic import SeriesElastic

    pairs = [numbers("--elastic", text, 2, infinite=True) for text in texts]
    if len(pairs) not in (1, robot.nv):
        raise click.UsageError(f"--elastic is given once, or {robot.nv} times, got {len(pairs)}")
    if actuated is not None and len(pairs) == 1:
        driven = {j for name in actuated for j in range(robot.nv)[robot.joint(name).v_slice]}
        pairs = [pairs[0] if j in driven else (inf, 0.0) for j in range(robot.nv)]
    stiffness, inertia = zip(*(pairs * robot.nv)[: robot.nv], strict=True)
    found = SeriesElastic(robot, stiffness, inertia)
    if robot.closures and actuated is not None and set(found.driven) != set(actuated):
        raise click.UsageError(
            f"--elastic puts springs at {', '.join(found.driven)}, --actuated motors at "
            f"{', '.join(actuated)}; a robot with closures has both at the same joints"
        )
    return found


def check_output(path: Path | None, *endings: str) -> Path | None:
    """Return the path, if there is one, after finding out whether it can be written.

    It must have one of the endings, if there are any, and be none of the files that are read.
    """
    if path is None:
        return None
    if endings and path.suffix.lower() not in endings:
        raise click.UsageError(f"{path} must end in {' or '.join(endings)}")
    if path.is_dir():
        raise IsADirectoryError(21, "is a directory", str(path))
    if not Path(os.path.realpath(path)).parent.is_dir():
        raise click.UsageError(f"no directory {path.parent} to write {path.name} to")
    known = click.get_current_context().meta
    for given in (*known.get(_READ, ()), known.get(_SOURCE)):
        if given is not None and path.exists() and Path(given).exists() and path.samefile(given):
            raise click.UsageError(f"{path} is also what is read; give another file to write to")
    return path


def check_table(path: Path | None) -> Path | None:
    """Return the path of a motion table, if there is one, after finding out as `check_output`."""
    from jounce.tables.file import known_ending
    from jounce.tables.parquet import pyarrow

    if path is not None and known_ending(path) == ".parquet":
        pyarrow()
    return check_output(path)
