"""Integrate the motion by its Taylor series: any order, exact derivatives, dense output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any

import numpy as np

from jounce.errors import ShapeError
from jounce.model.checks import as_floats
from jounce.simulation.events import first_violation
from jounce.simulation.result import Simulation, SimulationError, evaluate
from jounce.simulation.systems import Series, System, system_of

SMALLEST_STEP = 1e-13


def taylor(
    thing: Any,
    state: Sequence[Any],
    forces: Any = None,
    t: tuple[float, float] = (0.0, 1.0),
    *,
    controller: Callable[..., Any] | None = None,
    sample_time: float | None = None,
    order: int = 16,
    tol: float = 1e-14,
    step: float | None = None,
    limits: bool = False,
    progress: Callable[[float], None] | None = None,
) -> Simulation:
    """Simulate a robot (state q, v) or a `SeriesElastic` (q, v, theta, theta1) over ``t``.

    ``forces``: None for none, an array (nv,) that stays, or a function of time that returns
    the forces with derivatives, ``(m, nv)``.  A ``controller(t, *state)`` is asked every
    ``sample_time`` and its forces are held.  Steps are chosen so that the last terms of the series
    are below ``tol`` of the state, or have the fixed length ``step``.  With ``limits=True`` the
    simulation ends where a position limit is reached.  ``progress(t)`` is called after each step.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> fall = jounce.simulation.taylor(arm, ([0.0, 0.0], [0.0, 0.0]), t=(0, 0.5))
    >>> fall.reason
    'end of time'
    """
    system = system_of(thing)
    start, end = _span(t)
    _check_options(order, tol, step, controller, sample_time, forces)
    drive = _Drive(system, forces, controller, sample_time, start)
    record = _Record(system, start, system.checked(state))
    while record.time < end:
        force, until = drive(record.time, record.state)
        series = _series(system, record, force, order)
        h = min(step or _step_length(series, tol), min(until, end) - record.time)
        if h < SMALLEST_STEP * max(1.0, abs(record.time)):
            raise SimulationError(
                f"the step became too small at t = {record.time:g} s: the motion has a singularity "
                "or the forces are too large.", record.finished("step underflow"),
            )  # fmt: skip
        hit = first_violation(system.robot, series, h) if limits else None
        record.advance(series, force[0], h if hit is None else hit.time, min(until, end))
        if progress is not None:
            progress(record.time)
        if hit is not None:
            return record.finished(f"limit of joint {hit.joint} reached")
    return record.finished("end of time")


class _Record:
    """The steps taken so far."""

    def __init__(self, system: System, time: float, state: tuple[np.ndarray, ...]) -> None:
        self.system = system
        self.time = time
        self.state = state
        self.times = [time]
        self.states = [state]
        self.forces: list[np.ndarray] = []
        self.series: list[Series] = []

    def advance(self, series: Series, force: np.ndarray, h: float, until: float) -> None:
        """Take one step; a step that ends within rounding of ``until`` ends there."""
        state = tuple(evaluate(part, h) for part in series)
        self.state = (_normalized(self.system, state[0]), *state[1:])
        self.time = (
            until if abs(self.time + h - until) < 1e-12 * max(1.0, abs(until)) else self.time + h
        )
        self.times.append(self.time)
        self.states.append(self.state)
        self.forces.append(force)
        self.series.append(series)

    def finished(self, reason: str) -> Simulation:
        """Return what was simulated."""
        names = self.system.names
        columns = {n: np.array([s[k] for s in self.states]) for k, n in enumerate(names)}
        series = tuple(dict(zip(names, parts, strict=True)) for parts in self.series)
        forces = np.array(self.forces) if self.forces else np.zeros((0, self.system.robot.nv))
        return Simulation(self.system.robot, np.array(self.times), columns, forces, series, reason)


class _Drive:
    """The forces of a step with derivatives, and until when they hold."""

    def __init__(
        self,
        system: System,
        forces: Any,
        controller: Callable[..., Any] | None,
        sample_time: float | None,
        start: float,
    ) -> None:
        self.nv = system.robot.nv
        self.function = forces if callable(forces) else None
        constant = np.zeros(self.nv) if forces is None or callable(forces) else forces
        self.held = self._rows(constant)
        self.controller, self.sample_time, self.start = controller, sample_time, start
        self.next_sample, self.samples = start, 0

    def __call__(self, time: float, state: Sequence[np.ndarray]) -> tuple[np.ndarray, float]:
        if self.controller is not None and self.sample_time is not None:
            if time >= self.next_sample:
                self.held = self._rows(self.controller(time, *state))
                self.samples += 1
                self.next_sample = self.start + self.samples * self.sample_time
            return self.held, self.next_sample
        if self.function is not None:
            return self._rows(self.function(time)), np.inf
        return self.held, np.inf

    def _rows(self, values: Any) -> np.ndarray:
        array = np.atleast_2d(as_floats("forces", values))
        if array.ndim != 2 or array.shape[1] != self.nv:
            raise ShapeError(
                f"forces must have shape ({self.nv},) or (m, {self.nv}), got {array.shape}."
            )
        return array


def _series(system: System, record: _Record, force: np.ndarray, order: int) -> Series:
    if not isfinite(force.sum()):
        raise SimulationError(
            f"the forces are not finite at t = {record.time:g} s: {force[0]}.",
            record.finished("forces not finite"),
        )
    series = system.series(record.state, force, order)
    if not all(isfinite(part.sum()) for part in series):
        raise SimulationError(
            f"the acceleration is not finite at t = {record.time:g} s: is M singular?",
            record.finished("acceleration not finite"),
        )
    return series


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


def _normalized(system: System, q: np.ndarray) -> np.ndarray:
    for joint in system.robot.joints:
        if joint.kind in ("spherical", "free"):
            quaternion = slice(joint.q_slice.stop - 4, joint.q_slice.stop)
            q[quaternion] /= np.linalg.norm(q[quaternion])
    return q


def _span(t: tuple[float, float]) -> tuple[float, float]:
    start, end = (float(x) for x in t)
    if not (np.isfinite(start) and np.isfinite(end) and end > start):
        raise ShapeError(f"t must be (start, end) with end > start, got {t!r}.")
    return start, end


def _check_options(
    order: int, tol: float, step: float | None, controller: Any, sample_time: Any, forces: Any
) -> None:
    if not isinstance(order, int) or order < 2:
        raise ShapeError(f"order must be an integer ≥ 2, got {order!r}.")
    if not 0.0 < tol < 1.0:
        raise ShapeError(f"tol must lie between 0 and 1, got {tol!r}.")
    if step is not None and not 0.0 < step < np.inf:
        raise ShapeError(f"step must be positive, got {step!r}.")
    if (controller is None) != (sample_time is None):
        raise ShapeError("a controller needs a sample_time, and the other way round.")
    if controller is not None and forces is not None:
        raise ShapeError("give either forces or a controller, not both.")
    if sample_time is not None and not 0.0 < sample_time < np.inf:
        raise ShapeError(f"sample_time must be positive, got {sample_time!r}.")
