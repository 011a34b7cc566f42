"""Integrate the motion by its Taylor series: any order, exact derivatives, dense output."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from jounce.errors import SimulationError
from jounce.model.checks import checked_integer
from jounce.simulation.drive import Drive
from jounce.simulation.events import Watch
from jounce.simulation.options import (
    check_drive,
    check_steps,
    check_tolerance,
    span_of,
)
from jounce.simulation.reach import Reach
from jounce.simulation.record import Record
from jounce.simulation.result import Simulation
from jounce.simulation.stepper import Accuracy, Stepper
from jounce.simulation.system_of import system_of


def taylor(
    thing: Any,
    state: Sequence[Any],
    forces: Any = None,
    t: tuple[float, float] = (0.0, 1.0),
    *,
    controller: Callable[..., Any] | None = None,
    sample_time: float | None = None,
    wrenches: Mapping[str, Any] | None = None,
    order: int | None = None,
    tol: float = 1e-14,
    step: float | None = None,
    max_steps: int = 100_000,
    limits: bool | Sequence[str] = False,
    events: Mapping[str, Callable[..., float]] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Simulation:
    """Simulate a robot (state q, v) or elastic drives (see `jounce.elastic`) over ``t``.

    ``forces``: None for none, an array (n,) that stays, or a function ``forces(t, order)`` of
    time, for instance a trajectory, that returns them with derivatives, ``(order + 1, n)``.
    A ``controller(t, *state)`` is asked every ``sample_time`` and its forces are held.
    ``wrenches={frame: W}`` on the links stay: (6,), or `jounce.Wrench` for one that keeps its
    direction in the world.  Nothing limits forces but the controller.

    Steps are as long as the last terms of the series stay below ``tol`` of the state, or
    have the fixed length ``step``.  The order is chosen by ``tol`` and by how long steps can
    be, unless it is given; one far below the best makes many short steps, and an error after
    ``max_steps``.  With ``limits=True``, or some of "position", "velocity", the simulation
    ends where a joint reaches a limit; ``events`` map names to functions ``f(t, *state)`` and
    end it where one changes sign.  ``progress(t)`` is called after each step.

    A coordinate so large that floating-point numbers there are further apart than ``tol``, or
    than 1.5e-8 if that is more, ends the simulation with an error.

    A `SimulationError`, any error of a controller and Ctrl-C carry what was simulated so far
    in their attribute ``partial``.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> fall = jounce.simulation.taylor(arm, ([0.0, 0.0], [0.0, 0.0]), t=(0, 0.5))
    >>> fall.reason
    'end of time'
    """
    system = system_of(thing, wrenches)
    start, end = span_of(t)
    check_drive(forces, controller, sample_time)
    check_tolerance(tol, step, progress)
    most = checked_integer("max_steps", max_steps, 1)
    order = None if order is None else checked_integer("order", order, 2)
    horizon = min(step or np.inf, sample_time or np.inf)
    check_steps((start, end), horizon, most)
    drive = Drive(system.inputs, forces, controller, sample_time, start)
    watch = Watch(system.robot, limits, events)
    record = Record(system, start, system.checked(state))
    stepper = Stepper(system, drive, Accuracy(tol, order, step, most), horizon)
    try:
        return _run(record, stepper, watch, Reach(system.robot, tol), end, progress)
    except BaseException as error:
        if not isinstance(error, SimulationError):
            error.partial = record.finished(type(error).__name__)  # pyright: ignore[reportAttributeAccessIssue]
        raise


def _run(
    record: Record,
    stepper: Stepper,
    watch: Watch,
    reach: Reach,
    end: float,
    progress: Callable[[float], None] | None,
) -> Simulation:
    while record.time < end:
        series, force, h, until = stepper(record, end)
        left = reach(record.time, series[0], h)
        h = h if left is None else left.time
        stop = watch(record.time, series, h)
        if stop is not None and stop.time == 0.0:
            return record.finished(stop.reason)
        if left is None or h > 0.0:
            record.advance(series, force, h if stop is None else stop.time, until)
        if progress is not None:
            progress(record.time)
        if stop is not None:
            return record.finished(stop.reason)
        if left is not None:
            raise SimulationError(left.message, record.finished("too far away"))
    return record.finished("end of time")
