"""The forces of a step: constant, a function of time, or a controller that is asked in time."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jounce.errors import ShapeError
from jounce.model.checks import as_floats


class Drive:
    """Gives the forces with derivatives at the start of a step, and until when they hold."""

    def __init__(
        self,
        inputs: int,
        forces: Any,
        controller: Callable[..., Any] | None,
        sample_time: float | None,
        start: float,
    ) -> None:
        self.inputs = inputs
        self.function = forces if callable(forces) else None
        self.takes_order = self.function is not None and _takes_order(self.function)
        constant = np.zeros(inputs) if forces is None or callable(forces) else forces
        self.held = self._rows(constant)
        self.controller, self.sample_time, self.start = controller, sample_time, start
        self.next_sample, self.samples = start, 0

    def __call__(
        self, time: float, state: Sequence[np.ndarray], order: int
    ) -> tuple[np.ndarray, float]:
        """Return the forces, ``(m, inputs)``, and the time until which they hold."""
        if self.function is not None:
            return self._evaluated(self.function, time, order), np.inf
        if self.controller is None or self.sample_time is None:
            return self.held, np.inf
        if time >= self.next_sample:
            self.held = self._rows(self.controller(time, *(part.copy() for part in state)))[:1]
            self.samples += 1
            self.next_sample = self.start + self.samples * self.sample_time
        return self.held, self.next_sample

    def _evaluated(self, function: Callable[..., Any], time: float, order: int) -> np.ndarray:
        """Ask a function of time for as many derivatives as the series has orders."""
        if self.takes_order:
            rows = self._rows(function(time, order=order - 1))
        else:
            rows = self._rows(function(time))
        if len(rows) < order:
            raise ShapeError(
                f"forces(t) gave {len(rows)} rows, a series of order {order} needs {order}: the "
                "forces and their time derivatives. Write forces(t, order), which returns "
                "(order + 1, n), as trajectories do; or sample with controller= and sample_time=."
            )
        return rows

    def _rows(self, values: Any) -> np.ndarray:
        array = np.atleast_2d(as_floats("forces", values))
        if array.ndim != 2 or array.shape[1] != self.inputs or not len(array):
            raise ShapeError(
                f"forces must have shape ({self.inputs},) or (m, {self.inputs}), "
                f"got {np.shape(values)}."
            )
        return array


def _takes_order(function: Callable[..., Any]) -> bool:
    try:
        return "order" in inspect.signature(function).parameters
    except (TypeError, ValueError):  # some built-in functions tell nothing
        return False
