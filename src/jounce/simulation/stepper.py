"""One step of a simulation: the series of the motion, its order and how far it holds."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log
from typing import NamedTuple

import numpy as np

from jounce.algebra.series import Series
from jounce.api.call import padded
from jounce.errors import ModelError, NotFiniteError, SimulationError, SingularError
from jounce.model.robot import Robot
from jounce.simulation.applied_forces import AppliedForces
from jounce.simulation.result import Record
from jounce.simulation.systems import System, are_finite

SMALLEST_STEP = 1e-13
GROWTH = 4.0  # of a step over the last one, so that no jump of a square wave is left out
TINY = 1e-6  # of a step: what a jump may leave of one, but not of two in a row
LEAST_ORDER = 6  # from which on the terms show how far they hold, whatever the symmetry
PACE, HOPELESS = 1000, 1000.0  # steps after which the end must be this near to what all reach
LADDER = (6, 8, 12)  # orders that are tried first where the length of the steps is given


class Accuracy(NamedTuple):
    """What decides the steps: tolerance, and order, step and their number if they are given."""

    tol: float
    order: int | None
    step: float | None
    max_steps: int
    may_stop: bool = False  # before the end, by a limit or an event


class Stepper:
    """Computes the series of a step, its length, and raises the order while that pays."""

    def __init__(
        self, system: System, forces: AppliedForces, accuracy: Accuracy, horizon: float
    ) -> None:
        self.system, self.forces, self.accuracy = system, forces, accuracy
        self.orders = orders_of(accuracy, horizon, system.order_limit)
        self._last, self._was_short = np.inf, False

    def __call__(self, record: Record, end: float) -> tuple[Series, np.ndarray, float, float]:
        """Return the series, the forces at its start, its length and the next fixed time."""
        tol, _, step, most, _ = self.accuracy
        while True:
            force, until = self.forces(record.time, record.state, self.orders[0])
            until = min(until, end)
            series = self._series(record, force)
            wanted = min(step or np.inf, until - record.time)
            possible = step_length(series, tol)
            if possible >= wanted or len(self.orders) == 1:
                break
            del self.orders[0]
        natural = step or possible
        if natural < SMALLEST_STEP * max(1.0, abs(record.time)):
            self._explain(record)
            raise SimulationError(
                f"the step became too small at t = {record.time:g} s: "
                f"{hurry(self.system.robot, series[1])}. The motion has a singularity, or forces "
                "or velocities are too large.", record.finished("step underflow"),
            )  # fmt: skip
        if record.steps >= most or self._is_hopeless(record, end):
            raise SimulationError(self._slow(record, series, end), record.finished("max_steps"))
        h = min(natural, until - record.time)
        if step is None:
            h = self._agreed(record, h, until)
        return series, force[0], h, until

    def _is_hopeless(self, record: Record, end: float) -> bool:
        """Whether the end is far beyond what all steps reach, at the pace of those taken."""
        if record.steps != PACE or self.accuracy.may_stop:
            return False
        reached = (record.time - record.times[0]) / PACE * self.accuracy.max_steps
        return end - record.times[0] > HOPELESS * reached

    def _agreed(self, record: Record, h: float, until: float) -> float:
        """Return how much of a step the forces agree to; raise if they never do."""
        own = [] if self.forces.function is None else [self.forces.function]
        functions = [*own, *self.system.loads.functions]
        if not functions:
            return h
        grown = min(h, GROWTH * max(self._last, TINY * h))
        now, order, tol = record.time, self.orders[0], self.accuracy.tol
        self._last = min(f.agrees(now, order, grown, until, tol) for f in functions)
        was_short, self._was_short = self._was_short, self._last < min(grown, TINY * h)
        if was_short and self._was_short:
            names = " or ".join(f.name for f in functions)
            raise SimulationError(
                f"{names}(t, order) are not what their own derivatives say at "
                f"t = {record.time:g} s and right after: are the derivatives wrong, or the {names} "
                "full of noise?",
                record.finished("forces disagree"),
            )
        return self._last

    def _series(self, record: Record, force: np.ndarray) -> Series:
        if not are_finite([force]):
            raise SimulationError(
                f"the forces are not finite at t = {record.time:g} s: {force[0]}.",
                record.finished("forces not finite"),
            )
        try:
            order, state = self.orders[0], record.state
            forces = padded(force, order)
            with np.errstate(over="ignore", invalid="ignore"):  # reported below
                series = self.system.loads.settled(
                    record.time, state, order, lambda x: self.system.series(state, forces, x)
                )
        except SingularError as error:
            raise _stopped(record, error, "mass matrix singular") from error
        except ModelError as error:
            raise _stopped(record, error, "springs failed") from error
        if not are_finite(series):
            self._explain(record)
            raise SimulationError(
                "the motion leaves the range of floating-point numbers at "
                f"t = {record.time:g} s: {hurry(self.system.robot, series[1])}. Velocities or "
                "forces are too large.", record.finished("acceleration not finite"),
            )  # fmt: skip
        return series

    def _explain(self, record: Record) -> None:
        try:
            self.system.diagnose(record.state)
        except SingularError as error:
            raise _stopped(record, error, "mass matrix singular") from error
        except NotFiniteError:
            return

    def _slow(self, record: Record, series: Series, end: float) -> str:
        """Say why there are too many steps, and what to do."""
        tol, order, _, most, _ = self.accuracy
        best = best_order(tol)
        if order is not None and order < best:
            cure = (
                f"Steps of order {order} are short at tol = {tol:g}: leave out order, which makes "
                f"it {best}, or give a larger tol, or a larger max_steps"
            )
        else:
            bends = "" if self.forces.function is None else ", or forces(t) jumps or bends often"
            cure = (
                f"The motion is fast{bends}: {hurry(self.system.robot, series[1])}. "
                "Simulate less time, or give a larger max_steps"
            )
        taken = "are taken" if record.steps >= most else f"will not do: {record.steps} are taken"
        return f"max_steps = {most} {taken} at t = {record.time:g} of {end:g} s. {cure}."


def _stopped(record: Record, error: Exception, reason: str) -> SimulationError:
    return SimulationError(f"at t = {record.time:g} s {error}", record.finished(reason))


def hurry(robot: Robot, velocity: np.ndarray) -> str:
    """Name the joint that moves most violently, from Taylor coefficients of v."""
    size = np.abs(velocity[:2]).max(axis=0)
    k = int(np.argmax(np.where(np.isfinite(size), size, np.inf)))
    joint = next(j.name for j in robot.joints if k < j.v_slice.stop)
    v, a = velocity[:2, k]
    return f"joint {joint!r} has velocity {v:.3g} and acceleration {a:.3g}"


def step_length(series: Series, tol: float) -> float:
    """Choose h so that the last two terms are below tol of the state (Jorba and Zou 2005).

    Both may vanish, or nearly, where a motion is symmetric: from rest every other term does,
    and three of four where gravity has no slope there.  So the two before count as well, by
    the radius ``ρ = (|x_0| / |x_k|)^(1/k)`` they stand for: from the third on, which a constant
    acceleration has not, or from the first where there are too few to see a symmetry.
    """
    order = len(series[0]) - 1
    k = np.arange(max(3, order - 3) if order >= LEAST_ORDER else 1, order + 1)
    share = tol ** (1.0 / np.maximum(k, order - 1))
    h = np.inf
    for part in series:
        sizes = np.abs(part).max(axis=1, initial=0.0)
        with np.errstate(divide="ignore", over="ignore"):  # terms that vanish say nothing
            h = min(h, ((max(1.0, sizes[0]) / sizes[k]) ** (1.0 / k) * share).min())
    return float(h)


def best_order(tol: float) -> int:
    """Return the even order of least work for a tolerance, ``1 − ½ ln tol``, at least 6."""
    best = max(LEAST_ORDER, ceil(1.0 - 0.5 * log(tol)))
    return best + best % 2


def orders_of(accuracy: Accuracy, horizon: float, limit: int | None = None) -> list[int]:
    """Return the orders to go through; where steps are short anyway, low ones do and cost less."""
    if accuracy.order is not None:
        return [accuracy.order]
    best = best_order(accuracy.tol) if limit is None else min(best_order(accuracy.tol), limit)
    lower: Sequence[int] = () if horizon == np.inf else LADDER
    return [*(k for k in lower if k < best), best]
