"""A path with the time at which each place of it is passed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from jounce.errors import ArgumentError
from jounce.limits.check import LimitReport
from jounce.limits.forces import MotionForces
from jounce.model.robot import Robot
from jounce.planning.curve import Curve, composed
from jounce.planning.squared_speed import SquaredSpeed
from jounce.tables.table import MotionTable, table_of
from jounce.trajectory.protocol import checked_times

BEYOND = 1e-9  # of the duration: times that rounding carried beyond an end


class PlanningWarning(UserWarning):
    """A motion that keeps its limits and may be slower than it could be."""


class Binding(NamedTuple):
    """A limit that the motion uses up, from one time to another, in s."""

    quantity: str
    joint: str
    start: float
    end: float


@dataclass(frozen=True, slots=True, eq=False)
class TimedMotion:
    """The fastest motion along a path that was found within limits.

    It is a trajectory: ``motion(t, order=4)``.  ``limits`` says how near it comes to each limit
    (all hold), ``binding`` which limit it uses up when; ``durations`` how the duration fell, from
    one speed along the whole curve, over the rounds, each played as slowly as its limits ask, to
    the result (with ends in motion that alone); ``lower_bound`` is what no motion along the path
    undercuts: a bound of the duration without limits of jerk and rates, proven by
    `jounce.planning.lower_bound` (0 where there are no limits but these).
    ``converged`` is False where the solver stopped early: the motion keeps the limits, and may be
    slower than it could be.
    """

    forces: MotionForces
    curve: Curve
    speed: SquaredSpeed
    limits: LimitReport
    binding: tuple[Binding, ...]
    durations: tuple[float, ...]
    lower_bound: float
    converged: bool = True

    @property
    def robot(self) -> Robot:
        """What moves."""
        return self.forces.robot

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return self.robot.nq

    @property
    def t0(self) -> float:
        """Time at which the motion begins, 0."""
        return 0.0

    @property
    def duration(self) -> float:
        """How long the motion lasts, in s."""
        return self.speed.duration

    @property
    def gap(self) -> float:
        """How much longer than the lower bound it lasts, as a part of it; infinite if that is 0."""
        return self.duration / self.lower_bound - 1.0 if self.lower_bound > 0.0 else np.inf

    @property
    def knots(self) -> np.ndarray:
        """Times between which the motion is smooth, in s."""
        return self.speed.time(np.union1d(self.speed.edges, self.curve.knots))

    def __str__(self) -> str:
        worst = self.limits.worst
        most = f"{worst.quantity} of {worst.joint} uses {worst.use:.6f}" if worst else "no limits"
        above = f"{100.0 * self.gap:.2f} % above the lower bound {self.lower_bound:.4f} s"
        known = above if self.lower_bound > 0.0 else "lower bound 0 s without limits of rates"
        return f"time-optimal motion of {self.robot.name}: {self.duration:.4f} s, {known}; {most}"

    def path_parameter(self, t: Any, order: int = 0) -> np.ndarray:
        """Return the parameter of the given path and its derivatives, ``(order + 1, *t.shape)``.

        Points have the parameter 0 … 1, in proportion to the distance between them.
        """
        u = self._places(t, order)
        inner = [self.curve.sigma(u, k)[..., None] for k in range(order + 1)]
        found = composed(inner, self.speed.rates(u, order)) if order else inner
        result = self.curve.length * np.array(found)[..., 0]
        result[0] += self.curve.begin
        return result

    def __call__(self, t: Any, order: int = 4) -> Any:
        """Return the derivatives 0 … order at the times t, ``(order + 1, *t.shape, n)``.

        For a robot with quaternions that is a list: q, then the rates.
        """
        u = self._places(t, order)
        flat = u.ravel()
        motion = self.curve(flat, order)
        if order:
            motion = composed(motion, self.speed.rates(flat, order))
        shaped = [x.reshape(*u.shape, x.shape[-1]) for x in motion]
        return np.array(shaped) if self.robot.is_flat else shaped

    def table(self, rate: float, order: int = 4) -> MotionTable:
        """Return samples, ``rate`` a second and one at the end, with torques and their rates."""
        if not rate > 0.0:
            raise ArgumentError(f"rate must be positive, in samples a second, got {rate!r}.")
        time = np.arange(0.0, self.duration * (1.0 - BEYOND), 1.0 / rate)
        time = np.append(time, self.duration)
        motion = [*self(time, order)]
        forces = self.forces(motion) if order >= 2 else None
        return table_of(self.robot, time, motion, forces)

    def _places(self, t: Any, order: int) -> np.ndarray:
        times = checked_times(t, order)
        margin = BEYOND * self.duration
        outside = (times < -margin) | (times > self.duration + margin)
        if outside.any():
            raise ArgumentError(
                f"t = {times[outside].flat[0]!s} s lies outside of the motion, 0 … "
                f"{self.duration!s} s."
            )
        return self.speed.place(np.clip(times, 0.0, self.duration))
