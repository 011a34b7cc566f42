"""The steps of a simulation that runs."""

from __future__ import annotations

import numpy as np

from jounce.algebra.series import evaluate
from jounce.errors import SimulationError
from jounce.simulation.result import Simulation
from jounce.simulation.systems import Series, System, are_finite

SAME_TIME = 1e-12  # of the time: a step that ends this close to a fixed time ends there


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
