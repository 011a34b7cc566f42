"""Integrate the motion by its Taylor series: any order, exact derivatives, dense output."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil, isfinite, log
from typing import Any

import numpy as np

from jounce.errors import NotFiniteError, ShapeError, SingularError
from jounce.simulation.drive import Drive
from jounce.simulation.events import Watch
from jounce.simulation.power_series import Series
from jounce.simulation.record import Record
from jounce.simulation.result import Simulation, SimulationError
from jounce.simulation.system_of import system_of
from jounce.simulation.systems import System

SMALLEST_STEP = 1e-13
LADDER = (4, 6, 8, 12)  # orders that are tried first where the length of the steps is given


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
    limits: bool | Sequence[str] = False,
    events: Mapping[str, Callable[..., float]] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Simulation:
    """Simulate a robot (state q, v) or elastic drives (see `jounce.elastic`) over ``t``.

    ``forces``: None for none, an array (n,) that stays, or a function ``forces(t, order)`` of
    time, for instance a trajectory, that returns them with derivatives, ``(order + 1, n)``.
    A ``controller(t, *state)`` is asked every ``sample_time`` and its forces are held.
    ``wrenches={frame: W}``, on a robot, stay: (6,), or `jounce.Wrench` for one that keeps its
    direction in the world.  Nothing limits forces but the controller.

    Steps are as long as the last terms of the series stay below ``tol`` of the state, or
    have the fixed length ``step``.  The order is chosen by ``tol`` and by how long steps can
    be, unless it is given.  With ``limits=True``, or some of "position", "velocity", the
    simulation ends where a joint reaches a limit; ``events`` map names to functions
    ``f(t, *state)`` and end it where one changes sign.  ``progress(t)`` is called after each
    step.

    A `SimulationError`, any error of a controller and Ctrl-C carry what was simulated so far
    in their attribute ``partial``.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> fall = jounce.simulation.taylor(arm, ([0.0, 0.0], [0.0, 0.0]), t=(0, 0.5))
    >>> fall.reason
    'end of time'
    """
    system = system_of(thing, wrenches)
    start, end = _span(t)
    _check_options(order, tol, step, controller, sample_time, forces)
    drive = Drive(system.inputs, forces, controller, sample_time, start)
    watch = Watch(system.robot, limits, events)
    horizon = min(step or np.inf, sample_time or np.inf)
    record = Record(system, start, system.checked(state))
    stepper = _Stepper(system, drive, _orders(order, tol, horizon), tol, step)
    try:
        return _run(record, stepper, watch, end, progress)
    except BaseException as error:
        if not isinstance(error, SimulationError):
            error.partial = record.finished(type(error).__name__)  # pyright: ignore[reportAttributeAccessIssue]
        raise


def _run(
    record: Record,
    stepper: _Stepper,
    watch: Watch,
    end: float,
    progress: Callable[[float], None] | None,
) -> Simulation:
    while record.time < end:
        series, force, h, until = stepper(record, end)
        stop = watch(record.time, series, h)
        if stop is not None and stop.time == 0.0:
            return record.finished(stop.reason)
        record.advance(series, force, h if stop is None else stop.time, until)
        if progress is not None:
            progress(record.time)
        if stop is not None:
            return record.finished(stop.reason)
    return record.finished("end of time")


class _Stepper:
    """Computes the series of a step, its length, and raises the order while that pays."""

    def __init__(
        self, system: System, drive: Drive, orders: Sequence[int], tol: float, step: float | None
    ) -> None:
        self.system, self.drive, self.orders = system, drive, list(orders)
        self.tol, self.step = tol, step

    def __call__(self, record: Record, end: float) -> tuple[Series, np.ndarray, float, float]:
        """Return the series, the forces at its start, its length and the next fixed time."""
        while True:
            force, until = self.drive(record.time, record.state, self.orders[0])
            until = min(until, end)
            series = self._series(record, force)
            wanted = min(self.step or np.inf, until - record.time)
            possible = _step_length(series, self.tol)
            if possible >= wanted or len(self.orders) == 1:
                break
            del self.orders[0]
        natural = self.step or possible
        if natural < SMALLEST_STEP * max(1.0, abs(record.time)):
            self._explain(record)
            raise SimulationError(
                f"the step became too small at t = {record.time:g} s: the motion has a singularity "
                "or the forces are too large.", record.finished("step underflow"),
            )  # fmt: skip
        return series, force[0], min(natural, until - record.time), until

    def _series(self, record: Record, force: np.ndarray) -> Series:
        if not isfinite(force.sum()):
            raise SimulationError(
                f"the forces are not finite at t = {record.time:g} s: {force[0]}.",
                record.finished("forces not finite"),
            )
        try:
            series = self.system.series(record.state, force, self.orders[0])
        except SingularError as error:
            raise self._stopped(record, error) from error
        if not all(isfinite(part.sum()) for part in series):
            self._explain(record)
            raise SimulationError(
                f"the motion leaves the range of floating-point numbers at t = {record.time:g} s: "
                "velocities or forces are too large.", record.finished("acceleration not finite"),
            )  # fmt: skip
        return series

    def _explain(self, record: Record) -> None:
        try:
            self.system.diagnose(record.state)
        except SingularError as error:
            raise self._stopped(record, error) from error
        except NotFiniteError:
            return

    def _stopped(self, record: Record, error: SingularError) -> SimulationError:
        message = f"at t = {record.time:g} s {error}"
        return SimulationError(message, record.finished("mass matrix singular"))


def _step_length(series: Series, tol: float) -> float:
    """Choose h so that the last two terms are below tol of the state (Jorba and Zou 2005)."""
    steps = []
    for part in series:
        sizes = np.abs(part[[0, -2, -1]]).max(axis=1, initial=0.0)
        scale = max(1.0, sizes[0])
        for k, size in ((len(part) - 2, sizes[1]), (len(part) - 1, sizes[2])):
            if size > 0.0:
                steps.append((tol * scale / size) ** (1.0 / k))
    return min(steps, default=np.inf)


def _orders(order: int | None, tol: float, horizon: float) -> tuple[int, ...]:
    """Return the orders to go through: the best one for a tolerance is ``1 − ½ ln tol``.

    Where steps are short anyway, low orders do and cost less.
    """
    if order is not None:
        return (order,)
    best = max(4, ceil(1.0 - 0.5 * log(tol)))
    best += best % 2
    return (best,) if horizon == np.inf else (*(k for k in LADDER if k < best), best)


def _span(t: tuple[float, float]) -> tuple[float, float]:
    try:
        start, end = (float(x) for x in t)
    except (TypeError, ValueError):
        raise ShapeError(f"t must be (start, end), got {t!r}.") from None
    if not (np.isfinite(start) and np.isfinite(end) and end > start):
        raise ShapeError(f"t must be (start, end) with end > start, got {t!r}.")
    return start, end


def _check_options(
    order: Any, tol: float, step: float | None, controller: Any, sample_time: Any, forces: Any
) -> None:
    if order is not None and (type(order) is not int or order < 2):
        raise ShapeError(f"order must be an integer ≥ 2, got {order!r}.")
    _require_positive("tol", tol, 1.0)
    if step is not None:
        _require_positive("step", step)
    if (controller is None) != (sample_time is None):
        raise ShapeError("a controller needs a sample_time, and the other way round.")
    if controller is not None and forces is not None:
        raise ShapeError("give either forces or a controller, not both.")
    if controller is not None and not callable(controller):
        raise ShapeError(f"controller must be callable, got {type(controller).__name__}.")
    if sample_time is not None:
        _require_positive("sample_time", sample_time)


def _require_positive(name: str, value: Any, below: float = np.inf) -> None:
    if not isinstance(value, int | float | np.number) or not 0.0 < value < below:
        end = "" if below == np.inf else f" and below {below:g}"
        raise ShapeError(f"{name} must be positive{end}, got {value!r}.")
