"""What a simulation gives back: states at the steps and the series in between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from jounce.errors import ShapeError
from jounce.model.checks import as_floats
from jounce.model.robot import Robot


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
            raise ShapeError(
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
