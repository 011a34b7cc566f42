"""What a simulation gives back, and the record of its steps while it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from jounce.algebra.series import Series, evaluate
from jounce.errors import ArgumentError, SimulationError
from jounce.model.checks import as_floats
from jounce.model.robot import Robot
from jounce.simulation.systems import System, are_finite

SAME_TIME = 1e-12  # of the time: a step that ends this close to a fixed time ends there


@dataclass(frozen=True, eq=False)
class Simulation:
    """Steps of a simulated motion; call it with times for the states in between.

    ``times`` has one entry more than there are steps; ``states[name]`` is ``(len(times), …)``;
    ``forces`` are those at the beginning of every step.  ``reason`` says why it ended;
    ``series`` holds the Taylor coefficients of every step.
    """

    robot: Robot
    times: np.ndarray
    states: dict[str, np.ndarray]
    forces: np.ndarray
    series: tuple[dict[str, np.ndarray], ...]
    reason: str

    def __str__(self) -> str:
        return (
            f"motion of {self.robot.name}, {self.times[0]:g} … {self.times[-1]:g} s in "
            f"{self.steps} steps: {', '.join(self.states)}; it ended: {self.reason}"
        )

    @property
    def steps(self) -> int:
        """Number of steps."""
        return len(self.times) - 1

    @property
    def final(self) -> tuple[np.ndarray, ...]:
        """The last state: what a simulation that goes on from here takes."""
        return tuple(values[-1] for values in self.states.values())

    def __call__(self, t: Any) -> dict[str, np.ndarray]:
        """Return the parts of the state at times within the simulated span."""
        times = as_floats("t", t)
        start, end = self.times[0], self.times[-1]
        outside = ~((times >= start) & (times <= end))  # also what is not a number
        if outside.any():
            raise ArgumentError(
                f"times must lie between {start:.9g} and {end:.9g} s, got {times[outside][0]:.9g}; "
                f"the simulation ended there: {self.reason}."
            )
        flat = times.ravel()
        index = np.clip(np.searchsorted(self.times, flat, side="right") - 1, 0, None)
        result = {n: np.empty((flat.size, x.shape[1])) for n, x in self.states.items()}
        for i in np.unique(index):
            chosen = index == i
            for name, rows in result.items():
                rows[chosen] = self._within(int(i), name, flat[chosen] - self.times[i])
        return {n: rows.reshape(*times.shape, rows.shape[1]) for n, rows in result.items()}

    def _within(self, step: int, name: str, elapsed: np.ndarray) -> np.ndarray:
        """Return a part of the state in one step, ``(len(elapsed), width)``."""
        if step == self.steps:  # the very end
            return self.states[name][step]
        series = self.series[step][name]
        return elapsed[:, None] ** np.arange(len(series)) @ series


class Record:
    """The steps taken so far."""

    def __init__(self, system: System, time: float, state: tuple[np.ndarray, ...]) -> None:
        self.system = system
        self.time = time
        self.state = state
        self.times = [time]
        self.states = [state]
        self.forces: list[np.ndarray] = []
        self.series: list[Series] = []

    @property
    def steps(self) -> int:
        """Number of steps taken."""
        return len(self.series)

    def advance(self, series: Series, force: np.ndarray, h: float, until: float) -> None:
        """Take one step; a step that ends within rounding of ``until`` ends there."""
        with np.errstate(over="ignore", invalid="ignore"):  # reported below
            state = tuple(evaluate(part, h) for part in series)
        if not are_finite(state):
            raise SimulationError(
                f"the motion leaves the range of floating-point numbers after t = {self.time:g} s: "
                "the step is too long for it.", self.finished("state not finite"),
            )  # fmt: skip
        for part in self.system.robot.quaternions:
            state[0][part] /= np.linalg.norm(state[0][part])
        self.state = state
        is_there = abs(self.time + h - until) < SAME_TIME * max(1.0, abs(until))
        self.time = until if is_there else self.time + h
        self.times.append(self.time)
        self.states.append(self.state)
        self.forces.append(force)
        self.series.append(series)

    def finished(self, reason: str) -> Simulation:
        """Return what was simulated; whole steps only, also when Ctrl-C came within one."""
        names, count = self.system.names, len(self.series)
        states = self.states[: count + 1]
        columns = {n: np.array([s[k] for s in states]) for k, n in enumerate(names)}
        series = tuple(dict(zip(names, parts, strict=True)) for parts in self.series)
        forces = np.array(self.forces[:count]).reshape(count, self.system.inputs)
        times = np.array(self.times[: count + 1])
        return Simulation(self.system.robot, times, columns, forces, series, reason)
