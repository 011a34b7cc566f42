"""What a simulation gives back: states at the steps and the series in between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from jounce.errors import JounceError, ShapeError
from jounce.model.robot import Robot


@dataclass(frozen=True)
class Simulation:
    """Steps of a simulated motion; call it with times for the states in between.

    ``times`` has one entry more than there are steps; ``states[name]`` is ``(len(times), …)``.
    ``reason`` says why it ended; ``series`` holds the Taylor coefficients of every step.
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

    def __call__(self, t: Any) -> dict[str, np.ndarray]:
        """Return the parts of the state at times within the simulated span."""
        times = np.asarray(t, dtype=float)
        start, end = self.times[0], self.times[-1]
        if np.any(times < start) or np.any(times > end) or not np.isfinite(times).all():
            raise ShapeError(f"times must lie between {start:g} and {end:g} s.")
        index = np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, self.steps - 1)
        result = {}
        for name, values in self.states.items():
            flat = [
                evaluate(self.series[i][name], x - self.times[i])
                for i, x in zip(np.ravel(index), np.ravel(times), strict=True)
            ]
            result[name] = np.reshape(flat, (*times.shape, values.shape[1]))
        return result


class SimulationError(JounceError, ArithmeticError):
    """A simulation that could not go on; ``partial`` holds what was simulated so far."""

    def __init__(self, message: str, partial: Simulation) -> None:
        super().__init__(message)
        self.partial = partial


def evaluate(series: np.ndarray, h: float) -> np.ndarray:
    """Return the sum of Taylor coefficients times powers of h."""
    return h ** np.arange(len(series)) @ series
