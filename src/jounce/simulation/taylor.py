"""Integrate the motion by its Taylor series: any order, exact derivatives, dense output."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from jounce.elastic.drives import checked_positive
from jounce.errors import ArgumentError, SimulationError
from jounce.model.checks import checked_integer
from jounce.simulation.applied_forces import AppliedForces
from jounce.simulation.events import FINEST, Range, Watch
from jounce.simulation.result import Record, Simulation
from jounce.simulation.stepper import Accuracy, Stepper
from jounce.simulation.systems import system_of


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
    ``wrenches={frame: W}`` act on the links.  W, or the values of a `jounce.Wrench` in another
    representation, stays, (6,); or is a function of time ``W(t, order)`` like the forces; or a
    smooth function ``W(t, *state)`` of the state, which gets every coordinate as a jet (numbers
    that know + − ×, ``x.reciprocal()`` and ``x.sincos()``) and returns six.  Nothing limits
    forces but the controller.

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
    >>> drag = {"link2": lambda t, q, v: [0, 0, (v[0] + v[1]) * -0.5, 0, 0, 0]}  # of its turning
    >>> slow = jounce.simulation.taylor(arm, ([0, 0], [0, 0]), t=(0, 0.5), wrenches=drag)
    >>> E = [jounce.kinetic_energy(arm, *x.final) + jounce.potential_energy(arm, *x.final)
    ...      for x in (fall, slow)]
    >>> bool(abs(E[0]) < 1e-12), bool(E[1] < -0.1)
    (True, True)
    """
    system = system_of(thing, wrenches)
    start, end = _span_of(t)
    _check_forces(forces, controller, sample_time)
    _check_tolerance(tol, step, progress)
    most = checked_integer("max_steps", max_steps, 1)
    order = None if order is None else checked_integer("order", order, 2)
    horizon = min(step or np.inf, sample_time or np.inf)
    _check_steps((start, end), horizon, most)
    applied = AppliedForces(system.inputs, forces, controller, sample_time, start)
    watch = Watch(system.robot, limits, events)
    record = Record(system, start, system.checked(state))
    accuracy = Accuracy(tol, order, step, most, may_stop=watch.is_needed)
    stepper = Stepper(system, applied, accuracy, horizon)
    try:
        return _run(record, stepper, watch, Range(system.robot, tol), end, progress)
    except BaseException as error:
        if not isinstance(error, SimulationError):
            error.partial = record.finished(type(error).__name__)  # pyright: ignore[reportAttributeAccessIssue]
        raise


def _run(
    record: Record,
    stepper: Stepper,
    watch: Watch,
    range_: Range,
    end: float,
    progress: Callable[[float], None] | None,
) -> Simulation:
    while record.time < end:
        series, force, h, until = stepper(record, end)
        left = range_(record.time, series[0], h)
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
            raise SimulationError(left.reason, record.finished("too far away"))
    return record.finished("end of time")


def _span_of(t: Any) -> tuple[float, float]:
    """Return start and end of the time to simulate."""
    try:
        start, end = (float(x) for x in t)
    except (TypeError, ValueError):
        raise ArgumentError(f"t must be (start, end), got {t!r}.") from None
    if not (np.isfinite(start) and np.isfinite(end) and end > start):
        raise ArgumentError(f"t must be (start, end) with end > start, got {t!r}.")
    return start, end


def _check_forces(forces: Any, controller: Any, sample_time: Any) -> None:
    """Raise unless forces, or a controller with its sample time, are given."""
    if (controller is None) != (sample_time is None):
        raise ArgumentError("a controller needs a sample_time, and the other way round.")
    if controller is not None and forces is not None:
        raise ArgumentError("give either forces or a controller, not both.")
    if controller is not None and not callable(controller):
        raise ArgumentError(f"controller must be callable, got {type(controller).__name__}.")
    if sample_time is not None:
        checked_positive("sample_time", sample_time)


def _check_tolerance(tol: Any, step: Any, progress: Any) -> None:
    """Raise unless the tolerance can be met, the step goes forward and progress can be told."""
    if not isinstance(tol, int | float | np.number) or not FINEST <= tol < 1.0:
        raise ArgumentError(
            f"tol must lie between {FINEST:.2g}, which is rounding, and 1, got {tol!r}."
        )
    if step is not None:
        checked_positive("step", step)
    if progress is not None and not callable(progress):
        raise ArgumentError(f"progress must be callable, got {type(progress).__name__}.")


def _check_steps(span: tuple[float, float], horizon: float, max_steps: int) -> None:
    """Raise where a given step or sample time alone makes too many steps."""
    count = (span[1] - span[0]) / horizon
    if count > max_steps * (1.0 + 1e-9):
        raise ArgumentError(
            f"steps of {horizon:g} s from {span[0]:g} to {span[1]:g} s are {count:.4g}, more than "
            f"max_steps = {max_steps}. All are kept in memory: simulate less at a time, or give "
            "a larger max_steps."
        )
