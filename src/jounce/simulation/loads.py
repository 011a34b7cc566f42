"""Wrenches on the links in a simulation: that stay, that vary in time, that follow the state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jounce.algebra.jet import Jet, derivatives
from jounce.algebra.series import Series
from jounce.api.call import Wrench, Wrenches, as_wrenches, padded
from jounce.elastic.drives import constant_wrenches
from jounce.errors import ArgumentError, ShapeError
from jounce.model.robot import Robot
from jounce.simulation.applied_forces import TimeFunction, takes_order


class Loads:
    """Gives the wrenches with their derivatives.

    A function with a parameter ``order``, such as a trajectory, is one of time; another one,
    ``W(t, *state)``, gets time and all coordinates of the state as jets and returns six.
    """

    def __init__(self, robot: Robot, wrenches: Wrenches) -> None:
        given = as_wrenches(wrenches)
        varying = {f: w for f, w in given.items() if callable(w.values)}
        rest = {f: w for f, w in given.items() if f not in varying}
        self._constant = constant_wrenches(robot, rest)
        self._of_time: dict[str, tuple[TimeFunction, str]] = {}
        self._of_state: dict[str, tuple[Callable[..., Any], str]] = {}
        for frame, wrench in varying.items():
            name, function, kind = robot.frame(frame).name, wrench.values, wrench.representation
            if takes_order(function) or takes_order(type(function).__call__):
                self._of_time[name] = TimeFunction(f"wrench on {name}", function, 6), kind
            else:
                self._of_state[name] = function, kind

    @property
    def functions(self) -> list[TimeFunction]:
        """The functions of time among them."""
        return [function for function, _ in self._of_time.values()]

    @property
    def frames(self) -> list[tuple[str, str]]:
        """Frames and representations, in the order of `at`."""
        return [(frame, w.representation) for frame, w in self.at(0.0, 0).items()]

    def require_known(self) -> None:
        """Refuse wrenches that follow the state: a plan does not know it."""
        if self._of_state:
            raise ArgumentError(
                f"the wrench on {', '.join(self._of_state)} is a function of the state: a plan "
                "takes wrenches that stay or are functions of time, W(t, order)."
            )

    def at(self, time: float, count: int, series: Sequence[np.ndarray] = ()) -> dict[str, Wrench]:
        """Return the wrenches with ``count`` rows, by frame; ``series`` is that of the state."""
        result = dict(self._constant)
        for frame, (source, kind) in self._of_time.items():
            result[frame] = Wrench(source(time, count)[:count] if count else None, kind)
        jets: list[Any] = []
        for frame, (function, kind) in self._of_state.items():
            if not jets:
                jets = [Jet((time, 1.0, *[0.0] * count)[:count])]
                jets += [[*map(Jet, padded(part, count).T.tolist())] for part in series]
            rows = _rows(frame, function(*jets), count) if count else None
            result[frame] = Wrench(rows, kind)
        return result

    def settled(
        self,
        time: float,
        state: Sequence[np.ndarray],
        order: int,
        solve: Callable[[dict[str, Wrench]], Series],
    ) -> Series:
        """Return the series of a state under the wrenches that belong to it.

        Wrenches to order k give the motion to order k + 1 at least, and that gives them to the
        same order: every round adds one, or two where they do not depend on velocities.
        """
        if not self._of_state and not self._of_time:
            return solve(self._constant)
        loads = self.at(time, order, [part[None] for part in state])
        found = solve(loads)
        for _ in range(order if self._of_state else 0):
            again = self.at(time, order, found)
            if all((again[f].values == loads[f].values).all() for f in self._of_state):
                break
            loads, found = again, solve(again)
        return found


def _rows(frame: str, values: Any, count: int) -> np.ndarray:
    values = list(values)
    if len(values) != 6:
        raise ShapeError(f"wrench on {frame} must have six components, got {len(values)}.")
    return np.array([derivatives(x, count - 1) for x in values], dtype=float).T
