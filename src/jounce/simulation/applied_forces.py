"""The forces of a step: constant, a function of time, or a controller that is asked in time."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jounce.algebra.series import coefficients, evaluate
from jounce.errors import ShapeError
from jounce.model.checks import as_floats
from jounce.simulation.events import bisected

FINEST_FORCE = 1e-10  # of the forces: what rounding leaves of high derivatives
# Parts of a step at which forces are looked at: less than a sixth apart, and in golden ratio,
# so that what repeats itself is not always met in the same phase.
PLACES = np.array([0.0, *np.sort(np.arange(1, 8) * (np.sqrt(5.0) - 1.0) / 2.0 % 1.0), 1.0])


class TimeFunction:
    """A function of time that gives its derivatives: rows of them, and how far they hold."""

    def __init__(self, name: str, function: Callable[..., Any], width: int) -> None:
        self.name, self.function, self.width = name, function, width
        self.takes_order = takes_order(function)

    def __call__(self, time: float, order: int) -> np.ndarray:
        """Return as many derivatives as a series has orders, ``(order, width)`` or more."""
        values = self.function(time, order=order - 1) if self.takes_order else self.function(time)
        rows = np.atleast_2d(as_floats(f"{self.name}(t)", values))
        if rows.ndim != 2 or rows.shape[1] != self.width or not len(rows):
            raise ShapeError(
                f"{self.name}(t) must have shape (m, {self.width}), got {np.shape(values)}."
            )
        if len(rows) < order:
            raise ShapeError(
                f"{self.name}(t) gave {len(rows)} rows, a series of order {order} needs {order}: "
                f"the {self.name} and their time derivatives. Write {self.name}(t, order), which "
                "returns (order + 1, n), as trajectories do; or, for forces, sample with "
                "controller= and sample_time=."
            )
        return rows

    def agrees(self, time: float, order: int, h: float, end: float, tol: float) -> float:
        """Return how far the function follows the derivatives it gives, at most h.

        Where it jumps or bends, a step must end: a floating-point number after the last time
        at which it is what its Taylor series says, but for rounding, also of the time.  Looked
        for at `PLACES` again and again until none is found before; never after ``end``.
        """
        rows = self(time, order)
        series = coefficients(rows[0], rows[1:])
        allowed = min(max(1e3 * tol, FINEST_FORCE), 0.1) * max(1.0, np.abs(rows[0]).max(initial=0))
        rates = np.abs(series[1:]) * np.arange(1.0, len(series))[:, None]

        def is_off(t: float) -> bool:
            later = min(time + t, end)
            error = np.abs(self(later, 1)[0] - evaluate(series, later - time))
            rounding = 4.0 * np.spacing(abs(time) + t) * evaluate(rates, t)
            return not (error <= allowed + rounding).all()

        last = h
        while last > 0.0 and any(off := [False, *(is_off(t) for t in last * PLACES[1:])]):
            last = bisected(last * PLACES, np.array(off), is_off)
        return h if last == h else min(h, last + 2.0 * float(np.spacing(abs(time) + last)))


class AppliedForces:
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
        self.function = TimeFunction("forces", forces, inputs) if callable(forces) else None
        constant = np.zeros(inputs) if forces is None or callable(forces) else forces
        self.held = self._constant("forces", constant)
        self.controller, self.sample_time, self.start = controller, sample_time, start
        self.next_sample, self.samples = start, 0

    def __call__(
        self, time: float, state: Sequence[np.ndarray], order: int
    ) -> tuple[np.ndarray, float]:
        """Return the forces, ``(m, inputs)``, and the time until which they hold."""
        if self.function is not None:
            return self.function(time, order), np.inf
        if self.controller is None or self.sample_time is None:
            return self.held, np.inf
        if time >= self.next_sample:
            given = self.controller(time, *(part.copy() for part in state))
            self.held = self._constant("what the controller returns", given)
            self.samples += 1
            self.next_sample = self.start + self.samples * self.sample_time
        return self.held, self.next_sample

    def _constant(self, name: str, values: Any) -> np.ndarray:
        """Return forces that stay, ``(1, inputs)``; derivatives would begin anew every step."""
        array = as_floats(name, values)
        if array.shape not in ((self.inputs,), (1, self.inputs)):
            raise ShapeError(f"{name} must have shape ({self.inputs},), got {array.shape}.")
        return array.reshape(1, self.inputs)


def takes_order(function: Callable[..., Any]) -> bool:
    """Tell whether a function has a parameter of this name."""
    try:
        return "order" in inspect.signature(function).parameters
    except (TypeError, ValueError):  # some built-in functions tell nothing
        return False
