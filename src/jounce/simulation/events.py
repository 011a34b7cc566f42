"""What ends a simulation within a step: limits, events, and coordinates too large to mean anything.

An angle counts modulo a turn, so what its floating-point number is worth is the spacing of
such numbers there, ``ε |q|``, in radians, and not of its size.  A simulation ends where it
exceeds the tolerance; a tolerance below √ε, half the digits of a sine, asks for no more::

    |q| ≤ max(tol, √ε) / ε          6.7e7 rad or m for tol ≤ 1.5e-8

Quaternions are never large, and where a free body is does not change its motion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from jounce.algebra.series import Series, evaluate
from jounce.errors import ArgumentError, NotFiniteError
from jounce.model.components import position_kinds
from jounce.model.robot import Robot

LIMITS = ("position", "velocity")
SAMPLES = 33  # of a step: what comes and goes between two of them stays unseen
FINEST = float(np.finfo(float).eps)  # the spacing of floating-point numbers at one
Event = Callable[..., float]


class Bound(NamedTuple):
    """A bound of one entry of the state: ``side * state[part][entry] ≤ value``."""

    part: int
    entry: int
    side: float
    value: float
    reason: str


class Stop(NamedTuple):
    """What ends a simulation, ``time`` after the start of a step, and why."""

    time: float
    reason: str


class Watch:
    """The limits and events that end a simulation."""

    def __init__(self, robot: Robot, limits: bool | Sequence[str], events: Any) -> None:
        kinds = LIMITS if limits is True else () if limits is False else _checked_kinds(limits)
        self._signs: dict[str, float] = {}  # of the events, the last that were not zero
        self.bounds = [b for b in _bounds(robot) if b.value < np.inf and LIMITS[b.part] in kinds]
        self.events: Mapping[str, Event] = events or {}
        if not isinstance(self.events, Mapping) or not all(map(callable, self.events.values())):
            raise ArgumentError("events must map names to functions of time and state.")

    @property
    def is_needed(self) -> bool:
        """Whether there is anything to watch."""
        return bool(self.bounds or self.events)

    def __call__(self, time: float, series: Series, h: float) -> Stop | None:
        """Return what happens first within a step of length h, if anything."""
        if not self.is_needed:
            return None
        elapsed = np.linspace(0.0, h, SAMPLES)
        sampled = [elapsed[:, None] ** np.arange(len(part)) @ part for part in series]
        found = [*self._limits(series, elapsed, sampled), *self._events(time, series, elapsed)]
        return min(found, default=None)

    def _limits(
        self, series: Series, elapsed: np.ndarray, sampled: Sequence[np.ndarray]
    ) -> Iterator[Stop]:
        for part, index, side, value, reason in self.bounds:
            beyond = side * sampled[part][:, index] > value
            beyond[0] = side * series[part][0, index] > value
            if beyond.any():
                column = side * series[part][:, index : index + 1]

                def excess(t: float, column: Any = column, value: float = value) -> bool:
                    return float(evaluate(column, t)[0]) > value

                yield Stop(bisected(elapsed, beyond, excess), reason)

    def _events(self, time: float, series: Series, elapsed: np.ndarray) -> Iterator[Stop]:
        for name, event in self.events.items():

            def value(t: float, name: str = name, event: Event = event) -> float:
                return _number(name, event(time + t, *(evaluate(part, t) for part in series)))

            signs = np.sign([value(t) for t in elapsed])
            if np.isnan(signs).any():
                raise NotFiniteError(f"event {name} gave nan at or after t = {time:g} s.")
            known = signs[signs != 0.0]
            first = self._signs.setdefault(name, known[0]) if known.size else 0.0
            passed = signs == -first
            if first and passed.any():

                def is_past(t: float, value: Any = value, first: float = first) -> bool:
                    return value(t) * first < 0.0

                yield Stop(bisected(elapsed, passed, is_past), f"event {name}")


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"event {name} must return a number, one for the whole robot, got {value!r}."
        ) from None


def bisected(elapsed: np.ndarray, past: np.ndarray, is_past: Callable[[float], bool]) -> float:
    """Return the last time before the first sample that is past something."""
    k = int(np.argmax(past))
    if k == 0:
        return 0.0
    low, high = float(elapsed[k - 1]), float(elapsed[k])
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (low, middle) if is_past(middle) else (middle, high)
    return low


def _bounds(robot: Robot) -> Iterator[Bound]:
    lower, upper, velocity = robot.limits.lower, robot.limits.upper, robot.limits.velocity
    for joint in robot.joints:  # those that follow others have no entries of their own
        for k in range(robot.nq)[joint.q_slice]:
            yield Bound(
                0, k, -1.0, -lower[k], f"lower position limit of joint {joint.name} reached"
            )
            yield Bound(0, k, 1.0, upper[k], f"upper position limit of joint {joint.name} reached")
        for k in range(robot.nv)[joint.v_slice]:
            for side in (-1.0, 1.0):
                reason = f"velocity limit of joint {joint.name} reached"
                yield Bound(1, k, side, velocity[k], reason)


def _checked_kinds(limits: Any) -> tuple[str, ...]:
    if not isinstance(limits, str | Sequence):
        limits = (limits,)
    kinds = (limits,) if isinstance(limits, str) else tuple(limits)
    for kind in kinds:
        if kind not in LIMITS:
            raise ArgumentError(f"limits must be True, False or among {LIMITS}, got {kind!r}.")
    return kinds


class Range:
    """How far coordinates may go: as far as they are fine enough to mean something."""

    def __init__(self, robot: Robot, tol: float) -> None:
        self.robot = robot
        self.bounds = np.full(robot.nq, np.finfo(float).max)
        for joint in robot.joints:
            if joint.quaternion is None:
                self.bounds[joint.q_slice] = max(tol, sqrt(FINEST)) / FINEST

    def __call__(self, time: float, series: np.ndarray, h: float) -> Stop | None:
        """Return where within a step of length h the series of q leaves the bounds, if so."""
        with np.errstate(over="ignore", invalid="ignore"):
            if not self._is_beyond(series, h):
                return None
            past = np.array([self._is_beyond(series, 0.0), True])
            last = bisected(np.array([0.0, h]), past, lambda t: self._is_beyond(series, t))
            return Stop(last, self._message(time + last, evaluate(series, last)))

    def _is_beyond(self, series: np.ndarray, t: float) -> bool:
        return not (np.abs(evaluate(series, t)) <= self.bounds).all()

    def _message(self, time: float, q: np.ndarray) -> str:
        k = int(np.argmax(np.abs(q) / self.bounds))
        joint = next(j.name for j in self.robot.joints if k < j.q_slice.stop)
        value, unit = q[k], "m" if position_kinds(self.robot)[k] == "length" else "rad"
        return (
            f"joint {joint!r} is too far away at t = {time:.9g} s, at {value:.3g} {unit}: "
            f"floating-point numbers are {np.spacing(abs(value)):.2g} {unit} apart there, too "
            "coarse to go on. Velocities or forces are too large, or the time is too long."
        )
